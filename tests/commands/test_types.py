import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from controversy.commands import VERBS, configuration_folder
from controversy.commands._types import (
    KINDS,
    MAPPING,
    NAMES,
    NUMBER,
    SWITCH,
    TEXT,
    UNCHECKED,
    _leaves,
    check_types,
    kind_of,
)
from controversy.errors import ControversyError


def composed(verb, *overrides):
    with initialize_config_dir(version_base="1.3", config_dir=str(configuration_folder())):
        return compose(verb, overrides=list(overrides))


OWN = {verb: dict(_leaves(OmegaConf.load(configuration_folder() / f"{verb}.yaml"))) for verb in VERBS}
CASES = [(verb, key) for verb, written in OWN.items() for key in written if key not in UNCHECKED]


FITTING = [(TEXT, "banana"), (TEXT, 1.5), (NUMBER, 1.5), (SWITCH, True)]


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_shipped_is_of_the_kind_that_it_has_to_be(verb):
    config = composed(verb)
    before = OmegaConf.to_container(config, resolve=False)
    check_types(config, verb)
    assert OmegaConf.to_container(config, resolve=False) == before


@pytest.mark.parametrize(("verb", "key"), CASES)
def test_a_value_of_another_kind_is_told_by_name_with_what_it_has_to_be(verb, key):
    kind = KINDS.get(key) or kind_of(OWN[verb][key])
    config = composed(verb)
    for value in ([1, {"a": 1}], {"a": 1}, True, 1.5, "banana"):
        if (kind, value) in FITTING or (kind == MAPPING and isinstance(value, dict)):
            continue
        wrong = OmegaConf.merge(config)
        OmegaConf.update(wrong, key, value, merge=False)
        with pytest.raises(ControversyError, match=rf"^{key} is .*, but has to be {kind}"):
            check_types(wrong, verb)


def test_null_is_taken_where_it_means_something():
    for verb, key in (("synthesize", "n_stimuli"), ("vcr", "n_images"), ("experiment", "page.confidence")):
        check_types(composed(verb, f"{key}=null"), verb)
    for verb, key in (("synthesize", "seed"), ("vcr", "bins"), ("experiment", "lists.n_lists")):
        with pytest.raises(ControversyError, match=f"{key} is null"):
            check_types(composed(verb, f"{key}=null"), verb)


def test_numbers_will_do_for_text():
    config = composed("experiment", "page.confidence=[1,2,3]", "page.keys=[1,2]")
    check_types(config, "experiment")
    assert (list(config.page["confidence"]), list(config.page["keys"])) == (["1", "2", "3"], ["1", "2"])
    config = composed("synthesize", "out=2026")
    check_types(config, "synthesize")
    assert config.out == "2026"


def test_names_are_a_list_of_them():
    assert kind_of(OWN["vcr"]["models"]) == NAMES
    check_types(composed("vcr", "models=[digits_vit]"), "vcr")
    with pytest.raises(ControversyError, match="models is digits_vit"):
        check_types(composed("vcr", "models=digits_vit"), "vcr")


def test_a_sweep_says_of_each_job_what_is_wrong_with_it(run):
    status, _, err = run("synthesize", "-m", "n_stimuli=few,many", "out=2026")
    assert status == 2
    assert "n_stimuli is few, but has to be an integer, or null" in err
    assert "n_stimuli is many" in err
