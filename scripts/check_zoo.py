"""Every RobustBench entry: built, saved with random weights as published, loaded back strictly, run forward.

    python scripts/check_zoo.py [KEY ...] [--out docs/zoo.csv]

Each entry runs in a process of its own, so that peak memory is its own. A few minutes on two cores, about
1 GB of disk at a time.
"""

import argparse
import csv
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import torch

from controversy.classifiers import CLASSIFIERS
from controversy.classifiers._robustbench import FAMILY
from controversy.classifiers._robustbench_entries import ENTRIES
from controversy.classifiers._robustbench_zoo import build, zoo
from controversy.errors import ControversyError
from controversy.offline import no_network

COLUMNS = ("key", "threat", "parameters", "seconds_to_load", "seconds_forward_backward", "peak_gb", "result")


def as_published(network: torch.nn.Module, n_files: int) -> list[dict[str, object]]:
    """What an entry's files hold: the network behind its normalising layer, as `DataParallel` names it."""
    parts = (
        [network] if n_files == 1 else [network.get_submodule(name) for name in ("std_model", "rob_model")]
    )
    behind = [dict(part.named_children()).get("model", part) for part in parts]
    return [
        {"state_dict": {f"module.{name}": value for name, value in part.state_dict().items()}}
        for part in behind
    ]


def check(key: str, threat: str) -> dict[str, object]:
    """One entry, from its factory to the gradient at the image."""
    torch.manual_seed(0)
    original = build(key, threat).eval()
    entry = CLASSIFIERS[key]
    images = torch.rand(1, 3, 256, 256)
    for path, content in zip(entry.weights, as_published(original, len(entry.weights)), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(content, path)
    start = time.perf_counter()
    classifier = entry.load()
    loaded = time.perf_counter()
    with torch.no_grad():
        expected = original(classifier.preprocessing(images))
    del original
    images.requires_grad_(True)
    begun = time.perf_counter()
    logits = classifier(images)
    logits[0, 0].backward()
    done = time.perf_counter()
    same = torch.equal(logits.detach(), expected)
    gradient = bool(images.grad is not None and images.grad.isfinite().all() and images.grad.abs().sum() > 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "key": key,
        "threat": threat,
        "parameters": classifier.description()["n_parameters"],
        "seconds_to_load": f"{loaded - start:.1f}",
        "seconds_forward_backward": f"{done - begun:.1f}",
        "peak_gb": f"{peak:.1f}",
        "result": "identical logits, finite gradient"
        if same and gradient
        else f"FAILED: same {same}, gradient {gradient}",
    }


def _child(pipe: Connection, key: str, threat: str) -> None:
    with tempfile.TemporaryDirectory() as folder, no_network():
        os.environ["CONTROVERSY_WEIGHTS"] = folder
        try:
            pipe.send(check(key, threat))
        except (ControversyError, RuntimeError, OSError, TypeError, AttributeError) as problem:
            pipe.send(
                {"key": key, "threat": threat, "result": f"FAILED: {type(problem).__name__}: {problem}"}
            )


def main() -> None:
    """Checks the keys asked for, prints each row as it comes, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("keys", nargs="*")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    listed = {entry.key: entry.threat for entry in reversed(ENTRIES)}
    keys = options.keys or [entry.name for entry in CLASSIFIERS if entry.family == FAMILY]
    # Forked with everything imported, which takes longer than most entries; torch has started no thread yet.
    zoo()
    context = multiprocessing.get_context("fork")
    rows = []
    for key in keys:
        ours, theirs = context.Pipe()
        process = context.Process(target=_child, args=(theirs, key, listed[key]))
        process.start()
        theirs.close()
        try:
            row = ours.recv()
        except EOFError:
            row = {"key": key, "threat": listed[key], "result": "FAILED: the process died"}
        process.join()
        rows.append(row)
        print(" ".join(str(row.get(column, "")) for column in COLUMNS), flush=True)
        if options.out:
            with options.out.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    sys.exit(any(str(row["result"]).startswith("FAILED") for row in rows))


if __name__ == "__main__":
    main()
