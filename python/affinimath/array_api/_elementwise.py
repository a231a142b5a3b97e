"""Functions of each element."""

from __future__ import annotations

from .._array import Array
from .._array.functions import unary


def abs(x: Array, /) -> Array:
    """The absolute value of each element; of complex elements the magnitude.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.abs(xp.asarray([-2.0, 3.0]))
    Array([2., 3.])
    """
    return unary("abs", x)


def acos(x: Array, /) -> Array:
    """The inverse cosine of each element, in radians.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.acos(xp.asarray([1.0, -1.0]))
    Array([0.        , 3.14159265])
    """
    return unary("acos", x)


def acosh(x: Array, /) -> Array:
    """The inverse hyperbolic cosine of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.acosh(xp.asarray([1.0, 2.0]))
    Array([0.        , 1.3169579])
    """
    return unary("acosh", x)


def asin(x: Array, /) -> Array:
    """The inverse sine of each element, in radians.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.asin(xp.asarray([0.0, 1.0]))
    Array([0.        , 1.57079633])
    """
    return unary("asin", x)


def asinh(x: Array, /) -> Array:
    """The inverse hyperbolic sine of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.asinh(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.88137359])
    """
    return unary("asinh", x)


def atan(x: Array, /) -> Array:
    """The inverse tangent of each element, in radians.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.atan(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.78539816])
    """
    return unary("atan", x)


def atanh(x: Array, /) -> Array:
    """The inverse hyperbolic tangent of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.atanh(xp.asarray([0.0, 0.5]))
    Array([0.        , 0.54930614])
    """
    return unary("atanh", x)


def bitwise_invert(x: Array, /) -> Array:
    """The complement of the bits of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.bitwise_invert(xp.asarray([0, 5]))
    Array([-1, -6])
    """
    return unary("bitwise_invert", x)


def ceil(x: Array, /) -> Array:
    """The least whole number that is not below each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.ceil(xp.asarray([1.2, -1.2]))
    Array([ 2., -1.])
    """
    return unary("ceil", x)


def conj(x: Array, /) -> Array:
    """The complex conjugate of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.conj(xp.asarray([1 + 2j]))
    Array([1.-2.j])
    """
    return unary("conj", x)


def cos(x: Array, /) -> Array:
    """The cosine of each element, in radians.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.cos(xp.asarray([0.0, 1.0]))
    Array([1.        , 0.54030231])
    """
    return unary("cos", x)


def cosh(x: Array, /) -> Array:
    """The hyperbolic cosine of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.cosh(xp.asarray([0.0, 1.0]))
    Array([1.        , 1.54308063])
    """
    return unary("cosh", x)


def exp(x: Array, /) -> Array:
    """The exponential function of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.exp(xp.asarray([0.0, 1.0]))
    Array([1.        , 2.71828183])
    """
    return unary("exp", x)


def expm1(x: Array, /) -> Array:
    """exp(x) - 1 of each element, accurate near 0.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.expm1(xp.asarray([0.0, 1.0]))
    Array([0.        , 1.71828183])
    """
    return unary("expm1", x)


def floor(x: Array, /) -> Array:
    """The largest whole number that is not above each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.floor(xp.asarray([1.2, -1.2]))
    Array([ 1., -2.])
    """
    return unary("floor", x)


def imag(x: Array, /) -> Array:
    """The imaginary part of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.imag(xp.asarray([1 + 2j]))
    Array([2.])
    """
    return unary("imag", x)


def isfinite(x: Array, /) -> Array:
    """True for elements that are neither infinities nor NaN.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.isfinite(xp.asarray([1.0, xp.inf]))
    Array([ True, False])
    """
    return unary("isfinite", x)


def isinf(x: Array, /) -> Array:
    """True for infinities.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.isinf(xp.asarray([1.0, xp.inf]))
    Array([False,  True])
    """
    return unary("isinf", x)


def isnan(x: Array, /) -> Array:
    """True for NaN.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.isnan(xp.asarray([1.0, xp.nan]))
    Array([False,  True])
    """
    return unary("isnan", x)


def log(x: Array, /) -> Array:
    """The natural logarithm of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.log(xp.asarray([1.0, 2.0]))
    Array([0.        , 0.69314718])
    """
    return unary("log", x)


def log1p(x: Array, /) -> Array:
    """log(1 + x) of each element, accurate near 0.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.log1p(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.69314718])
    """
    return unary("log1p", x)


def log2(x: Array, /) -> Array:
    """The logarithm to the base 2 of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.log2(xp.asarray([1.0, 8.0]))
    Array([0., 3.])
    """
    return unary("log2", x)


def log10(x: Array, /) -> Array:
    """The logarithm to the base 10 of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.log10(xp.asarray([1.0, 1000.0]))
    Array([0., 3.])
    """
    return unary("log10", x)


def logical_not(x: Array, /) -> Array:
    """True for elements that are 0.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.logical_not(xp.asarray([True, False]))
    Array([False,  True])
    """
    return unary("logical_not", x)


def negative(x: Array, /) -> Array:
    """Each element with the other sign.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.negative(xp.asarray([1, -2]))
    Array([-1,  2])
    """
    return unary("negative", x)


def positive(x: Array, /) -> Array:
    """Each element with its sign.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.positive(xp.asarray([1, -2]))
    Array([ 1, -2])
    """
    return unary("positive", x)


def real(x: Array, /) -> Array:
    """The real part of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.real(xp.asarray([1 + 2j]))
    Array([1.])
    """
    return unary("real", x)


def reciprocal(x: Array, /) -> Array:
    """The reciprocal of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.reciprocal(xp.asarray([2.0, 4.0]))
    Array([0.5 , 0.25])
    """
    return unary("reciprocal", x)


def round(x: Array, /) -> Array:
    """The nearest whole number of each element, ties to even; of complex elements that of each part.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.round(xp.asarray([0.5, 1.5]))
    Array([0., 2.])
    """
    return unary("round", x)


def sign(x: Array, /) -> Array:
    """-1, 0 or 1 of each element; of complex elements x / abs(x).

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.sign(xp.asarray([-2.0, 0.0]))
    Array([-1.,  0.])
    """
    return unary("sign", x)


def signbit(x: Array, /) -> Array:
    """True for elements with a negative sign, also for -0.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.signbit(xp.asarray([-0.0, 1.0]))
    Array([ True, False])
    """
    return unary("signbit", x)


def sin(x: Array, /) -> Array:
    """The sine of each element, in radians.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.sin(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.84147098])
    """
    return unary("sin", x)


def sinh(x: Array, /) -> Array:
    """The hyperbolic sine of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.sinh(xp.asarray([0.0, 1.0]))
    Array([0.        , 1.17520119])
    """
    return unary("sinh", x)


def sqrt(x: Array, /) -> Array:
    """The square root of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.sqrt(xp.asarray([4.0, 9.0]))
    Array([2., 3.])
    """
    return unary("sqrt", x)


def square(x: Array, /) -> Array:
    """The square of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.square(xp.asarray([2, 3]))
    Array([4, 9])
    """
    return unary("square", x)


def tan(x: Array, /) -> Array:
    """The tangent of each element, in radians.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.tan(xp.asarray([0.0, 1.0]))
    Array([0.        , 1.55740772])
    """
    return unary("tan", x)


def tanh(x: Array, /) -> Array:
    """The hyperbolic tangent of each element.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.tanh(xp.asarray([0.0, 1.0]))
    Array([0.        , 0.76159416])
    """
    return unary("tanh", x)


def trunc(x: Array, /) -> Array:
    """Each element without its fraction.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.trunc(xp.asarray([1.7, -1.7]))
    Array([ 1., -1.])
    """
    return unary("trunc", x)
