"""Factors of an `Array`: they lie where the array does, and so do the systems that they solve."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _lazy
from ._array import Array, asarray, call
from ._array.calls import call_all
from ._array.host import to_arrays
from ._factorizations import qr as _qr_on_host
from ._lu import Factors as _Factors
from ._lu import check_info
from .array_api.linalg import SlogdetResult


def evaluated(arrays: list[Array]) -> list[Array]:
    """The arrays, computed together."""
    _lazy.evaluate_all([array._handle for array in arrays])
    return arrays


def is_finite(array: Array) -> bool:
    """True for an array without a NaN and without an infinity."""
    return array.dtype.kind not in "fc" or bool(call("all(isfinite(x0))", array))


def right_hand_sides(b: Any, n: int, device: str) -> Array:
    """Right-hand sides on a device: a vector of n elements, or a matrix of n rows or a stack of them."""
    array = asarray(b, device=device)
    if array.ndim == 0 or array.shape[0 if array.ndim == 1 else -2] != n:
        raise ValueError(f"b has the shape {array.shape}, and there are {n} equations")
    return array


def _stacked(a: Array, b: Array) -> tuple[Array, Array]:
    """A matrix and right-hand sides as operands of a text: a vector is a column, and stacks have one shape."""
    if b.ndim == 1:
        b = call("expand_dims(x0, -1)", b)
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    for shape in ([*stack, *a.shape[-2:]],) if a.shape[:-2] != stack else ():
        a = call(f"broadcast_to(x0, {shape})", a)
    for shape in ([*stack, *b.shape[-2:]],) if b.shape[:-2] != stack else ():
        b = call(f"broadcast_to(x0, {shape})", b)
    return a, b


def triangular(a: Array, b: Array, trans: int, lower: bool, unit: bool = False) -> Array:
    """The solution with a triangle, its transpose for `trans` 1, or its adjoint for 2."""
    a, b = _stacked(a, b)
    return call(f"solve_triangular(x0, x1, {trans}, {lower}, {unit})", a, b)


def _shaped(x: Array, b: Array) -> Array:
    """A solution without the axis of columns that a vector has got."""
    return call("x0[..., 0]", x).evaluate() if b.ndim == 1 else x.evaluate()


def check_pivots(triangle: Array) -> None:
    """Raises what LAPACK says of the first zero on a diagonal."""
    n = triangle.shape[-1]
    if triangle.size:
        found = call("d = int32(diagonal(x0) == 0); where(max(d, -1) > 0, argmax(d, -1) + 1, 0)", triangle).numpy()
        check_info(found if found.shape else int(found), n)


class Factors(_Factors):
    """The factors of an array."""

    #: The array that was factored, on whose device all lies.
    _of: Array

    @property
    def _device(self) -> str:
        return self._of.device

    def _check_square(self) -> int:
        shape = self._of.shape
        if shape[-1] != shape[-2]:
            raise ValueError(f"the factors of a matrix of shape {shape}, which is not square")
        return shape[-1]

    def _eye(self, dtype: Any = None) -> Array:
        name = np.dtype(dtype or self.dtype).name
        return call(f"eye({self._of.shape[-2]}, dtype={name})", self._of)

    def solve(self, b: Any) -> Array:
        """The solution for one or several right-hand sides."""
        raise NotImplementedError

    def inv(self) -> Array:
        """The inverse of the array, or the left inverse of least norm."""
        return self.solve(self._eye())


class LU(Factors):
    """a = P L U, with the methods of the factors of NumPy's arrays."""

    _names = ("p", "l", "u")

    def __init__(self, a: Array) -> None:
        self._of = a
        #: The rows of a in the order of those of L U.
        self.permutation, self.l, self.u = evaluated(call_all("lu(x0)", a))

    @property
    def dtype(self) -> np.dtype:
        """The type of the factors."""
        return self.u.dtype

    @property
    def p(self) -> Array:
        """The permutation as a matrix P of real elements."""
        name = self.dtype.type(0).real.dtype.name
        m = self._of.shape[-2]
        return call(f"{name}(arange({m})[:, None] == expand_dims(x0, -2))", self.permutation)

    @property
    def factors(self) -> Array:
        """L below the diagonal, without its ones, and U."""
        (m, k), n = self.l.shape[-2:], self.u.shape[-1]
        lower, upper = "tril(x0, -1)", "x1"
        stack = list(self._of.shape[:-2])
        zeros = "concat([{}, zeros({}, dtype={})], {})"
        if m > k:
            upper = zeros.format(upper, [*stack, m - k, n], self.dtype.name, -2)
        if n > k:
            lower = zeros.format(lower, [*stack, m, n - k], self.dtype.name, -1)
        return call(f"{lower} + {upper}", self.l, self.u)

    @property
    def pivots(self) -> Array:
        """LAPACK's pivots: row i was exchanged with row pivots[i] - 1, for one i after the other."""
        rows = self.permutation.numpy()
        k = min(self._of.shape[-2:])
        pivots = np.empty((*rows.shape[:-1], k), np.int32)
        for index in np.ndindex(rows.shape[:-1]):
            wanted, order = rows[index].tolist(), list(range(rows.shape[-1]))
            where = list(order)
            for i in range(k):
                j = where[wanted[i]]
                pivots[(*index, i)] = j + 1
                order[i], order[j] = order[j], order[i]
                where[order[i]], where[order[j]] = i, j
        return asarray(pivots, device=self._device)

    @property
    def inverse_permutation(self) -> Array:
        """The rows of L U in the order of those of a."""
        return call(f"argmax(int32(expand_dims(x0, -1) == arange({self._of.shape[-2]})), -2)", self.permutation)

    def rows(self, b: Array, inverse: bool = False) -> Array:
        """The rows of b in the order of those of L U, or back."""
        if self.permutation.ndim == 1:
            return call("take(x1, x0, -2)", self.inverse_permutation if inverse else self.permutation, b)
        p = self.p if inverse else self.p.mT
        _, b = _stacked(p, b)
        return p.astype(b.dtype) @ b

    def solve(self, b: Any, *, transposed: bool = False) -> Array:
        """The solution x of a x = b, or of the transposed system, for one or several right-hand sides."""
        n = self._check_square()
        check_pivots(self.u)
        b = right_hand_sides(b, n, self._device)
        column = call("expand_dims(x0, -1)", b) if b.ndim == 1 else b
        if transposed:
            x = triangular(self.u, column, 1, False)
            x = self.rows(triangular(self.l, x, 1, True, True), inverse=True)
        else:
            x = triangular(self.l, self.rows(column), 0, True, True)
            x = triangular(self.u, x, 0, False)
        return _shaped(x, b)

    def inv(self) -> Array:
        """The inverse of a."""
        self._check_square()
        check_pivots(self.u)
        return super().inv()

    def _sign(self) -> Array:
        """The determinant of P."""
        self._check_square()
        exchanges = np.count_nonzero(self.pivots.numpy() != np.arange(1, self._of.shape[-1] + 1), axis=-1)
        return asarray(np.where(exchanges % 2, -1, 1).astype(self.dtype), device=self._device)

    def det(self) -> Array:
        """The determinant of a."""
        return call("prod(diagonal(x0), -1) * x1", self.u, self._sign())

    def slogdet(self) -> SlogdetResult:
        """The sign of the determinant of a, and the logarithm of its modulus."""
        return _slogdet(self.u, self._sign())


def _slogdet(triangle: Array, sign: Array) -> SlogdetResult:
    text = "d = diagonal(x0); m = abs(d); z = any(m == 0, -1); t = where(m == 0, 1, d / m);"
    *_, turn, logarithm = call_all(f"{text} where(z, 0, prod(t, -1) * x1), sum(log(m), -1)", triangle, sign)
    return SlogdetResult(*evaluated([turn, logarithm]))


class QR(Factors):
    """a = Q R, with the methods of the factors of NumPy's arrays."""

    _names = ("q", "r")

    def __init__(self, a: Array) -> None:
        self._of = a
        self.q, self.r = evaluated(call_all("qr(x0)", a))

    @property
    def dtype(self) -> np.dtype:
        """The type of the factors."""
        return self.r.dtype

    @property
    def raw(self) -> Any:
        """R with the Householder vectors below it, and their factors tau: the host computes them."""
        return to_arrays(_qr_on_host(self._of.numpy()).raw, self._device)

    def solve(self, b: Any) -> Array:
        """The x that minimises the norm of b - a x, for one or several b. a has no more columns than rows."""
        m, n = self._of.shape[-2:]
        if m < n:
            raise ValueError(f"the factors of a matrix of shape {(m, n)}, which has more columns than rows")
        check_pivots(self.r)
        b = right_hand_sides(b, m, self._device)
        q, column = _stacked(self.q, b)
        return _shaped(triangular(self.r, q.mT.conj() @ column, 0, False), b)

    def _sign(self) -> Array:
        """The determinant of Q, which has the modulus 1."""
        self._check_square()
        return call("d = det(x0); d / abs(d)", self.q)

    def det(self) -> Array:
        """The determinant of a square a."""
        return call("prod(diagonal(x0), -1) * x1", self.r, self._sign())

    def slogdet(self) -> SlogdetResult:
        """The sign of the determinant of a square a, and the logarithm of its modulus."""
        return _slogdet(self.r, self._sign())


class Cholesky:
    """a = L Lᴴ, with the methods of the factor of NumPy's arrays."""

    def __init__(self, a: Array, upper: bool = False) -> None:
        self._of, self._upper = a, upper
        factor = call(f"cholesky(x0, {bool(upper)})", a).evaluate()
        #: The factor, with zeros in the other triangle.
        self.factor = factor

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.factor.numpy(), dtype)

    def __repr__(self) -> str:
        return f"<Cholesky of {self.dtype}, {'u' if self._upper else 'l'}: {self.factor.shape}>"

    @property
    def dtype(self) -> np.dtype:
        """The type of the factor."""
        return self.factor.dtype

    @property
    def l(self) -> Array:
        """The factor L."""
        return self.factor.mT.conj() if self._upper else self.factor

    @property
    def u(self) -> Array:
        """The factor U = Lᴴ."""
        return self.factor if self._upper else self.factor.mT.conj()

    def solve(self, b: Any) -> Array:
        """The solution x of a x = b, for one or several right-hand sides."""
        b = right_hand_sides(b, self.factor.shape[-1], self._of.device)
        first, second = (2, 0) if self._upper else (0, 2)
        lower = not self._upper
        x = triangular(self.factor, triangular(self.factor, b, first, lower), second, lower)
        return _shaped(x, b)

    def inv(self) -> Array:
        """The inverse of a."""
        return self.solve(call(f"eye({self.factor.shape[-1]}, dtype={self.dtype.name})", self.factor))

    def det(self) -> Array:
        """The determinant of a, which is positive."""
        return call("prod(real(diagonal(x0))**2, -1)", self.factor)

    def slogdet(self) -> SlogdetResult:
        """The sign of the determinant of a, which is 1, and the logarithm of the determinant."""
        text = "d = real(diagonal(x0))"
        logarithm = call(f"{text}; 2*sum(log(d), -1)", self.factor)
        one = call(f"ones({list(self.factor.shape[:-2])}, dtype={self.dtype.name})", self.factor)
        return SlogdetResult(one, logarithm)
