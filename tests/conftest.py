import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that the project does not ship; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("CONTROVERSY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs the shared data: there is no folder {folder} (set CONTROVERSY_DATA)")
    return folder
