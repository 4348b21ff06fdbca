from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from controversy.errors import ControversyError
from controversy.evidence import Items
from controversy.judgments import validate
from controversy.observers import (
    Observers,
    choice_probability,
    population_accuracy,
    power_table,
    reference_design,
    simulate,
    true_accuracy,
)
from controversy.scoring import respond


def items(n=12, models=("a", "b")):
    evidence = np.random.default_rng(0).normal(size=(n, len(models)))
    ids = tuple(f"s{i}" for i in range(n))
    return Items(ids, models, evidence, np.zeros(evidence.shape, dtype=bool))


def test_choice_probability_is_that_of_the_decision_variable_by_quadrature():
    observers = Observers(noise=0.8, noise_spread=0.5, criterion=0.4, side_bias=0.3, lapse=0.1)

    def given(log_noise, signal):
        spread = np.hypot(0.8 * np.exp(0.5 * log_noise), 0.4)
        sides = np.mean([stats.norm.cdf((signal + side * 0.3) / spread) for side in (-1, 1)])
        return sides * stats.norm.pdf(log_noise)

    for signal in (-1.5, 0.0, 0.7):
        expected = 0.05 + 0.9 * integrate.quad(given, -8, 8, args=(signal,))[0]
        assert choice_probability(np.array([signal]), observers)[0] == pytest.approx(expected, abs=1e-6)


def test_simulated_people_choose_as_often_as_the_model_of_them_says():
    observers = Observers({"a": 1.0}, noise_spread=0.4, criterion=0.5, side_bias=0.4, lapse=0.05)
    n = 3000
    simulation = simulate(items(), observers, n_participants=n, seed=1)
    share = simulation.judgments.groupby("stimulus_id")["choice"].mean() - 1
    expected = pd.Series(simulation.probability, index=items().ids)
    error = np.sqrt(expected * (1 - expected) / n)
    assert (((share - expected) / error).abs() < 4).all()


def test_people_without_noise_choose_as_the_only_model_they_follow():
    observers = Observers({"b": 1.0}, shared=0, noise=1e-9, lapse=0)
    simulation = simulate(items(), observers, n_participants=3)
    assert true_accuracy(items(), simulation.probability)[1] == pytest.approx(1)
    responses = respond(validate(simulation.judgments), items())
    assert (responses.choice == responses.items.predictions[:, 1]).all()


def test_people_who_only_lapse_are_coins_whatever_they_see():
    simulation = simulate(items(), Observers({"a": 9.0}, lapse=1), n_participants=4)
    assert np.allclose(simulation.probability, 0.5)
    assert true_accuracy(items(), simulation.probability) == pytest.approx(0.5)


def test_each_person_judges_a_random_subset_once():
    simulation = simulate(items(), Observers(), n_participants=30, n_seen=5, seed=3)
    table = simulation.judgments
    assert (table.groupby("participant").size() == 5).all()
    assert not table.duplicated(["participant", "stimulus_id"]).any()
    assert table["stimulus_id"].nunique() == 12
    assert set(table["choice"]) == set(table["left_alternative"]) == {1, 2}


def test_confidence_grows_with_the_decision_variable():
    simulation = simulate(items(200), Observers(confidence_levels=5, lapse=0), n_participants=40)
    table = simulation.judgments
    assert set(table["confidence"]) == {1, 2, 3, 4, 5}
    signal = pd.Series(simulation.signal, index=items(200).ids)[table["stimulus_id"]].to_numpy()
    with_signal = ((signal > 0) == (table["choice"] == 2)).groupby(table["confidence"]).mean()
    assert with_signal.is_monotonic_increasing


def test_the_seed_decides_all_and_more_people_leave_the_signal_as_it_was():
    one, again = (simulate(items(), Observers(), n_participants=5, seed=9) for _ in range(2))
    pd.testing.assert_frame_equal(one.judgments, again.judgments)
    more = simulate(items(), Observers(), n_participants=50, seed=9)
    np.testing.assert_array_equal(one.signal, more.signal)
    assert (simulate(items(), Observers(), n_participants=5, seed=8).signal != one.signal).any()


@pytest.mark.parametrize("bad", [{"noise": 0}, {"lapse": 1.2}, {"confidence_levels": 0}, {"shared": -1}])
def test_impossible_people_are_refused(bad):
    with pytest.raises(ControversyError, match=next(iter(bad))):
        Observers(**bad)


def test_impossible_studies_are_refused():
    for options, words in [
        ({"n_participants": 0}, "n_participants=0"),
        ({"n_participants": 2, "n_seen": 13}, "1 to 12 items"),
    ]:
        with pytest.raises(ControversyError, match=words):
            simulate(items(), Observers(), **options)
    with pytest.raises(ControversyError, match="no evidence of model 'z'"):
        simulate(items(), Observers({"z": 1}), n_participants=2)


def test_the_reference_design_sets_four_models_against_each_other_in_pairs_of_168():
    design = reference_design(held_out=(0.5,), seed=2)
    targeted = design.items.targeted
    assert targeted.shape == (1008, 5)
    assert (targeted.sum(axis=1) == 2).all()
    assert targeted.sum(axis=0).tolist() == [504, 504, 504, 504, 0]
    assert len(np.unique(targeted, axis=0)) == 6
    signs = np.sign(design.items.evidence)[targeted].reshape(1008, 2)
    assert (signs.sum(axis=1) == 0).all()
    assert np.corrcoef(design.shared, design.items.evidence[:, 4])[0, 1] == pytest.approx(0.5, abs=0.08)


def test_population_accuracy_is_the_limit_of_many_items():
    observers = Observers(shared=1.5, noise_spread=0.3, criterion=0.2)
    design = reference_design(200_000, held_out=(0.0, 0.6, 1.0), seed=0)
    probability = choice_probability(1.5 * design.shared, replace(observers))
    found = true_accuracy(design.items, probability)[4:]
    expected = [population_accuracy(correlation, observers) for correlation in (0.0, 0.6, 1.0)]
    np.testing.assert_allclose(found, expected, atol=0.005)
    assert expected[0] == pytest.approx(0.5)
    # Without lapses and differences, agreement with the sign of the signal is an arctangent (Sheppard 1899).
    plain = Observers(shared=1.5, lapse=0)
    assert population_accuracy(1.0, plain) == pytest.approx(0.5 + np.arctan(1.5) / np.pi, abs=1e-6)


def test_power_is_the_level_without_an_effect_and_grows_with_one():
    design = reference_design(120, held_out=(0.0, 0.95), seed=1)
    people = Observers(shared=2.0, lapse=0.0)
    table = power_table(
        design,
        people,
        participants=[4, 12],
        stimuli=[20, 60],
        n_repetitions=12,
        n_samples=60,
        subset="held_out",
    )
    power = table.set_index(["model", "test", "participants", "stimuli"])["power"]
    assert power["held_out_2", "chance", 12, 60] > 0.9
    assert power["held_out_1", "ceiling", 12, 60] > 0.9
    # No effect: 12 coins that fall at 5 % each; six or more have probability below 1e-5.
    assert power["held_out_1", "chance", 12, 60] < 0.5
    assert power["held_out_1", "ceiling", 12, 60] >= power["held_out_1", "ceiling", 4, 20]
    assert table["n_repetitions"].eq(12).all()
    with pytest.raises(ControversyError, match="needs as many items; there are 120"):
        power_table(design, people, participants=[4], stimuli=[121])
