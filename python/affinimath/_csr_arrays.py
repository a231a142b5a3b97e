"""The arrays, shapes and keys of sparse matrices, checked."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import common_dtype, contiguous


def is_all(key: Any) -> bool:
    return isinstance(key, slice) and key == slice(None)


def selected(key: Any, extent: int) -> np.ndarray:
    """The indices that a key of NumPy's kind selects; an integer selects one."""
    if isinstance(key, (int, np.integer)):
        if not -extent <= key < extent:
            raise IndexError(f"index {key} is out of bounds for {extent} rows or columns")
        return np.array([key % extent])
    if not isinstance(key, slice):
        key = np.asarray(key)
        key = key if key.size else key.astype(np.intp)
    places: np.ndarray = np.arange(extent)[key]
    if places.ndim != 1:
        raise IndexError(f"a key of {places.ndim} dimensions; rows and columns have one each")
    return places


def product_type(dtype: np.dtype, x: np.ndarray, name: str) -> np.dtype:
    """NumPy's type of a product of a matrix and an array."""
    if x.dtype.kind not in "bui":
        return np.result_type(dtype, common_dtype(x, names=(name,)))
    return np.result_type(dtype, x.dtype)


def agreed(shape: Any, given: Sequence[int] | None) -> Any:
    """A matrix's shape, which one that is given has to equal."""
    if given is not None and tuple(given) != tuple(shape):
        raise ValueError(f"shape is {tuple(given)}, and arg1 has {tuple(shape)}")
    return shape


def extents(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns, neither of them negative."""
    sizes = tuple(operator.index(extent) for extent in shape)
    if len(sizes) != 2 or min(sizes) < 0:
        raise ValueError(f"shape is {sizes}; a shape is rows and columns, neither of them negative")
    return sizes[0], sizes[1]


def values(data: Any, dtype: np.dtype | None) -> np.ndarray:
    """Adjacent elements of one of the four types."""
    array = np.asarray(data)
    if array.ndim != 1:
        raise ValueError(f"data has the shape {array.shape}; entries stand in one row")
    return contiguous(array, dtype or common_dtype(array, names=("data",)))


def integers(numbers: Any, dtype: type, name: str) -> np.ndarray:
    """Adjacent integers of C's type."""
    array = np.asarray(numbers)
    if array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}; indices stand in one row")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name} has the type {array.dtype}; indices are integers")
    if array.size and not np.iinfo(dtype).min <= array.min() <= array.max() <= np.iinfo(dtype).max:
        raise ValueError(f"{name} has an index beyond {np.dtype(dtype)}")
    return contiguous(array, np.dtype(dtype))
