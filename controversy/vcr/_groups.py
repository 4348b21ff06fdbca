"""Corruptions that affect people alike: the overlap of their curves, tested."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import false_discovery_control

from controversy.errors import ControversyError
from controversy.vcr._observations import Floats, Observations


def alike_corruptions(
    people: Mapping[str, Observations],
    *,
    bins: int = 10,
    alpha: float = 0.05,
    n_random: int = 10_000,
    seed: int = 0,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Tests every pair of corruptions for equal curves, and groups those that none tells apart.

    The test holds visual change fixed: in each bin that both corruptions cover, were the corruption
    immaterial, the hits would fall to either like balls from one urn (hypergeometric given the bin's totals).
    The statistic is the sum over bins of squared standardised differences. A pair without a common bin is not
    tested and not grouped. Trials count as independent; where one person gave many, p is too small.

    Args:
        people: Observations of one property by corruption.
        bins: Equal bins on [0, 1].
        alpha: Pairs with an adjusted p (Benjamini-Hochberg) below it are different.
        n_random: Draws of the null distribution, a pair.
        seed: Of these draws.

    Returns:
        A table ``corruption_1, corruption_2, n_bins, statistic, p_value, p_adjusted, alike`` and a group
        number from 1 for each corruption, every two of a group being alike (complete linkage).

    Raises:
        ControversyError: Fewer than two corruptions.
    """
    if len(people) < 2:
        raise ControversyError(f"groups need people's curves for at least two corruptions, got {len(people)}")
    counts = {name: _binned(seen, bins) for name, seen in people.items()}
    rng = np.random.default_rng(seed)
    pairs = combinations(sorted(people), 2)
    rows = [(a, b, *_compare(counts[a], counts[b], n_random, rng)) for a, b in pairs]
    table = pd.DataFrame(rows, columns=["corruption_1", "corruption_2", "n_bins", "statistic", "p_value"])
    tested = table["p_value"].notna()
    if tested.any():
        table.loc[tested, "p_adjusted"] = false_discovery_control(table.loc[tested, "p_value"])
    else:
        table["p_adjusted"] = np.nan
    table["alike"] = table["p_adjusted"] >= alpha
    distance = squareform(1 - table["p_adjusted"].fillna(0).to_numpy())
    numbers = fcluster(linkage(squareform(distance), "complete"), 1 - alpha, "distance")
    return table, dict(zip(sorted(people), map(int, numbers), strict=True))


def _binned(seen: Observations, bins: int) -> Floats:
    """Hits and trials ``[2, bins]``."""
    bin_of = np.minimum((seen.visual_change * bins).astype(int), bins - 1)
    return np.stack([np.bincount(bin_of, weights, bins) for weights in (seen.hits, seen.trials)])


def _compare(one: Floats, other: Floats, n_random: int, rng: np.random.Generator) -> tuple[int, float, float]:
    both = (one[1] > 0) & (other[1] > 0)
    if not both.any():
        return 0, np.nan, np.nan
    (hits, n), (other_hits, m) = one[:, both], other[:, both]
    total = hits + other_hits
    expected = total * n / (n + m)
    variance = expected * (1 - total / (n + m)) * m / np.maximum(n + m - 1, 1)

    def statistic(drawn: Floats) -> Floats:
        squared = np.divide((drawn - expected) ** 2, variance, out=np.zeros_like(drawn), where=variance > 0)
        return squared.sum(-1)

    urn = total.astype(int), (n + m - total).astype(int), n.astype(int)
    draws = rng.hypergeometric(*urn, size=(n_random, len(n))).astype(float)
    observed = statistic(hits)
    p = (1 + np.sum(statistic(draws) >= observed - 1e-9)) / (1 + n_random)
    return int(both.sum()), float(observed), float(p)
