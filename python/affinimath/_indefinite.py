"""Factors of symmetric and Hermitian matrices that need not be definite."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import columns, common_dtype, finite, lines, matrix, square
from ._library import COLUMN_MAJOR, LOWER, UPPER, status_of


def ldl(
    a: Any, lower: bool = True, hermitian: bool = True, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The factors of a = L D Lᴴ or U D Uᴴ with symmetric pivoting, as by `scipy.linalg.ldl` (LAPACK's sytrf, hetrf).

    Parameters
    ----------
    a : array_like
        A symmetric or Hermitian matrix, of which one triangle is read.
    lower : bool
        The lower triangle is read, and the outer factor is L; else the upper one, and U.
    hermitian : bool
        A complex matrix is Hermitian; else symmetric, and a = L D Lᵀ.
    overwrite_a : bool
        An `a` in column-major order may be overwritten, which saves a copy.
    check_finite : bool
        A NaN or an infinity in a is a ValueError.

    Returns
    -------
    lu : ndarray
        The outer factor, with rows in the order of those of a.
    d : ndarray
        Blocks of order 1 and 2 on the diagonal.
    perm : ndarray
        Indices with which lu[perm] is a triangle with ones on the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> a = np.array([[0.0, 2.0], [2.0, 0.0]])
    >>> lu, d, perm = am.linalg.ldl(a)
    >>> bool(np.allclose(lu @ d @ lu.T, a)), lu[perm]
    (True, array([[1., 0.],
           [0., 1.]]))
    """
    a = square(matrix(a))
    finite(a, "a", check_finite)
    dtype, n = common_dtype(a), len(a)
    factors, pivots = columns(a, dtype, overwrite=overwrite_a), np.zeros(n, np.int32)
    is_hermitian = hermitian and dtype.kind == "c"
    name, uplo = "hetrf" if is_hermitian else "sytrf", LOWER if lower else UPPER
    # A singular matrix has factors too.
    status_of(name, dtype, COLUMN_MAJOR, uplo, n, factors, lines(factors), pivots)
    outer = np.tril(factors, -1) if lower else np.triu(factors, 1)
    d = np.diag(np.diagonal(factors))
    if is_hermitian:
        d.imag = 0
    perm, step = np.arange(n), 1 if lower else -1
    k = 0 if lower else n - 1
    while 0 <= k < n:
        # A negative pivot is that of the second column of a block of order 2.
        width = 1 if pivots[k] > 0 else 2
        second = k + step * (width - 1)
        other = abs(int(pivots[k])) - 1
        if width == 2:
            element = outer[second, k]
            outer[second, k] = 0
            d[second, k], d[k, second] = element, element.conj() if is_hermitian else element
        # Rows of the columns before are interchanged, which LAPACK leaves where they were.
        before = slice(0, k) if lower else slice(k + 1, n)
        outer[[second, other], before] = outer[[other, second], before]
        perm[[second, other]] = perm[[other, second]]
        k += step * width
    outer[np.arange(n), np.arange(n)] = 1
    factor = np.empty_like(outer)
    factor[perm] = outer
    return factor, d, perm
