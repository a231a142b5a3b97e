"""Sparse matrices in compressed rows, and iterative solvers."""

from __future__ import annotations

import ctypes
import operator
import os
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._arrays import common_dtype, contiguous, matrix, stored
from ._library import (
    CONJ_TRANS,
    DOUBLE,
    LETTERS,
    NO_TRANS,
    ROW_MAJOR,
    SINGLE,
    TRANS,
    call,
    check,
    function,
    library,
    number,
)

_OPS = {"none": NO_TRANS, "transpose": TRANS, "adjoint": CONJ_TRANS}
_REASONS = {
    341: "converged",
    342: "stagnated",
    343: "breakdown",
    344: "not positive definite",
    345: "limit",
    346: "least squares",
}


class _Options(ctypes.Structure):
    """affinimath_solve_options."""

    _fields_ = [
        ("rtol", ctypes.c_double),
        ("atol", ctypes.c_double),
        ("max_iterations", ctypes.c_int64),
        ("restart", ctypes.c_int64),
        ("poll", ctypes.c_int64),
        ("damping", ctypes.c_double),
        ("history", ctypes.c_void_p),
        ("history_user", ctypes.c_void_p),
        ("preconditioner", ctypes.c_void_p),
    ]


class _Outcome(ctypes.Structure):
    """affinimath_solve_outcome."""

    _fields_ = [
        ("reason", ctypes.c_int),
        ("iterations", ctypes.c_int64),
        ("residual", ctypes.c_double),
        ("relative_residual", ctypes.c_double),
        ("normal_residual", ctypes.c_double),
    ]


_HANDLE = ctypes.POINTER(ctypes.c_void_p)
_shape = function("affinimathCsrShape", [ctypes.c_void_p] + [ctypes.POINTER(ctypes.c_int64)] * 3)
_transpose = function("affinimathCsrTranspose", [ctypes.c_void_p, _HANDLE])
_options = function("affinimathSolveOptions", [ctypes.POINTER(_Options), ctypes.c_int])
# The functions that make preconditioners, and what they take beside the matrix.
_PRECONDITIONERS = {
    "jacobi": (function("affinimathJacobiCreate", [ctypes.c_void_p, _HANDLE]), ()),
    "block-jacobi": (function("affinimathBlockJacobiCreate", [ctypes.c_void_p, ctypes.c_int64, _HANDLE]), (16,)),
    "chebyshev": (function("affinimathChebyshevCreate", [ctypes.c_void_p, ctypes.c_int64, _HANDLE]), (8,)),
    "ssor": (function("affinimathSsorCreate", [ctypes.c_void_p, ctypes.c_double, _HANDLE]), (1.0,)),
    "ic0": (function("affinimathIc0Create", [ctypes.c_void_p, _HANDLE]), ()),
    "ilu0": (function("affinimathIlu0Create", [ctypes.c_void_p, _HANDLE]), ()),
}
function("affinimathCsrDestroy", [ctypes.c_void_p])
function("affinimathPreconditionerDestroy", [ctypes.c_void_p])


class CsrMatrix:
    """A sparse matrix in compressed rows. It lies in the library's memory, on the host, and does not change.

    Parameters
    ----------
    values : array_like
        The entries, row after row.
    indices : array_like of int
        The column of each entry.
    pointers : array_like of int
        Where each row begins in the two others, and at last how many entries there are.
    shape : (int, int)
        Rows and columns.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns.
    entries : int
        How many entries are stored.
    dtype : numpy.dtype
        Their type, one of the four. Integers become float64.

    Raises
    ------
    InvalidArgumentError
        A pointer or an index is wrong: the message names the first one.
    """

    #: NumPy leaves products with an array on the left to this class.
    __array_ufunc__ = None

    def __init__(self, values: Any, indices: Any, pointers: Any, shape: Sequence[int]) -> None:
        rows, columns = _extents(shape)
        values, columns_of = _values(values), _integers(indices, np.int32)
        starts = _integers(pointers, np.int64)
        if starts.shape != (rows + 1,) or columns_of.shape != values.shape:
            raise ValueError(
                f"{len(starts)} pointers, {len(columns_of)} indices and {len(values)} values for {rows} rows"
            )
        if starts[-1] != len(values):
            raise ValueError(f"the last pointer is {starts[-1]}, and there are {len(values)} entries")
        self._make("csrCreate64", values.dtype, rows, columns, starts, columns_of, values)

    @classmethod
    def from_entries(cls, values: Any, rows: Any, columns: Any, shape: Sequence[int]) -> CsrMatrix:
        """A matrix of a list of entries in any order. Those in the same place are added.

        Parameters
        ----------
        values : array_like
            The entries.
        rows, columns : array_like of int
            The place of each.
        shape : (int, int)
            Rows and columns.
        """
        values, rows, columns = _values(values), _integers(rows, np.int32), _integers(columns, np.int32)
        if not rows.shape == columns.shape == values.shape:
            raise ValueError(f"{len(rows)} rows, {len(columns)} columns and {len(values)} values")
        return cls._of("csrFromCoo64", values.dtype, *_extents(shape), len(values), rows, columns, values)

    @classmethod
    def from_dense(cls, a: Any) -> CsrMatrix:
        """A matrix of what is not zero in a dense one."""
        dense = matrix(a)
        dtype = common_dtype(dense)
        lies = stored(dense, dtype)
        return cls._of("csrFromDense64", dtype, lies.layout, *dense.shape, lies.array, lies.leading_dimension)

    @classmethod
    def from_scipy(cls, a: Any) -> CsrMatrix:
        """A matrix of SciPy's, in any of its formats."""
        csr = a.tocsr()
        return cls(csr.data, csr.indices, csr.indptr, csr.shape)

    @classmethod
    def read(cls, path: str | os.PathLike[str], dtype: Any = np.float64) -> CsrMatrix:
        """A matrix of a Matrix Market file, which may be compressed by gzip.

        Raises
        ------
        InvalidArgumentError
            The file cannot be read, or has numbers that the type does not.
        """
        return cls._of("csrRead64", common_dtype(np.empty(0, dtype)), os.fsencode(path))

    @classmethod
    def _of(cls, routine: str, dtype: np.dtype, *arguments: Any) -> CsrMatrix:
        made = cls.__new__(cls)
        made._make(routine, dtype, *arguments)
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
        self.shape, self.entries, self.dtype = (rows, columns), entries, dtype

    def __repr__(self) -> str:
        return f"<{self.shape[0]} x {self.shape[1]} CsrMatrix of {self.entries} entries, {self.dtype}>"

    @property
    def T(self) -> CsrMatrix:  # noqa: N802, NumPy's name
        """The transpose, as a matrix of its own."""
        handle = ctypes.c_void_p()
        check(_transpose(self._handle, handle))
        made = CsrMatrix.__new__(CsrMatrix)
        made._hold(handle, self.dtype)
        return made

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Copies of values, indices and pointers, in the order that scipy.sparse.csr_array takes."""
        values, indices = np.empty(self.entries, self.dtype), np.empty(self.entries, np.int32)
        pointers = np.empty(self.shape[0] + 1, np.int64)
        call("csrDownload64", self.dtype, self._handle, self.entries, pointers, indices, values)
        return values, indices, pointers

    def to_dense(self) -> np.ndarray:
        """The matrix with its zeros."""
        dense = np.empty(self.shape, self.dtype)
        call("csrToDense", self.dtype, ROW_MAJOR, self._handle, dense, max(self.shape[1], 1))
        return dense

    def __matmul__(self, x: Any) -> np.ndarray:
        return self.multiply(x)

    def __rmatmul__(self, x: Any) -> np.ndarray:
        return self.multiply(np.asarray(x).T, op="transpose").T

    def multiply(self, x: Any, *, op: str = "none") -> np.ndarray:
        """The product op(A) x with a vector or a dense matrix.

        Products with the transpose take as long as those with the matrix, but for the first one. A product gives the
        same bits each time.

        Parameters
        ----------
        x : array_like
            Numbers of the matrix's type, or of one that it holds. Others are refused with a TypeError.
        op : {"none", "transpose", "adjoint"}
            What becomes of A.

        Raises
        ------
        ValueError
            The shapes do not fit.
        """
        if op not in _OPS:
            raise ValueError(f"op is {op!r}; there are {', '.join(map(repr, _OPS))}")
        rows, columns = self.shape if op == "none" else self.shape[::-1]
        x = self._operand(x)
        if x.ndim not in (1, 2) or x.shape[0] != columns:
            raise ValueError(f"an operand of shape {x.shape}, and a matrix of {columns} columns")
        product = np.empty((rows, *x.shape[1:]), self.dtype)
        if x.ndim == 1:
            call(
                "csrmv",
                self.dtype,
                _OPS[op],
                number(1, self.dtype),
                self._handle,
                x,
                1,
                number(0, self.dtype),
                product,
                1,
            )
        else:
            leading = max(x.shape[1], 1)
            call(
                "csrmm",
                self.dtype,
                ROW_MAJOR,
                _OPS[op],
                x.shape[1],
                number(1, self.dtype),
                self._handle,
                x,
                leading,
                number(0, self.dtype),
                product,
                leading,
            )
        return product

    def _operand(self, x: Any) -> np.ndarray:
        """Adjacent numbers of the matrix's type."""
        x = np.asarray(x)
        if x.dtype.kind not in "bui" and np.result_type(common_dtype(x), self.dtype) != self.dtype:
            raise TypeError(f"an operand of {x.dtype}, and a matrix of {self.dtype}")
        return contiguous(x, self.dtype)


class Solution(NamedTuple):
    """What an iterative solver has come to."""

    x: np.ndarray
    """The solution, or what was reached."""
    reason: str
    """Why it ended: converged, stagnated, breakdown, not positive definite, limit, or least squares."""
    iterations: int
    """How many iterations were made."""
    residual: float
    """||b - A x||, computed from x at the end."""
    relative_residual: float
    """The same over ||b||."""
    normal_residual: float | None
    """||A^H (b - A x)||, computed from x at the end by `lsqr` and `lsmr`; None of others."""

    @property
    def converged(self) -> bool:
        """Whether x is what was asked for: a solution, or of `lsqr` and `lsmr` a least-squares one."""
        return self.reason in ("converged", "least squares")


def cg(
    a: CsrMatrix,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    max_iterations: int | None = None,
    preconditioner: str | None = None,
) -> Solution:
    """Solves A x = b for a Hermitian positive definite A by conjugate gradients (Hestenes and Stiefel, 1952).

    Parameters
    ----------
    a : CsrMatrix
        A square matrix. That it is Hermitian is not looked at.
    b : array_like
        The right-hand side.
    x0 : array_like, optional
        Where iterations begin; else at zero.
    rtol, atol : float, optional
        It stops at ||b - A x|| <= max(rtol ||b||, atol). Without them the library's own are taken.
    max_iterations : int, optional
        Else ten times as many as unknowns.
    preconditioner : {None, "jacobi", "block-jacobi", "chebyshev", "ssor", "ic0", "ilu0"}
        Jacobi's is the inverse of A's diagonal; blocks have 16 rows, Chebyshev's polynomial has the degree 8, SSOR's
        omega is 1. All but ILU(0) stay Hermitian positive definite, as `cg` and `minres` need.

    Returns
    -------
    Solution
        x and how it ended. That it did not converge is no error: look at `converged`.

    Raises
    ------
    LinAlgError
        The diagonal has a zero, or a block or a pivot is singular, and the preconditioner needs it.
    """
    return _solve("cg", a, b, x0, rtol, atol, max_iterations, preconditioner)


def minres(
    a: CsrMatrix,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    max_iterations: int | None = None,
    preconditioner: str | None = None,
) -> Solution:
    """Solves A x = b for a Hermitian A, also an indefinite one, by minimal residuals (Paige and Saunders, 1975).

    The arguments are those of `cg`.
    """
    return _solve("minres", a, b, x0, rtol, atol, max_iterations, preconditioner)


def bicgstab(
    a: CsrMatrix,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    max_iterations: int | None = None,
    preconditioner: str | None = None,
) -> Solution:
    """Solves A x = b for a square A by stabilised biconjugate gradients (van der Vorst, 1992).

    The arguments are those of `cg`.
    """
    return _solve("bicgstab", a, b, x0, rtol, atol, max_iterations, preconditioner)


def gmres(
    a: CsrMatrix,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    max_iterations: int | None = None,
    preconditioner: str | None = None,
    restart: int | None = None,
) -> Solution:
    """Solves A x = b for a square A by generalised minimal residuals (Saad and Schultz, 1986).

    The arguments are those of `cg`, and `restart`: how many vectors are kept before it begins anew, from 1 to 62.
    """
    return _solve("gmres", a, b, x0, rtol, atol, max_iterations, preconditioner, restart=restart)


def lsqr(
    a: CsrMatrix,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    max_iterations: int | None = None,
    damping: float = 0.0,
) -> Solution:
    """Minimises ||b - A x|| for an A of any shape by LSQR (Paige and Saunders, 1982).

    Parameters
    ----------
    a : CsrMatrix
        The matrix.
    b : array_like
        The right-hand side, with an element for each row.
    x0 : array_like, optional
        Where iterations begin; else at zero.
    rtol, atol : float, optional
        It stops at ||b - A x|| <= max(rtol ||b||, atol), or at ||A^H (b - A x)|| <= rtol ||A|| ||b - A x||.
    max_iterations : int, optional
        Else ten times as many as unknowns.
    damping : float
        ||b - A x||^2 + damping^2 ||x - x0||^2 is minimised.

    Returns
    -------
    Solution
        x and how it ended, with the reason "least squares" where no x solves the system.
    """
    return _solve("lsqr", a, b, x0, rtol, atol, max_iterations, None, damping=damping)


def lsmr(
    a: CsrMatrix,
    b: Any,
    x0: Any = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    max_iterations: int | None = None,
    damping: float = 0.0,
) -> Solution:
    """Minimises ||b - A x|| by LSMR (Fong and Saunders, 2011), of which ||A^H (b - A x)|| decreases in each iteration.

    The arguments are those of `lsqr`.
    """
    return _solve("lsmr", a, b, x0, rtol, atol, max_iterations, None, damping=damping)


def _solve(
    method: str,
    a: CsrMatrix,
    b: Any,
    x0: Any,
    rtol: float | None,
    atol: float | None,
    max_iterations: int | None,
    preconditioner: str | None,
    *,
    restart: int | None = None,
    damping: float | None = None,
) -> Solution:
    if preconditioner is not None and preconditioner not in _PRECONDITIONERS:
        names = ", ".join(map(repr, _PRECONDITIONERS))
        raise ValueError(f"preconditioner is {preconditioner!r}; there are None, {names}")
    b = a._operand(b)
    x = np.zeros(a.shape[1], a.dtype) if x0 is None else a._operand(x0).copy()
    square = a.shape[0] == a.shape[1] or damping is not None
    if not square or b.shape != (a.shape[0],) or x.shape != (a.shape[1],):
        raise ValueError(f"a matrix of shape {a.shape}, a right-hand side of {b.shape}, and x of {x.shape}")
    options, outcome = _Options(), _Outcome()
    check(_options(options, SINGLE if LETTERS[a.dtype] in "SC" else DOUBLE))
    given = {"rtol": rtol, "atol": atol, "max_iterations": max_iterations, "restart": restart, "damping": damping}
    for name, value in given.items():
        if value is not None:
            setattr(options, name, value)
    helper = ctypes.c_void_p()
    if preconditioner is not None:
        make, parameters = _PRECONDITIONERS[preconditioner]
        check(make(a._handle, *parameters, helper))
        options.preconditioner = helper
    try:
        call(method, a.dtype, a._handle, b, x, ctypes.addressof(options), ctypes.addressof(outcome))
    finally:
        if helper:
            library.affinimathPreconditionerDestroy(helper)
    reason, normal = _REASONS[outcome.reason], outcome.normal_residual
    residuals = outcome.residual, outcome.relative_residual, normal if normal >= 0 else None
    return Solution(x, reason, outcome.iterations, *residuals)


def _extents(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns, neither of them negative."""
    extents = tuple(operator.index(extent) for extent in shape)
    if len(extents) != 2 or min(extents) < 0:
        raise ValueError(f"a matrix of shape {extents}; a shape is rows and columns, neither of them negative")
    return extents[0], extents[1]


def _values(values: Any) -> np.ndarray:
    """Adjacent numbers of one of the four types."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"values of shape {array.shape}; they stand in one row")
    return contiguous(array, common_dtype(array))


def _integers(numbers: Any, dtype: type) -> np.ndarray:
    """Adjacent integers of C's type."""
    array = np.asarray(numbers)
    if array.ndim != 1:
        raise ValueError(f"indices of shape {array.shape}; they stand in one row")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"indices of {array.dtype}; they are integers")
    if array.size and not np.iinfo(dtype).min <= array.min() <= array.max() <= np.iinfo(dtype).max:
        raise ValueError(f"an index is beyond {np.dtype(dtype)}")
    return contiguous(array, dtype)
