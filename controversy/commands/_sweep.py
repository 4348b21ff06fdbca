"""``controversy synthesize -m``: which jobs there are to be, and at the end which of them failed and why."""

import sys
from typing import Any

from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.experimental.callback import Callback
from hydra.types import RunMode

from controversy.commands.synthesize import folder_in_sweep
from controversy.jobs import Sweep, SweepJob


class SweepRecord(Callback):
    """Keeps the list of a sweep's jobs, and asks each job's own record how it ended.

    Hydra knows less: it takes the first failed job for the whole, and of a killed one it hears nothing. Jobs
    therefore never raise (`controversy.commands.synthesize.run`), so that Hydra calls this at the end.
    """

    running: "Sweep | None" = None

    def on_multirun_start(self, config: Any, **kwargs: Any) -> None:
        """Writes down which jobs are to be run, before the first one is."""
        words = [f"{key}={value}" for key, value in (config.hydra.sweeper.params or {}).items()]
        words += list(config.hydra.overrides.task)
        jobs = [_job(kwargs["config_name"], config, overrides) for overrides in _combinations(words)]
        sweep = Sweep(jobs[0].folder.parent, tuple(jobs))
        sweep.record()
        SweepRecord.running = sweep

    def on_multirun_end(self, config: Any, **kwargs: Any) -> None:
        """Says how each job ended.

        Raises:
            SystemExit: Where one is not complete: with status 1, or 2 if none could do anything with what the
                command gave it.
        """
        sweep, SweepRecord.running = SweepRecord.running, None
        if sweep is not None and say(sweep):
            raise SystemExit(2 if all(job.is_mistaken for job in sweep.jobs) else 1)


def end_of_broken_sweep(problem: Exception) -> None:
    """Says how far a sweep came whose launcher raised ``problem``; does nothing where there is no sweep.

    Raises:
        SystemExit: With status 1, if there was one.
    """
    sweep, SweepRecord.running = SweepRecord.running, None
    if sweep is not None:
        print(f"the sweep broke off: {type(problem).__name__}: {problem}", file=sys.stderr)
        say(sweep)
        raise SystemExit(1) from None


def say(sweep: Sweep) -> bool:
    """Prints what became of a sweep's jobs; True where one is not complete."""
    problems = sweep.problems()
    print(
        f"{len(sweep.jobs) - len(problems)} of {len(sweep.jobs)} jobs complete", file=sys.stderr, flush=True
    )
    if problems:
        print("not complete:\n  " + "\n  ".join(problems), file=sys.stderr)
        print("The same command again runs these, and skips what is complete.", file=sys.stderr, flush=True)
    return bool(problems)


def _combinations(words: list[str]) -> list[list[str]]:
    """The overrides of each job, as Hydra's own sweeper combines them."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper

    loader = GlobalHydra.instance().config_loader()
    overrides = OverridesParser.create(config_loader=loader).parse_overrides(words)
    return BasicSweeper.split_arguments(overrides, None)[0]


def _job(config_name: str, sweep_config: Any, overrides: list[str]) -> SweepJob:
    loader = GlobalHydra.instance().config_loader()
    config = loader.load_sweep_config(sweep_config, overrides)
    assert config.hydra.mode in (RunMode.MULTIRUN, None)
    return SweepJob(folder_in_sweep(config, config.hydra), tuple(overrides))
