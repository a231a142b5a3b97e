"""Eigenvalues and singular values beside numpy.linalg: stacks, triangles, all four types."""

import numpy as np
import pytest
from conftest import epsilon, exact, norm
from test_linalg import agree

import affinimath as am

STACKS = [(), (3,), (2, 3), (0,)]
ORDERS = [0, 1, 2, 5, 40]
SHAPES = [(0, 0), (1, 1), (6, 6), (7, 4), (4, 7), (3, 0), (0, 3), (33, 20)]
BOUND = 100


def adjoint(a):
    return exact(a).conj().swapaxes(-1, -2)


def is_small(difference, dtype, size):
    """Below LAPACK's threshold, for a stack."""
    n = max(difference.shape[-2:], default=1) or 1
    return norm(difference) <= BOUND * n * epsilon(dtype) * (size + 1e-30)


def orthonormal(x):
    gram = adjoint(x) @ exact(x)
    return is_small(gram - np.eye(gram.shape[-1]), x.dtype, max(np.sqrt(gram.size), 1))


@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("UPLO", ["L", "U", "l", "u"])
def test_hermitian_eigenvalues_are_numpys(random, dtype, stack, n, UPLO):
    a = random(*stack, n, n)
    before = a.copy()
    w, v = am.linalg.eigh(a, UPLO)
    lower = np.tril(exact(a), -1) if UPLO in "Ll" else np.triu(exact(a), 1).conj().swapaxes(-1, -2)
    diagonal = np.einsum("...ii->...i", exact(a)).real
    full = lower + lower.conj().swapaxes(-1, -2) + diagonal[..., np.newaxis] * np.eye(n)
    assert np.array_equal(a, before) and v.dtype == dtype and w.dtype == a.real.dtype
    assert agree(w, np.linalg.eigvalsh(full)) and agree(am.linalg.eigvalsh(a, UPLO), np.linalg.eigvalsh(full))
    assert orthonormal(v) and is_small(full @ v - v * w[..., np.newaxis, :], dtype, norm(full))


@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("n", ORDERS)
def test_general_eigenvalues_have_vectors(random, dtype, stack, n):
    a = random(*stack, n, n)
    w, v = am.linalg.eig(a)
    assert w.shape == (*stack, n) and v.shape == a.shape
    assert w.dtype.kind == v.dtype.kind and w.real.dtype == v.real.dtype == a.real.dtype
    assert is_small(exact(a) @ exact(v) - exact(v) * w[..., np.newaxis, :], dtype, norm(a))
    lengths = np.linalg.norm(exact(v), axis=-2)
    assert np.allclose(lengths, 1, atol=1e3 * epsilon(dtype))
    values = am.linalg.eigvals(a)
    assert values.shape == w.shape and is_small((values - w).sum(axis=-1, keepdims=True), dtype, 10 * norm(a))


def test_real_eigenvalues_of_a_real_matrix_are_real():
    w, v = am.linalg.eig([[2, 1], [0, 1]])
    assert w.dtype == v.dtype == np.float64 and sorted(w) == [1, 2]
    assert am.linalg.eigvals(np.array([[0.0, 1], [-1, 0]])).dtype == np.complex128


@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_singular_values_are_numpys(random, dtype, stack, shape):
    a = random(*stack, *shape)
    before, expected = a.copy(), np.linalg.svd(exact(a), compute_uv=False)
    for full in (True, False):
        u, s, vh = am.linalg.svd(a, full)
        theirs = np.linalg.svd(exact(a), full)
        assert u.shape == theirs[0].shape and vh.shape == theirs[2].shape
        assert u.dtype == vh.dtype == dtype and agree(s, expected) and s.dtype == a.real.dtype
        assert orthonormal(u) and orthonormal(adjoint(vh).astype(dtype))
        k = min(shape)
        product = exact(u)[..., :k] * s[..., np.newaxis, :] @ exact(vh)[..., :k, :]
        assert is_small(product - exact(a), dtype, norm(a))
    assert np.array_equal(a, before)
    assert agree(am.linalg.svd(a, compute_uv=False), expected) and agree(am.linalg.svdvals(a), expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_first_matrix_of_a_stack_that_is_not_finite_is_named(random, dtype, bad):
    a = random(2, 3, 4, 4)
    a[1, 0, 2, 1] = a[1, 2, 3, 0] = bad
    for call in (am.linalg.eigh, am.linalg.eigvalsh, am.linalg.svd, am.linalg.svdvals):
        with pytest.raises(np.linalg.LinAlgError, match=r"matrix \(1, 0\) of the stack"):
            call(a)


def test_hermitian_singular_values(random, dtype):
    a = random(3, 6, 6)
    a = (a + a.conj().swapaxes(-1, -2)).astype(dtype)
    u, s, vh = am.linalg.svd(a, hermitian=True)
    assert agree(s, np.linalg.svd(exact(a), compute_uv=False)) and orthonormal(u)
    assert is_small(exact(u) * s[..., np.newaxis, :] @ exact(vh) - exact(a), dtype, norm(a))
    assert agree(am.linalg.svd(a, compute_uv=False, hermitian=True), np.linalg.svd(exact(a), compute_uv=False))


@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_pseudo_inverses_and_ranks_are_numpys(random, dtype, stack, shape):
    a = random(*stack, *shape)
    inverse = am.linalg.pinv(a)
    assert inverse.shape == np.linalg.pinv(exact(a)).shape and inverse.dtype == dtype
    assert is_small(exact(a) @ exact(inverse) @ exact(a) - exact(a), dtype, 100 * norm(a))
    # Rank 1.
    flat = random(*stack, shape[0], 1) @ random(*stack, 1, shape[1])
    if shape[0] and shape[1]:
        assert np.array_equal(am.linalg.matrix_rank(flat), np.linalg.matrix_rank(flat))
        assert np.array_equal(am.linalg.matrix_rank(a, tol=1e-3), np.linalg.matrix_rank(a, tol=1e-3))
        rounded = am.linalg.pinv(flat, 1e-3)
        assert is_small(exact(flat) @ exact(rounded) @ exact(flat) - exact(flat), dtype, 1000 * norm(flat))
    square = (a @ a.conj().swapaxes(-1, -2)).astype(dtype)
    inverse = am.linalg.pinv(square, rtol=None, hermitian=True)
    assert inverse.shape == square.shape


def test_tolerances_are_numpys():
    a = np.diag([1.0, 1e-3, 1e-6])
    assert am.linalg.matrix_rank(a) == 3 and am.linalg.matrix_rank(a, 1e-4) == 2
    assert am.linalg.matrix_rank(a, rtol=1e-2) == 1 and am.linalg.matrix_rank(np.zeros((2, 2))) == 0
    assert am.linalg.matrix_rank([0.0, 0]) == 0 and am.linalg.matrix_rank([0.0, 1]) == 1
    assert np.array_equal(am.linalg.pinv(a, rtol=1e-4), np.diag([1.0, 1e3, 0]))
    for wrong in (lambda: am.linalg.pinv(a, 1, rtol=1), lambda: am.linalg.matrix_rank(a, 1, rtol=1)):
        with pytest.raises(ValueError, match="rtol"):
            wrong()


@pytest.mark.parametrize("p", [None, 2, -2])
def test_condition_numbers_are_numpys(random, dtype, p):
    a = random(3, 5, 4)
    assert agree(am.linalg.cond(a, p), np.linalg.cond(exact(a), p), 100)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_elements_that_are_not_finite_are_an_error(dtype, bad):
    a = np.eye(4, dtype=dtype)
    a[2, 1] = bad
    functions = [am.linalg.eigh, am.linalg.eigvalsh, am.linalg.eig, am.linalg.eigvals, am.linalg.svd]
    for f in [*functions, am.linalg.svdvals, am.linalg.pinv, am.linalg.matrix_rank]:
        for x in (a, np.stack([np.eye(4, dtype=dtype), a])):
            with pytest.raises(np.linalg.LinAlgError):
                f(x)


def test_wrong_arguments_are_named():
    for call, text in [
        (lambda: am.linalg.eigh(np.eye(3), "X"), "UPLO is 'X'"),
        (lambda: am.linalg.eigh(np.ones((2, 3))), "not square"),
        (lambda: am.linalg.eig(np.ones(3)), "1 dimensions"),
        (lambda: am.linalg.svd(np.ones(3)), "1 dimensions"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()


@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_subsets_of_eigenvalues_are_those_of_all(random, dtype, n):
    a = random(n, n)
    a = (a + adjoint(a).astype(dtype)) / 2
    full, every = exact(a), am.linalg.eigvalsh(a)
    for first, last in [(0, 0), (0, n - 1), (n // 2, n - 1), (n // 3, n // 2)]:
        w, v = am.linalg.eigh(a, subset_by_index=(first, last))
        assert v.shape == (n, last - first + 1) and v.dtype == dtype
        assert is_small((w - every[first : last + 1])[np.newaxis], dtype, norm(full))
        assert orthonormal(v) and is_small(full @ v - v * w, dtype, norm(full))
    bounds = (-1e9, (every[0] + every[-1]) / 2)
    w, v = am.linalg.eigh(a, "U", subset_by_value=bounds)
    assert len(w) == np.count_nonzero(every <= bounds[1]) == v.shape[1]
    assert np.array_equal(am.linalg.eigvalsh(a, "U", subset_by_value=bounds), w)


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), np.dtype(np.float64)], ids=str)
@pytest.mark.parametrize("n", [1, 2, 9, 80])
def test_tridiagonal_eigenvalues_are_numpys(random, dtype, n):
    d, e = (np.ascontiguousarray(x, dtype) for x in (random(n).real, random(n).real[1:]))
    full = np.diag(exact(d)) + np.diag(exact(e), 1) + np.diag(exact(e), -1)
    every = np.linalg.eigvalsh(full)
    w, v = am.linalg.eigh_tridiagonal(d, e)
    assert w.dtype == v.dtype == dtype and is_small((w - every)[np.newaxis], dtype, norm(full))
    assert orthonormal(v) and is_small(full @ v - v * w, dtype, norm(full))
    w, v = am.linalg.eigh_tridiagonal(d, e, select="i", select_range=(n // 2, n - 1))
    assert v.shape == (n, n - n // 2) and is_small((w - every[n // 2 :])[np.newaxis], dtype, norm(full))
    w = am.linalg.eigvalsh_tridiagonal(d, e, "v", (every[0] - 1, every[-1] + 1))
    assert is_small((w - every)[np.newaxis], dtype, norm(full))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: am.linalg.eigh(np.eye(3), subset_by_index=(1, 3)), "no indices"),
        (lambda: am.linalg.eigh(np.eye(3), subset_by_value=(2, 1)), "do not ascend"),
        (lambda: am.linalg.eigh(np.eye(3), subset_by_value=(1, 2), subset_by_index=(0, 1)), "exclude"),
        (lambda: am.linalg.eigh(np.ones((2, 3, 3)), subset_by_index=(0, 1)), "3 dimensions"),
        (lambda: am.linalg.eigh_tridiagonal([1.0, 2.0], [1.0, 2.0]), "beside"),
        (lambda: am.linalg.eigh_tridiagonal([1.0, 2.0], [1.0], "x"), "select"),
        (lambda: am.linalg.eigh_tridiagonal([1.0, 2.0], [1.0], "i"), "two bounds"),
    ],
)
def test_wrong_subsets_are_refused(call, text):
    with pytest.raises((ValueError, am.LinAlgError), match=text):
        call()
