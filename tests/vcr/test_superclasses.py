"""1,000 classes to 16 categories."""

import pandas as pd
import pytest
import torch

from controversy.errors import ControversyError
from controversy.vcr import Superclasses, load_superclasses


def test_the_sixteen_basic_categories_become_superclasses_of_imagenet():
    superclasses = load_superclasses("basic16", "mean")
    assert len(superclasses.names) == 16
    assert superclasses.chance == 1 / 16
    logits = torch.zeros(3, 1000)
    logits[torch.arange(3), torch.tensor([281, 404, 386])] = 9  # tabby, airliner, African elephant
    said = superclasses(logits).argmax(1)
    assert [superclasses.names[index] for index in said] == ["cat", "airplane", "elephant"]


def test_probabilities_are_averaged_or_summed_as_asked():
    probabilities = torch.tensor([[0.3, 0.2, 0.35, 0.15]])
    members = {"two": (0, 1), "one": (2,)}
    mean, total = (Superclasses(members, pooling)(probabilities.log()) for pooling in ("mean", "sum"))
    torch.testing.assert_close(mean, torch.tensor([[0.25, 0.35]]))
    torch.testing.assert_close(total, torch.tensor([[0.5, 0.35]]))
    assert Superclasses(members).chance == 0.5


def test_a_mapping_of_ones_own_comes_from_a_csv(tmp_path):
    pd.DataFrame({"index": [3, 1, 2], "category": ["odd", "odd", "even"]}).to_csv(
        tmp_path / "map.csv", index=False
    )
    assert load_superclasses(str(tmp_path / "map.csv"), "sum").members == {"odd": (3, 1), "even": (2,)}
    with pytest.raises(ControversyError, match=r"has to be basic16 or a CSV"):
        load_superclasses("basic17", "mean")
    with pytest.raises(ControversyError, match="name class 914, but the model has 10 classes"):
        load_superclasses("basic16", "mean")(torch.zeros(1, 10))
    with pytest.raises(ControversyError, match="'max'"):
        load_superclasses("basic16", "max")
