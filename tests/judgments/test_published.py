"""Figures of real data that its authors published, or that follow from their files by counting."""

import pytest

from controversy.judgments import read_judgments, validate


def test_golan2023_is_thirty_people_on_120_items_with_catch_trials_apart(shared_data):
    reading = read_judgments(shared_data / "golan2023" / "trials.csv", "golan2023")
    table = validate(reading.table, stimuli=reading.items.ids)
    assert len(table) == 3960
    assert (table["kind"] == "main").sum() == 3600
    assert table["participant"].nunique() == 30
    assert len(reading.items.ids) == 120
    assert reading.items.targeted.sum(axis=1).tolist() == [2] * 120
    assert set(table["confidence"]) == {0.5, 1.5, 2.5}


def test_cue_conflict_as_two_alternatives(shared_data):
    reading = read_judgments(shared_data / "modelvshuman", "modelvshuman")
    table = validate(reading.table, stimuli=reading.items.ids)
    shape = table["choice"] == 1
    assert len(table) == 9634
    assert shape.sum() == 9236
    assert shape.mean() == pytest.approx(0.958688, abs=5e-7)
    assert shape.groupby(table["participant"]).mean().mean() == pytest.approx(0.957587, abs=5e-7)
    assert [note.split(" trials")[0] for note in reading.notes] == ["800 of 12800", "2366 of 12000 conflict"]
