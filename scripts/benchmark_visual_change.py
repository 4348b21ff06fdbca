"""How fast visual change is: batched torch against one image at a time in NumPy on pyrtools' pyramid.

Both on the same images in one run, in CPU time. The NumPy route is the reference of the tests, on the public
package's filters and convolutions; it works out the reference image's side for every comparison, as public
implementations do.

    python scripts/benchmark_visual_change.py --images 16 --side 224 --threads 2
"""

import argparse
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.ndimage import gaussian_filter

from controversy.visual_change import SteerableVIF

REFERENCE = Path(__file__).parents[1] / "tests" / "visual_change" / "conftest.py"


def numpy_route() -> Callable[..., float]:
    spec = importlib.util.spec_from_file_location("numpy_route", REFERENCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vif: Callable[..., float] = module._vif
    return vif


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=16)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rng = np.random.default_rng(0)
    noise = 255 * rng.random((options.images, options.side, options.side))
    reference = np.stack([gaussian_filter(image, 1.5) for image in noise])
    distorted = reference + 10 * rng.standard_normal(reference.shape)

    vif, few = numpy_route(), min(4, options.images)
    slow, expected = timed(lambda: [vif(x, y) for x, y in zip(reference[:few], distorted[:few], strict=True)])
    measure = SteerableVIF()
    x, y = (torch.as_tensor(images).float() for images in (reference, distorted))
    measure(measure.reference(x), y)  # warm up
    once, known = timed(lambda: measure.reference(x))
    fast, values = timed(lambda: measure(known, y))

    slow, once, fast = 1e3 * slow / few, 1e3 * once / options.images, 1e3 * fast / options.images
    print(f"NumPy, one at a time: {slow:.0f} ms of CPU an image")
    print(
        f"torch, batch of {options.images}: {fast:.1f} ms an image, and {once:.1f} ms once for its reference"
    )
    for times in (1, 20):
        print(
            f"{times} comparisons with a reference: {times * slow / (once + times * fast):.0f} times faster"
        )
    print(f"largest difference: {np.abs(np.array(expected) - values[:few].numpy()).max():.1e}")


if __name__ == "__main__":
    main()
