"""A run can be stopped anywhere, or lose memory, and ends in the very same stimuli."""

import random

import pytest
import torch

from controversy.errors import ControversyError
from controversy.objectives import smooth_minimum
from controversy.synthesis import Settings, Snapshot, class_pairs, synthesize
from controversy.synthesis._memory import rows_that_fit

SETTINGS = Settings(n_candidates=8, n_steps=40, n_attempts=3, batch_size=16, check_every=4, target=0.99)
REQUESTS = class_pairs(10, 24)


class StoppedError(Exception):
    pass


def stimuli(generator, pair, requests=REQUESTS, settings=SETTINGS, **options):
    return {
        s.request.stimulus_id: s for s in synthesize(generator, *pair, requests, settings=settings, **options)
    }


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name, stimulus in one.items():
        again = other[name]
        assert torch.equal(stimulus.image, again.image), name
        assert torch.equal(stimulus.latents["z"], again.latents["z"]), name
        assert stimulus.controversiality == again.controversiality
        for count in ("n_steps", "n_attempts", "n_non_finite"):
            assert getattr(stimulus, count) == getattr(again, count), (name, count)


def run_with_stops(generator, pair, stops, batch_sizes):
    """Runs in legs: each ends after a number of rounds, the next begins from its snapshot."""
    done: dict = {}
    snapshot: Snapshot | None = None
    n_went_on = 0
    for n_rounds, batch_size in zip([*stops, None], batch_sizes, strict=True):
        left = n_rounds
        taken: list[Snapshot] = []

        def after_round(take, left=left, taken=taken, counter=[0]):  # noqa: B006
            counter[0] += 1
            if counter[0] == left:
                taken.append(take())
                raise StoppedError

        settings = Settings(**{**SETTINGS.__dict__, "batch_size": batch_size})
        rest = [request for request in REQUESTS if request.stimulus_id not in done]
        made = synthesize(generator, *pair, rest, settings=settings, snapshot=snapshot, on_round=after_round)
        try:
            for stimulus in made:
                done[stimulus.request.stimulus_id] = stimulus
        except StoppedError:
            snapshot = taken[0]
            n_went_on += len(snapshot.facts["in_flight"])
    assert n_went_on > 0
    return done


def test_a_run_in_legs_makes_the_stimuli_of_a_run_in_one_go(patches, pair):
    whole = stimuli(patches, pair)
    rng = random.Random(0)
    for _ in range(3):
        stops = [rng.randint(1, 9) for _ in range(3)]
        assert_same(whole, run_with_stops(patches, pair, stops, [16] * 4))


def test_it_may_go_on_with_another_number_of_slots(patches, pair):
    whole = stimuli(patches, pair)
    assert_same(whole, run_with_stops(patches, pair, [4, 3, 3], [32, 16, 48, 16]))


def test_what_is_in_flight_goes_on_from_its_step_and_does_not_begin_anew(patches, pair):
    taken = []

    def after_round(take):
        taken.append(take())
        if len(taken) == 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        stimuli(patches, pair, on_round=after_round)
    steps = taken[-1].tensors["slots.n_steps"]
    assert steps.max() == 12
    later = []
    with pytest.raises(StoppedError):
        stimuli(patches, pair, snapshot=taken[-1], on_round=_one_round(later))
    assert later[0].tensors["slots.n_steps"].max() == 16
    assert later[0].tensors["slots.adam_second.z"].abs().max() > 0


def _one_round(later):
    def after_round(take):
        later.append(take())
        raise StoppedError

    return after_round


class Full:
    """An objective that runs out of memory when more than ``most`` images are looked at with a gradient."""

    def __init__(self, most: int, after: int = 0, error=torch.OutOfMemoryError) -> None:
        self.most, self.after, self.error = most, after, error

    def __call__(self, first, second, class_1, class_2):
        if torch.is_grad_enabled() and len(first) > self.most:
            self.after -= 1
            if self.after < 0:
                raise self.error("CUDA out of memory. Tried to allocate 20.00 GiB")
        return smooth_minimum(first, second, class_1, class_2)


@pytest.mark.faults
@pytest.mark.parametrize("after", [0, 1, 7, 30])
@pytest.mark.parametrize("error", [torch.OutOfMemoryError, MemoryError])
def test_out_of_memory_halves_the_batch_and_loses_nothing(patches, pair, after, error):
    whole = stimuli(patches, pair)
    settings = Settings(**{**SETTINGS.__dict__, "batch_size": 64})
    with pytest.warns(RuntimeWarning, match="memory ran out with (64|32) images side by side") as told:
        made = stimuli(patches, pair, settings=settings, objective=Full(16, after, error))
    assert len(told) == 2
    assert_same(whole, made)


@pytest.mark.faults
def test_out_of_memory_while_candidates_are_looked_at_or_images_made_loses_nothing(
    patches, pair, monkeypatch
):
    whole = stimuli(patches, pair)
    for nth in (1, 2, 5, 9):
        calls = [0]
        forward = type(patches).forward

        def failing(self, latents, calls=calls, nth=nth, forward=forward):
            if not torch.is_grad_enabled() and len(latents["z"]) > 16:
                calls[0] += 1
                if calls[0] == nth:
                    raise torch.OutOfMemoryError("CUDA out of memory")
            return forward(self, latents)

        with monkeypatch.context() as patched:
            patched.setattr(type(patches), "forward", failing)
            with pytest.warns(RuntimeWarning, match="going on with 16"):
                made = stimuli(patches, pair, settings=Settings(**{**SETTINGS.__dict__, "batch_size": 32}))
        assert_same(whole, made)


def test_without_memory_for_one_image_the_run_ends_with_a_reason(patches, pair):
    with (
        pytest.warns(RuntimeWarning, match="memory ran out"),
        pytest.raises(ControversyError, match=r"not enough memory on cpu for one image: CUDA out of memory"),
    ):
        stimuli(patches, pair, objective=Full(0))


def test_an_error_that_is_not_about_memory_is_not_swallowed(patches, pair):
    with pytest.raises(RuntimeError, match="shapes"):
        stimuli(patches, pair, objective=Full(0, error=lambda said: RuntimeError("shapes do not match")))


def test_the_automatic_batch_is_the_largest_multiple_of_16_that_fits():
    gib = 2**30
    # 2 GiB whatever the batch, 1 GiB for 16 rows: 0.85 * 40 = 34 GiB hold 2 + 32 * 1.
    assert rows_that_fit(3 * gib, 4 * gib, 40 * gib, 10_000) == 32 * 16
    assert rows_that_fit(3 * gib, 4 * gib, 40 * gib, 90) == 96  # no more than there is to make
    assert rows_that_fit(3 * gib, 4 * gib, 1 * gib, 90) == 16


def test_automatic_is_32_on_a_cpu(patches, pair):
    auto = Settings(**{**SETTINGS.__dict__, "batch_size": "auto"})
    assert_same(stimuli(patches, pair), stimuli(patches, pair, settings=auto))
    with pytest.raises(ControversyError, match="batch_size is large, but has to be auto"):
        Settings(batch_size="large")
