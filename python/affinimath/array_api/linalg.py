"""The extension `linalg` of the array API standard.

>>> import affinimath.array_api as xp
>>> xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
Array(6.)
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from .._array import Array, call, check_dtype
from .._array.calls import axis_text, call_all
from .._array.host import on_host
from .._arrays import normalized_axes
from .._lazy import evaluate_all
from .._library import LinAlgError
from .._spectral import EighResult, SVDResult
from ._matrices import matrices, square
from ._products import matmul, matrix_transpose, tensordot, vecdot
from ._spectral import eigh, eigvalsh, matrix_rank, pinv, spectral_norm, svd, svdvals

__all__ = [
    "EighResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class QRResult(NamedTuple):
    """The factors of x = Q R.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.qr(xp.asarray([[3.0], [4.0]])).R.shape
    (1, 1)
    """

    Q: Array
    """Columns that are orthonormal."""
    R: Array
    """The upper triangle."""


class SlogdetResult(NamedTuple):
    """A determinant by its sign and the logarithm of its size.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.slogdet(xp.asarray([[-1.0]])).sign
    Array(-1.)
    """

    sign: Array
    """-1, 0 or 1; of complex elements a number on the unit circle."""
    logabsdet: Array
    """The logarithm of the size."""


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """The factor L of a positive definite matrix, x = L Lᴴ, or of each of a stack; with `upper` its adjoint.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.cholesky(xp.asarray([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 0.],
           [1., 2.]])
    """
    # A matrix that is not positive definite is an error here, not of a later call.
    return call(f"cholesky(x0, {bool(upper)})", square(x)).evaluate()


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The cross products of vectors of three elements along an axis.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
    Array([0, 0, 1])
    """
    shape = np.broadcast_shapes(x1.shape, x2.shape)
    (own,) = normalized_axes(operator.index(axis), len(shape))
    key = ":, " * own
    if shape[own] != 3 or x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross products of shapes {x1.shape} and {x2.shape}, and vectors of 3 elements along an axis")
    text = "; ".join(f"{name}{k} = {name}[{key}{k}]" for name in "ab" for k in range(3))
    extents = ", ".join(map(str, shape))
    return call(
        f"a = broadcast_to(x0, [{extents}]); b = broadcast_to(x1, [{extents}]); {text};"
        f" stack([a1*b2 - a2*b1, a2*b0 - a0*b2, a0*b1 - a1*b0], {own})",
        x1,
        x2,
    )


def det(x: Array, /) -> Array:
    """The determinant of a square matrix, or of each of a stack.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    Array(6.)
    """
    return call("det(x0)", square(x))


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """A diagonal of the matrices of the last two axes, `offset` above the main one.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]]))
    Array([1, 4])
    """
    return call(f"diagonal(x0, {operator.index(offset)})", x)


def inv(x: Array, /) -> Array:
    """The inverse of a square matrix, or of each of a stack.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.inv(xp.asarray([[1.0, 2.0], [1.0, 4.0]]))
    Array([[ 2. , -1. ],
           [-0.5,  0.5]])
    """
    return call("inv(x0)", square(x)).evaluate()


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """A norm of the matrices of the last two axes: "fro", 1, -1, inf, -inf, and by singular values "nuc", 2, -2.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.matrix_norm(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), ord=1)
    Array(6.)
    """
    if x.ndim < 2:
        raise ValueError(f"a matrix has 2 axes at least, not {x.ndim}")
    return norm_of_matrices(x, (-2, -1), keepdims, ord)


def norm_of_matrices(x: Array, axes: tuple[int, int], keepdims: bool, ord: Any) -> Array:
    """The norms of matrices along two axes."""
    rows, columns = normalized_axes(axes, x.ndim)
    if ord in (None, "fro"):
        return call(f"norm(x0, [{rows}, {columns}], {bool(keepdims)})", x)
    if ord not in (1, -1, float("inf"), -float("inf")):
        return spectral_norm(x, (rows, columns), keepdims, ord)
    along, other = (rows, columns) if abs(ord) == 1 else (columns, rows)
    extremum = "max" if ord > 0 else "min"
    found = call(f"{extremum}(sum(abs(x0), {along}, True), {other}, True)", _floating(x))
    return found if keepdims else call(f"squeeze(x0, [{rows}, {columns}])", found)


def _floating(x: Array) -> Array:
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def matrix_power(x: Array, n: int, /) -> Array:
    """The n-th power of a square matrix, or of each of a stack; of the inverse if n is negative.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.matrix_power(xp.asarray([[1.0, 1.0], [0.0, 1.0]]), 5)
    Array([[1., 5.],
           [0., 1.]])
    """
    n = operator.index(n)
    square(x)
    if n < 0:
        x, n = inv(x), -n
    if n == 0:
        return call(f"broadcast_to(eye({x.shape[-1]}, dtype={x.dtype.name}), {list(x.shape)})", x)
    power = None
    while True:
        if n & 1:
            power = x if power is None else power @ x
        n >>= 1
        if n == 0:
            return power.copy() if power is not None else x
        x = x @ x


def outer(x1: Array, x2: Array, /) -> Array:
    """The products of all pairs of elements of two vectors.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]])
    """
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer is of vectors, not of arrays with {x1.ndim} and {x2.ndim} axes")
    return call("outer(x0, x1)", x1, x2)


def qr(x: Array, /, *, mode: str = "reduced") -> QRResult:
    """The factors Q and R of a matrix, or of each of a stack; Q has min(m, n) columns, or m if the mode is "complete".

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.qr(xp.ones((3, 2))).Q.shape
    (3, 2)
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode is {mode!r}; there are 'reduced' and 'complete'")
    matrices(x)
    if mode == "reduced" or x.shape[-2] <= x.shape[-1]:
        q, r = call_all("qr(x0)", x)
        evaluate_all([q._handle, r._handle])
        return QRResult(q, r)
    from .._factorizations import qr as on_numpy

    return QRResult(*on_host(lambda elements: tuple(on_numpy(elements, "complete")), x))


def slogdet(x: Array, /) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its size.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.slogdet(xp.asarray([[-1.0]]))
    SlogdetResult(sign=Array(-1.), logabsdet=Array(0.))
    """
    from .._array_factors import LU

    return LU(square(x)).slogdet()


def solve(x1: Array, x2: Array, /) -> Array:
    """The solution x of x1 x = x2, for a vector, or for the columns of matrices.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 8.0]))
    Array([1., 2.])
    """
    square(x1, "x1")
    if x2.ndim == 0 or x2.shape[0 if x2.ndim == 1 else -2] != x1.shape[-1]:
        raise LinAlgError(f"x2 has the shape {x2.shape}, and there are {x1.shape[-1]} equations", -1)
    if x2.ndim == 1 or x1.ndim == x2.ndim == 2:
        return call("solve(x0, x1)", x1, x2).evaluate()
    stack = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    n, count = x2.shape[-2:]
    a, b = [*stack, n, n], [*stack, n, count]
    return call(f"solve(broadcast_to(x0, {a}), broadcast_to(x1, {b}))", x1, x2).evaluate()


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sums of a diagonal of the matrices of the last two axes.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.trace(xp.asarray([[1, 2], [3, 4]]))
    Array(5)
    """
    found = diagonal(x, offset=offset)
    return found.sum(-1, None if dtype is None else check_dtype(dtype))


def vector_norm(x: Array, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Array:
    """The p-norm of all elements, or of those along the axes; inf and -inf give extrema, 0 counts.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.vector_norm(xp.asarray([3.0, 4.0]))
    Array(5.)
    """
    x = _floating(x)
    rest = f"{axis_text(axis)}, {bool(keepdims)}"
    if ord == 2:
        return call(f"norm(x0, {rest})", x)
    if ord in (float("inf"), -float("inf")):
        return call(f"{'max' if ord > 0 else 'min'}(abs(x0), {rest})", x)
    if ord == 0:
        real = "float32" if x.dtype in (np.float32, np.complex64) else "float64"
        return call(f"{real}(count_nonzero(x0, {rest}))", x)
    if ord == 1:
        return call(f"sum(abs(x0), {rest})", x)
    return call(f"sum(abs(x0)**{float(ord)!r}, {rest})**{1 / float(ord)!r}", x)
