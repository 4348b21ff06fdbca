"""RobustBench's zoo: facts are the package's, files load strictly from where and as they are published."""

import argparse
import json
import subprocess
import sys

import pytest
import torch
from torch import nn

from controversy.classifiers import CLASSIFIERS, load_classifier
from controversy.classifiers._robustbench import FAMILY
from controversy.classifiers._robustbench_entries import ENTRIES
from controversy.classifiers._robustbench_zoo import build, zoo
from controversy.errors import ControversyError
from controversy.weights import hub_checkpoint

# One small entry of each family of architectures.
SMALL = {
    "Salman2020Do_R18": "Linf",
    "Debenedetti2022Light_XCiT-S12": "Linf",
    "Singh2023Revisiting_ViT-S-ConvStem": "Linf",
    "Singh2023Revisiting_ConvNeXt-T-ConvStem": "Linf",
    "Tian2022Deeper_DeiT-S": "corruptions",
    "Hendrycks2020Many": "corruptions",
}


@pytest.fixture(scope="module")
def networks():
    torch.manual_seed(0)
    return {key: build(key, threat).eval() for key, threat in SMALL.items()}


def behind_normaliser(network):
    return dict(network.named_children()).get("model", network)


def test_the_entries_are_those_of_the_installed_package():
    listed = {(threat, key): facts for threat, entries in zoo().items() for key, facts in entries.items()}
    assert {(entry.threat, entry.key) for entry in ENTRIES} == set(listed)
    assert sum(entry.threat == "Linf" for entry in ENTRIES) == 30
    for entry in ENTRIES:
        facts = listed[entry.threat, entry.key]
        assert entry.protocol == facts.get("preprocessing", "timm")
        numbers = facts["gdrive_id"] if isinstance(facts["gdrive_id"], list) else [facts["gdrive_id"]]
        if numbers[0]:
            assert entry.published == tuple(f"gdrive:{number}" for number in numbers)


def test_the_files_of_entries_that_timm_knows_are_where_timm_would_look():
    import timm

    for entry in ENTRIES:
        if entry.key.startswith(("Debenedetti", "Tian", "AlexNet")):
            name = f"{entry.key}_imagenet_{entry.threat}".lower().replace("-", "_")
            module = sys.modules[timm.model_entrypoint(name).__module__]
            facts = module.default_cfgs[name]
            assert entry.published == (facts["url"] if isinstance(facts, dict) else facts.url,)


def test_the_package_itself_is_not_imported_and_not_changed():
    """The remedy holds where `pkg_resources` and `autoattack` are missing, and leaves no trace of itself."""
    program = """
import json, sys, warnings
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pkg_resources", "autoattack"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from controversy.classifiers._robustbench_zoo import zoo
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    n = len(zoo()["Linf"])
print(json.dumps([n, "robustbench" in sys.modules, "pkg_resources" in sys.modules]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [30, False, False]


@pytest.mark.parametrize(
    ("wrap", "prefix"),
    [
        (lambda s: s, ""),
        (lambda s: {"state_dict": s}, "module."),
        (lambda s: {"state_dict": s}, "module.model."),
    ],
    ids=["raw", "state_dict, DataParallel", "state_dict, DataParallel, normalised"],
)
def test_files_load_in_every_published_form(wrap, prefix, networks, weights_root):
    key, original = "Salman2020Do_R18", networks["Salman2020Do_R18"]
    state = {f"{prefix}{name}": value for name, value in original.model.state_dict().items()}
    save(wrap(state), key)
    assert_same(key, original)


def test_a_file_may_repeat_the_normalising_constants_but_no_others(networks, weights_root):
    original = networks["Salman2020Do_R18"]
    state = {f"module.{name}": value for name, value in original.state_dict().items()}
    save({"state_dict": state}, "Salman2020Do_R18")
    assert_same("Salman2020Do_R18", original)
    state["module.normalize.mean"] = state["module.normalize.mean"] + 0.1
    save({"state_dict": state}, "Salman2020Do_R18")
    with pytest.raises(ControversyError, match="normalises by mean"):
        load_classifier("Salman2020Do_R18")


@pytest.mark.parametrize("key", SMALL)
def test_weights_saved_as_published_give_identical_logits_and_gradients_reach_the_image(
    key, networks, weights_root
):
    save({"state_dict": behind_normaliser(networks[key]).state_dict()}, key)
    assert_same(key, networks[key])


def test_a_file_in_the_cache_of_torch_hub_is_used(networks, weights_root):
    key = "Debenedetti2022Light_XCiT-S12"
    path = hub_checkpoint("debenedetti2022light-xcit-s-imagenet-linf.pth.tar")
    path.parent.mkdir(parents=True)
    torch.save({"model": networks[key].state_dict()}, path)
    assert CLASSIFIERS[key].weights == (path,)
    assert_same(key, networks[key])


def test_both_names_of_a_key_are_one_entry():
    assert CLASSIFIERS[f"{FAMILY}:Salman2020Do_R18"] is CLASSIFIERS["Salman2020Do_R18"]
    with pytest.raises(ControversyError, match="Did you mean Salman2020Do_R"):
        CLASSIFIERS[f"{FAMILY}:Salman2020Do_R19"]
    with pytest.raises(ControversyError, match="no entry of RobustBench"):
        CLASSIFIERS[f"{FAMILY}:digits_vit"]


def test_arguments_that_a_training_script_left_in_a_file_are_read_as_values(networks, weights_root):
    key = "Salman2020Do_R18"
    save({"state_dict": networks[key].model.state_dict(), "args": argparse.Namespace(epochs=90)}, key)
    assert_same(key, networks[key])


def test_never_is_an_image_normalised_outside_the_zoos_networks(networks, weights_root):
    save(networks["Salman2020Do_R18"].model.state_dict(), "Salman2020Do_R18")
    preprocessing = load_classifier("Salman2020Do_R18").preprocessing
    images = torch.rand(2, 3, 224, 224)
    assert torch.equal(preprocessing(images), images)


def damaged(state, how):
    name = "conv1.weight"
    if how == "wrong key":
        state["conv_1.weight"] = state.pop(name)
    elif how == "missing key":
        del state[name]
    elif how == "surplus key":
        state["conv0.weight"] = state[name]
    elif how == "wrong shape":
        state[name] = state[name][:32]
    return state


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("wrong key", "missing conv1.weight; surplus conv_1.weight"),
        ("missing key", "missing conv1.weight"),
        ("surplus key", "surplus conv0.weight"),
        ("wrong shape", r"conv1.weight is \[32, 3, 7, 7\], expected \[64, 3, 7, 7\]"),
    ],
)
def test_one_key_amiss_is_refused_by_name(how, said, networks, weights_root):
    path = save(damaged(dict(networks["Salman2020Do_R18"].model.state_dict()), how), "Salman2020Do_R18")
    with pytest.raises(ControversyError, match=said) as refused:
        load_classifier("Salman2020Do_R18")
    assert str(path) in str(refused.value)
    assert "controversy models" in str(refused.value)


def test_missing_weights_are_named_with_what_to_do(weights_root):
    with pytest.raises(ControversyError, match="controversy models fetch") as refused:
        load_classifier("Salman2020Do_R18")
    assert str(weights_root / "imagenet" / "Linf" / "Salman2020Do_R18.pt") in str(refused.value)


def save(content, key):
    path = CLASSIFIERS[key].weights[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, path)
    return path


def assert_same(key, original: nn.Module):
    classifier = load_classifier(key)
    images = torch.rand(1, 3, 224, 224, generator=torch.Generator().manual_seed(1), requires_grad=True)
    logits = classifier(images)
    with torch.no_grad():
        assert torch.equal(logits, original(images))
    (gradient,) = torch.autograd.grad(logits[0, 0], images)
    assert gradient.isfinite().all()
    assert gradient.abs().sum() > 0
