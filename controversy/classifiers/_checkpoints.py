"""Checkpoints of older versions of timm, under the names of today's."""

import sys
import warnings

from torch import Tensor, nn


def in_timms_names(state: dict[str, Tensor], network: nn.Module) -> dict[str, Tensor]:
    """A state dict as timm's own loader would hand it to ``network``; unchanged where the names fit already.

    Each of timm's modules has a ``checkpoint_filter_fn`` that renames what its older versions, and the
    authors of the architecture, saved. Some also resample embeddings of another image size: such a tensor
    stays as it was, so that strict loading refuses it.
    """
    if state.keys() == network.state_dict().keys():
        return state
    rename = getattr(sys.modules[type(network).__module__], "checkpoint_filter_fn", None)
    if rename is None:
        return state
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of tensors that it resamples: those are not taken, see below
            renamed = rename(dict(state), network)
    except (KeyError, AttributeError, IndexError, RuntimeError, TypeError, ValueError):
        # It is no checkpoint of this architecture; strict loading says in which names.
        return state
    return {
        name: state[name] if name in state and state[name].shape != value.shape else value
        for name, value in renamed.items()
    }
