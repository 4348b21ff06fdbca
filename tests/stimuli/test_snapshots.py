"""A run that is stopped or damaged in the middle ends in the bytes of one that was left in peace."""

import shutil

import pytest

from controversy.classifiers import load_classifier
from controversy.errors import ControversyError
from controversy.generators import load_generator
from controversy.jobs import Interrupted, read_status
from controversy.stimuli import make_set
from controversy.stimuli._layout import PROGRESS, SNAPSHOT
from controversy.synthesis import Settings, class_pairs

SETTINGS = Settings(n_candidates=4, n_steps=12, n_attempts=2, batch_size=16, check_every=2, stall=12)
SAME_BYTES = ["metadata.csv", "logits.safetensors", "latents.safetensors", "contact_sheet.png"]


@pytest.fixture(scope="module")
def make():
    generator = load_generator("digits", truncation=1.0, conditioning="simplex")
    models = [load_classifier(name) for name in ("digits_resnet", "digits_convnext")]

    def make(folder, **options):
        return make_set(folder, generator, *models, class_pairs(10, 20), settings=SETTINGS, **options)

    return make


@pytest.fixture(scope="module")
def whole(make, tmp_path_factory):
    return contents(make(tmp_path_factory.mktemp("whole") / "set").folder)


def contents(folder):
    files = [folder / name for name in SAME_BYTES] + sorted((folder / "images").rglob("*.png"))
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def stopped_after(make, folder, n_rounds):
    asked = []

    def stop():
        asked.append(None)
        return len(asked) == n_rounds

    with pytest.raises(Interrupted, match="goes on from here"):
        make(folder, stop=stop)


def test_asked_to_stop_it_saves_its_state_and_goes_on_to_the_same_bytes(make, whole, tmp_path):
    folder = tmp_path / "set"
    for n_rounds in (3, 2, 4):
        stopped_after(make, folder, n_rounds)
        assert (folder / SNAPSHOT).exists()
        assert read_status(folder).state == "interrupted"
    assert contents(make(folder).folder) == whole
    assert (read_status(folder).state, read_status(folder).n_done) == ("complete", 20)
    assert not (folder / PROGRESS).exists()
    assert sorted(path.name for path in folder.glob(".*")) == []


@pytest.mark.parametrize("where", [0.2, 0.5, 0.99])
def test_a_flipped_bit_in_a_snapshot_is_noticed_and_costs_nothing_but_time(make, whole, tmp_path, where):
    folder = tmp_path / "set"
    stopped_after(make, folder, 4)
    content = bytearray((folder / SNAPSHOT).read_bytes())
    content[int(where * len(content))] ^= 4
    (folder / SNAPSHOT).write_bytes(content)
    with pytest.warns(RuntimeWarning, match="is damaged"):
        made = make(folder)
    assert contents(made.folder) == whole


def test_a_flipped_bit_in_a_stored_stimulus_latents_is_noticed(make, whole, tmp_path):
    folder = tmp_path / "set"
    stopped_after(make, folder, 13)
    records = sorted((folder / PROGRESS).rglob("*.safetensors"))
    assert records
    content = bytearray(records[0].read_bytes())
    content[-3] ^= 16  # a latent's bits come last
    records[0].write_bytes(content)
    counts = []
    assert contents(make(folder, on_start=counts.append).folder) == whole
    assert counts == [len(records) - 1]


def test_snapshots_are_written_now_and_then_so_that_a_kill_loses_little(make, whole, tmp_path):
    folder, copy = tmp_path / "set", tmp_path / "copy"

    def copied_as_if_killed():
        if (folder / SNAPSHOT).exists() and not copy.exists():
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".lock*"))
        return False

    make(folder, snapshot_every=0, stop=copied_as_if_killed)
    assert contents(make(copy).folder) == whole


def test_a_full_disk_is_said_leaves_nothing_half_written_and_the_run_goes_on(
    make, whole, tmp_path, monkeypatch
):
    from controversy.stimuli import _records

    write, written = _records.write_png, []

    def full(path, image):
        written.append(path)
        if len(written) == 3:
            raise OSError(28, "No space left on device", str(path))
        write(path, image)

    folder = tmp_path / "set"
    with monkeypatch.context() as patched:
        patched.setattr(_records, "write_png", full)
        with pytest.raises(ControversyError, match=r"No space left on device.*same command again"):
            make(folder)
    assert read_status(folder).state == "failed"
    assert "No space left" in read_status(folder).error
    assert contents(make(folder).folder) == whole
