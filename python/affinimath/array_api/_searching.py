"""Searching, sorting, sets, and parts by indices."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._array import Array, call
from .._array.calls import list_text, reduced
from .._array.host import on_host, to_arrays
from ._manipulation import axis_of


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Indices of the first maxima along an axis, by default of all elements in row-major order.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.argmax(xp.asarray([5, 9, 2]))
    Array(1)
    """
    return x.argmax(axis, keepdims)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Indices of the first minima along an axis, by default of all elements in row-major order.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.argmin(xp.asarray([5, 9, 2]))
    Array(2)
    """
    return x.argmin(axis, keepdims)


def count_nonzero(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """The number of elements along the axes that are not 0.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.count_nonzero(xp.asarray([5, 0, 2]))
    Array(2)
    """
    return reduced("count_nonzero", x, axis, keepdims)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The indices of elements that are not 0, an array for each axis; computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.nonzero(xp.asarray([5, 0, 2]))
    (Array([0, 2]),)
    """
    if not x.shape:
        raise ValueError("nonzero of an array without axes")
    return on_host(np.nonzero, x)  # type: ignore[no-any-return]


def searchsorted(x1: Array, x2: Array, /, *, side: str = "left", sorter: Array | None = None) -> Array:
    """The indices at which elements of x2 keep the order of x1, if they are inserted; computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.searchsorted(xp.asarray([1, 3, 5]), xp.asarray([3, 4]))
    Array([1, 2])
    """
    return on_host(np.searchsorted, x1, x2, side=side, sorter=sorter)  # type: ignore[no-any-return]


def _order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The indices that sort; equal elements keep their order."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    order = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - order, axis)


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The indices that sort the elements along an axis; computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.argsort(xp.asarray([5, 9, 2]))
    Array([2, 0, 1])
    """
    return on_host(_order, x, axis_of(axis, x.ndim), descending)  # type: ignore[no-any-return]


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The elements sorted along an axis; computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.sort(xp.asarray([5, 9, 2]), descending=True)
    Array([9, 5, 2])
    """

    def values(x: np.ndarray, axis: int) -> np.ndarray:
        return np.take_along_axis(x, _order(x, axis, descending), axis)

    return on_host(values, x, axis_of(axis, x.ndim))  # type: ignore[no-any-return]


class UniqueAllResult(NamedTuple):
    """Different elements with all that is known of them."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """Different elements, and how often there is each."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """Different elements, and which of them each element is."""

    values: Array
    inverse_indices: Array


def unique_all(x: Array, /) -> UniqueAllResult:
    """The different elements, sorted, with first indices, the index of each element, and counts.

    Each NaN is different. It is computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.unique_all(xp.asarray([7, 5, 7])).indices
    Array([1, 0])
    """
    elements = x.numpy().ravel()
    order = np.argsort(elements, kind="stable")
    ordered = elements[order]
    is_first = np.ones(ordered.shape, np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    inverse = np.empty(elements.shape, np.int64)
    inverse[order] = np.cumsum(is_first) - 1
    counts = np.diff(np.append(starts, elements.size))
    found = ordered[is_first], order[is_first], inverse.reshape(x.shape), counts
    return UniqueAllResult(*to_arrays(found, x.device))


def unique_counts(x: Array, /) -> UniqueCountsResult:
    """The different elements, sorted, and how often there is each; computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.unique_counts(xp.asarray([7, 5, 7])).counts
    Array([1, 2])
    """
    found = unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x: Array, /) -> UniqueInverseResult:
    """The different elements, sorted, and the index of each element among them; computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.unique_inverse(xp.asarray([7, 5, 7])).inverse_indices
    Array([1, 0, 1])
    """
    found = unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Array:
    """The different elements, sorted; computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.unique_values(xp.asarray([7, 5, 7]))
    Array([5, 7])
    """
    return unique_all(x).values


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """The parts of x at indices along an axis, which an array of several axes needs.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.take(xp.asarray([5, 9, 2]), xp.asarray([2, 0]))
    Array([2, 5])
    """
    if axis is None:
        if x.ndim != 1:
            raise ValueError("an array of several axes needs an axis")
        axis = 0
    axis = axis_of(axis, x.ndim)
    if indices.size == 0:
        return x[(slice(None),) * axis + (indices.numpy(),)]
    return call(f"take(x0, x1, {axis})", x, indices)


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """The elements of x at indices along an axis, of which there are some for each place of the other axes.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> x = xp.asarray([[5, 9], [4, 3]])
    >>> xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1)
    Array([[5, 9],
           [3, 4]])
    """
    axis = axis_of(axis, x.ndim)
    if indices.ndim != x.ndim:
        raise ValueError(f"x has {x.ndim} axes, and indices have {indices.ndim}")
    extent, count = x.shape[axis], indices.shape[axis]
    outer = np.broadcast_shapes(x.shape[:axis] + x.shape[axis + 1 :], indices.shape[:axis] + indices.shape[axis + 1 :])
    rows = math.prod(outer)
    if rows * count == 0:
        return x[(slice(0, 0),) * x.ndim].reshape(outer[:axis] + (count,) + outer[axis:])

    def lines(name: str, length: int) -> str:
        moved = f"moveaxis({name}, {axis}, -1)"
        return f"reshape(broadcast_to({moved}, {list_text((*outer, length))}), [{rows}, {length}])"

    # The index within all elements, with the axis as the last one.
    text = (
        f"i = int64({lines('x1', count)}); flat = where(i < 0, i + {extent}, i) + {extent}*reshape(arange({rows}),"
        f" [{rows}, 1]); found = take(ravel({lines('x0', extent)}), flat);"
        f" moveaxis(reshape(found, {list_text((*outer, count))}), -1, {axis})"
    )
    return call(text, x, indices)
