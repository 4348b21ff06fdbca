"""The task in a real browser, against a real server process and from plain files."""

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from controversy.errors import ControversyError
from controversy.experiment import (
    PageSettings,
    Store,
    built_page,
    export_static,
    judgments,
    sqlite_url,
    study,
)
from controversy.judgments import read_jspsych, validate

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: it comes with [dev]"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    PAGE = built_page()
except ControversyError as problem:
    pytest.skip(str(problem), allow_module_level=True)
if CHROMIUM is None:
    pytest.skip("needs a browser: Debian's package chromium", allow_module_level=True)

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]
SETTINGS = {
    "fixation_ms": 50,
    "confidence": ["guessing", "unsure", "sure"],
    "break_every": 3,
    "max_retry_s": 1,
}
MODELS = ("digits_resnet", "digits_vit", "digits_convnext", "digits_swin")
CONNECTION_LOST = re.compile("ERR_INTERNET_DISCONNECTED")


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(start_server, short_experiment):
    return start_server(short_experiment, settings=SETTINGS, page=PAGE)


class Participant:
    """Somebody in a window of their own, and all that their browser gets and complains of."""

    def __init__(self, context, url: str) -> None:
        self.context, self.url = context, url
        self.console: list[str] = []
        self.received: list[tuple[str, dict, bytes]] = []
        self.clicked: list[tuple[str, int]] = []
        self.window = context.new_page()
        self.window.set_default_timeout(20_000)
        self.window.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        self.window.on("pageerror", lambda error: self.console.append(f"error: {error}"))

    def record(self) -> "Participant":
        """Keeps everything that the browser receives from now on."""

        def handle(route) -> None:
            response = route.fetch()
            self.received.append((response.url, response.headers, response.body()))
            route.fulfill(response=response)

        self.context.route("**/*", handle)
        return self

    def come(self, query: str = "") -> "Participant":
        self.window.goto(self.url + query)
        return self

    def press(self, name: str) -> None:
        self.window.get_by_role("button", name=name, exact=True).click()

    def begin(self, query: str = "") -> "Participant":
        self.come(query)
        self.press("I agree to take part")
        self.press("Begin")
        return self

    @property
    def where(self) -> str:
        return self.window.locator("#progress-text").inner_text()

    def judge(self, side: str, level: int, kind: str = "Picture") -> None:
        """Answers one trial by mouse."""
        self.window.locator("#progress-text", has_text=kind).wait_for()
        before = self.where
        self.window.locator(".answers:not(.scale) button").nth(("left", "right").index(side)).click()
        self.window.locator(".scale button").nth(level - 1).click()
        self.clicked.append((side, level))
        self.window.wait_for_function(
            "text => document.getElementById('progress-text').innerText !== text || "
            "document.getElementById('progress').hidden || document.querySelector('.panel')",
            arg=before,
        )

    def judge_all(self, n: int, start: int = 0) -> None:
        for i in range(start, n):
            if i and i % SETTINGS["break_every"] == 0:
                self.press("Go on")
            self.judge(("left", "right")[i % 2], 1 + i % 3)

    def practise(self) -> None:
        self.judge("left", 1, "Practice")
        self.clicked.clear()
        self.press("Go on")

    def double_click(self, selector: str) -> None:
        """Clicks, and 150 ms later, by the page's own clock, clicks what is there then."""
        self.window.locator(selector).first.wait_for()
        self.window.evaluate(
            """async selector => {
                const { x, y } = document.querySelector(selector).getBoundingClientRect();
                const click = () => document.elementFromPoint(x + 20, y + 20).closest("button")?.click();
                click();
                await new Promise(resolve => setTimeout(() => resolve(click()), 150));
            }""",
            selector,
        )

    def text(self) -> str:
        return self.window.locator("#experiment").inner_text()

    def wait_for(self, text: str) -> None:
        self.window.get_by_text(text).first.wait_for()


@pytest.fixture
def participant(browser, server) -> Iterator[Callable[..., Participant]]:
    contexts = []

    def make(url: str = server.url, **options) -> Participant:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 800}, **options))
        return Participant(contexts[-1], url)

    yield make
    for context in contexts:
        context.close()


def stored(server, participant: str) -> pd.DataFrame:
    """The judgments of one participant, out of the server's database, in the order of the list."""
    lists = server.experiment.lists
    store = Store(
        sqlite_url(server.experiment.folder / "answers.sqlite"),
        lists=server.experiment.record["lists"],
        n_lists=lists["list"].nunique(),
        abandoned_after=timedelta(hours=2),
    )
    try:
        table = judgments(lists, store.sessions(), store.answers())
    finally:
        store.dispose()
    return table[table["participant"] == server.experiment.secret.pseudonym(participant)]


def n_scored(server) -> int:
    lists = server.experiment.lists
    return int(((lists["list"] == 0) & (lists["kind"] != "practice")).sum())


def answers(table: pd.DataFrame) -> list[tuple[str, int]]:
    return list(zip(table["response"], table["confidence"], strict=True))


def test_a_session_by_mouse_is_stored_as_it_was_clicked_and_the_browser_learns_nothing(participant, server):
    person = participant().record().begin("/?participant=mouse")
    person.practise()
    person.judge_all(n_scored(server))
    person.wait_for("C0DE")
    table = stored(server, "mouse")
    assert answers(table) == person.clicked
    assert set(table["input"]) == {"button"}
    assert (table["rt"] > 0).all()
    assert (table["onset_ms"].diff().dropna() > 0).all()
    assert (table["shown_ms"] >= 1000 * table["rt"]).all()  # it stays until the answer
    left = table["left_alternative"]
    assert (table["choice"] == left.where(table["response"] == "left", 3 - left)).all()
    assert person.console == []
    told = [*MODELS, *server.experiment.lists["stimulus_id"].unique(), "catch", "left_alternative", "mouse"]
    seen = [(url, str(headers).encode() + body) for url, headers, body in person.received]
    assert len(seen) > 2 * n_scored(server)
    for url, content in seen:
        address = url.removesuffix("/?participant=mouse")
        assert address.startswith(server.url)
        if not url.endswith(("app.js", "app.css")):  # which are the same for every study
            assert not [secret for secret in told if secret.encode() in content or secret in address]


def test_a_session_by_keyboard_alone(participant, server):
    person = participant().come("/?participant=keyboard")
    press, n = person.window.keyboard.press, n_scored(server)
    person.wait_for("I agree")
    person.window.locator("button.main:enabled").wait_for()
    press("Tab")
    assert person.window.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press("Enter")
    person.window.locator("button.main:focus", has_text="Begin").wait_for()
    press("Space")
    given = []
    for i in range(-1, n):
        if i == 0 or (i > 0 and i % SETTINGS["break_every"] == 0):
            person.window.locator("button.main:focus", has_text="Go on").wait_for()
            press("Enter")
        person.window.locator("#progress-text", has_text=f"{max(i, 0) + 1} of").wait_for()
        person.window.locator(".answers:not(.scale) button:enabled").first.wait_for()
        press("fj"[i % 2])
        person.window.locator(".scale").wait_for()
        press(str(1 + i % 3))
        given.append((("left", "right")[i % 2], 1 + i % 3))
    person.wait_for("C0DE")
    table = stored(server, "keyboard")
    assert answers(table) == given[1:]
    assert set(table["input"]) == {"key"}
    assert person.console == []


def test_a_reload_in_the_middle_continues_at_the_first_unanswered_trial(participant, server):
    person = participant().begin("/?participant=reload")
    person.practise()
    person.judge_all(2)
    person.window.locator(".answers:not(.scale) button").first.click()  # half a trial: no confidence yet
    person.window.reload()
    person.wait_for("Welcome back")
    assert "2 of" in person.text()
    person.press("Go on")
    person.window.locator("#progress-text", has_text="Picture 3 of").wait_for()
    person.judge_all(n_scored(server), start=2)
    person.wait_for("C0DE")
    assert answers(stored(server, "reload")) == person.clicked


def test_going_offline_for_some_trials_loses_none(participant, server):
    person = participant().begin("/?participant=offline")
    person.practise()
    person.judge_all(1)
    person.context.set_offline(True)
    person.judge_all(3, start=1)
    person.wait_for("No connection")
    assert len(stored(server, "offline")) <= 1
    person.context.set_offline(False)
    person.press("Go on")
    person.window.locator("#status", has_text=re.compile("^$")).wait_for(state="attached")
    for i in range(3, n_scored(server)):
        if i > 3 and i % SETTINGS["break_every"] == 0:
            person.press("Go on")
        person.judge("left", 2)
    person.wait_for("C0DE")
    assert answers(stored(server, "offline")) == person.clicked
    assert all(CONNECTION_LOST.search(line) for line in person.console)


def test_answers_that_a_closed_page_could_not_send_are_sent_when_it_comes_back(participant, server):
    person = participant().begin("/?participant=closed")
    person.practise()
    person.context.route("**/api/trials", lambda route: route.abort())
    person.judge_all(2)
    person.window.close(run_before_unload=False)
    assert len(stored(server, "closed")) == 0
    person.context.unroute("**/api/trials")
    again = person.context.new_page()
    again.goto(server.url + "/?participant=closed")
    again.get_by_text("Welcome back").wait_for()
    assert "2 of" in again.locator("#experiment").inner_text()
    again.get_by_role("button", name="Go on").click()
    again.locator(".answers button:enabled").first.wait_for()
    again.wait_for_function("() => !Object.keys(localStorage).some(key => key.includes('.answer.'))")
    assert answers(stored(server, "closed")) == person.clicked


def test_a_double_click_answers_once_and_another_id_in_the_address_is_another_person(participant, server):
    person = participant().begin("/?participant=double")
    person.practise()
    person.double_click(".answers:not(.scale) button:enabled")
    person.window.locator(".scale button:enabled").first.wait_for()
    assert person.where.startswith("Picture 1 of")
    person.double_click(".scale button:enabled")
    person.window.locator(".answers:not(.scale) button:enabled").first.wait_for()
    assert person.where.startswith("Picture 2 of")
    assert len(stored(server, "double")) == 1
    person.come("/?participant=other")
    person.wait_for("I agree to take part")
    person.press("I do not agree")
    person.wait_for("You chose not to take part")
    assert person.console == []


@pytest.mark.parametrize("ratio", [1, 1.5, 2.625])
def test_each_pixel_of_an_image_is_a_square_of_screen_pixels(participant, server, ratio):
    person = participant(device_scale_factor=ratio).begin(f"/?participant=pixels{ratio}")
    person.window.locator(".answers button:enabled").first.wait_for()
    box = person.window.locator(".stage canvas").bounding_box()
    shot = np.asarray(Image.open(io.BytesIO(person.window.screenshot())).convert("RGB"))
    left, top, side = (round(box[name] * ratio) for name in ("x", "y", "width"))
    assert side % 8 == 0
    shown = shot[top : top + side, left : left + side]
    squares = shown.reshape(8, side // 8, 8, side // 8, 3)
    assert (squares == squares[:, :1, :, :1]).all()
    pixels = squares[:, 0, :, 0]
    images = [np.asarray(Image.open(path).convert("RGB")) for path in server.experiment.image_paths.values()]
    assert any((pixels == image).all() for image in images)


def test_the_static_page_runs_from_a_plain_file_server_and_its_file_is_read(participant, server, tmp_path):
    told = study(PageSettings(**SETTINGS), {}, server.experiment.image_size)
    key = export_static(server.experiment, tmp_path / "site", PAGE, told)
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    files = subprocess.Popen(
        command, cwd=tmp_path / "site", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        port = re.search(rb"port (\d+)", files.stdout.readline())[1].decode()
        person = participant(f"http://127.0.0.1:{port}", accept_downloads=True)
        person.begin("/?participant=static&list=2")
        person.practise()
        person.judge_all(2)
        person.window.reload()
        person.press("Go on")
        n = n_scored(server)
        person.judge_all(n - 1, start=2)
        if (n - 1) % SETTINGS["break_every"] == 0:
            person.press("Go on")
        with person.window.expect_download() as download:
            person.judge("right", 3)
        download.value.save_as(tmp_path / "data" / "answers.json")
        with person.window.expect_download() as download:
            person.press("Save as CSV")
        download.value.save_as(tmp_path / "data.csv")
    finally:
        files.kill()
        files.communicate()
    assert person.console == []
    table = pd.read_csv(key, dtype={"trial_id": str, "stimulus_id": str})
    for data in (tmp_path / "data", tmp_path / "data.csv"):
        read = validate(read_jspsych(data, {}, table).table, min_trials=0)
        assert answers(read) == person.clicked
        assert set(read["participant"]) != {"static"}
        own = table[(table["list"] == 2) & (table["kind"] != "practice")]
        assert list(read["stimulus_id"]) == list(own["stimulus_id"])
        left = own["left_alternative"].to_numpy()
        sides = np.array([side == "left" for side, _ in person.clicked])
        assert list(read["choice"]) == list(np.where(sides, left, 3 - left))
    rows = json.loads((tmp_path / "data" / "answers.json").read_text(encoding="utf-8"))
    assert rows[0]["trial_type"] == "environment"
    assert rows[0]["viewport_width"] == 1280
    assert not any("static" in json.dumps(row) for row in rows)
    assert Path(key).parent == server.experiment.folder
