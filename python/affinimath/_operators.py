"""Linear operators without a matrix, and how the C library calls them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from ._arrays import common_dtype
from ._csr import CsrMatrix, as_csr, is_sparse
from ._dispatch import takes_arrays
from ._library import CONJ_TRANS
from ._products import matmul

_OPERATOR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
#: A function that raises returns this to the library, which ends the solve then.
_RAISED = -1999


class LinearOperator:
    """A matrix that is known by its products with vectors.

    Operators of SciPy's, and other objects with `shape` and `matvec`, are taken by all solvers, too.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns.
    matvec : callable
        Returns A x for a vector x.
    rmatvec : callable, optional
        Returns Aᴴ x, which least squares need.
    dtype : dtype, optional
        The type of the products; else that of the right-hand side.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> diagonal = am.sparse.linalg.LinearOperator((3, 3), lambda x: np.array([1.0, 2.0, 4.0]) * x)
    >>> x, info = am.cg(diagonal, [1.0, 2.0, 4.0])
    >>> x.round(6), info
    (array([1., 1., 1.]), 0)
    """

    def __init__(
        self,
        shape: tuple[int, int],
        matvec: Callable[[np.ndarray], Any],
        rmatvec: Callable[[np.ndarray], Any] | None = None,
        dtype: Any = None,
    ) -> None:
        self.shape = int(shape[0]), int(shape[1])
        self.dtype = None if dtype is None else np.dtype(dtype)
        self._matvec = matvec
        self._rmatvec = rmatvec

    @takes_arrays
    def matvec(self, x: Any) -> np.ndarray:
        """The product A x.

        Examples
        --------
        >>> import affinimath as am
        >>> am.sparse.linalg.aslinearoperator([[1.0, 2.0]]).matvec([1.0, 1.0])
        array([3.])
        """
        return self._applied(self._matvec, np.asarray(x), self.shape[0], self.shape[1])

    @takes_arrays
    def rmatvec(self, x: Any) -> np.ndarray:
        """The product Aᴴ x.

        Raises
        ------
        NotImplementedError
            The operator has none.

        Examples
        --------
        >>> import affinimath as am
        >>> am.sparse.linalg.aslinearoperator([[1.0, 2.0]]).rmatvec([1.0])
        array([1., 2.])
        """
        if self._rmatvec is None:
            raise NotImplementedError("the operator has no rmatvec")
        return self._applied(self._rmatvec, np.asarray(x), self.shape[1], self.shape[0])

    @property
    def H(self) -> LinearOperator:  # noqa: N802, SciPy's name
        """The adjoint."""
        return LinearOperator((self.shape[1], self.shape[0]), self.rmatvec, self.matvec, self.dtype)

    def dot(self, x: Any) -> np.ndarray:
        """The product with a vector or a dense matrix.

        Examples
        --------
        >>> import affinimath as am
        >>> am.sparse.linalg.aslinearoperator([[1.0, 2.0]]).dot([[1.0, 0.0], [1.0, 1.0]])
        array([[3., 2.]])
        """
        product: np.ndarray = self @ x
        return product

    @takes_arrays
    def __matmul__(self, x: Any) -> Any:
        x = np.asarray(x)
        if x.ndim == 1:
            return self.matvec(x)
        if x.ndim != 2 or x.shape[0] != self.shape[1]:
            raise ValueError(f"x has the shape {x.shape}, and the operator {self.shape[1]} columns")
        if x.shape[1] == 0:
            return np.empty((self.shape[0], 0), x.dtype)
        return np.stack([self.matvec(column) for column in x.T], axis=1)

    @staticmethod
    def _applied(apply: Callable[[np.ndarray], Any], x: np.ndarray, rows: int, columns: int) -> np.ndarray:
        if x.shape not in ((columns,), (columns, 1)):
            raise ValueError(f"x has the shape {x.shape}, and the operator {columns} columns")
        return np.asarray(apply(x.reshape(columns))).reshape(rows)


def aslinearoperator(a: Any) -> Any:
    """An operator of a dense or sparse matrix; an operator is returned as it is.

    Examples
    --------
    >>> import affinimath as am
    >>> am.sparse.linalg.aslinearoperator([[1.0, 2.0]]).shape
    (1, 2)
    """
    if hasattr(a, "matvec") and hasattr(a, "shape"):
        return a
    if is_sparse(a):
        csr = as_csr(a)
        return LinearOperator(csr.shape, csr.dot, lambda x: csr.dot(x, op="adjoint"), csr.dtype)
    dense = np.asarray(a)
    if dense.ndim != 2:
        raise ValueError(f"A has {dense.ndim} dimensions; a matrix has two")
    dtype = common_dtype(dense, names=("A",))
    dense = np.asarray(dense, dtype)
    adjoint = dense.conj().T
    return LinearOperator(dense.shape, lambda x: matmul(dense, x), lambda x: matmul(adjoint, x), dtype)


def system(a: Any) -> Any:
    """A sparse matrix as the library has it, or an operator."""
    if isinstance(a, CsrMatrix):
        return a
    return as_csr(a) if is_sparse(a) else aslinearoperator(a)


class Callback:
    """A function for the C library that calls an operator. The operator's exception is raised after the solve."""

    def __init__(self, operator: Any, dtype: np.dtype) -> None:
        self.raised: BaseException | None = None
        self._operator = operator
        self._dtype = dtype

    def function(self) -> Any:
        """The function as C takes it. It is the caller's to hold: an object that held it would hold itself."""
        return _OPERATOR(self._call)

    def _call(self, user: int | None, op: int, x: int, y: int) -> int:
        try:
            rows, columns = self._operator.shape
            adjoint = op == CONJ_TRANS
            apply = self._operator.rmatvec if adjoint else self._operator.matvec
            sizes = (rows, columns) if adjoint else (columns, rows)
            # The operator gets a copy: the library's memory is gone after the solve.
            product = np.asarray(apply(self._memory(x, sizes[0]).copy())).reshape(sizes[1])
            if not np.can_cast(product.dtype, self._dtype, "same_kind"):
                raise TypeError(f"the operator has made {product.dtype} of {self._dtype}")
            self._memory(y, sizes[1])[:] = product
            return 0
        except BaseException as error:
            self.raised = error
            return _RAISED

    def _memory(self, place: int, count: int) -> np.ndarray:
        """Elements of the library's."""
        buffer = (ctypes.c_char * (count * self._dtype.itemsize)).from_address(place)
        return np.ndarray((count,), self._dtype, memoryview(buffer))

    def check(self) -> None:
        """Raises what the operator has raised."""
        if self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised
