"""Cholesky and QR factors, as objects that solve systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import batch, columns, common_dtype, each, lines, matrices, right_hand_sides, square, triangle
from ._library import COLUMN_MAJOR, CONJ_TRANS, LEFT, LOWER, NO_TRANS, NON_UNIT, UPPER, call, status_of
from ._lu import Factors, check_info, in_place

NOT_POSITIVE = "is not positive definite: the leading minor of order {} of {} is not positive"


def cholesky(a: Any, *, upper: bool = False, overwrite_a: bool = False) -> Cholesky:
    """The factor of a positive definite matrix, a = L Lᴴ (LAPACK's potrf).

    Parameters
    ----------
    a : array_like
        A symmetric or Hermitian matrix, or a stack of them. Its lower triangle is read, or with `upper` the upper one.
    upper : bool
        The factor as an array is U = Lᴴ.
    overwrite_a : bool
        An `a` in column-major order may be overwritten by the factor, which saves a copy.

    Returns
    -------
    Cholesky
        The factor, with `solve`, `inv` and `det`. `numpy.asarray` makes an array of it.

    Raises
    ------
    LinAlgError
        a is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> factor = am.cholesky([[4.0, 2.0], [2.0, 5.0]])
    >>> np.asarray(factor)
    array([[2., 0.],
           [1., 2.]])
    >>> factor.solve([8.0, 12.0])
    array([1., 2.])
    """
    a = square(a)
    factor = columns(a, common_dtype(a), overwrite=overwrite_a)
    n, uplo = factor.shape[-1], UPPER if upper else LOWER
    if factor.ndim == 2:
        status = status_of("potrf", factor.dtype, COLUMN_MAJOR, uplo, n, factor, lines(factor))
        check_info(status, n, NOT_POSITIVE)
    elif factor.size:
        info = np.zeros(a.shape[:-2], np.int32)
        call("potrfStridedBatched", factor.dtype, COLUMN_MAJOR, uplo, n, *batch(factor), info, info.size)
        check_info(info, n, NOT_POSITIVE)
    return Cholesky(factor, upper)


class Cholesky:
    """a = L Lᴴ: the factor of a positive definite matrix, which solves any number of systems.

    Examples
    --------
    >>> import affinimath as am
    >>> float(am.cholesky([[4.0, 0.0], [0.0, 9.0]]).det())
    36.0
    """

    def __init__(self, factor: np.ndarray, upper: bool = False) -> None:
        #: The factor in one triangle; in the other one what a had there.
        self.factor = factor
        self._upper = upper

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the factor as an array is a copy")
        factor = triangle(self.factor, not self._upper)
        return factor if dtype is None else factor.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<Cholesky of {self.dtype}, {'u' if self._upper else 'l'}: {self.factor.shape}>"

    @property
    def dtype(self) -> np.dtype:
        """The type of the factor."""
        return self.factor.dtype

    @property
    def l(self) -> np.ndarray:
        """The factor L."""
        return np.asarray(self).conj().swapaxes(-1, -2) if self._upper else np.asarray(self)

    @property
    def u(self) -> np.ndarray:
        """The factor U = Lᴴ."""
        return np.asarray(self) if self._upper else np.asarray(self).conj().swapaxes(-1, -2)

    def solve(self, b: Any) -> np.ndarray:
        """The solution x of a x = b, for one or several right-hand sides.

        Examples
        --------
        >>> import affinimath as am
        >>> am.cholesky([[4.0, 0.0], [0.0, 9.0]]).solve([4.0, 18.0])
        array([1., 2.])
        """
        n, uplo = self.factor.shape[-1], UPPER if self._upper else LOWER
        x, factor, vector = in_place(right_hand_sides(b, n), self.factor)
        count = x.shape[-1]
        if x.ndim == 2:
            call("potrs", x.dtype, COLUMN_MAJOR, uplo, n, count, factor, lines(factor), x, lines(x))
        elif x.size:
            operands = [*batch(factor), *batch(x), x.size // (n * count)]
            call("potrsStridedBatched", x.dtype, COLUMN_MAJOR, uplo, n, count, *operands)
        return x[..., 0] if vector else x

    def inv(self) -> np.ndarray:
        """The inverse of a (LAPACK's potri).

        Examples
        --------
        >>> import affinimath as am
        >>> am.cholesky([[4.0, 0.0], [0.0, 2.0]]).inv()
        array([[0.25, 0.  ],
               [0.  , 0.5 ]])
        """
        n, uplo = self.factor.shape[-1], UPPER if self._upper else LOWER
        inverse = columns(self.factor, self.dtype)
        for (one,) in each(inverse):
            call("potri", self.dtype, COLUMN_MAJOR, uplo, n, one, max(n, 1))
        return mirrored(inverse, not self._upper)

    def det(self) -> Any:
        """The determinant of a, which is positive.

        Examples
        --------
        >>> import affinimath as am
        >>> float(am.cholesky([[4.0, 0.0], [0.0, 9.0]]).det())
        36.0
        """
        return (np.diagonal(self.factor, axis1=-2, axis2=-1).real ** 2).prod(axis=-1)

    def slogdet(self) -> tuple[Any, Any]:
        """The sign of the determinant of a, which is 1, and the logarithm of the determinant.

        Examples
        --------
        >>> import affinimath as am
        >>> sign, logarithm = am.cholesky([[1.0, 0.0], [0.0, 1.0]]).slogdet()
        >>> float(sign), float(logarithm)
        (1.0, 0.0)
        """
        diagonal = np.diagonal(self.factor, axis1=-2, axis2=-1).real
        return np.ones(diagonal.shape[:-1], self.dtype)[()], (2 * np.log(diagonal)).sum(axis=-1)


def mirrored(array: np.ndarray, lower: bool, *, hermitian: bool = True) -> np.ndarray:
    """The symmetric or Hermitian matrices of which a triangle is given."""
    half = triangle(array, lower)
    strict = np.tril(array, -1) if lower else np.triu(array, 1)
    whole: np.ndarray = half + np.swapaxes(strict.conj() if hermitian else strict, -1, -2)
    return whole


def qr(a: Any, mode: str = "reduced", *, overwrite_a: bool = False) -> QR:
    """The factors Q and R of a matrix, a = Q R (LAPACK's geqrf).

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n), or a stack of them.
    mode : {"reduced", "complete"}
        Q has the shape (m, min(m, n)) or (m, m).
    overwrite_a : bool
        An `a` in column-major order may be overwritten by the factors, which saves a copy.

    Returns
    -------
    QR
        The factors, which unpack as `q, r`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> a = np.array([[3.0, 1.0], [4.0, 1.0], [0.0, 1.0]])
    >>> q, r = am.qr(a)
    >>> q.shape, r.shape
    ((3, 2), (2, 2))
    >>> bool(np.allclose(q @ r, a))
    True
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode is {mode!r}; there are 'reduced' and 'complete'")
    a = matrices(a)
    factors = columns(a, common_dtype(a), overwrite=overwrite_a)
    m, n = factors.shape[-2:]
    tau = np.zeros((*a.shape[:-2], min(m, n)), factors.dtype)
    if factors.ndim == 2:
        call("geqrf", factors.dtype, COLUMN_MAJOR, m, n, factors, lines(factors), tau)
    elif factors.size:
        call("geqrfStridedBatched", tau.dtype, COLUMN_MAJOR, m, n, *batch(factors), tau, min(m, n), a.size // (m * n))
    return QR(factors, tau, mode == "complete")


class QR(Factors):
    """a = Q R: factors that unpack as `q, r`, and solve any number of least-squares problems.

    Examples
    --------
    >>> import affinimath as am
    >>> am.qr([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]).solve([1.0, 2.0, 4.0]).round(12)
    array([1., 3.])
    """

    _names = ("q", "r")

    def __init__(self, factors: np.ndarray, tau: np.ndarray, complete: bool = False) -> None:
        self._factors = factors
        self._tau = tau
        self._width = factors.shape[-2] if complete else tau.shape[-1]

    @property
    def dtype(self) -> np.dtype:
        """The type of the factors."""
        return self._factors.dtype

    @property
    def raw(self) -> tuple[np.ndarray, np.ndarray]:
        """R with the Householder vectors below it, and their factors tau, as geqrf leaves them."""
        return self._factors, self._tau

    @property
    def q(self) -> np.ndarray:
        """The first min(m, n) columns of Q, or all m of them."""
        m, k, width = self._factors.shape[-2], self._tau.shape[-1], self._width
        q = columns(np.zeros((*self._factors.shape[:-2], m, width), self.dtype), self.dtype)
        q[..., :k] = self._factors[..., :k]
        for one, tau in each(q, self._tau[..., np.newaxis, :]):
            call("orgqr", self.dtype, COLUMN_MAJOR, m, width, k, one, max(m, 1), tau)
        return q

    @property
    def r(self) -> np.ndarray:
        """The first min(m, n) rows of R, or all m of them."""
        return np.triu(self._factors[..., : self._width, :])

    def solve(self, b: Any) -> np.ndarray:
        """The x that minimises the norm of b - a x, for one or several b. a has no more columns than rows.

        Of an a that is nearly without full rank it is the solution of a nearby matrix, and may be very large: `lstsq`
        finds the rank, and the solution of least norm.

        Raises
        ------
        LinAlgError
            R has a zero on its diagonal, and a not full rank.

        Examples
        --------
        >>> import affinimath as am
        >>> am.qr([[1.0], [1.0]]).solve([1.0, 3.0]).round(12)
        array([2.])
        """
        m, n = self._factors.shape[-2:]
        if m < n:
            raise ValueError(f"the factors of a matrix of shape {(m, n)}, which has more columns than rows")
        x, factors, vector = in_place(right_hand_sides(b, m), self._factors)
        dtype, count = x.dtype, x.shape[-1]
        taus = np.broadcast_to(self._tau.astype(dtype, copy=False), (*x.shape[:-2], n))
        for one, part, tau in each(x, factors, taus[..., np.newaxis, :]):
            q, right = [part, max(m, 1)], [one, max(m, 1)]
            call("ormqr", dtype, COLUMN_MAJOR, LEFT, CONJ_TRANS, m, count, n, *q, tau, *right)
            call("trtrs", dtype, COLUMN_MAJOR, UPPER, NO_TRANS, NON_UNIT, n, count, *q, *right)
        x = columns(x[..., :n, :], dtype)
        return x[..., 0] if vector else x

    def inv(self) -> np.ndarray:
        """The inverse of a square a; of one with more rows than columns its left inverse of least norm.

        Raises
        ------
        LinAlgError
            R has a zero on its diagonal, and a not full rank.

        Examples
        --------
        >>> import affinimath as am
        >>> am.qr([[2.0, 1.0], [1.0, 1.0]]).inv().round(12)
        array([[ 1., -1.],
               [-1.,  2.]])
        """
        return self.solve(np.eye(self._factors.shape[-2], dtype=self.dtype))

    def det(self) -> Any:
        """The determinant of a square a. That of a large matrix may overflow: `slogdet` gives its logarithm.

        Examples
        --------
        >>> import affinimath as am
        >>> round(float(am.qr([[0.0, 2.0], [3.0, 0.0]]).det()), 12)
        -6.0
        """
        sign, diagonal = self._determinants()
        return sign * diagonal.prod(axis=-1)

    def slogdet(self) -> tuple[Any, Any]:
        """The sign of the determinant of a square a, and the logarithm of its modulus.

        Examples
        --------
        >>> import affinimath as am
        >>> sign, logarithm = am.qr([[0.0, 1.0], [1.0, 0.0]]).slogdet()
        >>> round(float(sign), 12), abs(float(logarithm)) < 1e-12
        (-1.0, True)
        """
        sign, diagonal = self._determinants()
        moduli = np.abs(diagonal)
        zero = (moduli == 0).any(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            turns = np.where(moduli == 0, 1, diagonal / moduli).astype(self.dtype)
            logarithms = np.log(moduli).sum(axis=-1)
        return np.where(zero, 0, sign * turns.prod(axis=-1)).astype(self.dtype)[()], logarithms

    def _determinants(self) -> tuple[Any, np.ndarray]:
        """The determinant of Q, and the diagonal of R."""
        shape = self._factors.shape
        if shape[-1] != shape[-2]:
            raise ValueError(f"the factors of a matrix of shape {shape}, which is not square")
        # A reflector I - tau v vᴴ is unitary: its determinant is -tau / conj(tau), or 1 where tau is 0.
        nonzero = np.where(self._tau == 0, 1, self._tau)
        reflectors = np.where(self._tau == 0, 1, -nonzero / nonzero.conj()).astype(self.dtype)
        return reflectors.prod(axis=-1), np.diagonal(self._factors, axis1=-2, axis2=-1)
