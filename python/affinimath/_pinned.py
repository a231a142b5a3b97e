"""NumPy's arrays in pinned memory."""

from __future__ import annotations

import ctypes
import math
import operator
import weakref
from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np

from ._lazy import number_of
from ._library import check, function

_alloc = function("affinimathPinnedAlloc", [ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(ctypes.c_void_p)])
_free = function("affinimathPinnedFree", [ctypes.c_void_p])


def pinned_empty(
    shape: SupportsIndex | Sequence[SupportsIndex],
    dtype: Any = np.float64,
    order: Literal["C", "F"] = "C",
    *,
    device: str | int | None = None,
) -> np.ndarray:
    """A NumPy array in pinned memory, which transfers to and from a device take at the full rate of the bus.

    It is an array like any other one. Its elements are zeros at first. The memory is freed with the last array or view
    of it. Pinned memory takes longer to allocate than other memory: keep the array for several transfers.

    Parameters
    ----------
    shape : int or sequence of int
        The extents.
    dtype : data-type, optional
        The type of the elements, which are not objects.
    order : {"C", "F"}
        The last or the first axis has adjacent elements.
    device : str or int, optional
        The device of the transfers, by its name or number; by default the one that calls may use. For the host, and for
        devices that work on the host's memory, it is memory like any other.

    Returns
    -------
    numpy.ndarray
        The array.

    Raises
    ------
    Error
        There is not as much pinned memory, or no such device.

    Examples
    --------
    >>> import numpy as np, affinimath as am
    >>> x = am.pinned_empty((2, 3), np.float32)
    >>> x[:] = 2.5
    >>> float(am.asarray(x).sum())
    15.0
    """
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError("pinned memory holds no Python objects")
    if order not in ("C", "F"):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    extents = tuple(map(operator.index, shape)) if isinstance(shape, Sequence) else (operator.index(shape),)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"the extents {extents} are not all positive or 0")
    count = math.prod(extents) * kind.itemsize
    address = ctypes.c_void_p()
    check(_alloc(number_of(device), count, ctypes.byref(address)))
    start = address.value
    assert start is not None
    buffer = (ctypes.c_byte * count).from_address(start)
    # At the end of the process arrays may still be used, and the system frees the memory.
    weakref.finalize(buffer, _free, start).atexit = False
    return np.ndarray(extents, kind, buffer, order=order)
