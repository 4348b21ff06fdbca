import json
import re

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from controversy.classifiers import Classifier, Preprocessing
from controversy.stimuli import SetWriter

FEW = ["bootstrap.samples=20", "bootstrap.samples_slow=10"]
SMALL = ["reference.n_stimuli=24", "reference.held_out=[0.9]", "n_participants=6"]


@pytest.fixture
def simulated(run, tmp_path):
    """A small simulated study in sim/: judgments, evidence, targets, truth."""
    status, _, problem = run("simulate", "out=sim", "seed=3", *SMALL)
    assert status == 0, problem
    return tmp_path / "sim"


class Readout(nn.Module):
    """Logits of four classes: the red of the first pixels of one row."""

    def __init__(self, row):
        super().__init__()
        self.row, self.gain = row, nn.Parameter(torch.tensor(20.0))

    def forward(self, images):
        return self.gain * images[:, 0, self.row, :4]


@pytest.fixture
def judged_set(tmp_path):
    """A set of twelve random images, one an ordered pair of four classes, with two models' logits."""
    writer = SetWriter(tmp_path / "set", {"pair": ["alpha", "beta"]})
    rng = np.random.default_rng(0)
    order = []
    for class_1, class_2 in ((i, j) for i in range(4) for j in range(4) if i != j):
        order.append(f"{class_1}-{class_2}")
        image = torch.from_numpy(rng.integers(0, 256, (3, 8, 8), dtype=np.uint8))
        row = {
            "stimulus_id": order[-1],
            "model_1": "alpha",
            "model_2": "beta",
            "seed": len(order),
            "n_steps": 1,
        }
        latents = {"z": torch.zeros(2)}
        writer.add(order[-1], image, latents, row | {"class_1": class_1, "class_2": class_2})
    classes = pd.DataFrame({"index": range(4), "wnid": list("abcd"), "name": ["7", "crane", "crane", "NA"]})
    models = {
        name: Classifier(
            Readout(i),
            name=name,
            n_classes=4,
            class_set="pixels",
            preprocessing=Preprocessing(8),
            weights_sha256=name,
        )
        for i, name in enumerate(["alpha", "beta"])
    }
    writer.finish(order, models, classes, {"generator": {"name": "random pixels"}, "seeds": [0]})
    return tmp_path / "set"


SIM = ["judgments=sim/judgments.csv", "evidence=sim/evidence.csv", "targets=sim/targets.csv"]


def test_simulated_judgments_are_scored_from_tables_alone(run, simulated, tmp_path):
    status, out, problem = run("score", *SIM, "out=scored", *FEW)
    assert status == 0, problem
    assert out.rstrip().endswith("report.html")
    written = {path.name for path in (tmp_path / "scored").iterdir()}
    assert {
        "scores.csv",
        "participants.csv",
        "stimuli.csv",
        "trials.csv",
        "comparisons.csv",
        "logistic.csv",
    } <= written
    assert {
        "accuracy.png",
        "accuracy.svg",
        "signed_rank_cosine.png",
        "model_pairs.svg",
        "report.html",
    } <= written
    scores = pd.read_csv(tmp_path / "scored" / "scores.csv")
    judgments = pd.read_csv(simulated / "judgments.csv")
    evidence = (
        pd.read_csv(simulated / "evidence.csv").query("model == 'held_out_1'").set_index("item")["evidence"]
    )
    hit = (evidence[judgments["stimulus_id"]].to_numpy() > 0) == (judgments["choice"] == 2)
    row = scores.query("measure == 'accuracy' and subset == 'held_out' and model == 'held_out_1'")
    assert row["estimate"].item() == pytest.approx(hit.mean())
    assert row["n_trials"].item() == 6 * 24


def test_the_truth_is_written_beside_simulated_judgments(simulated):
    truth = json.loads((simulated / "truth.json").read_text())
    assert set(truth["true_accuracy"]) == {"model_1", "model_2", "model_3", "model_4", "held_out_1"}
    assert all(0 < p < 1 for p in truth["probability_of_alternative_2"])
    assert truth["config"]["seed"] == 3


def test_golan2023_needs_no_set(run, shared_data, tmp_path):
    data = shared_data / "golan2023" / "trials.csv"
    status, out, problem = run(
        "score", f"judgments={data}", "format=golan2023", "out=g", "measures=[accuracy]", *FEW
    )
    assert status == 0, problem
    assert "360 of 3960 trials" in out
    row = pd.read_csv(tmp_path / "g" / "scores.csv").query(
        "measure == 'accuracy' and subset == 'targeted' and model == 'bert'"
    )
    assert row["estimate"].item() == pytest.approx(0.820833, abs=5e-7)


def test_a_set_is_simulated_and_scored_with_its_pictures(run, judged_set, tmp_path):
    status, _, problem = run("simulate", f"set={judged_set}", "out=sim", "n_participants=4")
    assert status == 0, problem
    status, _, problem = run("score", f"set={judged_set}", "judgments=sim/judgments.csv", "out=scored", *FEW)
    assert status == 0, problem
    html = (tmp_path / "scored" / "report.html").read_text()
    assert "data:image/png;base64" in html
    pairs = pd.read_csv(tmp_path / "scored" / "class_pairs.csv")
    assert len(pairs) == 12


def test_power_is_tabulated_and_drawn(run, tmp_path):
    few = ["power.participants=[3,6]", "power.stimuli=[12]", "power.n_repetitions=2", "power.n_samples=10"]
    status, out, problem = run("simulate", "out=p", *SMALL, *few)
    assert status == 0, problem
    table = pd.read_csv(tmp_path / "p" / "power.csv")
    assert len(table) == 2 * 5 * 2
    assert (tmp_path / "p" / "power.svg").exists()
    assert "power for model_1" in out


def test_exclusions_are_said_and_counted(run, simulated, tmp_path):
    table = pd.read_csv(simulated / "judgments.csv")
    table["rt"] = np.where(table.index < 5, 99.0, 1.0)
    table.to_csv(simulated / "judgments.csv", index=False)
    status, out, _ = run("score", *SIM, "out=scored", "exclude.max_rt=10", "measures=[accuracy]", *FEW)
    assert status == 0
    assert "max_rt=10: 0 participant(s) and 5 trial(s) left out" in out
    assert pd.read_csv(tmp_path / "scored" / "exclusions.csv")["trials"].tolist() == [5]
    assert "max_rt=10" in (tmp_path / "scored" / "report.html").read_text()


def test_problems_are_listed_by_row_and_nothing_is_scored(run, simulated, tmp_path):
    table = pd.read_csv(simulated / "judgments.csv")
    table.loc[4, "choice"] = 3
    table.loc[6, "stimulus_id"] = "nowhere"
    table.to_csv(simulated / "judgments.csv", index=False)
    status, _, problem = run("score", *SIM, "out=scored", *FEW)
    assert status == 2
    assert "row 5: choice 3 is neither 1 nor 2" in problem
    assert "row 7: stimulus_id 'nowhere' is not among the stimuli" in problem
    assert not (tmp_path / "scored" / "scores.csv").exists()
    assert len(pd.read_csv(tmp_path / "scored" / "problems.csv")) == 2


def test_pseudonyms_leave_the_scores_and_hide_the_names(run, simulated, tmp_path, monkeypatch):
    monkeypatch.setenv("CONTROVERSY_SALT", "pepper")
    for name, more in {"plain": [], "hidden": ["pseudonymise=true"]}.items():
        status, _, problem = run("score", *SIM, f"out={name}", "measures=[accuracy]", *more, *FEW)
        assert status == 0, problem
    plain, hidden = (pd.read_csv(tmp_path / name / "scores.csv") for name in ("plain", "hidden"))
    pd.testing.assert_frame_equal(plain, hidden)
    for path in [*(tmp_path / "hidden").glob("*.csv"), tmp_path / "hidden" / "report.html"]:
        # Pictures inside the page could hold any four letters by chance.
        text = re.sub(r"data:[^\"]*", "", path.read_text())
        assert "sim1" not in text
        assert "pepper" not in text


def test_columns_and_mixtures_are_given_on_the_command_line(run, simulated, tmp_path):
    table = pd.read_csv(simulated / "judgments.csv").rename(columns={"participant": "PROLIFIC_PID"})
    table.to_csv(simulated / "judgments.csv", index=False)
    few = ["measures=[accuracy]", *FEW]
    status, _, problem = run("score", *SIM, "out=scored", "columns={PROLIFIC_PID:participant}", *few)
    assert status == 0, problem
    status, _, problem = run("simulate", "out=m", *SMALL, "observer.mixture={model_1:5}", "observer.shared=0")
    assert status == 0, problem
    truth = json.loads((tmp_path / "m" / "truth.json").read_text())["true_accuracy"]
    assert truth["model_1"] > 0.8


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["judgments=sim/judgments.csv"], "set=DIR, or evidence=FILE"),
        ([*SIM, "set=somewhere"], "both given"),
        ([*SIM[:1], SIM[2]], "without evidence"),
        ([*SIM, "format=excel"], "no format 'excel'"),
        ([*SIM, "measures=[r2]"], "no measure 'r2'"),
        ([*SIM, "models=[model_9]"], "'model_9'"),
        ([*SIM, "exclude.min_catch_accuracy=0.5"], "kind=catch"),
        ([*SIM, "judgments=sim/none.csv"], "no file"),
    ],
)
def test_what_cannot_be_scored_is_answered_with_what_to_do(run, simulated, words, answer):
    status, _, problem = run("score", "out=scored", *words)
    assert status == 2
    assert answer in problem
