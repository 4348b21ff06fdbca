"""Does a stimulus of 10,000 cost more than one of 100, and how long does a set of 100,000 take to open?

    python scripts/benchmark_growth.py --out DIR [--counts 100 1000 10000] [--rows 100000] [--json FILE]

Runs: the digits world with a search of two steps, so that all but the steps is measured: the queue of
requests, rendering, writing, scoring, pictures, manifest. Of every tenth of a run milliseconds a stimulus and
memory, then the time to complete the set.

Rows: a set of tiny images with the logits of two classifiers of 1,000 classes, made by `SetWriter`, and nine
copies of it; what it takes to collect them into one, and to open, filter and verify that one. Every line is a
process of its own, with the memory that it had at most.
"""

import argparse
import itertools
import json
import multiprocessing
import platform
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from controversy.classifiers import Classifier, Preprocessing, load_classifier
from controversy.generators import load_generator
from controversy.stimuli import SetWriter, StimulusSet, collect, make_set, verify
from controversy.synthesis import Settings, Stimulus, class_pairs

N_CLASSES, SIDE, N_SETS = 1000, 8, 10
SEARCH = Settings(n_steps=2, n_candidates=1, n_attempts=1, check_every=2)


def memory_now() -> float:
    """Resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def synthesis(folder: Path, count: int) -> dict[str, Any]:
    """One run: ten parts, and the completion of the set."""
    marks: list[tuple[float, float]] = []

    def mark(_: Stimulus | int) -> None:
        marks.append((time.perf_counter(), memory_now()))

    generator = load_generator("digits")
    models = [load_classifier(name) for name in ("digits_resnet", "digits_vit")]
    requests = class_pairs(generator.n_classes, count, seed=0)
    make_set(
        folder, generator, models[0], models[1], requests, settings=SEARCH, on_start=mark, on_stimulus=mark
    )
    ends = np.linspace(0, count, 11).round().astype(int)
    parts = list(itertools.pairwise(ends))
    return {
        "what": f"run of {count}",
        "ms_per_stimulus": [1e3 * (marks[b][0] - marks[a][0]) / (b - a) for a, b in parts],
        "memory_mb": [marks[b][1] for _, b in parts],
        "complete_s": time.perf_counter() - marks[-1][0],
        "complete_ms_per_stimulus": 1e3 * (time.perf_counter() - marks[-1][0]) / count,
    }


class Readout(nn.Module):
    """A thousand logits from the pixels of an image."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        weights = torch.randn(3 * SIDE * SIDE, N_CLASSES, generator=torch.Generator().manual_seed(seed))
        self.weights = nn.Parameter(weights)

    def forward(self, images: Tensor) -> Tensor:
        """Images -> logits."""
        return images.flatten(1) @ self.weights


def readout(name: str, seed: int) -> Classifier:
    """A classifier of tiny images."""
    return Classifier(
        Readout(seed), name=name, n_classes=N_CLASSES, class_set="tiny", preprocessing=Preprocessing(SIDE)
    )


def tiny_set(folder: Path, n_stimuli: int) -> None:
    """The set that is collected, with its copies."""
    rng = np.random.default_rng(0)
    names = [str(index) for index in range(N_CLASSES)]
    order = [f"stimulus{number}" for number in range(n_stimuli)]
    with SetWriter(folder, {"number": 0}, n_stimuli=n_stimuli) as writer:
        for number, name in enumerate(order):
            class_1, class_2 = rng.choice(N_CLASSES, 2, replace=False).tolist()
            image = torch.from_numpy(rng.integers(0, 256, (3, SIDE, SIDE), dtype=np.uint8))
            latents = {"z": torch.from_numpy(rng.normal(size=128).astype(np.float32))}
            row: dict[str, int | float | str | bool]
            row = {"stimulus_id": name, "model_1": "one", "model_2": "two", "seed": number, "n_steps": 1}
            writer.add(name, image, latents, {**row, "class_1": class_1, "class_2": class_2})
        writer.finish(
            order,
            {"one": readout("one", 1), "two": readout("two", 2)},
            pd.DataFrame({"index": range(N_CLASSES), "wnid": "", "name": names}),
            {"generator": {"name": "noise"}},
        )


def copy_set(folder: Path, copy: Path, number: int) -> None:
    """The same again, as the set of another configuration."""
    shutil.copytree(folder, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {"configuration": {"number": number}}))


def filtered(folder: Path) -> None:
    """What an analysis begins with: the best stimuli, both models' evidence, a few images."""
    stimuli = StimulusSet(folder)
    best = stimuli.metadata["controversiality"].nlargest(1000).index.to_numpy()
    for model in stimuli.models:
        stimuli.evidence(model)[best].mean()
    stimuli.images(best[:10])


def alone(what: str, act: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """The time of an act in a process of its own, and the memory that this took at most."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_timed, (what, act, arguments))


def _timed(what: str, act: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    torch.set_num_threads(1)
    before, start = memory_now(), time.perf_counter()
    given = act(*arguments)
    line = given if isinstance(given, dict) else {"what": what, "seconds": time.perf_counter() - start}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return line | {"memory_before_mb": before, "memory_at_most_mb": peak}


def collected(sets: list[Path], out: Path) -> None:
    """Puts the sets into one."""
    collect(sets, out)


def verified(folder: Path) -> None:
    """Re-hashes all, and recomputes the table from the logits."""
    assert not verify(StimulusSet(folder), {})


def opened(folder: Path) -> None:
    """Opens a set and reads its table."""
    assert len(StimulusSet(folder).metadata)


def rows(folder: Path, n_rows: int) -> list[dict[str, Any]]:
    """Every act on the large set, in order."""
    sets = [folder / f"set{number}" for number in range(N_SETS)]
    share = n_rows // N_SETS
    whole = folder / "whole"
    made = alone(f"make a set of {share:,}", tiny_set, sets[0], share)
    for number, copy in enumerate(sets[1:], start=1):
        copy_set(sets[0], copy, number)
    return [
        made,
        alone(f"collect {N_SETS} of them", collected, sets, whole),
        alone(f"open one of {n_rows:,}", opened, whole),
        alone("open, filter, evidence of both models, 10 images", filtered, whole),
        alone("verify, without re-scoring", verified, whole),
        alone("open the collection again with the same command", collected, sets, whole),
    ]


def show(line: dict[str, Any]) -> None:
    """Prints a line as soon as it is there."""
    peak = f"at most {line['memory_at_most_mb']:,.0f} MB (before: {line['memory_before_mb']:,.0f})"
    if "seconds" in line:
        print(f"{line['what']:55s} {line['seconds']:8.2f} s   {peak}", flush=True)
        return
    times = np.array(line["ms_per_stimulus"])
    print(f"{line['what']}: completed in {line['complete_s']:.1f} s, {peak}")
    print(f"  ms a stimulus: {times.mean():.1f}, by tenths: " + " ".join(f"{value:.1f}" for value in times))
    print(
        "  memory in MB:             " + " ".join(f"{value:.0f}" for value in line["memory_mb"]), flush=True
    )


def main() -> None:
    """Measures, prints, and writes the figures as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="an empty folder; 3 GB for 100,000 rows")
    parser.add_argument("--counts", type=int, nargs="*", default=[100, 1000, 10_000])
    parser.add_argument("--rows", type=int, default=100_000, help="0: none")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    lines = []
    for count in arguments.counts:
        lines.append(alone("", synthesis, arguments.out / f"run{count}", count))
        show(lines[-1])
    if arguments.rows:
        lines += rows(arguments.out, arguments.rows)
        for line in lines[len(arguments.counts) :]:
            show(line)
    if arguments.json:
        facts = {"machine": platform.processor() or platform.machine(), "torch": torch.__version__}
        arguments.json.write_text(json.dumps({**facts, "lines": lines}, indent=2) + "\n")


if __name__ == "__main__":
    main()
