"""What the page is told, and that no text of the scientist brings script into it."""

import pytest

from controversy.errors import ControversyError
from controversy.experiment import PageSettings, study

# The keys that page/src reads.
TOLD = {
    "title",
    "consent_html",
    "instructions_html",
    "thanks_html",
    "question",
    "image_ms",
    "fixation_ms",
    "mask",
    "mask_ms",
    "confidence",
    "break_every",
    "image_size",
    "image_scale",
    "keys",
    "max_retry_s",
}


def test_the_page_is_told_what_it_was_agreed_to_be_told():
    told = study(PageSettings(), {}, (32, 32))
    assert set(told) == TOLD
    assert told["keys"] == {"left": "f", "right": "j"}
    assert told["confidence"] == {"labels": ["guessing", "unsure", "fairly sure", "sure"]}
    assert told["image_size"] == [32, 32]
    assert "<h1>" in told["consent_html"]


def test_a_text_is_markdown_and_nothing_else(tmp_path):
    path = tmp_path / "consent.md"
    path.write_text(
        "# Hello\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n"
        "[bad](javascript:alert(1)) [data](data:text/html,x) [good](https://example.org)\n"
    )
    html = study(PageSettings(), {"consent": path}, (1, 1))["consent_html"]
    assert "<h1>Hello</h1>" in html
    assert '<a href="https://example.org">good</a>' in html
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'href="data' not in html


@pytest.mark.parametrize("content", [None, b"\xff\xfe\xff"])
def test_a_text_that_cannot_be_read_is_named(tmp_path, content):
    path = tmp_path / "consent.md"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ControversyError, match=r"text\.consent"):
        study(PageSettings(), {"consent": path}, (1, 1))


@pytest.mark.parametrize(
    "options",
    [
        {"image_ms": 0},
        {"fixation_ms": -1},
        {"mask": True},
        {"mask_ms": 0, "image_ms": 100, "mask": True},
        {"confidence": ("sure",)},
        {"confidence": ()},
        {"break_every": 0},
        {"image_scale": 0},
        {"keys": ("f", "f")},
        {"keys": ("left", "right")},
        {"max_retry_s": 0},
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused_by_name(options):
    with pytest.raises(ControversyError, match=r"page\.(" + "|".join(options) + ")"):
        PageSettings(**options)
