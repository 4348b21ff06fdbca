"""``controversy collect sets=[DIR,...] out=DIR``: many sets, as a sweep leaves them, into one."""

from pathlib import Path
from typing import Any

from controversy.classifiers import Classifier
from controversy.commands._models import resolve
from controversy.commands._scoring_bar import scoring_bar
from controversy.devices import resolve_device
from controversy.errors import ControversyError
from controversy.stimuli import StimulusSet, collect, find_sets


def run(config: Any) -> None:
    """Collects ``config.sets`` into ``config.out``.

    Raises:
        ControversyError: Sets are missing or do not fit together, or ``out`` holds something else.
    """
    patterns = [config.sets] if isinstance(config.sets, str) else list(config.sets)
    if not patterns:
        raise ControversyError("no sets given: say which, e.g. sets=[outputs/sweep/*]")
    classifiers = _of_some_sets_only(patterns, config) if config.evaluate_missing else {}
    with scoring_bar("scoring") as progress:
        collected = collect(
            patterns,
            Path(config.out),
            per_pair=config.per_pair,
            success_only=config.success_only,
            missing=config.missing,
            classifiers=classifiers,
            batch_size=config.batch_size,
            progress=progress,
        )
    _print_summary(collected)


def _of_some_sets_only(patterns: list[str], config: Any) -> dict[str, Classifier]:
    device = resolve_device(config.device)
    sources, _ = find_sets(patterns, config.missing)
    names = sorted(
        {name for one in sources for name in one.models if any(name not in s.models for s in sources)}
    )
    return {name: resolve(name, config).to(device) for name in names}


def _print_summary(collected: StimulusSet) -> None:
    skipped = collected.manifest["skipped"]
    if skipped:
        print(f"{len(skipped)} sets skipped:\n  " + "\n  ".join(skipped))
    pairs = collected.metadata.groupby(["model_1", "model_2"], sort=False)["success"].agg(["size", "mean"])
    for pair, (size, share) in zip(pairs.index.to_list(), pairs.to_numpy(), strict=True):
        print(f"{' | '.join(pair)}: {size:.0f} stimuli, {share:.1%} successful")
    print(f"{len(collected)} stimuli, logits of {', '.join(collected.models)}")
    if "latents.safetensors" not in collected.manifest["files"]:
        print("no latents: the sets come from different generators")
    print(f"{collected.folder}: see {collected.folder / 'contact_sheet.png'}")
