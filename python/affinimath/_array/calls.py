"""Texts that compute arrays of arrays."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .. import _lazy
from .._operands import NUMBERS

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

    from . import Array

Scalar = Union[bool, int, float, complex]


class Base:
    """The state of an array: the C library's handle, the type of the elements and the shape."""

    __slots__ = ("__weakref__", "_handle", "dtype", "shape")

    _handle: _lazy.Handle
    dtype: np.dtype
    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> str:
        """The name of the device whose memory holds the elements, or 'host'."""
        return _lazy.device(self._handle)

    def numpy(self) -> np.ndarray:
        """The elements in an array of NumPy.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2]).numpy()
        array([1, 2])
        """
        return _lazy.download(self._handle, self.dtype, self.shape)


_kind: type[Array]
_new = object.__new__


def results_are(kind: type[Array]) -> type[Array]:
    """Makes a class that of all results."""
    global _kind
    _kind = kind
    return kind


def made(handle: _lazy.Handle, dtype: np.dtype, shape: tuple[int, ...]) -> Array:
    """An array of a handle."""
    array = _new(_kind)
    array._handle, array.dtype, array.shape = handle, dtype, shape
    return array


def is_array(value: Any) -> TypeGuard[Array]:
    """True for arrays: there is one class of them."""
    return isinstance(value, Base)


def is_operand(value: Any) -> bool:
    """True for what operators compute with."""
    return isinstance(value, (Base, np.ndarray, np.generic, *NUMBERS))


def literal(value: Scalar) -> str:
    """A number as text of an expression; it takes the type of the arrays that it meets."""
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, complex):
        is_finite = math.isfinite(value.imag)
        imaginary = f"{value.imag!r}j" if is_finite else _digits(value.imag).replace("1e999", "1e999j")
        return f"({_digits(value.real)} + ({imaginary}))"
    if isinstance(value, float):
        return f"({_digits(value)})"
    if -(2**63) < value < 2**63:
        return f"({value})"
    # The least integer of 64 bits is the negative of none; others are real numbers.
    return f"(-{2**63 - 1} - 1)" if value == -(2**63) else literal(float(value))


def _digits(value: float) -> str:
    """A real number without names, which an operand may have."""
    if math.isnan(value):
        return "1e999 - 1e999"
    return repr(value) if math.isfinite(value) else ("1e999" if value > 0 else "-1e999")


def as_operand(value: Any, like: Base | None = None) -> Array:
    """An operand in the memory of another one."""
    return (
        value if is_array(value) else asarray(value, device=None if like is None else _lazy.device_index(like._handle))
    )


def call_all(text: str, *operands: Any) -> list[Array]:
    """The results of a text with the operands x0, x1, ...; Python's numbers take the type of the arrays."""
    like = next((operand for operand in operands if is_array(operand)), None)
    given = [operand if type(operand) in NUMBERS else as_operand(operand, like)._handle for operand in operands]
    return [made(*result) for result in _lazy.apply(text, given)]


def call(text: str, *operands: Any) -> Array:
    """The result of a text with the operands x0, x1, ..."""
    given = []
    for operand in operands:
        if isinstance(operand, Base):
            given.append(operand._handle)
        elif type(operand) in NUMBERS:
            given.append(operand)
        else:
            return call_all(text, *operands)[-1]
    return made(*_lazy.apply(text, given)[-1])


def list_text(values: Any) -> str:
    return f"[{', '.join(str(operator.index(value)) for value in values)}]"


def axis_text(axis: Any) -> str:
    if axis is None:
        return "None"
    return list_text(axis) if isinstance(axis, (tuple, list)) else str(operator.index(axis))


def dtype_text(dtype: Any) -> str:
    return "" if dtype is None else f", dtype={check_dtype(dtype).name}"


def reduced(name: str, x: Base, axis: Any, keepdims: bool, more: str = "") -> Array:
    return call(f"{name}(x0, axis={axis_text(axis)}, keepdims={bool(keepdims)}{more})", x)


def check_dtype(dtype: Any) -> np.dtype:
    """The type of elements, if arrays have it."""
    found: np.dtype = np.dtype(dtype).newbyteorder("=")
    if found not in _lazy.CODES:
        raise TypeError(f"elements of {found}; there are {', '.join(kind.name for kind in _lazy.CODES)}")
    return found


def asarray(data: Any, /, dtype: Any = None, *, device: Any = None) -> Array:
    """An array of the elements of `data`.

    Parameters
    ----------
    data : array_like
        An array, or what `numpy.asarray` takes. Elements are copied, but those of an `Array`.
    dtype : dtype, optional
        The type of the elements, by default that of the data.
    device : str, optional
        The device whose memory receives them: a name of `device_names`, or 'host'. By default that of `set_device`.

    Returns
    -------
    Array

    Examples
    --------
    >>> import affinimath as am
    >>> am.asarray([[1, 2], [3, 4]]).T
    Array([[1, 3],
           [2, 4]])
    """
    if is_array(data):
        array = data if dtype is None else data.astype(dtype)
        return array if device is None else array.to_device(device)
    elements = np.asarray(data, None if dtype is None else check_dtype(dtype))
    if elements.flags.carray and elements.dtype in _lazy.CODES and elements.ndim <= 8:
        return made(_lazy.upload(elements, device), np.dtype(elements.dtype.type), elements.shape)
    kind = check_dtype(elements.dtype)
    if elements.ndim > 8:
        raise ValueError(f"{elements.ndim} axes; there are 8 at most")
    elements = np.asarray(elements, kind)
    if not _lazy.is_readable(elements):
        elements = np.require(elements, kind, ["C", "ALIGNED"])
    return made(_lazy.upload(elements, device), kind, elements.shape)
