"""Factors as objects that unpack and solve systems; LU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._arrays import batch, columns, common_dtype, each, lines, matrices, right_hand_sides
from ._library import COLUMN_MAJOR, NO_TRANS, TRANS, LinAlgError, call, status_of


class Factors:
    """The factors of a matrix, or of each matrix of a stack. It unpacks and indexes as their tuple."""

    _names: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[np.ndarray]:
        return (getattr(self, name) for name in self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(getattr(self, name) for name in self._names[index])
        return getattr(self, self._names[index])

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {getattr(self, name).shape}" for name in self._names)
        return f"<{type(self).__name__} of {self.dtype}, {shapes}>"

    @property
    def dtype(self) -> np.dtype:
        """The type of the factors."""
        raise NotImplementedError


def lu(a: Any, *, overwrite_a: bool = False) -> LU:
    """The factors of a matrix with its rows exchanged, a = P L U (LAPACK's getrf).

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n), or a stack of them.
    overwrite_a : bool
        An `a` in column-major order may be overwritten by the factors, which saves a copy.

    Returns
    -------
    LU
        The factors, which unpack as `p, l, u`. Those of a singular matrix exist too; they solve nothing.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> a = np.array([[1.0, 2.0], [4.0, 4.0]])
    >>> p, l, u = am.lu(a)
    >>> u
    array([[4., 4.],
           [0., 1.]])
    >>> bool(np.allclose(p @ l @ u, a))
    True
    """
    a = matrices(a)
    factors = columns(a, common_dtype(a), overwrite=overwrite_a)
    m, n = factors.shape[-2:]
    pivots = np.zeros((*a.shape[:-2], min(m, n)), np.int32)
    if factors.ndim == 2:
        singular = status_of("getrf", factors.dtype, COLUMN_MAJOR, m, n, factors, lines(factors), pivots)
        return LU(factors, pivots, singular)
    info = np.zeros(a.shape[:-2], np.int32)
    if factors.size:
        strided = "getrfStridedBatched"
        call(strided, factors.dtype, COLUMN_MAJOR, m, n, *batch(factors), pivots, min(m, n), info, info.size)
    return LU(factors, pivots, info)


class LU(Factors):
    """a = P L U: factors that unpack as `p, l, u`, and solve any number of systems.

    Attributes
    ----------
    factors : ndarray
        L below the diagonal, without its ones, and U.
    pivots : ndarray of int32
        LAPACK's: row i was exchanged with row pivots[i] - 1, for one i after the other.

    Examples
    --------
    >>> import affinimath as am
    >>> factors = am.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> factors.solve([5.0, 12.0])
    array([1., 2.])
    """

    _names = ("p", "l", "u")

    def __init__(self, factors: np.ndarray, pivots: np.ndarray, info: Any = 0) -> None:
        self.factors = factors
        self.pivots = pivots
        self._info = info

    @property
    def dtype(self) -> np.dtype:
        """The type of the factors."""
        return self.factors.dtype

    @property
    def permutation(self) -> np.ndarray:
        """The rows of a in the order of those of L U: a[permutation] = l @ u."""
        m, k = self.factors.shape[-2], self.pivots.shape[-1]
        orders = []
        stack = self.pivots.shape[:-1]
        for pivots in self.pivots.reshape(int(np.prod(stack)), k):
            order = list(range(m))
            for i, pivot in enumerate(pivots.tolist()):
                order[i], order[pivot - 1] = order[pivot - 1], order[i]
            orders.append(order)
        return np.array(orders, np.intp).reshape(*stack, m)

    @property
    def p(self) -> np.ndarray:
        """The permutation as a matrix P of shape (m, m), of real elements."""
        order = self.permutation
        return np.swapaxes(np.eye(order.shape[-1], dtype=self.factors.real.dtype)[order], -1, -2)

    @property
    def l(self) -> np.ndarray:
        """The factor L, of shape (m, min(m, n)), with ones on its diagonal."""
        lower = np.tril(self.factors[..., : self.pivots.shape[-1]], -1)
        diagonal = np.arange(lower.shape[-1])
        lower[..., diagonal, diagonal] = 1
        return lower

    @property
    def u(self) -> np.ndarray:
        """The factor U, of shape (min(m, n), n)."""
        return np.triu(self.factors[..., : self.pivots.shape[-1], :])

    def solve(self, b: Any, *, transposed: bool = False) -> np.ndarray:
        """The solution x of a x = b, or of the transposed system, for one or several right-hand sides.

        Raises
        ------
        LinAlgError
            a is singular.

        Examples
        --------
        >>> import affinimath as am
        >>> am.lu([[2.0, 0.0], [1.0, 1.0]]).solve([3.0, 1.0], transposed=True)
        array([1., 1.])
        """
        n = self._order()
        x, factors, vector = in_place(right_hand_sides(b, n), self.factors)
        op, count = TRANS if transposed else NO_TRANS, x.shape[-1]
        if x.ndim == 2:
            call("getrs", x.dtype, COLUMN_MAJOR, op, n, count, factors, lines(factors), self.pivots, x, lines(x))
        elif x.size:
            pivots = np.ascontiguousarray(np.broadcast_to(self.pivots, (*x.shape[:-2], n)))
            operands = [*batch(factors), pivots, n, *batch(x), x.size // (n * count)]
            call("getrsStridedBatched", x.dtype, COLUMN_MAJOR, op, n, count, *operands)
        return x[..., 0] if vector else x

    def inv(self) -> np.ndarray:
        """The inverse of a (LAPACK's getri).

        Raises
        ------
        LinAlgError
            a is singular.

        Examples
        --------
        >>> import affinimath as am
        >>> am.lu([[2.0, 1.0], [1.0, 1.0]]).inv()
        array([[ 1., -1.],
               [-1.,  2.]])
        """
        n = self._order()
        inverse = columns(self.factors, self.dtype)
        for one, pivots in each(inverse, self.pivots[..., np.newaxis, :]):
            call("getri", self.dtype, COLUMN_MAJOR, n, one, max(n, 1), pivots)
        return inverse

    def det(self) -> Any:
        """The determinant of a. That of a large matrix may overflow: `slogdet` gives its logarithm.

        Examples
        --------
        >>> import affinimath as am
        >>> float(am.lu([[0.0, 2.0], [3.0, 0.0]]).det())
        -6.0
        """
        signs, diagonal = self._signs()
        return diagonal.prod(axis=-1) * signs

    def slogdet(self) -> tuple[Any, Any]:
        """The sign of the determinant of a, and the logarithm of its modulus.

        Examples
        --------
        >>> import affinimath as am
        >>> sign, logarithm = am.lu([[0.0, 1.0], [1.0, 0.0]]).slogdet()
        >>> float(sign), float(logarithm)
        (-1.0, 0.0)
        """
        signs, diagonal = self._signs()
        moduli = np.abs(diagonal)
        zero = (moduli == 0).any(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            turns = np.where(moduli == 0, 1, diagonal / moduli).astype(self.dtype)
            logarithms = np.log(moduli).sum(axis=-1)
        return np.where(zero, 0, turns.prod(axis=-1) * signs).astype(self.dtype)[()], logarithms

    def _signs(self) -> tuple[Any, np.ndarray]:
        """The sign of each permutation, and the diagonal of each U."""
        self._check_square()
        exchanges = np.count_nonzero(self.pivots != np.arange(1, self.pivots.shape[-1] + 1), axis=-1)
        diagonal = np.diagonal(self.factors, axis1=-2, axis2=-1)
        return np.where(exchanges % 2, -1, 1).astype(self.dtype)[()], diagonal

    def _check_square(self) -> None:
        shape = self.factors.shape
        if shape[-1] != shape[-2]:
            raise ValueError(f"the factors of a matrix of shape {shape}, which is not square")

    def _order(self) -> int:
        """The order of matrices that are square and not singular."""
        self._check_square()
        n: int = self.factors.shape[-1]
        check_info(self._info, n)
        return n


def check_info(info: Any, n: int, text: str = "is singular: pivot {} of {} is zero") -> None:
    """Raises what LAPACK has found in a matrix, or in the first of a stack."""
    if isinstance(info, int):
        if info == 0:
            return
        info = np.array(info)
    found = np.flatnonzero(info)
    if len(found):
        place = tuple(int(i) for i in np.unravel_index(found[0], info.shape))
        status = int(info.flat[found[0]])
        name = f"matrix {place[0] if len(place) == 1 else place} of the stack" if place else "the matrix"
        raise LinAlgError(f"{name} {text.format(status, n)}", status)


def in_place(b: np.ndarray, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """A copy of the right-hand sides that the solution replaces, the factors in its type, and whether b is a vector.

    Stacks are broadcast against each other.
    """
    dtype, vector = common_dtype(b, factors), b.ndim == 1
    b = b[:, np.newaxis] if vector else b
    if factors.ndim == b.ndim == 2:
        return columns(b, dtype), factors.astype(dtype, order="F", copy=False), vector
    shape = np.broadcast_shapes(b.shape[:-2], factors.shape[:-2])
    x = columns(np.broadcast_to(b, (*shape, *b.shape[-2:])), dtype)
    return x, columns(np.broadcast_to(factors, (*shape, *factors.shape[-2:])), dtype), vector
