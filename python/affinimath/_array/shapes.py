"""Arrays of other shapes and types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .calls import Base, axis_text, call, check_dtype, list_text, made

if TYPE_CHECKING:
    from . import Array


class Shapes(Base):
    """Functions of shapes as methods."""

    __slots__ = ()

    def reshape(self, *shape: Any) -> Array:
        """The elements in row-major order in another shape, of which one extent may be -1.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2, 3, 4]).reshape(2, -1)
        Array([[1, 2],
               [3, 4]])
        """
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return call(f"reshape(x0, {list_text(extents)})", self)

    def ravel(self) -> Array:
        """The elements in row-major order, along one axis.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).ravel()
        Array([1, 2, 3, 4])
        """
        return call("ravel(x0)", self)

    def flatten(self) -> Array:
        """The elements in row-major order, along one axis.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).flatten()
        Array([1, 2, 3, 4])
        """
        return self.ravel()

    def transpose(self, *axes: Any) -> Array:
        """The array with its axes in another order, by default in reverse.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).transpose()
        Array([[1, 3],
               [2, 4]])
        """
        if not axes or axes == (None,):
            return call("x0.T", self)
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return call(f"transpose(x0, {list_text(order)})", self)

    def swapaxes(self, axis1: int, axis2: int, /) -> Array:
        """The array with two axes exchanged.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).swapaxes(0, 1)
        Array([[1, 3],
               [2, 4]])
        """
        return call(f"swapaxes(x0, {int(axis1)}, {int(axis2)})", self)

    def squeeze(self, axis: Any = None) -> Array:
        """The array without axes of one element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2]]).squeeze()
        Array([1, 2])
        """
        return call(f"squeeze(x0, {axis_text(axis)})", self)

    def astype(self, dtype: Any, /, *, copy: bool = True) -> Array:
        """The elements in another type: integers wrap, reals saturate, the imaginary part is dropped.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.7, -2.2]).astype("int32")
        Array([ 1, -2], dtype=int32)
        """
        wanted = check_dtype(dtype)
        if wanted == self.dtype:
            return made(self._handle, self.dtype, self.shape)
        return call(f"{wanted.name}(x0)", self)
