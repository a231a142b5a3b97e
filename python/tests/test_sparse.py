"""Sparse matrices beside dense ones, and solvers by the residuals that they leave."""

from pathlib import Path

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

DATA = Path(__file__).parents[2] / "examples" / "data"


@pytest.fixture
def dense(random, dtype):
    """A matrix of 40 x 30 with zeros in nine places of ten, and with empty rows."""
    keep = np.random.default_rng(2).random((40, 30)) < 0.1
    keep[7] = keep[39] = False
    return np.where(keep, random(40, 30), 0).astype(dtype)


def close(ours, theirs, *factors):
    """Sums of at most 40 products."""
    return norm(exact(ours) - theirs) <= 4 * 41 * epsilon(ours.dtype) * np.prod([norm(factor) for factor in factors])


def laplacian(n, dtype):
    """The five-point Laplacian on n x n points."""
    line = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    return am.CsrMatrix((np.kron(line, np.eye(n)) + np.kron(np.eye(n), line)).astype(dtype))


def test_arrays_go_in_and_come_out(dense, dtype):
    a = am.CsrMatrix(dense)
    assert a.shape == dense.shape and a.dtype == dtype and a.nnz == np.count_nonzero(dense)
    assert np.array_equal(a.toarray(), dense)
    again = am.CsrMatrix(a.arrays(), a.shape)
    assert all(np.array_equal(x, y) for x, y in zip(again.arrays(), a.arrays()))
    assert np.array_equal(am.CsrMatrix(np.asfortranarray(dense)).toarray(), dense)
    assert np.array_equal(a.T.toarray(), dense.T)


def test_entries_in_any_order_are_added_where_they_meet(dense, dtype):
    rows, columns = np.nonzero(dense)
    order = np.random.default_rng(3).permutation(2 * len(rows))
    twice = [np.concatenate([x, x])[order] for x in (dense[rows, columns], rows, columns)]
    assert np.array_equal(am.CsrMatrix((twice[0], tuple(twice[1:])), dense.shape).toarray(), 2 * dense)


@pytest.mark.parametrize("right", [(), (1,), (5,), (0,)], ids=str)
def test_products_are_those_of_the_dense_matrix(dense, random, right):
    a = am.CsrMatrix(dense)
    x, y = random(30, *right), random(40, *right)
    assert close(a @ x, exact(dense) @ exact(x), dense, x)
    assert close(y.T @ a, exact(y).T @ exact(dense), dense, y)
    assert close(a.dot(y, op="transpose"), exact(dense).T @ exact(y), dense, y)
    assert close(a.dot(y, op="adjoint"), exact(dense).conj().T @ exact(y), dense, y)
    assert np.array_equal(a @ x, a @ x)


def test_scipys_matrices_are_taken(dense):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    assert np.array_equal(am.CsrMatrix(scipy_sparse.coo_matrix(dense)).toarray(), dense)


def test_files_of_matrix_market_are_read():
    a = am.CsrMatrix.read(DATA / "poisson2d.mtx")
    assert a.shape[0] == a.shape[1] and a.dtype == np.float64
    assert np.array_equal(a.toarray(), a.T.toarray())
    with pytest.raises(am.InvalidArgumentError, match="none.mtx"):
        am.CsrMatrix.read("none.mtx")


@pytest.mark.parametrize("preconditioner", [None, "jacobi", "block-jacobi", "chebyshev", "ssor", "ic0", "ilu0"])
@pytest.mark.parametrize("method", [am.cg, am.minres, am.bicgstab, am.gmres])
def test_solvers_leave_the_residual_that_they_tell(random, dtype, method, preconditioner):
    a = laplacian(12, dtype)
    b = random(144)
    tolerance = 100 * epsilon(dtype)
    found = method(a, b, rtol=tolerance, M=preconditioner)
    residual = norm(exact(a.toarray()) @ exact(found.x) - b)
    assert found.converged and 0 < found.iterations < 144
    # What is computed in the type differs from what is by the rounding of A x.
    assert residual <= tolerance * norm(b) + 5 * epsilon(dtype) * norm(a.toarray()) * norm(found.x)
    assert found.relative_residual == pytest.approx(found.residual / norm(b), rel=1e-5)
    again = method(a, b, found.x, rtol=2 * tolerance, M=preconditioner)
    assert again.converged and again.iterations == 0 and np.array_equal(again.x, found.x)


def test_minres_solves_indefinite_systems_and_cg_tells(random, dtype):
    diagonal = np.where(np.arange(30) % 2, -1, 2).astype(dtype)
    a, b = am.CsrMatrix(np.diag(diagonal)), random(30)
    found = am.minres(a, b)
    assert found.converged and np.allclose(found.x, b / diagonal, rtol=1e-3)
    assert am.cg(a, b).reason == "not positive definite"


@pytest.mark.parametrize("method", [am.lsqr, am.lsmr])
def test_least_squares_are_those_of_the_dense_matrix(random, dtype, method):
    dense = (np.eye(50, 20) * 3 + np.eye(50, 20, k=-30) + np.eye(50, 20, k=-7)).astype(dtype)
    a, b = am.CsrMatrix(dense), random(50)
    found = method(a, b, atol=100 * epsilon(dtype), btol=100 * epsilon(dtype))
    assert found.reason == "least squares" and found.converged
    expected = np.linalg.lstsq(exact(dense), exact(b), rcond=None)[0]
    # ||A^H r|| <= rtol ||A||_F ||r||, and the smallest singular value of A is at least 1.
    assert norm(found.x - expected) <= 200 * epsilon(dtype) * norm(dense) * norm(b)
    assert found.normal_residual <= 100 * epsilon(dtype) * norm(dense) * found.residual
    damped = method(a, b, 2.0, atol=100 * epsilon(dtype))
    assert norm(damped.x) < norm(found.x)


def test_what_ends_an_iteration_is_told():
    a = laplacian(20, np.float64)
    found = am.cg(a, np.ones(400), maxiter=3)
    assert (found.reason, found.iterations, found.info) == ("limit", 3, 3)
    assert am.gmres(a, np.ones(400), restart=5, rtol=1e-8).converged
    with pytest.raises(am.LinAlgError):
        am.cg(am.CsrMatrix(np.diag([1.0, 0.0])), np.ones(2), M="jacobi")


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 4)])
def test_matrices_without_entries(dtype, shape):
    rows, columns = shape
    empty = np.empty(0, dtype)
    for a in (
        am.CsrMatrix((empty, [], np.zeros(rows + 1, int)), shape),
        am.CsrMatrix((empty, ([], [])), shape),
        am.CsrMatrix(np.zeros(shape, dtype)),
    ):
        assert a.shape == shape and a.T.shape == (columns, rows)
        assert np.array_equal(a.toarray(), np.zeros(shape))
        for right in ((), (0,), (2,)):
            assert np.array_equal(a @ np.ones((columns, *right), dtype), np.zeros((rows, *right)))
            assert np.array_equal(a.dot(np.ones((rows, *right), dtype), op="adjoint"), np.zeros((columns, *right)))


def test_a_shape_is_two_sizes_that_are_not_negative():
    for shape in ((-1, 3), (3, -1), (-1, -1), (3,), (1, 2, 3), ()):
        with pytest.raises(ValueError, match="neither of them negative"):
            am.CsrMatrix(([], [], []), shape)
        with pytest.raises(ValueError, match="neither of them negative"):
            am.CsrMatrix(([], ([], [])), shape)
    with pytest.raises(ValueError, match="have 0, 0 and 0 elements for 3 rows"):
        am.CsrMatrix(([], [], []), (3, 3))
    with pytest.raises(ValueError, match="stand in one row"):
        am.CsrMatrix(([1.0], 0, [0, 1]), (1, 1))


def test_what_is_wrong_is_told():
    with pytest.raises(am.InvalidArgumentError, match="column 2"):
        am.CsrMatrix(([1.0, 2.0], [0, 2], [0, 1, 2]), (2, 2))
    with pytest.raises(am.InvalidArgumentError, match="begins at entry 2"):
        am.CsrMatrix(([1.0], [0], [0, 2, 1]), (2, 2))
    with pytest.raises(ValueError, match="have 2, 1 and 1 elements for 2 rows"):
        am.CsrMatrix(([1.0], [0], [0, 1]), (2, 2))
    with pytest.raises(ValueError, match="indptr ends with 3"):
        am.CsrMatrix(([1.0], [0], [0, 3]), (1, 1))
    with pytest.raises(ValueError, match="beyond int32"):
        am.CsrMatrix(([1.0], [2**40], [0, 1]), (1, 1))
    with pytest.raises(TypeError, match="integers"):
        am.CsrMatrix(([1.0], [0.5], [0, 1]), (1, 1))
    a = am.CsrMatrix(np.eye(3))
    with pytest.raises(ValueError, match="3 columns"):
        a @ np.ones(2)
    with pytest.raises(ValueError, match="op is"):
        a.dot(np.ones(3), op="other")
    with pytest.raises(ValueError, match="b has the shape"):
        am.cg(a, np.ones(2))
    with pytest.raises(ValueError, match="M is"):
        am.cg(a, np.ones(3), M="other")
    with pytest.raises(ValueError, match="rtol is -1.0"):
        am.cg(a, np.ones(3), rtol=-1.0)
