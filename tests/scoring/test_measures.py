import itertools
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr
from statsmodels.stats.inter_rater import cohens_kappa

from controversy.errors import ControversyError
from controversy.evidence import Items
from controversy.scoring import (
    MEASURES,
    ScoringOptions,
    blocks,
    combine,
    disagreements,
    estimate,
    human_ties,
    model_pair_table,
    respond,
    score,
    signed_rank_cosine,
    stimulus_table,
    with_confidence,
)

EVERY = [pytest.param(measure, id=name) for name, measure in MEASURES.items()]


def whole(judgments, items):
    (block,) = blocks(respond(judgments, items), ("all",))
    return block


@pytest.mark.parametrize("measure", EVERY)
def test_weights_are_copies(measure, small):
    """A bootstrap replicate is the measure of a table in which the drawn people and stimuli are copied."""
    judgments, items = small
    block = whole(judgments, items)
    rng = np.random.default_rng(3)
    people, stimuli = rng.multinomial(7, np.full(7, 1 / 7)), rng.multinomial(11, np.full(11, 1 / 11))
    terms = measure.prepare(block, np.dtype("float64"))(stimuli[None].astype(float))
    weighted = combine(terms, people[None].astype(float))[0]

    names = block.responses.participants
    copies = pd.concat(
        judgments[(judgments["participant"] == names[p]) & (judgments["stimulus_id"] == items.ids[s])].assign(
            participant=f"{names[p]}.{i}", stimulus_id=f"{items.ids[s]}.{j}"
        )
        for p, s in itertools.product(range(7), range(11))
        for i, j in itertools.product(range(people[p]), range(stimuli[s]))
    )
    drawn = np.repeat(np.arange(11), stimuli)
    ids = tuple(f"{items.ids[s]}.{j}" for s in range(11) for j in range(stimuli[s]))
    copied = whole(copies, Items(ids, items.models, items.evidence[drawn], items.targeted[drawn]))
    np.testing.assert_allclose(weighted[:-1], estimate(measure, copied)[:-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", EVERY)
def test_names_of_the_alternatives_do_not_matter(measure, small):
    judgments, items = small
    swapped = judgments.assign(choice=3 - judgments["choice"])
    mirrored = replace(items, evidence=-items.evidence)
    one, other = whole(judgments, items), whole(swapped, mirrored)
    np.testing.assert_allclose(estimate(measure, one), estimate(measure, other), atol=1e-12)
    assert measure.upper(one) == pytest.approx(measure.upper(other), abs=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "signed_rank_cosine"])
def test_no_model_passes_the_upper_ceiling_and_the_best_one_reaches_that_of_accuracy(name, small):
    _, items = small
    rng = np.random.default_rng(0)
    full = pd.DataFrame(
        {
            "participant": np.repeat(np.arange(7), 11),
            "stimulus_id": np.tile(items.ids, 7),
            "choice": rng.integers(1, 3, 77),
            "confidence": rng.integers(1, 5, 77),
        }
    )
    n_models = 2000
    models = Items(
        items.ids,
        tuple(f"m{i}" for i in range(n_models)),
        rng.normal(size=(11, n_models)),
        np.zeros((11, n_models), dtype=bool),
    )
    block = whole(full, models)
    values = estimate(MEASURES[name], block)
    upper = MEASURES[name].upper(block)
    assert values.max() <= upper + 1e-12
    majority = np.where(stimulus_table(block.responses)["share_alternative_2"] > 0.5, 1.0, -1.0)
    best = Items(items.ids, ("majority",), majority[:, None], np.zeros((11, 1), dtype=bool))
    if name == "accuracy":
        assert estimate(MEASURES[name], whole(full, best))[0] == pytest.approx(upper, abs=1e-12)


def test_signed_rank_cosine_is_the_mean_over_all_ways_to_break_ties():
    a, b = np.array([1.0, -1, 1, 2]), np.array([3.0, 3, -3, 3])

    def ways(x):
        """Every ranking of |x| that respects its order."""
        for order in itertools.permutations(range(4)):
            if all(abs(x[i]) <= abs(x[j]) for i, j in itertools.pairwise(order)):
                ranks = np.empty(4)
                ranks[list(order)] = [1, 2, 3, 4]
                yield np.sign(x) * ranks

    cosines = [u @ v / np.linalg.norm(u) / np.linalg.norm(v) for u in ways(a) for v in ways(b)]
    assert len(cosines) == 6 * 24
    assert signed_rank_cosine(a, b) == pytest.approx(np.mean(cosines), abs=1e-12)


def test_signed_rank_cosine_of_a_vector_without_ties_with_itself_is_one():
    x = np.array([0.3, -2, 5, -0.1, 9])
    assert signed_rank_cosine(x, x) == pytest.approx(1)
    assert signed_rank_cosine(x, -(x**3)) == pytest.approx(-1)


def test_kappas_agree_with_statsmodels(small):
    judgments, items = small
    items = replace(items, evidence=np.where(items.evidence == 0, 1.0, items.evidence))
    block = whole(judgments, items)
    responses = block.responses

    def kappa(x, y):
        counts = np.array([[np.sum((x == i) & (y == j)) for j in (0, 1)] for i in (0, 1)], dtype=float)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cohens_kappa(counts).kappa

    values = estimate(MEASURES["choice_kappa"], block)
    predicted = items.predictions
    for model in range(3):
        single = [
            kappa(responses.choice[p, responses.seen[p]], predicted[responses.seen[p], model])
            for p in range(7)
        ]
        assert values[model] == pytest.approx(np.nanmean(single), abs=1e-12)
    pairs = []
    for i, j in itertools.combinations(range(7), 2):
        both = responses.seen[i] & responses.seen[j]
        pairs.append(kappa(responses.choice[i, both], responses.choice[j, both]))
    assert values[-1] == pytest.approx(np.nanmean(pairs), abs=1e-12)


def test_error_consistency_is_the_kappa_of_being_right(small):
    judgments, items = small
    correct = np.random.default_rng(1).integers(1, 3, 11)
    items = replace(items, evidence=np.where(items.evidence == 0, 1.0, items.evidence))
    truth = whole(judgments, replace(items, correct=correct))
    # Being right is a choice as well: alternative 2 where the truth is 2, turned round elsewhere.
    flip = pd.Series(correct == 1, index=items.ids)[judgments["stimulus_id"]].to_numpy()
    right = judgments.assign(choice=np.where(flip, 3 - judgments["choice"], judgments["choice"]))
    turned = replace(items, evidence=np.where((correct == 1)[:, None], -items.evidence, items.evidence))
    np.testing.assert_allclose(
        estimate(MEASURES["error_consistency"], truth),
        estimate(MEASURES["choice_kappa"], whole(right, turned)),
    )


def test_correlation_agrees_with_scipy_and_leaves_out_the_constant(small):
    judgments, items = small
    same = judgments["participant"] == "p0"
    judgments.loc[same, ["choice", "confidence"]] = [2, 3]
    responses = (block := whole(judgments, items)).responses
    signed = np.where(responses.choice == 1, 1, -1) * np.nan_to_num(responses.confidence)
    values = estimate(MEASURES["confidence_correlation"], block)
    for model in range(3):
        single = [
            pearsonr(signed[p, responses.seen[p]], items.evidence[responses.seen[p], model])[0]
            for p in range(1, 7)
        ]
        assert values[model] == pytest.approx(np.mean(single), abs=1e-9)


def test_only_the_order_of_confidence_counts_for_the_graded_measure(small):
    judgments, items = small
    stretched = judgments.assign(confidence=np.exp(judgments["confidence"]) - 40)
    one, other = whole(judgments, items), whole(stretched, items)
    measure = MEASURES["signed_rank_cosine"]
    np.testing.assert_allclose(estimate(measure, one), estimate(measure, other))


def test_trials_without_confidence_stay_out_of_graded_measures_only(small):
    judgments, items = small
    judgments["confidence"] = judgments["confidence"].astype(float)
    judgments.loc[:9, "confidence"] = np.nan
    block = whole(judgments, items)
    assert block.n_trials == len(judgments)
    assert with_confidence(block).n_trials == len(judgments) - 10
    dropped = whole(judgments.iloc[10:], items)
    measure = MEASURES["signed_rank_cosine"]
    np.testing.assert_allclose(estimate(measure, block)[:-1], estimate(measure, dropped)[:-1])


def items_of(evidence):
    return Items(tuple("xyz"), ("m",), np.array(evidence, dtype=float)[:, None], np.zeros((3, 1), dtype=bool))


def answers(*rows):
    return pd.DataFrame(
        [(f"p{i}", s, c) for i, row in enumerate(rows) for s, c in zip("xyz", row, strict=True) if c],
        columns=["participant", "stimulus_id", "choice"],
    )


def test_ties_score_half_and_are_counted():
    block = whole(answers([1, 2, 1], [2, 2, 1], [2, 1, 1]), items_of([0, 1, -1]))
    value, ceiling = estimate(MEASURES["accuracy"], block)
    assert value == pytest.approx((3 * 0.5 + 2 + 3) / 9)
    # On x the first faces two 2s; the other two face one 1 and one 2, a tie each. On y likewise, on z all
    # agree.
    assert ceiling == pytest.approx((0 + 0.5 + 0.5 + 0.5 + 0.5 + 0 + 3) / 9)
    assert human_ties(block.responses) == 4


def test_a_stimulus_that_one_person_judged_says_nothing_of_the_others():
    block = whole(answers([1, 2, 1], [1, 2, 0]), items_of([1, 1, 1]))
    assert estimate(MEASURES["accuracy"], block)[1] == pytest.approx((4 + 0.5) / 5)
    assert human_ties(block.responses) == 1


def test_the_likelihood_of_evidence_is_its_logistic():
    block = whole(answers([2, 2, 1], [2, 2, 1]), items_of([np.log(3), -np.log(3), 0]))
    assert estimate(MEASURES["likelihood"], block)[0] == pytest.approx((0.75 + 0.25 + 0.5) / 3)


def test_scores_have_every_row_once_in_the_agreed_columns(small):
    scores, comparisons = score(respond(*small), ScoringOptions(n_samples=30, n_samples_slow=20))
    assert ",".join(scores.columns) == (
        "measure,subset,model,estimate,ci_low,ci_high,ceiling_low,ceiling_high,"
        "p_value,p_adjusted,n_trials,n_participants,n_stimuli"
    )
    assert not scores.duplicated(["measure", "subset", "model"]).any()
    accuracy = scores[scores["measure"] == "accuracy"]
    assert set(zip(accuracy["subset"], accuracy["model"], strict=True)) == {
        *(("targeted", m) for m in "ab"),
        *(("other_pairs", m) for m in "ab"),
        ("held_out", "c"),
        *(("all", m) for m in ["a", "b", "c", "participants"]),
    }
    assert len(comparisons) == 3 * scores[~scores["measure"].str.endswith("_shortfall")]["measure"].nunique()
    short = scores[scores["measure"] == "accuracy_shortfall"].set_index(["subset", "model"])["estimate"]
    models = accuracy[accuracy["model"] != "participants"].set_index(["subset", "model"])
    np.testing.assert_allclose(short.loc[models.index], models["ceiling_low"] - models["estimate"])


def test_scores_depend_on_the_seed_alone(small):
    options = ScoringOptions(n_samples=30, n_samples_slow=20, seed=4)
    first, second = (score(respond(*small), options)[0] for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    other = score(respond(*small), replace(options, seed=5))[0]
    assert (first["estimate"].fillna(9) == other["estimate"].fillna(9)).all()
    assert (first["ci_low"] != other["ci_low"]).any()


def test_what_cannot_be_scored_is_said(small):
    judgments, items = small
    bare = respond(judgments.drop(columns="confidence"), items)
    with pytest.raises(ControversyError, match="signed_rank_cosine needs confidence"):
        score(bare, ScoringOptions(measures=("signed_rank_cosine",)))
    few = ScoringOptions(n_samples=2, n_samples_slow=2)
    assert "signed_rank_cosine" not in set(score(bare, few)[0]["measure"])
    with pytest.raises(ControversyError, match="needs the items' correct answers"):
        score(bare, ScoringOptions(measures=("error_consistency",)))
    with pytest.raises(ControversyError, match="'s9' was judged"):
        respond(judgments, items.take(np.arange(9)))
    with pytest.raises(ControversyError, match="called 'participants'"):
        score(respond(judgments, replace(items, models=("participants", "b", "c"))))


@pytest.mark.filterwarnings("error")
def test_one_person_alone_has_estimates_but_neither_ceiling_of_pairs_nor_intervals():
    scores, _ = score(
        respond(answers([1, 2, 1]), items_of([1, 1, -1])), ScoringOptions(n_samples=9, n_samples_slow=9)
    )
    row = scores[(scores["measure"] == "agreement") & (scores["subset"] == "all")].iloc[0]
    assert row["estimate"] == pytest.approx(2 / 3)
    assert np.isnan(row[["ceiling_low", "ci_low", "p_value"]].astype(float)).all()


@pytest.mark.parametrize(
    "bad",
    [{"measures": ("r2",)}, {"subsets": ("own",)}, {"n_samples": 1}, {"level": 95}, {"correction": "fdr"}],
)
def test_options_that_mean_nothing_are_refused(bad):
    with pytest.raises(ControversyError, match=str(next(iter(bad.values()))).strip("(),")):
        ScoringOptions(**bad)


def test_the_worst_disagreements_are_those_that_fewest_people_share():
    block = whole(answers([1, 2, 1], [1, 2, 2], [1, 1, 1]), items_of([5, 1, 1]))
    worst = disagreements(block.responses, 2)
    assert worst["stimulus_id"].tolist() == ["x", "z"]
    assert worst["agreement"].tolist() == [0, pytest.approx(1 / 3)]


def test_model_pairs_are_scored_on_the_stimuli_that_set_them_against_each_other(small):
    judgments, items = small
    table = model_pair_table(respond(judgments, items)).set_index(["model", "other"])
    assert set(table.index) == {("a", "b"), ("b", "a")}
    mine = judgments[judgments["stimulus_id"].isin(items.ids[:6])]
    evidence = pd.Series(items.evidence[:, 0], index=items.ids)[mine["stimulus_id"]].to_numpy()
    hit = np.where(evidence == 0, 0.5, (evidence > 0) == (mine["choice"] == 2))
    assert table.loc[("a", "b"), "accuracy"] == pytest.approx(hit.mean())
