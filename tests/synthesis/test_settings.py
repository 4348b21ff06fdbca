from dataclasses import asdict

from omegaconf import OmegaConf

from controversy.commands import configuration_folder
from controversy.synthesis import Settings


def test_the_command_line_and_the_library_search_equally_hard():
    configured = OmegaConf.load(configuration_folder() / "search" / "default.yaml")
    assert OmegaConf.to_container(configured) == asdict(Settings())
