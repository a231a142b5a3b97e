"""What the C library is given of NumPy's arrays: their type, and where matrices lie in memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._library import COLUMN_MAJOR, LETTERS, NO_TRANS, ROW_MAJOR, TRANS

_DOUBLE = np.dtype(np.float64)


def common_dtype(*arrays: np.ndarray) -> np.dtype:
    """The type of a result: NumPy's, where integers and booleans are float64."""
    first: np.dtype = arrays[0].dtype
    if first in LETTERS and all([array.dtype is first for array in arrays]):
        return first
    kinds = [_DOUBLE if array.dtype.kind in "bui" else array.dtype.newbyteorder("=") for array in arrays]
    for kind in kinds:
        if kind not in LETTERS:
            raise TypeError(f"an array of {kind}; there are float32, float64, complex64 and complex128")
    return np.result_type(*kinds)


class Stored(NamedTuple):
    """A matrix where it lies: rows or columns of adjacent elements."""

    array: np.ndarray
    layout: int
    leading_dimension: int

    @property
    def op(self) -> int:
        """What makes the matrix of the rows that row-major layout sees."""
        return NO_TRANS if self.layout == ROW_MAJOR else TRANS


def contiguous(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Adjacent, aligned elements in row-major order; a copy where an array's are not.

    NumPy's ascontiguousarray is content with elements that are not aligned, which C may not read.
    """
    return np.require(np.asarray(array, dtype), requirements=["C", "ALIGNED"])


def _leading_dimension(count: int, stride: int, length: int, itemsize: int) -> int | None:
    """Elements between the starts of `count` lines of `length` adjacent elements, if they lie so that it is one."""
    if count <= 1:
        return max(length, 1)
    elements, rest = divmod(stride, itemsize)
    return elements if rest == 0 and elements >= max(length, 1) else None


def stored_or_none(array: np.ndarray) -> Stored | None:
    """A matrix as it lies, if its rows or columns are adjacent elements."""
    if array.size == 0:
        # Nothing is read or written, whatever the strides are.
        return Stored(array, ROW_MAJOR, max(array.shape[1], 1))
    flags = array.flags
    if flags.carray and array.shape[1]:
        return Stored(array, ROW_MAJOR, array.shape[1])
    if not flags.aligned:
        return None
    (rows, columns), (down, along), size = array.shape, array.strides, array.itemsize
    if columns <= 1 or along == size:
        leading_dimension = _leading_dimension(rows, down, columns, size)
        if leading_dimension is not None:
            return Stored(array, ROW_MAJOR, leading_dimension)
    if rows <= 1 or down == size:
        leading_dimension = _leading_dimension(columns, along, rows, size)
        if leading_dimension is not None:
            return Stored(array, COLUMN_MAJOR, leading_dimension)
    return None


def stored(array: np.ndarray, dtype: np.dtype) -> Stored:
    """A matrix to read: where it lies if that is possible, else a copy."""
    array = np.asarray(array, dtype)
    return stored_or_none(array) or Stored(contiguous(array, dtype), ROW_MAJOR, max(array.shape[1], 1))


def columns(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A copy by columns, for a routine that works in place."""
    return np.array(array, dtype, order="F")


def lines(array: np.ndarray) -> int:
    """The leading dimension of a matrix by columns, which `columns` made."""
    return max(len(array), 1)


def matrix(a: Any, name: str = "a") -> np.ndarray:
    """An array of two dimensions."""
    array = np.asarray(a)
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; a matrix has two")
    return array


def square(a: Any) -> np.ndarray:
    """A square matrix."""
    array = matrix(a)
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"a matrix of shape {array.shape} is not square")
    return array


def right_hand_sides(b: Any, rows: int) -> np.ndarray:
    """A vector or the columns of a matrix, of as many rows as there are equations."""
    array = np.asarray(b)
    if array.ndim not in (1, 2) or array.shape[0] != rows:
        raise ValueError(f"right-hand sides of shape {array.shape} for {rows} equations")
    return array
