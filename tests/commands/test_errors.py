import pytest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["synthesize", "n_stimul=3"], "n_stimul"),
        (["verify"], "Missing mandatory value: set"),
        (["verify", "set=nowhere"], "nowhere"),
        (["synthesize", "-m", "n_stimuli=0,-1"], "n_stimuli is 0"),
        (["synthesize", "n_stimuli=0,-1", "-m"], "n_stimuli is 0"),
        (["synthesize", "generator=bigan"], "bigan"),
        (["synthesise"], "did you mean 'synthesize'"),
    ],
)
def test_mistakes_end_with_status_2_and_a_line_that_names_them(run, words, said):
    status, _, err = run(*words)
    assert status == 2
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [["verify"], ["verify", "set=nowhere"], ["synthesize", "n_stimuli=0"]])
def test_the_line_is_all_that_is_said(run, words):
    _, _, err = run(*words)
    assert err.startswith(f"controversy {words[0]}: ")
    assert err.count("\n") == 1
