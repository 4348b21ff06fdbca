"""The lists as conditions files for PsychoPy's loops."""

from pathlib import Path

from controversy.experiment._folder import Experiment
from controversy.experiment._images import bare_png
from controversy.files import whole_folder


def export_psychopy(experiment: Experiment, out: Path) -> int:
    """Writes one conditions file a list, and the images.

    Headers are valid Python names, as PsychoPy demands. It copies them into its data, so that
    ``controversy score format=psychopy`` finds ``stimulus_id``, ``left_alternative``, ``kind`` and
    ``correct`` there.

    Args:
        experiment: What to export.
        out: A new folder; it appears whole or not at all.

    Returns:
        The number of conditions files.
    """
    lists = experiment.lists
    width = len(str(lists["list"].max()))
    first_left = lists["left_alternative"] == 1
    conditions = lists.assign(
        image="images/" + lists["image_name"],
        left_label=lists["class_1_name"].where(first_left, lists["class_2_name"]),
        right_label=lists["class_2_name"].where(first_left, lists["class_1_name"]),
        practice=(lists["kind"] == "practice").astype(int),
        list_number=lists["list"],
    )
    columns = [
        "image",
        "left_label",
        "right_label",
        "practice",
        "stimulus_id",
        "left_alternative",
        "kind",
        "correct",
    ]
    with whole_folder(out) as folder:
        (folder / "images").mkdir()
        for name, path in experiment.image_paths.items():
            (folder / "images" / name).write_bytes(bare_png(path))
        for number, own in conditions.groupby("list"):
            table = own[[*columns, "list_number", "position"]]
            text = table.to_csv(index=False, lineterminator="\n")
            (folder / f"conditions_{number:0{width}d}.csv").write_text(text, encoding="utf-8")
    return int(lists["list"].nunique())
