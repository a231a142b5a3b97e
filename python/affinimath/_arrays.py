"""NumPy's arrays as operands of the C library: their type, and where matrices lie in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._library import COLUMN_MAJOR, LETTERS, NO_TRANS, ROW_MAJOR, TRANS, LinAlgError

_DOUBLE = np.dtype(np.float64)
#: An error that is both an IndexError and a ValueError.
_AxisError: Any = getattr(np, "exceptions", np).AxisError


def common_dtype(*arrays: np.ndarray, names: Sequence[str] = ("a", "b")) -> np.dtype:
    """The type of a result: NumPy's, where integers and booleans are float64.

    A TypeError names the array that has another type.
    """
    first: np.dtype = arrays[0].dtype
    if first in LETTERS and all([array.dtype is first for array in arrays]):
        return first
    return np.result_type(*[_accepted(array.dtype, name, _DOUBLE) for array, name in zip(arrays, names)])


def product_dtype(a: np.ndarray, b: np.ndarray) -> np.dtype:
    """The type of a product as NumPy's ufuncs have it, or an integer type that the library has no products of."""
    first: np.dtype = a.dtype
    if first in LETTERS and b.dtype is first:
        return first
    return np.result_type(_accepted(a.dtype, "a"), _accepted(b.dtype, "b"))


def _accepted(dtype: np.dtype, name: str, integers: np.dtype | None = None) -> np.dtype:
    """A type in native byte order: one of the four, or what stands for integers and booleans."""
    if dtype.kind in "bui":
        return integers or dtype
    if dtype.kind in "fc":
        dtype = dtype.newbyteorder("=")
    if dtype not in LETTERS:
        raise TypeError(f"{name} has the type {dtype}; there are float32, float64, complex64 and complex128")
    return dtype


def finite(array: np.ndarray, name: str, check_finite: bool = True) -> None:
    """Raises a ValueError where an array has a NaN or an infinity, and that is to be checked."""
    if check_finite and array.dtype.kind in "fc" and not np.isfinite(array).all():
        raise ValueError(f"{name} has a NaN or an infinity")


class Stored(NamedTuple):
    """A matrix where it lies: rows or columns of adjacent elements."""

    array: np.ndarray
    layout: int
    leading_dimension: int

    @property
    def op(self) -> int:
        """The operation that makes the matrix of the rows that row-major layout sees."""
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


def columns(array: np.ndarray, dtype: np.dtype, *, overwrite: bool = False) -> np.ndarray:
    """A copy by columns, for a routine that works in place; of a stack, each matrix by columns, one after the other.

    With `overwrite` it is the array itself where that lies so.
    """
    if overwrite and array.dtype is dtype and array.flags.farray and array.ndim <= 2:
        return array
    if array.ndim <= 2:
        return np.array(array, dtype, order="F")
    return np.array(np.swapaxes(array, -1, -2), dtype, order="C").swapaxes(-1, -2)


def lines(array: np.ndarray) -> int:
    """The leading dimension of a matrix by columns, or of a stack of them, which `columns` made."""
    return max(len(array) if array.ndim < 3 else array.shape[-2], 1)


def width(array: np.ndarray) -> int:
    """The number of right-hand sides: 1 of a vector, else that of columns."""
    return 1 if array.ndim == 1 else array.shape[1]


def batch(array: np.ndarray) -> list[Any]:
    """A stack of matrices by columns as the batched routines take it: pointer, leading dimension, stride."""
    rows, width = array.shape[-2:]
    return [array, max(rows, 1), rows * width]


def each(*stacks: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """The matrices of stacks, one after the other; those of the first stack have two dimensions."""
    if stacks[0].ndim == 2:
        yield stacks
        return
    for index in np.ndindex(stacks[0].shape[:-2]):
        yield tuple(stack[index] for stack in stacks)


def triangle(array: np.ndarray, lower: bool) -> np.ndarray:
    """A copy with zeros above the diagonal, or below it."""
    return np.tril(array) if lower else np.triu(array)


def _wrong(message: str) -> LinAlgError:
    """NumPy's error, also a ValueError, for operands whose shapes no matrix or system has."""
    return LinAlgError(message, -1)


def matrix(a: Any, name: str = "a") -> np.ndarray:
    """An array of two dimensions."""
    array = np.asarray(a)
    if array.ndim != 2:
        raise _wrong(f"{name} has {array.ndim} dimensions; a matrix has two")
    return array


def matrices(a: Any, name: str = "a") -> np.ndarray:
    """A matrix, or a stack of them."""
    array = np.asarray(a)
    if array.ndim < 2:
        raise _wrong(f"{name} has {array.ndim} dimensions; a matrix has two, and a stack of them more")
    return array


def square(a: Any, name: str = "a") -> np.ndarray:
    """A square matrix, or a stack of them."""
    array = matrices(a, name)
    if array.shape[-1] != array.shape[-2]:
        raise _wrong(f"{name} has the shape {array.shape}, and is not square")
    return array


def right_hand_sides(b: Any, rows: int, name: str = "b") -> np.ndarray:
    """A vector or the columns of matrices, of as many rows as there are equations."""
    array = np.asarray(b)
    if array.ndim == 0 or array.shape[-2:][0] != rows:
        raise _wrong(f"{name} has the shape {array.shape}, and there are {rows} equations")
    return array


def normalized_axes(axes: Any, dimensions: int) -> tuple[int, ...]:
    """One axis or several, counted from 0 and each of them once."""
    axes = sequence(axes)
    for axis in axes:
        if not -dimensions <= axis < dimensions:
            raise _AxisError(axis, dimensions)
    positive = tuple(axis % dimensions for axis in axes)
    if len(set(positive)) != len(positive):
        raise ValueError(f"axes {axes} are not different ones")
    return positive


def sequence(integers: Any) -> tuple[Any, ...]:
    """One integer, or several."""
    return (integers,) if isinstance(integers, (int, np.integer)) else tuple(integers)


def writable(out: Any, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array for results of a shape and a type, which a cast of NumPy's kind "same_kind" leads to."""
    if not isinstance(out, np.ndarray):
        raise TypeError("out is not an array")
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, and the result {shape}")
    if not np.can_cast(dtype, out.dtype, "same_kind"):
        raise TypeError(f"out has the type {out.dtype}, and the result {dtype}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    return out
