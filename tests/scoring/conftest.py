import numpy as np
import pandas as pd
import pytest

from controversy.evidence import Items
from controversy.judgments import read_judgments, validate
from controversy.scoring import respond


@pytest.fixture(scope="session")
def golan(shared_data):
    reading = read_judgments(shared_data / "golan2023" / "trials.csv", "golan2023")
    return respond(validate(reading.table), reading.items)


@pytest.fixture(scope="session")
def cue_conflict(shared_data):
    reading = read_judgments(shared_data / "modelvshuman", "modelvshuman")
    return respond(validate(reading.table), reading.items)


@pytest.fixture
def small():
    """Seven people, eleven stimuli, three models; each person judged some; ties everywhere."""
    rng = np.random.default_rng(7)
    ids = tuple(f"s{i}" for i in range(11))
    evidence = rng.integers(-3, 4, size=(11, 3)).astype(float)
    targeted = np.zeros((11, 3), dtype=bool)
    targeted[:6, :2] = True
    items = Items(ids, ("a", "b", "c"), evidence, targeted, tuple("uuvvwwuvwuv"))
    rows = [
        (f"p{p}", ids[s], rng.integers(1, 3), rng.integers(1, 5))
        for p in range(7)
        for s in range(11)
        if rng.random() < 0.8
    ]
    judgments = pd.DataFrame(rows, columns=["participant", "stimulus_id", "choice", "confidence"])
    return judgments, items
