"""What the extra ``experiment`` installs is imported only when an experiment is run."""

from collections.abc import Iterator
from contextlib import contextmanager

from controversy.errors import ControversyError


@contextmanager
def needs_extra() -> Iterator[None]:
    """Says which extra is missing when an import in the block fails.

    Raises:
        ControversyError: A package of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        raise ControversyError(
            f"running an experiment needs {problem.name}: pip install 'controversy[experiment]'"
        ) from problem
