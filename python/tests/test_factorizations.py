"""Factorisations multiply to what they are of, and solutions leave small residuals: LAPACK's test ratios, below 30."""

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

THRESHOLD = 30


def ratio(difference, a, *others):
    """|difference| / (n eps |a| |others| ...)."""
    scale = max(a.shape) * epsilon(a.dtype) * norm(a) * np.prod([norm(other) for other in others])
    return norm(difference) / scale if scale else norm(difference)


def dominant(random, n):
    """A positive definite matrix."""
    a = random(n, n)
    return (a @ a.conj().T + n * np.eye(n)).astype(a.dtype)


SHAPES = [(1, 1), (7, 7), (9, 4), (4, 9), (40, 33), (130, 130)]
ORDERS = ["C", "F"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_lu_multiplies_to_the_matrix_with_its_rows_exchanged(random, dtype, shape, order):
    a = np.array(random(*shape), order=order)
    before = a.copy()
    lu = am.lu(a)
    assert lu.l.dtype == lu.u.dtype == dtype
    assert np.array_equal(a, before)
    assert np.array_equal(np.triu(lu.l), np.eye(*lu.l.shape))
    assert ratio(a[lu.permutation] - exact(lu.l) @ exact(lu.u), a) < THRESHOLD
    assert np.abs(lu.l).max() <= 1 + 4 * epsilon(dtype) or dtype.kind == "c"


@pytest.mark.parametrize("shape", SHAPES)
def test_qr_multiplies_to_the_matrix_and_q_is_unitary(random, shape):
    a = random(*shape)
    qr = am.qr(a)
    k = min(shape)
    assert qr.q.shape == (shape[0], k) and qr.r.shape == (k, shape[1])
    assert ratio(exact(qr.q) @ exact(qr.r) - a, a) < THRESHOLD
    assert ratio(exact(qr.q).conj().T @ qr.q - np.eye(k), qr.q) < THRESHOLD


@pytest.mark.parametrize("n", [1, 7, 130])
def test_cholesky_multiplies_to_the_matrix(random, n):
    a = dominant(random, n)
    nothing_above = np.where(np.triu(np.ones((n, n)), 1), np.nan, a).astype(a.dtype)
    l = am.cholesky(nothing_above).l
    assert ratio(exact(l) @ exact(l).conj().T - a, a) < THRESHOLD


@pytest.mark.parametrize("right", [(), (1,), (3,)], ids=str)
@pytest.mark.parametrize("n", [1, 8, 65])
def test_solutions_leave_small_residuals(random, dtype, n, right):
    for a, assume in ((random(n, n), "general"), (dominant(random, n), "positive definite")):
        b = random(n, *right)
        x = am.solve(a, b, assume_a=assume)
        assert x.shape == b.shape and x.dtype == dtype
        assert ratio(exact(a) @ exact(x) - b, a, x) < THRESHOLD
    factors = am.lu(random(n, n) if n > 1 else np.ones((1, 1), dtype))
    a = (factors.l @ factors.u)[np.argsort(factors.permutation)]
    assert (
        ratio(exact(a).T @ exact(factors.solve(b, transposed=True)) - b, a, factors.solve(b, transposed=True))
        < THRESHOLD
    )


def test_factors_solve_again_and_in_a_wider_type():
    random = np.random.default_rng(2)
    a = random.standard_normal((20, 20))
    factors = am.lu(a)
    for b in (random.standard_normal(20), random.standard_normal((20, 4)), random.standard_normal(20) * 1j):
        x = factors.solve(b)
        assert x.dtype == b.dtype and ratio(a @ x - b, a, x) < THRESHOLD


@pytest.mark.parametrize("n", [1, 6, 40])
def test_inverses(random, n):
    general, positive = random(n, n), dominant(random, n)
    for a, inverse in ((general, am.inv(general)), (positive, am.cholesky(positive).inv())):
        assert ratio(exact(inverse) @ exact(a) - np.eye(n), a, inverse) < THRESHOLD


def test_determinants():
    a = np.array([[0.0, 2.0], [3.0, 0.0]])
    assert am.lu(a).det() == -6
    assert am.lu(np.ones((2, 2))).det() == 0
    random = np.random.default_rng(3)
    a = random.standard_normal((9, 9))
    assert np.isclose(am.lu(a).det(), np.linalg.det(a), rtol=1e-10)


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5), (60, 20)])
@pytest.mark.parametrize("right", [(), (3,)], ids=str)
def test_least_squares_leave_a_residual_that_is_orthogonal(random, shape, right):
    a, b = random(*shape), random(shape[0], *right)
    x, residuals, rank, _ = am.lstsq(a, b)
    assert rank == min(shape)
    assert x.shape == (shape[1], *right)
    residual = exact(a) @ exact(x) - b
    assert ratio(exact(a).conj().T @ residual, a, a, np.vstack([x.reshape(-1, 1), b.reshape(-1, 1)])) < THRESHOLD
    if shape[0] < shape[1]:
        # Of all solutions the one of the least norm: in the space of a's rows.
        expected = np.linalg.pinv(exact(a)) @ b
        assert ratio(x - expected, a, x) < THRESHOLD * np.linalg.cond(exact(a))
    else:
        assert ratio(am.qr(a).solve(b) - exact(x), a, x) < THRESHOLD * np.linalg.cond(exact(a)) ** 2


def test_singular_matrices_are_told(dtype):
    singular = np.ones((3, 3), dtype)
    with pytest.raises(am.LinAlgError, match="pivot 2 of 3 is zero") as told:
        am.solve(singular, np.ones(3))
    assert told.value.status == 2 and isinstance(told.value, np.linalg.LinAlgError)
    with pytest.raises(np.linalg.LinAlgError):
        am.inv(singular)
    with pytest.raises(am.LinAlgError) as told:
        am.cholesky(np.diag([1, 1, -1]).astype(dtype))
    assert told.value.status == 3


def dummies():
    """An intercept, and a column for each of three groups, whose sum it is."""
    groups = np.arange(12) % 3
    return np.column_stack([np.ones(12)] + [groups == g for g in range(3)]).astype(float)


def dependent(m, n, rank, seed=4):
    """A matrix of any rank, whose other singular values are 1 to 3."""
    random = np.random.default_rng(seed)
    q, _ = np.linalg.qr(random.standard_normal((m, m)))
    p, _ = np.linalg.qr(random.standard_normal((n, n)))
    return (q[:, :rank] * np.linspace(1, 3, rank)) @ p[:rank]


@pytest.mark.parametrize("right", [(), (1,), (3,)], ids=str)
@pytest.mark.parametrize(
    "a",
    [np.ones((6, 3)), dummies(), dependent(20, 5, 4), dependent(5, 20, 3), dependent(70, 70, 41), dependent(90, 40, 40)]
    + [np.diag([1.0, 0, 1]), np.zeros((3, 2)), np.zeros((2, 3)), np.ones((1, 1))],
    ids=lambda a: f"{a.shape[0]}x{a.shape[1]}",
)
def test_least_squares_of_any_rank_are_numpys(random, dtype, a, right):
    a, b = a.astype(dtype), random(a.shape[0], *right)
    if dtype.kind == "c":
        # Rows and columns are turned, which leaves the singular values as they are.
        a = (a * np.exp(1j * np.arange(a.shape[1]))).astype(dtype)
    for order in "CF":
        before = np.array(a, order=order)
        found = am.lstsq(before, b)
        x, residuals, rank, singular = np.linalg.lstsq(exact(a), exact(b), rcond=max(a.shape) * epsilon(dtype))
        assert np.array_equal(before, a)
        assert found.x.shape == x.shape and found.x.dtype == dtype
        assert found.rank == rank and found.residuals.shape == residuals.shape
        # The error of x: the condition, and of the residual its square (Higham, theorem 20.1).
        condition = singular[0] / singular[rank - 1] if rank else 1
        left = norm(exact(a) @ x - b) * condition / singular[0] if rank else 0
        bound = THRESHOLD * max(a.shape) * epsilon(dtype) * condition * (norm(x) + left)
        assert norm(exact(found.x) - x) <= bound
        if residuals.size:
            scale = max(a.shape) * epsilon(dtype) * norm(b) ** 2
            assert np.abs(found.residuals - residuals).max() <= THRESHOLD * scale


def test_rcond_says_what_counts_as_zero():
    a, b = np.diag([1.0, 1e-3, 1e-6]), np.ones(3)
    for rcond, rank in ((None, 3), (1e-4, 2), (1e-2, 1), (0, 3), (-1, 3), (1e-7, 3)):
        found = am.lstsq(a, b, rcond=rcond)
        assert found.rank == rank == np.linalg.lstsq(a, b, rcond=rcond)[2]
        assert np.allclose(found.x, np.where(np.arange(3) < rank, [1, 1e3, 1e6], 0), rtol=1e-12)
    with pytest.raises(ValueError, match="NaN"):
        am.lstsq(a, b, rcond=np.nan)
    for bad in (np.nan, np.inf):
        with pytest.raises(np.linalg.LinAlgError, match="NaN or an infinity"):
            am.lstsq(a, b * bad)
        with pytest.raises(np.linalg.LinAlgError, match="NaN or an infinity"):
            am.lstsq(np.where(a == 1, bad, a), b)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 2), (2, 3)])
@pytest.mark.parametrize("right", [(), (0,), (2,)], ids=str)
def test_least_squares_of_nothing_are_numpys(dtype, shape, right):
    a, b = np.ones(shape, dtype) + np.eye(*shape, dtype=dtype), np.ones((shape[0], *right), dtype)
    found, expected = am.lstsq(a, b), np.linalg.lstsq(a, b, rcond=None)
    assert found.x.shape == expected[0].shape and found.rank == expected[2]
    assert np.allclose(found.x, expected[0], atol=1e-5)
    assert found.residuals.shape == expected[1].shape
    assert np.allclose(found.residuals, expected[1], atol=1e-5)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_factors_of_empty_matrices(dtype, shape):
    a = np.empty(shape, dtype)
    lu, qr = am.lu(a), am.qr(a)
    assert lu.l.shape == (shape[0], 0) and lu.u.shape == (0, shape[1]) and len(lu.permutation) == shape[0]
    assert qr.q.shape == (shape[0], 0) and qr.r.shape == (0, shape[1])
    if shape[0] >= shape[1]:
        assert qr.solve(np.ones((shape[0], 2), dtype)).shape == (shape[1], 2)
    if shape == (0, 0):
        for right in ((0,), (0, 2)):
            assert am.solve(a, np.empty(right, dtype)).shape == right
            assert am.solve(a, np.empty(right, dtype), assume_a="pos").shape == right
        assert am.cholesky(a).l.shape == am.cholesky(a).inv().shape == (0, 0)


def test_nothing_of_order_zero(dtype):
    empty = np.empty((0, 0), dtype)
    assert am.solve(empty, np.empty(0)).shape == (0,)
    assert am.inv(empty).shape == (0, 0)
    assert am.qr(np.empty((3, 0), dtype)).q.shape == (3, 0)
    assert am.lu(empty).det() == 1


def test_shapes_that_do_not_fit_are_told():
    with pytest.raises(ValueError, match="not square"):
        am.solve(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match="3 equations"):
        am.solve(np.eye(3), np.ones(2))
    with pytest.raises(ValueError, match="a matrix has two"):
        am.lu(np.ones(3))
    with pytest.raises(ValueError, match="assume"):
        am.solve(np.eye(2), np.ones(2), assume_a="nothing")
    with pytest.raises(TypeError, match="float16"):
        am.lu(np.eye(2, dtype=np.float16))


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 2), (5, 5), (3, 4, 4), (2, 2, 7, 7)])
def test_factors_have_the_inverse_and_the_determinant(random, dtype, shape):
    n = shape[-1]
    a = (random(*shape) / max(n, 1)).astype(dtype)
    gram = (a @ a.conj().swapaxes(-1, -2) + np.eye(n)).astype(dtype)
    for matrix, factors in ((a, am.lu(a)), (a, am.qr(a)), (gram, am.cholesky(gram))):
        bound = 1e4 * epsilon(dtype)
        sign, logarithm = np.linalg.slogdet(exact(matrix))
        ours = factors.slogdet()
        assert norm(np.asarray(ours[0]) - sign) <= bound * max(sign.size, 1)
        assert norm(np.asarray(ours[1]) - logarithm) <= bound * (1 + norm(logarithm))
        det = np.linalg.det(exact(matrix))
        assert np.shape(factors.det()) == det.shape and norm(np.asarray(factors.det()) - det) <= bound * (1 + norm(det))
        inverse = factors.inv()
        assert inverse.dtype == dtype and inverse.shape == shape
        residual = exact(matrix) @ exact(inverse) - np.eye(n)
        assert norm(residual) <= bound * (1 + norm(matrix) * norm(inverse))
    tall = random(6, 3)
    assert norm(exact(am.qr(tall).inv()) - np.linalg.pinv(exact(tall))) <= 1e3 * epsilon(dtype) * norm(
        np.linalg.pinv(tall)
    )
    with pytest.raises(ValueError, match="not square"):
        am.qr(tall).det()
    zero = am.qr(np.zeros((3, 3), dtype))
    assert zero.slogdet() == (0, -np.inf) and zero.det() == 0
    with pytest.raises(am.LinAlgError):
        zero.inv()
