"""What a report says in words, composed from the numbers and the options themselves."""

import pandas as pd

from controversy.scoring import MEASURES, PEOPLE, ScoringOptions

_SUBSETS = {
    "targeted": "on stimuli made to set the model against another",
    "other_pairs": "on stimuli made for pairs of other models",
    "held_out": "for models never used in synthesis, on all stimuli",
    "all": "on all stimuli",
}
_CORRECTIONS = {
    "fdr_bh": "Benjamini and Hochberg's procedure",
    "holm": "Holm's procedure",
    "none": "no correction",
}
_MEANINGS = {
    "accuracy": (
        "Single-trial accuracy is the share of judgments in which the participant chose the alternative "
        "that the model favours, every trial weighted alike; a model that favours neither scores 0.5. Its "
        "lower ceiling predicts each trial by the majority of the other participants who judged that "
        "stimulus (a tie, or nobody else, scores 0.5); its upper ceiling by the majority of all, the "
        "participant included."
    ),
    "agreement": (
        "Agreement is the share of judgments in which model and participant choose alike, every participant "
        "weighted alike; its lower ceiling is the mean over all pairs of participants, weighted alike, of "
        "their agreement on the stimuli that both judged, its upper ceiling the agreement of participants "
        "with the majority of all."
    ),
    "likelihood": (
        "Likelihood is the mean probability given to the choice that was made: by a model the logistic "
        "function of its evidence, by the ceilings the share of the other (lower) or of all (upper) "
        "participants. As a sure model can pass participants who are not, these are yardsticks rather than "
        "bounds."
    ),
    "signed_rank_cosine": (
        "The graded measure is the signed-rank cosine similarity (Golan et al. 2023) of a model's evidence "
        "and a participant's confidence signed by the choice, with ties broken at random in closed-form "
        "expectation, averaged over participants. Its lower ceiling predicts each participant by the signed "
        "ranks of the mean of the others' normalised rank patterns, its upper ceiling by the mean of all "
        "patterns."
    ),
    "confidence_correlation": (
        "For comparison, Pearson's correlation of evidence with signed confidence is averaged over "
        "participants; its ceilings correlate each participant with the mean of the others (lower) and of "
        "all (upper)."
    ),
    "error_consistency": (
        "Error consistency is Cohen's kappa between model and participant of being right or wrong (Geirhos "
        "et al. 2020), averaged over participants; its lower ceiling is the mean over pairs of "
        "participants, its upper ceiling that of the majority."
    ),
    "choice_kappa": (
        "Cohen's kappa between model and participant is of their choices, there being no correct answer, "
        "and is averaged over participants; its lower ceiling is the mean over pairs of participants, its "
        "upper ceiling that of the majority."
    ),
}


def findings(scores: pd.DataFrame) -> list[str]:
    """The main result of each subset as a sentence, models from worst to best, people on the same trials."""
    sentences = []
    rows = scores[(scores["measure"] == "accuracy") & (scores["model"] != PEOPLE)]
    short = scores[scores["measure"] == "accuracy_shortfall"].set_index(["subset", "model"])["p_adjusted"]
    for subset, words in _SUBSETS.items():
        part = rows[rows["subset"] == subset]
        if part.empty:
            continue
        below = sum(short[(subset, model)] < 0.05 for model in part["model"])
        sentences.append(
            f"{words[0].upper()}{words[1:]}, {_count(len(part), 'model')} predicted "
            f"{_span(part['estimate'])} of single choices; the majority of the other participants predicted "
            f"{_span(part['ceiling_low'])} of the same trials. Of these models, {below} fell significantly "
            "short of people (adjusted p < 0.05)."
        )
    return sentences


def methods(
    scores: pd.DataFrame, options: ScoringOptions, exclusions: list[str], notes: list[str], version: str
) -> list[str]:
    """Paragraphs of a methods section, true of this very report."""
    measures = [name for name in MEASURES if name in set(scores["measure"])]
    slow = [name for name in measures if MEASURES[name].slow]
    chance = ", ".join(f"{name} {MEASURES[name].null:g}" for name in measures)
    return [
        "A model's evidence on a two-alternative item is its log-odds of alternative 2 over alternative 1; "
        "positive evidence predicts the choice of alternative 2. Subsets are, from each model's point of "
        "view, stimuli made to set it against another (targeted), stimuli made for pairs of other models "
        "(other_pairs), all stimuli where the model was never used in synthesis (held_out), and all stimuli "
        "(all).",
        *(_MEANINGS[name] for name in measures),
        f"Uncertainty is over participants and stimuli: {options.n_samples:,} bootstrap samples"
        + (f" ({options.n_samples_slow:,} for {', '.join(slow)})" if slow else "")
        + f", seed {options.seed}, drew both with replacement, crossed; ceilings' predictions were kept as "
        "they were in the data. The two-factor variance was corrected for counting the noise of single "
        "trials three times, as in Schütt et al. (2023): twice the sum of the variances of drawing one "
        f"factor alone, less that of drawing both. Intervals are {options.level:.0%} intervals of Student's "
        "t with one degree of freedom less than the smaller of the numbers of participants and stimuli, cut "
        "at the measure's range.",
        f"Each measure is tested, one-sided, for exceeding chance ({chance}); rows named ..._shortfall "
        "test, one-sided, whether the model falls short of the lower ceiling on the same trials, in the "
        "same bootstrap samples. Comparisons of two models on all stimuli are two-sided. p-values are "
        f"adjusted over the models and subsets of one measure by {_CORRECTIONS[options.correction]}.",
        "Exclusions: " + ("; ".join(exclusions) if exclusions else "none were asked for") + ".",
        *(f"{note[0].upper()}{note[1:]}." for note in notes),
        f"Computed with controversy {version}.",
    ]


def _span(values: pd.Series) -> str:
    low, high = values.min(), values.max()
    return f"{low:.1%}" if f"{low:.1%}" == f"{high:.1%}" else f"{low:.1%} to {high:.1%}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
