"""Pixel-domain visual information fidelity: the fast choice, from torchmetrics."""

from dataclasses import dataclass

from torch import Tensor

from controversy.errors import ControversyError


@dataclass(frozen=True)
class PixelReference:
    """Reference images for pixel-domain VIF, which prepares nothing."""

    luma: Tensor

    def select(self, rows: Tensor) -> "PixelReference":
        """The images at ``rows`` (int64 ``[m]``), each as often as it is named."""
        return PixelReference(self.luma[rows])


class PixelVIF:
    """VIF on the pixels of a Gaussian pyramid (VIFp), as torchmetrics computes it.

    Its values are not those of the steerable-pyramid VIF: compare curves only within one method.

    Args:
        sigma_n_sq: Variance of the observer's internal noise, in squared grey levels of 255.

    Raises:
        ControversyError: torchmetrics is not installed.
    """

    def __init__(self, *, sigma_n_sq: float = 2.0) -> None:
        try:
            from torchmetrics.functional.image import visual_information_fidelity
        except ImportError as problem:
            raise ControversyError(
                "visual change in the pixel domain needs torchmetrics: pip install 'controversy[pixel-vif]', "
                "or use method=steerable."
            ) from problem
        self._vif = visual_information_fidelity
        self.sigma_n_sq = sigma_n_sq

    def __repr__(self) -> str:
        return f"PixelVIF(sigma_n_sq={self.sigma_n_sq:g})"

    def reference(self, luma: Tensor) -> PixelReference:
        """Prepares reference images: luma ``[n, h, w]`` in 0-255, both sides at least 41."""
        return PixelReference(luma)

    def __call__(self, reference: PixelReference, luma: Tensor) -> Tensor:
        """VIFp of each distorted image ``[n, h, w]`` against its reference, ``[n]``."""
        target = reference.luma.unsqueeze(1)
        return self._vif(luma.unsqueeze(1), target, sigma_n_sq=self.sigma_n_sq, reduction="none")
