"""The module linalg beside numpy.linalg and scipy.linalg: random shapes, stacks, all four types."""

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

STACKS = [(), (3,), (2, 3), (0,)]


def agree(ours, theirs, condition=1.0, bound=100):
    """The same shape and type, and a difference of few roundings."""
    theirs = np.asarray(theirs)
    assert np.shape(ours) == theirs.shape
    ours = np.asarray(ours)
    size = max(max(theirs.shape, default=1), 1)
    return norm(exact(ours) - theirs) <= bound * size * epsilon(ours.dtype) * condition * max(norm(theirs), 1e-30)


def well(random, dtype, *shape):
    """Square matrices that are far from singular."""
    n = shape[-1]
    return (random(*shape) + 3 * n * np.eye(n)).astype(dtype)


def positive(random, dtype, *shape):
    """Hermitian positive definite matrices."""
    a = random(*shape)
    return (a @ a.conj().swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_systems_of_stacks_are_numpys(random, dtype, stack, n):
    a = well(random, dtype, *stack, n, n)
    for b in (random(n), random(n, 2), random(*stack, n, 3), random(*stack, n, 0), random(2, *[1] * len(stack), n, 1)):
        before = a.copy(), b.copy()
        # Before NumPy 2 a vector was told from a matrix otherwise.
        right = exact(b)[:, np.newaxis] if b.ndim == 1 else exact(b)
        shape = np.broadcast_shapes(stack, right.shape[:-2])
        expected = np.linalg.solve(exact(a), np.broadcast_to(right, (*shape, *right.shape[-2:])))
        expected = expected[..., 0] if b.ndim == 1 else expected
        x = am.linalg.solve(a, b)
        assert x.dtype == dtype and agree(x, expected)
        assert np.array_equal(a, before[0]) and np.array_equal(b, before[1])
        assert agree(am.lu(a).solve(b), expected)
    assert agree(am.linalg.inv(a), np.linalg.inv(exact(a)))
    scaled = a / np.asarray(max(n, 1), dtype)
    assert agree(am.linalg.det(scaled), np.linalg.det(exact(scaled)))
    ours, theirs = am.linalg.slogdet(a), np.linalg.slogdet(exact(a))
    assert agree(ours.sign, theirs[0]) and agree(ours.logabsdet, theirs[1], 10)
    assert ours.sign.dtype == dtype and ours.logabsdet.dtype == np.zeros(0, dtype).real.dtype


@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (6, 6), (7, 4), (4, 7), (3, 0), (0, 3), (33, 20)])
def test_factors_of_stacks_unpack_and_multiply_to_the_matrices(random, dtype, stack, shape):
    a = random(*stack, *shape)
    p, l, u = am.lu(a)
    assert p.dtype == a.real.dtype and p.shape == (*stack, shape[0], shape[0])
    assert agree(p.astype(dtype) @ l @ u, exact(a))
    k = min(shape)
    for mode, width in (("reduced", k), ("complete", shape[0])):
        for q, r in (am.qr(a, mode), am.linalg.qr(a, mode)):
            assert q.shape == (*stack, shape[0], width) and r.shape == (*stack, width, shape[1])
            assert agree(q @ r, exact(a))
            assert agree(q.conj().swapaxes(-1, -2) @ q, np.broadcast_to(np.eye(width), (*stack, width, width)))
    assert np.array_equal(am.linalg.qr(a, "r"), am.linalg.qr(a).R)
    householder, tau = am.linalg.qr(a, "raw")
    assert householder.shape == (*stack, *shape[::-1]) and tau.shape == (*stack, k)
    assert np.array_equal(np.tril(householder[..., :k]).swapaxes(-1, -2), am.linalg.qr(a, "r"))


@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("n", [0, 1, 6, 40])
def test_cholesky_factors_of_stacks_are_numpys(random, dtype, stack, n):
    a = positive(random, dtype, *stack, n, n)
    low = np.linalg.cholesky(exact(a))
    for upper, expected in ((False, low), (True, low.conj().swapaxes(-1, -2))):
        factor = am.cholesky(a, upper=upper)
        assert agree(np.asarray(factor), expected) and agree(am.linalg.cholesky(a, upper=upper), expected)
        assert agree(factor.l, low) and agree(factor.u, low.conj().swapaxes(-1, -2))
        assert np.asarray(factor, np.complex128).dtype == np.complex128
        b = random(*stack, n, 2)
        assert agree(factor.solve(b), np.linalg.solve(exact(a), exact(b)), 10)
        assert agree(factor.inv(), np.linalg.inv(exact(a)), 10)
        if n < 40:
            assert agree(factor.det(), np.linalg.det(exact(a)), 10)


def test_factors_index_and_measure_as_tuples():
    a = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(am.qr(a)[1], am.qr(a).r) and len(am.lu(a)) == 3
    assert [x.shape for x in am.lu(a)[1:]] == [(3, 2), (2, 2)]
    assert repr(am.qr(a)) == "<QR of float64, q: (3, 2), r: (2, 2)>"


def test_a_singular_matrix_of_a_stack_is_told():
    a = np.stack([np.eye(3), np.ones((3, 3)), np.eye(3)])
    for fails in (lambda: am.solve(a, np.ones(3)), lambda: am.inv(a), lambda: am.lu(a).solve(np.ones(3))):
        with pytest.raises(am.LinAlgError, match="matrix 1 of the stack is singular: pivot 2 of 3") as told:
            fails()
        assert told.value.status == 2
    with pytest.raises(am.LinAlgError, match=r"matrix \(0, 1\) of the stack is not positive definite.*order 2 of 2"):
        am.cholesky(np.array([[np.eye(2), np.diag([1, -1])]]))
    assert np.array_equal(am.det(a), [1, 0, 1])
    assert am.slogdet(a).logabsdet[1] == -np.inf and am.slogdet(a).sign[1] == 0


STRUCTURES = {
    "gen": lambda a: a,
    "general": lambda a: a,
    "sym": lambda a: a + a.T,
    "her": lambda a: a + a.conj().T,
    "pos": lambda a: a @ a.conj().T + np.eye(len(a)),
    "positive definite": lambda a: a @ a.conj().T + np.eye(len(a)),
    "diagonal": lambda a: np.diag(np.diagonal(a)),
    "tridiagonal": lambda a: np.triu(np.tril(a, 1), -1),
    "banded": lambda a: np.triu(np.tril(a, 2), -3),
    "upper triangular": np.triu,
    "lower triangular": np.tril,
}


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("lower", [False, True])
def test_structures_are_used(random, dtype, structure, lower):
    n = 12
    a = STRUCTURES[structure](well(random, dtype, n, n)).astype(dtype)
    given = a
    if structure in ("sym", "her", "pos", "positive definite"):
        # Only one triangle is read.
        other = np.triu(np.ones((n, n), bool), 1) if lower else np.tril(np.ones((n, n), bool), -1)
        given = np.where(other, np.nan, a).astype(dtype)
    elif structure.endswith("triangular"):
        given = np.where(a == 0, np.nan, a).astype(dtype)
    for b in (random(n), random(n, 3), random(2, n, 3)):
        for transposed in (False, True):
            x = am.solve(given, b, assume_a=structure, lower=lower, transposed=transposed)
            expected = np.linalg.solve(exact(a.T if transposed else a), exact(b))
            assert x.dtype == dtype and agree(x, expected, 20)
    b = random(n, 2)
    halves = am.solve(np.stack([given, 2 * given]), b, assume_a=structure, lower=lower)
    assert agree(halves[0], np.linalg.solve(exact(a), exact(b)), 20) and agree(2 * halves[1], exact(halves[0]), 20)
    a[0] = 0
    with pytest.raises(am.LinAlgError):
        am.solve(a * 0, random(n), assume_a=structure)


def test_operands_may_be_overwritten_and_are_not_otherwise():
    random = np.random.default_rng(7)
    a, b = np.asfortranarray(random.standard_normal((9, 9))), random.standard_normal(9)
    expected = np.linalg.solve(a, b)
    for assume_a in ("gen", "sym", "pos"):
        before = a.copy()
        try:
            am.solve(a, b, assume_a=assume_a)
        except am.LinAlgError:
            pass
        assert np.array_equal(a, before)
    x = am.solve(a.copy(order="F"), b.copy(), overwrite_a=True, overwrite_b=True)
    assert np.allclose(x, expected)
    fixed = a.copy(order="F")
    fixed.flags.writeable = False
    assert np.allclose(am.solve(fixed, b, overwrite_a=True), expected)
    assert np.allclose(am.inv(a.copy(order="F"), overwrite_a=True), np.linalg.inv(a))


def test_triangular_systems_are_scipys(random, dtype):
    linalg = pytest.importorskip("scipy.linalg")
    a, b = well(random, dtype, 9, 9), random(9, 3)
    for lower in (False, True):
        for trans in (0, 1, 2, "N", "T", "C"):
            for unit in (False, True):
                scaled = a / np.asarray(30, dtype)
                ours = am.linalg.solve_triangular(scaled, b, trans, lower, unit)
                assert agree(ours, linalg.solve_triangular(exact(scaled), exact(b), trans, lower, unit), 100)
    with pytest.raises(am.LinAlgError, match="pivot 2"):
        am.linalg.solve_triangular(np.diag([1.0, 0, 1]), np.ones(3))
    with pytest.raises(ValueError, match="trans is"):
        am.linalg.solve_triangular(a, b, trans=3)
    with pytest.raises(ValueError, match="a has a NaN"):
        am.linalg.solve_triangular(a * np.nan, b)


def test_factors_in_one_array_are_scipys(random, dtype):
    linalg = pytest.importorskip("scipy.linalg")
    a, b = random(8, 8), random(8, 2)
    (ours, pivots), (theirs, their_pivots) = am.linalg.lu_factor(a), linalg.lu_factor(exact(a))
    assert np.array_equal(pivots, their_pivots) and agree(ours, theirs, 20)
    for trans in (0, 1, 2):
        expected = linalg.lu_solve((theirs, their_pivots), exact(b), trans)
        assert agree(am.linalg.lu_solve((ours, pivots), b, trans), expected, 200)
    for options in ({}, {"permute_l": True}):
        for one, other in zip(am.linalg.lu(a[:, :5], **options), linalg.lu(exact(a[:, :5]), **options)):
            assert agree(one, other, 20)
    p, l, u = am.linalg.lu(a[:, :5], p_indices=True)
    assert agree((l @ u)[p], exact(a[:, :5]))
    h = positive(random, dtype, 8, 8)
    for lower in (False, True):
        ours, theirs = am.linalg.cho_factor(h, lower), linalg.cho_factor(exact(h), lower)
        assert ours[1] == theirs[1] == lower and agree(ours[0], theirs[0], 10)
        assert agree(am.linalg.cho_solve(ours, b), linalg.cho_solve(theirs, exact(b)), 20)
    with pytest.raises(am.LinAlgError, match="pivot 2 of 2"):
        am.linalg.lu_solve(am.linalg.lu_factor(np.ones((2, 2))), np.ones(2))
    with pytest.raises(ValueError, match="piv has an index"):
        am.linalg.lu_solve((np.eye(2), np.array([0, 7])), np.ones(2))
    with pytest.raises(ValueError, match="piv has the shape"):
        am.linalg.lu_solve((np.eye(2), np.array([0.5, 1])), np.ones(2))
    assert np.array_equal(am.linalg.block_diag(1, [2, 3], np.eye(2)), linalg.block_diag(1, [2, 3], np.eye(2)))


ORDERS = [None, 1, -1, 2, -2, 0, 3, 0.5, np.inf, -np.inf, "fro", "nuc"]


@pytest.mark.parametrize("ord", ORDERS, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_are_numpys(random, dtype, ord, keepdims):
    a = random(4, 5, 6)
    for x, axis in [(a, 0), (a, (0, 1)), (a, (2, 0)), (a, (-1,)), (a[0, 0], None), (a[0], None), (a[0].T, (1, 0))]:
        matrix = (x.ndim == 2 and axis is None) or (isinstance(axis, tuple) and len(axis) == 2)
        if matrix and ord in (0, 3, 0.5) or not matrix and ord in ("fro", "nuc"):
            with pytest.raises(ValueError, match="ord is"):
                am.linalg.norm(x, ord, axis)
            continue
        ours = am.linalg.norm(x, ord, axis, keepdims)
        assert agree(ours, np.linalg.norm(exact(x), ord, axis, keepdims)) and ours.dtype == x.real.dtype
    assert agree(am.linalg.norm(a, keepdims=keepdims), np.linalg.norm(exact(a), keepdims=keepdims))
    if ord in (1, -1, 2, -2, np.inf, "fro", "nuc"):
        assert agree(am.linalg.matrix_norm(a, ord=ord), np.linalg.norm(exact(a), ord, axis=(-2, -1)))
        square = well(random, dtype, 2, 5, 5)
        assert agree(am.linalg.cond(square, ord), np.linalg.cond(exact(square), ord))
    if ord in (1, 2, 3, np.inf):
        assert agree(am.linalg.vector_norm(a, axis=1, ord=ord), np.linalg.norm(exact(a), ord, axis=1))
        assert agree(am.linalg.vector_norm(a, ord=ord), np.linalg.norm(exact(a).ravel(), ord))


def test_norms_neither_overflow_nor_hide_nan(dtype):
    huge = np.full((3, 4), np.finfo(dtype).max / 8, dtype)
    assert np.isfinite(am.linalg.norm(huge)) and np.isnan(am.linalg.norm(huge * np.nan))
    assert am.linalg.norm(np.zeros((0, 3), dtype)) == 0
    assert am.linalg.norm(np.zeros((0, 3), dtype), np.inf, axis=0).shape == (3,)
    assert am.linalg.cond(np.zeros((2, 2), dtype), 1) == np.inf
    assert am.linalg.cond(np.zeros((2, 2), dtype)) == np.inf and am.linalg.cond(np.eye(3, dtype=dtype)) == 1
    with pytest.raises(am.LinAlgError, match="did not converge"):
        am.linalg.cond(huge * np.nan)
    with pytest.raises(am.LinAlgError, match="no elements"):
        am.linalg.cond(np.zeros((0, 2), dtype))
    with pytest.raises(ValueError, match="x has the shape"):
        am.linalg.cond(huge, 1)


def test_products_of_several_matrices(random, dtype):
    shapes = [(4, 9), (9, 2), (2, 7), (7, 5)]
    matrices = [random(*shape) for shape in shapes]
    expected = np.linalg.multi_dot([exact(m) for m in matrices])
    assert agree(am.linalg.multi_dot(matrices), expected)
    out = np.empty((4, 5), dtype)
    assert am.linalg.multi_dot(matrices, out=out) is out and agree(out, expected)
    ends = [random(4), *matrices, random(5)]
    assert agree(am.linalg.multi_dot(ends), np.linalg.multi_dot([exact(m) for m in ends]))
    with pytest.raises(ValueError, match="do not fit"):
        am.linalg.multi_dot([matrices[0], matrices[2]])
    a = well(random, dtype, 2, 4, 4) / np.asarray(12, dtype)
    for n in (-3, -1, 0, 1, 2, 5, 8):
        assert agree(am.linalg.matrix_power(a, n), np.linalg.matrix_power(exact(a), n), 20)
    integers = np.array([[1, 1], [1, 0]])
    assert am.linalg.matrix_power(integers, 90).dtype == integers.dtype
    assert np.array_equal(am.linalg.matrix_power(integers, 90), np.linalg.matrix_power(integers, 90))


def test_tensors_are_numpys(random):
    a, b = random(2, 3, 4), random(4, 3, 5)
    assert agree(am.linalg.tensordot(a, b, axes=1), np.tensordot(exact(a), exact(b), axes=1))
    assert agree(am.linalg.tensordot(a, b, axes=([1, 2], [1, 0])), np.tensordot(exact(a), exact(b), ([1, 2], [1, 0])))
    assert agree(am.linalg.tensordot(a, b, axes=0), np.tensordot(exact(a), exact(b), axes=0))
    c = random(7, 4)
    assert agree(am.linalg.inner(a, c), np.inner(exact(a), exact(c)), 10)
    assert agree(am.linalg.kron(a[0], b[0]), np.kron(exact(a[0]), exact(b[0])))
    assert agree(am.linalg.outer(a[0, 0], b[0, 0]), np.outer(exact(a[0, 0]), exact(b[0, 0])))
    assert agree(am.linalg.cross(a[:, :, 0], b[:2, :, 0]), np.cross(exact(a[:, :, 0]), exact(b[:2, :, 0])))
    assert agree(am.linalg.trace(a, offset=1), np.trace(exact(a), 1, -2, -1))
    assert agree(am.linalg.diagonal(a, offset=-1), np.diagonal(exact(a), -1, -2, -1))
    assert agree(am.linalg.vecdot(a, a[:, :1]), np.sum(exact(a).conj() * exact(a[:, :1]), axis=-1), 10)
    assert agree(am.linalg.vecdot(a, a, axis=1), np.sum(exact(a).conj() * exact(a), axis=1), 10)
    t = (random(6, 6) + 10 * np.eye(6)).astype(a.dtype)
    assert agree(am.linalg.tensorinv(t.reshape(2, 3, 6), 2), np.linalg.tensorinv(exact(t).reshape(2, 3, 6), 2))
    right = random(2, 3)
    for ours, axes in ((t.reshape(2, 3, 3, 2), None), (t.reshape(3, 2, 2, 3), (0, 1))):
        expected = np.linalg.tensorsolve(exact(ours), exact(right), axes)
        assert agree(am.linalg.tensorsolve(ours, right, axes), expected, 10)
    for wrong in (
        lambda: am.linalg.tensordot(a, b, axes=2),
        lambda: am.linalg.tensordot(a, b, axes=([0], [7])),
        lambda: am.linalg.tensorinv(a),
        lambda: am.linalg.tensorsolve(a, b),
        lambda: am.linalg.outer(a, b),
        lambda: am.linalg.cross(a, b),
        lambda: am.linalg.vecdot(a, b),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_products_are_written_where_they_are_asked_for(random, dtype):
    a, b = random(4, 6), random(6, 5)
    expected = am.matmul(a, b)
    for out in (np.empty((4, 5), dtype), np.empty((5, 4), dtype).T, np.empty((4, 10), dtype)[:, ::2]):
        assert am.matmul(a, b, out=out) is out and agree(out, exact(expected))
    wider = np.empty((4, 5), np.complex128)
    assert am.matmul(a, b, out=wider) is wider
    assert agree((wider if dtype.kind == "c" else wider.real).astype(dtype), exact(expected))
    square = random(5, 5)
    product = am.matmul(square, square)
    assert np.array_equal(am.matmul(square, square, out=square), product)
    stack = np.empty((3, 4, 5), dtype)
    assert agree(am.matmul(np.stack([a] * 3), b, out=stack), exact(np.stack([expected] * 3)))
    out = np.full((4, 4), 7, dtype)
    for wrong, error in ((out, ValueError), (np.empty((4, 5), np.int64), TypeError), ([], TypeError)):
        with pytest.raises(error, match="out"):
            am.matmul(a, b, out=wrong)
    assert np.all(out == 7)


def test_arrays_of_other_kinds_are_taken_or_told(random, dtype):
    a, b = well(random, dtype, 5, 5), random(5)
    x = am.solve(a, b)
    swapped = a.astype(dtype.newbyteorder(">"))
    fixed = a.copy()
    fixed.flags.writeable = False
    for same in (swapped, fixed, np.asfortranarray(a), a.tolist() if dtype == np.float64 else a):
        assert np.allclose(am.solve(same, b), x) and agree(am.qr(same).q, exact(am.qr(a).q))
        assert agree(am.matmul(same, same), exact(am.matmul(a, a)))
    assert am.solve(np.eye(2, dtype=int), [1, 2]).dtype == np.float64
    for refused in (a.astype(object), a.real.astype(np.float16), a.real.astype(np.longdouble), np.full((5, 5), "x")):
        for calls in (lambda z: am.solve(z, b), am.inv, am.lu, am.qr, am.cholesky, am.linalg.norm, am.det, am.fft.fft):
            with pytest.raises(TypeError, match="has the type .*; there are float32, float64, complex64 and"):
                calls(refused)
    with pytest.raises(TypeError, match="b has the type object"):
        am.solve(a, b.astype(object))


def test_arguments_that_do_not_fit_are_told_by_their_names():
    a = np.eye(3)
    for text, wrong in {
        "a has the shape": lambda: am.solve(np.ones((2, 3)), np.ones(2)),
        "b has the shape": lambda: am.solve(a, np.ones(2)),
        "assume_a is": lambda: am.solve(a, np.ones(3), assume_a="square"),
        "a has 1 dimensions": lambda: am.lu(np.ones(3)),
        "mode is 'full'": lambda: am.linalg.qr(a, "full"),
        "rcond is NaN": lambda: am.lstsq(a, np.ones(3), rcond=np.nan),
        "b has 3 dimensions": lambda: am.lstsq(a, np.ones((3, 1, 1))),
        "a has a NaN": lambda: am.linalg.lu_factor(a * np.nan),
    }.items():
        with pytest.raises(ValueError, match=text):
            wrong()
    for wrong in (lambda: am.inv(np.ones((2, 3))), lambda: am.qr(np.ones(3)), lambda: am.solve(a, np.ones(2))):
        with pytest.raises(np.linalg.LinAlgError) as told:
            wrong()
        assert told.value.status == -1
    for wrong in (lambda: am.linalg.norm(a, axis=2), lambda: am.fft.fftn(a, axes=-3)):
        with pytest.raises(IndexError, match="axis 2|axis -3"):
            wrong()


@pytest.mark.parametrize("seed", range(20))
def test_random_shapes(random, dtype, seed):
    shapes = np.random.default_rng(seed)
    m, k, n = (int(x) for x in shapes.integers(0, 30, 3))
    stack = tuple(int(x) for x in shapes.integers(1, 4, shapes.integers(0, 3)))
    left, right = random(*stack, m, k), random(*stack[1:], k, n)
    for a, b in (
        (left, right),
        (random(k), right),
        (left, random(k)),
        (left.swapaxes(-1, -2), left),
    ):
        product = am.matmul(a, b)
        scale = norm(np.abs(a)) * norm(np.abs(b))
        assert product.dtype == dtype and product.shape == np.matmul(a, b).shape
        assert norm(exact(product) - np.matmul(exact(a), exact(b))) <= 4 * (k + m + 2) * epsilon(dtype) * scale
    q, r = am.qr(left)
    assert agree(q @ r, exact(left))
    p, l, u = am.lu(left)
    assert agree(p.astype(dtype) @ l @ u, exact(left))
    square = well(random, dtype, *stack, k, k)
    assert agree(am.solve(square, right), np.linalg.solve(exact(square), np.broadcast_to(exact(right), (*stack, k, n))))
    if left.size:
        assert agree(am.fft.fftn(left), np.fft.fftn(exact(left)).astype(np.complex128))
        x, _, rank, _ = am.lstsq(left.reshape(-1, k), random(left.size // k))
        assert len(x) == k and rank == min(k, left.size // k)


def test_names_and_defaults_are_numpys():
    import inspect

    for name in getattr(np.linalg, "__all__", dir(np.linalg)):
        theirs = getattr(np.linalg, name)
        if name.startswith("_") or not callable(theirs) or inspect.isclass(theirs):
            continue
        ours = inspect.signature(getattr(am.linalg, name))
        if isinstance(theirs, np.ufunc):
            continue
        for parameter in inspect.signature(theirs).parameters.values():
            # Before NumPy 2 rcond was "warn", and of pinv 1e-15.
            if parameter.kind == parameter.POSITIONAL_ONLY or parameter.default in ("warn", 1e-15):
                continue
            assert ours.parameters[parameter.name].default == parameter.default, (name, parameter)
