"""The ready-made ImageNet studies name models that there are, and keep held-out ones held out."""

from itertools import combinations

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser

from controversy.classifiers import CLASSIFIERS
from controversy.commands import configuration_folder
from controversy.generators import GENERATORS


@pytest.fixture(scope="module")
def reference():
    with initialize_config_dir(version_base="1.3", config_dir=str(configuration_folder())):
        return compose("synthesize", overrides=["study=reference"], return_hydra_config=True)


def test_four_classifiers_make_six_pairs_of_168_stimuli(reference):
    models = list(reference.synthesis_models.values())
    (sweep,) = OverridesParser.create().parse_overrides([f"pair={reference.hydra.sweeper.params.pair}"])
    pairs = [value.strip("[]").split(",") for value in sweep.sweep_string_iterator()]
    assert sorted(map(sorted, pairs)) == sorted(map(sorted, combinations(models, 2)))
    assert len(pairs) * reference.n_stimuli == 1008


def test_seventeen_others_of_the_robust_zoo_are_held_out(reference):
    used, held_out = set(reference.synthesis_models.values()), list(reference.held_out)
    assert len(set(held_out)) == len(held_out) == 17
    assert used.isdisjoint(held_out)
    for name in (*used, *held_out):
        assert CLASSIFIERS[name].family == "robustbench"
        assert CLASSIFIERS[name].summary.endswith("Linf")
    # Mixed of, or sparsified from, networks that make the stimuli; or not robust.
    assert not any(name.startswith(("Bai2024", "Amini2024", "Standard")) for name in held_out)


def test_its_generator_knows_the_same_classes(reference):
    assert reference.generator.name in GENERATORS
    assert reference.generator.name.startswith("biggan-deep")
