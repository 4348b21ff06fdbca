"""What a device can do at most, and what a step of synthesis asks of it."""

import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from controversy.synthesis import Settings
from controversy.synthesis._problem import Problem


def seconds(work: Callable[[], object], device: torch.device, repeats: int = 5) -> float:
    """The fastest of some repetitions, after one that is not counted."""
    best = float("inf")
    for turn in range(repeats + 1):
        _wait(device)
        start = time.perf_counter()
        work()
        _wait(device)
        if turn:
            best = min(best, time.perf_counter() - start)
    return best


def matrix_ceiling(device: torch.device, dtype: torch.dtype) -> float:
    """Operations a second of a large matrix product."""
    side = 8192 if device.type == "cuda" else 2048
    a, b = (torch.randn(side, side, device=device, dtype=dtype) for _ in range(2))
    return 2 * side**3 / seconds(lambda: a @ b, device)


def convolution_ceiling(device: torch.device, dtype: torch.dtype) -> float:
    """Operations a second of a large 3 x 3 convolution, the kind that these networks are made of."""
    n, channels, side = (64, 512, 56) if device.type == "cuda" else (16, 256, 28)
    x = torch.randn(n, channels, side, side, device=device, dtype=dtype).to(memory_format=torch.channels_last)
    weight = torch.randn(channels, channels, 3, 3, device=device, dtype=dtype)
    weight = weight.to(memory_format=torch.channels_last)
    work = 2 * n * side**2 * channels**2 * 9
    with torch.no_grad():
        return work / seconds(lambda: torch.nn.functional.conv2d(x, weight, padding=1), device)


def step_demands(problem: Problem, settings: Settings, device: torch.device) -> tuple[float, float]:
    """Operations, and bytes that have to move at least, for one image in one step.

    Operations: multiplications and additions of matrix products and convolutions, forward and backward to the
    latents, as PyTorch counts them. Bytes: what the forward pass saves for the backward one, written and read
    once each, and every weight read twice for the batch.
    """
    n = settings.batch_size
    assert isinstance(n, int)
    sampled = problem.generator.sample(n, torch.Generator().manual_seed(0), (0, 1))
    latents = {name: value.to(device) for name, value in sampled.items()}
    asked = torch.zeros(n, dtype=torch.long, device=device)
    saved: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        saved[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    free = {name: latents[name].requires_grad_(True) for name in problem.generator.free}
    hooks = torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor)
    with FlopCounterMode(display=False) as counter, hooks:
        # `Problem.look_with_gradient`, but with `backward`: the counter cannot follow `autograd.grad`.
        problem.look({**latents, **free}, asked, asked + 1).score.sum().backward()
    parameters = [p for part in (problem.generator, *problem.models) for p in part.parameters()]
    weights = {p.untyped_storage().data_ptr(): p.untyped_storage().nbytes() for p in parameters}
    activations = sum(size for place, size in saved.items() if place not in weights)
    return counter.get_total_flops() / n, (2 * activations + 2 * sum(weights.values())) / n


@contextmanager
def peak_memory(device: torch.device) -> Iterator[list[float]]:
    """GB at the most while the block runs, as the list's one entry when it has ended."""
    result: list[float] = []
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        yield result
        result.append(torch.cuda.max_memory_allocated(device) / 2**30)
        return
    stop, most = threading.Event(), [0]

    def watch() -> None:
        while not stop.wait(0.02):
            most[0] = max(most[0], _resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield result
    finally:
        stop.set()
        watcher.join()
        result.append(max(most[0], _resident()) / 2**30)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
