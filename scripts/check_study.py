"""Whether a study came out as docs/study.md says: every number that the document gives an interval for.

    python scripts/check_study.py outputs/study docs/study.md

The document's table has rows `| name | measured there | from | to |`. A name is found in what the study
wrote: see `measured`. Exits with 1 where a number lies outside, or a name is not known.
"""

import re
import sys
from pathlib import Path

import pandas as pd

ROW = re.compile(r"^\| `([^`|]+)` \| ([-\d.]+) \| ([-\d.]+) \| ([-\d.]+) \|$", re.MULTILINE)


def measured(folder: Path) -> dict[str, float]:
    """Every number of a study by name."""
    stimuli = pd.read_csv(folder / "set" / "metadata.csv")
    lists = pd.read_csv(folder / "experiment" / "lists.csv")
    judgments = pd.read_csv(folder / "judgments.csv")
    scores = pd.read_csv(folder / "scores" / "scores.csv")
    vcr = pd.read_csv(folder / "vcr" / "vcr.csv")
    main = lists[lists["kind"] == "main"]
    numbers = {
        "stimuli": len(stimuli),
        "median controversiality": stimuli["controversiality"].median(),
        "share of stimuli at 0.75 or more": (stimuli["controversiality"] >= 0.75).mean(),
        "lists": lists["list"].nunique(),
        "fewest judgments of a stimulus": main["stimulus_id"].value_counts().min(),
        "judgments": len(judgments),
        "participants": judgments["participant"].nunique(),
    }
    for row in scores.to_dict("records"):
        if pd.notna(row["estimate"]):
            numbers[f"{row['measure']}, {row['subset']}, {row['model']}"] = row["estimate"]
    for row in vcr.to_dict("records"):
        numbers[f"VCR, {row['corruption']}, {row['property']}, {row['model']}"] = row["robustness"]
    return {str(name): float(value) for name, value in numbers.items()}


def main() -> None:
    folder, document = Path(sys.argv[1]), Path(sys.argv[2])
    numbers, rows = measured(folder), ROW.findall(document.read_text(encoding="utf-8"))
    outside = 0
    for name, there, low, high in rows:
        here = numbers.get(name, float("nan"))
        inside = float(low) <= here <= float(high)
        outside += not inside
        verdict = "" if inside else "   OUTSIDE"
        print(f"{name}: {here:.3f} (there {there}, interval {low} to {high}){verdict}")
    if not rows:
        raise SystemExit(f"{document} has no table of intervals")
    if outside:
        raise SystemExit(f"{outside} of {len(rows)} numbers lie outside their intervals")
    print(f"all {len(rows)} numbers lie inside their intervals")


if __name__ == "__main__":
    main()
