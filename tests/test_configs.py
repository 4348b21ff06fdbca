"""Every file under conf/ takes part in a configuration that composes and resolves, ``???`` apart."""

import functools

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

from controversy.commands import VERBS, configuration_folder

CONF = configuration_folder()
# Not a verb of its own: the settings that every verb's configuration starts from.
SHARED = {"house"}
ROOTS = sorted(path.stem for path in CONF.glob("*.yaml") if path.stem not in SHARED)
OPTIONS = sorted(
    f"{path.parent.relative_to(CONF).as_posix()}={path.stem}"
    for path in CONF.rglob("*.yaml")
    if path.parent != CONF
)


def composed(root: str, *overrides: str) -> DictConfig:
    """A verb's configuration, Hydra's own part included, as ``controversy ROOT *OVERRIDES`` gets it."""
    with initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
        return compose(root, overrides=list(overrides), return_hydra_config=True)


@functools.cache
def groups(root: str) -> frozenset[str]:
    """The groups that a verb's defaults choose from."""
    return frozenset(composed(root).hydra.runtime.choices)


def resolved(config: DictConfig) -> dict:
    """The verb's part, mandatory values given and interpolations resolved; raises where one cannot be."""
    job = OmegaConf.masked_copy(config, [key for key in config if key != "hydra"])
    for key in OmegaConf.missing_keys(job):
        OmegaConf.update(job, key, "placeholder")
    return OmegaConf.to_container(job, resolve=True, throw_on_missing=True)


def test_every_root_configuration_is_a_verb_and_every_verb_has_one():
    assert set(ROOTS) == set(VERBS)


@pytest.mark.parametrize("root", ROOTS)
def test_a_root_configuration_composes_and_resolves(root):
    assert resolved(composed(root))


@pytest.mark.parametrize("root", ROOTS)
def test_a_run_writes_where_out_says_and_nowhere_else(root):
    """Hydra's own record of a run, its log file and its change of folder are off (conf/house.yaml)."""
    config = composed(root).hydra
    assert config.output_subdir is None
    assert config.run.dir == "."
    assert config.job.chdir is False
    assert config.runtime.choices["hydra/job_logging"] == "stdout"


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_a_group_composes_wherever_the_group_is_chosen(option):
    group = option.partition("=")[0]
    choosing = [root for root in ROOTS if group in groups(root)]
    # A group that no verb chooses from by default is added: `controversy synthesize +study=pilot`.
    cases = [(root, option) for root in choosing] or [("synthesize", f"+{option}")]
    for root, override in cases:
        assert resolved(composed(root, override))


@pytest.mark.parametrize(
    "path", sorted(CONF.rglob("*.yaml")), ids=lambda path: path.relative_to(CONF).as_posix()
)
def test_a_configuration_says_first_what_it_is(path):
    assert path.read_text(encoding="utf-8").startswith("# ")
