"""Sparse direct solvers, by the names of scipy.sparse.linalg."""

from __future__ import annotations

import ctypes
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ._csr import CsrMatrix, as_csr
from ._csr_arrays import product_type
from ._library import COLUMN_MAJOR, CONJ_TRANS, NO_TRANS, TRANS, LinAlgError, call, check, function, library

_METHODS = {"auto": 351, "cholesky": 352, "ldl": 353, "lu": 354, "qr": 355}
_NAMES = {code: name for name, code in _METHODS.items()}
_OPS = {"N": NO_TRANS, "T": TRANS, "H": CONJ_TRANS}
_HANDLE = ctypes.POINTER(ctypes.c_void_p)
_SIZE = ctypes.POINTER(ctypes.c_int64)
_create = function("affinimathSparseFactorsCreate", [ctypes.c_void_p, ctypes.c_int, _HANDLE])
_update = function("affinimathSparseFactorsUpdate", [ctypes.c_void_p, ctypes.c_void_p])
_info = function("affinimathSparseFactorsInfo", [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int32), _SIZE, _SIZE, _SIZE])
_condition = function("affinimathSparseFactorsCondition", [ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)])
function("affinimathSparseFactorsDestroy", [ctypes.c_void_p])


class SparseFactors:
    """The factors of a sparse matrix, which solve systems with it: `factorize`, `splu` and others make them.

    Attributes
    ----------
    method : {"cholesky", "ldl", "lu", "qr"}
        The factorisation.
    shape : (int, int)
        Rows and columns of the matrix.
    nnz : int
        The entries of the factors; of LU an upper bound, which is known before pivoting.
    dtype : dtype
        The type of the matrix.

    Examples
    --------
    >>> import affinimath as am
    >>> factors = am.sparse.linalg.splu(am.CsrMatrix([[4.0, 1.0], [0.0, 2.0]]))
    >>> factors.solve([6.0, 4.0])
    array([1., 2.])
    """

    method: str
    shape: tuple[int, int]
    nnz: int
    dtype: np.dtype

    def __init__(self, a: CsrMatrix, method: str) -> None:
        if method not in _METHODS:
            raise ValueError(f"method is {method!r}; there are {', '.join(map(repr, _METHODS))}")
        handle = ctypes.c_void_p()
        check(_create(a._handle, _METHODS[method], handle))
        self._handle, self.dtype = handle, a.dtype
        weakref.finalize(self, library.affinimathSparseFactorsDestroy, handle)
        code, sizes = ctypes.c_int32(), [ctypes.c_int64() for _ in range(3)]
        check(_info(handle, code, *sizes))
        rows, columns, self.nnz = (size.value for size in sizes)
        self.method, self.shape = _NAMES[code.value], (rows, columns)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<{self.method} factors of a {rows} x {columns} sparse matrix, {self.nnz} entries, {self.dtype}>"

    def solve(self, rhs: Any, trans: str = "N") -> np.ndarray:
        """The solution of A x = b, or with the transpose; by QR the x that minimises the norm of b - A x.

        Parameters
        ----------
        rhs : array_like
            A right-hand side, or several as the columns of a matrix.
        trans : {"N", "T", "H"}
            Solves with A, its transpose, or its conjugate transpose. QR has "N" alone.

        Raises
        ------
        LinAlgError
            The solution is not finite.

        Examples
        --------
        >>> import affinimath as am
        >>> factors = am.sparse.linalg.factorize([[2.0, 0.0], [1.0, 4.0]])
        >>> factors.solve([2.0, 9.0]), factors.solve([3.0, 4.0], trans="T")
        (array([1., 2.]), array([1., 1.]))
        """
        if trans not in _OPS:
            raise ValueError(f"trans is {trans!r}; there are 'N', 'T' and 'H'")
        b = np.asarray(rhs)
        rows, columns = self.shape if trans == "N" else self.shape[::-1]
        if b.ndim not in (1, 2) or len(b) != rows:
            raise ValueError(f"rhs has the shape {b.shape}, and there are {rows} equations")
        dtype = product_type(self.dtype, b, "rhs")
        if dtype != self.dtype:
            return self._solve_wider(b, trans, dtype)
        b = np.array(b, dtype, order="F")
        x = np.empty((columns, *b.shape[1:]), dtype, order="F")
        count = 1 if b.ndim == 1 else b.shape[1]
        sizes = [*self.shape, count, self._handle]
        call("sparseFactorsSolve", dtype, COLUMN_MAJOR, _OPS[trans], *sizes, b, max(rows, 1), x, max(columns, 1))
        return x

    def _solve_wider(self, b: np.ndarray, trans: str, dtype: np.dtype) -> np.ndarray:
        """Solves for complex right-hand sides of a real matrix; others are rounded to its type."""
        if dtype.kind != "c" or self.dtype.kind == "c":
            return self.solve(b.astype(self.dtype), trans)
        real, imaginary = (self.solve(part.astype(self.dtype), trans) for part in (b.real, b.imag))
        x = real.astype(np.result_type(self.dtype, np.complex64))
        x.imag = imaginary
        return x

    def update(self, A: Any) -> None:  # noqa: N803
        """Factorises a matrix with the same entries and other values, without a new ordering.

        If it fails, the old factors stay.

        Raises
        ------
        ValueError
            The entries are others.
        LinAlgError
            The matrix is singular, or of Cholesky not positive definite.

        Examples
        --------
        >>> import affinimath as am
        >>> factors = am.sparse.linalg.factorize([[2.0, 0.0], [0.0, 4.0]])
        >>> factors.update([[4.0, 0.0], [0.0, 8.0]])
        >>> factors.solve([4.0, 16.0])
        array([1., 2.])
        """
        a = as_csr(A)._promoted(self.dtype)  # it lives until the call is over
        check(_update(self._handle, a._handle))

    def condition(self) -> float:
        """An estimate of the condition number in the 1-norm; of QR that of R.

        Examples
        --------
        >>> import affinimath as am
        >>> round(am.sparse.linalg.factorize([[2.0, 0.0], [0.0, 8.0]]).condition(), 9)
        4.0
        """
        condition = ctypes.c_double()
        check(_condition(self._handle, condition))
        return condition.value

    def __call__(self, rhs: Any) -> np.ndarray:
        """The solution, as `solve`."""
        return self.solve(rhs)


def factorize(A: Any, method: str = "auto") -> SparseFactors:  # noqa: N803
    """Factorises a sparse matrix, with a fill-reducing ordering (AMD for Cholesky and LDL^H, COLAMD for LU and QR).

    Parameters
    ----------
    A : CsrMatrix, sparse matrix of SciPy's, or array_like
        The matrix, with at least as many rows as columns.
    method : {"auto", "cholesky", "ldl", "lu", "qr"}
        The factorisation. By default Cholesky for a Hermitian matrix with a positive diagonal, then LDL^H, then LU; of
        a matrix with more rows than columns QR.

    Raises
    ------
    LinAlgError
        The matrix is singular, of Cholesky not positive definite, or its columns are dependent.
    ValueError
        The matrix has more columns than rows, or for another method than QR is not square.

    Examples
    --------
    >>> import affinimath as am
    >>> factors = am.sparse.linalg.factorize([[4.0, 1.0], [1.0, 3.0]])
    >>> factors
    <cholesky factors of a 2 x 2 sparse matrix, 3 entries, float64>
    >>> factors.solve([5.0, 4.0]).round(12)
    array([1., 1.])
    """
    return SparseFactors(as_csr(A), method)


def spsolve(
    A: Any,  # noqa: N803
    b: Any,
    permc_spec: str | None = None,
    use_umfpack: bool = True,
) -> np.ndarray:
    """The solution of a square sparse system by factors: Cholesky or LDL^H of a Hermitian matrix, else LU.

    Parameters
    ----------
    A : CsrMatrix, sparse matrix of SciPy's, or array_like
        A square matrix.
    b : array_like or sparse matrix
        A right-hand side, or several as the columns of a matrix.
    permc_spec, use_umfpack
        Accepted for SciPy's sake: the ordering is AMD or COLAMD.

    Raises
    ------
    LinAlgError
        The matrix is singular. SciPy warns and gives NaN.

    Examples
    --------
    >>> import affinimath as am
    >>> am.sparse.linalg.spsolve(am.CsrMatrix([[2.0, 0.0], [1.0, 4.0]]), [2.0, 9.0])
    array([1., 2.])
    """
    a = _square(as_csr(A))
    b = b.toarray() if hasattr(b, "toarray") else np.asarray(b)
    if b.ndim not in (1, 2) or len(b) != a.shape[0]:
        raise ValueError(f"b has the shape {b.shape}, and there are {a.shape[0]} equations")
    # A float64 right-hand side of a float32 matrix has a float64 solution.
    dtype = product_type(a.dtype, b, "b")
    return factorize(a._promoted(dtype)).solve(b.astype(dtype, copy=False))


def splu(
    A: Any,  # noqa: N803
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SparseFactors:
    """The LU factors of a square sparse matrix, with partial pivoting and COLAMD's ordering.

    Parameters
    ----------
    A : CsrMatrix, sparse matrix of SciPy's, or array_like
        A square matrix.
    permc_spec, diag_pivot_thresh, relax, panel_size, options
        SuperLU's parameters, of which there are none here: a value is ignored with a warning.

    Raises
    ------
    LinAlgError
        The matrix is singular.

    Examples
    --------
    >>> import affinimath as am
    >>> factors = am.sparse.linalg.splu(am.CsrMatrix([[0.0, 2.0], [1.0, 4.0]]))
    >>> factors.solve([2.0, 5.0]), factors.solve([1.0, 6.0], trans="T")
    (array([1., 1.]), array([1., 1.]))
    """
    given = {
        "diag_pivot_thresh": diag_pivot_thresh,
        "relax": relax,
        "panel_size": panel_size,
        "options": options,
        "permc_spec": None if permc_spec in (None, "COLAMD") else permc_spec,
    }
    ignored = [name for name, value in given.items() if value is not None]
    if ignored:
        warnings.warn(f"splu ignores {', '.join(ignored)}: these are SuperLU's", stacklevel=2)
    return factorize(_square(as_csr(A)), "lu")


def factorized(A: Any) -> Callable[[Any], np.ndarray]:  # noqa: N803
    """A function that solves systems with a square sparse matrix, which it factorises once.

    Examples
    --------
    >>> import affinimath as am
    >>> solve = am.sparse.linalg.factorized(am.CsrMatrix([[2.0, 0.0], [1.0, 4.0]]))
    >>> solve([2.0, 9.0])
    array([1., 2.])
    """
    return factorize(_square(as_csr(A))).solve


def inv(A: Any) -> CsrMatrix:  # noqa: N803
    """The inverse of a square sparse matrix, as a sparse matrix. It mostly has no zeros: prefer `factorize`.

    Raises
    ------
    LinAlgError
        The matrix is singular.

    Examples
    --------
    >>> import affinimath as am
    >>> am.sparse.linalg.inv(am.CsrMatrix([[2.0, 0.0], [0.0, 4.0]])).toarray()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = _square(as_csr(A))
    return CsrMatrix(factorize(a).solve(np.eye(a.shape[0], dtype=a.dtype)))


def _square(a: CsrMatrix) -> CsrMatrix:
    if a.shape[0] != a.shape[1]:
        raise LinAlgError(f"A has the shape {a.shape}, and is not square", -1)
    return a
