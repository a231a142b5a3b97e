"""Reductions, running sums, and tests of all elements."""

from __future__ import annotations

import operator
from typing import Any

from .._array import Array, call, check_dtype
from ._manipulation import axis_of, concat


def all(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """True where no element along the axes is 0.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.all(xp.asarray([True, False]))
    Array(False)
    """
    return x.all(axis, keepdims)


def any(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """True where an element along the axes is not 0.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.any(xp.asarray([True, False]))
    Array(True)
    """
    return x.any(axis, keepdims)


def diff(
    x: Array, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    """The differences of neighbours along an axis, n times, with other elements before and behind those of x.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.diff(xp.asarray([1, 4, 9]))
    Array([3, 5])
    """
    axis, n = axis_of(axis, x.ndim), operator.index(n)
    parts = [part for part in (prepend, x, append) if part is not None]
    return call(f"diff(x0, {n}, {axis})", concat(parts, axis=axis) if len(parts) > 1 else x)


def max(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Maxima along the axes, by default of all elements; NaN where there is one.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.max(xp.asarray([1, 4, 2]))
    Array(4)
    """
    return x.max(axis, keepdims)


def mean(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Means along the axes, by default of all elements.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.mean(xp.asarray([1.0, 4.0]))
    Array(2.5)
    """
    return x.mean(axis, keepdims)


def min(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Minima along the axes, by default of all elements; NaN where there is one.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.min(xp.asarray([4, 1, 2]))
    Array(1)
    """
    return x.min(axis, keepdims)


def prod(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Products along the axes, by default of all elements; of small integers in int64.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.prod(xp.asarray([2, 3]))
    Array(6)
    """
    return x.prod(axis, dtype, keepdims)


def sum(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Sums along the axes, by default of all elements; of small integers in int64.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=0)
    Array([4, 6])
    """
    return x.sum(axis, dtype, keepdims)


def std(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """Standard deviations along the axes: the roots of the variances.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.std(xp.asarray([1.0, 2.0, 3.0]), correction=1)
    Array(1.)
    """
    return x.std(axis, correction, keepdims)


def var(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """Variances along the axes: sums of squared distances from the mean over n - correction.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.var(xp.asarray([1.0, 2.0, 3.0]), correction=1)
    Array(1.)
    """
    return x.var(axis, correction, keepdims)


def _running(name: str, x: Array, axis: int | None, dtype: Any, include_initial: bool) -> Array:
    if axis is None:
        if x.ndim != 1:
            raise ValueError("an array that has not one axis needs an axis")
        axis = 0
    axis = axis_of(axis, x.ndim)
    if dtype is not None:
        x = x.astype(dtype, copy=False)
    found = call(f"{name}(x0, {axis}, {bool(include_initial)})", x)
    return found if dtype is None else found.astype(check_dtype(dtype), copy=False)


def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Running products along an axis, with `include_initial` from 1 on; of small integers in int64.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.cumulative_prod(xp.asarray([2, 3, 4]))
    Array([ 2,  6, 24])
    """
    return _running("cumulative_prod", x, axis, dtype, include_initial)


def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Running sums along an axis, with `include_initial` from 0 on; of small integers in int64.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.cumulative_sum(xp.asarray([2, 3, 4]), include_initial=True)
    Array([0, 2, 5, 9])
    """
    return _running("cumulative_sum", x, axis, dtype, include_initial)
