"""Reductions of arrays, and running ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .calls import Base, axis_text, call, dtype_text, reduced
from .operators import product

if TYPE_CHECKING:
    from . import Array


class Reductions(Base):
    """Reductions as methods."""

    __slots__ = ()

    def any(self, axis: Any = None, keepdims: bool = False) -> Array:
        """True where an element along the axes is not 0.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[0, 1], [0, 0]]).any(axis=1)
        Array([ True, False])
        """
        return reduced("any", self, axis, keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Array:
        """True where no element along the axes is 0.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[0, 1], [1, 1]]).all(axis=1)
        Array([False,  True])
        """
        return reduced("all", self, axis, keepdims)

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """Sums along the axes, by default of all elements; of conditions and small integers in 64 bits.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).sum(axis=0)
        Array([4, 6])
        """
        return reduced("sum", self, axis, keepdims, dtype_text(dtype))

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """Products along the axes, by default of all elements.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).prod(axis=0)
        Array([3, 8])
        """
        return reduced("prod", self, axis, keepdims, dtype_text(dtype))

    def min(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Minima along the axes, by default of all elements; NaN where there is one.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).min(axis=1)
        Array([1, 3])
        """
        return reduced("min", self, axis, keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Maxima along the axes, by default of all elements; NaN where there is one.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).max(axis=1)
        Array([2, 4])
        """
        return reduced("max", self, axis, keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Indices of the first minima along an axis, by default of all elements in row-major order.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[5, 2], [3, 4]]).argmin(axis=1)
        Array([1, 0])
        """
        return reduced("argmin", self, axis, keepdims)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Indices of the first maxima along an axis, by default of all elements in row-major order.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[5, 2], [3, 4]]).argmax()
        Array(0)
        """
        return reduced("argmax", self, axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Means along the axes, by default of all elements.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).mean(axis=0)
        Array([2., 3.])
        """
        return reduced("mean", self, axis, keepdims)

    def var(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Array:
        """Variances along the axes: sums of squared distances from the mean over n - ddof.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.0, 2.0, 3.0]).var(ddof=1)
        Array(1.)
        """
        return reduced("var", self, axis, keepdims, f", correction={float(ddof)}")

    def std(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Array:
        """Standard deviations along the axes: the roots of the variances.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.0, 2.0, 3.0]).std(ddof=1)
        Array(1.)
        """
        return reduced("std", self, axis, keepdims, f", correction={float(ddof)}")

    def cumsum(self, axis: int | None = None) -> Array:
        """Running sums along an axis, by default of all elements in row-major order.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2, 3]).cumsum()
        Array([1, 3, 6])
        """
        return call(f"cumsum(x0, {axis_text(axis)})", self)

    def cumprod(self, axis: int | None = None) -> Array:
        """Running products along an axis, by default of all elements in row-major order.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2, 3]).cumprod()
        Array([1, 2, 6])
        """
        return call(f"cumprod(x0, {axis_text(axis)})", self)

    def norm(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Euclidean norms along the axes, by default of all elements.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([3.0, 4.0]).norm()
        Array(5.)
        """
        return reduced("norm", self, axis, keepdims)

    def dot(self, other: Any) -> Array:
        """The sum of products of vectors, or the product of matrices.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.0, 2.0]).dot(am.Array([3.0, 4.0]))
        Array(11.)
        """
        is_product = self.ndim and np.ndim(other) and self.dtype.kind in "bui"
        return product(self, other) if is_product else call("dot(x0, x1)", self, other)
