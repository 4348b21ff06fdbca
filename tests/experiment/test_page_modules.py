"""The page's own modules, tested by Node's test runner; and the hook that builds the page into a wheel."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "page"


def test_the_modules_of_the_page():
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")
    if not (PAGE / "node_modules").is_dir():
        pytest.skip("needs the page's packages: make page")
    done = subprocess.run([node, "--test"], cwd=PAGE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_file_names_no_registry():
    """Who installs takes packages from the registry of their own settings."""
    lock = (PAGE / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert '"integrity"' in lock


@pytest.fixture
def hook(tmp_path):
    pytest.importorskip("hatchling", reason="hatchling is not installed: it comes with [dev]")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("src/app.js", "build.js", "package-lock.json"):
        (tmp_path / "page" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "page" / name).write_text("")
    return module


class Terminal:
    def __init__(self):
        self.warnings = []

    def display_warning(self, text):
        self.warnings.append(text)


@pytest.fixture
def build(hook, tmp_path, monkeypatch):
    """Runs the hook with a npm that only notes what it is asked for, or none."""

    def run(version: str = "standard", npm: bool = True) -> tuple[list[str], list[str]]:
        programs, terminal = tmp_path / "bin", Terminal()
        programs.mkdir()
        if npm:
            (programs / "npm").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path / "asked"}\n')
            (programs / "npm").chmod(0o755)
        monkeypatch.setenv("PATH", str(programs))
        own = hook.PageHook(str(tmp_path), {}, None, None, "", "wheel", terminal)
        own.initialize(version, {})
        asked = tmp_path / "asked"
        return asked.read_text().splitlines() if asked.exists() else [], terminal.warnings

    return run


def test_a_wheel_is_built_with_the_page(build, tmp_path):
    page = tmp_path / "page"
    asked = [f"--prefix {page} ci --no-fund --no-audit", f"--prefix {page} run build"]
    assert build() == (asked, [])


def test_without_npm_the_wheel_is_built_all_the_same_with_a_warning(build):
    asked, (warning,) = build(npm=False)
    assert asked == []
    assert "npm" in warning


def test_an_editable_installation_needs_no_npm(build):
    assert build("editable") == ([], [])


@pytest.mark.parametrize("age", [-10, 10])
def test_a_page_is_built_again_only_where_it_is_older_than_its_sources(build, tmp_path, age):
    index = tmp_path / "controversy/experiment/page/index.html"
    index.parent.mkdir(parents=True)
    index.write_text("")
    source = (tmp_path / "page/src/app.js").stat().st_mtime
    os.utime(index, (source - age, source - age))
    assert bool(build()[0]) == (age > 0)
