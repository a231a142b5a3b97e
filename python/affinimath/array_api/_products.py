"""Products of matrices and tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._array import Array, call
from .._array.calls import list_text
from .._array.functions import scalar_or_array
from .._arrays import normalized_axes


def matmul(x1: Array, x2: Array, /) -> Array:
    """The product of two matrices or vectors, or of each pair of a stack.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.matmul(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 1]))
    Array([3, 7])
    """
    product: Array = scalar_or_array(x1) @ scalar_or_array(x2)
    return product


def matrix_transpose(x: Array, /) -> Array:
    """The transposes of the matrices of the last two axes.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.matrix_transpose(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 3],
           [2, 4]])
    """
    if x.ndim < 2:
        raise ValueError(f"a matrix has 2 axes at least, not {x.ndim}")
    return x.mT


def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """The sum of products over the last axes of x1 and the first ones of x2, or over pairs of axes.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.tensordot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 1]), axes=1)
    Array([3, 7])
    """
    first: Any
    second: Any
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"axes are not negative, and {axes} is")
        first, second = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        first, second = axes
    first, second = normalized_axes(tuple(first), x1.ndim), normalized_axes(tuple(second), x2.ndim)
    if [x1.shape[axis] for axis in first] != [x2.shape[axis] for axis in second]:
        raise ValueError(f"the axes {first} of shape {x1.shape} and {second} of shape {x2.shape} differ")
    rows = [axis for axis in range(x1.ndim) if axis not in first]
    columns = [axis for axis in range(x2.ndim) if axis not in second]
    left, right = [x1.shape[axis] for axis in rows], [x2.shape[axis] for axis in columns]
    m, k, n = math.prod(left), math.prod(x1.shape[axis] for axis in first), math.prod(right)
    a = call(f"reshape(transpose(x0, {list_text([*rows, *first])}), [{m}, {k}])", x1)
    b = call(f"reshape(transpose(x0, {list_text([*second, *columns])}), [{k}, {n}])", x2)
    return call(f"reshape(x0, {list_text([*left, *right])})", a @ b)


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The sums of conj(x1) x2 along an axis, which is negative.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.vecdot(xp.asarray([1j, 2]), xp.asarray([1j, 1]))
    Array(3.+0.j)
    """
    x1, x2 = scalar_or_array(x1), scalar_or_array(x2)
    if not -min(x1.ndim, x2.ndim) <= axis < 0 and not (x1.ndim == x2.ndim and 0 <= axis < x1.ndim):
        raise ValueError(f"axis {axis} of arrays with {x1.ndim} and {x2.ndim} axes")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vectors of {x1.shape[axis]} and {x2.shape[axis]} elements")
    return call(f"vecdot(x0, x1, {axis})", x1, x2)
