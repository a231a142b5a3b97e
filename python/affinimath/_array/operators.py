"""Operators of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .calls import Base, call, is_operand

if TYPE_CHECKING:
    from . import Array


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
        return _binary("x0 // x1", self, other)

    def __rfloordiv__(self, other: Any) -> Array:
        return _binary("x1 // x0", self, other)

    def __mod__(self, other: Any) -> Array:
        return _binary("x0 % x1", self, other)

    def __rmod__(self, other: Any) -> Array:
        return _binary("x1 % x0", self, other)

    def __pow__(self, other: Any) -> Array:
        return _binary("x0 ** x1", self, other)

    def __rpow__(self, other: Any) -> Array:
        return _binary("x1 ** x0", self, other)

    def __matmul__(self, other: Any) -> Array:
        return _binary("x0 @ x1", self, other)

    def __rmatmul__(self, other: Any) -> Array:
        return _binary("x1 @ x0", self, other)

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
        return _binary("x0 < x1", self, other)

    def __le__(self, other: Any) -> Array:
        return _binary("x0 <= x1", self, other)

    def __gt__(self, other: Any) -> Array:
        return _binary("x0 > x1", self, other)

    def __ge__(self, other: Any) -> Array:
        return _binary("x0 >= x1", self, other)

    def __eq__(self, other: Any) -> Array:  # type: ignore[override]
        return _binary("x0 == x1", self, other)

    def __ne__(self, other: Any) -> Array:  # type: ignore[override]
        return _binary("x0 != x1", self, other)

    def __neg__(self) -> Array:
        return call("-x0", self)

    def __pos__(self) -> Array:
        return call("+x0", self)

    def __invert__(self) -> Array:
        return call("~x0", self)

    def __abs__(self) -> Array:
        return call("abs(x0)", self)


def _binary(text: str, x: Base, other: Any) -> Array:
    if is_operand(other):
        return call(text, x, other)
    return NotImplemented  # type: ignore[no-any-return]
