"""Arrays of other shapes, and several in one."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from .._array import Array, asarray, call
from .._array.calls import axis_text, call_all, list_text
from .._arrays import normalized_axes
from ._dtypes import result_type

Axes = Union[int, tuple[int, ...]]


def axis_of(axis: Any, ndim: int) -> int:
    """An axis, counted from 0."""
    return normalized_axes(operator.index(axis), ndim)[0]


def broadcast_arrays(*arrays: Array) -> list[Array]:
    """The arrays in the shape that they broadcast to.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> [x.shape for x in xp.broadcast_arrays(xp.asarray([1, 2]), xp.asarray([[3], [4]]))]
    [(2, 2), (2, 2)]
    """
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    return [broadcast_to(array, shape) for array in arrays]


def broadcast_to(x: Array, /, shape: Sequence[int]) -> Array:
    """The array in another shape, its elements repeated along axes of one element and new axes.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
    Array([[1, 2],
           [1, 2]])
    """
    return call(f"broadcast_to(x0, {list_text(shape)})", x)


def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    """The arrays one after the other along an axis, without one flattened.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.concat([xp.asarray([1, 2]), xp.asarray([3])])
    Array([1, 2, 3])
    """
    return _joined("concat", arrays, "None" if axis is None else str(axis_of(axis, _first(arrays).ndim)))


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    """The arrays one after the other along a new axis.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.stack([xp.asarray([1, 2]), xp.asarray([3, 4])], axis=1)
    Array([[1, 3],
           [2, 4]])
    """
    return _joined("stack", arrays, str(axis_of(axis, _first(arrays).ndim + 1)))


def _first(arrays: Sequence[Array]) -> Array:
    if not arrays:
        raise ValueError("there are no arrays to join")
    return arrays[0]


def _joined(name: str, arrays: Sequence[Array], axis: str) -> Array:
    dtype = result_type(*arrays)
    operands = [array.astype(dtype, copy=False) for array in arrays]
    return call(f"{name}([{', '.join(f'x{k}' for k in range(len(operands)))}], {axis})", *operands)


def expand_dims(x: Array, /, axis: Axes) -> Array:
    """The array with new axes of one element, at these positions of the result.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.expand_dims(xp.asarray([1, 2]), 0).shape
    (1, 2)
    """
    count = len(axis) if isinstance(axis, tuple) else 1
    axes = normalized_axes(axis, x.ndim + count)
    return call(f"expand_dims(x0, {list_text(axes)})", x)


def flip(x: Array, /, *, axis: Axes | None = None) -> Array:
    """The elements in reverse order along the axes, by default along all.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.flip(xp.asarray([1, 2, 3]))
    Array([3, 2, 1])
    """
    return call(f"flip(x0, {axis_text(axis)})", x)


def moveaxis(x: Array, source: Axes, destination: Axes, /) -> Array:
    """The array with axes moved to other positions.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.moveaxis(xp.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    from_axes, to_axes = normalized_axes(source, x.ndim), normalized_axes(destination, x.ndim)
    if len(from_axes) != len(to_axes):
        raise ValueError(f"{len(from_axes)} axes are moved to {len(to_axes)} positions")
    order = [axis for axis in range(x.ndim) if axis not in from_axes]
    for to, axis in sorted(zip(to_axes, from_axes)):
        order.insert(to, axis)
    return permute_dims(x, tuple(order))


def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    """The array with its axes in another order.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.permute_dims(xp.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return call(f"transpose(x0, {list_text(axes)})", x)


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element repeated along an axis, without one of the flattened array.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.repeat(xp.asarray([1, 2]), 2), xp.repeat(xp.asarray([1, 2]), xp.asarray([1, 3]))
    (Array([1, 1, 2, 2]), Array([1, 2, 2, 2]))
    """
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    axis = axis_of(axis, x.ndim)
    if not isinstance(repeats, Array):
        return call(f"repeat(x0, {operator.index(repeats)}, {axis})", x)
    # The extent of the result depends on the elements.
    indices = np.repeat(np.arange(x.shape[axis]), repeats.numpy())
    if indices.size == 0:
        return x[(slice(None),) * axis + (slice(0, 0),)]
    return call(f"take(x0, x1, {axis})", x, asarray(indices, device=x.device))


def reshape(x: Array, /, shape: Sequence[int], *, copy: bool | None = None) -> Array:
    """The elements in row-major order in another shape, of which one extent may be -1.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.reshape(xp.asarray([1, 2, 3, 4]), (2, -1))
    Array([[1, 2],
           [3, 4]])
    """
    return x.reshape(shape if isinstance(shape, int) else tuple(shape))


def roll(x: Array, /, shift: Axes, *, axis: Axes | None = None) -> Array:
    """The elements moved along axes, those behind the end to the beginning.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.roll(xp.asarray([1, 2, 3]), 1)
    Array([3, 1, 2])
    """
    return call(f"roll(x0, {axis_text(shift)}, {axis_text(axis)})", x)


def squeeze(x: Array, /, axis: Axes) -> Array:
    """The array without these axes, which have one element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.squeeze(xp.zeros((1, 2)), 0).shape
    (2,)
    """
    axes = normalized_axes(axis, x.ndim)
    for one in axes:
        if x.shape[one] != 1:
            raise ValueError(f"axis {one} has {x.shape[one]} elements, not one")
    return x.squeeze(axes)


def tile(x: Array, repetitions: Sequence[int], /) -> Array:
    """The array repeated along its axes.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.tile(xp.asarray([1, 2]), (2, 2))
    Array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    counts = [operator.index(count) for count in repetitions]
    counts = [1] * (x.ndim - len(counts)) + counts
    shape = [1] * (len(counts) - x.ndim) + list(x.shape)
    x = reshape(x, tuple(shape))
    for axis, (count, extent) in enumerate(zip(counts, shape)):
        if count < 0:
            raise ValueError(f"{count} repetitions")
        if count != 1:
            # One axis at a time: an array has at most 8.
            before, after = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
            wide = broadcast_to(reshape(x, (before, 1, extent * after)), (before, count, extent * after))
            x = reshape(wide, (*x.shape[:axis], count * extent, *x.shape[axis + 1 :]))
    return x


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts of an array along an axis, which they do not have.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.unstack(xp.asarray([[1, 2], [3, 4]]))
    (Array([1, 2]), Array([3, 4]))
    """
    axis = axis_of(axis, x.ndim)
    count, key = x.shape[axis], ":, " * axis
    if count == 0:
        return ()
    return tuple(call_all("; ".join(f"x0[{key}{index}]" for index in range(count)), x))
