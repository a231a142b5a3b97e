"""Systems by the structure of their matrices: solutions, and the routines that gave them."""

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

SIZES = [0, 1, 2, 7, 33]


def solves(a, x, b, bound=50):
    """A small backward error: a residual of few roundings."""
    eps, size = epsilon(x.dtype), max(len(a), 1)
    a, x, b = exact(a), exact(x), exact(b)
    return norm(a @ x - b) <= bound * size * eps * (norm(a) * norm(x) + norm(b))


def dominant(random, dtype, n):
    """A matrix that is far from singular, as are its triangles and bands."""
    return (random(n, n) + 3 * n * np.eye(n)).astype(dtype)


def hermitian(a):
    """The Hermitian matrix of the lower triangle."""
    lower = np.tril(a, -1)
    return (lower + lower.conj().T + np.diag(np.diagonal(a).real)).astype(a.dtype)


def symmetric(a):
    """The symmetric matrix of the lower triangle."""
    return (np.tril(a) + np.tril(a, -1).T).astype(a.dtype)


def band(a, below, above):
    """The band of a matrix."""
    return np.triu(np.tril(a, above), -below)


def saddle(random, dtype, n):
    """A Hermitian matrix with a positive diagonal that is not definite."""
    a = hermitian(random(n, n))
    a[np.arange(n), np.arange(n)] = 1e-3
    return a


#: Of a structure: the matrix, its name for `assume_a`, the routine for real and for complex elements.
KINDS = {
    "general": (lambda a: a, "gen", "gesv", "gesv"),
    "diagonal": (lambda a: np.diag(np.diagonal(a)), "diagonal", "division", "division"),
    "lower": (np.tril, "lower triangular", "trtrs", "trtrs"),
    "upper": (np.triu, "upper triangular", "trtrs", "trtrs"),
    "tridiagonal": (lambda a: band(a, 1, 1), "tridiagonal", "gtsv", "gtsv"),
    "banded": (lambda a: band(a, 2, 1), "banded", "gbsv", "gbsv"),
    "definite": (hermitian, "pos", "posv", "posv"),
    "hermitian": (lambda a: -hermitian(a), "her", "sysv", "hesv"),
    "symmetric": (lambda a: -symmetric(a), "sym", "sysv", "sysv"),
}


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_named_and_found_structures_choose_their_routine(random, dtype, kind, n, order):
    make, name, real, complex_ = KINDS[kind]
    a = np.array(make(dominant(random, dtype, n)), dtype, order=order)
    routine = complex_ if dtype.kind == "c" else real
    for b in (random(n), random(n, 3), random(n, 0), random(2, n, 2)):
        before = a.copy(), b.copy()
        named = am.solve(a, b, assume_a=name, full_output=True)
        found = am.solve(a, b, full_output=True)
        for solution in (named, found):
            assert solution.x.dtype == dtype and solution.x.shape == b.shape
            for x, right in zip(solution.x, b) if b.ndim == 3 else [(solution.x, b)]:
                assert solves(a, x, right)
                assert norm(exact(x) - np.linalg.solve(exact(a), exact(right))) <= 1e3 * epsilon(dtype) * (1 + norm(x))
            assert solution.fallback is None and solution.iterations is None
        assert np.array_equal(am.solve(a, b), found.x)
        assert np.array_equal(a, before[0]) and np.array_equal(b, before[1])
        if n == 33:
            assert named.method == routine
            assert found.method == routine
        else:
            # A search takes longer.
            assert found.method == "gesv"
    transposed = am.solve(a, random(n), transposed=True, full_output=True)
    b = random(n)
    assert solves(a.T, am.solve(a, b, transposed=True), b) and solves(
        a.T, am.solve(a, b, assume_a=name, transposed=True), b
    )
    assert transposed.method == (routine if n == 33 else "gesv")


def test_matrices_that_are_not_definite_are_solved_by_the_other_routine(random, dtype):
    n, b = 35, random(35, 2)
    a = saddle(random, dtype, n)
    other = "hesv" if dtype.kind == "c" else "sysv"
    for given in ({}, {"assume_a": "her"}, {"assume_a": "her", "lower": True}, {"mixed": True}):
        found = am.solve(a, b, full_output=True, **given)
        assert (found.method, found.fallback) == ("posv", other)
        assert solves(a, found.x, b, 1e3)
    stack = np.stack([hermitian(dominant(random, dtype, n)), a])
    found = am.solve(stack, b, assume_a="her", full_output=True)
    assert (found.method, found.fallback) == ("posv", other)
    assert solves(a, found.x[1], b, 1e3) and solves(stack[0], found.x[0], b)
    with pytest.raises(am.LinAlgError, match="leading minor of order 2 of 35"):
        am.solve(a, b, assume_a="pos")


def test_mixed_precision_tells_its_refinements(random, dtype):
    n = 40
    a, b = dominant(random, dtype, n), random(n, 2)
    for matrix, name, routine in ((a, "gen", "gesv"), (hermitian(a), "pos", "posv")):
        found = am.solve(matrix, b, assume_a=name, mixed=True, full_output=True)
        assert solves(matrix, found.x, b) and found.method == routine
        assert (found.iterations is not None) == (dtype.char in "dD")
        assert found.iterations is None or 0 <= found.iterations <= 30
    stack = am.solve(np.stack([a, 2 * a]), b, mixed=True, full_output=True)
    assert solves(a, stack.x[0], b) and solves(2 * a, stack.x[1], b)
    if dtype.char in "dD":
        # Beyond single precision it takes factors in double precision.
        large = am.solve(a * 1e200, b, assume_a="gen", mixed=True, full_output=True)
        assert large.iterations == -2 and solves(a, large.x * 1e200, b)


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("stack", [(3,), (2, 2), (0,)])
def test_stacks_of_tridiagonal_systems_are_solved_in_one_call(random, dtype, n, stack):
    a = np.stack([band(dominant(random, dtype, n), 1, 1) for _ in range(4)])[: int(np.prod(stack))]
    a = a.reshape(*stack, n, n)
    for b in (random(n), random(n, 2), random(*stack, n, 3)):
        x = am.solve(a, b, assume_a="tridiagonal")
        right = exact(b)[:, np.newaxis] if b.ndim == 1 else exact(b)
        right = np.broadcast_to(right, (*stack, *right.shape[-2:]))
        expected = np.linalg.solve(exact(a), right)
        expected = expected[..., 0] if b.ndim == 1 else expected
        assert x.shape == expected.shape and norm(exact(x) - expected) <= 1e3 * epsilon(dtype) * (1 + norm(expected))
    if a.size and n > 1:
        a[-1] = 0
        with pytest.raises(am.LinAlgError, match="of the stack is singular"):
            am.solve(a, random(n), assume_a="tridiagonal")


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("below, above", [(0, 0), (1, 1), (2, 1), (0, 3), (8, 8)])
@pytest.mark.parametrize("stack", [(3,), (2, 2), (0,)])
def test_stacks_of_bands_are_solved_in_one_call(random, dtype, n, below, above, stack):
    count = int(np.prod(stack))
    a = np.stack([band(dominant(random, dtype, n), below, above) for _ in range(4)])[:count].reshape(*stack, n, n)
    ab = np.full((*stack, below + above + 1, n), np.nan, dtype)
    for i in range(n):
        for j in range(max(i - below, 0), min(i + above + 1, n)):
            ab[..., above + i - j, j] = a[..., i, j]
    # Elements outside of the matrices may have any value that is finite.
    ab[np.isnan(ab)] = 7
    for b in (random(n), random(n, 2), random(*stack, n, 3), random(*stack[1:], n, 1)):
        right = exact(b)[:, np.newaxis] if b.ndim == 1 else exact(b)
        expected = np.linalg.solve(exact(a), np.broadcast_to(right, (*stack, *right.shape[-2:])))
        expected = expected[..., 0] if b.ndim == 1 else expected
        for x in (am.linalg.solve_banded((below, above), ab, b), am.solve(a, b, assume_a="banded")):
            assert x.shape == expected.shape and x.dtype == dtype
            assert norm(exact(x) - expected) <= 1e3 * epsilon(dtype) * (1 + norm(expected))
    if count:
        # One band for a stack of right-hand sides.
        first, b = (0,) * len(stack), random(*stack, n, 2)
        x = am.linalg.solve_banded((below, above), ab[first], b)
        assert norm(exact(a[first]) @ exact(x) - exact(b)) <= 1e3 * epsilon(dtype) * (1 + norm(b)) * n
        ab[-1] = 0
        with pytest.raises(am.LinAlgError, match="of the stack is singular"):
            am.linalg.solve_banded((below, above), ab, random(n))


def test_singular_matrices_of_each_structure_are_told(random, dtype):
    n, b = 33, random(33)
    for make, name, *_ in KINDS.values():
        a = make(dominant(random, dtype, n))
        a[-1], a[:, -1] = 0, 0
        for assume_a in (name, None):
            with pytest.raises(am.LinAlgError):
                am.solve(a, b, assume_a=assume_a)
    # Singular but for roundings.
    near = (np.ones((n, n)) + epsilon(dtype) * np.eye(n)).astype(dtype)
    try:
        assert np.isfinite(am.solve(near, b)).all()
    except am.LinAlgError as error:
        assert "singular" in str(error) or "definite" in str(error)


def test_elements_that_are_not_finite_are_told(random, dtype):
    a, b = dominant(random, dtype, 5), random(5)
    a[3, 2] = np.nan
    for _, name, *_ in KINDS.values():
        with pytest.raises(ValueError, match="a has a NaN"):
            am.solve(a, b, assume_a=name, check_finite=True)
    b[1] = np.inf
    with pytest.raises(ValueError, match="b has a NaN or an infinity"):
        am.solve(np.eye(5), b, check_finite=True)
    for solve in (am.linalg.solve_banded, lambda _, ab, b: am.linalg.solveh_banded(ab, b)):
        with pytest.raises(ValueError, match="b has a NaN"):
            solve((0, 0), np.ones((1, 5)), b)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 40])
@pytest.mark.parametrize("below, above", [(0, 0), (1, 1), (2, 1), (0, 3), (4, 0)])
def test_bands_are_scipys(random, dtype, n, below, above):
    scipy = pytest.importorskip("scipy.linalg")
    a = band(dominant(random, dtype, n), below, above)
    ab = np.zeros((below + above + 1, n), dtype)
    for i in range(n):
        for j in range(max(i - below, 0), min(i + above + 1, n)):
            ab[above + i - j, j] = a[i, j]
    for b in (random(n), random(n, 3), np.asfortranarray(random(n, 2))):
        before = b.copy()
        for order in "CF":
            x = am.linalg.solve_banded((below, above), np.array(ab, order=order), b)
            assert x.dtype == dtype and solves(a, x, b) and np.array_equal(b, before)
        if n > 1 and below < n and above < n:
            expected = scipy.solve_banded((below, above), exact(ab), exact(b))
            assert norm(exact(x) - expected) <= 1e3 * epsilon(dtype) * (1 + norm(expected))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n, width", [(1, 0), (2, 1), (9, 0), (9, 1), (9, 3), (30, 5)])
def test_definite_bands_are_scipys(random, dtype, n, width, lower):
    scipy = pytest.importorskip("scipy.linalg")
    a = band(hermitian(dominant(random, dtype, n)), width, width)
    ab = np.zeros((width + 1, n), dtype)
    for k in range(width + 1):
        if lower:
            ab[k, : n - k] = np.diagonal(a, -k)
        else:
            ab[width - k, k:] = np.diagonal(a, k)
    for b in (random(n), random(n, 3)):
        x = am.linalg.solveh_banded(ab, b, lower=lower)
        assert x.dtype == dtype and solves(a, x, b)
        expected = scipy.solveh_banded(exact(ab), exact(b), lower=lower)
        assert norm(exact(x) - expected) <= 1e3 * epsilon(dtype) * (1 + norm(expected))
    with pytest.raises(am.LinAlgError, match="not positive definite"):
        am.linalg.solveh_banded(-ab, random(n), lower=lower)


def test_bands_of_wrong_shapes_are_errors(dtype):
    ab, b = np.ones((3, 4), dtype), np.ones(4, dtype)
    for call, message in (
        (lambda: am.linalg.solve_banded((1, 2), ab, b), "ab has 3 rows"),
        (lambda: am.linalg.solve_banded((-1, 3), ab, b), "negative"),
        (lambda: am.linalg.solve_banded((1, 1), ab, b[:3]), "4 equations"),
        (lambda: am.linalg.solve_banded((1, 1), ab[0], b), "ab has 1 dimensions"),
        (lambda: am.linalg.solve_banded((1, 1), np.ones((2, 3, 4)), np.ones((3, 4, 1))), "broadcast"),
        (lambda: am.linalg.solveh_banded(ab, np.ones((2, 4, 1))), "b has 3 dimensions"),
        (lambda: am.linalg.solveh_banded(ab[:0], b), "no diagonal"),
        (lambda: am.linalg.solveh_banded(ab, b[:2]), "4 equations"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(am.LinAlgError, match="singular"):
        am.linalg.solve_banded((1, 1), 0 * ab, b)
    with pytest.raises(am.LinAlgError, match="singular"):
        am.linalg.solve_banded((2, 0), 0 * ab, b)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 8, 31])
@pytest.mark.parametrize("is_hermitian", [False, True])
def test_factors_of_indefinite_matrices_multiply_to_the_matrix(random, dtype, n, lower, is_hermitian):
    for size in (1, 1e-3):
        a = hermitian(random(n, n)) if is_hermitian else symmetric(random(n, n))
        # Small diagonals ask for blocks of order 2.
        a[np.arange(n), np.arange(n)] *= np.asarray(size, dtype)
        given = np.where(np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T, a, 7).astype(dtype)
        lu, d, perm = am.linalg.ldl(given, lower=lower, hermitian=is_hermitian)
        other = lu.conj().T if is_hermitian else lu.T
        assert lu.dtype == d.dtype == dtype
        assert norm(exact(lu) @ exact(d) @ exact(other) - exact(a)) <= 100 * max(n, 1) * epsilon(dtype) * (
            norm(a) + 1e-300
        )
        assert sorted(perm) == list(range(n))
        triangle = lu[perm]
        assert np.array_equal(triangle, np.tril(triangle) if lower else np.triu(triangle))
        assert np.array_equal(np.diagonal(triangle), np.ones(n))
        assert np.array_equal(d, band(d, 1, 1))
    zero = am.linalg.ldl(np.zeros((3, 3), dtype))
    assert np.array_equal(zero[1], np.zeros((3, 3)))


def test_factors_of_indefinite_matrices_are_scipys(random, dtype):
    scipy = pytest.importorskip("scipy.linalg")
    a = hermitian(random(12, 12))
    for lower in (False, True):
        ours, theirs = am.linalg.ldl(a, lower=lower), scipy.ldl(a, lower=lower)
        assert np.array_equal(ours[2], theirs[2])
        for mine, other in zip(ours[:2], theirs[:2]):
            assert norm(exact(mine) - exact(other)) <= 1e4 * epsilon(dtype) * (1 + norm(other))
