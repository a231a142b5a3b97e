"""Products of several matrices and of tensors, and views, by the names of numpy.linalg."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import matrices, product_dtype, square
from ._library import LinAlgError
from ._products import matmul
from ._solve import solve
from ._systems import inv


def multi_dot(arrays: Sequence[Any], *, out: np.ndarray | None = None) -> np.ndarray:
    """The product of two or more matrices, in the order that takes the fewest operations.

    Parameters
    ----------
    arrays : sequence of array_like
        Matrices whose shapes fit. The first may be a vector, a row, and the last one, a column.
    out : ndarray, optional
        An array for the product.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.multi_dot([np.ones((2, 9)), np.ones((9, 1)), np.ones((1, 9))]).shape
    (2, 9)
    """
    factors = [np.asarray(array) for array in arrays]
    if len(factors) < 2:
        raise ValueError(f"arrays has {len(factors)} matrices, and a product has two or more")
    for index, factor in enumerate(factors):
        if factor.ndim != 2 and not (factor.ndim == 1 and index in (0, len(factors) - 1)):
            raise ValueError(f"arrays[{index}] has {factor.ndim} dimensions")
    sizes = [factor.shape[-2] if factor.ndim == 2 else 1 for factor in factors]
    if factors[-1].ndim == 1:
        sizes[-1] = len(factors[-1])
    ends = [factor.shape[-1] for factor in factors[:-1]]
    if ends != sizes[1:]:
        raise ValueError(f"shapes {', '.join(str(factor.shape) for factor in factors)} do not fit")
    sizes.append(factors[-1].shape[-1] if factors[-1].ndim == 2 else 1)
    split = _cheapest_splits(sizes)

    def product(first: int, last: int) -> np.ndarray:
        if first == last:
            return factors[first]
        middle = split[first, last]
        whole = first == 0 and last == len(factors) - 1
        return matmul(product(first, middle), product(middle + 1, last), out=out if whole else None)

    return product(0, len(factors) - 1)


def _cheapest_splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """After which factor each part of a chain is split (Cormen et al., Introduction to Algorithms, 15.2)."""
    count = len(sizes) - 1
    costs, split = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            costs[first, last], split[first, last] = min(
                (costs[first, k] + costs[k + 1, last] + sizes[first] * sizes[k + 1] * sizes[last + 1], k)
                for k in range(first, last)
            )
    return split


def matrix_power(a: Any, n: int) -> np.ndarray:
    """The n-th power of a square matrix, or of each of a stack, by repeated squares; of the inverse where n < 0.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.matrix_power([[1, 1], [0, 1]], 5)
    array([[1, 5],
           [0, 1]])
    """
    a = square(a)
    n = operator.index(n)
    if n < 0:
        a, n = inv(a), -n
    product_dtype(a, a)
    if n == 0:
        power: np.ndarray = np.zeros_like(a)
        power[...] = np.eye(a.shape[-1], dtype=a.dtype)
        return power
    result = None
    while True:
        if n & 1:
            result = a if result is None else matmul(result, a)
        n >>= 1
        if n == 0:
            return a.copy() if result is None else np.array(result)
        a = matmul(a, a)


def tensordot(a: Any, b: Any, /, *, axes: Any = 2) -> np.ndarray:
    """The product of tensors with sums over pairs of axes, as one product of matrices.

    Parameters
    ----------
    a, b : array_like
        Tensors.
    axes : int or (sequence of int, sequence of int)
        How many of a's last and b's first axes are summed over, or which ones of each.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.tensordot(np.ones((2, 3, 4)), np.ones((3, 4, 5)), axes=2).shape
    (2, 5)
    """
    a, b = np.asarray(a), np.asarray(b)
    if isinstance(axes, (int, np.integer)):
        pair: Any = range(a.ndim - int(axes), a.ndim), range(int(axes))
    else:
        pair = tuple([axis] if isinstance(axis, (int, np.integer)) else axis for axis in axes)
    left, right = [int(axis) for axis in pair[0]], [int(axis) for axis in pair[1]]
    for array, summed in ((a, left), (b, right)):
        if any(not -array.ndim <= axis < array.ndim for axis in summed):
            raise ValueError(f"axes is {axes}, and an operand has the shape {array.shape}")
    left, right = [axis % a.ndim for axis in left], [axis % b.ndim for axis in right]
    if [a.shape[axis] for axis in left] != [b.shape[axis] for axis in right] or len(set(left)) != len(left):
        raise ValueError(f"shapes {a.shape} and {b.shape} do not fit on the axes {axes}")
    kept_a = [axis for axis in range(a.ndim) if axis not in left]
    kept_b = [axis for axis in range(b.ndim) if axis not in right]
    shape = [a.shape[axis] for axis in kept_a] + [b.shape[axis] for axis in kept_b]
    depth = int(np.prod([a.shape[axis] for axis in left], dtype=np.int64))
    rows = int(np.prod([a.shape[axis] for axis in kept_a], dtype=np.int64))
    width = int(np.prod([b.shape[axis] for axis in kept_b], dtype=np.int64))
    matrix_a = a.transpose(kept_a + left).reshape(rows, depth)
    matrix_b = b.transpose(right + kept_b).reshape(depth, width)
    return matmul(matrix_a, matrix_b).reshape(shape)


def inner(a: Any, b: Any, /) -> Any:
    """The sums of products over the last axes of both, as `numpy.inner`.

    Examples
    --------
    >>> import affinimath as am
    >>> float(am.linalg.inner([1.0, 2.0], [3.0, 4.0]))
    11.0
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, axes=([-1], [-1]))[()]


def outer(x1: Any, x2: Any, /) -> np.ndarray:
    """The products of each element of one vector with each of another one.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.outer([1.0, 2.0], [3.0, 4.0])
    array([[3., 4.],
           [6., 8.]])
    """
    x1, x2 = np.asarray(x1), np.asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"x1 and x2 have the shapes {x1.shape} and {x2.shape}; they are vectors")
    product: np.ndarray = x1[:, np.newaxis] * x2
    return product


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The sums of products of vectors along an axis, of which the first is conjugated.

    Examples
    --------
    >>> import affinimath as am
    >>> complex(am.linalg.vecdot([1j, 2.0], [1j, 1.0]))
    (3+0j)
    """
    x1, x2 = np.asarray(x1), np.asarray(x2)
    x1, x2 = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"x1 and x2 have {x1.shape[-1]} and {x2.shape[-1]} elements along the axis")
    return matmul(x1.conj()[..., np.newaxis, :], x2[..., :, np.newaxis])[..., 0, 0]


def tensorinv(a: Any, ind: int = 2) -> np.ndarray:
    """The inverse of a tensor for `tensordot`, of which the first `ind` axes are the rows.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.tensorinv(np.eye(6).reshape(2, 3, 6), ind=2).shape
    (6, 2, 3)
    """
    a = np.asarray(a)
    if not 0 < ind <= a.ndim:
        raise ValueError(f"ind is {ind}, and a has {a.ndim} dimensions")
    rows = int(np.prod(a.shape[:ind], dtype=np.int64))
    if rows * rows != a.size:
        raise LinAlgError(f"a has the shape {a.shape}, and is not square with {ind} axes of rows", -1)
    return inv(a.reshape(rows, rows)).reshape(a.shape[ind:] + a.shape[:ind])


def tensorsolve(a: Any, b: Any, axes: Sequence[int] | None = None) -> np.ndarray:
    """The tensor x for which `tensordot(a, x, x.ndim)` is b.

    Parameters
    ----------
    a : array_like
        A tensor of b's shape, followed by x's.
    b : array_like
        The right-hand side.
    axes : sequence of int, optional
        Axes of a that are moved to its end first.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.tensorsolve(np.eye(6).reshape(2, 3, 6), np.ones((2, 3)))
    array([1., 1., 1., 1., 1., 1.])
    """
    a, b = np.asarray(a), np.asarray(b)
    if axes is not None:
        moved = [axis % a.ndim for axis in axes]
        a = a.transpose([axis for axis in range(a.ndim) if axis not in moved] + moved)
    shape = a.shape[b.ndim :]
    order = int(np.prod(shape, dtype=np.int64))
    if a.size != order * order or b.size != order:
        raise LinAlgError(f"a has the shape {a.shape} and b {b.shape}: a is not square on b's axes", -1)
    return solve(a.reshape(order, order), b.ravel()).reshape(shape)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> np.ndarray:
    """The cross products of vectors of three elements along an axis.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    array([0., 0., 1.])
    """
    x1, x2 = np.asarray(x1), np.asarray(x2)
    if x1.ndim == 0 or x2.ndim == 0 or x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"x1 and x2 have the shapes {x1.shape} and {x2.shape}; vectors have three elements")
    return np.cross(x1, x2, axis=axis)


def kron(a: Any, b: Any) -> np.ndarray:
    """The Kronecker product of two arrays.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.kron(np.eye(2), [1.0, 2.0])
    array([[1., 2., 0., 0.],
           [0., 0., 1., 2.]])
    """
    return np.kron(np.asarray(a), np.asarray(b))


def matrix_transpose(x: Any, /) -> np.ndarray:
    """A view of a matrix, or of each of a stack, with rows and columns exchanged.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.matrix_transpose(np.ones((4, 2, 3))).shape
    (4, 3, 2)
    """
    return np.swapaxes(matrices(x, "x"), -1, -2)


def diagonal(x: Any, /, *, offset: int = 0) -> np.ndarray:
    """A read-only view of the diagonal of a matrix, or of each of a stack.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.diagonal([[1.0, 2.0], [3.0, 4.0]])
    array([1., 4.])
    """
    return np.diagonal(matrices(x, "x"), offset, axis1=-2, axis2=-1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sum of the diagonal of a matrix, or of each of a stack.

    Examples
    --------
    >>> import affinimath as am
    >>> float(am.linalg.trace([[1.0, 2.0], [3.0, 4.0]]))
    5.0
    """
    return diagonal(x, offset=offset).sum(axis=-1, dtype=dtype)


def block_diag(*arrs: Any) -> np.ndarray:
    """A matrix with the given ones along its diagonal, as `scipy.linalg.block_diag`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.block_diag([[1.0, 2.0]], [[3.0]])
    array([[1., 2., 0.],
           [0., 0., 3.]])
    """
    blocks = [np.atleast_2d(array) for array in arrs] or [np.empty((1, 0))]
    for index, block in enumerate(blocks):
        if block.ndim != 2:
            raise ValueError(f"arrs[{index}] has {block.ndim} dimensions; a matrix has two")
    rows, columns = (sum(block.shape[axis] for block in blocks) for axis in (0, 1))
    whole = np.zeros((rows, columns), np.result_type(*[block.dtype for block in blocks]))
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole
