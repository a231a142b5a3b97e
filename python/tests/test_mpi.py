"""Distributed functions, on the ranks of `mpirun -np N python3 -m pytest tests/test_mpi.py`."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import epsilon

import affinimath as am

try:
    from mpi4py import MPI

    import affinimath.mpi as ampi
except ImportError as error:
    pytest.skip(f"mpi4py or libaffinimath_mpi.so is missing: {error}", allow_module_level=True)

COMM = MPI.COMM_WORLD
SHAPES = [(p, COMM.size // p) for p in range(1, COMM.size + 1) if COMM.size % p == 0]


@pytest.fixture(params=SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
def grid(request):
    """Each grid of all ranks."""
    with ampi.Grid(COMM, *request.param) as made:
        yield made


@pytest.fixture
def line():
    """The grid of one row for each rank."""
    with ampi.Grid(COMM, COMM.size, 1) as made:
        yield made


def dist(grid, array, blocks=(4, 3)):
    """The matrix of an array that all ranks have."""
    return ampi.DistMatrix.from_function(grid, lambda i, j: array[i, j], array.shape, array.dtype, blocks)


def whole(matrix):
    """The array of a matrix, on all ranks."""
    return COMM.bcast(matrix.gather())


def spread(grid, array, starts=None):
    """The vector of an array that all ranks have."""
    return ampi.DistVector.from_function(grid, lambda i: array[i], array.size, array.dtype, starts)


def collected(vector):
    """The array of a vector, on all ranks."""
    return COMM.bcast(vector.gather())


def uneven(length):
    """Ranges of which the first one is empty where there are several."""
    starts = [0] + [length * rank * rank // COMM.size**2 for rank in range(1, COMM.size)] + [length]
    return tuple([0, 0, *starts[2:]] if COMM.size > 1 else starts)


class TestGrid:
    def test_is_as_near_to_a_square_as_it_can_be(self):
        with ampi.Grid() as grid:
            assert grid.rows * grid.columns == grid.size == COMM.size
            assert grid.rows <= grid.columns
            assert (grid.row * grid.columns + grid.column, grid.rank) == (COMM.rank, COMM.rank)
            assert f"{grid.rows} x {grid.columns}" in repr(grid)
        with ampi.Grid(columns=1) as grid:
            assert (grid.rows, grid.columns) == (COMM.size, 1)

    def test_of_another_number_of_ranks_is_refused(self):
        with pytest.raises(am.InvalidArgumentError, match="is not the number of ranks"):
            ampi.Grid(COMM, COMM.size + 1, 1)

    def test_closed_refuses_calls_and_ends_what_was_made_with_it(self):
        grid = ampi.Grid(COMM, COMM.size, 1)
        matrix = ampi.DistMatrix.zeros(grid, (4, 4))
        plan = ampi.DistFft(grid, (4, 4))
        sparse = ampi.DistCsr.from_entries(grid, [1.0], [0], [0], (4, 4))
        preconditioned = ampi.DistCsr.from_entries(grid, [1.0] * 4, range(4), range(4), (4, 4))
        preconditioner = ampi.Preconditioner(preconditioned, "jacobi")
        grid.close()
        grid.close()
        assert "closed" in repr(grid)
        for call in (
            matrix.norm,
            lambda: plan.forward(np.zeros(plan.shape(False))),
            lambda: sparse.handle,
            lambda: preconditioner.handle,
        ):
            with pytest.raises(ValueError, match="the grid is closed"):
                call()

    def test_works_on_after_ranks_have_disagreed(self, grid):
        a = ampi.DistMatrix.zeros(grid, (4, 4))
        if COMM.size > 1:
            with pytest.raises(ampi.RankError, match="norm is") as caught:
                a.norm(1 if COMM.rank == 0 else "max")
            assert caught.value.status == -1101
            with pytest.raises(ampi.RankError, match="calls"):
                a.norm() if COMM.rank == 0 else ampi.cholesky(a)
        assert grid.failure is None and a.norm() == 0

    @pytest.mark.skipif(COMM.size > 1, reason="MPI cannot be finalised after a failure on several ranks")
    def test_that_has_failed_tells_why(self):
        with pytest.raises(ampi.RankError, match="no more"):
            ampi.Grid().fail("no more")
        grid = ampi.Grid()
        with pytest.raises(ampi.RankError):
            grid.fail("no more")
        assert "no more" in grid.failure
        with pytest.raises(ampi.RankError, match="no more"):
            ampi.DistMatrix.zeros(grid, (2, 2)).norm()


class TestMatrix:
    def test_is_scattered_and_gathered(self, grid, dtype, random):
        array = random(11, 7)
        for root in {0, COMM.size - 1}:
            a = ampi.DistMatrix.scatter(grid, array if COMM.rank == root else None, root, (2, 3))
            rows, columns = a.indices
            assert a.dtype == dtype and a.local.shape == a.local_shape
            assert np.array_equal(a.local, array[np.ix_(rows, columns)])
            gathered = a.gather(root)
            assert (gathered is None) == (COMM.rank != root)
            if COMM.rank == root:
                assert np.array_equal(gathered, array)
        assert ampi.DistMatrix.scatter(grid, np.arange(3)).shape == (3, 1)
        assert np.array_equal(whole(dist(grid, array).redistribute((5, 1))), array)

    def test_that_is_none_is_an_error_on_all_ranks(self, grid):
        with pytest.raises(ValueError, match="has 3 axes"):
            ampi.DistMatrix.scatter(grid, np.zeros((2, 2, 2)) if COMM.rank == 0 else None)
        with pytest.raises(TypeError, match="float16"):
            ampi.DistMatrix.scatter(grid, np.zeros((2, 2), np.float16) if COMM.rank == 0 else None)
        with pytest.raises(ValueError, match="local has the shape"):
            ampi.DistMatrix(grid, np.zeros((9, 9)), (3, 3))
        with pytest.raises(ValueError, match="blocks are"):
            ampi.DistMatrix.zeros(grid, (3, 3), blocks=0)
        with pytest.raises(ValueError, match="source is"):
            ampi.DistMatrix.zeros(grid, (3, 3), source=(grid.rows, 0))

    def test_local_is_a_view(self, grid):
        a = ampi.DistMatrix.zeros(grid, (6, 6), np.float32, 2)
        local = np.full(a.local_shape, 2, np.float32, "F")
        b = ampi.DistMatrix.from_local(grid, local, (6, 6), 2)
        assert b.local is local
        b.local[...] = 3
        assert b.norm("max") == 3
        assert a.norm() == 0
        b.local = np.zeros((1, 1, 1))
        with pytest.raises(ValueError, match="no longer an array by columns"):
            b.norm()

    def test_has_numpys_norms(self, grid, dtype, random):
        array = random(9, 13)
        a = dist(grid, array)
        for ord in ("fro", 1, np.inf):
            assert np.isclose(a.norm(ord), np.linalg.norm(array, ord), rtol=20 * epsilon(dtype))
        assert np.isclose(a.norm("max"), np.abs(array).max())
        with pytest.raises(ValueError, match="ord is 2"):
            a.norm(2)

    def test_products_are_numpys(self, grid, dtype, random):
        a, b, c = random(9, 5), random(5, 11), random(9, 11)
        tolerance = 100 * epsilon(dtype)
        da, db, dc = dist(grid, a), dist(grid, b, (2, 4)), dist(grid, c, (3, 3))
        product = da @ db
        assert product.shape == (9, 11) and product.dtype == dtype
        assert np.allclose(whole(product), a @ b, atol=tolerance)
        assert np.allclose(whole(db.T @ da.T), b.T @ a.T, atol=tolerance)
        assert np.allclose(whole(da.H @ dc), a.conj().T @ c, atol=tolerance)
        assert np.allclose(whole(dc @ db.H), c @ b.conj().T, atol=tolerance)
        assert np.allclose(whole(da.T.copy()), a.T)
        assert np.allclose(whole(da.H.copy((2, 2))), a.conj().T)
        assert np.allclose(whole(da.H.T), a.conj()) and da.T.T is da and da.H.H is da
        again = ampi.gemm(2, da, db, -1, dc)
        assert again is dc
        assert np.allclose(whole(dc), 2 * (a @ b) - c, atol=2 * tolerance)
        with pytest.raises(ValueError, match="a has 5 columns, and b 9 rows"):
            da @ da
        assert (da + da).norm() == 2 * da.norm()
        assert np.array_equal(whole((da * 2 - da) / 2), (a * 2 - a) / 2)
        assert np.array_equal(whole(-np.float32(2) * da), -2 * a)
        assert np.array_equal(whole(da - da.redistribute(1)), 0 * a)
        with pytest.raises(TypeError):
            da + 1

    def test_of_two_grids_are_refused(self, grid):
        a = ampi.DistMatrix.zeros(grid, (4, 4))
        with ampi.Grid() as other:
            b = ampi.DistMatrix.zeros(other, (4, 4))
            x, y = (ampi.DistVector.zeros(one, 4) for one in (grid, other))
            sparse = ampi.DistCsr.from_entries(grid, [], [], [], (4, 4))
            calls = [
                lambda: a @ b,
                lambda: a + b,
                lambda: ampi.gemm(1, a, a, 0, b),
                lambda: ampi.solve(a, b),
                lambda: ampi.qr(a).multiply_q(b),
                lambda: x + y,
                lambda: sparse @ y,
                lambda: ampi.cg(sparse, y),
            ]
            for call in calls:
                with pytest.raises(ValueError, match="another grid|ranges or grids"):
                    call()

    def test_types_are_promoted(self, grid):
        a = dist(grid, np.arange(6, dtype=np.float32).reshape(2, 3))
        b = dist(grid, np.ones((3, 2), np.complex128))
        assert (a @ b).dtype == np.complex128
        assert ampi.DistMatrix.zeros(grid, (2, 2), int).dtype == np.float64
        with pytest.raises(TypeError, match="is complex"):
            ampi.gemm(1j, a, a.T)


class TestFactors:
    def test_solve_systems(self, grid, dtype, random):
        n = 30
        a, b = random(n, n), random(n, 3)
        tolerance = 3e4 * epsilon(dtype)
        da, db = dist(grid, a, 4), dist(grid, b, 4)
        x = ampi.solve(da, db)
        assert np.allclose(whole(x), np.linalg.solve(a, b), atol=tolerance, rtol=tolerance)
        assert np.array_equal(whole(da), a) and np.array_equal(whole(db), b)
        factors = ampi.lu(da)
        assert np.allclose(whole(factors.solve(db)), whole(x), atol=tolerance, rtol=tolerance)
        adjoint = whole(factors.solve(db, op="adjoint"))
        assert np.allclose(a.conj().T @ adjoint, b, atol=tolerance * np.abs(adjoint).max())
        l, u = whole(factors.l), whole(factors.u)
        assert np.allclose(l @ u, a[factors.permutation], atol=200 * epsilon(dtype))
        positive = a @ a.conj().T + n * np.eye(n, dtype=dtype)
        definite = dist(grid, positive.astype(dtype), 4)
        expected = np.linalg.solve(positive, b)
        assert np.allclose(whole(ampi.solve(definite, db, assume_a="pos")), expected, atol=tolerance)
        for upper in (False, True):
            factor = ampi.cholesky(definite, upper=upper)
            l, u = whole(factor.l), whole(factor.u)
            assert np.allclose(l @ u, positive, atol=3000 * epsilon(dtype))
            assert np.allclose(l, np.tril(l)) and np.allclose(l.conj().T, u)
            assert np.allclose(whole(factor.solve(db)), expected, atol=tolerance)
        overwritten = definite.copy()
        assert ampi.cholesky(overwritten, overwrite_a=True).factor is overwritten

    def test_of_rectangular_matrices(self, grid, dtype, random):
        tolerance = 500 * epsilon(dtype)
        for m, n in ((17, 9), (9, 17)):
            a = random(m, n)
            da = dist(grid, a, 4)
            factors = ampi.lu(da)
            assert np.allclose(whole(factors.l) @ whole(factors.u), a[factors.permutation], atol=tolerance)
            found = ampi.qr(da)
            q, r = map(whole, found)
            assert q.shape == (m, min(m, n)) and r.shape == (min(m, n), n)
            assert np.allclose(q @ r, a, atol=tolerance) and np.allclose(r, np.triu(r))
            assert np.allclose(q.conj().T @ q, np.eye(min(m, n)), atol=tolerance)
            c = random(m, 4)
            product = whole(found.multiply_q(dist(grid, c, (2, 3)), op="adjoint"))[: min(m, n)]
            assert np.allclose(product, q.conj().T @ c, atol=tolerance)
            if m > n:
                x = whole(found.solve(dist(grid, c, (3, 2))))
                expected = np.linalg.lstsq(a, c, rcond=None)[0]
                assert np.allclose(x, expected, atol=20 * tolerance, rtol=20 * tolerance)
            else:
                with pytest.raises(ValueError, match="more columns than rows"):
                    found.solve(dist(grid, c))

    def test_that_fail(self, grid):
        zeros, b = ampi.DistMatrix.zeros(grid, (4, 4), blocks=2), ampi.DistMatrix.zeros(grid, (4, 1), blocks=2)
        with pytest.raises(am.LinAlgError, match="singular: pivot 1"):
            ampi.solve(zeros, b)
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            ampi.lu(zeros).solve(b)
        with pytest.raises(am.LinAlgError, match="not positive definite"):
            ampi.cholesky(zeros)
        with pytest.raises(am.LinAlgError, match="full rank"):
            ampi.qr(zeros).solve(b)
        with pytest.raises(ValueError, match="should be square"):
            ampi.solve(b, b)
        with pytest.raises(ValueError, match="b has 4 rows, and a 2"):
            ampi.solve(ampi.DistMatrix.zeros(grid, (2, 2)), b)
        with pytest.raises(ValueError, match="assume_a is 'band'"):
            ampi.solve(zeros, b, assume_a="band")


class TestVector:
    def test_is_spread_and_gathered(self, line, dtype, random):
        array, other = random(23), random(23)
        for starts in (None, uneven(23)):
            x = ampi.DistVector.scatter(line, array if COMM.rank == 0 else None, starts=starts)
            y = spread(line, other, x.starts)
            assert x.dtype == dtype and len(x) == 23 and x.shape == (23,)
            assert np.array_equal(x.local, array[x.start : x.stop])
            assert np.array_equal(collected(x), array)
            assert np.isclose(x.norm(), np.linalg.norm(array), rtol=1e-5)
            assert np.isclose(x.vdot(y), np.vdot(array, other), rtol=1e-4, atol=1e-4)
            assert np.array_equal(collected((x + y) * 2 - x / 2), (array + other) * 2 - array / 2)
            assert np.array_equal(collected(np.float32(2) * -x), -2 * array)
        assert ampi.DistVector.from_local(line, np.ones(COMM.rank)).length == COMM.size * (COMM.size - 1) // 2
        if COMM.size > 1:
            with pytest.raises(ValueError, match="different ranges"):
                spread(line, array) + spread(line, array, uneven(23))
        with pytest.raises(ValueError, match="has 2 axes"):
            ampi.DistVector.scatter(line, np.ones((2, 2)) if COMM.rank == 0 else None)
        with pytest.raises(ValueError, match="local has"):
            ampi.DistVector(line, np.ones(40), tuple(range(COMM.size + 1)))


def laplace(dtype, n=40, hermitian=True):
    """A matrix of three diagonals, and with far entries where it is not Hermitian."""
    off = -1 + (0.25j if np.dtype(dtype).kind == "c" else 0)
    a = 3 * np.eye(n) + off * np.eye(n, k=1) + np.conj(off) * np.eye(n, k=-1)
    return (a if hermitian else a + 0.5 * np.eye(n, k=7)).astype(dtype)


class TestCsr:
    def test_products_are_those_of_the_rows(self, line, dtype, random):
        sparse = pytest.importorskip("scipy.sparse")
        array = laplace(dtype, hermitian=False)
        starts = uneven(40)
        own = slice(starts[COMM.rank], starts[COMM.rank + 1])
        x, before = random(40), random(40)
        for rows in (sparse.csr_matrix(array[own]), array[own], sparse.coo_matrix(array[own])):
            a = ampi.DistCsr.from_rows(line, rows)
            assert a.shape == (40, 40) and a.nnz == np.count_nonzero(array) and a.dtype == dtype
            assert a.row_starts == a.column_starts == starts
            tolerance = 50 * epsilon(dtype)
            dx, out = spread(line, x, starts), spread(line, before, starts)
            assert np.allclose(collected(a @ dx), array @ x, atol=tolerance)
            assert np.allclose(collected(a.T @ dx), array.T @ x, atol=tolerance)
            assert np.allclose(collected(a.H @ dx), array.conj().T @ x, atol=tolerance)
            assert np.allclose(collected(a.rmatvec(dx)), array.conj().T @ x, atol=tolerance)
            assert a.dot(dx, alpha=2, beta=-1, out=out) is out
            assert np.allclose(collected(out), 2 * (array @ x) - before, atol=2 * tolerance)
        dx.local = np.zeros(99, dtype)
        with pytest.raises(ValueError, match="local is no longer"):
            a @ dx
        with pytest.raises(ValueError, match="op is 'none at all'"):
            a.dot(dx, op="none at all")
        if COMM.size > 1:
            with pytest.raises(ValueError, match="x has 40 elements or other ranges"):
                a @ spread(line, x)

    def test_of_wide_and_of_rectangular_rows(self, line):
        array = np.arange(24.0).reshape(4, 6) % 5
        starts = uneven(4)
        rows = array[starts[COMM.rank] : starts[COMM.rank + 1]]
        a = ampi.DistCsr.from_rows(line, am.CsrMatrix(rows) if rows.size else rows)
        x = spread(line, np.arange(6.0))
        assert a.shape == (4, 6) and a.T.shape == (6, 4)
        assert np.array_equal(collected(a @ x), array @ np.arange(6.0))
        assert np.array_equal(collected(a.T @ spread(line, np.ones(4), starts)), array.T @ np.ones(4))
        with pytest.raises(ValueError, match="is not less than"):
            indptr, indices = np.array([0, 1]), np.array([9])
            ampi.DistCsr.from_rows(line, Rows(indptr, indices, np.ones(1), (1, 3)))
        if COMM.size > 1:
            with pytest.raises(ValueError, match="ranks have rows of"):
                ampi.DistCsr.from_rows(line, np.ones((1, 3 + (COMM.rank == 0))))
            with pytest.raises(ValueError, match="rows have 1 axes"):
                ampi.DistCsr.from_rows(line, np.ones(3) if COMM.rank == 0 else np.ones((1, 3)))

    def test_adds_the_entries_of_all_ranks(self, line, dtype):
        n = 10
        rows, columns = np.nonzero(laplace(dtype, n))
        values = laplace(dtype, n)[rows, columns]
        a = ampi.DistCsr.from_entries(line, values, rows, columns, (n, n))
        assert a.nnz == values.size
        x = spread(line, np.arange(n).astype(dtype))
        expected = COMM.size * (laplace(dtype, n) @ np.arange(n))
        assert np.allclose(collected(a @ x), expected, atol=200 * epsilon(dtype))
        with pytest.raises(ValueError, match="row: 10 is not less than 10"):
            ampi.DistCsr.from_entries(line, [1.0], [10], [0], (n, n))
        with pytest.raises(ValueError, match="have the shapes"):
            ampi.DistCsr.from_entries(line, [1.0], [1, 2], [0], (n, n))

    def test_reads_a_matrix_market_file(self, line, tmp_path):
        path = COMM.bcast(tmp_path / "matrix.mtx")
        if COMM.rank == 0:
            path.write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n2 1 -1\n3 3 5\n")
        COMM.Barrier()
        a = ampi.DistCsr.read_matrix_market(line, path, np.float32)
        assert a.shape == (3, 3) and a.nnz == 4 and a.dtype == np.float32
        assert np.array_equal(collected(a @ spread(line, np.ones(3, np.float32))), [1, -1, 5])
        COMM.Barrier()
        if COMM.rank == 0:
            path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n")
        COMM.Barrier()
        with pytest.raises(ValueError, match="path: line 3"):
            ampi.DistCsr.read_matrix_market(line, path)
        with pytest.raises(ValueError, match="nowhere.mtx"):
            ampi.DistCsr.read_matrix_market(line, "/nowhere.mtx")


class Rows:
    """The arrays of rows, as SciPy's matrices have them."""

    def __init__(self, indptr, indices, data, shape):
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, shape

    def tocsr(self):
        return self


class TestSolvers:
    @pytest.mark.parametrize("solver", ["cg", "minres", "bicgstab", "gmres"])
    @pytest.mark.parametrize("m", [None, "jacobi", "block-jacobi", "incomplete"])
    def test_solve(self, line, dtype, random, solver, m):
        hermitian = solver in ("cg", "minres")
        if m == "incomplete":
            m = "ic0" if hermitian else "ilu0"
        array, x = laplace(dtype, hermitian=hermitian), random(40)
        starts = uneven(40)
        a = ampi.DistCsr.from_rows(line, array[starts[COMM.rank] : starts[COMM.rank + 1]])
        b = spread(line, array @ x, starts)
        found = getattr(ampi, solver)(a, b, rtol=1e-5, M=m)
        solution, info = found
        assert info == 0 and found.converged and found.reason == "converged" and solution is found.x
        assert 0 < found.iterations < 40 and found.relative_residual <= 2e-5
        assert np.allclose(collected(solution), x, atol=1e-3)
        again = getattr(ampi, solver)(a, b, solution, rtol=3e-5, M=m and ampi.Preconditioner(a, m))
        assert again.iterations == 0
        if m is None:
            limited = getattr(ampi, solver)(a, b, maxiter=1)
            assert (limited.info, limited.reason) == (1, "limit")

    def test_to_device(self, line, dtype, random):
        array, x = laplace(dtype, hermitian=True), random(40)
        starts = uneven(40)
        a = ampi.DistCsr.from_rows(line, array[starts[COMM.rank] : starts[COMM.rank + 1]])
        try:
            a.to_device()
        except ampi.RankError as error:
            assert "has no device" in str(error)
        # Without a device the matrix stays.
        b = spread(line, array @ x, starts)
        found = ampi.cg(a, b, rtol=1e-5, M="jacobi")
        assert found.converged and np.allclose(collected(found.x), x, atol=1e-3)
        assert np.allclose(collected(a @ found.x), array @ collected(found.x), atol=1e-3)
        assert line.failure is None

    def test_refuse(self, line):
        a, b = ampi.DistCsr.from_rows(line, np.ones((1, COMM.size))), spread(line, np.ones(COMM.size))
        with pytest.raises(ValueError, match="there are 'jacobi'"):
            ampi.cg(a, b, M="amg")
        with pytest.raises(ValueError, match="rtol"):
            ampi.cg(a, b, rtol=-1)
        with pytest.raises(ValueError, match="restart"):
            ampi.gmres(a, b, restart=0)
        with pytest.raises(ValueError, match="b has the type complex128"):
            ampi.cg(a, b.astype(complex))
        with pytest.raises(ValueError, match="x0 has other ranges"):
            ampi.cg(a, b, spread(line, np.ones(COMM.size + 1)))
        indefinite = ampi.DistCsr.from_rows(line, -np.eye(COMM.size)[COMM.rank : COMM.rank + 1])
        found = ampi.cg(indefinite, b)
        assert found.info == -1 and found.reason == "not positive definite" and not found.converged
        zero = ampi.DistCsr.from_entries(line, [], [], [], (COMM.size, COMM.size))
        with pytest.raises(ampi.RankError, match="pivot 1") as caught:
            ampi.Preconditioner(zero, "jacobi")
        assert caught.value.status == -1100
        own = np.eye(2 * COMM.size)[2 * COMM.rank : 2 * COMM.rank + 2]
        if COMM.rank == 0:
            own[:, :2] = 1
        singular = ampi.DistCsr.from_rows(line, own)
        for kind in ("block-jacobi", "ilu0"):
            with pytest.raises(ampi.RankError, match="singular|pivot 2"):
                ampi.Preconditioner(singular, kind)
        assert line.failure is None


class TestFft:
    @pytest.mark.parametrize("shape", [(6, 10), (6, 5, 8), (1, 3, 2)])
    @pytest.mark.parametrize("transposed", [False, True])
    def test_is_numpys(self, line, dtype, random, shape, transposed):
        array = random(*shape)
        expected = np.fft.fftn(array) if dtype.kind == "c" else np.fft.rfftn(array)
        plans = [ampi.DistFft(line, shape, dtype, transposed=transposed)]
        if len(shape) == 3:
            pencils = SHAPES[len(SHAPES) // 2]
            plans.append(ampi.DistFft(line, shape, dtype, decomposition=pencils, transposed=transposed))
        for plan in plans:
            assert plan.global_shape() == shape and plan.global_shape(True) == expected.shape
            assert plan.dtype() == dtype and plan.dtype(True).kind == "c"
            block = array[plan.local_slice(False)]
            assert block.shape == plan.shape(False)
            spectrum = plan.forward(block)
            tolerance = 50 * epsilon(dtype) * np.abs(expected).max()
            assert np.allclose(spectrum, expected[plan.local_slice()], atol=tolerance)
            out = np.empty(plan.shape(False), dtype)
            assert plan.backward(spectrum, out) is out
            assert np.allclose(out, block, atol=20 * epsilon(dtype))

    def test_refuses(self, line):
        plan = ampi.DistFft(line, (4, 4), np.float32, decomposition="slabs", backward_scale=1)
        assert np.allclose(plan.backward(plan.forward(np.ones(plan.shape(False)))), 16)
        with pytest.raises(ValueError, match="has the shape"):
            plan.forward(np.ones(9))
        with pytest.raises(ValueError, match="has the type complex128"):
            plan.forward(np.ones(plan.shape(False), complex))
        with pytest.raises(ValueError, match="out is no adjacent array"):
            plan.forward(np.ones(plan.shape(False)), np.ones(plan.shape(False)))
        with pytest.raises(ValueError, match="there are 'auto'"):
            ampi.DistFft(line, (4, 4), decomposition="cubes")
        with pytest.raises(ValueError, match="2 and 3 dimensions"):
            ampi.DistFft(line, (4,))


def test_every_name_is_documented():
    for name in ampi.__all__:
        thing = getattr(ampi, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            own = [(key, value) for key, value in vars(thing).items() if not key.startswith("_")]
            functions = [
                (key, value) for key, value in own if callable(value) or isinstance(value, (property, classmethod))
            ]
            assert all(value.__doc__ for _, value in functions), name
