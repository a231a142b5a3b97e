"""Products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Stored, common_dtype, contiguous, matrix, product_dtype, stored, stored_or_none, writable
from ._library import LETTERS, NO_TRANS, ROW_MAJOR, TRANS, address, call, check, number, routine


def matmul(a: Any, b: Any, out: np.ndarray | None = None) -> np.ndarray:
    """The product of two matrices, as NumPy's `matmul` has it.

    Parameters
    ----------
    a, b : array_like
        Matrices of shapes (m, k) and (k, n), stacks of them in dimensions before these, which are broadcast, or
        vectors: of length k, as a row on the left and as a column on the right.
    out : ndarray, optional
        An array for the product, of its shape.

    Returns
    -------
    ndarray
        The product, of shape (m, n); without the dimension of an operand that is a vector. Its type is NumPy's:
        integers give integers, which NumPy itself multiplies.

    Raises
    ------
    ValueError
        The shapes do not fit.
    TypeError
        The elements are of a type that there are no products for.

    Examples
    --------
    >>> import affinimath as am
    >>> am.matmul([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    array([3., 7.])
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"{'b' if a.ndim else 'a'} has no dimensions; a matrix has two, and a vector one")
    dtype = product_dtype(a, b)
    left = a[np.newaxis, :] if a.ndim == 1 else a
    right = b[:, np.newaxis] if b.ndim == 1 else b
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(f"shapes {a.shape} and {b.shape}: {left.shape[-1]} columns, and {right.shape[-2]} rows")
    if out is not None:
        shape = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        writable(out, shape + left.shape[-2:-1] * (a.ndim > 1) + right.shape[-1:] * (b.ndim > 1), dtype)
        if dtype.kind not in "bui" and _multiply_into(left, right, out):
            return out
    if dtype.kind in "bui":
        whole: np.ndarray = np.matmul(a, b) if out is None else np.matmul(a, b, out=out)
        return whole
    if left.ndim == 2 and right.ndim == 2:
        product = np.empty((left.shape[0], right.shape[1]), dtype)
        _multiply(1, left, right, 0, Stored(product, ROW_MAJOR, max(product.shape[1], 1)))
    else:
        product = _multiply_stacks(left, right, dtype)
    if a.ndim == 1:
        product = product[..., 0, :]
    if b.ndim == 1:
        product = product[..., 0]
    if out is None:
        return product if product.ndim else product[()]
    np.copyto(out, product, casting="same_kind")
    return out


def _multiply_into(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> bool:
    """Has the library write the product of two matrices where it belongs, if that is possible."""
    if a.ndim != 2 or b.ndim != 2 or out.ndim != 2 or out.dtype != product_dtype(a, b):
        return False
    place = stored_or_none(out)
    if place is None or out.dtype not in LETTERS or np.may_share_memory(a, out) or np.may_share_memory(b, out):
        return False
    _multiply(1, a, b, 0, place)
    return True


def gemm(a: Any, b: Any, c: np.ndarray, *, alpha: complex = 1.0, beta: complex = 0.0) -> np.ndarray:
    """c := alpha a b + beta c, in place.

    Parameters
    ----------
    a, b : array_like
        Matrices of shapes (m, k) and (k, n). Transposed views are read where they lie.
    c : ndarray
        A matrix of shape (m, n) with rows or columns of adjacent elements, of the type of the product of a and b. With
        beta = 0 it is not read.
    alpha, beta : number
        Factors.

    Returns
    -------
    ndarray
        c

    Raises
    ------
    ValueError
        The shapes do not fit, or c cannot be written where it lies.
    TypeError
        c is not of the type of the product, or a factor is complex and c is not.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> c = np.ones((2, 2))
    >>> am.gemm(np.eye(2), np.eye(2), c, alpha=3.0, beta=1.0)
    array([[4., 1.],
           [1., 4.]])
    """
    a, b = matrix(a), matrix(b, "b")
    dtype = common_dtype(a, b)
    if not isinstance(c, np.ndarray) or c.dtype != dtype:
        raise TypeError(f"c is not an array of {dtype}")
    if a.shape[1] != b.shape[0] or c.shape != (a.shape[0], b.shape[1]):
        raise ValueError(f"shapes {a.shape}, {b.shape} and {c.shape} do not fit")
    place = stored_or_none(c)
    if place is None or not c.flags.writeable:
        raise ValueError("c is not a writeable array with rows or columns of adjacent elements")
    # What is written may not be read.
    if np.may_share_memory(a, c):
        a = a.copy()
    if np.may_share_memory(b, c):
        b = b.copy()
    _multiply(alpha, a, b, beta, place)
    return c


def _multiply(alpha: complex, a: np.ndarray, b: np.ndarray, beta: complex, c: Stored) -> None:
    """c := alpha a b + beta c, where the shapes fit."""
    (m, k), n, dtype = a.shape, b.shape[1], c.array.dtype
    left, right = stored(a, dtype), stored(b, dtype)
    # Operands in c's layout are taken as they are, those in the other one as transposes.
    status = routine("gemm", dtype)(
        c.layout,
        NO_TRANS if left.layout == c.layout else TRANS,
        NO_TRANS if right.layout == c.layout else TRANS,
        m,
        n,
        k,
        number(alpha, dtype),
        address(left.array),
        left.leading_dimension,
        address(right.array),
        right.leading_dimension,
        number(beta, dtype),
        address(c.array),
        c.leading_dimension,
    )
    if status:
        check(status)


def _multiply_stacks(a: np.ndarray, b: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The products of stacks of matrices, in one call."""
    (m, k), n = a.shape[-2:], b.shape[-1]
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    product = np.empty((*shape, m, n), dtype)
    (left, step_left), (right, step_right) = _stack(a, shape, dtype), _stack(b, shape, dtype)
    call(
        "gemmStridedBatched",
        dtype,
        ROW_MAJOR,
        NO_TRANS,
        NO_TRANS,
        m,
        n,
        k,
        number(1, dtype),
        left,
        max(k, 1),
        step_left,
        right,
        max(n, 1),
        step_right,
        number(0, dtype),
        product,
        max(n, 1),
        m * n,
        product.size // max(m * n, 1),
    )
    return product


def _stack(array: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> tuple[np.ndarray, int]:
    """One matrix for all of a stack, or all of them one after the other; and from each to the next."""
    rows, columns = array.shape[-2:]
    if array.ndim == 2 or array.size == rows * columns:
        return contiguous(array, dtype), 0
    return contiguous(np.broadcast_to(array, (*shape, rows, columns)), dtype), rows * columns
