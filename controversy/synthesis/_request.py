"""What is asked for: one request a stimulus, and the seeds that follow from it."""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Request:
    """One stimulus to make.

    Attributes:
        stimulus_id: Unique in its set; names the image file.
        class_1: Index of the class that model 1 is to see; None in an untargeted design, in which the
            models choose.
        class_2: Index of the class that model 2 is to see; None likewise.
        seed: Every random draw for this stimulus follows from it, and from nothing else: not from the
            models, nor from the stimuli that are made beside it.
    """

    stimulus_id: str
    class_1: int | None
    class_2: int | None
    seed: int

    @property
    def alternatives(self) -> tuple[int, int] | None:
        """Both classes, or None in an untargeted design."""
        return None if self.class_1 is None or self.class_2 is None else (self.class_1, self.class_2)

    def rng(self, attempt: int) -> torch.Generator:
        """The random numbers of one attempt at this stimulus."""
        return torch.Generator().manual_seed(derive_seed(self.seed, attempt))


def derive_seed(*parts: int) -> int:
    """A 48-bit seed from several integers; any change of any part gives an unrelated one.

    48 bits, 15 decimal digits, survive spreadsheets and JavaScript, which round larger integers.
    """
    words = np.random.SeedSequence(parts).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(16))
