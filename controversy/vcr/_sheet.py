"""The corruption sheet: one image under each corruption at visual change 0.1 ... 0.9."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from controversy.corruptions import Corruption
from controversy.files import whole_file
from controversy.images import from_uint8
from controversy.vcr._sampling import Sampler, image_seeds
from controversy.visual_change import VisualChange

_TARGETS = tuple(tenth / 10 for tenth in range(1, 10))
_NEAR = 0.05
"""A cell stays empty where no strength comes this near to its visual change."""


def corruption_sheet(
    image: Tensor,
    name: str,
    corruptions: Mapping[str, Corruption],
    measure: VisualChange,
    path: Path,
    *,
    seed: int,
) -> None:
    """Draws ``image`` (uint8 ``[3, h, w]``) under each corruption, one a row, and writes a PNG.

    Args:
        image: The original.
        name: Its name, which decides its seeds.
        corruptions: By name.
        measure: Visual change.
        path: Of the PNG.
        seed: The study's, so that the sheet shows what the study used.
    """
    from matplotlib.figure import Figure

    sampler = Sampler(measure, len(_TARGETS), refinements=2)
    figure = Figure(
        figsize=(1.05 * (len(_TARGETS) + 1) + 1.3, 1.09 * len(corruptions) + 0.4), layout="constrained"
    )
    grid = figure.subplots(len(corruptions), len(_TARGETS) + 1, squeeze=False)
    for row, (corruption_name, corruption) in zip(grid, corruptions.items(), strict=True):
        seeds = image_seeds(seed, corruption_name, [name])
        sample = sampler(from_uint8(image[None]), corruption, seeds, targets=torch.tensor(_TARGETS))
        near = (sample.visual_change[0] - torch.tensor(_TARGETS)).abs() < _NEAR
        shown = [
            image,
            *(version if ok else None for version, ok in zip(sample.images[0], near, strict=True)),
        ]
        for axes, pixels in zip(row, shown, strict=True):
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
            if pixels is not None:
                axes.imshow(pixels.permute(1, 2, 0).cpu().numpy(), interpolation="nearest")
        row[0].set_ylabel(corruption_name.replace("_", "\n"), fontsize=8, rotation=0, ha="right", va="center")
    for axes, title in zip(grid[0], ("original", *_TARGETS), strict=True):
        axes.set_title(str(title), fontsize=9)
    with whole_file(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110)
