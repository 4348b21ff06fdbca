import re
from dataclasses import asdict

import pytest
from omegaconf import OmegaConf

from controversy.commands import configuration_folder
from controversy.errors import ControversyError
from controversy.synthesis import Settings


def test_the_command_line_and_the_library_search_equally_hard():
    configured = OmegaConf.load(configuration_folder() / "search" / "default.yaml")
    assert OmegaConf.to_container(configured) == asdict(Settings())


@pytest.mark.parametrize(
    "name", ["n_steps", "batch_size", "learning_rate", "target", "checkpointing", "layout"]
)
@pytest.mark.parametrize("value", ["many", 1.5, -1, None, [1]])
def test_what_a_budget_cannot_be_is_told_with_its_value(name, value):
    if (name, value) == ("learning_rate", 1.5):
        return
    with pytest.raises(ControversyError, match=rf"{name} is .*{re.escape(str(value))}"):
        Settings(**{name: value})


def test_true_is_no_number_of_steps():
    for name in ("n_steps", "batch_size"):
        with pytest.raises(ControversyError, match=f"{name} is True"):
            Settings(**{name: True})
