"""`controversy vcr` on the embedded digits world, with few images of few corruptions."""

import pandas as pd
import pytest

FEW = [
    "models=[digits_resnet]",
    "n_images=4",
    "per_image=2",
    "corruptions=[contrast,impulse_noise]",
    "n_bootstrap=20",
    "device=cpu",
]


def test_the_default_images_go_all_the_way_to_a_report_and_a_second_run_only_scores(run, tmp_path):
    status, out, err = run("vcr", "out=one", *FEW)
    assert status == 0, err
    assert out.strip().endswith("one/report.html")
    assert "16 corrupted images" in err
    table = pd.read_csv(tmp_path / "one" / "vcr.csv")
    assert set(table["corruption"]) == {"contrast", "impulse_noise", "mean"}
    assert table["robustness"].between(0, 1).all()
    assert table["visual_change"].str.contains("SteerableVIF").all()
    assert (table["chance"] == 0.1).all()
    observations = (tmp_path / "one" / "observations.csv").read_bytes()

    counts = pd.DataFrame(
        {"corruption": "contrast", "visual_change": [0.1, 0.5, 0.9], "trials": 50, "hits": [50, 40, 20]}
    )
    counts.to_csv(tmp_path / "people.csv", index=False)
    part = tmp_path / "one" / "parts" / "contrast_00000.csv"
    before = part.stat().st_mtime_ns
    status, _, err = run("vcr", "out=one", *FEW, "people=people.csv", "bins=5")
    assert status == 0, err
    assert part.stat().st_mtime_ns == before
    assert (tmp_path / "one" / "observations.csv").read_bytes() == observations
    table = pd.read_csv(tmp_path / "one" / "vcr.csv")
    assert (
        table.loc[(table["corruption"] == "contrast") & (table["model"] == "digits_resnet"), "hmri"]
        .notna()
        .any()
    )
    status, _, err = run("vcr", "out=one", *FEW, "seed=1")
    assert status == 2
    assert "seed was 0, now it is 1" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["corruptions=[fog]"], "no corruption called 'fog'"),
        (["estimator=spline"], "one of monotone, shen2024"),
        (["models=[]"], "at least one name"),
        (["models=[digits_resent]"], "digits_resnet"),
        (["visual_change=ssim"], "'ssim'"),
        (["images=nowhere"], "has to be digits, a folder"),
        (["people=nowhere.csv"], "cannot read people's answers"),
        (["per_image=0"], "per_image=0"),
        (["superclasses=basic16", "pooling=max"], "'mean' or 'sum'"),
    ],
)
def test_what_cannot_be_is_said_before_any_work(run, tmp_path, words, message):
    status, _, err = run("vcr", "out=none", *FEW, *words)
    assert status == 2
    assert message in err
    assert not (tmp_path / "none").exists()
