"""Visual information fidelity in the steerable-pyramid domain (Sheikh & Bovik 2006)."""

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from controversy.visual_change._pyramid import oriented_bands

_BLOCK = 3
"""Side of the blocks that the vector Gaussian scale mixture models: 3 x 3 = 9 coefficients."""
_TINY = 1e-15


@dataclass(frozen=True)
class _Band:
    """What the reference side of one scale contributes, for both orientations; ``b`` blocks high and wide."""

    coefficients: Tensor  # [n, 2, h, w], cropped to whole blocks
    mean: Tensor  # [n, 2, b, b] float64, of the channel window about each block
    variance: Tensor  # [n, 2, b, b] float64
    energy: Tensor  # [n, 2, 9, b', b'], s * lambda_j on the blocks kept
    information: Tensor  # [n, 2], the denominator


@dataclass(frozen=True)
class Reference:
    """The reference images' side of VIF, computed once and compared with any number of distorted versions."""

    bands: tuple[_Band, ...]

    def select(self, rows: Tensor) -> "Reference":
        """The images at ``rows`` (int64 ``[m]``), each as often as it is named."""
        return Reference(tuple(_Band(*(part[rows] for part in vars(band).values())) for band in self.bands))


class SteerableVIF:
    """VIF of Sheikh & Bovik, "Image information and visual quality", IEEE TIP 15(2), 2006, in batched torch.

    A steerable pyramid of height 4 and order 5, its orientations 0 and 3, a 9-dimensional Gaussian scale
    mixture on the reference and the channel ``distorted = g * reference + v`` estimated in box windows.

    Args:
        sigma_n_sq: Variance of the observer's internal noise, in squared grey levels of 255. 0.1 with
            ``pooling="mean"`` is the convention of the Python implementations (and of the VCR study);
            0.4 with ``pooling="sum"`` that of the original MATLAB release.
        pooling: Information summed over the positions of a sub-band ("sum": large fine sub-bands count
            most) or averaged over them ("mean": every sub-band counts alike).
    """

    def __init__(self, *, sigma_n_sq: float = 0.1, pooling: Literal["mean", "sum"] = "mean") -> None:
        self.sigma_n_sq = sigma_n_sq
        self.pooling = pooling

    def __repr__(self) -> str:
        return f"SteerableVIF(sigma_n_sq={self.sigma_n_sq:g}, pooling={self.pooling!r})"

    def reference(self, luma: Tensor) -> Reference:
        """Prepares reference images, in float64 whatever comes in, and keeps the result in the input's type.

        The smallest eigenvalues of a smooth image's patches are far below float32's resolution, and s
        divides by them; the distorted side knows no such division and runs in the type that is asked for.

        Args:
            luma: ``[n, h, w]`` in 0-255, float32 or float64, both sides at least 72.
        """
        bands = oriented_bands(luma.double())
        return Reference(
            tuple(self._reference_band(band, _window(level), luma.dtype) for level, band in enumerate(bands))
        )

    def __call__(self, reference: Reference, luma: Tensor) -> Tensor:
        """VIF of each distorted image against its reference, ``[n]``.

        1 = all of the reference's information is there, 0 = none; above 1 where contrast was raised.

        Args:
            reference: Of the same n images.
            luma: Distorted images ``[n, h, w]``, as the reference's.
        """
        kept, available = [], []
        for level, (known, band) in enumerate(zip(reference.bands, oriented_bands(luma), strict=True)):
            kept.append(self._kept_information(known, _whole_blocks(band), _window(level)))
            available.append(known.information)
        return (torch.cat(kept, 1) + 1e-4).mean(1) / (torch.cat(available, 1) + 1e-4).mean(1)

    def _reference_band(self, band: Tensor, window: int, dtype: torch.dtype) -> _Band:
        band = _whole_blocks(band)
        mean, second = _box(torch.stack([band, band.square()]).flatten(0, 1), window).unflatten(0, (2, -1))
        energy = _inner(_block_energy(band), window)
        information = self._pool(torch.log1p(energy / self.sigma_n_sq))
        variance = (second - mean.square()).clamp_min(0)
        return _Band(band.to(dtype), mean, variance, energy.to(dtype), information.to(dtype))

    def _kept_information(self, known: _Band, band: Tensor, window: int) -> Tensor:
        # In float64: sigma_v^2 is a small difference of large moments, and is weighed against 0.1.
        band = band.double()
        moments = torch.stack([band, band.square(), band * known.coefficients]).flatten(0, 1)
        mean, second, product = _box(moments, window).unflatten(0, (3, -1))
        variance = (second - mean.square()).clamp_min(0)
        covariance = product - mean * known.mean
        gain = covariance / (known.variance + _TINY)
        noise = variance - gain * covariance
        # Where the reference is flat, or the gain negative, nothing comes from it: all is noise. Where the
        # distorted image is flat, there is neither.
        unrelated = (known.variance < _TINY) | (gain < 0)
        flat = variance < _TINY
        gain = gain.masked_fill(unrelated | flat, 0)
        noise = torch.where(unrelated, variance, noise).masked_fill(flat, 0).clamp_min(_TINY)
        signal = _inner(gain.square() / (noise + self.sigma_n_sq), window).to(known.energy.dtype)
        return self._pool(torch.log1p(signal.unsqueeze(2) * known.energy))

    def _pool(self, information: Tensor) -> Tensor:
        """``[n, 2, 9, b, b]`` nats -> ``[n, 2]``, summed over the block's nine components."""
        per_position = information.sum(2)
        return per_position.mean((2, 3)) if self.pooling == "mean" else per_position.sum((2, 3))


def _window(level: int) -> int:
    """Side of the channel window at the level-th scale, coarsest = 0: 3, 5, 9, 17."""
    return 2 ** (level + 1) + 1


def _whole_blocks(band: Tensor) -> Tensor:
    h, w = (side - side % _BLOCK for side in band.shape[-2:])
    return band[..., :h, :w]


def _box(values: Tensor, window: int) -> Tensor:
    """Mean in a box of side ``window`` about every block, edges reflected."""
    margin = (window - _BLOCK) // 2
    padded = F.pad(values, (margin,) * 4, mode="reflect")
    return F.avg_pool2d(F.avg_pool2d(padded, (window, 1), (_BLOCK, 1)), (1, window), (1, _BLOCK))


def _inner(blocks: Tensor, window: int) -> Tensor:
    """Leaves out the blocks whose window reached over the border."""
    border = -(-(window - 1) // (2 * _BLOCK))
    return blocks[..., border:-border, border:-border]


def _block_energy(band: Tensor) -> Tensor:
    """The products s * lambda_j of the Gaussian scale mixture: ``[n, 2, h, w] -> [n, 2, 9, h / 3, w / 3]``.

    lambda are the eigenvalues of the covariance C of all (overlapping) 3 x 3 patches, and s = y' C^-1 y / 9
    that of each disjoint block y.
    """
    n, orientations, h, w = band.shape
    flat = band.reshape(-1, 1, h, w)
    eigenvalues, eigenvectors = torch.linalg.eigh(_patch_covariance(band.reshape(-1, h, w)))
    eigenvalues = eigenvalues.clamp_min(_TINY)
    blocks = F.unfold(flat, _BLOCK, stride=_BLOCK)
    s = ((eigenvectors.mT @ blocks).square() / eigenvalues.unsqueeze(2)).sum(1, keepdim=True) / _BLOCK**2
    energy = s * eigenvalues.unsqueeze(2)
    return energy.reshape(n, orientations, _BLOCK**2, h // _BLOCK, w // _BLOCK)


def _patch_covariance(bands: Tensor) -> Tensor:
    """Covariance ``[m, 9, 9]`` of the overlapping 3 x 3 patches of each band ``[m, h, w]``."""
    patches = F.unfold(bands.unsqueeze(1), _BLOCK)
    patches = patches - patches.mean(2, keepdim=True)
    return patches @ patches.mT / (patches.shape[2] - 1)
