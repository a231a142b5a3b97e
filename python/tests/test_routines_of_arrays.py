"""Routines of the package on an Array: the results of NumPy's arrays, as arrays on the same device."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from conftest import epsilon, norm

import affinimath as am
from affinimath import _lazy

N = 6


def both(function, *operands, **options):
    """The results for NumPy's arrays and for arrays."""
    given = [[am.Array(part) for part in x] if isinstance(x, list) else x for x in operands]
    given = [am.Array(x) if isinstance(x, np.ndarray) else x for x in given]
    return function(*operands, **options), function(*given, **options)


def check(found, expected, scale=1e3):
    """An array of the same type and shape, with the same elements but for roundings."""
    assert type(found) is am.Array
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if expected.dtype.kind in "fc":
        assert norm(np.asarray(found) - expected) <= scale * epsilon(expected.dtype) * max(norm(expected), 1)
    else:
        np.testing.assert_array_equal(np.asarray(found), expected)


def positive(random):
    a = random(N, N)
    return a @ a.conj().T + N * np.eye(N, dtype=a.dtype)


def test_products(random):
    a, b, x, stack = random(5, 7), random(7, 3), random(7), random(2, 7, 3)
    for left, right in ((a, b), (a, x), (x, b), (x, x), (a, stack)):
        check(*reversed(both(am.matmul, left, right)))
    check(am.matmul(a, am.Array(b)), a @ b)
    for function, operands in (
        (am.linalg.outer, (x, x)), (am.linalg.inner, (a, x)), (am.linalg.tensordot, (stack, b.T)),
        (am.linalg.kron, (b, b)), (am.linalg.vecdot, (x, x)), (am.linalg.matrix_transpose, (stack,)),
        (am.linalg.cross, (random(4, 3), random(4, 3))), (am.linalg.trace, (stack,)), (am.linalg.diagonal, (stack,)),
        (am.linalg.multi_dot, ([a, b, random(3, 4)],)), (am.linalg.block_diag, (a, b)),
    ):  # fmt: skip
        options = {"axes": 1} if function is am.linalg.tensordot else {}
        check(*reversed(both(function, *operands, **options)))
    for n in (0, 1, 5, -2):
        check(*reversed(both(am.linalg.matrix_power, positive(random), n)), scale=1e4)


def test_integers_stay_integers():
    a = np.arange(6).reshape(2, 3)
    check(am.matmul(am.Array(a), a.T), a @ a.T)
    check(am.linalg.matrix_power(am.Array([[1, 1], [0, 1]]), 5), np.array([[1, 5], [0, 1]]))
    check(am.Array(a).dot(a.T), a @ a.T)


def test_gemm_writes_into_arrays(random):
    a, b, c = random(4, 5), random(5, 3), random(4, 3)
    array = am.Array(c)
    assert am.gemm(am.Array(a), b, array, alpha=2.0, beta=0.5) is array
    check(array, 2 * (a @ b) + c / 2)
    array = am.Array(np.full_like(c, np.nan))
    am.gemm(a, am.Array(b), array)
    check(array, a @ b)
    host = c.copy()
    assert am.gemm(am.Array(a), b, host) is host
    check(am.Array(host), a @ b)
    with pytest.raises(ValueError, match="fit"):
        am.gemm(am.Array(a), am.Array(a), array)


def test_systems(random):
    a, b, vector = random(N, N) + N * np.eye(N, dtype=random(1).dtype), random(N, 2), random(N)
    stack = np.stack([a, 2 * a])
    for matrix, right in ((a, b), (a, vector), (stack, b), (stack, vector), (stack, np.stack([b, b]))):
        check(*reversed(both(am.solve, matrix, right)))
    for assumed in ("lower triangular", "upper triangular", "pos", "diagonal"):
        check(*reversed(both(am.solve, positive(random) if assumed == "pos" else a, b, assume_a=assumed)))
    narrow, nan = np.triu(np.tril(a, 1), -1), a.dtype.type(np.nan)
    for matrix in (narrow, np.stack([narrow, 2 * narrow])):
        check(*reversed(both(am.solve, matrix, b)))
        # Elements beside the three diagonals are not read.
        check(*reversed(both(am.solve, np.where(np.eye(N, k=3) > 0, nan, matrix), b, assume_a="tridiagonal")))
    for below, above in ((2, 1), (0, 3), (1, 2)):
        band = np.triu(np.tril(a, above), -below)
        for matrix in (band, np.stack([band, 2 * band])):
            check(*reversed(both(am.solve, matrix, b, assume_a="banded")))
    for name in ("tridiagonal", "banded"):
        with pytest.raises(am.LinAlgError, match="singular"):
            am.solve(am.Array(0 * a), b, assume_a=name)
    check(*reversed(both(am.solve, a, b, transposed=True)))
    check(*reversed(both(am.solve, a, b, check_finite=True)))
    for part, one in zip(*both(am.solve, a, b, full_output=True)):
        check(one, part) if isinstance(part, np.ndarray) else None
    banded = np.ones((3, N), a.dtype)
    banded[1] = 4
    check(*reversed(both(lambda ab, b: am.linalg.solve_banded((1, 1), ab, b), banded, b)))
    check(am.solve(a, am.Array(b)), am.solve(a, b))
    check(*reversed(both(am.inv, stack)))
    check(*reversed(both(am.det, stack)))
    for found, expected in zip(am.slogdet(am.Array(a)), am.slogdet(a)):
        check(found, expected)
    found, expected = am.lstsq(am.Array(random(8, 3)), random(8)), 3
    assert found.rank == expected and type(found.x) is am.Array and found.s.shape == (3,)
    for trans in (0, 1, 2, "T"):
        for lower in (False, True):
            for unit in (False, True):
                options = {"trans": trans, "lower": lower, "unit_diagonal": unit}
                check(*reversed(both(am.linalg.solve_triangular, a / N if unit else a, b, **options)))
    for wrong, error in ((np.inf, ValueError), (0, am.LinAlgError)):
        spoiled = a.copy()
        spoiled[1, 1] = wrong
        with pytest.raises(error):
            am.linalg.solve_triangular(am.Array(spoiled), b)
    lu, pivots = am.linalg.lu_factor(am.Array(a))
    check(am.linalg.lu_solve((lu, pivots), b), am.solve(a, b))
    factor, lower = am.linalg.cho_factor(am.Array(positive(random)))
    assert type(factor) is am.Array and lower is False


def test_eigenvalues_and_singular_values(random):
    for shape in ((N, N), (3, N, N)):
        a = random(*shape)
        hermitian = a + a.conj().swapaxes(-1, -2)
        for uplo in "LU":
            w, v = am.linalg.eigh(am.Array(hermitian), uplo)
            check(w, np.linalg.eigvalsh(hermitian))
            check(am.linalg.eigvalsh(am.Array(hermitian), uplo), np.linalg.eigvalsh(hermitian))
            check(hermitian @ v, np.asarray(v) * np.asarray(w)[..., np.newaxis, :])
        for full in (True, False):
            wide = random(*shape[:-2], N, N + 2)
            u, s, vh = am.linalg.svd(am.Array(wide), full)
            check(s, np.linalg.svd(wide, compute_uv=False))
            check((u * s[..., np.newaxis, :]) @ vh[..., :N, :], wide)
            assert vh.shape == np.linalg.svd(wide, full)[2].shape
        check(am.linalg.svdvals(am.Array(wide)), np.linalg.svd(wide, compute_uv=False))
        check(am.linalg.svd(am.Array(wide), compute_uv=False), np.linalg.svd(wide, compute_uv=False))
        # A column twice: the rank is lower by one in the other direction.
        tall = random(*shape[:-1], N + 2)[..., :3, :].swapaxes(-1, -2).copy()
        tall[..., 2] = tall[..., 0]
        check(am.linalg.pinv(am.Array(tall), 1e-3), np.linalg.pinv(tall, 1e-3))
        check(am.linalg.pinv(am.Array(wide), rtol=None), np.linalg.pinv(wide))
        rank = am.linalg.matrix_rank(am.Array(tall), rtol=1e-3)
        assert type(rank) is am.Array and np.array_equal(rank, np.full(shape[:-2], 2))
        assert np.array_equal(am.linalg.matrix_rank(am.Array(tall), 1e-3), rank)
    one = hermitian[0]
    check(am.linalg.eigvalsh(am.Array(one), subset_by_index=(0, 1)), np.linalg.eigvalsh(one)[:2])
    spoiled = hermitian.copy()
    spoiled[1, 1, 1] = np.nan
    for function in (am.linalg.eigh, am.linalg.eigvalsh, am.linalg.svd, am.linalg.svdvals):
        for matrix in (spoiled, spoiled[1]):
            with pytest.raises(am.LinAlgError):
                function(am.Array(matrix))
    for wrong in (lambda: am.linalg.eigh(am.Array(random(2, 3))), lambda: am.linalg.svd(am.Array(random(3)))):
        with pytest.raises(am.LinAlgError):
            wrong()
    with pytest.raises(ValueError, match="UPLO is 'X'"):
        am.linalg.eigh(am.Array(one), "X")


def test_factors(random):
    a, spd = random(N + 2, N), positive(random)
    for name, matrix in (("lu", a), ("qr", a)):
        function = getattr(am, name)
        expected, found = both(function, matrix)
        assert len(found) == len(expected)
        for part, one in zip(found, expected):
            check(part, one)
        check(found[1], expected[1])
        assert repr(found) == repr(expected)
    factors = pickle.loads(pickle.dumps(am.cholesky(am.Array(spd))))
    check(factors.l, np.linalg.cholesky(spd))
    b = random(N)
    check(factors.solve(am.Array(b)), am.cholesky(spd).solve(b))
    check(am.Array(np.asarray(factors)), np.linalg.cholesky(spd))
    check(*reversed(both(am.linalg.cholesky, spd, upper=True)))
    for mode in ("reduced", "complete"):
        for part, one in zip(*both(am.linalg.qr, a, mode=mode)):
            check(one, part)
    check(*reversed(both(am.linalg.qr, a, mode="r")))
    for part, one in zip(*both(am.linalg.lu, a)):
        check(one, part)


def download_nothing_large(patch, limit):
    """Downloads of as many elements at most."""
    download = _lazy.download

    def small(handle, dtype, shape):
        assert int(np.prod(shape)) <= limit, f"elements of shape {shape} come to the host"
        return download(handle, dtype, shape)

    patch.setattr(_lazy, "download", small)


def test_factors_stay_where_they_lie(random, dtype, monkeypatch):
    n = 12
    a, b, vector = random(n, n), random(n, 3), random(n)
    spd = a @ a.conj().T + n * np.eye(n, dtype=dtype)
    tall = random(n, 5)
    arrays = {name: am.Array(x) for name, x in {"a": a, "b": b, "v": vector, "spd": spd, "tall": tall}.items()}
    found = {}
    with monkeypatch.context() as patch:
        download_nothing_large(patch, n)
        for name, factors in (
            ("lu", am.lu(arrays["a"])), ("cholesky", am.cholesky(arrays["spd"])),
            ("upper", am.cholesky(arrays["spd"], upper=True)), ("qr", am.qr(arrays["a"])),
        ):  # fmt: skip
            for right in ("b", "v"):
                found[name, right] = factors.solve(arrays[right])
            found[name, "inv"], found[name, "det"] = factors.inv(), factors.det()
            found[name, "sign"], found[name, "log"] = factors.slogdet()
        lu = am.lu(arrays["a"])
        found["lu", "transposed"] = lu.solve(arrays["b"], transposed=True)
        found["tall", "v"] = am.qr(arrays["tall"]).solve(arrays["v"])
        tall_lu = am.lu(arrays["tall"])
        found["plu"] = tall_lu.p @ tall_lu.l @ tall_lu.u
        packed = am.linalg.lu_factor(arrays["a"])
        for trans in (0, 1, 2):
            found["lu_solve", trans] = am.linalg.lu_solve(packed, arrays["b"], trans)
        for lower in (False, True):
            factor = am.linalg.cho_factor(arrays["spd"], lower)
            found["cho_solve", lower] = am.linalg.cho_solve(factor, arrays["v"])
            found["cho", lower] = factor[0]
        found["p_indices"] = am.linalg.lu(arrays["a"], p_indices=True)
        found["permute_l"] = am.linalg.lu(arrays["a"], permute_l=True)
        found["slogdet"] = am.slogdet(arrays["a"])
        am.inv(arrays["a"], check_finite=True)
    host = am.lu(a)
    for name, factors in (("lu", host), ("cholesky", am.cholesky(spd)), ("upper", am.cholesky(spd)), ("qr", host)):
        for right, x in (("b", b), ("v", vector)):
            check(found[name, right], factors.solve(x), scale=1e5)
        check(found[name, "inv"], factors.inv(), scale=1e5)
        check(found[name, "det"], factors.det(), scale=1e4)
        for part, one in zip((found[name, "sign"], found[name, "log"]), factors.slogdet()):
            check(part, one, scale=1e4)
    check(found["lu", "transposed"], host.solve(b, transposed=True), scale=1e5)
    check(found["tall", "v"], am.qr(tall).solve(vector), scale=1e4)
    check(found["plu"], tall)
    for trans in (0, 1, 2):
        check(found["lu_solve", trans], am.linalg.lu_solve(am.linalg.lu_factor(a), b, trans), scale=1e5)
    for lower in (False, True):
        check(found["cho_solve", lower], am.cholesky(spd).solve(vector), scale=1e4)
        check(found["cho", lower], am.linalg.cho_factor(spd, lower)[0])
    check(packed[0], am.linalg.lu_factor(a)[0], scale=1e4)
    assert np.array_equal(packed[1].numpy(), am.linalg.lu_factor(a)[1])
    for key in ("p_indices", "permute_l"):
        for part, one in zip(found[key], am.linalg.lu(a, **{key: True})):
            check(part, one, scale=1e4)
    for part, one in zip(found["slogdet"], am.slogdet(a)):
        check(part, one, scale=1e4)


def test_factors_of_stacks(random, dtype):
    stack, b = random(2, 3, 4, 4) + 4 * np.eye(4, dtype=dtype), random(2, 3, 4, 2)
    spd = stack @ stack.conj().swapaxes(-1, -2)
    for function, a in ((am.lu, stack), (am.cholesky, spd), (am.qr, stack)):
        host, found = both(function, a)
        for right in (b, b[0, 0], random(4)):
            check(found.solve(right), host.solve(right), scale=1e4)
        check(found.inv(), host.inv(), scale=1e4)
        check(found.det(), host.det(), scale=1e4)
        assert repr(found) == repr(host)
    factors = am.lu(am.Array(stack))
    check(factors.p @ factors.l @ factors.u, stack)
    check(factors.solve(b, transposed=True), am.lu(stack).solve(b, transposed=True), scale=1e4)
    assert np.array_equal(factors.pivots.numpy(), am.lu(stack).pivots)
    check(factors.factors, am.lu(stack).factors)
    wide = am.lu(am.Array(random(3, 5)))
    assert wide.factors.shape == (3, 5) and wide.pivots.shape == (3,)


def test_factors_report_what_is_wrong():
    singular = np.ones((3, 3))
    for function, name in ((am.lu, "singular"), (am.qr, "singular")):
        factors = function(am.Array(singular))
        if function is am.lu:
            with pytest.raises(am.LinAlgError, match="pivot 2 of 3 is zero"):
                factors.solve(np.ones(3))
            with pytest.raises(am.LinAlgError, match=name):
                factors.inv()
            assert float(factors.det()) == 0 and float(factors.slogdet()[1]) == -np.inf
        with pytest.raises(ValueError, match="equations"):
            function(am.Array(np.eye(3))).solve(np.ones(4))
    for wrong in (am.Array(np.ones((2, 3))), am.Array(np.ones(3))):
        with pytest.raises(am.LinAlgError):
            am.cholesky(wrong)
    for function in (am.lu, am.qr, am.linalg.lu, am.linalg.lu_factor):
        with pytest.raises(am.LinAlgError):
            function(am.Array(np.ones(3)))
    spoiled = am.Array([[np.nan, 1.0], [1.0, 1.0]])
    for function in (am.linalg.lu, am.linalg.lu_factor, am.linalg.cho_factor):
        with pytest.raises(ValueError, match="NaN"):
            function(spoiled)
    with pytest.raises(ValueError, match="NaN"):
        am.inv(spoiled, check_finite=True)
    with pytest.raises(ValueError, match="not square"):
        am.lu(am.Array(np.ones((2, 3)))).det()
    with pytest.raises(ValueError, match="more columns"):
        am.qr(am.Array(np.ones((2, 3)))).solve(np.ones(2))


def test_lists_of_arrays_are_matrices():
    rows, a = [am.Array([2.0, 1.0]), am.Array([1.0, 3.0])], np.array([[2.0, 1.0], [1.0, 3.0]])
    for function in (am.inv, am.det, am.linalg.cholesky, am.linalg.trace, lambda a: am.linalg.matrix_power(a, 3),
                     lambda a: am.lu(a).u, lambda a: am.linalg.qr(a).R, am.linalg.norm):  # fmt: skip
        check(function(rows), function(a))


def test_norms(random):
    a = random(4, 5)
    for order, axis in ((None, None), (None, 0), ("fro", None), (1, None), (-1, None), (np.inf, None),
                        (-np.inf, (1, 0)), (2, 1), (3, 0), (0, -1), (np.inf, 1)):  # fmt: skip
        for keepdims in (False, True):
            check(*reversed(both(am.linalg.norm, a, order, axis, keepdims)))
    check(*reversed(both(am.linalg.vector_norm, a, axis=1, ord=1.5)))
    check(*reversed(both(am.linalg.matrix_norm, np.stack([a, a]), ord=1)))
    check(*reversed(both(am.linalg.cond, random(4, 4), 1)), scale=1e5)
    for order in ("nuc", 2, -2):
        check(*reversed(both(am.linalg.norm, a, order)))


@pytest.mark.parametrize(
    "options", [{}, {"norm": "ortho"}, {"norm": "forward"}, {"n": 4}, {"n": 9}, {"axis": 0}], ids=str
)
def test_transforms_along_an_axis(random, options):
    x = random(5, 6)
    real = x.real.copy()
    for name in ("fft", "ifft", "irfft", "hfft"):
        check(*reversed(both(getattr(am.fft, name), x, **options)))
    for name in ("rfft", "ihfft", "dct", "dst", "idct", "idst"):
        check(*reversed(both(getattr(am.fft, name), real, **options)))
    check(am.fft(am.Array(x)), am.fft.fft(x))
    check(*reversed(both(am.fft.fft, np.arange(6), **{k: v for k, v in options.items() if k != "axis"})))


@pytest.mark.parametrize(
    "options", [{}, {"norm": "ortho"}, {"s": (3, 7)}, {"axes": (0, 2)}, {"s": (4, 4), "axes": (1, 0)}], ids=str
)
def test_transforms_along_axes(random, options):
    x = random(3, 4, 5)
    real = x.real.copy()
    for name in ("fftn", "ifftn", "irfftn", "fft2", "ifft2", "irfft2", "hfftn"):
        check(*reversed(both(getattr(am.fft, name), x, **options)))
    for name in ("rfftn", "rfft2", "dctn", "ihfft2"):
        check(*reversed(both(getattr(am.fft, name), real, **options)))
    check(*reversed(both(am.fft.fftshift, x)))
    check(*reversed(both(am.fft.ifftshift, x, axes=1)))


def test_convolutions(random):
    check(*reversed(both(am.convolve, random(9), random(4))))
    check(*reversed(both(am.correlate, random(9, 8), random(4, 3), mode="same")))


def test_sparse_matrices(random, dtype):
    dense = np.where(np.abs(random(N, N)) > 0.7, random(N, N), 0).astype(dtype) + 8 * np.eye(N, dtype=dtype)
    a, x, columns = am.CsrMatrix(dense), random(N), random(N, 3)
    check(a @ am.Array(x), dense @ x)
    check(a.dot(am.Array(columns)), dense @ columns)
    check(am.Array(x) @ a, x @ dense)
    check(am.sparse.linalg.aslinearoperator(dense).matvec(am.Array(x)), dense @ x)
    check(a + am.Array(dense), 2 * dense)
    check(am.Array(dense) - a, 0 * dense)
    spd = am.CsrMatrix(positive(random))
    for name in ("cg", "minres", "bicgstab", "gmres"):
        found = getattr(am, name)(spd, am.Array(x), rtol=1e-4)
        solution, info = found
        assert info == 0 and found.converged and type(found.x) is am.Array
        check(solution, getattr(am, name)(spd, x, rtol=1e-4).x)
    found = am.lsqr(spd, am.Array(x))
    assert type(found.x) is am.Array and type(found[0]) is am.Array and isinstance(found.residual, float)


def test_errors_come_at_once():
    singular = am.Array(np.ones((2, 2)))
    for function in (
        am.inv,
        lambda a: am.solve(a, np.ones(2)),
        am.linalg.inv,
        lambda a: am.solve(a, am.Array([1.0, 2.0])),
    ):
        with pytest.raises(am.LinAlgError, match=r"singular: pivot . (of 2 is zero|is exactly zero)$"):
            function(singular)
    with pytest.raises(am.LinAlgError):
        am.cholesky(am.Array(-np.eye(2)))
    for wrong in (lambda: am.inv(am.Array(np.ones((2, 3)))), lambda: am.solve(singular, am.Array(np.ones(3)))):
        with pytest.raises(am.LinAlgError):
            wrong()
    with pytest.raises(TypeError, match="out"):
        am.linalg.multi_dot([singular, singular], out=am.Array(np.ones((2, 2))))
    with pytest.raises(ValueError):
        am.fft.fft(singular, n=0)


def test_routines_stay_functions():
    for module in (am, am.linalg, am.fft, am.sparse.linalg):
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function):
                assert pickle.loads(pickle.dumps(function)) is function
                assert function.__name__ == name and inspect.signature(function)


def test_numpys_arrays_give_numpys(random):
    a = random(3, 3)
    for result in (am.matmul(a, a), am.inv(a), am.fft.fft(a), am.solve(a, a), am.linalg.norm(a), am.linalg.qr(a).Q):
        assert isinstance(result, (np.ndarray, np.generic))
