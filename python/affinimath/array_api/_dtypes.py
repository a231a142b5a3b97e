"""Types of elements."""

from __future__ import annotations

import builtins
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from .._array import Array, check_dtype

bool = np.dtype(np.bool_)
uint8 = np.dtype(np.uint8)
int32 = np.dtype(np.int32)
uint32 = np.dtype(np.uint32)
int64 = np.dtype(np.int64)
float32 = np.dtype(np.float32)
float64 = np.dtype(np.float64)
complex64 = np.dtype(np.complex64)
complex128 = np.dtype(np.complex128)

#: Types by the standard's kinds.
KINDS = {
    "bool": (bool,),
    "signed integer": (int32, int64),
    "unsigned integer": (uint8, uint32),
    "integral": (int32, int64, uint8, uint32),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
    "numeric": (int32, int64, uint8, uint32, float32, float64, complex64, complex128),
}


class FloatInfo(NamedTuple):
    """Limits of a type of real or complex elements."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype


class IntegerInfo(NamedTuple):
    """Limits of a type of integers."""

    bits: int
    max: int
    min: int
    dtype: np.dtype


def _of(type: Any) -> np.dtype:
    return check_dtype(type.dtype if isinstance(type, Array) else type)


def finfo(type: Any, /) -> FloatInfo:
    """The limits of a type of real or complex elements, or of that of an array: those of its real numbers.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.finfo(xp.float32).bits
    32
    """
    dtype = _of(type)
    if dtype.kind not in "fc":
        raise TypeError(f"finfo is of real or complex elements, not {dtype}")
    found = np.finfo(dtype)
    eps, largest, least, normal = (float(limit) for limit in (found.eps, found.max, found.min, found.smallest_normal))
    return FloatInfo(int(found.bits), eps, largest, least, normal, np.dtype(found.dtype))


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of a type of integers, or of that of an array.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.iinfo(xp.uint8).max
    255
    """
    dtype = _of(type)
    if dtype.kind not in "iu":
        raise TypeError(f"iinfo is of integers, not {dtype}")
    found = np.iinfo(dtype)
    return IntegerInfo(found.bits, int(found.max), int(found.min), dtype)


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """True for a type of a kind: a type, a name of a kind such as "integral", or a tuple of them.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.isdtype(xp.float32, ("integral", "real floating"))
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    dtype = np.dtype(dtype)
    if not isinstance(kind, str):
        return builtins.bool(dtype == np.dtype(kind))
    if kind not in KINDS:
        raise ValueError(f"no kind is called {kind!r}; there are {', '.join(KINDS)}")
    return dtype in KINDS[kind]


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """True if all values of a type, or of that of an array, are values of the other one.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.can_cast(xp.int32, xp.float64), xp.can_cast(xp.int64, xp.int32)
    (True, False)
    """
    return builtins.bool(np.can_cast(_of(from_), _of(to)))


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """The type of an operation on arrays, types and Python's numbers, which take the type that they meet.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.result_type(xp.uint8, xp.int32, 2)
    dtype('int32')
    """
    ranks = {builtins.bool: 0, int: 1, float: 2, complex: 3}
    defaults = (bool, int64, float64, complex128)
    numbers = [ranks[type(value)] for value in arrays_and_dtypes if type(value) in ranks]
    dtypes = [_of(value) for value in arrays_and_dtypes if type(value) not in ranks]
    if not numbers and not dtypes:
        raise ValueError("there is neither an array nor a type")
    if not dtypes:
        return defaults[max(numbers)]
    found: np.dtype = reduce(np.promote_types, dtypes)
    rank = max(numbers, default=0)
    if rank <= {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}[found.kind]:
        return found
    return complex64 if rank == 3 and found == float32 else defaults[rank]


def astype(x: Array, dtype: Any, /, *, copy: builtins.bool = True, device: Any = None) -> Array:
    """The elements in another type. Complex elements become real ones by `real`.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.astype(xp.asarray([1.7, -2.2]), xp.int32)
    Array([ 1, -2], dtype=int32)
    """
    wanted = check_dtype(dtype)
    if x.dtype.kind == "c" and wanted.kind not in "cb":
        raise TypeError(f"complex elements do not become {wanted}: take real(x)")
    array = x if wanted == x.dtype and not copy else x.astype(wanted)
    return array if device is None else array.to_device(device)
