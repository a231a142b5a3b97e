"""Triangular systems, inverses, determinants and least squares."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from ._arrays import columns, common_dtype, each, finite, lines, matrix, right_hand_sides, square, width
from ._library import (
    COLUMN_MAJOR,
    LOWER,
    NO_TRANS,
    NON_UNIT,
    TRANS,
    UNIT,
    UPPER,
    LinAlgError,
    call,
)
from ._lu import check_info, lu


def joined(b: np.ndarray) -> np.ndarray:
    """The right-hand sides of a stack as the columns of one matrix."""
    return np.moveaxis(b, -2, 0).reshape(b.shape[-2], int(np.prod(b.shape[:-2], dtype=np.int64)) * b.shape[-1])


def parted(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The columns of one matrix as a stack."""
    return np.moveaxis(x.reshape(shape[-2], *shape[:-2], shape[-1]), 0, -2)


def triangular(
    a: np.ndarray,
    b: np.ndarray,
    dtype: np.dtype,
    lower: bool,
    op: int | bool,
    *,
    unit: bool = False,
    overwrite: bool = False,
) -> np.ndarray:
    """The solution by substitution (LAPACK's trtrs). The operation is 0, 1 for the transpose, 2 for the adjoint."""
    n, vector = a.shape[-1], b.ndim == 1
    if a.ndim == 2 and b.ndim > 2:
        flat = joined(b)
        overwrite = not np.may_share_memory(flat, b)
        return parted(triangular(a, flat, dtype, lower, op, unit=unit, overwrite=overwrite), b.shape)
    if a.ndim == 2 or vector:
        x = columns(b[:, np.newaxis] if vector else b, dtype, overwrite=overwrite)
    if a.ndim > 2:
        b = b[:, np.newaxis] if vector else b
        shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, x = np.broadcast_to(a, (*shape, n, n)), columns(np.broadcast_to(b, (*shape, *b.shape[-2:])), dtype)
    triangles = columns(a, dtype, overwrite=True)
    options = [UPPER if not lower else LOWER, (NO_TRANS, TRANS, TRANS + 1)[int(op)], UNIT if unit else NON_UNIT]
    diagonal = np.diagonal(triangles, axis1=-2, axis2=-1)
    if not unit and diagonal.size:
        zero = diagonal == 0
        check_info(np.where(zero.any(axis=-1), zero.argmax(axis=-1) + 1, 0), n)
    for one, part in each(x, triangles):
        call("trtrs", dtype, COLUMN_MAJOR, *options, n, x.shape[-1], part, max(n, 1), one, max(n, 1))
    return x[..., 0] if vector else x


def solve_triangular(
    a: Any,
    b: Any,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> np.ndarray:
    """The solution x of op(a) x = b for a triangle of a, with the arguments of `scipy.linalg.solve_triangular`.

    Parameters
    ----------
    a : array_like
        A square matrix, or a stack of them.
    b : array_like
        A right-hand side, or several as the columns of a matrix.
    trans : {0, 1, 2, "N", "T", "C"}
        The system is of a, of its transpose, or of its adjoint.
    lower : bool
        The lower triangle is read, else the upper one.
    unit_diagonal : bool
        The diagonal counts as ones.
    overwrite_b : bool
        A `b` in column-major order may be overwritten, which saves a copy.
    check_finite : bool
        A NaN or an infinity in an operand is a ValueError.

    Raises
    ------
    LinAlgError
        The diagonal has a zero.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.solve_triangular([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0], lower=True)
    array([1., 2.])
    """
    ops = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}
    if trans not in ops:
        raise ValueError(f"trans is {trans!r}; there are 0, 1, 2, 'N', 'T' and 'C'")
    a = square(a)
    b = right_hand_sides(b, a.shape[-1])
    dtype = common_dtype(a, b)
    finite(a, "a", check_finite)
    finite(b, "b", check_finite)
    return triangular(a, b, dtype, lower, ops[trans], unit=unit_diagonal, overwrite=overwrite_b)


def inv(a: Any, *, overwrite_a: bool = False, check_finite: bool = False) -> np.ndarray:
    """The inverse of a square matrix, or of each of a stack, by LU factors.

    To solve a system, use `solve`: it takes less time and is more accurate.

    Raises
    ------
    LinAlgError
        a is singular.

    Examples
    --------
    >>> import affinimath as am
    >>> am.inv([[2.0, 1.0], [1.0, 1.0]])
    array([[ 1., -1.],
           [-1.,  2.]])
    """
    a = square(a)
    finite(a, "a", check_finite)
    return lu(a, overwrite_a=overwrite_a).inv()


def det(a: Any, *, overwrite_a: bool = False, check_finite: bool = False) -> Any:
    """The determinant of a square matrix, or of each of a stack, by LU factors.

    Examples
    --------
    >>> import affinimath as am
    >>> float(am.det([[0.0, 2.0], [3.0, 0.0]]))
    -6.0
    """
    a = square(a)
    finite(a, "a", check_finite)
    return lu(a, overwrite_a=overwrite_a).det()


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the logarithm of its modulus.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.SlogdetResult(1.0, 0.0).logabsdet
    0.0
    """

    sign: Any
    """The determinant over its modulus; 0 where it is 0."""
    logabsdet: Any
    """The natural logarithm of the modulus; minus infinity where the determinant is 0."""


def slogdet(a: Any) -> SlogdetResult:
    """The sign and the logarithm of the determinant of a square matrix, or of each of a stack.

    Examples
    --------
    >>> import affinimath as am
    >>> sign, logabsdet = am.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> float(sign), float(logabsdet)
    (-1.0, 0.0)
    """
    return SlogdetResult(*lu(square(a)).slogdet())


class LeastSquares(NamedTuple):
    """A least-squares solution: `lstsq` returns it, and it unpacks in NumPy's order.

    Examples
    --------
    >>> import affinimath as am
    >>> found = am.lstsq([[1.0], [1.0]], [1.0, 3.0])
    >>> found.x.round(12), found.residuals.round(12), found.rank
    (array([2.]), array([2.]), 1)
    """

    x: np.ndarray
    """The least-squares solution of least norm: n elements for each right-hand side."""
    residuals: np.ndarray
    """The sum of squares of b - a x for each right-hand side, where the rank is n < m; else empty, as NumPy's."""
    rank: int
    """The rank of a."""
    s: np.ndarray
    """The singular values of a in descending order."""


def lstsq(a: Any, b: Any, rcond: float | None = None) -> LeastSquares:
    """The x of least norm among those that minimise the norm of b - a x, for an a of any rank (LAPACK's gelsd).

    Singular values of at most rcond times the largest one count as zero.

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n).
    b : array_like
        A right-hand side of length m, or several as the columns of a matrix.
    rcond : float, optional
        What counts as zero beside the largest singular value; without it max(m, n) times the type's epsilon. A
        negative one stands for the epsilon, as NumPy has it.

    Returns
    -------
    LeastSquares
        The named tuple (x, residuals, rank, s).

    Raises
    ------
    LinAlgError
        a or b has a NaN or an infinity.
    ValueError
        The shapes do not fit, or rcond is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> x, residuals, rank, s = am.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0])
    >>> bool(np.allclose(x, [1, 2])), rank, s.round(3)
    (True, 2, array([2.676, 0.915]))
    """
    a = matrix(a)
    m, n = a.shape
    b = right_hand_sides(matrix(b, "b") if np.ndim(b) != 1 else b, m)
    dtype = common_dtype(a, b)
    epsilon = float(np.finfo(dtype).eps)
    if rcond is None:
        rcond = max(m, n) * epsilon
    elif rcond != rcond:
        raise ValueError("rcond is NaN")
    elif rcond < 0:
        rcond = epsilon
    factors = columns(a, dtype)
    # There are rows for the longer of b and x. Without right-hand sides a zero stands in.
    x = np.zeros((max(m, n), *(b.shape[1:] if b.size or not m else (1,))), dtype, order="F")
    if b.size:
        x[:m] = b
    if not (np.isfinite(factors).all() and np.isfinite(x).all()):
        raise LinAlgError("a or b has a NaN or an infinity, and least squares have no solution", 0)
    s = np.zeros(min(m, n), factors.real.dtype)
    rank, count = ctypes.c_int32(), width(x)
    operands = [factors, lines(factors), x, lines(x), s, float(rcond), ctypes.addressof(rank)]
    call("gelsd", dtype, COLUMN_MAJOR, m, n, count, *operands)
    if m and not b.size:
        x = x[:, :0]
    rest = x[n:] if rank.value == n < m else x[:0]
    residuals = np.atleast_1d(np.sum(rest.real**2 + rest.imag**2, axis=0))
    if len(rest) == 0:
        residuals = residuals[:0]
    return LeastSquares(x[:n].copy(order="F"), residuals, rank.value, s)
