"""What leaves an experiment, and that it comes back through the readers of judgments."""

import csv
import json
import keyword
import re
import stat

import pandas as pd
import pytest
from PIL import Image

from controversy.errors import ControversyError
from controversy.experiment import (
    JUDGMENT_COLUMNS,
    PageFiles,
    PageSettings,
    built_page,
    export_psych_ds,
    export_psychopy,
    export_static,
    judgments,
    read_experiment,
    study,
)
from controversy.judgments import read_jspsych, read_judgments, validate


@pytest.fixture
def experiment(make_experiment):
    return make_experiment(n_catch=2, n_practice=1, n_repeats=2, min_lag=3)


def told(experiment) -> dict:
    return study(PageSettings(), {}, experiment.image_size)


def answers(experiment) -> tuple[list[dict], list[dict]]:
    """Two people who always choose left, the second of whom stopped half-way."""
    sessions = [{"id": i + 1, "participant": f"p{i}", "list": i} for i in range(2)]
    given = []
    for session in sessions:
        own = experiment.lists[experiment.lists["list"] == session["list"]]
        own = own[own["kind"] != "practice"]
        for row in own.head(len(own) // (session["list"] + 1)).itertuples():
            measured = {"confidence": 2, "rt_ms": 900.0, "onset_ms": None, "shown_ms": None, "input": "key"}
            given.append({"session": session["id"], "position": row.position, "response": "left", **measured})
    return sessions, given


def test_the_static_folder_gives_nothing_away(experiment, page, tmp_path):
    """Every byte that is published: file names, the table of trials, the images."""
    out = tmp_path / "site"
    key = export_static(experiment, out, page, told(experiment))
    published = [path for path in out.rglob("*") if path.is_file()]
    names = {path.relative_to(out).as_posix() for path in published}
    assert {"index.html", "study.json", "assets/app.js", "assets/app.css"} <= names
    assert key == experiment.folder / "key.csv"
    metadata = experiment.stimuli.metadata
    forbidden = {*metadata["model_1"], *metadata["model_2"], *metadata["stimulus_id"], "catch", "repeat"}
    forbidden |= {experiment.secret.key.hex(), experiment.secret.owner_token}
    for path in published:
        content = path.read_bytes() + path.name.encode()
        assert [word for word in forbidden if word.encode() in content] == [], path
    assert 'content="static"' in (out / "index.html").read_text()


def test_the_static_folder_holds_every_list_and_every_image(experiment, page, tmp_path):
    export_static(experiment, tmp_path / "site", page, told(experiment))
    content = json.loads((tmp_path / "site" / "study.json").read_text())
    lists = experiment.lists
    assert [len(trials) for trials in content["lists"]] == lists.groupby("list").size().tolist()
    for trial in (trial for trials in content["lists"] for trial in trials):
        with Image.open(tmp_path / "site" / "images" / trial["image"]) as image:
            assert image.size == tuple(content["study"]["image_size"])


@pytest.mark.parametrize("format", ["json", "jatos", "csv"])
def test_what_a_static_page_collects_comes_back_as_judgments(experiment, page, tmp_path, format):
    """One file a participant, JATOS' one line a participant, or a table; confidence and time included."""
    key_path = export_static(experiment, tmp_path / "site", page, told(experiment))
    content = json.loads((tmp_path / "site" / "study.json").read_text())
    rows = [{"trial_type": "instructions"}]
    for trial in content["lists"][0]:
        if not trial["practice"]:
            given = {"participant": "f00d", "trial_id": trial["trial_id"], "confidence": 3, "rt": 1250}
            rows.append({"trial_type": "two-alternative", "response": "right", **given})
    data = tmp_path / f"data.{'txt' if format == 'jatos' else format}"
    if format == "csv":
        pd.DataFrame(rows).to_csv(data, index=False)
    else:
        data.write_text(json.dumps(rows) + "\n" if format == "jatos" else json.dumps(rows, indent=1))
    key = pd.read_csv(key_path, dtype={"stimulus_id": str})
    table = validate(read_jspsych(data, key=key).table, min_trials=0)
    own = experiment.lists[(experiment.lists["list"] == 0) & (experiment.lists["kind"] != "practice")]
    assert table["stimulus_id"].tolist() == own["stimulus_id"].tolist()
    assert table["choice"].tolist() == (3 - own["left_alternative"]).tolist()
    assert table["kind"].tolist() == own["kind"].tolist()
    assert table["rt"].eq(1.25).all()
    assert table["confidence"].eq(3).all()


def test_data_of_another_experiment_is_refused_by_its_row(experiment, page, tmp_path):
    key = pd.read_csv(export_static(experiment, tmp_path / "site", page, told(experiment)))
    data = tmp_path / "data.json"
    data.write_text(json.dumps([{"participant": "a", "trial_id": "f" * 20, "response": "left"}]))
    with pytest.raises(ControversyError, match=r"row 1: the key has no trial 'f{20}'"):
        read_jspsych(data, key=key)


def test_psychopys_conditions_have_headers_that_are_names(experiment, tmp_path):
    n = export_psychopy(experiment, tmp_path / "psychopy")
    files = sorted((tmp_path / "psychopy").glob("conditions_*.csv"))
    assert len(files) == n == experiment.lists["list"].nunique()
    with files[0].open() as stream:
        rows = list(csv.DictReader(stream))
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in rows[0])
    assert all((tmp_path / "psychopy" / row["image"]).is_file() for row in rows)
    assert len(rows) == (experiment.lists["list"] == 0).sum()


def test_psychopys_data_comes_back_as_judgments(experiment, tmp_path):
    """PsychoPy writes a row a trial: the conditions' columns, the key, its time, and the participant."""
    export_psychopy(experiment, tmp_path / "psychopy")
    conditions = pd.read_csv(tmp_path / "psychopy" / "conditions_1.csv", dtype={"stimulus_id": str})
    shown = conditions[conditions["practice"] == 0]
    saved = shown.assign(
        **{"key_resp.keys": "f", "key_resp.rt": 0.8, "participant": "7", "slider.response": 4}
    )
    saved.to_csv(tmp_path / "7.csv", index=False)
    table = validate(read_judgments(tmp_path / "7.csv", "psychopy").table, min_trials=0)
    assert table["choice"].tolist() == shown["left_alternative"].tolist()
    assert table["kind"].tolist() == shown["kind"].tolist()
    assert table["confidence"].eq(4).all()


def psych_ds_problems(folder) -> list[str]:
    """The rules of Psych-DS: psychds-docs, "Rules and Conventions"."""
    problems = []
    description = json.loads((folder / "dataset_description.json").read_text(encoding="utf-8"))
    for field in ("name", "description", "variableMeasured"):
        if not description.get(field):
            problems.append(f"no {field}")
    if description.get("@type") != "Dataset":
        problems.append("not a Dataset")
    if description.get("@context", "").rstrip("/") not in ("https://schema.org", "http://schema.org"):
        problems.append("not in the namespace of schema.org")
    variables = [v if isinstance(v, str) else v["name"] for v in description["variableMeasured"]]
    if any(
        not isinstance(v, str) and v.get("@type") != "PropertyValue" for v in description["variableMeasured"]
    ):
        problems.append("a variable is no PropertyValue")
    files = [path for path in (folder / "data").rglob("*") if path.is_file()]
    if not files:
        problems.append("no data file")
    columns = set()
    for path in files:
        if not re.fullmatch(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv", path.name):
            problems.append(f"{path.name} is no name of a data file")
        header, *rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        columns |= set(header)
        if any(len(row) != len(header) for row in rows):
            problems.append(f"{path.name}: a row of another length than the header")
        if "row_id" in header and len({row[header.index("row_id")] for row in rows}) < len(rows):
            problems.append(f"{path.name}: row_id is not unique")
    if columns != set(variables):
        problems.append(f"variables and columns differ: {columns ^ set(variables)}")
    return problems


def test_the_shared_folder_follows_psych_ds_and_its_judgments_come_back(experiment, tmp_path):
    table = judgments(experiment.lists, *answers(experiment))
    names = {"name": "A study", "description": "Of “things”, with a comma", "study": "one"}
    files = export_psych_ds(table, experiment.stimuli.metadata, tmp_path / "shared", **names)
    assert psych_ds_problems(tmp_path / "shared") == []
    back = validate(read_judgments(tmp_path / "shared" / files[0]).table, min_trials=0)
    for column in ("participant", "stimulus_id", "choice", "kind", "rt"):
        assert back[column].tolist() == table[column].tolist()


def test_the_rules_find_what_breaks_them(experiment, tmp_path):
    table = judgments(experiment.lists, *answers(experiment)).assign(stranger=1)
    names = {"name": "A study", "description": "x", "study": "one"}
    export_psych_ds(table, experiment.stimuli.metadata, tmp_path / "shared", **names)
    path = tmp_path / "shared" / "dataset_description.json"
    path.write_text(path.read_text().replace('"name": "stranger"', '"name": "friend"'))
    (tmp_path / "shared" / "data" / "Study_1.csv").write_text("a\n1\n")
    assert len(psych_ds_problems(tmp_path / "shared")) == 2


@pytest.mark.parametrize(
    "changed", [{"study": "my study"}, {"study": ""}, {"name": " "}, {"description": ""}]
)
def test_what_psych_ds_does_not_allow_is_refused(experiment, tmp_path, changed):
    names = {"name": "A study", "description": "x", "study": "one", **changed}
    table = judgments(experiment.lists, *answers(experiment))
    with pytest.raises(ControversyError):
        export_psych_ds(table, experiment.stimuli.metadata, tmp_path / "shared", **names)
    assert not (tmp_path / "shared").exists()


def test_judgments_of_nobody_are_an_empty_table(experiment):
    table = judgments(experiment.lists, [], [])
    assert (len(table), list(table.columns)) == (0, list(JUDGMENT_COLUMNS))


def test_an_export_never_overwrites_and_never_leaves_half(experiment, page, tmp_path, monkeypatch):
    export_psychopy(experiment, tmp_path / "out")
    with pytest.raises(ControversyError, match="exists already"):
        export_static(experiment, tmp_path / "out", page, told(experiment))

    def broken(path):
        raise OSError("no space left on device")

    monkeypatch.setattr("controversy.experiment._static.bare_png", broken)
    with pytest.raises(OSError, match="no space"):
        export_static(experiment, tmp_path / "site", page, told(experiment))
    assert {path.name for path in tmp_path.iterdir()} == {"experiment", "out"}


def test_a_page_that_is_not_built_is_an_error_that_says_how(tmp_path):
    with pytest.raises(ControversyError, match="make page"):
        built_page(tmp_path)


def test_a_page_without_the_mark_of_its_mode_is_not_exported(experiment, tmp_path, page):
    index = tmp_path / "index.html"
    index.write_text("<html></html>")
    with pytest.raises(ControversyError, match="make page"):
        export_static(experiment, tmp_path / "site", PageFiles(index, page.assets), told(experiment))


def test_lists_that_were_changed_are_refused(experiment):
    path = experiment.folder / "lists.csv"
    path.write_text(path.read_text().replace("main", "catch", 1))
    with pytest.raises(ControversyError, match="must not change"):
        read_experiment(experiment.folder)


def test_the_secret_is_its_owners_alone(experiment):
    path = experiment.folder / "secret.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    with pytest.raises(ControversyError, match="chmod 600"):
        read_experiment(experiment.folder)


def test_two_experiments_on_one_set_have_nothing_opaque_in_common(make_experiment):
    """Names of one study must not tell anything about another."""
    one, two = make_experiment("one"), make_experiment("two")
    assert one.lists["stimulus_id"].equals(two.lists["stimulus_id"])
    for column in ("trial_id", "image_name"):
        assert not set(one.lists[column]) & set(two.lists[column])
    assert one.secret.pseudonym("ann") != two.secret.pseudonym("ann")
