"""More models' logits join a set; what was there stays, whenever the run is stopped."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from controversy.errors import ControversyError
from controversy.jobs import folder_lock
from controversy.stimuli import StimulusSet, _evaluate, evaluate, verify

REPLACED = ("logits.safetensors", "manifest.json")


class Stopped(BaseException):
    """The machine goes off."""


def test_evaluate_adds_logits_and_touches_nothing_else(make_set, classifier, digests):
    stimuli = make_set()
    before, logits = digests(stimuli.folder, but=REPLACED), load_file(stimuli.folder / "logits.safetensors")
    now = evaluate(stimuli, {"gamma": classifier("gamma"), "delta": classifier("delta")})
    assert now.models == ("alpha", "beta", "gamma", "delta")
    assert digests(stimuli.folder, but=REPLACED) == before
    for name in ("alpha", "beta"):
        assert now.logits(name).tobytes() == logits[name].tobytes()
    red = np.stack([now.image(i)[0].numpy() for i in range(len(now))]) / 255
    np.testing.assert_allclose(now.logits("gamma"), 20 * red[:, 2, :4], rtol=1e-6)
    np.testing.assert_allclose(now.logits("delta"), 20 * red[:, 3, :4], rtol=1e-6)
    assert now.manifest["models"]["gamma"] == classifier("gamma").description()
    changed = ("models", "files", "manifest_sha256")
    unchanged = {key: value for key, value in now.manifest.items() if key not in changed}
    assert unchanged == {key: value for key, value in stimuli.manifest.items() if key not in changed}
    assert verify(now, {"gamma": classifier("gamma")}) == []


def test_one_model_at_a_time_or_all_at_once_is_the_same(make_set, classifier, digests):
    first, second = make_set("first"), make_set("second")
    evaluate(evaluate(first, {"gamma": classifier("gamma")}), {"delta": classifier("delta")})
    evaluate(second, {"delta": classifier("delta"), "gamma": classifier("gamma")})
    assert digests(first.folder) == digests(second.folder)


def test_a_model_that_is_there_with_the_same_weights_is_skipped(make_set, classifier, digests):
    stimuli = make_set()
    before = digests(stimuli.folder, but=())
    assert evaluate(stimuli, {"alpha": classifier("alpha")}).models == ("alpha", "beta")
    assert digests(stimuli.folder, but=()) == before


def test_another_model_of_a_name_that_is_there_is_refused(make_set, classifier, digests):
    stimuli = make_set()
    before = digests(stimuli.folder, but=())
    with pytest.raises(ControversyError, match="has logits of alpha with other weights"):
        evaluate(stimuli, {"gamma": classifier("gamma"), "alpha": classifier("alpha", gain=21.0)})
    assert digests(stimuli.folder, but=()) == before


def test_a_model_of_other_classes_is_refused(make_set, classifier):
    model = classifier("gamma")
    model.n_classes = 10
    with pytest.raises(ControversyError, match="gamma knows 10 classes, the set has 4"):
        evaluate(make_set(), {"gamma": model})


@pytest.mark.parametrize(
    ("step", "models_then"),
    [
        ("_stage", ("alpha", "beta")),
        ("write_manifest", ("alpha", "beta")),
        ("_settled", ("alpha", "beta", "gamma")),
    ],
)
def test_a_run_stopped_at_any_step_leaves_a_whole_set_that_the_next_run_completes(
    make_set, classifier, digests, monkeypatch, step, models_then
):
    """Before the manifest is replaced the set is the old one, after that the new one."""
    stimuli, undisturbed = make_set(), make_set("undisturbed")
    gamma = {"gamma": classifier("gamma")}
    evaluate(undisturbed, gamma)
    calls = []

    def stop(*arguments):
        calls.append(arguments)
        if step == "_settled" and len(calls) == 1:  # the first one cleans up before the work
            return arguments[0]
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(_evaluate, step, stop)
        with pytest.raises(Stopped):
            evaluate(stimuli, gamma)
    then = StimulusSet(stimuli.folder)
    assert then.models == models_then
    assert [then.logits(name).shape for name in then.models] == [(12, 4)] * len(models_then)
    assert verify(then, {}) == []
    finally_there = evaluate(then, gamma)
    assert finally_there.models == ("alpha", "beta", "gamma")
    assert digests(stimuli.folder) == digests(undisturbed.folder)


def test_a_set_that_another_job_works_on_is_left_alone(make_set, classifier, digests):
    stimuli = make_set()
    with folder_lock(stimuli.folder):
        before = digests(stimuli.folder, but=())
        with pytest.raises(ControversyError, match="another job works on"):
            evaluate(stimuli, {"gamma": classifier("gamma")})
        assert digests(stimuli.folder, but=()) == before
    assert "gamma" in evaluate(stimuli, {"gamma": classifier("gamma")}).models


def test_what_another_job_added_meanwhile_is_kept(make_set, classifier):
    opened_before = make_set()
    evaluate(opened_before, {"gamma": classifier("gamma")})
    now = evaluate(opened_before, {"delta": classifier("delta")})
    assert now.models == ("alpha", "beta", "gamma", "delta")
    assert verify(now, {"gamma": classifier("gamma")}) == []
