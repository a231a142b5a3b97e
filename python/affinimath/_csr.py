"""Sparse matrices in compressed rows."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import common_dtype, contiguous, stored
from ._csr_arrays import agreed, extents, integers, product_type, values
from ._csr_index import Indexed
from ._dispatch import takes_arrays
from ._library import CONJ_TRANS, NO_TRANS, ROW_MAJOR, TRANS, call, check, function, library, number

_OPS = {"none": NO_TRANS, "transpose": TRANS, "adjoint": CONJ_TRANS}
_HANDLE = ctypes.POINTER(ctypes.c_void_p)
_shape = function("affinimathCsrShape", [ctypes.c_void_p] + [ctypes.POINTER(ctypes.c_int64)] * 3)
_transpose = function("affinimathCsrTranspose", [ctypes.c_void_p, _HANDLE])
_sorted = function("affinimathCsrSorted", [ctypes.c_void_p, _HANDLE])
_product = function("affinimathCsrProduct", [ctypes.c_void_p, ctypes.c_void_p, _HANDLE])
function("affinimathCsrDestroy", [ctypes.c_void_p])


class CsrMatrix(Indexed):
    """A sparse matrix in compressed rows. It lies in the library's memory, and does not change.

    Parameters
    ----------
    arg1 : array_like, sparse matrix or tuple
        - a dense matrix, of which the elements that are not zero are entries;
        - a sparse matrix or array of SciPy's, in any format, or a CsrMatrix;
        - ``(data, (row, col))``: entries in any order, of which those in the same place are added;
        - ``(data, indices, indptr)``: the entries of row i are ``indptr[i]`` to ``indptr[i + 1]``;
        - ``(m, n)``: a matrix without entries.
    shape : (int, int), optional
        Rows and columns; else the least that hold the entries.
    dtype : dtype, optional
        float32, float64, complex64 or complex128; else the type of the entries. Integers become float64.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns.
    nnz : int
        The entries.
    dtype : dtype
        Their type.

    Raises
    ------
    ValueError
        The arrays do not fit, or an index is outside of the matrix.

    Examples
    --------
    >>> import affinimath as am
    >>> a = am.CsrMatrix(([2.0, -1.0, 2.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    >>> a
    <2 x 2 CsrMatrix of 3 entries, float64>
    >>> a @ [1.0, 1.0]
    array([1., 2.])
    """

    ndim = 2
    # NumPy's operators leave products and sums with an array to this class.
    __array_ufunc__ = None

    shape: tuple[int, int]
    nnz: int
    dtype: np.dtype

    def __init__(self, arg1: Any, shape: Sequence[int] | None = None, dtype: Any = None, copy: bool = False) -> None:
        wanted = None if dtype is None else common_dtype(np.empty(0, dtype), names=("dtype",))
        if isinstance(arg1, tuple) and len(arg1) == 2 and all(isinstance(n, (int, np.integer)) for n in arg1):
            rows, columns = extents(arg1)
            zeros = np.zeros(rows + 1, np.int64)
            self._from_rows(np.empty(0, wanted or np.float64), np.empty(0, np.int32), zeros, (rows, columns), None)
        elif isinstance(arg1, tuple) and len(arg1) == 2 and isinstance(arg1[1], (tuple, list)):
            self._from_entries(arg1[0], arg1[1], shape, wanted)
        elif isinstance(arg1, tuple) and len(arg1) == 3:
            self._from_rows(*arg1, shape, wanted)
        elif isinstance(arg1, CsrMatrix):
            self._from_rows(*arg1.arrays(), agreed(arg1.shape, shape), wanted)
        elif hasattr(arg1, "tocsr"):
            csr = arg1.tocsr()
            self._from_rows(csr.data, csr.indices, csr.indptr, agreed(csr.shape, shape), wanted)
        else:
            dense = np.asarray(arg1)
            if dense.ndim != 2:
                raise ValueError(f"arg1 has {dense.ndim} dimensions; a matrix has two")
            agreed(dense.shape, shape)
            dtype = wanted or common_dtype(dense, names=("arg1",))
            lies = stored(dense, dtype)
            self._make("csrFromDense64", dtype, lies.layout, *dense.shape, lies.array, lies.leading_dimension)

    def _from_entries(self, data: Any, places: Any, shape: Sequence[int] | None, dtype: np.dtype | None) -> None:
        """Entries in any order."""
        if len(places) != 2:
            raise ValueError(f"an entry has a row and a column, and arg1 {len(places)} lists of them")
        data = values(data, dtype)
        row, col = integers(places[0], np.int32, "row"), integers(places[1], np.int32, "col")
        if not row.shape == col.shape == data.shape:
            raise ValueError(f"row, col and data have {len(row)}, {len(col)} and {len(data)} elements")
        if shape is None:
            shape = int(row.max(initial=-1)) + 1, int(col.max(initial=-1)) + 1
        self._make("csrFromCoo64", data.dtype, *extents(shape), len(data), row, col, data)

    def _from_rows(self, data: Any, indices: Any, indptr: Any, shape: Any, dtype: np.dtype | None) -> None:
        """Entries row after row."""
        data, columns_of = values(data, dtype), integers(indices, np.int32, "indices")
        starts = integers(indptr, np.int64, "indptr")
        if shape is None:
            shape = len(starts) - 1, int(columns_of.max(initial=-1)) + 1
        rows, columns = extents(shape)
        if starts.shape != (rows + 1,) or columns_of.shape != data.shape:
            raise ValueError(
                f"indptr, indices and data have {len(starts)}, {len(columns_of)} and {len(data)} elements "
                f"for {rows} rows"
            )
        if starts[-1] != len(data):
            raise ValueError(f"indptr ends with {starts[-1]}, and there are {len(data)} entries")
        self._make("csrCreate64", data.dtype, rows, columns, starts, columns_of, data)

    @classmethod
    def read(cls, path: str | os.PathLike[str], dtype: Any = np.float64) -> CsrMatrix:
        """A matrix of a Matrix Market file, which may be compressed by gzip.

        Raises
        ------
        InvalidArgumentError
            The file cannot be read, or has elements that the type does not.

        Examples
        --------
        >>> import tempfile
        >>> import affinimath as am
        >>> with tempfile.NamedTemporaryFile("w", suffix=".mtx") as file:
        ...     _ = file.write("%%MatrixMarket matrix coordinate real general\\n2 2 1\\n2 1 5.0\\n")
        ...     file.flush()
        ...     am.CsrMatrix.read(file.name).toarray()
        array([[0., 0.],
               [5., 0.]])
        """
        made = cls.__new__(cls)
        made._make("csrRead64", common_dtype(np.empty(0, dtype), names=("dtype",)), os.fsencode(path))
        return made

    def _make(self, routine: str, dtype: np.dtype, *arguments: Any) -> None:
        """Has the library make the matrix, whose handle is the routine's last argument."""
        handle = ctypes.c_void_p()
        call(routine, dtype, *arguments, ctypes.addressof(handle))
        self._hold(handle, dtype)

    def _hold(self, handle: ctypes.c_void_p, dtype: np.dtype) -> None:
        self._handle = handle
        weakref.finalize(self, library.affinimathCsrDestroy, handle)
        sizes = [ctypes.c_int64() for _ in range(3)]
        check(_shape(handle, *sizes))
        rows, columns, entries = (size.value for size in sizes)
        self.shape, self.nnz, self.dtype = (rows, columns), entries, dtype
        self._host: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self._wider: dict[np.dtype, CsrMatrix] = {}

    @classmethod
    def _held(cls, make: Any, dtype: np.dtype, *arguments: Any) -> CsrMatrix:
        """A matrix that a function of the library's makes, which takes no type."""
        handle, made = ctypes.c_void_p(), cls.__new__(cls)
        check(make(*arguments, handle))
        made._hold(handle, dtype)
        return made

    def __repr__(self) -> str:
        return f"<{self.shape[0]} x {self.shape[1]} CsrMatrix of {self.nnz} entries, {self.dtype}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return CsrMatrix, (self.arrays(), self.shape)

    def __copy__(self) -> CsrMatrix:
        return self

    def __deepcopy__(self, memo: Any) -> CsrMatrix:
        return self

    def copy(self) -> CsrMatrix:
        """The matrix itself, which does not change.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1.0]]).copy()
        <1 x 1 CsrMatrix of 1 entries, float64>
        """
        return self

    @property
    def T(self) -> CsrMatrix:  # noqa: N802, NumPy's name
        """The transpose, as a matrix of its own."""
        return CsrMatrix._held(_transpose, self.dtype, self._handle)

    def transpose(self) -> CsrMatrix:
        """The transpose, as a matrix of its own.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1.0, 2.0]]).transpose().toarray()
        array([[1.],
               [2.]])
        """
        return self.T

    def sorted(self) -> CsrMatrix:
        """The same matrix with the columns of each row in ascending order, and one entry in each place.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix(([1.0, 2.0], [0, 0], [0, 2])).sorted().data
        array([3.])
        """
        return CsrMatrix._held(_sorted, self.dtype, self._handle)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arrays data, indices and indptr, read-only, in the order that `scipy.sparse.csr_array` takes.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[0.0, 5.0], [6.0, 0.0]]).arrays()
        (array([5., 6.]), array([1, 0], dtype=int32), array([0, 1, 2]))
        """
        if self._host is None:
            data, indices = np.empty(self.nnz, self.dtype), np.empty(self.nnz, np.int32)
            indptr = np.empty(self.shape[0] + 1, np.int64)
            call("csrDownload64", self.dtype, self._handle, self.nnz, indptr, indices, data)
            for array in (data, indices, indptr):
                array.flags.writeable = False
            self._host = data, indices, indptr
        return self._host

    @property
    def data(self) -> np.ndarray:
        """The entries, row after row: read-only."""
        return self.arrays()[0]

    @property
    def indices(self) -> np.ndarray:
        """The column of each entry: read-only."""
        return self.arrays()[1]

    @property
    def indptr(self) -> np.ndarray:
        """The first entry of each row, and their number: read-only."""
        return self.arrays()[2]

    def toarray(self) -> np.ndarray:
        """The dense matrix.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix(([5.0], ([0], [1])), shape=(2, 2)).toarray()
        array([[0., 5.],
               [0., 0.]])
        """
        dense = np.empty(self.shape, self.dtype)
        call("csrToDense", self.dtype, ROW_MAJOR, self._handle, dense, max(self.shape[1], 1))
        return dense

    def tocsr(self) -> Any:
        """The matrix as a `scipy.sparse.csr_array`, which needs SciPy.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1.0]]).tocsr().shape
        (1, 1)
        """
        from scipy.sparse import csr_array

        return csr_array(tuple(array.copy() for array in self.arrays()), shape=self.shape)

    def astype(self, dtype: Any) -> CsrMatrix:
        """The matrix in another type, or itself.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1.0]]).astype("complex64").dtype
        dtype('complex64')
        """
        wanted = common_dtype(np.empty(0, dtype), names=("dtype",))
        if wanted == self.dtype:
            return self
        data, *places = self.arrays()
        return CsrMatrix((data.astype(wanted), *places), self.shape)

    def _promoted(self, dtype: np.dtype) -> CsrMatrix:
        """The matrix in a type that its products need: it is made once."""
        if dtype == self.dtype:
            return self
        if dtype not in self._wider:
            self._wider[dtype] = self.astype(dtype)
        return self._wider[dtype]

    def conj(self) -> CsrMatrix:
        """The conjugate.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1j]]).conj().toarray()
        array([[0.-1.j]])
        """
        data, *places = self.arrays()
        return CsrMatrix((data.conj(), *places), self.shape) if self.dtype.kind == "c" else self

    def diagonal(self, k: int = 0) -> np.ndarray:
        """The k-th diagonal, counted from the main one to the right.

        Examples
        --------
        >>> import affinimath as am
        >>> a = am.CsrMatrix([[1.0, 2.0], [0.0, 3.0]])
        >>> a.diagonal(), a.diagonal(1)
        (array([1., 3.]), array([2.]))
        """
        rows, columns = self.shape
        diagonal = np.zeros(max(min(rows + min(k, 0), columns - max(k, 0)), 0), self.dtype)
        if k == 0:
            call("csrDiagonal", self.dtype, self._handle, diagonal)
            return diagonal
        data, indices, indptr = self.arrays()
        of_row = np.repeat(np.arange(rows), np.diff(indptr))
        there = indices - of_row == k
        np.add.at(diagonal, of_row[there] + min(k, 0), data[there])
        return diagonal

    def sum(self, axis: int | None = None) -> Any:
        """The sum of all elements, of each column (axis 0) or of each row (axis 1).

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1.0, 2.0], [0.0, 3.0]]).sum(axis=1)
        array([3., 3.])
        """
        if axis is None:
            return self.data.sum()
        if axis not in (-2, -1, 0, 1):
            raise ValueError(f"axis is {axis!r}, and a matrix has 0 and 1")
        along = axis % 2
        return self.dot(np.ones(self.shape[along], self.dtype), op="none" if along else "transpose")

    @takes_arrays
    def dot(self, x: Any, *, op: str = "none") -> Any:
        """The product op(A) x with a vector or a dense matrix, of NumPy's type of such a product.

        Products with the transpose take as long as those with the matrix, but for the first one. A product gives the
        same bits each time. An x of a wider type than the matrix's has a copy of it made in that type, which is kept.

        Parameters
        ----------
        x : array_like
            A vector, or a matrix whose columns are multiplied.
        op : {"none", "transpose", "adjoint"}
            The operation on A.

        Raises
        ------
        ValueError
            The shapes do not fit.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1.0, 2.0], [0.0, 3.0]]).dot([1.0, 1.0], op="transpose")
        array([1., 5.])
        """
        if op not in _OPS:
            raise ValueError(f"op is {op!r}; there are {', '.join(map(repr, _OPS))}")
        x = np.asarray(x)
        rows, columns = self.shape if op == "none" else self.shape[::-1]
        if x.ndim not in (1, 2) or x.shape[0] != columns:
            raise ValueError(f"x has the shape {x.shape}, and the matrix {columns} columns")
        dtype = product_type(self.dtype, x, "x")
        if dtype.kind == "c" and self.dtype.kind != "c" and dtype == np.result_type(self.dtype, np.complex64):
            # A real matrix multiplies the real and imaginary parts as two columns.
            flat = contiguous(x, dtype).reshape(columns, -1)
            if flat.size:
                return self.dot(flat.view(self.dtype), op=op).view(dtype).reshape(rows, *x.shape[1:])
        return self._promoted(dtype)._multiplied(contiguous(x, dtype), _OPS[op], rows)

    def _multiplied(self, x: np.ndarray, op: int, rows: int) -> np.ndarray:
        """The product with an array of the matrix's type."""
        product, one, zero = np.empty((rows, *x.shape[1:]), self.dtype), number(1, self.dtype), number(0, self.dtype)
        if x.ndim == 1:
            call("csrmv", self.dtype, op, one, self._handle, x, 1, zero, product, 1)
        else:
            operands = [self._handle, x, max(x.shape[1], 1), zero, product, max(x.shape[1], 1)]
            call("csrmm", self.dtype, ROW_MAJOR, op, x.shape[1], one, *operands)
        return product

    def matvec(self, x: Any) -> Any:
        """The product A x, by the name that SciPy's solvers of eigenvalues and others look for.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1.0, 2.0], [0.0, 3.0]]).matvec([1.0, 1.0])
        array([3., 3.])
        """
        return self.dot(x)

    def rmatvec(self, x: Any) -> Any:
        """The product Aᴴ x.

        Examples
        --------
        >>> import affinimath as am
        >>> am.CsrMatrix([[1.0, 2.0], [0.0, 3.0]]).rmatvec([1.0, 1.0])
        array([1., 5.])
        """
        return self.dot(x, op="adjoint")

    def __matmul__(self, other: Any) -> Any:
        if not is_sparse(other):
            return self.dot(other)
        other = as_csr(other)
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"shapes {self.shape} and {other.shape}: {self.shape[1]} columns, {other.shape[0]} rows")
        dtype = np.result_type(self.dtype, other.dtype)
        left, right = self._promoted(dtype), other._promoted(dtype)
        return CsrMatrix._held(_product, dtype, left._handle, right._handle)

    @takes_arrays
    def __rmatmul__(self, other: Any) -> Any:
        if is_sparse(other):
            return as_csr(other) @ self
        return self.dot(np.asarray(other).T, op="transpose").T

    @takes_arrays
    def _sum(self, alpha: int, other: Any, beta: int) -> Any:
        """alpha A + beta B."""
        if not is_sparse(other):
            return alpha * self.toarray() + beta * np.asarray(other) if np.ndim(other) == 2 else NotImplemented
        other = as_csr(other)
        if self.shape != other.shape:
            raise ValueError(f"shapes {self.shape} and {other.shape} do not fit")
        dtype, made = np.result_type(self.dtype, other.dtype), CsrMatrix.__new__(CsrMatrix)
        left, right = self._promoted(dtype), other._promoted(dtype)
        made._make("csrSum", dtype, number(alpha, dtype), left._handle, number(beta, dtype), right._handle)
        return made

    def __add__(self, other: Any) -> Any:
        return self._sum(1, other, 1)

    def __radd__(self, other: Any) -> Any:
        return self._sum(1, other, 1)

    def __sub__(self, other: Any) -> Any:
        return self._sum(1, other, -1)

    def __rsub__(self, other: Any) -> Any:
        return self._sum(-1, other, 1)

    def __mul__(self, other: Any) -> Any:
        if np.ndim(other) != 0 or is_sparse(other) or not isinstance(other, (int, float, complex, np.generic)):
            return NotImplemented
        data, *places = self.arrays()
        return CsrMatrix((data * other, *places), self.shape)

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, (int, float, complex, np.generic)):
            return NotImplemented
        data, *places = self.arrays()
        return CsrMatrix((data / other, *places), self.shape)

    def __neg__(self) -> CsrMatrix:
        data, *places = self.arrays()
        return CsrMatrix((-data, *places), self.shape)


def is_sparse(a: Any) -> bool:
    """True for a sparse matrix, SciPy's or the library's."""
    return isinstance(a, CsrMatrix) or (hasattr(a, "tocsr") and hasattr(a, "nnz"))


def as_csr(a: Any) -> CsrMatrix:
    """A sparse matrix as the library has it."""
    return a if isinstance(a, CsrMatrix) else CsrMatrix(a)
