import json

import pandas as pd
import pytest

from controversy.errors import ControversyError
from controversy.judgments import read_judgments, validate

TRUTH = [("007", "s1", 1), ("007", "s2", 2)]


def judged(reading):
    return list(
        validate(reading.table)[["participant", "stimulus_id", "choice"]].itertuples(index=False, name=None)
    )


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_canonical_files_keep_ids_that_look_like_numbers(tmp_path, suffix):
    table = pd.DataFrame(TRUTH, columns=["participant", "stimulus_id", "choice"])
    path = tmp_path / f"judgments{suffix}"
    table.to_csv(path, index=False) if suffix == ".csv" else table.to_parquet(path)
    assert judged(read_judgments(path)) == TRUTH


def test_a_folder_is_one_table_whose_rows_name_their_file(tmp_path):
    for i, row in enumerate(TRUTH):
        pd.DataFrame([row], columns=["participant", "stimulus_id", "choice"]).to_csv(
            tmp_path / f"{i}.csv", index=False
        )
    reading = read_judgments(tmp_path)
    assert list(reading.table.index) == ["0.csv row 1", "1.csv row 1"]
    assert judged(reading) == TRUTH


def test_columns_can_be_renamed(tmp_path):
    path = tmp_path / "j.csv"
    pd.DataFrame(TRUTH, columns=["subject", "stimulus_id", "choice"]).to_csv(path, index=False)
    assert judged(read_judgments(path, columns={"subject": "participant"})) == TRUTH
    with pytest.raises(ControversyError, match="no column 'participant'"):
        judged(read_judgments(path))


JSPSYCH = [
    {"trial_type": "html-keyboard-response", "rt": 900, "response": "enter", "participant": "007"},
    {
        "trial_type": "image-button-response",
        "participant": "007",
        "stimulus_id": "s1",
        "rt": 600,
        "response": 1,
        "left_alternative": 2,
    },
    {
        "trial_type": "html-slider-response",
        "participant": "007",
        "stimulus_id": "s1",
        "confidence": 4,
        "rt": 300,
    },
    {
        "trial_type": "image-button-response",
        "participant": "007",
        "stimulus_id": "s2",
        "rt": 700,
        "response": 0,
        "left_alternative": 2,
    },
    {
        "trial_type": "html-slider-response",
        "participant": "007",
        "stimulus_id": "s2",
        "confidence": 1,
        "rt": 300,
    },
    {
        "trial_type": "image-button-response",
        "participant": "007",
        "stimulus_id": "s3",
        "rt": None,
        "response": None,
        "left_alternative": 1,
    },
]


@pytest.mark.parametrize("form", ["list", "lists", "trials", "lines", "csv"])
def test_jspsych_buttons_become_choices_whatever_the_side(tmp_path, form):
    path = tmp_path / ("data.csv" if form == "csv" else "data.json")
    texts = {
        "list": json.dumps(JSPSYCH),
        "lists": json.dumps([JSPSYCH[:3], JSPSYCH[3:]]),
        "trials": json.dumps({"trials": JSPSYCH}),
        "lines": "\n".join(map(json.dumps, JSPSYCH)),
        "csv": pd.DataFrame(JSPSYCH).to_csv(index=False),
    }
    path.write_text(texts[form])
    reading = read_judgments(path, "jspsych")
    assert judged(reading) == TRUTH
    assert reading.table["confidence"].tolist() == [4, 1]
    assert reading.table["rt"].tolist() == [0.6, 0.7]
    assert [note.split()[0] for note in reading.notes] == ["1", "2", "1"]


def test_psychopy_keys_become_choices(tmp_path):
    for participant in ("007", "008"):
        pd.DataFrame(
            {
                "participant": participant,
                "stimulus_id": [None, "s1", "s2"],
                "left_alternative": [None, 1, 1],
                "key_resp.keys": ["space", "left", "right"],
                "key_resp.rt": [1.0, 0.4, 0.5],
                "slider.response": [None, 3, 2],
            }
        ).to_csv(tmp_path / f"{participant}.csv", index=False)
    reading = read_judgments(tmp_path, "psychopy")
    assert judged(reading) == [*TRUTH, ("008", "s1", 1), ("008", "s2", 2)]
    assert reading.table["rt"].tolist() == [0.4, 0.5, 0.4, 0.5]
    assert reading.table["confidence"].tolist() == [3, 2, 3, 2]


def test_a_key_that_means_nothing_is_reported_not_dropped(tmp_path):
    path = tmp_path / "x.csv"
    pd.DataFrame(
        {
            "participant": "p",
            "stimulus_id": ["s1", "s2"],
            "left_alternative": 1,
            "key_resp.keys": ["left", "q"],
        }
    ).to_csv(path, index=False)
    with pytest.raises(ControversyError, match="row 2: choice nan is neither"):
        validate(read_judgments(path, "psychopy").table)


def test_files_that_are_no_judgments_are_refused(tmp_path):
    (tmp_path / "bad.json").write_text("{not json")
    (tmp_path / "number.json").write_text("[1, 2]")
    (tmp_path / "bad.parquet").write_text("not parquet")
    for name, kind, words in [
        ("bad.json", "jspsych", "as JSON"),
        ("number.json", "jspsych", "a trial is an object, not 1"),
        ("bad.parquet", "canonical", "as a table"),
        ("none.csv", "canonical", "no file"),
        ("bad.json", "excel", "no format 'excel'"),
    ]:
        with pytest.raises(ControversyError, match=words):
            read_judgments(tmp_path / name, kind)
