"""The start of an attempt: the best of many sampled latents, by forward passes alone."""

from collections.abc import Sequence

import torch
from torch import Tensor

from controversy.generators import Latents
from controversy.synthesis._problem import Problem
from controversy.synthesis._request import Request


@torch.no_grad()
def best_candidates(
    problem: Problem,
    attempts: Sequence[tuple[Request, int]],
    n_candidates: int,
    batch_size: int,
    device: torch.device,
) -> tuple[Latents, Tensor]:
    """Samples ``n_candidates`` latents for each attempt and keeps the one of the highest score.

    Args:
        problem: What will be optimised.
        attempts: (request, number of the attempt).
        n_candidates: A attempt.
        batch_size: Candidates that are looked at together; the last batch is filled up by repetition.
        device: Where.

    Returns:
        Latents, a row an attempt, and whether its score is finite ``[len(attempts)]``.
    """
    sampled = [
        problem.generator.sample(n_candidates, request.rng(attempt), request.alternatives)
        for request, attempt in attempts
    ]
    latents = {name: torch.cat([one[name] for one in sampled]).to(device) for name in sampled[0]}
    asked = torch.tensor([request.alternatives or (-1, -1) for request, _ in attempts], device=device)
    asked = asked.repeat_interleave(n_candidates, 0)
    scores = []
    for start in range(0, len(asked), batch_size):
        index = torch.arange(start, start + batch_size, device=device).remainder(len(asked))
        chunk = {name: value[index] for name, value in latents.items()}
        scores.append(problem.look(chunk, asked[index, 0], asked[index, 1]).score)
    score = torch.cat(scores)[: len(asked)].view(len(attempts), n_candidates)
    finite = score.isfinite()
    best = torch.where(finite, score, -torch.inf).argmax(1)
    best = best + n_candidates * torch.arange(len(attempts), device=device)
    return {name: value[best] for name, value in latents.items()}, finite.any(1)
