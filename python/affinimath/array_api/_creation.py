"""New arrays."""

from __future__ import annotations

import math
import operator
from typing import Any, Union

import numpy as np

from .._array import Array, call, check_dtype
from .._array import asarray as _asarray
from .._array.calls import Scalar, list_text, literal
from .._device import device as _chosen_device
from ._dtypes import bool as _bool
from ._dtypes import complex128, float64, int64

Shape = Union[int, tuple[int, ...]]


#: An array on each device, whose element no text reads.
_anchors: dict[Any, Array] = {}


def _on(device: Any, text: str) -> Array:
    """The value of a text without operands, in the memory of a device: that of an operand that it does not read."""
    key = _chosen_device() if device is None else device
    if key not in _anchors:
        _anchors[key] = _asarray(False, device=key)
    return call(text, _anchors[key])


def _extents(shape: Any) -> str:
    return list_text(shape if isinstance(shape, (tuple, list)) else (shape,))


def _name(dtype: Any, default: Any = float64) -> str:
    return check_dtype(default if dtype is None else dtype).name


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Array:
    """An array of the elements of `obj`: an array, numbers, nested sequences of them, or what NumPy takes.

    Elements are copied, but those of an array of the same type and device; with `copy=False` a copy is a ValueError.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.asarray([[1, 2], [3, 4]])
    Array([[1, 2],
           [3, 4]])
    """
    array = _asarray(obj, dtype=dtype, device=device)
    if copy is False and array is not obj:
        raise ValueError("copy is False, and the elements are copied")
    return array.copy() if copy and array is obj else array


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array of the elements of another library's array in the host's memory. They are copied.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath.array_api as xp
    >>> xp.from_dlpack(np.asarray([1, 2]))
    Array([1, 2])
    """
    if isinstance(x, Array):
        return asarray(x, device=device, copy=copy)
    if copy is False:
        raise BufferError("copy is False, and elements are copied to memory of the library's own")
    return _asarray(np.from_dlpack(x), device=device)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> Array:
    """The numbers from `start` to below `stop`, `step` apart; with one argument those from 0 to below it.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.arange(1, 7, 2)
    Array([1, 3, 5])
    """
    if stop is None:
        start, stop = 0, start
    all_integers = all(isinstance(number, (int, np.integer)) for number in (start, stop, step))
    name = _name(dtype, int64 if all_integers else float64)
    if step == 0:
        raise ValueError("the step of a range is not 0")
    if (stop - start) * step <= 0:
        return _on(device, f"zeros([0], dtype={name})")
    if any(abs(number) > 2**53 for number in (start, stop, step)):
        # Bounds of texts are real numbers.
        return _asarray(np.arange(start, stop, step, dtype=name), device=device)
    bounds = ", ".join(literal(number.item() if isinstance(number, np.generic) else number)
                       for number in (start, stop, step))  # fmt: skip
    return _on(device, f"arange({bounds}, dtype={name})")


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Array:
    """`num` numbers at equal distances from `start` to `stop`, which is the last one if `endpoint` is true.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linspace(0, 1, 3)
    Array([0. , 0.5, 1. ])
    """
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    name, num = _name(dtype, complex128 if is_complex else float64), operator.index(num)
    if num < 0:
        raise ValueError(f"num is not negative, and {num} is")
    first, last = complex(start), complex(stop)
    is_finite = math.isfinite(abs(first)) and math.isfinite(abs(last))
    if is_complex or np.dtype(name).kind not in "f" or not is_finite:
        with np.errstate(all="ignore"):
            return _asarray(np.linspace(start, stop, num, endpoint=endpoint).astype(name), device=device)
    count = num if endpoint else num + 1
    text = f"linspace({literal(first.real)}, {literal(last.real)}, {count}, dtype={name})"
    return _on(device, text if endpoint else f"{text}[:{num}]")


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Array:
    """A matrix with ones on a diagonal, the k-th one above the main diagonal, and zeros elsewhere.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.eye(2, 3, k=1)
    Array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    columns = n_rows if n_cols is None else n_cols
    rows, columns, k = operator.index(n_rows), operator.index(columns), operator.index(k)
    return _on(device, f"eye({rows}, {columns}, {k}, dtype={_name(dtype)})")


def zeros(shape: Shape, *, dtype: Any = None, device: Any = None) -> Array:
    """Zeros, by default in float64.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.zeros(2)
    Array([0., 0.])
    """
    return _on(device, f"zeros({_extents(shape)}, dtype={_name(dtype)})")


def ones(shape: Shape, *, dtype: Any = None, device: Any = None) -> Array:
    """Ones, by default in float64.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.ones(2)
    Array([1., 1.])
    """
    return _on(device, f"ones({_extents(shape)}, dtype={_name(dtype)})")


def empty(shape: Shape, *, dtype: Any = None, device: Any = None) -> Array:
    """An array whose elements have no meaning; they are zeros.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.empty((2, 3)).shape
    (2, 3)
    """
    return zeros(shape, dtype=dtype, device=device)


def full(shape: Shape, fill_value: Scalar, *, dtype: Any = None, device: Any = None) -> Array:
    """Elements that have one value, by default in the type that Python's number has.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.full(2, 7)
    Array([7, 7])
    """
    if isinstance(fill_value, Array):
        filled = call(f"broadcast_to(x0, {_extents(shape)})", fill_value)
        return _asarray(filled, dtype=dtype, device=device)
    kinds = {bool: _bool, int: int64, float: float64, complex: complex128}
    kind = check_dtype(dtype if dtype is not None else kinds.get(type(fill_value)) or np.asarray(fill_value).dtype)
    one = np.empty((), kind)
    one[...] = fill_value
    return call(f"broadcast_to(x0, {_extents(shape)})", _asarray(one, device=device))


def zeros_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Zeros in the shape of x, by default in its type and on its device.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.zeros_like(xp.asarray([1, 2]))
    Array([0, 0])
    """
    return zeros(x.shape, dtype=x.dtype if dtype is None else dtype, device=x.device if device is None else device)


def ones_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Ones in the shape of x, by default in its type and on its device.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.ones_like(xp.asarray([5, 6]))
    Array([1, 1])
    """
    return ones(x.shape, dtype=x.dtype if dtype is None else dtype, device=x.device if device is None else device)


def empty_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """An array in the shape of x whose elements have no meaning.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.empty_like(xp.asarray([5, 6])).shape
    (2,)
    """
    return zeros_like(x, dtype=dtype, device=device)


def full_like(x: Array, /, fill_value: Scalar, *, dtype: Any = None, device: Any = None) -> Array:
    """Elements that have one value, in the shape of x, by default in its type and on its device.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.full_like(xp.asarray([5, 6]), 7)
    Array([7, 7])
    """
    kind, where = x.dtype if dtype is None else dtype, x.device if device is None else device
    return full(x.shape, fill_value, dtype=kind, device=where)


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Array]:
    """Arrays of the coordinates of a grid, of whose axes the arguments have the coordinates.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.meshgrid(xp.asarray([1, 2]), xp.asarray([3, 4, 5]))[0].shape
    (3, 2)
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is {indexing!r}; there are 'xy' and 'ij'")
    count = len(arrays)
    order = list(range(count))
    if indexing == "xy" and count > 1:
        order[:2] = 1, 0
    shape = [0] * count
    for axis, array in zip(order, arrays):
        shape[axis] = array.size
    lines = ([-1 if axis == own else 1 for axis in range(count)] for own in order)
    pairs = zip(arrays, lines)
    return [call(f"broadcast_to(reshape(x0, {list_text(line)}), {list_text(shape)})", x) for x, line in pairs]


def tril(x: Array, /, *, k: int = 0) -> Array:
    """The elements on and below a diagonal, the k-th one above the main diagonal, and zeros elsewhere.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.tril(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 0],
           [3, 4]])
    """
    return call(f"tril(x0, {operator.index(k)})", x)


def triu(x: Array, /, *, k: int = 0) -> Array:
    """The elements on and above a diagonal, the k-th one above the main diagonal, and zeros elsewhere.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.triu(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 2],
           [0, 4]])
    """
    return call(f"triu(x0, {operator.index(k)})", x)
