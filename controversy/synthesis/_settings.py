"""How hard synthesis tries."""

from dataclasses import dataclass
from typing import Literal

from controversy.errors import ControversyError


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The budget of synthesis, and when a stimulus is good enough.

    Attributes:
        n_candidates: Latents sampled at the start of an attempt; the best of them is optimised. A
            candidate costs a third of a step.
        n_steps: Steps of Adam (Kingma & Ba 2015) in one attempt, at most.
        stall: An attempt whose score has not risen for so many steps is over.
        n_attempts: Attempts at one stimulus, each from its own seed; the first that reaches the target
            is taken, else the best.
        learning_rate: Of Adam, in units of the latents.
        target: Hard controversiality in [0, 1] that is good enough ...
        patience: ... once it has been held for so many steps in a row.
        batch_size: Attempts that run side by side; it changes speed and memory only. "auto": as many as a
            GPU's memory holds (32 on a CPU). Where memory runs out, it halves.
        check_every: Steps between two looks at what has finished; likewise.
        precision: "fp32", or "bf16" for the networks; objective and latents are always float32.
        layout: "plain", or "fast": memory layouts and kernels that are faster on this device and change
            numbers by rounding (`controversy.synthesis.fast_layouts`).
        checkpointing: Compute each network's forward pass again for the backward one instead of keeping its
            activations (Chen et al. 2016): less memory, a third more time, the same numbers.

    Raises:
        ControversyError: A value is out of its range.
    """

    n_candidates: int = 128
    n_steps: int = 150
    stall: int = 40
    n_attempts: int = 6
    learning_rate: float = 0.0125
    target: float = 0.95
    patience: int = 3
    batch_size: int | Literal["auto"] = 32
    check_every: int = 10
    precision: Literal["fp32", "bf16"] = "fp32"
    layout: Literal["plain", "fast"] = "plain"
    checkpointing: bool = False

    def __post_init__(self) -> None:
        for name, kind in self.__annotations__.items():
            value = getattr(self, name)
            # True is an int, to Python.
            if kind is int and not (isinstance(value, int) and value is not True and value >= 1):
                raise ControversyError(f"{name} is {value}, but has to be an integer, 1 or more")
            if kind is float and not isinstance(value, int | float):
                raise ControversyError(f"{name} is {value}, but has to be a number")
            if kind is bool and not isinstance(value, bool):
                raise ControversyError(f"{name} is {value}, but has to be true or false")
        size = self.batch_size
        if size != "auto" and not (isinstance(size, int) and size is not True and size > 0):
            raise ControversyError(f"batch_size is {self.batch_size}, but has to be auto, or 1 or more")
        if not self.learning_rate > 0:
            raise ControversyError(f"learning_rate is {self.learning_rate}, but has to be above 0")
        if not 0 <= self.target <= 1:
            raise ControversyError(f"target is {self.target}, but controversiality lies in [0, 1]")
        if self.precision not in ("fp32", "bf16"):
            raise ControversyError(f"precision is {self.precision!r}, but has to be fp32 or bf16")
        if self.layout not in ("plain", "fast"):
            raise ControversyError(f"layout is {self.layout!r}, but has to be plain or fast")
