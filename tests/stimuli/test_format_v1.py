"""A set of format version 1, made once and kept: every later version of controversy must read it.

``tests/data/set_v1`` is what ``controversy synthesize n_stimuli=4`` made when the format was new.
"""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from safetensors.numpy import load_file

from controversy.stimuli import StimulusSet, verify

ROOT = Path(__file__).resolve().parents[2]
SET = ROOT / "tests" / "data" / "set_v1"


@pytest.fixture(scope="module")
def stimuli() -> StimulusSet:
    return StimulusSet(SET)


def test_it_is_what_it_says(stimuli):
    assert stimuli.manifest["format_version"] == 1
    assert len(stimuli) == 4
    assert verify(stimuli, {}) == []


def test_its_table_is_read_as_any_csv_reader_reads_it(stimuli):
    lines = (SET / "metadata.csv").read_text().splitlines()
    cells = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    for row, cell in zip(stimuli.metadata.to_dict("records"), cells, strict=True):
        for name, value in row.items():
            assert (
                type(value)(cell[name]) == value if not isinstance(value, bool) else cell[name] == str(value)
            )


def test_its_images_and_logits_are_the_files_own(stimuli):
    pixels = np.stack([np.asarray(Image.open(SET / name)) for name in stimuli.metadata["file_name"]])
    np.testing.assert_array_equal(stimuli.images().permute(0, 2, 3, 1), pixels.astype(np.float32) / 255)
    stored = load_file(SET / "logits.safetensors")
    assert stored.keys() == set(stimuli.models)
    for name in stimuli.models:
        np.testing.assert_array_equal(stimuli.logits(name), stored[name])


def test_its_controversiality_follows_from_its_logits_by_the_formula(stimuli):
    """min( p1(c1), 1 - p1(c2), p2(c2), 1 - p2(c1) ), written out for each row."""
    for i, row in enumerate(stimuli):
        p1, p2 = (torch.tensor(stimuli.logits(m)[i]).double().softmax(0) for m in (row.model_1, row.model_2))
        by_hand = min(p1[row.class_1], 1 - p1[row.class_2], p2[row.class_2], 1 - p2[row.class_1])
        assert row.controversiality == pytest.approx(by_hand.item(), abs=1e-12)
        assert row.success == (by_hand.item() >= stimuli.manifest["success_threshold"])


def test_it_has_latents_of_every_stimulus(stimuli):
    assert {len(values) for values in stimuli.latents().values()} == {4}


def test_the_documented_six_lines_read_it_without_controversy(capsys):
    page = (ROOT / "docs" / "stimulus-set.md").read_text(encoding="utf-8")
    code = re.search(r"With pandas and safetensors alone:\n\n```python\n(.*?)```", page, re.S)[1]
    assert "controversy" not in code
    exec(compile(code, "docs/stimulus-set.md", "exec"), {"folder": str(SET)})
    assert "chooses" in capsys.readouterr().out


def test_every_column_and_manifest_field_is_documented(stimuli):
    page = (ROOT / "docs" / "stimulus-set.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`(\w+)`", page))
    assert set(stimuli.manifest) <= documented
    assert {name for name in stimuli.metadata if not name.startswith(("z_", "class_", "n_"))} <= documented


def test_a_later_version_that_writes_more_fields_is_still_read(tmp_path):
    """Fields and columns that this version does not know are no reason to refuse a set of its format."""
    copy = shutil.copytree(SET, tmp_path / "copy")
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {"remark": "more to come"}))
    pd.testing.assert_frame_equal(StimulusSet(copy).metadata, StimulusSet(SET).metadata)
