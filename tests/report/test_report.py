import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from controversy.judgments import validate
from controversy.observers import Observers, reference_design, simulate
from controversy.report import (
    Disagreement,
    Picture,
    draw_figures,
    figure_by_model,
    figure_power,
    findings,
    methods,
    page,
    save,
    worst_stimuli,
)
from controversy.scoring import ScoringOptions, logistic_check, respond, score


@pytest.fixture(scope="module")
def study():
    design = reference_design(24, n_synthesis=3, held_out=(0.8,), seed=0)
    people = simulate(design.items, Observers(shared=2), n_participants=6, shared_signal=design.shared)
    responses = respond(validate(people.judgments), design.items)
    options = ScoringOptions(n_samples=40, n_samples_slow=20)
    return responses, options, score(responses, options)[0]


def test_every_measure_is_drawn_as_png_and_svg(study, tmp_path):
    responses, _, scores = study
    pictures = draw_figures(tmp_path, scores, responses, 0.95)
    measures = {name for name in scores["measure"] if not name.endswith("_shortfall")}
    assert {picture.svg.stem for picture in pictures} == measures | {"model_pairs"}
    for picture in pictures:
        assert picture.svg.read_text().startswith("<?xml")
        with Image.open(picture.svg.with_suffix(".png")) as image:
            assert min(image.size) > 300


def test_a_figure_shows_the_estimates_that_it_is_given(study):
    scores = study[2]
    figure = figure_by_model(scores, "accuracy", 0.5)
    drawn = np.concatenate(
        [bars.lines[0].get_xdata() for bars in figure.axes[0].containers if hasattr(bars, "lines")]
    )
    rows = scores[(scores["measure"] == "accuracy") & (scores["subset"] != "all")]
    np.testing.assert_allclose(np.sort(drawn.astype(float)), np.sort(rows["estimate"]))


def test_the_same_figure_is_the_same_file(study, tmp_path):
    first = save(figure_by_model(study[2], "accuracy", 0.5), tmp_path / "one")
    second = save(figure_by_model(study[2], "accuracy", 0.5), tmp_path / "two")
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes()


def test_power_is_drawn_for_both_tests():
    rows = [
        (p, s, "m", t, 0.5, 0.4, 0.6, 9) for p in (10, 20) for s in (50, 100) for t in ("chance", "ceiling")
    ]
    names = ["participants", "stimuli", "model", "test", "power", "ci_low", "ci_high", "n_repetitions"]
    figure = figure_power(pd.DataFrame(rows, columns=names), "m")
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "m: better than chance",
        "m: below the noise ceiling",
    ]


def test_findings_say_the_numbers_of_the_table(study):
    scores = study[2]
    text = " ".join(findings(scores))
    rows = scores[(scores["measure"] == "accuracy") & (scores["subset"] == "targeted")]
    assert f"{rows['estimate'].min():.1%} to {rows['estimate'].max():.1%}" in text
    assert "3 models predicted" in text
    assert "1 model predicted" in text


def test_methods_say_what_was_done(study):
    _, options, scores = study
    text = " ".join(methods(scores, options, ["max_rt=9: 1 left out"], ["a note"], "0.0"))
    for words in (
        "40 bootstrap samples",
        "20 for",
        "seed 0",
        "Benjamini",
        "max_rt=9",
        "A note.",
        "95% intervals",
    ):
        assert words in text


class Sources(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in {"src", "href"}]
        assert tag not in {"script", "iframe", "link"}

    def handle_data(self, data):
        self.text += data


def test_the_page_needs_nothing_else_and_escapes_what_it_is_told(study, tmp_path):
    responses, options, scores = study
    images = {}
    for name in responses.items.ids:
        images[name] = tmp_path / f"{name}.png"
        Image.new("RGB", (4, 4), "red").save(images[name])
    (tmp_path / "f.svg").write_text("<svg/>")
    worst = worst_stimuli(responses, images, 2)
    html = page(
        title="<b>Which & whose</b>",
        findings=findings(scores),
        facts=[("participants", "6")],
        exclusions=pd.DataFrame([("max_rt", 9.0, 0, 1)], columns=["rule", "value", "participants", "trials"]),
        pictures=[Picture(tmp_path / "f.svg", "A figure", "What it shows")],
        scores=scores,
        logistic=logistic_check(responses),
        disagreements=worst,
        methods=methods(scores, options, [], [], "0.0"),
    )
    parser = Sources()
    parser.feed(html)
    assert parser.found
    assert all(source.startswith("data:image/") for source in parser.found)
    assert not re.search(r"url\(|@import|https?://", html)
    assert "<b>Which & whose</b>" in parser.text
    assert "nan" not in re.sub(r"data:[^\"]*", "", html).lower()
    assert sum(len(stimuli) for _, stimuli in worst) == sum(
        source.startswith("data:image/png") for source in parser.found
    )


def test_a_disagreement_says_who_says_what(study):
    responses = study[0]
    for model, stimuli in worst_stimuli(responses, {}, 1):
        assert isinstance(stimuli[0], Disagreement)
        column = responses.items.models.index(model)
        row = responses.items.ids.index(stimuli[0].stimulus_id)
        choice = 2 if responses.items.evidence[row, column] > 0 else 1
        share = np.mean(responses.choice[:, row] == choice - 1)
        assert f"alternative {choice}" in stimuli[0].text
        assert f"{share:.0%} of 6 people" in stimuli[0].text
