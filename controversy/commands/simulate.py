"""``controversy simulate``: judgments of simulated people, and the power of a study before it is run."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import OmegaConf

from controversy.commands._items import items_of
from controversy.commands._step_bar import step_bar
from controversy.errors import ControversyError
from controversy.evidence import Items
from controversy.files import write_text
from controversy.observers import Design, Observers, power_table, reference_design, simulate, true_accuracy
from controversy.report import figure_power, save


def run(config: Any) -> None:
    """Writes simulated judgments with the truth behind them, and a power table and figure if asked to."""
    options: dict[str, Any] = OmegaConf.to_container(config.observer, resolve=True)  # type: ignore[assignment]
    observers = Observers(**(options | {"mixture": options["mixture"] or {}}))
    design, synthetic = _design(config)
    folder = Path(config.out)
    power = None if config.power.participants is None else _power_options(config, design)
    simulation = simulate(
        design.items,
        observers,
        n_participants=config.n_participants,
        n_seen=config.n_seen,
        seed=config.seed,
        shared_signal=design.shared,
    )
    folder.mkdir(parents=True, exist_ok=True)
    if synthetic:
        _write(folder / "evidence.csv", _evidence_table(design.items))
        _write(folder / "targets.csv", _targets_table(design.items))
    _write(folder / "judgments.csv", simulation.judgments)
    truth = {
        "config": OmegaConf.to_container(config, resolve=True),
        "true_accuracy": dict(
            zip(
                design.items.models,
                true_accuracy(design.items, simulation.probability).tolist(),
                strict=True,
            )
        ),
        "items": list(design.items.ids),
        "signal": simulation.signal.tolist(),
        "probability_of_alternative_2": simulation.probability.tolist(),
    }
    write_text(folder / "truth.json", json.dumps(truth, indent=1))
    people = simulation.judgments["participant"].nunique()
    print(
        f"{len(simulation.judgments)} judgments of {people} simulated people on {len(design.items.ids)} items"
    )
    for model, accuracy in truth["true_accuracy"].items():
        print(f"  {model}: true accuracy {accuracy:.3f} on these items")
    if power is not None:
        _power(power, design, observers, folder, config)
    print(folder / "judgments.csv")


def _design(config: Any) -> tuple[Design, bool]:
    """The items and the human signal on them; the second value says that they exist nowhere yet."""
    items, _ = items_of(config)
    if items is None:
        reference = OmegaConf.to_container(config.reference, resolve=True)
        reference["held_out"] = tuple(reference["held_out"])  # type: ignore[index, call-overload]
        return reference_design(**reference, seed=config.seed), True  # type: ignore[arg-type]
    # A child of the seed: the same stream as the trials' would tie people's signal to their noise.
    rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(99,)))
    return Design(items, rng.standard_normal(len(items.ids))), False


def _power_options(config: Any, design: Design) -> dict[str, Any]:
    options: dict[str, Any] = OmegaConf.to_container(config.power, resolve=True)  # type: ignore[assignment]
    model = options.pop("model") or design.items.models[0]
    if model not in design.items.models:
        raise ControversyError(
            f"no model {model!r} for power.model. There are {', '.join(design.items.models)}."
        )
    if options["stimuli"] is None:
        options["stimuli"] = [len(design.items.ids)]
    return {"model": model, "options": options}


def _power(power: dict[str, Any], design: Design, observers: Observers, folder: Path, config: Any) -> None:
    options = power["options"]
    total = len(options["participants"]) * len(options["stimuli"]) * options["n_repetitions"]
    with step_bar("simulating studies", total) as advance:
        table = power_table(
            design, observers, **options, n_seen=config.n_seen, seed=config.seed, advance=lambda: advance("")
        )
    _write(folder / "power.csv", table)
    save(figure_power(table, power["model"]), folder / "power")
    shown = table[table["model"] == power["model"]].pivot_table(
        index=["test", "stimuli"], columns="participants", values="power"
    )
    print(f"power for {power['model']}:")
    print(shown.to_string(float_format=lambda value: f"{value:.2f}"))
    print(folder / "power.png")


def _evidence_table(items: Items) -> pd.DataFrame:
    wide = pd.DataFrame(items.evidence, index=pd.Index(items.ids, name="item"), columns=list(items.models))
    return wide.reset_index().melt(id_vars="item", var_name="model", value_name="evidence")


def _targets_table(items: Items) -> pd.DataFrame:
    rows, columns = np.nonzero(items.targeted)
    return pd.DataFrame({"item": np.array(items.ids)[rows], "model": np.array(items.models)[columns]})


def _write(path: Path, table: pd.DataFrame) -> None:
    write_text(path, table.to_csv(index=False, lineterminator="\n"))
