"""``controversy models check NAME...``: do the weights that are here do what was published?"""

import sys
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from controversy.classes import IMAGENET
from controversy.classifiers import CLASSIFIERS, examine, find_photographs, read_photographs
from controversy.commands._models import resolve
from controversy.commands._models_list import wide_console
from controversy.devices import resolve_device
from controversy.errors import ControversyError


def check_all(names: Sequence[str], config: Any) -> None:
    """Loads each classifier, shows it photographs, and exits with 1 where one is not what it should be.

    Raises:
        ControversyError: Nothing to check, no photographs, or a classifier does not load.
        SystemExit: With status 1, where a classifier fails.
    """
    chosen = list(names) or [
        entry.name for entry in CLASSIFIERS if entry.weights and all(path.is_file() for path in entry.weights)
    ]
    device = resolve_device(config.device)
    images, labels = read_photographs(find_photographs(config.photographs))
    table = Table("classifier", "correct", "log p", "verdict")
    failed = 0
    for name in chosen:
        print(f"checking {name}", file=sys.stderr, flush=True)
        classifier = resolve(name, config).to(device)
        if classifier.class_set != IMAGENET:
            table.add_row(name, "", "", f"loads; no photographs of {classifier.class_set}")
            continue
        sanity = examine(classifier, images, labels)
        problems = sanity.problems()
        failed += bool(problems)
        verdict = "; ".join(problems) or "as published"
        log_p = f"{sanity.log_likelihoods['as declared']:.2f}"
        table.add_row(name, f"{sanity.n_correct}/{sanity.n}", log_p, verdict)
    if not chosen:
        raise ControversyError("no classifier has its weights here: controversy models fetch NAME ...")
    wide_console().print(table)
    if failed:
        raise SystemExit(1)
