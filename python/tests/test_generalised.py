"""Pencils of general matrices, and band matrices, beside their definitions."""

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

linalg = am.linalg
ORDERS = [0, 1, 2, 3, 10, 70]
BOUND = 100


def is_small(difference, dtype, size):
    n = max(difference.shape, default=1) or 1
    return norm(difference) <= BOUND * n * epsilon(dtype) * (size + 1e-30)


def is_unitary(z, dtype):
    return is_small(exact(z).conj().T @ exact(z) - np.eye(len(z)), dtype, np.sqrt(max(len(z), 1)))


@pytest.mark.parametrize("n", ORDERS)
def test_eigenvectors_of_a_pencil(random, dtype, n):
    a, b = random(n, n), random(n, n)
    w, v = linalg.eig(a, b)
    assert w.dtype == v.dtype == np.result_type(dtype, np.complex64)
    assert np.allclose(np.linalg.norm(exact(v), axis=0), 1, rtol=1e-5)
    for j in range(n):
        # Each eigenvalue with a weight that brings the larger side to size 1.
        weight = 1 / max(1, abs(w[j]))
        residual = (exact(a) @ exact(v[:, j]) - complex(w[j]) * (exact(b) @ exact(v[:, j]))) * weight
        assert is_small(residual[:, np.newaxis], dtype, norm(a) + norm(b))
    alone = linalg.eigvals(a, b)
    assert alone.shape == (n,)
    trace = np.trace(np.linalg.solve(exact(b), exact(a))) if n else 0
    condition = np.linalg.cond(exact(b)) if n else 1
    assert abs(np.sum(exact(alone)) - trace) <= BOUND * max(n, 1) * epsilon(dtype) * condition**2 * (norm(a) + 1)


def test_stacks_and_singular_pencils(dtype):
    a = np.array([[[1, 0], [0, 2]], [[3, 0], [0, 0]]], dtype)
    b = np.array([[[1, 0], [0, 0]], [[1, 0], [0, 0]]], dtype)
    w, v = linalg.eig(a, b)
    assert v.shape == (2, 2, 2)
    assert sorted(w[0].real) == [1, np.inf]
    assert np.isnan(w[1]).sum() == 1 and 3 in w[1].real


@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("output", ["real", "complex"])
def test_generalised_schur_forms(random, dtype, n, output):
    a, b = random(n, n), random(n, n)
    s, p, q, z = linalg.qz(a, b, output)
    assert is_unitary(q, dtype) and is_unitary(z, dtype)
    for given, form in ((a, s), (b, p)):
        assert is_small(exact(q) @ exact(form) @ exact(z).conj().T - exact(given), dtype, norm(given))
    assert not np.tril(p, -1).any() and (np.diagonal(p).real >= 0).all()
    assert not np.tril(s, -2).any()
    if output == "complex" or dtype.kind == "c":
        assert not np.tril(s, -1).any()


@pytest.mark.parametrize("n", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("sort", ["lhp", "rhp", "iuc", "ouc", "function"])
def test_selected_eigenvalues_of_pencils_come_first(random, dtype, n, sort):
    a, b = random(n, n), random(n, n)
    regions = {
        "lhp": lambda w: w.real < 0,
        "rhp": lambda w: w.real > 0,
        "iuc": lambda w: abs(w) < 1,
        "ouc": lambda w: abs(w) > 1,
        "function": lambda w: w.real > 0.5,
    }
    given = (lambda alpha, beta: alpha.real > 0.5 * beta.real) if sort == "function" else sort
    s, p, alpha, beta, q, z = linalg.ordqz(a, b, given)
    for matrix, form in ((a, s), (b, p)):
        assert is_small(exact(q) @ exact(form) @ exact(z).conj().T - exact(matrix), dtype, norm(matrix))
    first = regions[sort](exact(alpha) / exact(beta))
    assert (np.sort(first)[::-1] == first).all()


def test_pencils_refuse_what_they_cannot_do():
    with pytest.raises(ValueError, match="sort"):
        linalg.qz(np.eye(2), np.eye(2), sort="lhp")
    with pytest.raises(ValueError, match="sort"):
        linalg.ordqz(np.eye(2), np.eye(2), sort="up")
    with pytest.raises(ValueError, match="sort"):
        linalg.ordqz(np.eye(2), np.eye(2), sort=lambda alpha, beta: [True])
    with pytest.raises(ValueError, match="output"):
        linalg.qz(np.eye(2), np.eye(2), output="both")
    with pytest.raises(am.LinAlgError, match="shape"):
        linalg.eig(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match="NaN"):
        linalg.qz(np.eye(2), [[np.nan, 0], [0, 1]])
    with pytest.raises(am.LinAlgError, match="NaN"):
        linalg.eigvals(np.eye(2), [[np.nan, 0], [0, 1]])


def band_and_matrix(random, n, kd, lower):
    band = random(kd + 1, n)
    main = 0 if lower else kd
    band[main] = band[main].real
    full = np.zeros((n, n), np.result_type(band.dtype, np.float64))
    for k in range(min(kd, n - 1) + 1):
        diagonal = band[k, : n - k] if lower else band[kd - k, k:]
        # The matrix's lower triangle has the conjugates of an upper band.
        full += np.diag(diagonal, -k if lower else k)
        if k:
            full += np.diag(diagonal.conj(), k if lower else -k)
    return band, full


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("n", "kd"), [(1, 0), (2, 1), (5, 0), (6, 5), (7, 9), (40, 3)])
def test_eigenvectors_of_bands(random, dtype, n, kd, lower):
    band, full = band_and_matrix(random, n, kd, lower)
    before = band.copy()
    w, v = linalg.eig_banded(band, lower)
    assert np.array_equal(band, before) and v.dtype == dtype and w.dtype == v.real.dtype
    assert is_unitary(v, dtype) and is_small(full @ exact(v) - exact(v) * exact(w), dtype, norm(full))
    assert is_small((exact(linalg.eigvals_banded(band, lower)) - exact(w))[:, np.newaxis], dtype, norm(full))
    if n > 4:
        some, vectors = linalg.eig_banded(band, lower, select="i", select_range=(1, 3))
        assert vectors.shape == (n, 3) and is_small((exact(some) - exact(w[1:4]))[:, np.newaxis], dtype, norm(full))
        assert is_small(full @ exact(vectors) - exact(vectors) * exact(some), dtype, norm(full))
        low, high = float(w[0] + w[1]) / 2, float(w[-2] + w[-1]) / 2
        found = linalg.eig_banded(band, lower, eigvals_only=True, select="v", select_range=(low, high))
        assert len(found) == n - 2


def test_bands_refuse_what_they_cannot_do():
    with pytest.raises(am.LinAlgError, match="shape"):
        linalg.eig_banded([1.0, 2.0])
    with pytest.raises(ValueError, match="NaN"):
        linalg.eigvals_banded([[np.nan, 1.0]])
    with pytest.raises(ValueError, match="select"):
        linalg.eigvals_banded([[1.0, 1.0]], select="x", select_range=(0, 1))
