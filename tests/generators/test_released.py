"""The released generators by name: found under the folder of weights, and only the right one loads."""

import json

import pytest
import torch

from controversy.errors import ControversyError
from controversy.generators import GENERATORS, _released, load_generator, untrained_biggan, write_biggan

# Every block of the 128-pixel generator at a thirty-second of its width.
NARROW = {"channel_width": 4, "z_dim": 8, "class_embed_dim": 8, "num_classes": 1000}


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("CONTROVERSY_WEIGHTS", str(tmp_path))
    return tmp_path


@torch.no_grad()
def test_a_generator_is_found_by_its_name_and_makes_images_of_its_size(root):
    write_biggan(untrained_biggan(NARROW, seed=0), root / "biggan-deep-128")
    generator = load_generator("biggan-deep-128", truncation=0.5)
    assert (generator.class_set, generator.n_classes, generator.image_size) == ("imagenet", 1000, 128)
    images = generator(generator.sample(2, torch.Generator().manual_seed(0), (285, 207)))
    assert images.shape == (2, 3, 128, 128)
    assert images.isfinite().all()
    assert all(path.is_file() for path in GENERATORS["biggan-deep-128"].weights)
    assert set(generator.description()["weights_sha256"]) == {"config.json", "pytorch_model.bin"}


def test_another_folder_can_be_named(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    write_biggan(untrained_biggan(NARROW, seed=0), folder)
    assert load_generator("biggan-deep-128", folder=str(folder)).image_size == 128


def test_missing_weights_are_named_with_every_way_to_get_them(root):
    with pytest.raises(ControversyError) as caught:
        load_generator("biggan-deep-256")
    for words in (
        str(root / "biggan-deep-256" / "pytorch_model.bin"),
        str(root / "biggan-deep-256" / "config.json"),
        "controversy models fetch biggan-deep-256",
        "biggan-deep-256-pytorch_model.bin",
    ):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"output_dim": 256}, "says output_dim 256, but biggan-deep-128 has 128"),
        ({"num_classes": 10}, "says num_classes 10, but biggan-deep-128 has 1000"),
    ],
)
def test_the_folder_of_another_generator_is_refused(root, change, words):
    folder = root / "biggan-deep-128"
    write_biggan(untrained_biggan(NARROW, seed=0), folder)
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**settings, **change}))
    with pytest.raises(ControversyError, match=words):
        load_generator("biggan-deep-128")


def test_a_web_page_in_the_place_of_weights_is_refused(root):
    folder = root / "biggan-deep-128"
    write_biggan(untrained_biggan(NARROW, seed=0), folder)
    (folder / "pytorch_model.bin").write_text("<!DOCTYPE html><title>Quota exceeded</title>")
    with pytest.raises(ControversyError, match=r"pytorch_model.bin is a web page, not weights"):
        load_generator("biggan-deep-128")


def test_missing_files_are_downloaded_only_when_asked(root, monkeypatch, tmp_path_factory):
    published = tmp_path_factory.mktemp("published")
    write_biggan(untrained_biggan(NARROW, seed=0), published)
    asked = []

    def fetch(download):
        asked.append(download.url.rpartition("/")[2])
        download.path.parent.mkdir(exist_ok=True)
        download.path.write_bytes((published / download.path.name).read_bytes())

    monkeypatch.setattr(_released, "fetch", fetch)
    with pytest.raises(ControversyError, match="are not there"):
        load_generator("biggan-deep-128")
    assert asked == []
    assert load_generator("biggan-deep-128", download=True).image_size == 128
    assert asked == ["biggan-deep-128-config.json", "biggan-deep-128-pytorch_model.bin"]
