"""Images as the browser gets them: the pixels and nothing else."""

import io
from pathlib import Path

from PIL import Image

from controversy.errors import ControversyError


def bare_png(path: Path) -> bytes:
    """An image's pixels as a PNG without any metadata.

    Raises:
        ControversyError: The file is no whole image.
    """
    try:
        with Image.open(path, formats=["PNG"]) as image:
            pixels = image.convert("RGB")
    except (OSError, SyntaxError) as problem:
        raise ControversyError(f"cannot read the image {path}: {problem}. Restore it.") from problem
    # Pillow would carry text chunks, colour profiles and resolution over from the file.
    bare = Image.frombytes("RGB", pixels.size, pixels.tobytes())
    stream = io.BytesIO()
    bare.save(stream, format="PNG", optimize=False)
    return stream.getvalue()
