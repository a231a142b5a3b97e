"""The module sparse beside scipy.sparse: matrices, operators, solvers with SciPy's arguments."""

import copy
import gc
import inspect
import pickle
import weakref

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]
SQUARE = ["cg", "minres", "bicgstab", "gmres"]


def scattered(random, dtype, rows, columns):
    """A dense matrix with zeros in most places."""
    keep = np.random.default_rng(5).random((rows, columns)) < 0.2
    return np.where(keep, random(rows, columns), 0).astype(dtype)


def hermitian(random, dtype, n):
    """A positive definite matrix with few entries."""
    a = scattered(random, dtype, n, n)
    return (a + a.conj().T + 4 * n * np.eye(n)).astype(dtype)


def close(ours, theirs, bound=100):
    """The same shape, and a difference of few roundings."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    scale = max(theirs.size, 1) * epsilon(ours.dtype) * max(norm(theirs), 1e-30)
    return norm(exact(ours) - exact(theirs)) <= bound * scale


@pytest.mark.parametrize("form", FORMATS)
def test_scipys_formats_are_taken(random, dtype, form):
    dense = scattered(random, dtype, 12, 8)
    theirs = sparse.csr_matrix(dense).asformat(form)
    ours = am.CsrMatrix(theirs)
    assert ours.shape == (12, 8) and ours.dtype == dtype and np.array_equal(ours.toarray(), dense)
    back = ours.tocsr()
    assert back.format == "csr" and np.array_equal(back.toarray(), dense) and back.nnz == ours.nnz
    if hasattr(sparse, "csr_array"):
        assert np.array_equal(am.CsrMatrix(sparse.csr_array(dense)).toarray(), dense)
    x = random(8)
    assert close(am.CsrMatrix(theirs) @ x, exact(dense) @ exact(x))


def test_constructors_are_scipys(random, dtype):
    data, row, col = random(5), np.array([3, 0, 3, 1, 3]), np.array([0, 1, 0, 2, 1])
    for shape in (None, (5, 4)):
        ours, theirs = am.CsrMatrix((data, (row, col)), shape=shape), sparse.csr_matrix((data, (row, col)), shape=shape)
        assert ours.shape == theirs.shape and close(ours.toarray(), theirs.toarray())
    ours = am.CsrMatrix((data, col, [0, 2, 2, 5]))
    assert np.array_equal(ours.toarray(), sparse.csr_matrix((data, col, [0, 2, 2, 5])).toarray())
    assert am.CsrMatrix((3, 4)).nnz == 0 and am.CsrMatrix((3, 4), dtype=dtype).dtype == dtype
    assert am.CsrMatrix(ours).shape == ours.shape
    assert am.CsrMatrix([[1, 0], [0, 2]]).dtype == np.float64
    assert am.CsrMatrix(([1.0], ([0], [0])), (1, 1), dtype=np.complex64).dtype == np.complex64
    for text, wrong in {
        "shape is": lambda: am.CsrMatrix(np.eye(2), shape=(3, 3)),
        "arg1 has 1 dimensions": lambda: am.CsrMatrix([1.0, 2.0]),
        "row, col and data have": lambda: am.CsrMatrix(([1.0], ([0, 1], [0]))),
        "indices: ": lambda: am.CsrMatrix(([1.0], [4], [0, 1]), (1, 1)),
        "indptr: ": lambda: am.CsrMatrix(([1.0, 2.0], [0, 0], [0, 3, 2]), (2, 2)),
        "row: |row .*4": lambda: am.CsrMatrix(([1.0], ([4], [0])), (1, 1)),
    }.items():
        with pytest.raises(ValueError, match=text):
            wrong()
    for refused in (np.float16, np.longdouble, object):
        with pytest.raises(TypeError, match="there are float32"):
            am.CsrMatrix(np.eye(2).astype(refused))


def test_arithmetic_is_scipys(random, dtype):
    one, two = scattered(random, dtype, 9, 7), scattered(random, dtype, 9, 7)[::-1].copy()
    a, b = am.CsrMatrix(one), am.CsrMatrix(two)
    for ours, theirs in [
        (a + b, one + two),
        (a - b, one - two),
        (a + sparse.csr_matrix(two), one + two),
        (a * 3, one * 3),
        (np.float32(2) * a, one * 2),
        (2.5 * a, one * 2.5),
        (a / 4, one / 4),
        (-a, -one),
        (a.T, one.T),
        (a.transpose(), one.T),
        (a.conj(), one.conj()),
        (a @ b.T, one @ two.T),
        (a @ sparse.csc_matrix(two.T), one @ two.T),
    ]:
        assert isinstance(ours, am.CsrMatrix) and close(ours.toarray(), theirs)
    dense = [(a + two, one + two), (two - a, two - one), (two.T @ a, two.T @ one), (a @ two.T, one @ two.T)]
    for ours, theirs in dense:
        assert isinstance(ours, np.ndarray) and close(ours, theirs)
    assert (a * 1j).dtype.kind == "c" and (a + b.astype(np.complex128)).dtype == np.complex128
    for k in (-9, -3, 0, 2, 7):
        assert np.array_equal(a.diagonal(k), one.diagonal(k) if -9 < k < 7 else np.empty(0))
    for axis in (None, 0, 1):
        assert close(a.sum(axis), exact(one).sum(axis))
    assert a.ndim == 2 and a.nnz == np.count_nonzero(one)
    assert np.array_equal(a.data, one[one != 0]) and not a.indices.flags.writeable and a.indptr[-1] == a.nnz
    for wrong in (lambda: a + b.T, lambda: a @ b):
        with pytest.raises(ValueError, match="shapes"):
            wrong()
    for wrong in (lambda: a * b, lambda: a + 1, lambda: a / b, lambda: a * np.ones(7)):
        with pytest.raises(TypeError):
            wrong()


def test_products_have_numpys_types(random, dtype):
    dense = scattered(random, dtype, 9, 7)
    a = am.CsrMatrix(dense)
    for other in (np.float32, np.float64, np.complex64, np.complex128, np.int64, np.int8, bool):
        for shape in ((7,), (7, 3), (7, 0)):
            x = (10 * np.random.default_rng(1).random(shape)).astype(other)
            for op, matrix in (("none", dense), ("transpose", dense.T)):
                right = x if op == "none" else np.resize(x, (9, *shape[1:]))
                product = a.dot(right, op=op)
                assert product.dtype == (matrix @ right).dtype and close(product, exact(matrix) @ right.astype(complex))
    with pytest.raises(TypeError, match="x has the type float16"):
        a @ np.ones(7, np.float16)


def test_rows_and_columns_are_selected_as_numpys(random, dtype):
    dense = scattered(random, dtype, 9, 7)
    a = am.CsrMatrix(dense)
    for key in (slice(2, 5), slice(None, None, -2), [3, 3, -1], np.arange(9) % 2 == 0, slice(0, 0), slice(None), []):
        assert np.array_equal(a[key].toarray(), dense[key])
        assert np.array_equal(a[key, :].toarray(), dense[key])
        assert np.array_equal(a[key, 1:4].toarray(), dense[key][:, 1:4])
    assert np.array_equal(a[:, [5, 0, 0]].toarray(), dense[:, [5, 0, 0]])
    for i in (0, 4, -1):
        assert np.array_equal(a[i].toarray(), dense[i : i + 1 or None])
        assert a[i, 3] == dense[i, 3] and a[i, -2].dtype == dtype
    for wrong in (lambda: a[9], lambda: a[-10], lambda: a[0, 7], lambda: a[[9]], lambda: a[[[0]]]):
        with pytest.raises(IndexError):
            wrong()


def test_copies_and_pickles(random, dtype):
    a = am.CsrMatrix(scattered(random, dtype, 9, 7))
    assert copy.copy(a) is a and copy.deepcopy([a])[0] is a and a.copy() is a
    again = pickle.loads(pickle.dumps(a))
    assert again.dtype == dtype and again.shape == a.shape and np.array_equal(again.toarray(), a.toarray())
    twice = am.CsrMatrix((np.ones(3, dtype), [1, 0, 1], [0, 3]))
    assert twice.nnz == 3 and np.array_equal(twice.sorted().indices, [0, 1])
    assert np.array_equal(twice.sorted().data, [1, 2])
    assert twice[0, 1] == 2


def operators(dense):
    """The matrix in each of the forms that solvers take."""
    yield am.CsrMatrix(dense)
    yield sparse.csc_matrix(dense)
    yield dense
    yield linalg.aslinearoperator(dense)
    yield am.sparse.linalg.aslinearoperator(sparse.coo_matrix(dense))
    yield am.sparse.linalg.LinearOperator(dense.shape, lambda x: dense @ x, lambda x: dense.conj().T @ x)


@pytest.mark.parametrize("method", SQUARE)
def test_solvers_take_every_matrix_and_preconditioner(random, dtype, method):
    n = 30
    dense, solve = hermitian(random, dtype, n), getattr(am, method)
    b, tolerance = random(n), 20 * epsilon(dtype)
    expected = np.linalg.solve(exact(dense), exact(b))
    diagonal = am.sparse.linalg.LinearOperator((n, n), lambda x: x / dense.diagonal().real)
    for a in operators(dense):
        for m in (None, diagonal, np.diag(1 / dense.diagonal().real).astype(dtype), sparse.eye(n)):
            before = b.copy()
            x, info = solve(a, b, rtol=tolerance, M=m)
            assert info == 0 and x.dtype == dtype and x.shape == (n,)
            assert norm(x - expected) <= 1000 * tolerance * norm(expected)
            assert np.array_equal(b, before)
    column = solve(dense, b[:, np.newaxis], x0=expected, rtol=10 * tolerance)
    assert column.x.shape == (n,) and column.iterations == 0
    x, info = solve(dense, np.zeros(n, dtype))
    assert info == 0 and not x.any()


@pytest.mark.parametrize("method", SQUARE)
def test_callbacks_are_told_of_each_iteration(random, dtype, method):
    n = 30
    dense, solve, b = hermitian(random, dtype, n), getattr(am, method), random(n)
    for m in (None, am.sparse.linalg.LinearOperator((n, n), lambda x: x / dense.diagonal().real)):
        told = []
        options = {"callback_type": "x", "restart": 2} if method == "gmres" else {}
        found = solve(dense, b, rtol=50 * epsilon(dtype), M=m, callback=told.append, **options)
        assert found.converged and np.array_equal(told[-1], found.x)
        residuals = [norm(exact(dense) @ exact(x) - b) for x in told]
        assert residuals[-1] <= 100 * epsilon(dtype) * norm(b)
        assert len(told) == (found.iterations if method != "gmres" else -(-found.iterations // 2))
        assert found.residual == pytest.approx(residuals[-1], rel=0.9, abs=100 * epsilon(dtype) * norm(b))
        without = solve(dense, b, rtol=50 * epsilon(dtype), M=m, **{k: v for k, v in options.items() if k == "restart"})
        assert abs(without.iterations - found.iterations) <= 2
    if method == "gmres":
        told = []
        found = solve(dense, b, callback=told.append, callback_type="pr_norm")
        assert len(told) == found.iterations and told[-1] <= 1e-5
        assert told == sorted(told, reverse=True)
    with pytest.raises(ZeroDivisionError):
        solve(dense, b, callback=lambda _: 1 / 0)


def test_restarts_that_are_told_share_a_preconditioner(random, dtype):
    a = am.CsrMatrix(hermitian(random, dtype, 30))
    for m in ("ilu0", "jacobi"):
        told = []
        found = am.gmres(
            a, random(30), rtol=50 * epsilon(dtype), restart=2, M=m, callback=told.append, callback_type="x"
        )
        assert found.converged and np.array_equal(told[-1], found.x)


def test_scipys_solvers_take_our_matrices(random, dtype):
    dense = hermitian(random, dtype, 20)
    for a in (am.CsrMatrix(dense), am.sparse.linalg.LinearOperator(dense.shape, lambda x: dense @ x, dtype=dtype)):
        largest = linalg.eigsh(linalg.aslinearoperator(a), k=1, return_eigenvectors=False)
        assert largest[0] == pytest.approx(np.linalg.eigvalsh(exact(dense))[-1], rel=1e-4)


def test_nothing_is_held_after_a_solve(dtype):
    class Held(am.sparse.linalg.LinearOperator):
        pass

    def solve():
        a = Held((4, 4), lambda x: 2 * x, dtype=dtype)
        am.cg(a, np.ones(4, dtype), M=a)
        am.gmres(a, np.ones(4, dtype), callback=lambda _: None)
        return weakref.ref(a)

    gc.disable()
    try:
        assert solve()() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("method", SQUARE)
def test_info_is_scipys(random, dtype, method):
    line = 2 * np.eye(200) - np.eye(200, k=1) - np.eye(200, k=-1)
    a, solve = am.CsrMatrix(line.astype(dtype)), getattr(am, method)
    options = {"restart": 3} if method == "gmres" else {}
    found = solve(a, random(200), maxiter=4, rtol=1e-6, **options)
    assert found.info == found.iterations == (12 if method == "gmres" else 4) and found.reason == "limit"
    told = []
    found = solve(a, random(200), maxiter=4, rtol=1e-6, callback=told.append, **options)
    assert found.info == found.iterations == (12 if method == "gmres" else 4)
    if method == "cg":
        for more in ({}, {"callback": told.append}):
            x, info = solve(-a, random(200), **more)
            assert info < 0
    assert solve(a, random(200), rtol=1e30).info == 0


def test_shifts_of_minres_are_scipys(random, dtype):
    dense = hermitian(random, dtype, 20)
    b = random(20)
    for a in operators(dense):
        x, info = am.minres(a, b, shift=7.0, rtol=50 * epsilon(dtype))
        expected = np.linalg.solve(exact(dense) - 7 * np.eye(20), exact(b))
        assert info == 0 and norm(x - expected) <= 1e4 * epsilon(dtype) * norm(expected)


def test_minres_checks_that_a_matrix_is_hermitian(random, dtype):
    dense = hermitian(random, dtype, 20)
    for a in operators(dense):
        assert am.minres(a, random(20), check=True).converged
    for a in operators(np.triu(dense)):
        with pytest.raises(ValueError, match="A is not Hermitian"):
            am.minres(a, random(20), check=True)


def test_operators_multiply_and_have_adjoints(random, dtype):
    dense = scattered(random, dtype, 5, 4)
    a = am.sparse.linalg.LinearOperator((5, 4), lambda x: dense @ x, lambda x: dense.conj().T @ x)
    x, y = random(4, 3), random(5, 2)
    assert close(a @ x, exact(dense) @ exact(x)) and close(a.H @ y, exact(dense).conj().T @ exact(y))
    assert close(a.H.H.dot(x[:, 0]), exact(dense) @ exact(x[:, 0])) and a.dot(x[:, :0]).shape == (5, 0)
    for wrong in (lambda: a @ y, lambda: a.matvec(y[:, 0])):
        with pytest.raises(ValueError, match="x has the shape"):
            wrong()


@pytest.mark.parametrize("method", SQUARE[1:])
def test_indefinite_and_general_matrices(random, dtype, method):
    n = 24
    dense = np.diag(np.where(np.arange(n) % 3, 1.0, -2.0) + np.arange(n) / n).astype(dtype)
    if method != "minres":
        dense = (dense + 0.1 * scattered(random, dtype, n, n)).astype(dtype)
    b = random(n)
    expected = np.linalg.solve(exact(dense), exact(b))
    for more in ({}, {"callback": lambda x: None}):
        found = getattr(am, method)(dense, b, rtol=1e-5, maxiter=500, **more)
        assert found.converged and norm(found.x - expected) <= 1e-3 * norm(expected)


@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
def test_least_squares_are_scipys(random, dtype, method):
    ours, theirs = getattr(am, method), getattr(linalg, method)
    for shape in ((40, 12), (12, 40), (20, 20)):
        dense, b = (scattered(random, dtype, *shape) + 3 * np.eye(*shape)).astype(dtype), random(shape[0])
        for damp in (0.0, 1.5):
            # Those of the matrix with the rows of the damping below it.
            rows = np.vstack([exact(dense), damp * np.eye(shape[1])]), np.concatenate([exact(b), np.zeros(shape[1])])
            x = np.linalg.lstsq(*rows, rcond=None)[0]
            residual, damped = norm(exact(dense) @ x - exact(b)), norm(rows[0] @ x - rows[1])
            tolerance = 100 * epsilon(dtype)
            for a in operators(dense):
                found = ours(a, b, damp, atol=tolerance, btol=tolerance)
                assert norm(found[0] - x) <= 1e5 * epsilon(dtype) * norm(x)
                assert found[3] == pytest.approx(residual, rel=1e-3, abs=1e3 * epsilon(dtype) * norm(b))
                if method == "lsqr":
                    assert found[4] == pytest.approx(damped, rel=1e-3, abs=1e3 * epsilon(dtype) * norm(b))
                assert found.converged and found.istop in (1, 2) and found.x is found[0]
    found, expected = ours(dense, b, 1.5), theirs(exact(dense), exact(b), 1.5)
    assert len(found) == len(expected) and found[1] == expected[1]
    assert norm(found[0] - expected[0]) <= 1e-3 * norm(expected[0])
    for place in (-2, -3) if method == "lsqr" else (-1,):
        assert found[place] == pytest.approx(expected[place], rel=1e-3, abs=1e-3 * norm(dense) * norm(b))
    assert ours(dense, np.zeros(20, dtype))[1] == 0
    limited = ours(dense, b, atol=1e-14, btol=1e-14, **{"iter_lim" if method == "lsqr" else "maxiter": 1})
    assert limited[1] == 7 and limited[2] == 1 and not limited.converged
    if method == "lsqr":
        with pytest.raises(NotImplementedError, match="calc_var"):
            ours(dense, b, calc_var=True)


def test_exceptions_of_operators_and_callbacks_come_through(dtype):
    def fails(x):
        raise KeyError("from the operator")

    operator = am.sparse.linalg.LinearOperator((4, 4), fails, fails, dtype)
    eye, b = am.CsrMatrix(np.eye(4, dtype=dtype) * 2), np.arange(1, 5).astype(dtype)
    for method in SQUARE:
        for a, more in ((operator, {}), (eye, {"M": operator})):
            with pytest.raises(KeyError, match="from the operator"):
                getattr(am, method)(a, b, **more)
    for method in ("lsqr", "lsmr"):
        with pytest.raises(KeyError, match="from the operator"):
            getattr(am, method)(operator, b)
        with pytest.raises(NotImplementedError, match="no rmatvec"):
            getattr(am, method)(am.sparse.linalg.LinearOperator((4, 4), lambda x: x), b)
    with pytest.raises(ZeroDivisionError):
        am.gmres(eye, b, callback=lambda _: 1 / 0)
    with pytest.raises(ValueError):
        am.cg(am.sparse.linalg.LinearOperator((4, 4), lambda x: x[:3]), b)
    with pytest.raises(TypeError, match="the operator has made complex128"):
        am.cg(am.sparse.linalg.LinearOperator((4, 4), lambda x: x * np.complex128(1j), dtype=np.float64), b.real)


def test_wrong_arguments_are_told_by_their_names():
    a, b = am.CsrMatrix(np.eye(3)), np.ones(3)
    for text, wrong in {
        "A has the shape": lambda: am.cg(np.ones((3, 2)), b),
        "b has the shape": lambda: am.minres(a, np.ones(4)),
        "x0 has the shape": lambda: am.bicgstab(a, b, x0=np.ones(4)),
        "M has the shape": lambda: am.gmres(a, b, M=np.eye(4)),
        "M is 'ic0', which is made": lambda: am.cg(np.eye(3), b, M="ic0"),
        "M is 'ic0': with a callback": lambda: am.cg(a, b, M="ic0", callback=print),
        "M is 'lu'": lambda: am.cg(a, b, M="lu"),
        "rtol is nan": lambda: am.cg(a, b, rtol=np.nan),
        "atol is -1": lambda: am.cg(a, b, atol=-1),
        "maxiter is -1": lambda: am.cg(a, b, maxiter=-1),
        "restart is 100": lambda: am.gmres(a, b, restart=100),
        "callback_type is": lambda: am.gmres(a, b, callback=print, callback_type="y"),
        "damp is -1": lambda: am.lsqr(a, b, damp=-1),
        "A has 1 dimensions": lambda: am.cg(b, b),
        "A is .* not square|A has the shape": lambda: am.minres(am.CsrMatrix((3, 2)), b, shift=1),
    }.items():
        with pytest.raises(ValueError, match=text):
            wrong()
    with pytest.raises(TypeError, match="there are float32"):
        am.cg(a, b.astype(object))


def test_functions_of_sparse_matrices_are_scipys(random, dtype):
    dense = scattered(random, dtype, 9, 7)
    a, theirs = am.CsrMatrix(dense), sparse.csr_matrix(exact(dense))
    for ord in (None, "fro", 1, -1, np.inf, -np.inf):
        assert close(am.sparse.linalg.norm(a, ord), linalg.norm(theirs, ord))
    for axis in (0, 1):
        for ord in (None, 1, 2, np.inf):
            assert close(am.sparse.linalg.norm(a, ord, axis), linalg.norm(theirs, ord, axis))
    with pytest.raises(NotImplementedError, match="singular values"):
        am.sparse.linalg.norm(a, 2)
    square = dense[:7]
    for power in (0, 1, 5):
        ours = am.sparse.linalg.matrix_power(sparse.csc_matrix(square), power).toarray()
        assert close(ours, np.linalg.matrix_power(exact(square), power))
    for offset in (-3, 0, 2):
        band = am.CsrMatrix(np.eye(5, 6, k=offset, dtype=dtype))
        assert am.sparse.linalg.spbandwidth(band) == (max(-offset, 0), max(offset, 0))
        assert am.sparse.linalg.is_sptriangular(band) == (offset <= 0, offset >= 0)


def test_triangular_systems_are_the_dense_ones(random, dtype):
    dense = hermitian(random, dtype, 15)
    for b in (random(15), random(15, 3)):
        for lower in (False, True):
            triangle = np.tril(dense) if lower else np.triu(dense)
            before = b.copy()
            x = am.sparse.linalg.spsolve_triangular(am.CsrMatrix(dense), b, lower=lower)
            assert close(x, np.linalg.solve(exact(triangle), exact(b)), 1000) and np.array_equal(b, before)
            unit = triangle / 60 - np.diag(np.diagonal(triangle / 60)) + np.eye(15)
            x = am.sparse.linalg.spsolve_triangular(am.CsrMatrix(dense / 60), b, lower, unit_diagonal=True)
            assert close(x, np.linalg.solve(exact(unit), exact(b)), 1000)
    with pytest.raises(am.LinAlgError, match="element 2"):
        am.sparse.linalg.spsolve_triangular(am.CsrMatrix(np.diag([1.0, 0.0])), np.ones(2))


def test_parameters_are_scipys():
    for name in ("cg", "minres", "bicgstab", "gmres", "lsqr", "lsmr", "spsolve_triangular", "norm"):
        theirs = inspect.signature(getattr(linalg, name)).parameters
        if "rtol" not in theirs and name in SQUARE:
            continue  # before SciPy 1.12 it was tol
        ours = inspect.signature(getattr(am.sparse.linalg, name)).parameters
        own = {"atol", "btol"} if name.startswith("ls") else set()
        for parameter in set(theirs) - own:
            assert ours[parameter].default == theirs[parameter].default, (name, parameter)
