"""Hooks of mkdocs: pages of the site that live beside what they describe, not in docs/.

The README is the start page, and links that lead from one document of the repository to another lead from one
page of the site to another.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "CITATION.cff": "CITATION.cff",
    "LICENSE": "LICENSE.txt",
    "controversy/generators/digits/README.md": "cards/generator.md",
    "controversy/classifiers/digits/README.md": "cards/classifiers.md",
}
"""Path in the repository -> path in the site; docs/x is x."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages from outside docs/."""
    for path, page in ELSEWHERE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrites links between documents from the repository's layout to the site's."""
    here = page.file.src_uri
    source = {value: key for key, value in ELSEWHERE.items()}.get(here, f"docs/{here}")

    def moved(match: re.Match[str]) -> str:
        target, _, anchor = match.group(1).partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        place = ELSEWHERE.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
        if not place:
            return match.group(0)
        relative = posixpath.relpath(place, posixpath.dirname(here) or ".")
        return f"]({relative}#{anchor})" if anchor else f"]({relative})"

    return re.sub(r"\]\((?!\w+:|#)([^)\s]+)\)", moved, markdown)
