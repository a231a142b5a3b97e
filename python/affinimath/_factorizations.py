"""Factorisations, and what is solved with them."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from ._arrays import columns, common_dtype, lines, matrix, right_hand_sides, square
from ._library import (
    COLUMN_MAJOR,
    CONJ_TRANS,
    LEFT,
    LOWER,
    NO_TRANS,
    NON_UNIT,
    TRANS,
    UPPER,
    LinAlgError,
    address,
    call,
    check,
    routine,
    status_of,
)


def solve(a: Any, b: Any, *, assume: str = "general") -> np.ndarray:
    """The solution x of a x = b.

    Parameters
    ----------
    a : array_like
        A square matrix of order n.
    b : array_like
        A right-hand side of length n, or several as the columns of a matrix.
    assume : {"general", "positive definite"}
        What is known of a. Of a positive definite matrix, symmetric or Hermitian, the lower triangle is read.

    Returns
    -------
    ndarray
        x, of b's shape.

    Raises
    ------
    LinAlgError
        a is singular, or not positive definite.
    ValueError
        The shapes do not fit.
    """
    if assume not in ("general", "positive definite"):
        raise ValueError(f"assume is {assume!r}; there are 'general' and 'positive definite'")
    a = square(a)
    n = len(a)
    b = right_hand_sides(b, n)
    # The factors have to be of the solution's type.
    dtype = common_dtype(a, b)
    factors, x, leading = columns(a, dtype), columns(b, dtype), n or 1
    if assume == "general":
        pivots, count = np.empty(n, np.int32), _count(x)
        place, x_place = address(factors), address(x)
        solver = routine("gesv", dtype)
        status = solver(COLUMN_MAJOR, n, count, place, leading, address(pivots), x_place, leading)
        if status > 0:
            raise _singular(status, n)
    else:
        solver = routine("posv", dtype)
        status = solver(COLUMN_MAJOR, LOWER, n, _count(x), address(factors), leading, address(x), leading)
    if status:
        check(status)
    return x


def inv(a: Any) -> np.ndarray:
    """The inverse of a square matrix, by its LU factors.

    To solve a system, use `solve`: it takes less time and is more accurate.

    Raises
    ------
    LinAlgError
        a is singular.
    """
    return lu(square(a)).inverse()


def lu(a: Any) -> LU:
    """The factors L and U of a matrix with its rows exchanged, P a = L U (LAPACK's getrf).

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n).

    Returns
    -------
    LU
        The factors. Those of a singular matrix exist too; they solve nothing.
    """
    a = matrix(a)
    factors = columns(a, common_dtype(a))
    m, n = factors.shape
    pivots = np.empty(min(m, n), np.int32)
    singular = status_of("getrf", factors.dtype, COLUMN_MAJOR, m, n, factors, lines(factors), pivots)
    return LU(factors, pivots, singular)


class LU:
    """P a = L U: the factors of a matrix, which solve any number of systems.

    Attributes
    ----------
    factors : ndarray
        L below the diagonal, without its ones, and U.
    pivots : ndarray of int32
        LAPACK's: row i was exchanged with row pivots[i] - 1, for one i after the other.
    """

    def __init__(self, factors: np.ndarray, pivots: np.ndarray, singular: int = 0) -> None:
        self.factors = factors
        self.pivots = pivots
        self._singular = singular

    @property
    def permutation(self) -> np.ndarray:
        """The rows of a in the order of those of L U: a[permutation] = l @ u."""
        order = np.arange(self.factors.shape[0])
        for i, pivot in enumerate(self.pivots - 1):
            order[[i, pivot]] = order[[pivot, i]]
        return order

    @property
    def l(self) -> np.ndarray:
        """The factor L, of shape (m, min(m, n)), with ones on its diagonal."""
        lower = np.tril(self.factors[:, : len(self.pivots)], -1)
        np.fill_diagonal(lower, 1)
        return lower

    @property
    def u(self) -> np.ndarray:
        """The factor U, of shape (min(m, n), n)."""
        return np.triu(self.factors[: len(self.pivots)])

    def solve(self, b: Any, *, transposed: bool = False) -> np.ndarray:
        """The solution x of a x = b, or of the transposed system, for one or several right-hand sides.

        Raises
        ------
        LinAlgError
            a is singular.
        """
        n = self._order()
        b = right_hand_sides(b, n)
        x, factors = _in_place(b, self.factors)
        call(
            "getrs",
            x.dtype,
            COLUMN_MAJOR,
            TRANS if transposed else NO_TRANS,
            n,
            _count(x),
            factors,
            lines(factors),
            self.pivots,
            x,
            lines(x),
        )
        return x

    def inverse(self) -> np.ndarray:
        """The inverse of a.

        Raises
        ------
        LinAlgError
            a is singular.
        """
        n = self._order()
        inverse = self.factors.copy(order="F")
        call("getri", inverse.dtype, COLUMN_MAJOR, n, inverse, lines(inverse), self.pivots)
        return inverse

    def det(self) -> Any:
        """The determinant of a. That of a large matrix may be beyond the numbers that there are."""
        if self.factors.shape[0] != self.factors.shape[1]:
            raise ValueError(f"the factors of a matrix of shape {self.factors.shape}, which is not square")
        exchanges = np.count_nonzero(self.pivots != np.arange(1, len(self.pivots) + 1))
        return self.factors.diagonal().prod() * (-1) ** int(exchanges)

    def _order(self) -> int:
        """The order of a matrix that is square and not singular."""
        n = len(self.factors)
        if self.factors.shape != (n, n):
            raise ValueError(f"the factors of a matrix of shape {self.factors.shape}, which is not square")
        if self._singular:
            raise _singular(self._singular, n)
        return n


def _singular(pivot: int, n: int) -> LinAlgError:
    return LinAlgError(f"the matrix is singular: pivot {pivot} of {n} is zero", pivot)


def cholesky(a: Any) -> Cholesky:
    """The factor L of a positive definite matrix, a = L Lᴴ (LAPACK's potrf).

    Parameters
    ----------
    a : array_like
        A symmetric or Hermitian matrix, of which the lower triangle is read.

    Raises
    ------
    LinAlgError
        a is not positive definite.
    """
    a = square(a)
    factor = columns(a, common_dtype(a))
    call("potrf", factor.dtype, COLUMN_MAJOR, LOWER, len(factor), factor, lines(factor))
    return Cholesky(factor)


class Cholesky:
    """a = L Lᴴ: the factor of a positive definite matrix, which solves any number of systems."""

    def __init__(self, factor: np.ndarray) -> None:
        self._factor = factor

    @property
    def l(self) -> np.ndarray:
        """The factor L."""
        return np.tril(self._factor)

    def solve(self, b: Any) -> np.ndarray:
        """The solution x of a x = b, for one or several right-hand sides."""
        n = len(self._factor)
        x, factor = _in_place(right_hand_sides(b, n), self._factor)
        call("potrs", x.dtype, COLUMN_MAJOR, LOWER, n, _count(x), factor, lines(factor), x, lines(x))
        return x

    def inverse(self) -> np.ndarray:
        """The inverse of a."""
        inverse = self._factor.copy(order="F")
        call("potri", inverse.dtype, COLUMN_MAJOR, LOWER, len(inverse), inverse, lines(inverse))
        whole: np.ndarray = np.tril(inverse) + np.tril(inverse, -1).conj().T
        return whole


def qr(a: Any) -> QR:
    """The factors Q and R of a matrix, a = Q R (LAPACK's geqrf).

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n).
    """
    a = matrix(a)
    factors = columns(a, common_dtype(a))
    m, n = factors.shape
    tau = np.empty(min(m, n), factors.dtype)
    call("geqrf", factors.dtype, COLUMN_MAJOR, m, n, factors, lines(factors), tau)
    return QR(factors, tau)


class QR:
    """a = Q R: a unitary factor and a triangular one, which solve any number of least-squares problems."""

    def __init__(self, factors: np.ndarray, tau: np.ndarray) -> None:
        self._factors = factors
        self._tau = tau

    @property
    def q(self) -> np.ndarray:
        """The first min(m, n) columns of Q."""
        m, k = len(self._factors), len(self._tau)
        q = self._factors[:, :k].copy(order="F")
        call("orgqr", q.dtype, COLUMN_MAJOR, m, k, k, q, lines(q), self._tau)
        return q

    @property
    def r(self) -> np.ndarray:
        """The first min(m, n) rows of R."""
        return np.triu(self._factors[: len(self._tau)])

    def solve(self, b: Any) -> np.ndarray:
        """The x of the least norm of b - a x, for one or several b, where a has as many rows as columns or more.

        Of an a that is nearly without full rank it is the solution of a nearby matrix, and may be very large: `lstsq`
        finds the rank, and the solution of least norm.

        Raises
        ------
        LinAlgError
            R has a zero on its diagonal, and a not full rank.
        """
        m, n = self._factors.shape
        if m < n:
            raise ValueError(f"the factors of a matrix of shape {(m, n)}, which has more columns than rows")
        x, factors = _in_place(right_hand_sides(b, m), self._factors)
        tau = self._tau.astype(x.dtype, copy=False)
        count = _count(x)
        call(
            "ormqr",
            x.dtype,
            COLUMN_MAJOR,
            LEFT,
            CONJ_TRANS,
            m,
            count,
            n,
            factors,
            lines(factors),
            tau,
            x,
            lines(x),
        )
        call("trtrs", x.dtype, COLUMN_MAJOR, UPPER, NO_TRANS, NON_UNIT, n, count, factors, lines(factors), x, lines(x))
        return x[:n].copy(order="F")


class LeastSquares(NamedTuple):
    """What `lstsq` finds."""

    x: np.ndarray
    """The least-squares solution of least norm: n numbers for each right-hand side."""
    residuals: np.ndarray
    """The sum of squares of b - a x for each right-hand side, where the rank is n < m; else empty, as NumPy's."""
    rank: int
    """The rank of a."""


def lstsq(a: Any, b: Any, rcond: float | None = None) -> LeastSquares:
    """The x of least norm among those that minimise the norm of b - a x, for an a of any rank (LAPACK's gelsy).

    The matrix is factorised with column pivoting. Its rank is the order of the largest leading triangle of R whose
    condition is estimated to be at most 1 / rcond. NumPy's function finds it from singular values, of which there are
    none here.

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
        The named tuple (x, residuals, rank).

    Raises
    ------
    LinAlgError
        a or b has a NaN or an infinity.
    ValueError
        The shapes do not fit, or rcond is NaN.
    """
    a = matrix(a)
    m, n = a.shape
    b = right_hand_sides(b, m)
    dtype = common_dtype(a, b)
    epsilon = float(np.finfo(dtype).eps)
    if rcond is None:
        rcond = max(m, n) * epsilon
    elif rcond < 0:
        rcond = epsilon
    factors = columns(a, dtype)
    # There are rows for the longer of b and x. Without right-hand sides gelsy tells no rank: a zero stands in.
    x = np.zeros((max(m, n), *(b.shape[1:] if b.size or not m else (1,))), dtype, order="F")
    if b.size:
        x[:m] = b
    if not (np.isfinite(factors).all() and np.isfinite(x).all()):
        raise LinAlgError("a or b has a NaN or an infinity, and least squares have no solution", 0)
    pivots, rank = np.zeros(n, np.int32), ctypes.c_int32()
    call(
        "gelsy",
        dtype,
        COLUMN_MAJOR,
        m,
        n,
        _count(x),
        factors,
        lines(factors),
        x,
        lines(x),
        pivots,
        float(rcond),
        ctypes.addressof(rank),
    )
    if m and not b.size:
        x = x[:, :0]
    rest = x[n:] if rank.value == n < m else x[:0]
    residuals = np.atleast_1d(np.sum(rest.real**2 + rest.imag**2, axis=0))
    if len(rest) == 0:
        residuals = residuals[:0]
    return LeastSquares(x[:n].copy(order="F"), residuals, rank.value)


def _in_place(b: np.ndarray, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A copy of the right-hand sides that the solution replaces, and the factors, in the solution's type."""
    dtype = common_dtype(b, factors)
    return columns(b, dtype), factors.astype(dtype, order="F", copy=False)


def _count(x: np.ndarray) -> int:
    """How many right-hand sides there are."""
    return 1 if x.ndim == 1 else x.shape[1]
