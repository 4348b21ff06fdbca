"""Class vectors: points of the probability simplex."""

import torch
from torch import Tensor


def project_to_simplex(vectors: Tensor, allowed: Tensor | None = None) -> Tensor:
    """The nearest point, in Euclidean distance, of the probability simplex to each row.

    Duchi, Shalev-Shwartz, Singer & Chandra (2008), algorithm 1, on a batch.

    Args:
        vectors: ``[n, k]``.
        allowed: Booleans ``[n, k]``, at least one a row: the face of the simplex to project to. By
            default the whole simplex.

    Returns:
        ``[n, k]``: non-negative, each row summing to 1, and 0 where not allowed.
    """
    if allowed is not None:
        # Below every allowed value by more than 1, a coordinate never enters the support.
        vectors = torch.where(allowed, vectors, vectors.amin(1, keepdim=True) - 2)
    ordered = vectors.sort(dim=1, descending=True).values
    excess = ordered.cumsum(1) - 1
    ranks = torch.arange(1, vectors.shape[1] + 1, device=vectors.device)
    support = (ordered * ranks > excess).sum(1, keepdim=True)
    threshold = excess.gather(1, support - 1) / support
    return (vectors - threshold).clamp(min=0)
