"""Tridiagonal and band systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import batch, columns, common_dtype, finite, lines, matrices, matrix, right_hand_sides, width
from ._factorizations import NOT_POSITIVE
from ._library import COLUMN_MAJOR, LOWER, UPPER, call, status_of
from ._lu import check_info
from ._systems import joined, parted


def bandwidths(a: np.ndarray) -> tuple[int, int]:
    """The diagonals below and above the main one of a matrix, or of a stack, up to the last that is not zero."""
    if a.ndim > 2:
        a = (a != 0).any(axis=tuple(range(a.ndim - 2)))
    n = len(a)
    if n < 2:
        return 0, 0
    if a[-1, 0] != 0 and a[0, -1] != 0:
        return n - 1, n - 1
    filled, rows = a != 0, np.arange(n)
    # The first and the last element of each row that is not zero; a row of zeros counts as its diagonal.
    filled[rows, rows] = True
    first, last = filled.argmax(axis=1), n - 1 - filled[:, ::-1].argmax(axis=1)
    return int((rows - first).max()), int((last - rows).max())


def band_of(a: np.ndarray, below: int, above: int, dtype: np.dtype) -> np.ndarray:
    """The diagonals of a matrix as the rows of an array, from the highest on, with rows for those of its factors.

    Of a stack it is a stack of arrays by columns.
    """
    n = a.shape[-1]
    band = _empty_band(a.shape[:-2], below, above, n, dtype)
    for offset in range(-below, above + 1):
        diagonal = np.diagonal(a, offset, axis1=-2, axis2=-1)
        band[..., below + above - offset, max(offset, 0) : n + min(offset, 0)] = diagonal
    return band


def _empty_band(stack: tuple[int, ...], below: int, above: int, n: int, dtype: np.dtype) -> np.ndarray:
    """Zeros for a band by columns, with rows for its factors; or for a stack of bands."""
    return np.zeros((*stack, n, 2 * below + above + 1), dtype).swapaxes(-1, -2)


def solve_tridiagonal(
    diagonals: Sequence[np.ndarray], b: np.ndarray, dtype: np.dtype, *, overwrite_b: bool = False
) -> np.ndarray:
    """The solution for the diagonals below, on and above the main one, of order 2 or more; of stacks in one call."""
    dl, d, du = (np.array(diagonal, dtype, order="C") for diagonal in diagonals)
    n = d.shape[-1]
    if d.ndim == 1:
        x = columns(b, dtype, overwrite=overwrite_b)
        check_info(status_of("gtsv", dtype, COLUMN_MAJOR, n, width(x), dl, d, du, x, lines(x)), n)
        return x
    vector = b.ndim == 1
    b = b[:, np.newaxis] if vector else b
    shape = np.broadcast_shapes(d.shape[:-1], b.shape[:-2])
    x = columns(np.broadcast_to(b, (*shape, *b.shape[-2:])), dtype)
    # Each system gets diagonals of its own, which the factors overwrite.
    dl, d, du = (np.array(np.broadcast_to(part, (*shape, part.shape[-1])), order="C") for part in (dl, d, du))
    info = np.zeros(shape, np.int32)
    if x.size:
        operands = [dl, n - 1, d, n, du, n - 1, *batch(x), info, info.size]
        call("gtsvStridedBatched", dtype, COLUMN_MAJOR, n, x.shape[-1], *operands)
        check_info(info, n)
    return x[..., 0] if vector else x


def solve_band(diagonals: tuple[int, int], band: np.ndarray, b: np.ndarray, *, overwrite_b: bool = False) -> np.ndarray:
    """The solution for a band by columns with rows for its factors, which overwrite it; of stacks in one call."""
    (below, above), n, dtype = diagonals, band.shape[-1], band.dtype
    if band.ndim > 2:
        return _solve_bands(diagonals, band, b)
    x = columns(b, dtype, overwrite=overwrite_b)
    operands = [band, lines(band), np.empty(n, np.int32), x, lines(x)]
    check_info(status_of("gbsv", dtype, COLUMN_MAJOR, n, below, above, width(x), *operands), n)
    return x


def _solve_bands(diagonals: tuple[int, int], bands: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The solutions for a stack of bands."""
    (below, above), n, dtype, vector = diagonals, bands.shape[-1], bands.dtype, b.ndim == 1
    b = b[:, np.newaxis] if vector else b
    shape = np.broadcast_shapes(bands.shape[:-2], b.shape[:-2])
    x = columns(np.broadcast_to(b, (*shape, *b.shape[-2:])), dtype)
    if shape != bands.shape[:-2]:
        # Each system gets a band of its own, which the factors overwrite.
        bands = columns(np.broadcast_to(bands, (*shape, *bands.shape[-2:])), dtype)
    info, pivots = np.zeros(shape, np.int32), np.empty((*shape, n), np.int32)
    if x.size:
        operands = [*batch(bands), pivots, n, *batch(x), info, info.size]
        call("gbsvStridedBatched", dtype, COLUMN_MAJOR, n, below, above, x.shape[-1], *operands)
        check_info(info, n)
    return x[..., 0] if vector else x


def solve_banded(
    l_and_u: tuple[int, int],
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> np.ndarray:
    """The solution x of a x = b for a band matrix, with the arguments of `scipy.linalg.solve_banded`.

    Three diagonals are solved by LAPACK's gtsv, other bands by gbsv. Stacks of bands are solved in one call.

    Parameters
    ----------
    l_and_u : (int, int)
        The diagonals below the main one, and those above it.
    ab : array_like
        The diagonals as rows: ``ab[u + i - j, j] == a[i, j]``, of shape (l + u + 1, n). Axes before these are those of
        a stack.
    b : array_like
        A right-hand side of length n, or several as the columns of a matrix. Axes before these broadcast with a
        stack's.
    overwrite_ab : bool
        Accepted for SciPy's sake: the band is copied to where there is room for its factors.
    overwrite_b : bool
        A `b` in column-major order may be overwritten, which saves a copy.
    check_finite : bool
        A NaN or an infinity in an operand is a ValueError.

    Raises
    ------
    LinAlgError
        a is singular.
    ValueError
        The shapes do not fit.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.solve_banded((1, 0), [[2.0, 4.0], [1.0, 0.0]], [2.0, 9.0])
    array([1., 2.])
    """
    below, above = (int(count) for count in l_and_u)
    ab = matrices(ab, "ab")
    if below < 0 or above < 0:
        raise ValueError(f"l_and_u is {(below, above)}, and no count of diagonals is negative")
    if below + above + 1 != ab.shape[-2]:
        raise ValueError(f"ab has {ab.shape[-2]} rows, and l + u + 1 = {below + above + 1} diagonals")
    n = ab.shape[-1]
    b = right_hand_sides(b, n)
    dtype = _checked(ab, b, check_finite)
    if ab.ndim == 2 and b.ndim > 2:
        # One band for a stack of right-hand sides is factorised once.
        return parted(solve_banded(l_and_u, ab, joined(b), overwrite_b=True, check_finite=False), b.shape)
    if below == above == 1 and n > 1:
        parts = [ab[..., 2, :-1], ab[..., 1, :], ab[..., 0, 1:]]
        return solve_tridiagonal(parts, b, dtype, overwrite_b=overwrite_b)
    band = _empty_band(ab.shape[:-2], below, above, n, dtype)
    band[..., below:, :] = ab
    return solve_band((below, above), band, b, overwrite_b=overwrite_b)


def solveh_banded(
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> np.ndarray:
    """The solution x of a x = b for a Hermitian positive definite band, as by `scipy.linalg.solveh_banded`.

    It is found by Cholesky factors (LAPACK's pbsv).

    Parameters
    ----------
    ab : array_like
        The diagonals as rows, of shape (u + 1, n): ``ab[u + i - j, j] == a[i, j]`` for those from the main one
        upwards, or with `lower` ``ab[i - j, j] == a[i, j]``.
    b : array_like
        A right-hand side of length n, or several as the columns of a matrix.
    overwrite_ab, overwrite_b : bool
        Operands in column-major order may be overwritten, which saves copies.
    lower : bool
        The diagonals are those from the main one downwards.
    check_finite : bool
        A NaN or an infinity in an operand is a ValueError.

    Raises
    ------
    LinAlgError
        a is not positive definite.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.solveh_banded([[4.0, 5.0], [2.0, 0.0]], [8.0, 12.0], lower=True)
    array([1., 2.])
    """
    ab = matrix(ab, "ab")
    if not len(ab):
        raise ValueError("ab has no diagonal")
    n = ab.shape[1]
    b = right_hand_sides(b, n)
    if b.ndim > 2:
        raise ValueError(f"b has {b.ndim} dimensions; it is a vector or a matrix")
    dtype = _checked(ab, b, check_finite)
    band, x = columns(ab, dtype, overwrite=overwrite_ab), columns(b, dtype, overwrite=overwrite_b)
    uplo = LOWER if lower else UPPER
    operands = [band, lines(band), x, lines(x)]
    check_info(status_of("pbsv", dtype, COLUMN_MAJOR, uplo, n, len(ab) - 1, width(x), *operands), n, NOT_POSITIVE)
    return x


def _checked(ab: np.ndarray, b: np.ndarray, check_finite: bool) -> np.dtype:
    """The type of a solution, of operands that are finite if that is to be checked."""
    finite(ab, "ab", check_finite)
    finite(b, "b", check_finite)
    return common_dtype(ab, b, names=("ab", "b"))
