"""Visual change: how far an image is from its original to a human eye, by visual information fidelity.

| name           | is |
|----------------|----|
| `VisualChange` | dv = clip(1 - VIF, 0, 1) of images in [0, 1]; what the rest of the house uses |
| `SteerableVIF` | VIF in the steerable-pyramid domain on luma (Sheikh & Bovik 2006) |
| `PixelVIF`     | VIF in the pixel domain, from torchmetrics |
| `luma`         | BT.601 luma in 0-255 |
"""

from controversy.visual_change._pixel import PixelVIF
from controversy.visual_change._vif import SteerableVIF
from controversy.visual_change._visual_change import METHODS, Method, VisualChange, luma

__all__ = ["METHODS", "Method", "PixelVIF", "SteerableVIF", "VisualChange", "luma"]
