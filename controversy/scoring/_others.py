"""What the other participants say of each trial: the predictions that noise ceilings rest on."""

import numpy as np

from controversy.scoring._responses import Floats, Responses


def others_probability(responses: Responses) -> Floats:
    """Share of the *other* participants who chose alternative 2, ``[n_participants, n_stimuli]``.

    NaN where nobody else judged the stimulus; a value also where the participant did not judge it.
    """
    n = responses.seen.sum(axis=0) - responses.seen
    chose = responses.choice.sum(axis=0) - responses.choice
    return np.divide(chose, n, out=np.full(chose.shape, np.nan), where=n > 0)


def everybodys_probability(responses: Responses) -> Floats:
    """Share of all participants who chose alternative 2, ``[n_stimuli]``."""
    n = responses.seen.sum(axis=0)
    return np.divide(responses.choice.sum(axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)


def majority(probability: Floats) -> Floats:
    """The choice of the majority: 1 for alternative 2, 0 for alternative 1, 0.5 for a tie or for nobody."""
    return np.where(np.isnan(probability), 0.5, (np.sign(probability - 0.5) + 1) / 2)


def signed_confidence(responses: Responses) -> Floats:
    """Confidence with the sign of the choice (+ for alternative 2), 0 where there is none.

    Where a confidence scale goes below zero it is shifted to start at zero: a sign must mean the choice only.
    """
    if responses.confidence is None:
        raise ValueError("no confidence")
    confidence = responses.confidence - min(0.0, float(np.nanmin(responses.confidence)))
    return np.where(responses.seen, (2 * responses.choice - 1) * np.nan_to_num(confidence), 0.0)


def others_mean(values: Floats, seen: np.ndarray) -> Floats:
    """Mean of the other participants' values on each stimulus, 0 where there are none; arrays as above.

    Sums others one by one rather than subtracting from the total, as the published ceilings were computed:
    where mean ranks tie but for rounding, the order of summation decides which is larger (it moves the
    ceilings of Golan et al. 2023 in their fifth decimal).
    """
    seen = seen.astype(values.dtype)
    filled = values * seen
    means = np.zeros_like(values)
    for i in range(len(values)):
        n = np.delete(seen, i, axis=0).sum(axis=0)
        total = np.delete(filled, i, axis=0).sum(axis=0)
        np.divide(total, n, out=means[i], where=n > 0)
    return means
