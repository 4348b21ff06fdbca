"""The scientist's words: Markdown -> HTML that a page can take in."""

from importlib import resources
from pathlib import Path

from controversy.errors import ControversyError
from controversy.experiment._extra import needs_extra

TEXTS = ("consent", "instructions", "thanks")


def render(markdown: str) -> str:
    """HTML of a Markdown text (CommonMark with tables).

    Raw HTML in it is shown as text, and links lead to web and mail addresses only, so that no text can bring
    script into the page.
    """
    with needs_extra():
        from markdown_it import MarkdownIt
    return MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)


def read_text(name: str, path: Path | None) -> str:
    """The Markdown text in a file, or the package's own for ``name``, one of `TEXTS`.

    Raises:
        ControversyError: The file cannot be read as UTF-8 text.
    """
    if path is None:
        return (resources.files("controversy.experiment") / "texts" / f"{name}.md").read_text(
            encoding="utf-8"
        )
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ControversyError(f"cannot read the text for text.{name}: {problem}") from problem
