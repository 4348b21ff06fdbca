"""From images to tables: what is evaluated once, shared, stored, resumed; and what the scores then say."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from controversy.corruptions import load_corruption
from controversy.errors import ControversyError
from controversy.images import from_uint8, read_png
from controversy.vcr import (
    PROPERTIES,
    Evaluation,
    Facts,
    Monotone,
    Observations,
    Sampler,
    corruption_sheet,
    draw_curves,
    draw_robustness,
    images_at,
    images_in_memory,
    score,
    write_report,
)
from controversy.visual_change import VisualChange

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def images():
    """Six pictures of a bright half on a textured ground: class 0 on the left, class 1 on the right."""
    generator = torch.Generator().manual_seed(0)
    ground = torch.rand(6, 3, 72, 72, generator=generator) * 80
    for row, picture in enumerate(ground):
        picture[..., slice(0, 36) if row % 2 == 0 else slice(36, 72)] += 120
    return images_in_memory([f"p{row}" for row in range(6)], [0, 1] * 3, ground.to(torch.uint8))


class Halves:
    """Right whenever the brighter half is to be seen; counts what it looks at."""

    def __init__(self):
        self.seen = 0

    def __call__(self, pictures):
        self.seen += len(pictures)
        return torch.stack([pictures[..., :36].mean((1, 2, 3)), pictures[..., 36:].mean((1, 2, 3))], 1)


def _guess(pictures):
    return torch.tensor([1.0, 0.0]).expand(len(pictures), 2)


def _evaluation(images, folder, models=None, **changes):
    options = {
        "images": images,
        "corruptions": {name: load_corruption(name) for name in ("contrast", "impulse_noise")},
        "models": models or {"halves": Halves(), "guess": _guess},
        "sampler": Sampler(VisualChange(), 3, grid=4),
        "seed": 0,
        "device": CPU,
        "batch_size": 4,
        "folder": folder,
        "record": {"weights": {}},
    }
    return Evaluation(**(options | changes))


@pytest.fixture(scope="module")
def evaluated(images, tmp_path_factory):
    halves = Halves()
    folder = tmp_path_factory.mktemp("evaluated")
    told = []
    tables = _evaluation(images, folder, {"halves": halves, "guess": _guess}).run(told.append)
    return folder, *tables, halves, told


def test_originals_are_scored_once_and_each_corrupted_image_once_a_model(evaluated):
    _, originals, observations, halves, told = evaluated
    assert len(originals) == 6
    assert len(observations) == 6 * 2 * 3
    assert halves.seen == 6 + 6 * 2 * 3
    assert sum(told) == 6 * 2 * 3
    assert (originals["prediction_halves"] == originals["label"]).all()
    assert (observations["prediction_guess"] == 0).all()


def test_a_second_run_computes_nothing_and_gives_the_same_tables(evaluated, images):
    folder, _, observations, _, _ = evaluated
    halves = Halves()
    _, again = _evaluation(images, folder, {"halves": halves, "guess": _guess}).run()
    assert halves.seen == 0
    pd.testing.assert_frame_equal(again, observations)


def test_a_stopped_run_goes_on_and_ends_as_if_it_had_not_stopped(evaluated, images, tmp_path):
    whole = evaluated[2]

    class Stops:
        parts = 0

        def __call__(self, done):
            self.parts += 1
            if self.parts == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _evaluation(images, tmp_path).run(Stops())
    assert not (tmp_path / "observations.csv").exists()
    halves = Halves()
    _, resumed = _evaluation(images, tmp_path, {"halves": halves, "guess": _guess}).run()
    assert 0 < halves.seen < 6 * 2 * 3
    pd.testing.assert_frame_equal(resumed, whole)


def test_a_folder_of_another_evaluation_is_refused_with_the_difference(evaluated, images):
    with pytest.raises(ControversyError, match=r"another evaluation: seed was 0, now it is 1"):
        _evaluation(images, evaluated[0], seed=1).run()


def test_what_is_stored_makes_the_image_again(evaluated, images, tmp_path):
    row = evaluated[2].query("corruption == 'impulse_noise'").iloc[4]
    original = from_uint8(images.load([images.names.index(row["image"])]))
    corruption = load_corruption("impulse_noise")
    again = corruption(
        original, torch.tensor([row["strength"]]), corruption.draw(torch.tensor([row["seed"]]), 72, 72)
    )
    measure = VisualChange()
    assert measure(measure.reference(original), again).item() == pytest.approx(row["visual_change"], abs=0.01)


def test_corrupted_images_can_be_kept_to_be_shown(images, tmp_path):
    one = {"contrast": load_corruption("contrast")}
    _, observations = _evaluation(images, tmp_path, corruptions=one, save_images=True).run()
    files = sorted((tmp_path / "images" / "contrast").glob("*.png"))
    assert len(files) == len(observations) == 18
    assert read_png(files[0]).float().std() > read_png(files[2]).float().std()


def _people():
    change = np.array([0.05, 0.5, 0.95])
    half = Observations(change, np.array([50.0, 50.0, 50.0]), np.full(3, 100.0))
    return {("contrast", "accuracy"): half}


@pytest.fixture(scope="module")
def results(evaluated):
    _, originals, observations, _, _ = evaluated
    return score(
        originals, observations, _people(), ["halves", "guess"], Monotone(bins=5), n_bootstrap=50, seed=0
    )


def test_scores_say_who_is_robust_and_compare_with_people(results):
    table = results.table.set_index(["model", "corruption", "property"])
    # Contrast leaves the brighter half brighter until nothing is left; a constant guess is right half the
    # time.
    assert table.loc[("halves", "contrast", "accuracy"), "robustness_covered"] == pytest.approx(1)
    assert table.loc[("guess", "contrast", "accuracy"), "robustness_covered"] == pytest.approx(0.5)
    assert table.loc[("guess", "contrast", "prediction_similarity"), "robustness_covered"] == pytest.approx(1)
    assert table.loc[("halves", "contrast", "accuracy"), "hmri"] == pytest.approx(1, abs=0.05)
    assert table.loc[("halves", "contrast", "accuracy"), "mrsi"] == pytest.approx(0.5, abs=0.1)
    assert table.loc[("people", "contrast", "accuracy"), "robustness"] == pytest.approx(0.5, abs=0.01)
    assert np.isnan(table.loc[("halves", "impulse_noise", "accuracy"), "hmri"])


def test_averages_are_over_the_corruptions_that_reach_far_enough(results):
    table = results.table.set_index(["model", "corruption", "property"])
    assert results.averaged == ["contrast", "impulse_noise"]
    single = [table.loc[("guess", name, "accuracy"), "robustness"] for name in results.averaged]
    assert table.loc[("guess", "mean", "accuracy"), "robustness"] == pytest.approx(np.mean(single))


def test_figures_the_sheet_and_the_report_are_whole_and_self_contained(results, images, tmp_path):
    for name in PROPERTIES:
        draw_curves(results, name, tmp_path / f"curves_{name}", chance=0.5)
        draw_robustness(results, name, tmp_path / f"robustness_{name}")
    corruptions = {name: load_corruption(name) for name in ("contrast", "hue_saturation")}
    corruption_sheet(images.read(0), "p0", corruptions, VisualChange(), tmp_path / "corruptions.png", seed=0)
    facts = Facts(
        n_images=6,
        images="<halves>",
        per_image=3,
        visual_change="1 - VIF",
        estimator="Monotone",
        n_bootstrap=50,
        seed=0,
        people="counts.csv",
        chance=0.5,
        superclasses=None,
        clean={"halves": 1.0, "guess": 0.5},
    )
    write_report(tmp_path, results, facts, {"accuracy": {"contrast": 1, "impulse_noise": 2}})
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 5
    assert "http" not in page
    assert "&lt;halves&gt;" in page
    assert "HMRI" in page
    with Image.open(tmp_path / "corruptions.png") as sheet:
        assert min(sheet.size) > 150
    assert (tmp_path / "curves_accuracy.svg").stat().st_size > 1000


def _png(path, side, value=100):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", side if isinstance(side, tuple) else (side, side), (value, 0, 0)).save(path)


def test_images_come_from_class_folders_with_their_labels_in_batches_of_one_size(tmp_path):
    for name, side in (("b/1.png", 80), ("a/2.jpg", 72), ("a/1.png", 80), ("a/notes.txt", None)):
        if side:
            _png(tmp_path / name, side)
        else:
            (tmp_path / name).write_text("no image")
    found = images_at(tmp_path, {"a": 0, "b": 1}.__getitem__)
    assert found.names == ["a/1.png", "a/2.jpg", "b/1.png"]
    assert found.labels == [0, 0, 1]
    assert list(found.batches(8)) == [[0, 2], [1]]
    assert found.load([0, 2]).shape == (2, 3, 80, 80)
    assert len(images_at(tmp_path, {"a": 0, "b": 1}.__getitem__, at_most=2)) == 2


def test_images_come_from_a_table_and_are_cropped_to_the_centre_of_the_shorter_side(tmp_path):
    _png(tmp_path / "wide.png", (90, 60), 200)
    pd.DataFrame({"file_name": ["wide.png"], "label": ["7"]}).to_csv(tmp_path / "images.csv", index=False)
    found = images_at(tmp_path / "images.csv", int, size=30)
    assert found.labels == [7]
    assert found.load([0]).shape == (1, 3, 30, 30)
    assert found.sizes == [(30, 30)]


def test_images_that_are_not_there_or_no_images_are_refused(tmp_path):
    with pytest.raises(ControversyError, match="no images in class sub-folders"):
        images_at(tmp_path, int)
    with pytest.raises(ControversyError, match="has to be digits, a folder"):
        images_at(tmp_path / "nothing.csv", int)
    pd.DataFrame({"path": ["x"]}).to_csv(tmp_path / "bad.csv", index=False)
    with pytest.raises(ControversyError, match="needs the columns file_name and label"):
        images_at(tmp_path / "bad.csv", int)
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "broken.png").write_bytes(b"\x89PNG broken")
    with pytest.raises(ControversyError, match=r"cannot read the image .*broken.png"):
        images_at(tmp_path, int)


def test_the_configuration_of_an_evaluation_is_there_to_read(evaluated):
    stored = json.loads((evaluated[0] / "evaluation.json").read_text(encoding="utf-8"))
    assert stored["models"] == ["halves", "guess"]
    assert stored["seed"] == 0
