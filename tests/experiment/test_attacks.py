"""Whoever wishes the study no good gets a status and a short reason; it is logged, and nothing is stored."""

import http.client
import json
import sqlite3
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def server(start_server):
    return start_server()


@pytest.fixture(scope="module")
def two_sessions(server):
    with server.client() as client:
        return [client.post("/api/sessions", json={"participant": name}).json() for name in ("ann", "bob")]


@pytest.fixture
def refuse(server, two_sessions):
    """Sends a request that has to be refused, and looks into the log and the database afterwards."""

    def refuse(status: int, method: str, path: str, **request) -> dict:
        before, logged = stored(server), server.log.stat().st_size
        with server.client(request.pop("session", None)) as client:
            reply = client.request(method, path, **request)
        assert reply.status_code == status, reply.text
        reason = reply.json()["error"]
        assert 0 < len(reason) < 200
        line = server.log.read_bytes()[logged:].decode()
        assert f"refused {status} {method}" in line
        assert reason in line
        assert stored(server) == before
        return reply.json()

    return refuse


def stored(server) -> tuple:
    path = server.experiment.folder / "answers.sqlite"
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        tables = ("sessions", "answers", "meta")
        return tuple(database.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables)


def main_trial(told: dict, place: int = -1) -> dict:
    return [trial for trial in told["trials"] if not trial["practice"]][place]


def test_an_honest_answer_passes(server, two_sessions, answer_to):
    """The requests below differ from this one in one thing each."""
    with server.client(two_sessions[0]["session"]) as client:
        assert client.post("/api/trials", json=answer_to(main_trial(two_sessions[0], 0))).json()["new"]


@pytest.mark.parametrize(
    ("status", "changes"),
    [
        (404, {"trial_id": "00000000000000000000"}),
        (404, {"trial_id": "' OR 1=1 --"}),
        (422, {"trial_id": None}),
        (422, {"trial_id": "x" * 41}),
        (422, {"response": "up"}),
        (422, {"response": 1}),
        (422, {"response": None}),
        (422, {"confidence": 0}),
        (422, {"confidence": 5}),
        (422, {"confidence": -1}),
        (422, {"confidence": 2.5}),
        (422, {"confidence": "2"}),
        (422, {"confidence": True}),
        (422, {"confidence": None}),
        (422, {"confidence": 10**30}),
        (422, {"rt_ms": -1}),
        (422, {"rt_ms": 3_600_001}),
        (422, {"rt_ms": "800"}),
        (422, {"rt_ms": None}),
        (422, {"onset_ms": -5}),
        (422, {"shown_ms": 1e300}),
        (422, {"input": "telepathy"}),
        (422, {"answered_at": "yesterday"}),
        (422, {"answered_at": "2026-01-01T12:00:00" + "0" * 100}),
        (422, {"stimulus_id": "a", "choice": 1}),
    ],
    ids=str,
)
def test_an_answer_that_cannot_be_is_refused(refuse, two_sessions, answer_to, status, changes):
    told = two_sessions[0]
    sent = answer_to(main_trial(told), **changes)
    refuse(status, "POST", "/api/trials", session=told["session"], json=sent)


@pytest.mark.parametrize("field", ["trial_id", "response", "rt_ms", "input", "answered_at"])
def test_an_answer_without_a_field_is_refused(refuse, two_sessions, answer_to, field):
    told = two_sessions[0]
    sent = {name: value for name, value in answer_to(main_trial(told)).items() if name != field}
    reason = refuse(422, "POST", "/api/trials", session=told["session"], json=sent)["error"]
    assert field in reason


def test_an_answer_to_somebody_elses_trial_is_refused(refuse, two_sessions, answer_to):
    ann, bob = two_sessions
    sent = answer_to(main_trial(bob))
    reply = refuse(403, "POST", "/api/trials", session=ann["session"], json=sent)
    assert reply["error"] == "this trial belongs to another session"


def test_an_answer_to_a_practice_trial_is_refused(refuse, two_sessions, answer_to):
    told = two_sessions[0]
    practice = next(trial for trial in told["trials"] if trial["practice"])
    refuse(422, "POST", "/api/trials", session=told["session"], json=answer_to(practice))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"rt_ms": NaN}',
        b'{"rt_ms": Infinity}',
        b"[]",
        b"3",
        b"null",
        b'"left"',
        b"[" * 10_000,
        b"\x00" * 100,
    ],
    ids=lambda body: repr(body[:16]),
)
def test_what_is_no_json_object_is_refused(refuse, two_sessions, body):
    refuse(400, "POST", "/api/trials", session=two_sessions[0]["session"], content=body)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"screen": 1},
        {"screen": {"width": 1, "height": 1, "pixel_ratio": 1}, "viewport": {"width": 1, "height": 1}},
        {
            "screen": {"width": 1, "height": 1, "pixel_ratio": 1},
            "viewport": {"width": 1, "height": 1},
            "time_zone": "x" * 65,
            "touch": False,
        },
        {
            "screen": {"width": 1, "height": 1, "pixel_ratio": 1},
            "viewport": {"width": 1, "height": 1},
            "time_zone": "UTC",
            "touch": False,
            "user_agent": "who I am",
        },
    ],
    ids=range(5),
)
def test_an_environment_that_says_too_little_or_too_much_is_refused(refuse, two_sessions, environment):
    session = two_sessions[0]["session"]
    refuse(422, "POST", "/api/sessions/environment", session=session, json=environment)


@pytest.mark.parametrize("session", [None, "x", "0" * 64, "é", "a b", "x" * 5000], ids=repr)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/sessions"),
        ("POST", "/api/trials"),
        ("POST", "/api/sessions/environment"),
        ("POST", "/api/sessions/complete"),
    ],
)
def test_who_has_no_session_gets_nowhere(refuse, two_sessions, answer_to, session, method, path):
    body = {"json": answer_to(main_trial(two_sessions[0]))} if method == "POST" else {}
    refuse(401, method, path, session=session, **body)


@pytest.mark.parametrize(
    "participant", ["", 7, "x" * 201, "a\x00b", "two\nlines", ["a"], {"$ne": 1}], ids=repr
)
def test_an_id_that_is_none_is_refused(refuse, participant):
    refuse(422, "POST", "/api/sessions", json={"participant": participant})


@pytest.mark.parametrize("path", ["/api/trials", "/api/sessions", "/api/sessions/environment"])
def test_a_body_over_the_limit_is_refused(refuse, two_sessions, path):
    body = b'{"participant": "' + b"x" * 16_384 + b'"}'
    refuse(413, "POST", path, session=two_sessions[0]["session"], content=body)


def test_a_body_over_the_limit_is_refused_before_it_has_arrived(server, two_sessions):
    """One that says its length at once; one that does not, after the limit: neither waits for the end."""
    host, port = server.url.removeprefix("http://").split(":")
    token = two_sessions[0]["session"]
    for headers, sent in [
        ({"Content-Length": str(10**9)}, b"{"),
        ({"Transfer-Encoding": "chunked"}, b"4001\r\n" + b"x" * 0x4001 + b"\r\n"),
    ]:
        connection = http.client.HTTPConnection(host, int(port), timeout=10)
        connection.putrequest("POST", "/api/trials")
        for name, value in {**headers, "Authorization": f"Bearer {token}"}.items():
            connection.putheader(name, value)
        connection.endheaders()
        connection.send(sent)
        reply = connection.getresponse()
        assert reply.status == 413
        assert "16384" in json.loads(reply.read())["error"]
        connection.close()


@pytest.mark.parametrize(
    "name",
    [
        "../secret.json",
        "..%2Fsecret.json",
        "..%2f..%2f..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/experiment.json",
        "....//secret.json",
        "..\\secret.json",
        "/etc/passwd",
        "%00",
        "images/a.png",
        "0" * 24 + ".png",
        "",
    ],
)
@pytest.mark.parametrize("folder", ["/api/images/", "/assets/"])
def test_no_name_of_a_file_leads_out_of_its_place(server, folder, name):
    """Sent as it is: clients tidy such paths up before they send them."""
    host, port = server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    connection.putrequest("GET", folder + name, skip_host=False)
    connection.endheaders()
    reply = connection.getresponse()
    text = reply.read()
    assert reply.status == 404
    assert len(json.loads(text)["error"]) < 100
    connection.close()


def test_the_names_of_stimuli_lead_to_no_image(refuse, server):
    for name in server.experiment.stimuli.metadata["file_name"].head(3):
        refuse(404, "GET", f"/api/images/{Path(name).name}")


@pytest.mark.parametrize("path", ["/owner", "/owner/judgments.csv", "/owner/sessions.csv"])
def test_the_owners_pages_need_the_token(refuse, two_sessions, path):
    refuse(401, "GET", path)
    refuse(401, "GET", path, session=two_sessions[0]["session"])
    refuse(403, "GET", path, headers={"cookie": "controversy_owner=guess"})


@pytest.mark.parametrize("token", ["", "guess", "é", "x" * 5000])
def test_a_guessed_token_is_refused(refuse, token):
    refuse(403, "GET", "/owner", params={"token": token})


def test_the_token_itself_is_no_cookie(refuse, server):
    """Who sees the address once cannot make the cookie from it, nor the other way round."""
    cookie = f"controversy_owner={server.experiment.secret.owner_token}"
    refuse(403, "GET", "/owner", headers={"cookie": cookie})


@pytest.mark.parametrize("path", ["/owner/open", "/owner/close"])
def test_only_the_owner_opens_and_closes_the_study(refuse, path):
    refuse(401, "POST", path)


def test_another_site_cannot_use_the_owners_cookie(server):
    with server.client() as client:
        reply = client.get("/owner", params={"token": server.experiment.secret.owner_token})
    cookie = reply.headers["set-cookie"].lower()
    assert reply.status_code == 303
    assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/owner"))
    assert server.experiment.secret.owner_token.lower() not in cookie


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/trials"),
        ("DELETE", "/api/trials"),
        ("PUT", "/api/sessions"),
        ("POST", "/owner"),
        ("GET", "/owner/close"),
    ],
)
def test_other_methods_are_refused(refuse, method, path):
    refuse(405, method, path)


@pytest.mark.parametrize("path", ["/admin", "/.git/config", "/docs", "/openapi.json", "/answers.sqlite"])
def test_there_is_nothing_else(refuse, path):
    refuse(404, "GET", path)


PATHS = ["/", "/assets/app.js", "/api/sessions", "/api/images/none.png", "/owner", "/nowhere"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_forbids_script_from_elsewhere(server, path):
    with server.client() as client:
        headers = client.get(path).headers
    policy = {part.split()[0]: part.split()[1:] for part in headers["content-security-policy"].split(";")}
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == ["'self'"]
    assert policy["frame-ancestors"] == ["'none'"]
    assert "unsafe-inline" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    if path.startswith(("/api", "/owner")):
        assert headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_a_flood_from_one_address_is_slowed_down(start_server):
    """Whatever is asked for: also pages that are not there, and tokens that are guessed."""
    server = start_server(per_address=[1, 20])
    with server.client() as client:
        statuses = [client.get("/owner?token=guess").status_code for _ in range(40)]
        last = client.get("/")
    assert statuses[:20] == [403] * 20
    assert set(statuses[21:]) == {429}
    assert last.status_code == 429
    assert int(last.headers["retry-after"]) >= 1
    assert "refused 429" in server.log.read_text()
    assert "127.0.0.1" not in server.log.read_text().split("running on", 1)[-1].split("\n", 1)[-1]
    server.kill()


def test_a_flood_of_one_session_and_of_new_sessions_is_slowed_down(start_server, answer_to):
    server = start_server(per_session=[1, 5], joining=[0.1, 2])
    with server.client() as client:
        told = client.post("/api/sessions", json={"participant": "ann"}).json()
        client.post("/api/sessions", json={"participant": "bob"}).raise_for_status()
        third = client.post("/api/sessions", json={"participant": "eve"})
    assert third.status_code == 429
    assert 8 <= int(third.headers["retry-after"]) <= 10
    with server.client(told["session"]) as client:
        replies = [client.post("/api/trials", json=answer_to(main_trial(told, i))) for i in range(8)]
    assert [reply.status_code for reply in replies[:5]] == [200] * 5
    assert {reply.status_code for reply in replies[5:]} == {429}
    assert stored(server)[:2] == ((2,), (5,))
    server.kill()
