"""Functions of elements by their names in the array API standard: texts, and what NumPy computes on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .._operands import NUMBERS
from .calls import Base, asarray, call
from .host import on_host

if TYPE_CHECKING:
    from . import Array

#: Texts where the function of that name misses a special case of the standard.
_REAL = {
    # sqrt((x - 1) * (x + 1)) is large for large negative elements too.
    "acosh": "acosh(where(x0 < 1, nan, x0))",
    # A zero has no sign.
    "sign": "sign(x0) + 0",
}
_PARTS = "a = real(x0); b = imag(x0); "
#: Products of a zero and an infinity are zeros here, those of an infinity and a NaN infinities.
_COMPLEX = {
    "sinh": f"{_PARTS}complex(where(~isfinite(b) & ((a == 0) | isinf(a)), a, sinh(a)*cos(b)),"
    " where(b == 0, b, cosh(a)*sin(b)))",
    "cosh": f"{_PARTS}complex(where(isinf(a) & ~isfinite(b), abs(a), cosh(a)*cos(b)),"
    " where((a == 0) & ~isfinite(b) | (b == 0), copysign(0.0, a)*copysign(1.0, b), sinh(a)*sin(b)))",
    "sin": f"{_PARTS}complex(where(a == 0, a, sin(a)*cosh(b)),"
    " where(~isfinite(a) & ((b == 0) | isinf(b)), b, cos(a)*sinh(b)))",
    "cos": f"{_PARTS}complex(where(isinf(b) & ~isfinite(a), abs(b), cos(a)*cosh(b)),"
    " where((b == 0) & ~isfinite(a) | (a == 0), -copysign(0.0, a)*copysign(1.0, b), -(sin(a)*sinh(b))))",
    "expm1": f"{_PARTS}complex(where(isinf(a) & ~isfinite(b), where(a < 0, -1, a), where(b == 0, expm1(a),"
    " expm1(a)*cos(b) - 2*sin(b/2)**2)), where((b == 0) | isinf(a) & (a < 0) & ~isfinite(b), copysign(0.0, b),"
    " exp(a)*sin(b)))",
    "round": f"{_PARTS}complex(round(a), round(b))",
    "sign": "where(x0 == 0, 0, x0/abs(x0))",
}
#: Functions of complex elements that the library does not have.
_COMPLEX_ON_HOST: dict[str, Callable[..., Any]] = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "log1p": np.log1p, "tan": np.tan, "tanh": np.tanh,
}  # fmt: skip
_BOOL = {
    "less": "~x0 & x1", "less_equal": "~x0 | x1", "greater": "x0 & ~x1", "greater_equal": "x0 | ~x1",
    "minimum": "x0 & x1", "maximum": "x0 | x1",
}  # fmt: skip
_REAL_PAIRS = {
    "floor_divide": "where(isinf(x1) & isfinite(x0), where((x0 != 0) & ((x0 < 0) ^ (x1 < 0)), -1, x0/x1), x0 // x1)",
}


def unary(name: str, x: Any) -> Array:
    """The function of each element."""
    x = x if isinstance(x, Base) else asarray(x)
    kind = x.dtype.kind
    if kind == "c":
        if name in _COMPLEX_ON_HOST:
            return on_host(_COMPLEX_ON_HOST[name], x)  # type: ignore[no-any-return]
        return call(_COMPLEX.get(name, f"{name}(x0)"), x)
    return call(_REAL[name] if kind == "f" and name in _REAL else f"{name}(x0)", x)


def binary(name: str, x1: Any, x2: Any) -> Array:
    """The function of pairs of elements, of which one may be a number of Python's."""
    x1, x2 = scalar_or_array(x1), scalar_or_array(x2)
    if name == "nextafter":
        return on_host(np.nextafter, x1, x2)  # type: ignore[no-any-return]
    kinds = {getattr(x, "dtype", None) and x.dtype.kind or _KINDS[type(x)] for x in (x1, x2)}
    text = f"{name}(x0, x1)"
    if kinds == {"b"}:
        text = _BOOL.get(name, text)
    elif "f" in kinds and not (type(x2) in NUMBERS and abs(x2) < np.inf):
        text = _REAL_PAIRS.get(name, text)
    return call(text, x1, x2)


_KINDS = {bool: "b", int: "i", float: "f", complex: "c"}


def scalar_or_array(x: Any) -> Any:
    """Python's numbers and arrays as they are, and arrays of others."""
    return x if isinstance(x, Base) or type(x) in NUMBERS else asarray(x)
