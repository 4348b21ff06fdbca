"""Builds the page of the experiment (page/ -> controversy/experiment/page/) into a wheel, if npm is there."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):
    """Runs npm before a wheel is made; an editable installation builds its page with ``make page``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling; ``version`` is "standard" or "editable"."""
        root = Path(self.root)
        if version == "editable" or is_built(root):
            return
        npm = shutil.which("npm")
        if npm is None:
            self.app.display_warning(
                "npm is not installed, so the wheel has no page of the experiment: `controversy experiment "
                "serve` and its static export will not work. Install npm and build again."
            )
            return
        for arguments in (["ci", "--no-fund", "--no-audit"], ["run", "build"]):
            subprocess.run([npm, "--prefix", str(root / "page"), *arguments], check=True)


def is_built(root: Path) -> bool:
    """Whether the built page is there and younger than everything that it is made of."""
    index, page = root / "controversy/experiment/page/index.html", root / "page"
    sources = [*(page / "src").glob("*"), page / "build.js", page / "package-lock.json"]
    return index.is_file() and index.stat().st_mtime >= max(path.stat().st_mtime for path in sources)
