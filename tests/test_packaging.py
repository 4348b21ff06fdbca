"""What a user who installs the wheel gets, and that the project's files tell one story."""

import configparser
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest
import yaml

import controversy
from controversy.classifiers import CLASSIFIERS
from controversy.generators import GENERATORS

ROOT = Path(__file__).resolve().parent.parent


def files_under(folder: Path) -> set[str]:
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    # Bytecode, and files that another process is writing (controversy.files.whole_file names them so).
    return {p.as_posix() for p in paths if "__pycache__" not in p.parts and p.suffix != ".tmp"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    for module in ("build", "hatchling"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: it comes with the extra [dev]")
    folder = tmp_path_factory.mktemp("wheel")
    # Without isolation and without the hook that runs npm: nothing is downloaded.
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    environment = {**os.environ, "HATCH_BUILD_NO_HOOKS": "true"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder as ``site-packages`` is after the wheel's installation."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_holds_every_configuration_of_the_checkout(installed):
    assert files_under(installed / "controversy" / "conf") == files_under(ROOT / "conf")


def test_the_wheel_holds_every_file_of_the_package(installed):
    """Model cards and py.typed too, which Python's import would never miss."""
    inside = files_under(installed / "controversy")
    assert {name for name in inside if not name.startswith("conf/")} == files_under(ROOT / "controversy")
    assert "py.typed" in inside


@pytest.mark.parametrize("registry", [CLASSIFIERS, GENERATORS], ids=lambda registry: registry.kind)
def test_the_wheel_holds_the_embedded_weights(registry, installed):
    package = ROOT / "controversy"
    embedded = [path for entry in registry for path in entry.weights if path.is_relative_to(package)]
    assert embedded
    for path in embedded:
        assert (installed / "controversy" / path.relative_to(package)).is_file()


def test_the_wheel_brings_nothing_beside_the_package_and_its_launcher_for_hydra(installed):
    assert [path.name for path in (installed / "hydra_plugins").glob("*.*")] == ["controversy_slurm.py"]
    assert {path.name for path in installed.iterdir()} == {
        "controversy",
        "hydra_plugins",
        f"controversy-{controversy.__version__}.dist-info",
    }


def test_the_wheel_declares_the_console_command(installed):
    (path,) = installed.glob("*.dist-info/entry_points.txt")
    entries = configparser.ConfigParser()
    entries.read(path)
    assert dict(entries["console_scripts"]) == {"controversy": "controversy.commands:main"}


def test_an_installed_package_reads_its_own_configurations(installed, tmp_path):
    program = (
        f"import sys; sys.path.insert(0, {str(installed)!r})\n"
        "from controversy.commands import configuration_folder, main\n"
        "print(configuration_folder())\n"
        "main(['verify', '--cfg', 'job'])"
    )
    # -P and another folder: the checkout is not on the path, so only the wheel can answer.
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    folder, *configuration = done.stdout.splitlines()
    assert Path(folder) == installed / "controversy" / "conf"
    assert "set: ???" in configuration
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_the_same_everywhere(wheel):
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", changelog, flags=re.MULTILINE)
    assert newest is not None
    assert wheel.name.split("-")[1] == citation["version"] == newest[1] == controversy.__version__


def test_constraints_pin_every_direct_dependency_exactly():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = list(chain(project["dependencies"], *project["optional-dependencies"].values()))
    direct = {re.match(r"[\w.-]+", text)[0].lower() for text in requirements}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
    assert {pin.split("==")[0].lower() for pin in pins} == direct
