"""Measures of choices alone: accuracy, pairwise agreement, likelihood, and Cohen's kappa."""

import numpy as np

from controversy.scoring._measure import Measure, Ratio, Statistic, Terms, each, sums
from controversy.scoring._others import everybodys_probability, majority, others_probability
from controversy.scoring._pairs import pair_terms
from controversy.scoring._responses import Block, Floats, Precision, Responses


def _hits(responses: Responses, prediction: Floats) -> Floats:
    """Probability given to each choice that was made, 0 where none was: ``[n_participants, n_stimuli, k]``.

    ``prediction`` is the probability of alternative 2, ``[n_stimuli, k]`` or ``[n_participants, n_stimuli,
    k]``.
    """
    choice = responses.choice[..., None]
    return (choice * prediction + (1 - choice) * (1 - prediction)) * responses.seen[..., None]


def _with_ceiling(models: Floats, ceiling: Floats) -> Floats:
    """The models' predictions, and the others' for each person: ``[n_participants, n_stimuli, k + 1]``."""
    everybody = np.broadcast_to(models, (len(ceiling), *models.shape))
    return np.concatenate([everybody, ceiling[..., None]], axis=2)


def _trial_mean(predictions: Floats, block: Block, dtype: Precision) -> Statistic:
    hits = _hits(block.responses, predictions).astype(dtype)
    seen = block.responses.seen[..., None].astype(dtype)
    return lambda weights: Terms(Ratio(sums(weights, hits), sums(weights, seen)))


def _accuracy(block: Block, dtype: Precision) -> Statistic:
    others = majority(others_probability(block.responses))
    return _trial_mean(_with_ceiling(block.responses.items.predictions, others), block, dtype)


def _accuracy_upper(block: Block) -> float:
    hits = _hits(block.responses, majority(everybodys_probability(block.responses))[:, None])
    return float(hits.sum() / block.responses.seen.sum())


def _likelihood(block: Block, dtype: Precision) -> Statistic:
    evidence = block.responses.items.evidence
    models = 0.5 * (1 + np.tanh(evidence / 2))
    others = np.nan_to_num(others_probability(block.responses), nan=0.5)
    return _trial_mean(_with_ceiling(models, others), block, dtype)


def _likelihood_upper(block: Block) -> float:
    hits = _hits(block.responses, np.nan_to_num(everybodys_probability(block.responses), nan=0.5)[:, None])
    return float(hits.sum() / block.responses.seen.sum())


def _agreement(block: Block, dtype: Precision) -> Statistic:
    responses = block.responses
    hits = _hits(responses, responses.items.predictions).astype(dtype)
    seen, choice = responses.seen.astype(dtype), responses.choice.astype(dtype)

    def statistic(weights: Floats) -> Terms:
        models = each(sums(weights, hits), sums(weights, seen[..., None]))
        people = pair_terms(weights, choice, seen, lambda both, same: each(same, both))
        return Terms(models, people)

    return statistic


def _agreement_upper(block: Block) -> float:
    responses = block.responses
    hits = _hits(responses, majority(everybodys_probability(responses))[:, None])[..., 0]
    n = responses.seen.sum(axis=1)
    return float(np.mean(hits.sum(axis=1)[n > 0] / n[n > 0]))


def _answers(block: Block) -> tuple[Floats, Floats]:
    """Participants' and models' answers: choices, or where there is a truth whether each was right."""
    responses, truth = block.responses, block.responses.items.correct
    choice, predictions = responses.choice, responses.items.predictions
    if truth is None:
        return choice, predictions
    right = truth == 2
    correct = np.where(right, choice, 1 - choice) * responses.seen
    return correct, np.where(right[:, None], predictions, 1 - predictions)


def _kappa_terms(both: Floats, same: Floats, first: Floats, second: Floats) -> Ratio:
    """Cohen's kappa from weighted counts; none where chance agreement is complete."""
    chance = first * second + (both - first) * (both - second)
    return each(same * both - chance, both * both - chance)


def _kappa(block: Block, dtype: Precision) -> Statistic:
    answers, predictions = _answers(block)
    seen = block.responses.seen.astype(dtype)
    answers = answers.astype(dtype)
    given = answers[..., None]
    model = (predictions * seen[..., None]).astype(dtype)
    same = given * model + (seen[..., None] - given) * (1 - predictions).astype(dtype)

    def statistic(weights: Floats) -> Terms:
        counts = [sums(weights, table) for table in (seen[..., None], same, given, model)]
        return Terms(_kappa_terms(*counts), pair_terms(weights, answers, seen, _kappa_terms, marginals=True))

    return statistic


def _kappa_upper(block: Block) -> float:
    answers, _ = _answers(block)
    seen = block.responses.seen
    n = seen.sum(axis=0)
    everybody = majority(answers.sum(axis=0) / np.maximum(n, 1))
    same = (answers * everybody + (seen - answers) * (1 - everybody)).sum(axis=1)
    terms = _kappa_terms(
        seen.sum(axis=1).astype(float), same, answers.sum(axis=1), (everybody * seen).sum(axis=1)
    )
    with np.errstate(invalid="ignore"):
        return float(terms.numerator.sum() / terms.denominator.sum())


accuracy = Measure("accuracy", 0.5, (0, 1), _accuracy, _accuracy_upper)
agreement = Measure("agreement", 0.5, (0, 1), _agreement, _agreement_upper)
likelihood = Measure("likelihood", 0.5, (0, 1), _likelihood, _likelihood_upper)
error_consistency = Measure(
    "error_consistency", 0.0, (-1, 1), _kappa, _kappa_upper, slow=True, needs_truth=True
)
choice_kappa = Measure("choice_kappa", 0.0, (-1, 1), _kappa, _kappa_upper, slow=True, needs_truth=False)
