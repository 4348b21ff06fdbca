"""The logits of a set are those of its saved images, whatever else is in it."""

import numpy as np
import pytest
import torch
from PIL import Image

from controversy.errors import ControversyError
from controversy.stimuli import SetWriter


def test_logits_are_those_of_the_saved_png(make_set):
    """logit k of alpha = 20 v / 255 with v the 8-bit value of pixel k in row 0 of the file."""
    stimuli = make_set()
    files = [
        np.asarray(Image.open(stimuli.folder / name), dtype=float) for name in stimuli.metadata["file_name"]
    ]
    by_hand = 20 * np.stack([pixels[0, :4, 0] for pixels in files]) / 255
    np.testing.assert_allclose(stimuli.logits("alpha"), by_hand, rtol=1e-6)
    assert stimuli.logits("alpha").dtype == np.float32


def test_half_precision_scores_are_refused(tmp_path, classifiers, classes, image, row):
    classifiers["beta"].to(torch.bfloat16)
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image(), {}, row())
    with pytest.raises(ControversyError, match=r"float32, but classifier beta holds torch\.bfloat16"):
        writer.finish(["a"], classifiers, classes, {})


def test_logits_that_are_not_finite_are_refused(tmp_path, classifiers, classes, image, row):
    classifiers["beta"].network.gain.fill_(float("nan"))
    writer = SetWriter(tmp_path / "set", {})
    writer.add("a", image((9,) * 4, (9,) * 4), {}, row())
    with pytest.raises(ControversyError, match=r"beta gave logits that are not finite for .*a\.png"):
        writer.finish(["a"], classifiers, classes, {})


def test_every_batch_has_one_size_so_an_image_s_logits_do_not_depend_on_its_set(
    tmp_path, classifiers, classes, add_stimuli
):
    """A network's rounding depends on the batch's size: the last batch is filled up."""
    sizes = []
    classifiers["alpha"].network.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0])))
    writer = SetWriter(tmp_path / "set", {})
    seen = []
    writer.finish(
        add_stimuli(writer), classifiers, classes, {}, batch_size=5, progress=lambda *done: seen.append(done)
    )
    assert sizes == [5, 5, 5]
    assert seen == [(5, 12), (10, 12), (12, 12)]


def test_a_batch_of_none_is_refused(tmp_path, classifiers, classes, add_stimuli):
    writer = SetWriter(tmp_path / "set", {})
    with pytest.raises(ControversyError, match="batch_size must be at least 1, got 0"):
        writer.finish(add_stimuli(writer), classifiers, classes, {}, batch_size=0)
