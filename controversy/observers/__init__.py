"""Simulated people: what a study would find if we knew the truth.

| name | is |
|---|---|
| `Observers` | what decides a simulated person's choices |
| `simulate` | their judgments of given items, with the truth behind them |
| `true_accuracy`, `population_accuracy` | what a model's accuracy should come out as |
| `reference_design` | items of the reference study, without images |
| `power_table` | participants x stimuli -> probability of telling a model from chance or from the ceiling |
"""

from controversy.observers._designs import Design, population_accuracy, reference_design
from controversy.observers._observers import (
    Observers,
    Simulation,
    choice_probability,
    common_signal,
    simulate,
    true_accuracy,
)
from controversy.observers._power import power_table

__all__ = [
    "Design",
    "Observers",
    "Simulation",
    "choice_probability",
    "common_signal",
    "population_accuracy",
    "power_table",
    "reference_design",
    "simulate",
    "true_accuracy",
]
