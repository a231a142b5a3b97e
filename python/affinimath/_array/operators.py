"""Operators of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._lazy import apply_pair
from .._operands import NUMBERS
from .calls import Base, as_operand, call, is_operand, made
from .functions import binary
from .host import first_device, on_host

if TYPE_CHECKING:
    from typing_extensions import Self

    from . import Array

_Own = TypeVar("_Own", bound=Base)


class Operators(Base):
    """Python's operators."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Array:
        return _binary("x0 + x1", self, other)

    def __radd__(self, other: Any) -> Array:
        return _binary("x1 + x0", self, other)

    def __sub__(self, other: Any) -> Array:
        return _binary("x0 - x1", self, other)

    def __rsub__(self, other: Any) -> Array:
        return _binary("x1 - x0", self, other)

    def __mul__(self, other: Any) -> Array:
        return _binary("x0 * x1", self, other)

    def __rmul__(self, other: Any) -> Array:
        return _binary("x1 * x0", self, other)

    def __truediv__(self, other: Any) -> Array:
        return _binary("x0 / x1", self, other)

    def __rtruediv__(self, other: Any) -> Array:
        return _binary("x1 / x0", self, other)

    def __floordiv__(self, other: Any) -> Array:
        return _floored(self, other)

    def __rfloordiv__(self, other: Any) -> Array:
        return _floored(other, self)

    def __mod__(self, other: Any) -> Array:
        return _binary("x0 % x1", self, other)

    def __rmod__(self, other: Any) -> Array:
        return _binary("x1 % x0", self, other)

    def __pow__(self, other: Any) -> Array:
        return _binary("x0 ** x1", self, other)

    def __rpow__(self, other: Any) -> Array:
        return _binary("x1 ** x0", self, other)

    def __matmul__(self, other: Any) -> Array:
        return product(self, other)

    def __rmatmul__(self, other: Any) -> Array:
        return product(other, self)

    def __and__(self, other: Any) -> Array:
        return _binary("x0 & x1", self, other)

    def __rand__(self, other: Any) -> Array:
        return _binary("x1 & x0", self, other)

    def __or__(self, other: Any) -> Array:
        return _binary("x0 | x1", self, other)

    def __ror__(self, other: Any) -> Array:
        return _binary("x1 | x0", self, other)

    def __xor__(self, other: Any) -> Array:
        return _binary("x0 ^ x1", self, other)

    def __rxor__(self, other: Any) -> Array:
        return _binary("x1 ^ x0", self, other)

    def __lshift__(self, other: Any) -> Array:
        return _binary("x0 << x1", self, other)

    def __rlshift__(self, other: Any) -> Array:
        return _binary("x1 << x0", self, other)

    def __rshift__(self, other: Any) -> Array:
        return _binary("x0 >> x1", self, other)

    def __rrshift__(self, other: Any) -> Array:
        return _binary("x1 >> x0", self, other)

    def __lt__(self, other: Any) -> Array:
        return _ordered("x0 < x1", self, other)

    def __le__(self, other: Any) -> Array:
        return _ordered("x0 <= x1", self, other)

    def __gt__(self, other: Any) -> Array:
        return _ordered("x0 > x1", self, other)

    def __ge__(self, other: Any) -> Array:
        return _ordered("x0 >= x1", self, other)

    def __eq__(self, other: Any) -> Array:  # type: ignore[override]
        return _binary("x0 == x1", self, other)

    def __ne__(self, other: Any) -> Array:  # type: ignore[override]
        return _binary("x0 != x1", self, other)

    def __iadd__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 + x1", self, other))

    def __isub__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 - x1", self, other))

    def __imul__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 * x1", self, other))

    def __itruediv__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 / x1", self, other))

    def __ifloordiv__(self, other: Any) -> Self:
        return _in_place(self, _floored(self, other))

    def __imod__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 % x1", self, other))

    def __ipow__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 ** x1", self, other))

    def __iand__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 & x1", self, other))

    def __ior__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 | x1", self, other))

    def __ixor__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 ^ x1", self, other))

    def __ilshift__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 << x1", self, other))

    def __irshift__(self, other: Any) -> Self:
        return _in_place(self, _binary("x0 >> x1", self, other))

    def __imatmul__(self, other: Any) -> Self:
        return _in_place(self, product(self, other))

    def __neg__(self) -> Array:
        return call("-x0", self)

    def __pos__(self) -> Array:
        return call("+x0", self)

    def __invert__(self) -> Array:
        return call("~x0", self)

    def __abs__(self) -> Array:
        return call("abs(x0)", self)


def _binary(text: str, x: Base, other: Any) -> Array:
    """The result of a text with the array x0 and the other operand x1."""
    if isinstance(other, Base):
        return made(*apply_pair(text, x._handle, other._handle))
    if type(other) in NUMBERS:
        return made(*apply_pair(text, x._handle, other))
    if isinstance(other, (np.ndarray, np.generic)):
        return made(*apply_pair(text, x._handle, as_operand(other, x)._handle))
    return NotImplemented  # type: ignore[no-any-return]


def _floored(x: Any, y: Any) -> Array:
    """The quotient rounded down, also by infinities."""
    if not (is_operand(x) and is_operand(y)):
        return NotImplemented  # type: ignore[no-any-return]
    return binary("floor_divide", x, y)


def _is_bool(value: Any) -> bool:
    return type(value) is bool or getattr(value, "dtype", None) == np.bool_


#: The functions that order conditions: False is less than True.
_OF_BOOLS = {"x0 < x1": "less", "x0 <= x1": "less_equal", "x0 > x1": "greater", "x0 >= x1": "greater_equal"}


def _ordered(text: str, x: Base, other: Any) -> Array:
    if x.dtype == np.bool_ and _is_bool(other):
        return binary(_OF_BOOLS[text], x, other)
    return _binary(text, x, other)


def product(x: Any, y: Any) -> Array:
    """The product of matrices or vectors. That of integers is theirs, as NumPy's."""
    if not (isinstance(x, (Base, np.ndarray)) and isinstance(y, (Base, np.ndarray))):
        return NotImplemented  # type: ignore[no-any-return]
    dtype = np.promote_types(x.dtype, y.dtype)
    if dtype.kind in "fc" or not (x.shape and y.shape):
        return call("x0 @ x1", x, y)
    device = first_device((x, y))
    if device == "host" or max(len(x.shape), len(y.shape)) > 7:
        product: Array = on_host(np.matmul, x, y)
        return product
    if x.shape[-1] != y.shape[-2:][0]:
        raise ValueError(f"x0 @ x1: shapes {x.shape} and {y.shape}")
    # Sums of products in one kernel: rows of x against columns of y.
    left = "expand_dims(x0, -1)" if len(x.shape) > 1 else f"reshape(x0, [{x.shape[0]}, 1])"
    right = "x1" if len(x.shape) == 1 else "expand_dims(x1, -3)"
    if len(y.shape) == 1:
        right = f"reshape(x1, [{y.shape[0]}, 1])"
    if dtype == np.bool_:
        text = f"any({left} & {right}, axis=-2)"
    else:
        text = f"sum({left}*{right}, axis=-2, dtype={dtype.name})"
    if len(y.shape) == 1:
        text += "[..., 0]"
    return call(text, x, y)


def _in_place(x: _Own, result: Array) -> _Own:
    """The array with the elements of a result, in its own type."""
    if result is NotImplemented:
        return NotImplemented  # type: ignore[no-any-return]
    if result.shape != x.shape:
        raise ValueError(f"a result of shape {result.shape} is not assigned to an array of shape {x.shape}")
    if not np.can_cast(result.dtype, x.dtype, "same_kind"):
        raise TypeError(f"{result.dtype} elements are not assigned to {x.dtype} elements")
    x._handle = result.astype(x.dtype)._handle
    return x
