"""Sparse direct solvers beside scipy.sparse.linalg: solutions by their backward errors."""

import gc
import weakref

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")


def laplacian(dtype, n, diagonal=4.5, wind=0.0):
    """The 5-point Laplacian of a square, Hermitian for no wind."""
    ones = np.ones(n - 1)
    line = sparse.diags([-(1 - wind) * ones, -(1 + wind) * ones], [-1, 1])
    phase = sparse.diags([-0.25j * ones, 0.25j * ones], [-1, 1]) if np.dtype(dtype).kind == "c" else 0 * line
    here = sparse.identity(n)
    a = diagonal * sparse.identity(n * n) + sparse.kron(here, line + phase) + sparse.kron(line, here)
    return sparse.csr_matrix(a.astype(dtype))


@pytest.mark.parametrize(("diagonal", "wind", "method"), [(4.5, 0.0, "cholesky"), (-5.5, 0.0, "ldl"), (4.0, 0.5, "lu")])
def test_factors_solve(random, dtype, diagonal, wind, method):
    a = laplacian(dtype, 7, diagonal, wind)
    factors = am.sparse.linalg.factorize(a)
    assert (factors.method, factors.shape, factors.dtype) == (method, (49, 49), dtype) and factors.nnz >= 49
    bound = 100 * 49 * epsilon(dtype)
    for b in (random(49), random(49, 3), np.asfortranarray(random(49, 2)), random(98)[::2]):
        before = b.copy()
        for trans, op in (("N", a), ("T", a.T), ("H", a.conj().T)):
            x = factors.solve(b, trans)
            assert x.dtype == dtype and x.shape == b.shape and np.array_equal(b, before)
            wide, right = exact(op.toarray()), exact(b)
            assert norm(wide @ exact(x) - right) <= bound * (norm(wide) * norm(exact(x)) + norm(right)), trans
    theirs = np.linalg.cond(exact(a.toarray()), 1)
    assert theirs / 4 <= factors.condition() <= 1.1 * theirs


def test_scipys_names(random, dtype):
    a = laplacian(dtype, 6, 4.0, 0.25)
    b = random(36)
    theirs = linalg.spsolve(a.tocsc(), b)
    bound = 1000 * epsilon(dtype) * norm(exact(theirs))
    for x in (
        am.sparse.linalg.spsolve(a, b),
        am.sparse.linalg.splu(a).solve(b),
        am.sparse.linalg.factorized(a)(b),
        am.sparse.linalg.inv(a) @ b,
        am.sparse.linalg.spsolve(a, sparse.csr_matrix(b[:, np.newaxis]))[:, 0],
    ):
        assert x.dtype == dtype and x.shape == b.shape and norm(exact(x) - exact(theirs)) <= bound
    wider = np.result_type(dtype, np.float64)
    assert am.sparse.linalg.spsolve(a, b.astype(wider)).dtype == wider
    with pytest.warns(UserWarning, match="permc_spec"):
        am.sparse.linalg.splu(a, permc_spec="NATURAL")
    on_device = am.Array(b)
    assert norm(exact(np.asarray(am.sparse.linalg.spsolve(a, on_device))) - exact(theirs)) <= bound


def test_complex_right_sides_of_a_real_matrix(random):
    a = laplacian(np.float64, 5)
    b = np.arange(25) + 1j * np.arange(25)[::-1]
    x = am.sparse.linalg.factorize(a).solve(b)
    assert x.dtype == np.complex128 and norm(a @ x - b) <= 1e-12 * norm(b)


def test_least_squares(random, dtype):
    dense = np.kron(np.eye(6), random(4, 1)) + np.eye(24, 6)
    a = am.CsrMatrix(dense.astype(dtype))
    factors, b = am.sparse.linalg.factorize(a), random(24)
    assert factors.method == "qr"
    theirs = np.linalg.lstsq(exact(dense.astype(dtype)), exact(b), rcond=None)[0]
    assert norm(exact(factors.solve(b)) - theirs) <= 1000 * epsilon(dtype) * norm(theirs)
    with pytest.raises(ValueError, match="QR"):
        factors.solve(random(6), "T")


def test_other_values(random, dtype):
    a = laplacian(dtype, 6)
    factors, b = am.sparse.linalg.factorize(a), random(36)
    factors.update(2 * a)
    assert np.array_equal(factors.solve(b), am.sparse.linalg.factorize(2 * a).solve(b))
    with pytest.raises(am.LinAlgError):
        factors.update(-a)
    with pytest.raises(ValueError, match="entries"):
        factors.update(laplacian(dtype, 5))
    assert np.array_equal(factors.solve(b), am.sparse.linalg.factorize(2 * a).solve(b))


def test_refusals():
    for wrong in ([[1.0, 1.0], [1.0, 1.0]], np.zeros((2, 2)), [[1.0, 0.0], [0.0, 0.0]]):
        with pytest.raises(am.LinAlgError):
            am.sparse.linalg.spsolve(am.CsrMatrix(wrong), np.ones(2))
    with pytest.raises(am.LinAlgError):
        am.sparse.linalg.factorize(-np.eye(2), "cholesky")
    with pytest.raises(ValueError, match="Hermitian"):
        am.sparse.linalg.factorize([[2.0, 0.0], [1.0, 2.0]], "cholesky")
    with pytest.raises(ValueError, match="Hermitian"):
        am.sparse.linalg.factorize([[2.0, 1.0], [1.0, 2.0]]).update([[2.0, 1.0], [0.5, 2.0]])
    with pytest.raises(ValueError, match="method"):
        am.sparse.linalg.factorize(np.eye(2), "cg")
    with pytest.raises(ValueError, match="wide|shape"):
        am.sparse.linalg.factorize(np.ones((2, 3)))
    with pytest.raises(am.LinAlgError, match="not square"):
        am.sparse.linalg.splu(np.ones((3, 2)))
    with pytest.raises((ValueError, am.Error)):
        am.sparse.linalg.factorize([[np.nan, 0.0], [0.0, 1.0]])
    factors = am.sparse.linalg.factorize(np.eye(3))
    for wrong in (np.ones(2), np.ones((2, 2)), np.ones((3, 1, 1)), 1.0):
        with pytest.raises(ValueError, match="3 equations"):
            factors.solve(wrong)
    with pytest.raises(ValueError, match="trans"):
        factors.solve(np.ones(3), "X")
    with pytest.raises((TypeError, ValueError)):
        factors.solve(["a", "b", "c"])


def test_empty_systems():
    factors = am.sparse.linalg.factorize(am.CsrMatrix((0, 0)))
    assert factors.solve(np.zeros(0)).shape == (0,)
    assert am.sparse.linalg.factorize(np.eye(3)).solve(np.zeros((3, 0))).shape == (3, 0)


def test_factors_end():
    factors = am.sparse.linalg.factorize(np.eye(3))
    ended = weakref.ref(factors)
    del factors
    gc.collect()
    assert ended() is None
