"""``controversy score``: judgments against models' evidence -> scores, tables, figures and a report."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from controversy import __version__
from controversy.commands._items import items_of
from controversy.commands._step_bar import step_bar
from controversy.errors import ControversyError
from controversy.evidence import Items
from controversy.files import write_text
from controversy.judgments import (
    Exclusion,
    ExclusionRules,
    Reading,
    apply_exclusions,
    describe_problems,
    find_problems,
    pseudonymise,
    read_judgments,
    validate,
)
from controversy.report import draw_figures, findings, methods, page, worst_stimuli
from controversy.scoring import (
    PEOPLE,
    Responses,
    ScoringOptions,
    class_pair_table,
    count_steps,
    human_ties,
    logistic_check,
    model_pair_table,
    participant_table,
    respond,
    score,
    stimulus_table,
    trial_table,
)

# Kept in the environment, so that neither a configuration nor a shell's record of commands holds it.
SALT = "CONTROVERSY_SALT"


def run(config: Any) -> None:
    """Scores the models, writes everything under ``config.out`` and prints the main table."""
    options, rules = _options(config), ExclusionRules(**dict(config.exclude))
    given, images = items_of(config)
    reading = read_judgments(Path(config.judgments), config.format, dict(config.columns or {}))
    items = _items(given, reading, config)
    folder = Path(config.out)
    folder.mkdir(parents=True, exist_ok=True)
    judgments, exclusions = _judgments(reading, items, rules, config, folder)
    responses = respond(judgments, items)
    with step_bar("scoring", count_steps(responses, options)) as advance:
        scores, comparisons = score(responses, options, advance)
    logistic = logistic_check(responses, options.correction)
    tables = {
        "scores": scores,
        "comparisons": comparisons,
        "logistic": logistic,
        "trials": trial_table(responses),
        "participants": participant_table(responses),
        "stimuli": stimulus_table(responses),
        "class_pairs": class_pair_table(responses),
        "model_pairs": model_pair_table(responses),
        "exclusions": _exclusion_table(exclusions),
    }
    for name, table in tables.items():
        if len(table.columns):
            write_text(folder / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
    notes = [*reading.notes, *_tie_notes(responses)]
    pictures = draw_figures(folder, scores, responses, options.level)
    html = page(
        title=config.title,
        findings=findings(scores),
        facts=_facts(responses, config),
        exclusions=tables["exclusions"],
        pictures=pictures,
        scores=scores,
        logistic=logistic,
        disagreements=worst_stimuli(responses, images, config.n_disagreements),
        methods=methods(scores, options, [str(e) for e in exclusions], notes, __version__),
    )
    write_text(folder / "report.html", html)
    _print(scores, exclusions, notes)
    print(folder / "report.html")


def _options(config: Any) -> ScoringOptions:
    return ScoringOptions(
        measures=None if config.measures is None else tuple(config.measures),
        subsets=tuple(config.subsets),
        n_samples=config.bootstrap.samples,
        n_samples_slow=config.bootstrap.samples_slow,
        seed=config.bootstrap.seed,
        level=config.level,
        correction=config.correction,
    )


def _items(given: Items | None, reading: Reading, config: Any) -> Items:
    if given is not None:
        return given
    if reading.items is None:
        raise ControversyError(
            f"judgments of format {config.format} come without evidence. Give the stimuli that were judged: "
            "set=DIR, or evidence=FILE with targets=FILE."
        )
    return reading.items if config.models is None else reading.items.select(list(config.models))


def _judgments(
    reading: Reading, items: Items, rules: ExclusionRules, config: Any, folder: Path
) -> tuple[pd.DataFrame, list[Exclusion]]:
    table = reading.table
    if config.pseudonymise and "participant" in table:
        salt = os.environ.get(SALT)
        table = table.assign(participant=pseudonymise(table["participant"], salt.encode() if salt else None))
    options: dict[str, Any] = {
        "stimuli": items.ids,
        "confidence_range": None if config.confidence_range is None else tuple(config.confidence_range),
        # With the rule on, people with too few trials are left out and counted rather than refused.
        "min_trials": 0 if rules.min_trials is not None else 2,
    }
    problems = find_problems(table, **options)
    listing = folder / "problems.csv"
    if len(problems):
        write_text(listing, problems.to_csv(index=False, lineterminator="\n"))
        raise ControversyError(f"{describe_problems(problems)}\nAll of them are in {listing}.")
    listing.unlink(missing_ok=True)
    return apply_exclusions(validate(table, **options), rules)


def _exclusion_table(exclusions: list[Exclusion]) -> pd.DataFrame:
    rows = [(e.rule, e.value, e.participants, e.trials) for e in exclusions]
    return pd.DataFrame(rows, columns=["rule", "value", "participants", "trials"])


def _tie_notes(responses: Responses) -> list[str]:
    items = responses.items
    ties = [f"{model} on {n}" for model, n in zip(items.models, items.n_ties, strict=True) if n]
    notes = (
        [f"models that favour neither alternative, which counts 0.5: {', '.join(ties)} items"] if ties else []
    )
    n = human_ties(responses)
    if n:
        notes.append(
            f"on {n} of {responses.seen.sum()} trials the other participants split evenly or there were "
            "none, which counts 0.5 for the lower ceiling of accuracy"
        )
    return notes


def _facts(responses: Responses, config: Any) -> list[tuple[str, str]]:
    per_person, per_stimulus = responses.seen.sum(axis=1), responses.seen.sum(axis=0)
    synthesis = np.any(responses.items.targeted, axis=0)
    names = [m for m, used in zip(responses.items.models, synthesis, strict=True) if used]
    others = [m for m in responses.items.models if m not in names]
    return [
        ("judgments", f"{responses.seen.sum():,} (format {config.format})"),
        ("participants", f"{len(per_person)}, {per_person.min()} to {per_person.max()} judgments each"),
        ("stimuli", f"{len(per_stimulus)}, {per_stimulus.min()} to {per_stimulus.max()} judgments each"),
        ("confidence", "none" if responses.confidence is None else "reported"),
        ("models used in synthesis", ", ".join(names) or "none"),
        ("models never used in synthesis", ", ".join(others) or "none"),
    ]


def _print(scores: pd.DataFrame, exclusions: list[Exclusion], notes: list[str]) -> None:
    for line in [*map(str, exclusions), *notes]:
        print(line)
    main = scores[scores["measure"].isin(["accuracy", "signed_rank_cosine"]) & (scores["model"] != PEOPLE)]
    columns = ["measure", "subset", "model", "estimate", "ci_low", "ci_high", "ceiling_low", "p_adjusted"]
    print(main[columns].to_string(index=False, float_format=lambda value: f"{value:.3f}"))
