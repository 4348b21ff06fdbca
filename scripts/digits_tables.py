"""Tables of docs/digits.md: success by model pair, and how far latents went, of one or more stimulus sets.

    python scripts/digits_tables.py outputs/six-pairs [more sets ...]

Prints Markdown. With several sets, a row a set.
"""

import argparse
from pathlib import Path

import pandas as pd

from controversy.stimuli import StimulusSet

MEASURES = ["z_norm", "z_at_bound", "class_distance", "class_weight"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="+", type=Path)
    folders = parser.parse_args().sets
    rows = [StimulusSet(folder).metadata.assign(set=folder.name) for folder in folders]
    if len(rows) > 1:
        print(_markdown(pd.concat(rows), ["set"]))
        return
    pairs = rows[0].assign(pair=rows[0]["model_1"] + " / " + rows[0]["model_2"])
    print(_markdown(pairs, ["pair"]))


def _markdown(rows: pd.DataFrame, by: list[str]) -> str:
    everything = rows.assign(**dict.fromkeys(by, "**all**"))
    lines = []
    for name, group in [*rows.groupby(by, sort=False), ("**all**", everything)]:
        score = group["controversiality"]
        deviation = " | ".join(f"{group[m].median():.2f}" if m in group else "-" for m in MEASURES)
        label = name[0] if isinstance(name, tuple) else name
        lines.append(
            f"| {label} | {len(group)} | {(score >= 0.75).mean():.1%} | {(score >= 0.9).mean():.1%} "
            f"| {score.median():.3f} | {score.min():.2f} | {group['n_steps'].median():.0f} | {deviation} |"
        )
    head = f"| {by[0]} | stimuli | ≥ 0.75 | ≥ 0.9 | median | least | steps | {' | '.join(MEASURES)} |"
    return "\n".join([head, "|---" * head.count(" | ") + "|---|", *lines])


if __name__ == "__main__":
    main()
