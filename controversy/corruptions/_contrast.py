from torch import Tensor

from controversy.corruptions._base import Corruption, register


@register
class Contrast(Corruption):
    """Lost contrast: values move towards the mean of their channel; at 1 the image is flat."""

    name = "contrast"

    def distort(self, images: Tensor, strength: Tensor, drawn: Tensor) -> Tensor:
        return images.lerp(images.mean((2, 3), keepdim=True), strength)
