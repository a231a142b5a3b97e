"""Norms, powers and triangular systems of sparse matrices, by the names of scipy.sparse.linalg."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ._csr import CsrMatrix, as_csr
from ._csr_arrays import product_type
from ._library import LOWER, NO_TRANS, NON_UNIT, UNIT, UPPER, LinAlgError, call


def spsolve_triangular(
    A: Any,  # noqa: N803, SciPy's name
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,  # noqa: N803
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> np.ndarray:
    """The solution x of A x = b for a triangle of a sparse matrix.

    Parameters
    ----------
    A : CsrMatrix or sparse matrix of SciPy's
        A square matrix. Entries on the other side of the diagonal are not used; SciPy refuses them.
    b : array_like
        A right-hand side, or several as the columns of a matrix.
    lower : bool
        The lower triangle is used, else the upper one.
    overwrite_A, overwrite_b : bool
        Accepted for SciPy's sake: nothing is overwritten.
    unit_diagonal : bool
        The diagonal counts as ones.

    Raises
    ------
    LinAlgError
        The diagonal has a zero.

    Examples
    --------
    >>> import affinimath as am
    >>> am.sparse.linalg.spsolve_triangular(am.CsrMatrix([[2.0, 0.0], [1.0, 4.0]]), [2.0, 9.0])
    array([1., 2.])
    """
    a, b = as_csr(A), np.asarray(b)
    n = a.shape[0]
    if a.shape[1] != n:
        raise ValueError(f"A has the shape {a.shape}, and is not square")
    if b.ndim not in (1, 2) or len(b) != n:
        raise ValueError(f"b has the shape {b.shape}, and there are {n} equations")
    dtype = product_type(a.dtype, b, "b")
    if not unit_diagonal:
        zeros = np.flatnonzero(a.diagonal() == 0)
        if len(zeros):
            raise LinAlgError(f"the matrix is singular: element {zeros[0] + 1} of its diagonal is zero", zeros[0] + 1)
    a, x = a._promoted(dtype), np.array(b, dtype, order="F")
    options = [LOWER if lower else UPPER, NO_TRANS, UNIT if unit_diagonal else NON_UNIT, a._handle]
    for column in x[:, np.newaxis].T if x.ndim == 1 else x.T:
        call("csrsv", dtype, *options, column, 1)
    return x


def norm(x: Any, ord: Any = None, axis: int | None = None) -> Any:
    """The norm of a sparse matrix, or of each of its columns (axis 0) or rows (axis 1).

    Parameters
    ----------
    x : CsrMatrix or sparse matrix of SciPy's
        The matrix.
    ord : {None, "fro", 1, -1, inf, -inf}
        Of a matrix as in `affinimath.linalg.norm`; of rows and columns 1, 2 or inf.
    axis : {None, 0, 1}
        The axis of the vectors.

    Raises
    ------
    NotImplementedError
        The order is 2 or -2: that needs singular values.

    Examples
    --------
    >>> import affinimath as am
    >>> float(am.sparse.linalg.norm(am.CsrMatrix([[3.0, 0.0], [0.0, -4.0]])))
    5.0
    """
    a = as_csr(x).sorted()
    moduli, columns = np.abs(a.data), a.indices
    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    if axis is None:
        if ord in (2, -2):
            raise NotImplementedError(f"ord={ord!r} needs singular values; there are 1, -1, inf, -inf and 'fro'")
        if ord in (None, "fro", "f"):
            return moduli.dtype.type(np.linalg.norm(moduli))
        if ord not in (1, -1, np.inf, -np.inf):
            raise ValueError(f"ord is {ord!r}; a matrix has 1, -1, inf, -inf and 'fro'")
        places, extent = (columns, a.shape[1]) if abs(ord) == 1 else (rows, a.shape[0])
        sums = np.bincount(places, moduli, extent)
        return moduli.dtype.type(sums.max() if ord > 0 else sums.min())
    if axis not in (0, 1, -1, -2):
        raise ValueError(f"axis is {axis!r}, and a matrix has 0 and 1")
    places, extent = (columns, a.shape[1]) if axis % 2 == 0 else (rows, a.shape[0])
    if ord in (None, 2):
        return np.sqrt(np.bincount(places, moduli.astype(np.float64) ** 2, extent)).astype(moduli.dtype)
    if ord == 1:
        return np.bincount(places, moduli, extent).astype(moduli.dtype)
    if ord == np.inf:
        largest = np.zeros(extent, moduli.dtype)
        np.maximum.at(largest, places, moduli)
        return largest
    raise ValueError(f"ord is {ord!r}; rows and columns have 1, 2 and inf")


def matrix_power(A: Any, power: int) -> CsrMatrix:  # noqa: N803
    """The power of a square sparse matrix, by repeated squares; the power is not negative.

    Examples
    --------
    >>> import affinimath as am
    >>> am.sparse.linalg.matrix_power(am.CsrMatrix([[1.0, 1.0], [0.0, 1.0]]), 5).toarray()
    array([[1., 5.],
           [0., 1.]])
    """
    a, power = as_csr(A), operator.index(power)
    n = a.shape[0]
    if a.shape[1] != n:
        raise ValueError(f"A has the shape {a.shape}, and is not square")
    if power < 0:
        raise ValueError(f"power is {power}, and the inverse of a sparse matrix is not computed")
    result = CsrMatrix((np.ones(n, a.dtype), np.arange(n), np.arange(n + 1)), (n, n))
    while power:
        if power & 1:
            result = result @ a
        power >>= 1
        if power:
            a = a @ a
    return result


def spbandwidth(A: Any) -> tuple[int, int]:  # noqa: N803
    """The lower and the upper bandwidth of a sparse matrix.

    Examples
    --------
    >>> import affinimath as am
    >>> am.sparse.linalg.spbandwidth(am.CsrMatrix([[1.0, 0.0, 2.0], [3.0, 1.0, 0.0]]))
    (1, 2)
    """
    a = as_csr(A)
    offsets = a.indices - np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    return max(-int(offsets.min(initial=0)), 0), max(int(offsets.max(initial=0)), 0)


def is_sptriangular(A: Any) -> tuple[bool, bool]:  # noqa: N803
    """Two truth values: a sparse matrix is lower triangular, and it is upper triangular.

    Examples
    --------
    >>> import affinimath as am
    >>> am.sparse.linalg.is_sptriangular(am.CsrMatrix([[1.0, 2.0], [0.0, 3.0]]))
    (False, True)
    """
    below, above = spbandwidth(A)
    return above == 0, below == 0
