"""What the measures are made of: tables by trial, participant, stimulus, class pair and model pair."""

import numpy as np
import pandas as pd

from controversy.scoring._others import (
    everybodys_probability,
    majority,
    others_mean,
    others_probability,
    signed_confidence,
)
from controversy.scoring._responses import Floats, Responses


def trial_table(responses: Responses) -> pd.DataFrame:
    """One row a judgment, with what the others and everybody say of the same stimulus.

    Columns: participant, stimulus_id, choice, others_probability and all_probability (of choosing
    alternative 2), others_majority and all_majority (1, 2, or 1.5 for a tie), and where there is confidence:
    confidence, and others_confidence and all_confidence (mean signed confidence).
    """
    people, stimuli = np.nonzero(responses.seen)
    others, everybody = others_probability(responses), everybodys_probability(responses)
    table = pd.DataFrame(
        {
            "participant": np.array(responses.participants)[people],
            "stimulus_id": np.array(responses.items.ids)[stimuli],
            "choice": responses.choice[people, stimuli].astype(int) + 1,
            "others_probability": others[people, stimuli],
            "all_probability": everybody[stimuli],
            "others_majority": majority(others)[people, stimuli] + 1,
            "all_majority": majority(everybody)[stimuli] + 1,
        }
    )
    if responses.confidence is not None:
        signed = signed_confidence(responses)
        reported = np.isfinite(responses.confidence)
        table["confidence"] = responses.confidence[people, stimuli]
        table["others_confidence"] = others_mean(signed, reported)[people, stimuli]
        table["all_confidence"] = (signed.sum(axis=0) / np.maximum(reported.sum(axis=0), 1))[stimuli]
    return table


def participant_table(responses: Responses) -> pd.DataFrame:
    """One row a participant: trials, how often alternative 2, agreement with the others and each model."""
    hits = _hits(responses)
    n = responses.seen.sum(axis=1)
    others = majority(others_probability(responses))
    table = pd.DataFrame(
        {
            "participant": responses.participants,
            "n_trials": n,
            "share_alternative_2": responses.choice.sum(axis=1) / n,
            "accuracy_of_others": _agree(responses, others).sum(axis=1) / n,
        }
    )
    return _with_models(table, hits.sum(axis=1) / n[:, None], responses)


def stimulus_table(responses: Responses) -> pd.DataFrame:
    """One row a stimulus: judgments, how people split, and how many people each model agrees with."""
    hits = _hits(responses)
    n = responses.seen.sum(axis=0)
    items = responses.items
    targets = [" ".join(np.array(items.models)[row]) for row in items.targeted]
    table = pd.DataFrame({"stimulus_id": items.ids, "targeted": targets})
    if items.class_pairs is not None:
        table["class_pair"] = items.class_pairs
    table["n_trials"] = n
    table["share_alternative_2"] = responses.choice.sum(axis=0) / n
    if responses.confidence is not None:
        reported = np.isfinite(responses.confidence).sum(axis=0)
        table["mean_signed_confidence"] = signed_confidence(responses).sum(axis=0) / np.maximum(reported, 1)
    return _with_models(table, hits.sum(axis=0) / n[:, None], responses)


def class_pair_table(responses: Responses) -> pd.DataFrame:
    """One row a class pair: judgments, stimuli, the others' accuracy and each model's; or nothing at all."""
    if responses.items.class_pairs is None:
        return pd.DataFrame()
    codes, pairs = pd.factorize(pd.Index(responses.items.class_pairs))
    member = np.eye(len(pairs))[codes]
    n = responses.seen.sum(axis=0) @ member
    others = _agree(responses, majority(others_probability(responses))).sum(axis=0) @ member
    table = pd.DataFrame(
        {
            "class_pair": pairs,
            "n_trials": n.astype(int),
            "n_stimuli": member.sum(axis=0).astype(int),
            "accuracy_of_others": others / n,
        }
    )
    return _with_models(table, member.T @ _hits(responses).sum(axis=0) / n[:, None], responses)


def model_pair_table(responses: Responses) -> pd.DataFrame:
    """Accuracy of each model on the stimuli made to set it against another.

    Columns: model, other, accuracy, n_trials, n_stimuli; pairs without stimuli are left out.
    """
    hits, n = _hits(responses).sum(axis=0), responses.seen.sum(axis=0)
    rows = []
    models, targeted = responses.items.models, responses.items.targeted
    for i, model in enumerate(models):
        for j, other in enumerate(models):
            both = targeted[:, i] & targeted[:, j]
            if i != j and both.any():
                accuracy = hits[both, i].sum() / n[both].sum()
                rows.append((model, other, accuracy, int(n[both].sum()), int(both.sum())))
    return pd.DataFrame(rows, columns=["model", "other", "accuracy", "n_trials", "n_stimuli"])


def disagreements(responses: Responses, n: int = 6) -> pd.DataFrame:
    """The stimuli on which people and a model disagree most, the worst first, ``n`` a model.

    Worst is where the smallest share of people chooses as the model does; of equal ones, where the model has
    the strongest evidence. Columns: model, stimulus_id, model_choice, agreement, evidence, n_trials.
    """
    counts = responses.seen.sum(axis=0)
    shares = _hits(responses).sum(axis=0) / counts[:, None]
    rows = []
    for i, model in enumerate(responses.items.models):
        evidence = responses.items.evidence[:, i]
        worst = [
            s
            for s in np.lexsort((-np.abs(evidence), shares[:, i]))
            if evidence[s] != 0 and shares[s, i] < 0.5
        ]
        for s in worst[:n]:
            choice = 2 if evidence[s] > 0 else 1
            rows.append((model, responses.items.ids[s], choice, shares[s, i], evidence[s], int(counts[s])))
    columns = ["model", "stimulus_id", "model_choice", "agreement", "evidence", "n_trials"]
    return pd.DataFrame(rows, columns=columns)


def human_ties(responses: Responses) -> int:
    """Judgments for which the others split exactly or are nobody: the lower ceiling scores them 0.5."""
    others = majority(others_probability(responses))
    return int((responses.seen & (others == 0.5)).sum())


def _agree(responses: Responses, prediction: Floats) -> Floats:
    choice = responses.choice
    return (choice * prediction + (1 - choice) * (1 - prediction)) * responses.seen


def _hits(responses: Responses) -> Floats:
    choice, models = responses.choice[..., None], responses.items.predictions
    return (choice * models + (1 - choice) * (1 - models)) * responses.seen[..., None]


def _with_models(table: pd.DataFrame, values: Floats, responses: Responses) -> pd.DataFrame:
    names = [f"accuracy_{model}" for model in responses.items.models]
    return pd.concat([table, pd.DataFrame(values, columns=names, index=table.index)], axis=1)
