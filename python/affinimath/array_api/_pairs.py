"""Functions of two or more elements."""

from __future__ import annotations

from typing import Any, Union

from .._array import Array, call
from .._array.calls import Scalar
from .._array.functions import binary, scalar_or_array

Operand = Union[Array, Scalar]


def add(x1: Operand, x2: Operand, /) -> Array:
    """The sum of two elements.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.add(xp.asarray([1, 2]), 3)
    Array([4, 5])
    """
    return binary("add", x1, x2)


def atan2(x1: Operand, x2: Operand, /) -> Array:
    """The angle of the point (x2, x1), from -pi to pi.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.atan2(xp.asarray([1.0]), xp.asarray([-1.0]))
    Array([2.35619449])
    """
    return binary("atan2", x1, x2)


def bitwise_and(x1: Operand, x2: Operand, /) -> Array:
    """The bits that both elements have.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.bitwise_and(xp.asarray([6, 5]), 3)
    Array([2, 1])
    """
    return binary("bitwise_and", x1, x2)


def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Array:
    """The bits of an element, moved to the left.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.bitwise_left_shift(xp.asarray([1, 2]), 3)
    Array([ 8, 16])
    """
    return binary("bitwise_left_shift", x1, x2)


def bitwise_or(x1: Operand, x2: Operand, /) -> Array:
    """The bits that one of the elements has.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.bitwise_or(xp.asarray([6, 5]), 3)
    Array([7, 7])
    """
    return binary("bitwise_or", x1, x2)


def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Array:
    """The bits of an element, moved to the right with its sign.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.bitwise_right_shift(xp.asarray([-8, 16]), 3)
    Array([-1,  2])
    """
    return binary("bitwise_right_shift", x1, x2)


def bitwise_xor(x1: Operand, x2: Operand, /) -> Array:
    """The bits that one element alone has.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.bitwise_xor(xp.asarray([6, 5]), 3)
    Array([5, 6])
    """
    return binary("bitwise_xor", x1, x2)


def copysign(x1: Operand, x2: Operand, /) -> Array:
    """The magnitude of x1 with the sign of x2.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.copysign(xp.asarray([1.0, -2.0]), -0.0)
    Array([-1., -2.])
    """
    return binary("copysign", x1, x2)


def divide(x1: Operand, x2: Operand, /) -> Array:
    """The quotient of two elements; of integers in float64.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.divide(xp.asarray([1, 3]), 2)
    Array([0.5, 1.5])
    """
    return binary("divide", x1, x2)


def equal(x1: Operand, x2: Operand, /) -> Array:
    """True where the elements are equal.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.equal(xp.asarray([1, 2]), 2)
    Array([False,  True])
    """
    return binary("equal", x1, x2)


def floor_divide(x1: Operand, x2: Operand, /) -> Array:
    """The quotient of two elements, rounded down.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.floor_divide(xp.asarray([7, -7]), 2)
    Array([ 3, -4])
    """
    return binary("floor_divide", x1, x2)


def greater(x1: Operand, x2: Operand, /) -> Array:
    """True where x1 is greater.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.greater(xp.asarray([1, 3]), 2)
    Array([False,  True])
    """
    return binary("greater", x1, x2)


def greater_equal(x1: Operand, x2: Operand, /) -> Array:
    """True where x1 is greater or equal.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.greater_equal(xp.asarray([1, 2]), 2)
    Array([False,  True])
    """
    return binary("greater_equal", x1, x2)


def hypot(x1: Operand, x2: Operand, /) -> Array:
    """The square root of the sum of squares, without overflow on the way.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.hypot(xp.asarray([3.0]), 4.0)
    Array([5.])
    """
    return binary("hypot", x1, x2)


def less(x1: Operand, x2: Operand, /) -> Array:
    """True where x1 is less.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.less(xp.asarray([1, 3]), 2)
    Array([ True, False])
    """
    return binary("less", x1, x2)


def less_equal(x1: Operand, x2: Operand, /) -> Array:
    """True where x1 is less or equal.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.less_equal(xp.asarray([2, 3]), 2)
    Array([ True, False])
    """
    return binary("less_equal", x1, x2)


def logaddexp(x1: Operand, x2: Operand, /) -> Array:
    """log(exp(x1) + exp(x2)), without overflow on the way.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.logaddexp(xp.asarray([1000.0]), 1000.0)
    Array([1000.69314718])
    """
    return binary("logaddexp", x1, x2)


def logical_and(x1: Operand, x2: Operand, /) -> Array:
    """True where both elements are true.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.logical_and(xp.asarray([True, False]), True)
    Array([ True, False])
    """
    return binary("logical_and", x1, x2)


def logical_or(x1: Operand, x2: Operand, /) -> Array:
    """True where one of the elements is true.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.logical_or(xp.asarray([True, False]), False)
    Array([ True, False])
    """
    return binary("logical_or", x1, x2)


def logical_xor(x1: Operand, x2: Operand, /) -> Array:
    """True where one element alone is true.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.logical_xor(xp.asarray([True, False]), True)
    Array([False,  True])
    """
    return binary("logical_xor", x1, x2)


def maximum(x1: Operand, x2: Operand, /) -> Array:
    """The larger one of two elements; NaN where one is.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.maximum(xp.asarray([1, 5]), 3)
    Array([3, 5])
    """
    return binary("maximum", x1, x2)


def minimum(x1: Operand, x2: Operand, /) -> Array:
    """The smaller one of two elements; NaN where one is.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.minimum(xp.asarray([1, 5]), 3)
    Array([1, 3])
    """
    return binary("minimum", x1, x2)


def multiply(x1: Operand, x2: Operand, /) -> Array:
    """The product of two elements.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.multiply(xp.asarray([1, 2]), 3)
    Array([3, 6])
    """
    return binary("multiply", x1, x2)


def nextafter(x1: Operand, x2: Operand, /) -> Array:
    """The next number after x1 on the way to x2; computed on the host.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.nextafter(xp.asarray([1.0]), 2.0) > 1
    Array([ True])
    """
    return binary("nextafter", x1, x2)


def not_equal(x1: Operand, x2: Operand, /) -> Array:
    """True where the elements differ.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.not_equal(xp.asarray([1, 2]), 2)
    Array([ True, False])
    """
    return binary("not_equal", x1, x2)


def pow(x1: Operand, x2: Operand, /) -> Array:
    """x1 to the power x2.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.pow(xp.asarray([2, 3]), 2)
    Array([4, 9])
    """
    return binary("pow", x1, x2)


def remainder(x1: Operand, x2: Operand, /) -> Array:
    """The remainder of a division, with the sign of x2.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.remainder(xp.asarray([7, -7]), 3)
    Array([1, 2])
    """
    return binary("remainder", x1, x2)


def subtract(x1: Operand, x2: Operand, /) -> Array:
    """The difference of two elements.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.subtract(xp.asarray([1, 2]), 3)
    Array([-2, -1])
    """
    return binary("subtract", x1, x2)


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    """The elements, not below `min` and not above `max`, in the type of x.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.clip(xp.asarray([1, 5, 9]), 2, 8)
    Array([2, 5, 8])
    """
    return x.clip(min, max).astype(x.dtype)


def where(condition: Array, x1: Operand, x2: Operand, /) -> Array:
    """The elements of x1 where the condition is true, and those of x2 elsewhere.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0)
    Array([1, 0])
    """
    return call("where(x0, x1, x2)", condition, scalar_or_array(x1), scalar_or_array(x2))
