"""Schur and Hessenberg forms, balancing, Sylvester's equation and matrix functions beside their definitions."""

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

linalg = am.linalg
ORDERS = [0, 1, 2, 3, 10, 90]
BOUND = 100


def adjoint(a):
    return exact(a).conj().swapaxes(-1, -2)


def is_small(difference, dtype, size):
    n = max(difference.shape, default=1) or 1
    return norm(difference) <= BOUND * n * epsilon(dtype) * (size + 1e-30)


def is_unitary(z, dtype):
    return is_small(adjoint(z) @ exact(z) - np.eye(len(z)), dtype, np.sqrt(max(len(z), 1)))


def has_form(a, z, t, dtype):
    return is_unitary(z, dtype) and is_small(exact(z) @ exact(t) @ adjoint(z) - exact(a), dtype, norm(a))


@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("output", ["real", "complex"])
def test_schur_forms_are_similar(random, dtype, n, output):
    a = random(n, n)
    before = a.copy()
    t, z = linalg.schur(a, output)
    complex_ = output == "complex" or dtype.kind == "c"
    assert np.array_equal(a, before) and t.dtype == z.dtype == (
        np.result_type(dtype, np.complex64) if complex_ else dtype
    )
    assert has_form(a, z, t, dtype)
    if complex_:
        assert not np.tril(t, -1).any()
        return
    assert not np.tril(t, -2).any()
    below = np.diagonal(t, -1)
    assert not (below[:-1] * below[1:]).any()
    csf, vectors = linalg.rsf2csf(t, z)
    assert not np.tril(csf, -1).any() and has_form(a, vectors, csf, dtype)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 60])
@pytest.mark.parametrize("sort", ["lhp", "rhp", "iuc", "ouc", "function"])
def test_selected_eigenvalues_come_first(random, dtype, n, sort):
    a = random(n, n)
    regions = {"lhp": lambda w: w.real < 0, "rhp": lambda w: w.real >= 0, "iuc": lambda w: abs(w) <= 1}
    regions |= {"ouc": lambda w: abs(w) > 1, "function": lambda w: w.imag == 0}
    inside = regions[sort]
    given = sort
    if sort == "function":
        given = inside if dtype.kind == "c" else lambda x, y: y == 0
    t, z, sdim = linalg.schur(a, sort=given)
    assert has_form(a, z, t, dtype)
    w = np.linalg.eigvals(exact(t)) if dtype.kind != "c" else np.diagonal(exact(t))
    assert sdim == np.count_nonzero(inside(w))
    first = np.linalg.eigvals(exact(t)[:sdim, :sdim])
    assert inside(first).all()


def test_schur_refuses_what_it_cannot_do():
    for wrong in (np.ones((2, 3)), np.ones(3), np.ones((2, 2, 2))):
        with pytest.raises(am.LinAlgError):
            linalg.schur(wrong)
    with pytest.raises(ValueError, match="NaN"):
        linalg.schur([[np.nan, 1], [1, 2]])
    with pytest.raises(am.LinAlgError, match="converge"):
        linalg.schur([[np.nan, 1], [1, 2]], check_finite=False)
    with pytest.raises(ValueError, match="output"):
        linalg.schur(np.eye(2), "rational")
    for sort in ("left", 3):
        with pytest.raises(ValueError, match="sort"):
            linalg.schur(np.eye(2), sort=sort)
    with pytest.raises(ZeroDivisionError):
        linalg.schur(np.eye(2), sort=lambda x, y: 1 / 0)
    assert linalg.schur([[1, 2], [3, 4]])[0].dtype == np.float64


@pytest.mark.parametrize("n", ORDERS)
def test_hessenberg_forms_are_similar(random, dtype, n):
    a = random(n, n)
    before = a.copy()
    h, q = linalg.hessenberg(a, calc_q=True)
    assert np.array_equal(a, before) and h.dtype == q.dtype == dtype
    assert not np.tril(h, -2).any() and has_form(a, q, h, dtype)
    assert np.array_equal(linalg.hessenberg(a), h)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 20])
@pytest.mark.parametrize("permute", [False, True])
@pytest.mark.parametrize("scale", [False, True])
def test_balanced_matrices_are_similar(random, dtype, n, permute, scale):
    a = random(n, n) * 2.0 ** np.arange(-n, n, 2)
    if n > 3:
        a[2, :2] = a[2, 3:] = 0
        a[:3, 3] = a[4:, 3] = 0
    a = a.astype(dtype)
    b, t = linalg.matrix_balance(a, permute=permute, scale=scale)
    assert b.dtype == dtype and t.dtype == a.real.dtype
    assert is_small(exact(a) @ t - t @ exact(b), dtype, norm(a) * max(norm(t), 1))
    same, (factors, perm) = linalg.matrix_balance(a, permute=permute, scale=scale, separate=True)
    assert np.array_equal(same, b) and sorted(perm) == list(range(n))
    assert np.array_equal(t[perm, np.arange(n)], factors)
    assert scale or (factors == 1).all()
    assert permute or list(perm) == list(range(n))
    if n > 3 and permute:
        assert not b[n - 1, : n - 1].any() and not b[1:, 0].any()


@pytest.mark.parametrize("m, n", [(0, 3), (3, 0), (1, 1), (2, 5), (40, 30), (50, 130)])
def test_sylvester_and_lyapunov_equations_hold(random, dtype, m, n):
    a, b, q = random(m, m) + 9 * np.eye(m, dtype=dtype), random(n, n) + 9 * np.eye(n, dtype=dtype), random(m, n)
    x = linalg.solve_sylvester(a, b, q)
    assert x.dtype == dtype and x.shape == (m, n)
    assert is_small(exact(a) @ exact(x) + exact(x) @ exact(b) - exact(q), dtype, norm(a) * norm(x) + norm(q))
    p = random(m, m)
    x = linalg.solve_continuous_lyapunov(a, p)
    assert is_small(exact(a) @ exact(x) + exact(x) @ adjoint(a) - exact(p), dtype, norm(a) * norm(x) + norm(p))


def test_singular_equations_are_refused():
    with pytest.raises(am.LinAlgError, match="singular"):
        linalg.solve_sylvester([[1.0]], [[-1.0]], [[1.0]])
    with pytest.raises(am.LinAlgError, match="singular"):
        linalg.solve_continuous_lyapunov([[0.0, 1.0], [0.0, 0.0]], np.eye(2))
    with pytest.raises(am.LinAlgError, match="shape"):
        linalg.solve_sylvester(np.eye(2), np.eye(3), np.eye(2))
    with pytest.raises(ValueError, match="NaN"):
        linalg.solve_sylvester(np.eye(2), np.eye(2), np.full((2, 2), np.nan))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("size", [1e-3, 0.1, 0.7, 1.5, 4, 30])
def test_exponentials_have_inverses_and_squares(random, dtype, n, size):
    a = random(n, n)
    a = (a * (size / max(norm(a), 1e-30))).astype(dtype)
    x = linalg.expm(a)
    assert x.dtype == dtype and x.shape == (n, n)
    w, v = np.linalg.eig(exact(a)) if n else (np.empty(0), np.empty((0, 0)))
    expected = (v * np.exp(w)) @ np.linalg.inv(v) if n else np.empty((0, 0))
    condition = np.linalg.cond(v) if n else 1
    assert norm(exact(x) - expected) <= BOUND * (n + 1) * epsilon(dtype) * condition * (1 + size) * (
        norm(expected) + 1e-30
    )
    stack = linalg.expm(np.stack([a, 0 * a]))
    assert np.array_equal(stack[0], x) and np.array_equal(stack[1], np.eye(n, dtype=dtype))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 30, 60])
def test_square_roots_and_logarithms(random, dtype, n):
    a = random(n, n) + float(2 * np.sqrt(n) + 1) * np.eye(n, dtype=dtype)
    root = linalg.sqrtm(a)
    assert root.dtype == dtype and is_small(exact(root) @ exact(root) - exact(a), dtype, norm(a) + norm(root) ** 2)
    log = linalg.logm(a)
    assert log.dtype == dtype
    if n:
        assert is_small(exact(linalg.expm(exact(log))) - exact(a), dtype, 10 * norm(a) * (1 + norm(log)))


def test_roots_and_logarithms_of_negative_eigenvalues_are_complex():
    a = np.array([[-4.0, 1.0], [0.0, 9.0]])
    root, log = linalg.sqrtm(a), linalg.logm(a)
    assert root.dtype == log.dtype == np.complex128
    assert np.allclose(root @ root, a) and np.allclose(linalg.expm(log), a)
    assert np.allclose(sorted(np.linalg.eigvals(log).imag), [0, np.pi])
    # A pair of complex eigenvalues with negative real parts has real functions.
    a = np.array([[-1.0, 2.0], [-2.0, -1.0]])
    root, log = linalg.sqrtm(a), linalg.logm(a)
    assert root.dtype == log.dtype == np.float64
    assert np.allclose(root @ root, a) and np.allclose(linalg.expm(log), a)


def test_singular_matrices_have_roots_or_none():
    assert np.array_equal(linalg.sqrtm(np.zeros((3, 3))), np.zeros((3, 3)))
    assert np.allclose(linalg.sqrtm(np.diag([4.0, 0.0, 1.0])), np.diag([2.0, 0.0, 1.0]))
    with pytest.raises(am.LinAlgError, match="no square root"):
        linalg.sqrtm([[0.0, 1.0], [0.0, 0.0]])
    with pytest.raises(am.LinAlgError, match="singular"):
        linalg.logm([[1.0, 0.0], [0.0, 0.0]])
    for function in (linalg.expm, linalg.sqrtm, linalg.logm):
        with pytest.raises(ValueError, match="NaN"):
            function([[np.inf, 0], [0, 1]])
        with pytest.raises(am.LinAlgError):
            function(np.ones((2, 3)))


def test_functions_agree_with_scipys(random, dtype):
    scipy = pytest.importorskip("scipy.linalg")
    a, b, q = random(12, 12) + 6 * np.eye(12, dtype=dtype), random(7, 7) + 6 * np.eye(7, dtype=dtype), random(12, 7)
    tolerance = {"rtol": 1e3 * epsilon(dtype), "atol": 1e3 * epsilon(dtype)}
    assert np.allclose(linalg.solve_sylvester(a, b, q), scipy.solve_sylvester(a, b, q), **tolerance)
    for name in ("expm", "sqrtm", "logm"):
        mine, theirs = getattr(linalg, name)(a), getattr(scipy, name)(exact(a))
        assert norm(exact(mine) - theirs) <= 1e3 * epsilon(dtype) * norm(theirs), name
    badly = a * 2.0 ** np.arange(-12, 12, 2)
    for mine, theirs in zip(linalg.matrix_balance(badly), scipy.matrix_balance(badly)):
        assert np.allclose(mine, theirs, **tolerance)
    h, q = linalg.hessenberg(a, calc_q=True)
    other, _ = scipy.hessenberg(a, calc_q=True)
    assert np.allclose(abs(h), abs(other), **tolerance)
