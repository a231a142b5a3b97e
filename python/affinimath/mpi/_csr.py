"""Sparse matrices in blocks of rows."""

from __future__ import annotations

import ctypes
import operator
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._csr import CsrMatrix
from .._csr_arrays import integers
from ._grid import Grid
from ._library import NONE, OPS, POINTER, SIZE, TRANSPOSE, accepted, call, check, function
from ._matrix import Number, scalar
from ._vector import DistVector, even, starts_of

_shape = function("affinimathMpiCsrShape", [POINTER] * 4)
_to_device = function("affinimathMpiCsrToDevice", [POINTER])
_ranges = function("affinimathMpiCsrRanges", [POINTER] * 5)


class DistCsr:
    """A sparse matrix in compressed rows, of which each rank has a block of adjacent rows.

    `from_rows`, `from_entries` and `read_matrix_market` make one. In y = A x, y is partitioned as the rows are, x as
    the columns. All ranks call each function here together, unless it says otherwise. It ends with its grid.
    """

    def __init__(self, grid: Grid, handle: ctypes.c_void_p, dtype: np.dtype) -> None:
        self.grid = grid
        #: The type of the elements.
        self.dtype = dtype
        self._pointer = handle
        grid.own("affinimathMpiCsrDestroy", handle, self)
        sizes, ranges = [SIZE() for _ in range(3)], [SIZE() for _ in range(4)]
        check(_shape(handle, *map(ctypes.byref, sizes)))
        check(_ranges(handle, *map(ctypes.byref, ranges)))
        #: Rows and columns of the matrix.
        self.shape: tuple[int, int] = (sizes[0].value, sizes[1].value)
        #: Entries of all ranks.
        self.nnz: int = sizes[2].value
        counts = grid.comm.allgather((ranges[1].value, ranges[3].value))
        #: The first row of each rank, and the number of all rows: `starts` of y in y = A x.
        self.row_starts: tuple[int, ...] = starts_of(rows for rows, _ in counts)
        #: The first column of each rank, and the number of all columns: `starts` of x in y = A x.
        self.column_starts: tuple[int, ...] = starts_of(columns for _, columns in counts)

    @classmethod
    def from_rows(cls, grid: Grid, rows: Any, *, own_columns: int | None = None) -> DistCsr:
        """The matrix of all ranks' rows.

        Parameters
        ----------
        rows : sparse matrix or array of SciPy's, CsrMatrix or array_like
            This rank's rows, of shape (k, n), with the columns of the whole matrix. k may be 0.
        own_columns : int, optional
            This rank's elements of x in y = A x. Without it, ranks have as many as they have rows, if the matrix is
            square, else even ranges.

        Raises
        ------
        ValueError
            Ranks have rows of different lengths, or the matrix has a column that is not there: on all ranks.
        """
        error: Exception | None = None
        facts: Any = None
        try:
            indptr, indices, data, columns = _arrays(rows)
            narrow = indptr.dtype == np.int32 and indices.dtype == np.int32
            facts = (indptr.size - 1, columns, accepted(data.dtype, "rows").str, narrow)
            own_columns = None if own_columns is None else operator.index(own_columns)
        except Exception as raised:
            error = raised
        grid.agree(error)
        every = grid.comm.allgather(facts)
        if len({columns for _, columns, _, _ in every}) > 1:
            raise ValueError(f"ranks have rows of {', '.join(str(columns) for _, columns, _, _ in every)} elements")
        dtype = np.result_type(*[np.dtype(kind) for _, _, kind, _ in every])
        integer = np.int32 if all(narrow for *_, narrow in every) else np.int64
        own = own_columns
        if own is None:
            length = sum(count for count, *_ in every)
            ends = even(columns, grid.size)
            own = indptr.size - 1 if length == columns else ends[grid.rank + 1] - ends[grid.rank]
        arrays = [_adjacent(indptr, integer), _adjacent(indices, integer), _adjacent(data, dtype)]
        name = "csrCreate" if integer == np.int32 else "csrCreate64"
        return cls._make(name, grid, dtype, indptr.size - 1, own, *arrays)

    @classmethod
    def from_entries(
        cls,
        grid: Grid,
        data: Any,
        row: Any,
        col: Any,
        shape: Sequence[int],
        *,
        own: tuple[int, int] | None = None,
    ) -> DistCsr:
        """The matrix of lists of entries on all ranks, whatever ranks their rows belong to.

        Entries in the same place are added, in the order of the ranks.

        Parameters
        ----------
        data, row, col : array_like
            Values and indices in the whole matrix of the entries that this rank gives, each of shape (k,).
        shape : (int, int)
            Rows and columns of the matrix.
        own : (int, int), optional
            This rank's rows, and its elements of x in y = A x; else even ranges.

        Raises
        ------
        ValueError
            The arrays' lengths differ, or an entry does not lie in the matrix: on all ranks.
        """
        error: Exception | None = None
        values, places = np.zeros(0), [np.zeros(0, np.int64)] * 2
        rows = columns = 0
        try:
            values = np.asarray(data)
            places = [integers(indices, np.int64, name) for indices, name in ((row, "row"), (col, "col"))]
            if values.ndim != 1 or any(indices.shape != values.shape for indices in places):
                raise ValueError(
                    f"data, row and col have the shapes {values.shape}, {places[0].shape}, {places[1].shape}"
                )
            kind = accepted(values.dtype, "data").str
            rows, columns = (operator.index(length) for length in shape)
            own = None if own is None else (operator.index(own[0]), operator.index(own[1]))
        except Exception as raised:
            error = raised
        grid.agree(error)
        dtype = np.result_type(*[np.dtype(other) for other in grid.comm.allgather(kind)])
        if own is None:
            ends = [even(length, grid.size) for length in (rows, columns)]
            own = (ends[0][grid.rank + 1] - ends[0][grid.rank], ends[1][grid.rank + 1] - ends[1][grid.rank])
        made = cls._make("csrFromCoo64", grid, dtype, *own, values.size, *places, _adjacent(values, dtype))
        if made.shape != (rows, columns):
            raise ValueError(f"shape is {(rows, columns)}, and the ranks' own parts add up to {made.shape}")
        return made

    @classmethod
    def read_matrix_market(cls, grid: Grid, path: str | os.PathLike[str], dtype: Any = np.float64) -> DistCsr:
        """The matrix of a Matrix Market file, of which each rank reads its part. Rows and columns are in even ranges.

        A file that stores a triangle of a symmetric, Hermitian or skew-symmetric matrix gives the whole one.

        Raises
        ------
        ValueError
            There is no such file, it is compressed, or not as the format demands: on all ranks, with the line.
        """
        return cls._make("csrRead", grid, accepted(dtype, "dtype"), os.fsencode(path))

    @classmethod
    def _make(cls, name: str, grid: Grid, dtype: np.dtype, *arguments: Any) -> DistCsr:
        handle = POINTER()
        call(name, dtype, grid.handle, *arguments, ctypes.byref(handle))
        return cls(grid, handle, dtype)

    def __repr__(self) -> str:
        return f"<DistCsr of {self.dtype}: {self.shape} with {self.nnz} entries on {self.grid!r}>"

    @property
    def handle(self) -> ctypes.c_void_p:
        """The matrix as the C library has it. That of a closed grid is a ValueError."""
        if not self.grid.handle:
            raise ValueError("the grid is closed")
        return self._pointer

    @property
    def T(self) -> TransposedCsr:  # noqa: N802, NumPy's name
        """The transpose, as an operand of `@`. Nothing is copied."""
        return TransposedCsr(self, "transpose")

    @property
    def H(self) -> TransposedCsr:  # noqa: N802
        """The conjugate transpose, as an operand of `@`. Nothing is copied."""
        return TransposedCsr(self, "adjoint")

    def dot(
        self,
        x: DistVector,
        *,
        op: str = "none",
        alpha: Number = 1,
        beta: Number = 0,
        out: DistVector | None = None,
    ) -> DistVector:
        """The product alpha op(A) x + beta out: elements of other ranks travel while a rank multiplies its own ones.

        Parameters
        ----------
        x : DistVector
            A vector in the ranges of op(A)'s columns.
        op : {"none", "transpose", "adjoint"}
            The operation on A.
        alpha, beta : number
            Factors, the same on all ranks. A beta of 0 does not read out.
        out : DistVector, optional
            A vector of the matrix's type in the ranges of op(A)'s rows, which is overwritten; else a new one.

        Raises
        ------
        ValueError
            The ranges do not fit, or types do: a real matrix has no products with complex vectors.
        """
        if op not in OPS:
            raise ValueError(f"op is {op!r}; there are {', '.join(map(repr, OPS))}")
        self.grid.holds(x=x, out=out)
        columns, rows = self.column_starts, self.row_starts
        if OPS[op] != NONE:
            columns, rows = rows, columns
        if x.starts != columns:
            raise ValueError(
                f"x has {x.length} elements or other ranges than the columns of op(A), which are {columns}"
            )
        if out is None:
            out, beta = DistVector.zeros(self.grid, rows[-1], self.dtype, rows), 0
        elif out.starts != rows or out.dtype != self.dtype:
            raise ValueError(f"out has the type {out.dtype}, or other ranges than the rows of op(A), which are {rows}")
        local = converted(x, self.dtype, "x")
        if np.may_share_memory(local, out.local):
            local = local.copy()
        factors = scalar(alpha, self.dtype), scalar(beta, self.dtype)
        call("csrmv", self.dtype, OPS[op], factors[0], self.handle, local, factors[1], out.operand())
        return out

    def to_device(self) -> None:
        """Moves the matrix to the ranks' devices: products and solvers run there from then on.

        Vectors stay in host memory, and each call copies them. Preconditioners of the matrix are made after it.

        Raises
        ------
        RankError
            A rank has no device, or no memory on it: the matrix stays in host memory.
        """
        check(_to_device(self.handle))

    def matvec(self, x: DistVector) -> DistVector:
        """The product A x."""
        return self.dot(x)

    def rmatvec(self, x: DistVector) -> DistVector:
        """The product Aᴴ x."""
        return self.dot(x, op="adjoint")

    def __matmul__(self, x: DistVector) -> DistVector:
        return self.dot(x) if isinstance(x, DistVector) else NotImplemented


class TransposedCsr:
    """The transpose or the conjugate transpose of a sparse matrix, as an operand of `@`."""

    def __init__(self, base: DistCsr, op: str) -> None:
        #: The matrix that it is the transpose of.
        self.base = base
        self._op = op

    def __repr__(self) -> str:
        return f"<{'T' if OPS[self._op] == TRANSPOSE else 'H'} of {self.base!r}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the transpose."""
        return self.base.shape[1], self.base.shape[0]

    def __matmul__(self, x: DistVector) -> DistVector:
        return self.base.dot(x, op=self._op) if isinstance(x, DistVector) else NotImplemented


def converted(x: DistVector, dtype: np.dtype, name: str) -> np.ndarray:
    """The elements in the type of a matrix, which has to hold them."""
    if not np.can_cast(x.dtype, dtype, "same_kind"):
        raise ValueError(f"{name} has the type {x.dtype}, and the matrix {dtype}")
    return _adjacent(x.operand(), dtype)


def _adjacent(array: np.ndarray, dtype: Any) -> np.ndarray:
    return np.require(array, dtype, ["C", "A"])


def _arrays(rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Row pointers, columns, values, and the number of columns."""
    if isinstance(rows, CsrMatrix):
        values, columns, pointers = rows.arrays()
        return pointers, columns, values, rows.shape[1]
    if hasattr(rows, "tocsr"):
        rows = rows.tocsr()
        arrays = [np.asarray(array) for array in (rows.indptr, rows.indices, rows.data)]
        return arrays[0], arrays[1], arrays[2], int(rows.shape[1])
    dense = np.asarray(rows)
    if dense.ndim != 2:
        raise ValueError(f"rows have {dense.ndim} axes, and a matrix 2")
    row, col = np.nonzero(dense)
    indptr = np.zeros(dense.shape[0] + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=dense.shape[0]), out=indptr[1:])
    return indptr, col, dense[row, col], dense.shape[1]


__all__ = ["DistCsr", "TransposedCsr", "converted"]
