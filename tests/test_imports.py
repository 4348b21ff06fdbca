"""The library knows neither Hydra nor what it does not use, and importing it only defines things."""

import ast
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import controversy

PACKAGE = Path(controversy.__file__).parent
MODULES = sorted(
    {"controversy", *(module.name for module in pkgutil.walk_packages(controversy.__path__, "controversy."))}
)
LIBRARY = [name for name in MODULES if not name.startswith("controversy.commands")]

# What the digits world never uses: the zoo of robust ImageNet models, and the attacks of the model cards.
UNUSED = {"robustbench", "foolbox"}

# Imports modules one after the other in a fresh interpreter, then runs a statement. Reports, for each name to
# avoid, after which of these it was there; every reach for the network or a file to write; and whether a GPU
# was set up.
PROGRAM = """
import importlib, json, os, sys, tempfile

# Through timm, torchvision has the compiler make its cache folder among the temporary files: not our doing.
TEMPORARY = tempfile.gettempdir()
WATCHED = {"socket.connect", "socket.getaddrinfo", "os.mkdir", "os.remove", "os.rename"}
touched, found = [], {}

def watch(event, arguments):
    to_write = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR)
    allowed = arguments[:1] == (os.devnull,) or str(arguments[:1]).startswith(f"('{TEMPORARY}/")
    if (event in WATCHED or to_write) and not allowed:
        touched.append(f"{event} {arguments}")

def look(after):
    for name in avoid:
        if name in sys.modules:
            found.setdefault(name, after)

modules, statement, avoid = json.loads(sys.argv[1])
sys.addaudithook(watch)
for module in modules:
    importlib.import_module(module)
    look(after=module)
exec(statement)
look(after=statement)
torch = sys.modules.get("torch")
gpu = torch is not None and torch.cuda.is_initialized()
print(json.dumps({"found": found, "touched": touched, "gpu": gpu}))
"""

LOAD_THE_DIGITS_WORLD = """
from controversy.classifiers import list_classifiers, load_classifier
from controversy.generators import load_generator
load_generator("digits")
[load_classifier(name) for name in list_classifiers() if name.startswith("digits_")]
"""


def after(*, importing=(), running="", avoid):
    command = [sys.executable, "-B", "-c", PROGRAM, json.dumps([list(importing), running, sorted(avoid)])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def library():
    """What importing every module below the command line does."""
    return after(importing=LIBRARY, avoid={"hydra", "omegaconf", *UNUSED})


def test_the_package_itself_imports_nothing_heavy():
    assert after(importing=["controversy"], avoid={"torch", "pandas", "hydra"})["found"] == {}


def test_the_library_does_without_the_command_lines_framework_and_the_unused(library):
    assert library["found"] == {}


def test_importing_the_library_touches_no_network_no_file_and_no_gpu(library):
    assert library["touched"] == []
    assert not library["gpu"]


def test_importing_the_verbs_brings_nothing_unused():
    assert after(importing=MODULES, avoid=UNUSED)["found"] == {}


def test_loading_the_digits_world_brings_nothing_unused_and_touches_no_network_and_no_file_to_write():
    loaded = after(running=LOAD_THE_DIGITS_WORLD, avoid=UNUSED)
    assert loaded["found"] == {}
    assert loaded["touched"] == []


LIBRARY_FILES = sorted(
    path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(PACKAGE / "commands")
)


@pytest.mark.parametrize("path", LIBRARY_FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_only_the_command_line_names_hydra(path):
    """Also inside functions, where an import does not run until the function does."""
    named = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            named.add(node.module.partition(".")[0])
    assert named.isdisjoint({"hydra", "omegaconf"})
