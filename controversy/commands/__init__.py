"""The command line: ``controversy VERB [overrides]``, each verb one Hydra app.

This module and the sub-modules here are the only ones that know Hydra. A verb is a module
``controversy.commands.<verb>`` with ``run(config)``, and a root configuration ``conf/<verb>.yaml``.
Nothing heavy is imported before a job starts, so every ``--help`` answers at once.
"""

import importlib
import os
import re
import sys
import warnings
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from controversy import __version__
from controversy.errors import ControversyError

VERBS = {
    "synthesize": "make a stimulus set for one pair of models",
    "collect": "put many sets, as a sweep leaves them, into one",
    "evaluate": "add the logits of more models to a set",
    "verify": "re-hash and re-score a set; non-zero exit on any difference",
    "simulate": "judgments of simulated people, for power and recovery",
    "score": "judgments and a set -> scores with noise ceilings, figures, a report",
    "vcr": "robustness to corruptions over the whole range of visibility, against people",
    "experiment": "the two-alternative task: lists, a server to run it, files for other platforms",
    "models": "list classifiers and generators, and whether their weights are here",
}

_PACKAGE = Path(__file__).resolve().parent.parent


def configuration_folder() -> Path:
    """The folder of configurations: inside an installed package, or at the top of a checkout."""
    installed = _PACKAGE / "conf"
    return installed if installed.is_dir() else _PACKAGE.parent / "conf"


def _usage() -> str:
    verbs = "\n".join(f"  {verb:<12} {text}" for verb, text in VERBS.items())
    return (
        f"controversy {__version__}: images on which two vision models confidently disagree\n\n"
        f"usage: controversy VERB [name=value ...] [-m] [--cfg job] [--help]\n\n{verbs}\n\n"
        "Each verb takes Hydra overrides; `controversy VERB --help` shows its configuration.\n"
        "Start with `controversy synthesize`, which needs nothing but what was installed."
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs ``controversy VERB ...``; the console command."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in {"-h", "--help", "help"}:
        print(_usage())
        return
    if words[0] in {"-V", "--version"}:
        print(__version__)
        return
    verb, overrides = words[0], words[1:]
    if verb not in VERBS:
        from difflib import get_close_matches

        near = get_close_matches(verb, VERBS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        print(f"controversy: no verb {verb!r}{hint}\n\n{_usage()}", file=sys.stderr)
        raise SystemExit(2)
    _run_hydra(verb, _named(verb, overrides))


def _named(verb: str, words: list[str]) -> list[str]:
    """Leading plain words as overrides: ``models fetch A B`` is ``models action=fetch names=[A,B]``.

    ``experiment serve`` is ``experiment action=serve``; it takes no further words.
    """
    plain = list(takewhile(lambda word: "=" not in word and not word.startswith("-"), words))
    if verb == "experiment" and len(plain) == 1:
        return [f"action={plain[0]}", *words[1:]]
    if verb != "models" or not plain:
        return words
    quoted = ",".join(f"'{name}'" for name in plain[1:])
    return [f"action={plain[0]}", f"names=[{quoted}]", *words[len(plain) :]]


def _run_hydra(verb: str, overrides: list[str]) -> None:
    import hydra
    from hydra.core.hydra_config import HydraConfig
    from hydra.errors import HydraException
    from hydra.types import RunMode
    from omegaconf.errors import OmegaConfBaseException

    def end(problem: Exception) -> NoReturn:
        words = str(problem)
        if isinstance(problem, OmegaConfBaseException):
            words = words.partition("\n")[0]  # then come its own names for things
        print(f"controversy {verb}: {words}", file=sys.stderr)
        raise SystemExit(2) from None

    def job(config: Any) -> None:
        from controversy.commands._types import check_types
        from controversy.devices import keep_freed_memory
        from controversy.offline import no_network

        keep_freed_memory()
        # timm 1.0.9, which robustbench pins, declares a TorchScript interface; users can do nothing about it.
        warnings.filterwarnings("ignore", "`torch.jit.interface` is deprecated", FutureWarning)
        in_sweep = HydraConfig.get().mode == RunMode.MULTIRUN
        try:
            if not (in_sweep and verb == "synthesize"):  # which says of each job what is wrong with it
                check_types(config, verb)
            if config.weights_dir:
                os.environ["CONTROVERSY_WEIGHTS"] = str(config.weights_dir)
            with no_network(config.offline):
                importlib.import_module(f"controversy.commands.{verb}").run(config)
        except (ControversyError, OmegaConfBaseException) as problem:
            # Hydra would print the overrides before it: a user who reads one line is to read ours.
            if in_sweep:
                raise
            end(problem)

    # argparse takes positional words only in one run: flags such as -m first, wherever they were written.
    flags = [word for word in overrides if word.startswith("-") or "=" not in word]
    values = [word for word in overrides if word not in flags]
    settings = [f"hydra.job.name={verb}"]
    if verb == "synthesize" and re.search(r"^out=(?!null$)[^,]+$", "\n".join(values), re.MULTILINE):
        # A sweep's record lies beside its sets. The file's interpolations could not tell that `out` is null.
        settings.append("hydra.sweep.dir=${out}/.sweep")
    sys.argv = [f"controversy {verb}", *flags, *settings, *values]
    # Hydra then raises what went wrong instead of printing its own excerpt of the traceback.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        hydra.main(version_base="1.3", config_path=str(configuration_folder()), config_name=verb)(job)()
    except (ControversyError, HydraException, OmegaConfBaseException) as problem:
        end(problem)
    except Exception as problem:
        from controversy.commands._sweep import end_of_broken_sweep

        # A launcher gave up, as joblib's does when one of its workers is killed.
        end_of_broken_sweep(problem)
        raise
