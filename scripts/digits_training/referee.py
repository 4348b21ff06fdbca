"""The judge of generated samples."""

from pathlib import Path

from torch import nn

from controversy.weights import load_strictly, read_weights


class Referee(nn.Sequential):
    """A plain digit CNN, never attacked and never used in synthesis: it judges generated samples."""

    def __init__(self) -> None:
        layers: list[nn.Module] = []
        for inputs, outputs in ((1, 32), (32, 64), (64, 64)):
            layers += [
                nn.Conv2d(inputs, outputs, 3, padding=1),
                nn.BatchNorm2d(outputs),
                nn.ReLU(),
                nn.MaxPool2d(2),
            ]
        super().__init__(*layers, nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * 16, 10))


def load_referee(path: Path) -> Referee:
    """The trained referee: grey images ``[n, 1, 32, 32]`` in [0, 1] -> logits ``[n, 10]``."""
    referee = Referee().eval()
    load_strictly(referee, read_weights(path), path)
    return referee
