import math

import torch
import torch.nn.functional as F
from torch import Tensor

from controversy.corruptions._base import Corruption, register

# Annex K of ITU-T T.81: the tables that libjpeg scales.
_LUMINANCE = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
_CHROMINANCE_CORNER = ((17, 18, 24, 47), (18, 21, 26, 66), (24, 26, 56, 99), (47, 66, 99, 99))
_COARSEST = 200.0


@register
class JpegCompression(Corruption):
    """JPEG's loss: 8 x 8 cosine transforms of luma and chroma, rounded to multiples of a table.

    The table is Annex K's times 200 strength^4: a factor of 0.4 is libjpeg's quality 80, 1 its 50, 5 its 10.
    It is neither rounded nor capped at 255, so that strength is continuous and ends where every block is
    grey, and chroma is not subsampled. (Codecs take whole qualities from 1; kornia's differentiable one
    rounds softly and so keeps what JPEG drops.)
    """

    name = "jpeg_compression"

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        return compress(images, _tables(images) * _COARSEST * strength.pow(4))


def compress(images: Tensor, tables: Tensor) -> Tensor:
    """Images ``[n, 3, h, w]`` in [0, 1], quantised by tables ``[n or 1, 3, 8, 8]`` in grey levels."""
    height, width = images.shape[-2:]
    to_ycc, basis = _ycc(images), _cosines(images)
    ycc = torch.einsum("dc,nchw->ndhw", to_ycc, images * 255) - images.new_tensor([128, 0, 0])[:, None, None]
    ycc = F.pad(ycc, (0, -width % 8, 0, -height % 8), mode="replicate")
    blocks = ycc.unflatten(3, (-1, 8)).unflatten(2, (-1, 8))  # [n, 3, rows, 8, columns, 8]
    coefficients = torch.einsum("ui,ncribj,vj->ncrubv", basis, blocks, basis)
    steps = tables[:, :, None, :, None, :]
    rounded = (coefficients / steps).round() * steps
    blocks = torch.einsum("ui,ncrubv,vj->ncribj", basis, rounded, basis)
    ycc = blocks.flatten(4, 5).flatten(2, 3)[..., :height, :width]
    ycc = ycc + images.new_tensor([128, 0, 0])[:, None, None]
    return (torch.einsum("dc,nchw->ndhw", torch.linalg.inv(to_ycc), ycc) / 255).clamp(0, 1)


def _tables(like: Tensor) -> Tensor:
    chrominance = F.pad(like.new_tensor(_CHROMINANCE_CORNER), (0, 4, 0, 4), value=99)
    return torch.stack([like.new_tensor(_LUMINANCE), chrominance, chrominance])[None]


def _ycc(like: Tensor) -> Tensor:
    """RGB -> luma and two colour differences, as JFIF defines them."""
    return like.new_tensor(
        [[0.299, 0.587, 0.114], [-0.168735892, -0.331264108, 0.5], [0.5, -0.418687589, -0.081312411]]
    )


def _cosines(like: Tensor) -> Tensor:
    """The orthonormal 8-point cosine transform, ``[frequency, place]``."""
    frequency, place = torch.arange(8.0)[:, None], torch.arange(8.0)[None, :]
    basis = torch.cos(math.pi * frequency * (2 * place + 1) / 16) / 2
    basis[0] /= math.sqrt(2)
    return basis.to(like)
