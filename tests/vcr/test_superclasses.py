"""1,000 classes to 16 categories."""

import pandas as pd
import pytest
import torch

from controversy.errors import ControversyError
from controversy.vcr import BASIC_16, Superclasses, load_superclasses


def test_the_sixteen_basic_categories_are_disjoint_and_name_what_imagenet_numbers():
    indices = [index for members in BASIC_16.values() for index in members]
    assert len(BASIC_16) == 16
    assert len(indices) == len(set(indices)) == 207  # as many as the paper says
    assert max(indices) < 1000
    # Well-known places: tabby 281, airliner 404, African elephant 386, goldfinch 11, chihuahua 151 is no
    # member.
    assert 281 in BASIC_16["cat"]
    assert 404 in BASIC_16["airplane"]
    assert 386 in BASIC_16["elephant"]
    assert 11 in BASIC_16["bird"]


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
