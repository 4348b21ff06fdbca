"""What the README tells people to type works as written."""

import ast
import importlib
import re
import shlex
from itertools import product
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser

from controversy.commands import VERBS, configuration_folder

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("controversy ")]


def jobs(words: list[str]) -> list[tuple[str, ...]]:
    """The overrides of each job that a command line stands for: several where it sweeps."""
    values = [
        [f"{one.get_key_element()}={value}" for value in one.sweep_string_iterator()]
        if one.is_sweep_override()
        else [one.input_line]
        for one in OverridesParser.create().parse_overrides([word for word in words if word != "-m"])
    ]
    return list(product(*values))


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_fits_the_configuration_of_its_verb(line):
    verb, *words = shlex.split(line)[1:]
    with initialize_config_dir(version_base="1.3", config_dir=str(configuration_folder())):
        for overrides in jobs(words):
            compose(verb, overrides=list(overrides))


@pytest.mark.parametrize("block", blocks("python"), ids=lambda block: block.splitlines()[0])
def test_every_name_that_the_readme_imports_exists(block):
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module)
            assert {alias.name for alias in node.names} <= set(module.__all__)


def test_the_table_of_verbs_is_that_of_the_command_line():
    assert set(re.findall(r"^\| `(\w+)` \|", README, flags=re.MULTILINE)) == set(VERBS)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link and not link.startswith("mailto:")]
    assert [link for link in local if not (path.parent / link).exists()] == []
