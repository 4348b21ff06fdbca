"""Simulated people take part in a running experiment, over HTTP, as browsers do.

    python scripts/simulate_participants.py outputs/study/experiment http://127.0.0.1:8000

Who they are is known (`controversy.observers`): a signal that all people share and no model has, a leaning to
one model's evidence, noise, lapses. They look at trials as the browser is told of them; the experiment's
folder says which stimulus each is. Their accuracies without end are printed: what the scores should come out
near.
"""

import argparse
import http.client
import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from controversy.evidence import items_from_set
from controversy.experiment import Experiment, read_experiment
from controversy.observers import Observers, simulate, true_accuracy

SURE_OF_CLEAR_IMAGES = 0.98


class Person:
    """One simulated participant at one browser."""

    def __init__(
        self, name: str, address: str, trials: Mapping[str, Any], choices: Mapping[str, Any]
    ) -> None:
        self._name, self._address, self._trials, self._choices = name, address, trials, choices
        self._rng = np.random.default_rng([int(b) for b in name.encode()])
        self._session = ""

    def take_part(self) -> int:
        """Joins, answers everything, completes: the number of answers."""
        parts = urlsplit(self._address)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
        told = self._send(connection, "/api/sessions", {"participant": self._name})
        self._session = told["session"]
        asked = [trial for trial in told["trials"] if not trial["practice"]]
        for trial in asked:
            self._send(connection, "/api/trials", self._answer(trial))
        self._send(connection, "/api/sessions/complete", {})
        return len(asked)

    def _answer(self, trial: Mapping[str, Any]) -> dict[str, Any]:
        shown = self._trials[trial["trial_id"]]
        if shown["kind"] == "catch":
            right = self._rng.random() < SURE_OF_CLEAR_IMAGES
            choice, confidence = (shown["correct"] if right else 3 - shown["correct"]), 4
        else:
            choice, confidence = self._choices[shown["stimulus_id"]]
        return {
            "trial_id": trial["trial_id"],
            "response": "left" if choice == shown["left_alternative"] else "right",
            "confidence": int(confidence),
            "rt_ms": float(np.exp(self._rng.normal(6.8, 0.4))),
            "input": "key",
            "answered_at": "2026-01-01T12:00:00Z",
        }

    def _send(self, connection: http.client.HTTPConnection, path: str, content: dict[str, Any]) -> Any:
        headers = {"authorization": f"Bearer {self._session}"} if self._session else {}
        while True:
            connection.request("POST", path, json.dumps(content), headers)
            reply = connection.getresponse()
            text = reply.read()
            if reply.status != 429:
                break
            time.sleep(float(reply.headers["retry-after"]))
        if reply.status >= 300:
            raise SystemExit(f"{path}: {reply.status} {text.decode()}")
        return json.loads(text) if text else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", type=Path, help="the experiment's folder")
    parser.add_argument("address", help="of the server")
    parser.add_argument("--participants", type=int, default=60)
    parser.add_argument(
        "--leaning", default="digits_vit", help="the model whose evidence they weigh a little"
    )
    parser.add_argument("--weight", type=float, default=0.6)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    experiment = read_experiment(given.experiment)
    items = items_from_set(experiment.stimuli)
    # No preference for a side: on which side an alternative stands is the experiment's choice, not theirs.
    observers = Observers(mixture={given.leaning: given.weight}, noise_spread=0.2, criterion=0.2)
    simulation = simulate(items, observers, n_participants=given.participants, seed=given.seed)
    choices = _by_person(simulation.judgments)
    trials = _shown(experiment)
    people = [Person(name, given.address, trials, own) for name, own in choices.items()]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(Person.take_part, people))
    print(f"{len(answers)} simulated participants gave {sum(answers)} answers")
    for model, accuracy in zip(items.models, true_accuracy(items, simulation.probability), strict=True):
        print(f"  {model}: {accuracy:.3f} of their choices on these stimuli, over people without end")


def _by_person(judgments: pd.DataFrame) -> dict[str, dict[str, tuple[int, int]]]:
    return {
        str(name): {
            str(stimulus): (int(choice), int(confidence))
            for stimulus, choice, confidence in zip(
                own["stimulus_id"], own["choice"], own["confidence"], strict=True
            )
        }
        for name, own in judgments.groupby("participant")
    }


def _shown(experiment: Experiment) -> dict[str, dict[str, Any]]:
    columns = ["trial_id", "stimulus_id", "kind", "left_alternative", "correct"]
    rows = experiment.lists[columns].to_dict("records")
    return {str(row["trial_id"]): {str(name): value for name, value in row.items()} for row in rows}


if __name__ == "__main__":
    main()
