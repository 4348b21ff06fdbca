"""Whole sessions against a real server process."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from controversy.experiment import JUDGMENT_COLUMNS
from controversy.judgments import ExclusionRules, apply_exclusions, validate

ENVIRONMENT = {
    "screen": {"width": 1280, "height": 800, "pixel_ratio": 2},
    "viewport": {"width": 1280, "height": 700.5},
    "time_zone": "Europe/Berlin",
    "refresh_rate_hz": 59.94,
    "touch": False,
}


@pytest.fixture(scope="module")
def shared(start_server):
    """A server that many tests may use, each as somebody else."""
    return start_server()


def join(server, name: str) -> dict:
    with server.client() as client:
        return client.post("/api/sessions", json={"participant": name}).raise_for_status().json()


@pytest.fixture
def joined(shared, request):
    """The shared server, and what it told a new participant."""
    return shared, join(shared, request.node.name)


@pytest.fixture
def alone(start_server):
    """A server of its own, and what it told its only participant."""
    server = start_server()
    yield server, join(server, "PROLIFIC-1")
    server.kill()


def test_a_whole_session_becomes_canonical_judgments(alone, answer_to):
    server, told = alone
    scored = [trial for trial in told["trials"] if not trial["practice"]]
    with server.client(told["session"]) as client:
        assert client.post("/api/sessions/environment", json=ENVIRONMENT).status_code == 204
        for i, trial in enumerate(scored):
            sent = answer_to(trial, response=["left", "right"][i % 2], confidence=1 + i % 4)
            done = client.post("/api/trials", json=sent)
            assert (done.status_code, done.json()) == (200, {"stored": True, "new": True})
        done = client.post("/api/sessions/complete", json={})
        completion = {"url": "https://example.org/done", "code": "C0DE"}
        assert (done.status_code, done.json()) == (200, {"completion": completion})
        token = server.experiment.secret.owner_token
        owner = client.get(f"/owner?token={token}", follow_redirects=True)
        assert owner.status_code == 200
        assert token not in str(owner.url)
        text = client.get("/owner/judgments.csv").text
        sessions = list(csv.DictReader(io.StringIO(client.get("/owner/sessions.csv").text)))
    table = validate(pd.read_csv(io.StringIO(text), dtype={"participant": str, "stimulus_id": str}))
    assert list(table.columns) == list(JUDGMENT_COLUMNS)
    lists = server.experiment.lists
    own = lists[lists["list"] == int(sessions[0]["list"])]
    own = own[own["kind"] != "practice"].reset_index(drop=True)
    assert table["stimulus_id"].tolist() == own["stimulus_id"].tolist()
    assert table["kind"].tolist() == own["kind"].tolist()
    # What was on the left is what the label on the left says, whichever alternative that is.
    for row, shown, trial in zip(table.itertuples(), own.itertuples(), scored, strict=True):
        chosen = trial[row.response]
        assert chosen == getattr(shown, f"class_{row.choice}_name")
    assert table["rt"].eq(0.85025).all()
    assert sessions[0]["screen_width"] == "1280.0"
    assert sessions[0]["completed_at"]
    # The rules on catch trials and repeats find what they need.
    rules = ExclusionRules(min_catch_accuracy=0, min_repeat_consistency=0, max_rt=3)
    assert len(apply_exclusions(table, rules)[0]) == len(table)


def test_the_browser_is_told_nothing_of_models_stimuli_or_kinds(joined):
    """Names of models and stimuli, numbers of classes, and which trial is a catch trial or a repeat."""
    server, told = joined
    assert all(set(t) == {"trial_id", "image", "left", "right", "practice"} for t in told["trials"])
    names = [trial[key] for trial in told["trials"] for key in ("trial_id", "image")]
    assert len(set(names)) == len(names)
    text = json.dumps(told)
    metadata = server.experiment.stimuli.metadata
    forbidden = {*metadata["model_1"], *metadata["model_2"], *metadata["stimulus_id"]}
    forbidden |= {"catch", "repeat", "clear", "class_1", "left_alternative", "correct", "logit", "model"}
    assert [word for word in forbidden if word in text] == []


def test_an_image_is_the_stimulus_to_the_pixel_and_nothing_else(joined):
    server, told = joined
    experiment = server.experiment
    with server.client() as client:
        for trial in told["trials"]:
            reply = client.get(f"/api/images/{trial['image']}").raise_for_status()
            assert reply.headers["content-type"] == "image/png"
            assert "immutable" in reply.headers["cache-control"]
            shown = Image.open(io.BytesIO(reply.content))
            assert shown.info == {}
            saved = Image.open(experiment.image_paths[trial["image"]]).convert("RGB")
            assert np.array_equal(np.asarray(shown), np.asarray(saved))


def test_metadata_inside_a_png_does_not_reach_the_browser(tmp_path):
    from PIL.PngImagePlugin import PngInfo

    from controversy.experiment._images import bare_png

    notes = PngInfo()
    notes.add_text("Comment", "made against digits_resnet")
    picture = Image.new("RGB", (4, 4), (1, 2, 3))
    picture.save(tmp_path / "a.png", pnginfo=notes, dpi=(300, 300), icc_profile=b"a camera of ours")
    assert b"digits_resnet" in (tmp_path / "a.png").read_bytes()
    bare = bare_png(tmp_path / "a.png")
    assert b"digits_resnet" not in bare
    assert Image.open(io.BytesIO(bare)).info == {}


def test_a_participant_continues_after_a_reload_a_restart_and_on_another_browser(
    alone, answer_to, start_server
):
    server, told = alone
    trials = [trial for trial in told["trials"] if not trial["practice"]]
    with server.client(told["session"]) as client:
        client.post("/api/trials", json=answer_to(trials[0])).raise_for_status()
        assert client.get("/api/sessions").json() == {**told, "answered": [trials[0]["trial_id"]]}
    server.kill()
    again = start_server(server.experiment)
    with again.client() as client:
        back = client.post("/api/sessions", json={"participant": " PROLIFIC-1 "}).json()
        assert back == {**told, "answered": [trials[0]["trial_id"]]}
        other = client.post("/api/sessions", json={"participant": "PROLIFIC-2"}).json()
        assert other["session"] != told["session"]
        assert not {t["trial_id"] for t in other["trials"]} & {t["trial_id"] for t in told["trials"]}


def test_who_gives_no_id_is_somebody_new_each_time(shared):
    with shared.client() as client:
        sessions = [
            client.post("/api/sessions", json={"participant": None}).json()["session"] for _ in range(2)
        ]
    assert sessions[0] != sessions[1]


def test_a_second_answer_changes_nothing(alone, answer_to):
    server, told = alone
    trial = next(trial for trial in told["trials"] if not trial["practice"])
    with server.client(told["session"]) as client:
        replies = [
            client.post("/api/trials", json=answer_to(trial, response=side)).json()
            for side in ("right", "left")
        ]
        assert replies == [{"stored": True, "new": True}, {"stored": True, "new": False}]
        client.get(f"/owner?token={server.experiment.secret.owner_token}")
        (row,) = csv.DictReader(io.StringIO(client.get("/owner/judgments.csv").text))
    assert row["response"] == "right"


def test_a_session_with_missing_answers_is_not_complete(joined, answer_to):
    server, told = joined
    trials = [trial for trial in told["trials"] if not trial["practice"]]
    with server.client(told["session"]) as client:
        for trial in trials[:-2]:
            client.post("/api/trials", json=answer_to(trial)).raise_for_status()
        reply = client.post("/api/sessions/complete", json={})
    assert reply.status_code == 409
    assert reply.json()["missing"] == [trial["trial_id"] for trial in trials[-2:]]


def test_there_is_room_for_as_many_as_there_are_lists(start_server):
    server = start_server()
    n = server.experiment.lists["list"].nunique()
    with server.client() as client:
        for i in range(n):
            assert client.post("/api/sessions", json={"participant": f"p{i}"}).status_code == 200
        full = client.post("/api/sessions", json={"participant": "one more"})
        assert (full.status_code, full.json()) == (409, {"error": "all places in this study are taken"})
        assert client.post("/api/sessions", json={"participant": "p0"}).status_code == 200


def test_the_owner_closes_and_opens_the_study(start_server):
    server = start_server()
    with server.client() as client:
        client.get(f"/owner?token={server.experiment.secret.owner_token}")
        client.post("/api/sessions", json={"participant": "early"}).raise_for_status()
        assert client.post("/owner/close").status_code == 303
        closed = client.post("/api/sessions", json={"participant": "late"})
        assert (closed.status_code, closed.json()) == (403, {"error": "this study is closed"})
        assert client.post("/api/sessions", json={"participant": "early"}).status_code == 200
        assert "closed to" in client.get("/owner").text
        client.post("/owner/open")
        assert client.post("/api/sessions", json={"participant": "late"}).status_code == 200


def test_no_id_is_written_down_anywhere(alone, answer_to):
    """Neither in the database, nor in its log, nor in the experiment's files, nor in the server's own log."""
    server, told = alone
    with server.client(told["session"]) as client:
        trial = next(trial for trial in told["trials"] if not trial["practice"])
        client.post("/api/trials", json=answer_to(trial)).raise_for_status()
        client.get("/?participant=PROLIFIC-1")
        assert client.get("/nowhere?participant=PROLIFIC-1").status_code == 404
    server.kill()
    written = [path for path in server.experiment.folder.rglob("*") if path.is_file()]
    assert any(path.name == "answers.sqlite" for path in written)
    for path in [*written, server.log]:
        assert b"PROLIFIC-1" not in path.read_bytes(), path
        assert told["session"].encode() not in path.read_bytes(), path
