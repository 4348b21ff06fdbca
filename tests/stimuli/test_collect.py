"""Many sets become one: rows and images unchanged, logits of every model, nothing dropped in silence."""

import numpy as np
import pandas as pd
import pytest
import torch

from controversy.errors import ControversyError
from controversy.stimuli import SetWriter, StimulusSet, collect, evaluate, verify

ALL = ("alpha", "beta", "gamma")
PAIRS = (("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma"))


@pytest.fixture
def sweep(make_set):
    """One set a model pair, as a sweep leaves them; each with the logits of all three models."""
    return [make_set(f"sweep/{a}-{b}", (a, b), seed, models=ALL) for seed, (a, b) in enumerate(PAIRS)]


def test_a_collection_is_a_set_with_all_stimuli_in_order(sweep, tmp_path, classifier):
    one = collect([tmp_path / "sweep" / "*"], tmp_path / "all")
    assert one.models == ALL
    assert verify(one, {name: classifier(name) for name in ALL}) == []
    parts = pd.concat([part.metadata for part in sweep], ignore_index=True)
    pd.testing.assert_frame_equal(one.metadata[parts.columns], parts)
    for name in ALL:
        np.testing.assert_array_equal(one.logits(name), np.concatenate([part.logits(name) for part in sweep]))
    assert torch.equal(one.images(), torch.cat([part.images() for part in sweep]))
    for name, latents in one.latents().items():
        assert torch.equal(latents, torch.cat([part.latents()[name] for part in sweep]))
    assert one.classes.equals(sweep[0].classes)


def test_a_collection_says_where_each_stimulus_is_from(sweep, tmp_path):
    one = collect([part.folder for part in sweep], tmp_path / "all")
    assert one.metadata["source"].tolist() == [0] * 12 + [1] * 12 + [2] * 12
    assert one.metadata["source_row"].tolist() == list(range(12)) * 3
    sources = one.manifest["sources"]
    assert [source["name"] for source in sources] == ["alpha-beta", "alpha-gamma", "beta-gamma"]
    assert [source["configuration"] for source in sources] == [
        part.manifest["configuration"] for part in sweep
    ]
    assert one.manifest["generator"] == {"name": "random pixels"}


def test_the_same_collection_has_the_same_bytes_and_is_skipped_when_there(sweep, tmp_path, digests):
    folders = [part.folder for part in sweep]
    first, second = collect(folders, tmp_path / "first"), collect(folders, tmp_path / "second")
    assert digests(first.folder) == digests(second.folder)
    before = digests(first.folder, but=())
    collect(folders, tmp_path / "first")
    assert digests(first.folder, but=()) == before
    with pytest.raises(ControversyError, match=r"collect\.per_pair: null -> 3"):
        collect(folders, tmp_path / "first", per_pair=3)


def test_sources_are_left_as_they_are_and_not_needed_afterwards(sweep, tmp_path, digests, classifier):
    before = [digests(part.folder, but=()) for part in sweep]
    one = collect([part.folder for part in sweep], tmp_path / "all")
    assert [digests(part.folder, but=()) for part in sweep] == before
    (tmp_path / "sweep").rename(tmp_path / "gone")
    assert verify(StimulusSet(one.folder), {"alpha": classifier("alpha")}) == []


def test_a_set_that_is_named_twice_counts_once(sweep, tmp_path):
    one = collect([tmp_path / "sweep" / "*", sweep[0].folder], tmp_path / "all")
    assert len(one) == 36


def test_copies_of_a_set_are_refused_since_a_participant_would_see_a_stimulus_twice(make_set, tmp_path):
    first, second = make_set("first"), make_set("second")
    with pytest.raises(ControversyError, match=r"first and .*second are the same set"):
        collect([first.folder, second.folder], tmp_path / "all")


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        ([("alpha", "beta"), ("alpha", "gamma")], ["alpha-beta-0-1-seed0", "alpha-gamma-0-1-seed0"]),
        ([("alpha", "beta"), ("alpha", "beta")], ["set0-alpha-beta-0-1-seed0", "set1-alpha-beta-0-1-seed0"]),
    ],
)
def test_ids_that_sets_share_become_unique_and_keep_their_old_one(
    tmp_path, add_stimuli, classes, classifier, names, ids
):
    given = {name: classifier(name) for name in ALL}
    for number, pair in enumerate(names):
        writer = SetWriter(tmp_path / f"sweep{number}", {"number": number})
        writer.finish(add_stimuli(writer, pair), given, classes, {})
    one = collect([tmp_path / "sweep*"], tmp_path / "all")
    assert one.metadata["stimulus_id"].is_unique
    assert one.metadata["stimulus_id"][[0, 12]].tolist() == ids
    assert one.metadata["source_stimulus_id"][[0, 12]].tolist() == ["0-1-seed0"] * 2
    assert verify(one, given) == []


def test_missing_logits_are_answered_with_the_commands_that_add_them(make_set, tmp_path):
    first, second = make_set("first", ("alpha", "beta")), make_set("second", ("alpha", "gamma"), 1)
    with pytest.raises(ControversyError) as refusal:
        collect([first.folder, second.folder], tmp_path / "all")
    assert f"controversy evaluate set={first.folder} models=[gamma]" in str(refusal.value)
    assert f"controversy evaluate set={second.folder} models=[beta]" in str(refusal.value)
    assert not (tmp_path / "all").exists()


def test_missing_logits_can_be_computed_and_are_those_that_evaluate_adds(make_set, tmp_path, classifier):
    folders = [make_set("first", ("alpha", "beta")).folder, make_set("second", ("alpha", "gamma"), 1).folder]
    computed = collect(folders, tmp_path / "computed", classifiers={name: classifier(name) for name in ALL})
    assert StimulusSet(folders[0]).models == ("alpha", "beta")
    evaluate(StimulusSet(folders[0]), {"gamma": classifier("gamma")})
    evaluate(StimulusSet(folders[1]), {"beta": classifier("beta")})
    added = collect(folders, tmp_path / "added")
    for name in ALL:
        np.testing.assert_array_equal(computed.logits(name), added.logits(name))
    with pytest.raises(ControversyError, match="gamma with other weights than the model here"):
        collect(
            [folders[0], make_set("third", ("alpha", "beta"), 2).folder],
            tmp_path / "other",
            classifiers={"gamma": classifier("gamma", gain=3.0)},
        )


@pytest.mark.parametrize("state", ["unfinished", "nothing at", "is not a stimulus set", "format version 99"])
def test_missing_sets_are_all_named_and_skipped_only_on_request(sweep, tmp_path, add_stimuli, state):
    bad = tmp_path / "sweep" / "bad"
    if state == "unfinished":
        add_stimuli(SetWriter(bad, {}), only=2)
    elif state == "is not a stimulus set":
        bad.mkdir()
    elif state == "format version 99":
        bad.mkdir()
        (bad / "manifest.json").write_text('{"kind": "stimulus set", "format_version": 99}')
    sets = [*(part.folder for part in sweep), bad]
    with pytest.raises(
        ControversyError, match=rf"1 of the sets cannot be collected(.|\n)*{state}(.|\n)*missing=skip"
    ):
        collect(sets, tmp_path / "all")
    assert not (tmp_path / "all").exists()
    one = collect(sets, tmp_path / "all", missing="skip")
    assert len(one) == 36
    assert len(one.manifest["skipped"]) == 1
    assert state in one.manifest["skipped"][0]


def test_no_set_at_all_is_refused(tmp_path):
    with pytest.raises(ControversyError, match="no set to collect"):
        collect([tmp_path / "nowhere*"], tmp_path / "all", missing="skip")
    with pytest.raises(ControversyError, match="refuse or skip, got 'maybe'"):
        collect([tmp_path], tmp_path / "all", missing="maybe")


def test_sets_that_do_not_fit_together_are_refused(make_set, tmp_path, classes):
    first = make_set("first")
    other_threshold = make_set("threshold", seed=1, success_threshold=0.9)
    with pytest.raises(ControversyError, match=r"differ in success_threshold: 0\.75 and 0\.9"):
        collect([first.folder, other_threshold.folder], tmp_path / "all")
    classes.loc[0, "name"] = "seven"  # the fixture's own table: sets made from here on use it
    other_classes = make_set("classes", seed=2)
    with pytest.raises(ControversyError, match="differ in their classes"):
        collect([first.folder, other_classes.folder], tmp_path / "all")


def test_one_name_for_two_models_is_refused(make_set, tmp_path, classifier, add_stimuli, classes):
    first, writer = make_set("first"), SetWriter(tmp_path / "second", {"seed": 1})
    models = {"alpha": classifier("alpha", gain=19.0), "beta": classifier("beta")}
    second = writer.finish(add_stimuli(writer, seed=1), models, classes, {})
    with pytest.raises(ControversyError, match="hold logits of alpha with different weights"):
        collect([first.folder, second.folder], tmp_path / "all")


def test_sets_of_different_generators_make_one_without_latents(make_set, tmp_path):
    first, second = make_set("first"), make_set("second", seed=1, generator={"name": "another"})
    one = collect([first.folder, second.folder], tmp_path / "all")
    assert one.manifest["generator"] is None
    assert [source["generator"]["name"] for source in one.manifest["sources"]] == ["random pixels", "another"]
    assert verify(one, {}) == []
    with pytest.raises(ControversyError, match=r"keeps no latents: .* different generators"):
        one.latents()


def test_columns_that_only_some_sets_have_are_empty_elsewhere(tmp_path, add_stimuli, classes, classifier):
    models = {name: classifier(name) for name in ("alpha", "beta")}
    folders = []
    for number, further in enumerate([{"n_attempts": 3, "kept": True, "remark": "7"}, {"distance": 0.1}]):
        writer = SetWriter(tmp_path / f"set{number}", {"number": number})
        writer.add = lambda name, image, latents, row, add=writer.add, more=further: add(
            name, image, latents, row | more
        )
        folders.append(writer.finish(add_stimuli(writer, seed=number), models, classes, {}).folder)
    table = collect(folders, tmp_path / "all").metadata
    assert table["n_attempts"].tolist()[:12] == [3.0] * 12
    assert table["n_attempts"].isna().tolist() == [False] * 12 + [True] * 12
    assert table["distance"].isna().tolist() == [True] * 12 + [False] * 12
    assert table["kept"].tolist() == ["True"] * 12 + [""] * 12
    assert table["remark"].tolist() == ["7"] * 12 + [""] * 12
    assert verify(StimulusSet(tmp_path / "all"), models) == []


def test_a_damaged_image_is_not_copied(sweep, tmp_path):
    path = sweep[1].folder / sweep[1].metadata["file_name"][0]
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(ControversyError, match=f"controversy verify set={sweep[1].folder}"):
        collect([part.folder for part in sweep], tmp_path / "all")
    with pytest.raises(ControversyError, match="unfinished"):
        StimulusSet(tmp_path / "all")


def test_only_successes_and_so_many_a_pair(sweep, tmp_path):
    folders = [part.folder for part in sweep]
    best = collect(folders, tmp_path / "best", per_pair=4)
    assert best.metadata.groupby(["model_1", "model_2"]).size().tolist() == [4, 4, 4]
    assert verify(best, {}) == []
    with pytest.raises(ControversyError, match=r"success_only=true, but no stimulus is a success"):
        collect(folders, tmp_path / "successes", success_only=True)


def test_a_stopped_collection_is_begun_again_and_completes(sweep, tmp_path, monkeypatch, digests):
    from controversy.stimuli import _collect

    folders = [part.folder for part in sweep]
    expected = collect(folders, tmp_path / "expected")

    class Stopped(BaseException):
        pass

    def stop(*_, **__):
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(_collect, "complete_set", stop)
        with pytest.raises(Stopped):
            collect(folders, tmp_path / "stopped")
    assert digests(collect(folders, tmp_path / "stopped").folder) == digests(expected.folder)
