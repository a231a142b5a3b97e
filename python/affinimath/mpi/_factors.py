"""Systems of equations, and factors that solve any number of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._library import LinAlgError
from ._library import LEFT, LOWER, NON_UNIT, NONE, OPS, UPPER, call, common, number, status_of
from ._matrix import DistMatrix, promoted

_POSITIVE = ("pos", "positive definite")
_GENERAL = ("gen", "general")


def solve(a: DistMatrix, b: DistMatrix, *, assume_a: str = "gen", lower: bool = True) -> DistMatrix:
    """The solution X of a X = b. a and b stay as they are.

    Parameters
    ----------
    a : DistMatrix
        A matrix of shape (n, n).
    b : DistMatrix
        Right-hand sides, of shape (n, k), on the same grid.
    assume_a : {"gen", "general", "pos", "positive definite"}
        LU with partial pivoting (ScaLAPACK's PxGESV), or Cholesky of one triangle of a Hermitian positive definite
        matrix (PxPOSV).
    lower : bool
        The triangle that Cholesky reads.

    Raises
    ------
    LinAlgError
        a is singular, or not positive definite: on all ranks.
    ValueError
        The shapes do not fit, or `assume_a` is none of these.
    """
    if assume_a not in _POSITIVE + _GENERAL:
        raise ValueError(f"assume_a is {assume_a!r}; there are {', '.join(map(repr, _GENERAL + _POSITIVE))}")
    _check_system(a, b)
    dtype = np.result_type(a.dtype, b.dtype)
    factors, x = a.astype(dtype), b.astype(dtype)
    if assume_a in _POSITIVE:
        status = status_of("posv", dtype, a.grid.handle, LOWER if lower else UPPER, *factors.operand(), *x.operand())
        _check_positive(status)
    else:
        pivots = np.zeros(a.shape[0], np.int32)
        status = status_of("gesv", dtype, a.grid.handle, *factors.operand(), pivots, *x.operand())
        _check_pivot(status)
    return x


def cholesky(a: DistMatrix, *, upper: bool = False, overwrite_a: bool = False) -> Cholesky:
    """The factor of a Hermitian positive definite matrix, a = L Lᴴ (ScaLAPACK's PxPOTRF).

    Parameters
    ----------
    a : DistMatrix
        A matrix of shape (n, n). Its lower triangle is read, or with `upper` the upper one.
    overwrite_a : bool
        The factor overwrites a, which saves a copy.

    Raises
    ------
    LinAlgError
        a is not positive definite: on all ranks.
    """
    factor = a if overwrite_a else a.copy()
    status = status_of("potrf", a.dtype, a.grid.handle, UPPER if upper else LOWER, *factor.operand())
    _check_positive(status)
    return Cholesky(factor, upper)


class Cholesky:
    """a = L Lᴴ: the factor of a positive definite matrix, which solves any number of systems.

    Attributes
    ----------
    factor : DistMatrix
        The factor in one triangle; in the other one what a had there.
    """

    def __init__(self, factor: DistMatrix, upper: bool = False) -> None:
        self.factor = factor
        self._upper = upper

    def __repr__(self) -> str:
        return f"<Cholesky: {'u' if self._upper else 'l'} in {self.factor!r}>"

    @property
    def l(self) -> DistMatrix:
        """The factor L, with zeros above the diagonal."""
        return _triangle(self.factor, lower=True) if not self._upper else self.u.H.copy()

    @property
    def u(self) -> DistMatrix:
        """The factor U = Lᴴ, with zeros below the diagonal."""
        return _triangle(self.factor, lower=False) if self._upper else self.l.H.copy()

    def solve(self, b: DistMatrix) -> DistMatrix:
        """The solution X of a X = b, for right-hand sides b of shape (n, k)."""
        _check_system(self.factor, b)
        dtype = np.result_type(self.factor.dtype, b.dtype)
        factor, x = promoted(self.factor, dtype), b.astype(dtype)
        uplo = UPPER if self._upper else LOWER
        call("potrs", dtype, x.grid.handle, uplo, *factor.operand(), *x.operand())
        return x


def lu(a: DistMatrix, *, overwrite_a: bool = False) -> LU:
    """The factors of a matrix with its rows exchanged, a = P L U (ScaLAPACK's PxGETRF).

    Parameters
    ----------
    a : DistMatrix
        A matrix of shape (m, n).
    overwrite_a : bool
        The factors overwrite a, which saves a copy.

    Returns
    -------
    LU
        The factors. Those of a singular matrix exist too; they solve nothing.
    """
    factors = a if overwrite_a else a.copy()
    pivots = np.zeros(min(a.shape), np.int32)
    singular = status_of("getrf", a.dtype, a.grid.handle, *factors.operand(), pivots)
    return LU(factors, pivots, singular)


class LU:
    """a = P L U: factors that solve any number of systems.

    Attributes
    ----------
    factors : DistMatrix
        L below the diagonal, without its ones, and U.
    pivots : ndarray of int32
        LAPACK's, all on every rank: row i was exchanged with row pivots[i] - 1, for one i after the other.
    """

    def __init__(self, factors: DistMatrix, pivots: np.ndarray, singular: int = 0) -> None:
        self.factors = factors
        self.pivots = pivots
        self._singular = singular

    def __repr__(self) -> str:
        return f"<LU: {self.factors!r}>"

    @property
    def permutation(self) -> np.ndarray:
        """The rows of a in the order of those of L U: a[permutation] = l @ u."""
        order = np.arange(self.factors.shape[0])
        for i, pivot in enumerate(self.pivots.tolist()):
            order[[i, pivot - 1]] = order[[pivot - 1, i]]
        return order

    @property
    def l(self) -> DistMatrix:
        """The factor L, of shape (m, min(m, n))."""
        k = min(self.factors.shape)
        return _triangle(_leading(self.factors, self.factors.shape[0], k), lower=True, unit=True)

    @property
    def u(self) -> DistMatrix:
        """The factor U, of shape (min(m, n), n)."""
        k = min(self.factors.shape)
        return _triangle(_leading(self.factors, k, self.factors.shape[1]), lower=False)

    def solve(self, b: DistMatrix, *, op: str = "none") -> DistMatrix:
        """The solution X of op(a) X = b, for right-hand sides b of shape (n, k).

        Parameters
        ----------
        op : {"none", "transpose", "adjoint"}
            The operation on a.

        Raises
        ------
        LinAlgError
            a is singular.
        """
        _check_pivot(self._singular)
        _check_system(self.factors, b)
        dtype = np.result_type(self.factors.dtype, b.dtype)
        factors, x = promoted(self.factors, dtype), b.astype(dtype)
        call("getrs", dtype, x.grid.handle, _op(op), *factors.operand(), self.pivots, *x.operand())
        return x


def qr(a: DistMatrix, *, overwrite_a: bool = False) -> QR:
    """The factors Q and R of a matrix, a = Q R, by Householder reflectors (ScaLAPACK's PxGEQRF).

    Parameters
    ----------
    a : DistMatrix
        A matrix of shape (m, n).
    overwrite_a : bool
        The factors overwrite a, which saves a copy.

    Returns
    -------
    QR
        The factors, which unpack as `q, r`.
    """
    factors = a if overwrite_a else a.copy()
    tau = np.zeros(min(a.shape), a.dtype)
    call("geqrf", a.dtype, a.grid.handle, *factors.operand(), tau)
    return QR(factors, tau)


class QR:
    """a = Q R: factors that unpack as `q, r`, multiply by Q, and solve any number of least-squares problems.

    Attributes
    ----------
    factors : DistMatrix
        R, with the Householder vectors below it, as geqrf leaves them.
    tau : ndarray
        The reflectors' factors, min(m, n) of them, all on every rank.
    """

    def __init__(self, factors: DistMatrix, tau: np.ndarray) -> None:
        self.factors = factors
        self.tau = tau

    def __repr__(self) -> str:
        return f"<QR: {self.factors!r}>"

    def __iter__(self) -> Iterator[DistMatrix]:
        return iter((self.q, self.r))

    @property
    def q(self) -> DistMatrix:
        """The first min(m, n) columns of Q."""
        m, n = self.factors.shape
        blocks, source = self.factors.blocks, self.factors.source
        eye = DistMatrix.zeros(self.factors.grid, (m, min(m, n)), self.factors.dtype, blocks, source)
        rows, columns = eye.indices
        eye.local[rows[:, np.newaxis] == columns] = 1
        return self.multiply_q(eye, overwrite_c=True)

    @property
    def r(self) -> DistMatrix:
        """The first min(m, n) rows of R."""
        m, n = self.factors.shape
        return _triangle(_leading(self.factors, min(m, n), n), lower=False)

    def multiply_q(self, c: DistMatrix, *, op: str = "none", overwrite_c: bool = False) -> DistMatrix:
        """The product op(Q) c, with the whole Q of shape (m, m) (ScaLAPACK's PxORMQR and PxUNMQR).

        Parameters
        ----------
        c : DistMatrix
            A matrix of shape (m, k), in any layout.
        op : {"none", "adjoint"}
            The operation on Q; of real matrices also "transpose".
        overwrite_c : bool
            A c with the row blocks and the type of the factors is overwritten, which saves a copy.
        """
        self.factors.grid.holds(c=c)
        if c.shape[0] != self.factors.shape[0]:
            raise ValueError(f"c has {c.shape[0]} rows, and Q {self.factors.shape[0]}")
        dtype = np.result_type(self.factors.dtype, c.dtype)
        row_block, row_source = self.factors.blocks[0], self.factors.source[0]
        if (c.blocks[0], c.source[0]) != (row_block, row_source):
            c = c.redistribute((row_block, c.blocks[1]), (row_source, c.source[1]))
        elif not overwrite_c:
            c = c.copy()
        c, factors = promoted(c, dtype), promoted(self.factors, dtype)
        tau = self.tau.astype(dtype, copy=False)
        call("ormqr", dtype, c.grid.handle, _op(op), *factors.operand(), tau, *c.operand())
        return c

    def solve(self, b: DistMatrix) -> DistMatrix:
        """The X of shape (n, k) that minimises ||b - a X|| for each column of b. a has no more columns than rows.

        Raises
        ------
        LinAlgError
            R has a zero on its diagonal, and a not full rank: on all ranks.
        """
        m, n = self.factors.shape
        if m < n:
            raise ValueError(f"the factors of a matrix of shape {m, n}, which has more columns than rows")
        x = _leading(self.multiply_q(b, op="adjoint"), n, b.shape[1])
        r = promoted(self.r, x.dtype)
        rows, columns = r.indices
        zeros = int((r.local[rows[:, np.newaxis] == columns] == 0).sum())
        if r.grid.comm.allreduce(zeros):
            raise common(LinAlgError("R has a zero on its diagonal: the matrix has not full rank", -1))
        one = number(1, x.dtype)
        call("trsm", x.dtype, x.grid.handle, LEFT, UPPER, NONE, NON_UNIT, one, *r.operand(), *x.operand())
        return x


def _op(op: str) -> int:
    if op not in OPS:
        raise ValueError(f"op is {op!r}; there are {', '.join(map(repr, OPS))}")
    return OPS[op]


def _check_system(a: DistMatrix, b: DistMatrix) -> None:
    a.grid.holds(b=b)
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"a has the shape {a.shape}, and should be square")
    if b.shape[0] != a.shape[0]:
        raise ValueError(f"b has {b.shape[0]} rows, and a {a.shape[0]}")


def _check_pivot(status: int) -> None:
    if status > 0:
        raise common(LinAlgError(f"the matrix is singular: pivot {status} is zero", status))


def _check_positive(status: int) -> None:
    if status > 0:
        text = f"the matrix is not positive definite: the leading minor of order {status} is not positive"
        raise common(LinAlgError(text, status))


def _leading(a: DistMatrix, rows: int, columns: int) -> DistMatrix:
    """The first rows and columns. They are those of the local parts."""
    row_indices, column_indices = a.indices
    m, n = np.searchsorted(row_indices, rows), np.searchsorted(column_indices, columns)
    return DistMatrix(a.grid, a.local[:m, :n].copy("F"), (rows, columns), a.blocks, a.source)


def _triangle(a: DistMatrix, *, lower: bool, unit: bool = False) -> DistMatrix:
    """A copy with zeros on the other side of the diagonal."""
    rows, columns = a.indices
    rows = rows[:, np.newaxis]
    made = a._like(np.where(rows >= columns if lower else rows <= columns, a.local, 0).astype(a.dtype, "F"))
    if unit:
        made.local[rows == columns] = 1
    return made


__all__ = ["LU", "QR", "Cholesky", "cholesky", "lu", "qr", "solve"]
