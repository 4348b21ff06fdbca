"""Jobs of one machine never pile on one GPU while another is free."""

from itertools import permutations

from controversy.jobs import claim_device, free_device


def test_a_free_gpu_is_always_found():
    for taken in permutations(range(4), 3):
        for job_number in range(9):
            device = free_device(job_number, 4, taken)
            assert device not in taken
    assert {free_device(job, 4, range(4)) for job in range(4)} == {0, 1, 2, 3}  # all taken: evenly shared


def test_jobs_take_different_gpus_also_when_they_end_in_any_order(tmp_path):
    first, release_first = claim_device(0, 2, tmp_path)
    second, release_second = claim_device(1, 2, tmp_path)
    assert {first, second} == {0, 1}
    release_second()
    # By its number, job 2 would go to GPU 0, where job 0 still runs.
    third, release_third = claim_device(2, 2, tmp_path)
    assert third == second
    for release in (release_first, release_third):
        release()
