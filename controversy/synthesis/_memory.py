"""How many images fit side by side, and telling that they did not."""

import torch

from controversy.synthesis._problem import Problem

_GRAIN = 16
"""Rows keep their very numbers in batches of 16, 32, 64 (``docs/cluster.md``), not in smaller ones."""
_SHARE = 0.85
"""Of the free memory; the rest is for what does not grow with the batch, and for fragments."""
_ON_CPU = 32


def out_of_memory(problem: Exception) -> bool:
    """Whether an error says that memory ran out. Only CUDA's own allocator has a class for it."""
    said = str(problem)
    return isinstance(problem, torch.OutOfMemoryError | MemoryError) or (
        isinstance(problem, RuntimeError)
        and any(words in said for words in ("can't allocate memory", "ALLOC_FAILED", "out of memory"))
    )


def release_memory(device: torch.device) -> None:
    """Gives back what the allocator keeps for later."""
    if device.type == "cuda":
        torch.cuda.empty_cache()


def batch_that_fits(problem: Problem, n_wanted: int, device: torch.device) -> int:
    """The number of slots that ``batch_size="auto"`` stands for.

    On a GPU as many as free memory holds, measured on two steps; a step's memory is linear in the batch.
    On a CPU 32: larger batches are no faster there.

    Args:
        problem: What is optimised.
        n_wanted: Stimuli to make: more slots than that would try further attempts ahead of need.
        device: Where.
    """
    if device.type != "cuda":
        return _ON_CPU
    try:
        few, more = (_peak(problem, n, device) for n in (_GRAIN, 2 * _GRAIN))
    except torch.OutOfMemoryError:
        few = more = 0
    release_memory(device)
    if not more:
        return _GRAIN
    return rows_that_fit(few, more, torch.cuda.mem_get_info(device)[0], n_wanted)


def rows_that_fit(few: int, more: int, free: int, n_wanted: int) -> int:
    """A multiple of 16, at least 16.

    Args:
        few: Bytes that 16 rows take at most.
        more: Bytes that 32 rows take.
        free: Bytes that there are.
        n_wanted: Rows that are of use.
    """
    a_grain = max(more - few, 1)
    fixed = max(few - a_grain, 0)
    grains = int((_SHARE * free - fixed) // a_grain)
    return _GRAIN * max(min(grains, -(-n_wanted // _GRAIN)), 1)


def _peak(problem: Problem, n: int, device: torch.device) -> int:
    release_memory(device)
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    sampled = problem.generator.sample(n, torch.Generator().manual_seed(0), (0, 1))
    latents = {name: value.to(device) for name, value in sampled.items()}
    asked = torch.zeros(n, dtype=torch.long, device=device)
    problem.look_with_gradient(latents, asked, asked + 1)
    return torch.cuda.max_memory_allocated(device) - before
