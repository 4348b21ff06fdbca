"""VIF of one image at a time in NumPy, on pyrtools' pyramid: what the batched one must equal."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view


def _patches(band, step):
    return sliding_window_view(band, (3, 3))[::step, ::step].reshape(-1, 9).T


def _windows(band, size):
    margin = (size - 3) // 2
    return sliding_window_view(np.pad(band, margin, mode="reflect"), (size, size))[::3, ::3]


def _vif(reference, distorted, sigma_n_sq=0.1, pool=np.mean):
    """Sheikh & Bovik (2006) on two float arrays [h, w] in 0-255."""
    import pyrtools

    pyramids = [
        pyrtools.pyramids.SteerablePyramidSpace(image, height=4, order=5).pyr_coeffs
        for image in (reference, distorted)
    ]
    keys = [(scale, orientation) for scale in (3, 2, 1, 0) for orientation in (0, 3)]
    kept, available = np.zeros(8), np.zeros(8)
    for i, key in enumerate(keys):
        x, y = (pyramid[key] for pyramid in pyramids)
        x, y = (band[: band.shape[0] // 3 * 3, : band.shape[1] // 3 * 3] for band in (x, y))
        size = 2 ** (i // 2 + 1) + 1
        wx, wy = _windows(x, size), _windows(y, size)
        var_x, var_y = wx.var((2, 3)), wy.var((2, 3))
        cov = (wx * wy).mean((2, 3)) - wx.mean((2, 3)) * wy.mean((2, 3))
        g = cov / (var_x + 1e-15)
        noise = var_y - g * cov
        flat = var_x < 1e-15
        g[flat], noise[flat] = 0, var_y[flat]
        flat = var_y < 1e-15
        g[flat], noise[flat] = 0, 0
        negative = g < 0
        noise[negative], g[negative] = var_y[negative], 0
        noise = np.maximum(noise, 1e-15)
        eigenvalues, vectors = np.linalg.eigh(np.cov(_patches(x, 1)))
        eigenvalues = np.maximum(eigenvalues, 1e-15)
        inverse = vectors @ np.diag(1 / eigenvalues) @ vectors.T
        blocks = _patches(x, 3)
        s = ((inverse @ blocks) * blocks).sum(0).reshape(x.shape[0] // 3, -1) / 9
        border = int(np.ceil((size - 1) / 2 / 3))
        inner = (slice(border, -border),) * 2
        for value in eigenvalues:
            kept[i] += pool(np.log(1 + (g**2 * s * value / (noise + sigma_n_sq))[inner]))
            available[i] += pool(np.log(1 + (s * value / sigma_n_sq)[inner]))
    return np.mean(kept + 1e-4) / np.mean(available + 1e-4)


@pytest.fixture
def numpy_vif():
    pytest.importorskip("pyrtools", reason="pyrtools is a test extra")
    return _vif
