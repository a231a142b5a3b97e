"""Functions of the elements of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .calls import Base, call, made
from .functions import unary
from .host import on_host

if TYPE_CHECKING:
    from . import Array


class Elements(Base):
    """Functions of elements as methods."""

    __slots__ = ()

    def exp(self) -> Array:
        """The exponential function of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).exp()
        Array([1.28402542, 2.71828183])
        """
        return unary("exp", self)

    def log(self) -> Array:
        """The natural logarithm of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).log()
        Array([-1.38629436,  0.        ])
        """
        return unary("log", self)

    def sqrt(self) -> Array:
        """The square root of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).sqrt()
        Array([0.5, 1. ])
        """
        return unary("sqrt", self)

    def sin(self) -> Array:
        """The sine of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).sin()
        Array([0.24740396, 0.84147098])
        """
        return unary("sin", self)

    def cos(self) -> Array:
        """The cosine of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).cos()
        Array([0.96891242, 0.54030231])
        """
        return unary("cos", self)

    def tan(self) -> Array:
        """The tangent of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).tan()
        Array([0.25534192, 1.55740772])
        """
        return unary("tan", self)

    def tanh(self) -> Array:
        """The hyperbolic tangent of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).tanh()
        Array([0.24491866, 0.76159416])
        """
        return unary("tanh", self)

    def erf(self) -> Array:
        """The error function of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).erf()
        Array([0.27632639, 0.84270079])
        """
        return call("erf(x0)", self)

    def square(self) -> Array:
        """The square of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).square()
        Array([0.0625, 1.    ])
        """
        return unary("square", self)

    def conj(self) -> Array:
        """The complex conjugate of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).conj()
        Array([0.25, 1.  ])
        """
        return unary("conj", self)

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """The elements, not below `min` and not above `max`.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 5, 9]).clip(2, 8)
        Array([2, 5, 8])
        """
        bounds = [bound for bound in (min, max) if bound is not None]
        given = [name for name, bound in (("min", min), ("max", max)) if bound is not None]
        names = [f"{name}=x{index}" for index, name in enumerate(given, 1)]
        return call(f"clip({', '.join(['x0', *names])})", self, *bounds)

    def round(self, decimals: int = 0) -> Array:
        """The nearest whole numbers, ties to even; with `decimals` multiples of a power of ten.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.5, 1.5, 2.7]).round()
        Array([0., 2., 3.])
        """
        if self.dtype.kind in "biu":
            rounded: Array = on_host(np.round, self, decimals)
            return made(self._handle, self.dtype, self.shape) if decimals >= 0 else rounded
        if decimals == 0:
            return unary("round", self)
        return call(f"x0/10.0**{int(decimals)}", unary("round", call(f"x0*10.0**{int(decimals)}", self)))
