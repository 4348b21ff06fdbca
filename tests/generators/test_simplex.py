import pytest
import torch
from scipy.optimize import minimize

from controversy.generators._simplex import project_to_simplex


def test_is_the_nearest_point_as_a_general_solver_finds_it():
    vectors = torch.randn(6, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 2
    for vector, found in zip(vectors, project_to_simplex(vectors), strict=True):
        solved = minimize(
            lambda x, v: ((x - v) ** 2).sum(),
            [0.2] * 5,
            args=(vector.numpy(),),
            bounds=[(0, 1)] * 5,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-12},
        )
        assert found.numpy() == pytest.approx(solved.x, abs=1e-5)


def test_leaves_points_of_the_simplex_where_they_are():
    inside = torch.rand(50, 10, generator=torch.Generator().manual_seed(1)).softmax(1)
    torch.testing.assert_close(project_to_simplex(inside), inside)


def test_a_face_keeps_what_is_not_allowed_at_zero():
    vectors = torch.randn(20, 10, generator=torch.Generator().manual_seed(2)) * 5
    allowed = torch.zeros(20, 10, dtype=torch.bool)
    allowed[:, [2, 7]] = True
    projected = project_to_simplex(vectors, allowed)
    assert (projected[~allowed] == 0).all()
    torch.testing.assert_close(projected.sum(1), torch.ones(20))
    # On a segment the nearest point has a closed form.
    expected = ((vectors[:, 2] - vectors[:, 7] + 1) / 2).clamp(0, 1)
    torch.testing.assert_close(projected[:, 2], expected)
