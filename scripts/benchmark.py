"""Stimuli per hour: the loop of a textbook against ours, on the same requests and networks, in one process.

    python scripts/benchmark.py                  # digits, and BigGAN-deep-128 + ResNet-50 + ConvNeXt-T
    python scripts/benchmark.py --device cuda    # and BigGAN-deep-256 + Swin-L + ConvNeXt-L, in bf16

Both sides take turns. On digits, whose weights are real, they are compared in stimuli per hour that reach the
same controversiality in the saved 8 bits; elsewhere weights are random, and it is seconds a step. Prints a
table, and with --out writes it as JSON.
"""

import argparse
import functools
import json
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from omegaconf import OmegaConf
from rich.console import Console
from rich.table import Table
from torch import Tensor

from benchmarking.ceilings import convolution_ceiling, matrix_ceiling, peak_memory, step_demands
from benchmarking.textbook import textbook
from benchmarking.worlds import World, digits, imagenet
from controversy.commands import configuration_folder
from controversy.devices import keep_freed_memory
from controversy.images import from_uint8
from controversy.objectives import controversiality, smooth_minimum
from controversy.synthesis import Request, Settings, class_pairs, synthesize
from controversy.synthesis._problem import Problem

TEXTBOOK_RATE = 0.05


def ours(world: World, requests: Sequence[Request], settings: Settings) -> list[tuple[Request, Tensor]]:
    """The stimuli of `controversy.synthesis.synthesize`."""
    made = synthesize(world.generator, *world.models, requests, settings=settings, device=world.device)
    return [(stimulus.request, stimulus.image) for stimulus in made]


def successes(world: World, made: Sequence[tuple[Request, Tensor]], threshold: float) -> int:
    """How many reach the criterion, by the classifiers' look at the 8-bit images."""
    images = from_uint8(torch.stack([image for _, image in made])).to(world.device)
    classes = torch.tensor([request.alternatives for request, _ in made], device=world.device)
    with torch.no_grad():
        first, second = (model(images) for model in world.models)
        reached = controversiality(first, second, classes[:, 0], classes[:, 1]) >= threshold
    return int(reached.sum())


def quick_search() -> Settings:
    """The shipped ``search=quick``."""
    options = OmegaConf.to_container(OmegaConf.load(configuration_folder() / "search" / "quick.yaml"))
    return Settings(**options)  # type: ignore[arg-type]


def timed(work: Callable[[], Any], world: World) -> tuple[Any, float, float]:
    """What work gives, its seconds, and the peak of memory in GB."""
    with peak_memory(world.device) as memory:
        start = time.perf_counter()
        result = work()
        if world.device.type == "cuda":
            torch.cuda.synchronize(world.device)
        spent = time.perf_counter() - start
    return result, spent, memory[0]


def to_a_criterion(world: World, arguments: argparse.Namespace) -> dict[str, Any]:
    """Stimuli per hour that reach the criterion, both sides in turns."""
    requests = class_pairs(10, arguments.stimuli, seed=1)
    part = max(1, len(requests) // arguments.turns)
    # What is reached before rounding to 8 bits is a little less afterwards.
    target = min(1.0, arguments.threshold + 0.03)
    settings = replace(quick_search(), batch_size=arguments.batch, target=target)
    totals: dict[str, list[float]] = {"textbook": [0, 0, 0], "ours": [0, 0, 0]}
    for start in range(0, len(requests), part):
        now = requests[start : start + part]
        sides = {
            "textbook": lambda now=now: list(
                textbook(
                    world,
                    now,
                    n_steps=arguments.textbook_steps,
                    batch_size=arguments.batch,
                    learning_rate=TEXTBOOK_RATE,
                )
            ),
            "ours": lambda now=now: ours(world, now, settings),
        }
        for side, work in sides.items():
            keep_freed_memory(side == "ours")
            made, spent, memory = timed(work, world)
            totals[side][0] += successes(world, made, arguments.threshold)
            totals[side][1] += spent
            totals[side][2] = max(totals[side][2], memory)
    rates = {side: 3600 * n / spent for side, (n, spent, _) in totals.items()}
    return {
        "world": world.name,
        "measure": f"stimuli per hour with controversiality >= {arguments.threshold:g}",
        **{side: round(rate) for side, rate in rates.items()},
        "ratio": rates["ours"] / max(rates["textbook"], 1e-9),
        "success": {side: n / len(requests) for side, (n, _, _) in totals.items()},
        "peak_gb": {side: memory for side, (_, _, memory) in totals.items()},
    }


def by_the_step(world: World, arguments: argparse.Namespace, precision: str) -> dict[str, Any]:
    """Seconds a step and image for a fixed number of steps, both sides in turns."""
    n_steps, batch = arguments.steps, arguments.imagenet_batch
    requests = class_pairs(1000, batch, seed=1)
    fixed = Settings(
        n_candidates=1,
        n_steps=n_steps,
        stall=10**6,
        n_attempts=1,
        target=1.0,
        patience=10**6,
        batch_size=batch,
        check_every=n_steps,
        precision=precision,  # type: ignore[arg-type]
        layout="fast",
    )
    sides: dict[str, Callable[[int], Any]] = {
        "textbook": lambda n: list(
            textbook(world, requests, n_steps=n, batch_size=batch, learning_rate=TEXTBOOK_RATE)
        ),
        "ours": lambda n: ours(world, requests, replace(fixed, n_steps=n, check_every=n)),
    }
    spent: dict[str, list[float]] = {side: [] for side in sides}
    peak = dict.fromkeys(sides, 0.0)
    for _ in range(arguments.turns):
        for side, work in sides.items():
            keep_freed_memory(side == "ours")
            # The difference of two numbers of steps: what comes before and after the steps falls out.
            _, few, _ = timed(functools.partial(work, 1), world)
            _, many, memory = timed(functools.partial(work, 1 + n_steps), world)
            spent[side].append((many - few) / n_steps)
            peak[side] = max(peak[side], memory)
    best = {side: min(times) for side, times in spent.items()}
    return {
        "world": world.name,
        "measure": f"seconds a step of {batch} images, {precision}",
        **{side: round(value, 4) for side, value in best.items()},
        "ratio": best["textbook"] / best["ours"],
        "all": spent,
        "peak_gb": peak,
    }


def demands(world: World, batch: int, precision: str, ceiling: float) -> dict[str, Any]:
    """Operations and bytes of our step, its own time, and the share of the ceiling that it reaches."""
    problem = Problem(world.generator, world.models, smooth_minimum, precision)
    flops, moved = step_demands(problem, Settings(batch_size=batch), world.device)
    return {"gflop_per_image": flops / 1e9, "mb_per_image": moved / 1e6, "ceiling_gflops": ceiling / 1e9}


def show(results: dict[str, Any]) -> None:
    """The table."""
    table = Table(title=results["machine"])
    for column in ("world", "measure", "textbook", "ours", "ratio", "GFLOP", "MB", "of ceiling", "peak GB"):
        table.add_column(column, overflow="fold")
    for row in results["rows"]:
        share = row.get("share_of_ceiling")
        table.add_row(
            row["world"],
            row["measure"],
            f"{row['textbook']:g}",
            f"{row['ours']:g}",
            f"{row['ratio']:.2f}",
            f"{row['gflop_per_image']:.3g}",
            f"{row['mb_per_image']:.3g}",
            f"{share:.0%}" if share else "",
            " / ".join(f"{value:.1f}" for value in row["peak_gb"].values()),
        )
    Console(width=150).print(table)
    for row in results["rows"]:
        if "success" in row:
            shares = ", ".join(f"{side} {share:.1%}" for side, share in row["success"].items())
            print(f"{row['world']}: reached by {shares} of the stimuli")
    print(
        f"ceilings: matrix product {results['matrix_gflops']:.0f} GFLOP/s, "
        f"convolution {results['convolution_gflops']:.0f} GFLOP/s ({results['dtype']}); "
        "GFLOP and MB: of our step, an image"
    )


def machine(device: torch.device) -> str:
    """What this was measured on."""
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}"
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return f"{model}, {torch.get_num_threads()} threads, torch {torch.__version__}"


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu", type=torch.device)
    parser.add_argument("--worlds", nargs="*", default=None, help="digits, biggan128, biggan256")
    parser.add_argument("--stimuli", type=int, default=512, help="digits to make")
    parser.add_argument("--threshold", type=float, default=0.75, help="controversiality that counts")
    parser.add_argument("--batch", type=int, default=64, help="digits side by side")
    parser.add_argument("--imagenet-batch", type=int, default=None)
    parser.add_argument("--steps", type=int, default=None, help="of ImageNet's sizes")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--textbook-steps", type=int, default=150, help="on digits")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    arguments = parser.parse_args()
    device, on_gpu = arguments.device, arguments.device.type == "cuda"
    arguments.imagenet_batch = arguments.imagenet_batch or (32 if on_gpu else 4)
    arguments.steps = arguments.steps or (20 if on_gpu else 3)
    torch.backends.cudnn.benchmark = False
    precision, dtype = ("bf16", torch.bfloat16) if on_gpu else ("fp32", torch.float32)
    keep_freed_memory()
    ceiling = convolution_ceiling(device, dtype)
    results: dict[str, Any] = {
        "machine": machine(device),
        "dtype": str(dtype).removeprefix("torch."),
        "matrix_gflops": matrix_ceiling(device, dtype) / 1e9,
        "convolution_gflops": ceiling / 1e9,
        "rows": [],
    }
    for name in arguments.worlds or (["digits", "biggan128", *(["biggan256"] if on_gpu else [])]):
        if name == "digits":
            world = digits(device)
            row = to_a_criterion(world, arguments) | demands(world, arguments.batch, "fp32", ceiling)
        else:
            size, pair = {
                "biggan128": (128, ("resnet50", "convnext_tiny")),
                "biggan256": (256, ("swin_large_patch4_window7_224", "convnext_large")),
            }[name]
            world = imagenet(size, pair, device)
            row = by_the_step(world, arguments, precision)
            row |= demands(world, arguments.imagenet_batch, precision, ceiling)
            operations = row["gflop_per_image"] * 1e9 * arguments.imagenet_batch
            row["share_of_ceiling"] = operations / row["ours"] / ceiling
        results["rows"].append(row)
    show(results)
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
