"""The smoke study is a whole ImageNet study in small: 1,000 classes, set, logits, verification."""

import pytest

from controversy.classes import class_table
from controversy.stimuli import StimulusSet


@pytest.mark.parametrize(
    "generator",
    [
        [],
        ["generator=fourier", "generator.image_size=24", "generator.jitter=2"],
        ["generator=pixels", "generator.image_size=24"],
    ],
    ids=["biggan", "fourier", "pixels"],
)
def test_the_smoke_study_gives_a_set_that_verifies(run, tmp_path, generator):
    status, _, err = run("synthesize", "study=imagenet_smoke", "out=smoke", *generator)
    assert status == 0, err
    made = StimulusSet(tmp_path / "smoke")
    assert made.models == ("untrained_resnet", "untrained_vit")
    assert made.logits("untrained_vit").shape == (4, 1000)
    assert made.classes["wnid"].tolist() == class_table("imagenet")["wnid"].tolist()
    assert made.metadata["controversiality"].between(0, 1).all()
    status, out, err = run("verify", "set=smoke")
    assert status == 0, out + err
