"""Trials as the browser sees them: nothing of what they are made of."""

from typing import Any

import pandas as pd


def list_for_browser(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """One list's trials: opaque names, the words on the left and right, and whether it is practice.

    Args:
        rows: The list's rows of `Experiment.lists`, in order.
    """
    first_left = rows["left_alternative"] == 1
    left = rows["class_1_name"].where(first_left, rows["class_2_name"])
    right = rows["class_2_name"].where(first_left, rows["class_1_name"])
    columns = zip(rows["trial_id"], rows["image_name"], left, right, rows["kind"] == "practice", strict=True)
    return [
        {"trial_id": trial, "image": image, "left": a, "right": b, "practice": bool(practice)}
        for trial, image, a, b, practice in columns
    ]
