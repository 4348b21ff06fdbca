"""How long does scoring take, in how much memory, and how does it grow?

    python scripts/benchmark_scoring.py            # the reference study and its growth
    python scripts/benchmark_scoring.py --only 0   # the reference study alone

Each case runs in a process of its own, so that its peak of memory is its own. Prints a Markdown table.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

from controversy.judgments import validate
from controversy.observers import Observers, reference_design, simulate
from controversy.scoring import ScoringOptions, respond, score

# participants, stimuli, models, samples, samples of slow measures, stimuli that each judges
CASES = (
    (60, 1008, 21, 10_000, 1_000, 1008),
    (60, 1008, 21, 10_000, 1_000, 336),
    (120, 1008, 21, 10_000, 1_000, 336),
    (60, 2016, 21, 10_000, 1_000, 336),
    (60, 1008, 42, 10_000, 1_000, 336),
    (60, 1008, 21, 20_000, 2_000, 336),
)


def measure(case: tuple[int, ...]) -> dict[str, float]:
    """Scores one simulated study, all measures and subsets."""
    n_participants, n_stimuli, n_models, n_samples, n_slow, n_seen = case
    held_out = tuple(0.9 * i / (n_models - 4) for i in range(n_models - 4))
    design = reference_design(n_stimuli, held_out=held_out)
    people = simulate(
        design.items,
        Observers(noise_spread=0.3),
        n_participants=n_participants,
        n_seen=n_seen,
        shared_signal=design.shared,
    )
    responses = respond(validate(people.judgments), design.items)
    wall, cpu = time.perf_counter(), time.process_time()
    score(responses, ScoringOptions(n_samples=n_samples, n_samples_slow=n_slow))
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=int, nargs="*", help="numbers of cases, from 0")
    parser.add_argument("--case", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(tuple(arguments.case))))
        return
    print(f"{os.cpu_count()} cores\n")
    columns = ["participants", "stimuli", "judged by each", "models", "samples", "slow samples"]
    columns += ["seconds", "CPU seconds", "GB"]
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    for number, case in enumerate(CASES):
        if arguments.only and number not in arguments.only:
            continue
        command = [sys.executable, __file__, "--case", json.dumps(case)]
        result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        people, stimuli, models, samples, slow, seen = case
        print(
            f"| {people} | {stimuli} | {seen} | {models} | {samples} | {slow} "
            f"| {result['wall']:.0f} | {result['cpu']:.0f} | {result['memory']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
