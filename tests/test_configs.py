"""Every file under conf/ takes part in a configuration that composes and resolves, ``???`` apart."""

import functools
import inspect
from itertools import combinations

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.plugins.launcher import Launcher
from hydra.utils import get_object
from omegaconf import DictConfig, OmegaConf

from controversy.classifiers import list_classifiers
from controversy.commands import VERBS, configuration_folder
from controversy.synthesis import Settings

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
    # A group that no verb has in its defaults, as the classifiers, which `pair` names, has to compose too.
    cases = [(root, option) for root in choosing] or [("synthesize", f"+{option}")]
    for root, override in cases:
        assert resolved(composed(root, override))


@pytest.mark.parametrize("root", ROOTS)
def test_a_root_configuration_says_first_how_it_is_called(root):
    assert (CONF / f"{root}.yaml").read_text(encoding="utf-8").startswith(f"# controversy {root}")


# Installs in an environment of its own only (pyproject.toml says why).
NEEDS = {"hydra/launcher/ray_cluster": "hydra_plugins.hydra_ray_launcher"}


TARGETS = [path for path in sorted(CONF.rglob("*.yaml")) if "_target_" in OmegaConf.load(path)]


@pytest.mark.parametrize("path", TARGETS, ids=lambda path: path.relative_to(CONF).as_posix())
def test_what_a_configuration_makes_exists_and_takes_its_options(path):
    if plugin := NEEDS.get(path.relative_to(CONF).with_suffix("").as_posix()):
        pytest.importorskip(plugin, reason=f"{plugin} is not installed: controversy[ray] has it")
    options = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    target = options["_target_"]
    options = {key: value for key, value in options.items() if not key.startswith("_")}
    inspect.signature(get_object(target)).bind_partial(**options)


def test_the_default_search_of_the_command_line_is_that_of_the_library():
    assert Settings(**composed("synthesize").search) == Settings()


def test_the_digits_study_sets_every_two_embedded_classifiers_against_each_other():
    pairs = composed("synthesize", "study=digits").hydra.sweeper.params["pair"]
    (sweep,) = OverridesParser.create().parse_overrides([f"pair={pairs}"])
    made = [value.strip("[]").split(",") for value in sweep.sweep_string_iterator()]
    embedded = [name for name in list_classifiers() if name.startswith("digits_")]
    assert sorted(map(sorted, made)) == sorted(map(sorted, combinations(embedded, 2)))


@pytest.mark.parametrize("launcher", ["slurm", "machine"])
def test_a_launcher_can_be_made_from_its_configuration_and_keeps_no_job_from_the_next(launcher):
    config = composed("synthesize", f"hydra/launcher={launcher}", "hydra.sweep.dir=some/where/.sweep").hydra
    made = Plugins.instance()._instantiate(config.launcher)
    assert isinstance(made, Launcher)
    if launcher == "slurm":
        assert config.launcher.submitit_folder.startswith("some/where/.sweep/")
        assert config.launcher.gpus_per_task == 1
