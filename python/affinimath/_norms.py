"""Norms of vectors and matrices, and condition numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import common_dtype, matrices, normalized_axes, square, stored
from ._library import LinAlgError, call
from ._spectral import svd
from ._systems import inv

_ONE_NORM, _FROBENIUS_NORM, _INFINITY_NORM = 171, 174, 175


def _array(x: Any) -> np.ndarray:
    """An array of one of the four types."""
    array = np.asarray(x)
    return np.asarray(array, common_dtype(array, names=("x",)))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of a vector or a matrix, with the arguments of `numpy.linalg.norm`.

    Parameters
    ----------
    x : array_like
        A vector or a matrix; with `axis`, or without `ord`, of any dimensions.
    ord : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"} or number
        Of a matrix the largest (or least) sum of moduli of a column (1, -1) or of a row (inf, -inf), Frobenius's, the
        largest (2) or smallest (-2) singular value, or the sum of singular values ("nuc"). Of a vector any p-norm.
    axis : int or (int, int), optional
        The axis of vectors, or the axes of matrices.
    keepdims : bool
        The axes stay, with length 1.

    Raises
    ------
    LinAlgError
        The order is 2, -2 or "nuc", and an element of a matrix is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> float(am.linalg.norm([3.0, 4.0])), float(am.linalg.norm([[1.0, -2.0], [3.0, 4.0]], np.inf))
    (5.0, 7.0)
    """
    array = _array(x)
    if axis is None:
        if ord is None or (array.ndim == 2 and ord in ("fro", "f")) or (array.ndim == 1 and ord == 2):
            result = _frobenius(array)
            return result.reshape((1,) * array.ndim) if keepdims else result
        axis = tuple(range(array.ndim))
    positive = normalized_axes(axis, array.ndim)
    if len(positive) == 1:
        return _vector_norm(array, 2 if ord is None else ord, positive, keepdims)
    if len(positive) != 2:
        raise ValueError(f"axis is {axis!r}, and x has {array.ndim} dimensions: a norm is of a vector or a matrix")
    return _matrix_norm(array, "fro" if ord is None else ord, positive, keepdims)


def _frobenius(array: np.ndarray) -> Any:
    """The square root of the sum of squares of all elements, which neither overflows nor underflows on the way."""
    flat = array.ravel(order="K")
    return _lange(flat[np.newaxis, :], _FROBENIUS_NORM)


def _lange(array: np.ndarray, which: int) -> Any:
    """A norm of a matrix (LAPACK's lange)."""
    lies = stored(array, array.dtype)
    result = np.zeros((), array.real.dtype)
    call("lange", array.dtype, lies.layout, which, *array.shape, lies.array, lies.leading_dimension, result)
    return result[()]


def _vector_norm(array: np.ndarray, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """A p-norm along axes, which NumPy's reductions compute."""
    if isinstance(ord, str):
        raise ValueError(f"ord is {ord!r}, and the norm of a vector has a number")
    moduli = np.abs(array)
    if ord == np.inf:
        return moduli.max(axis=axes, keepdims=keepdims, initial=0)
    if ord == -np.inf:
        return moduli.min(axis=axes, keepdims=keepdims)
    if ord == 0:
        return np.asarray(array != 0).astype(moduli.dtype).sum(axis=axes, keepdims=keepdims)
    if ord == 1:
        return moduli.sum(axis=axes, keepdims=keepdims)
    if ord == 2:
        return np.sqrt((moduli * moduli).sum(axis=axes, keepdims=keepdims))
    with np.errstate(divide="ignore"):
        return (moduli**ord).sum(axis=axes, keepdims=keepdims) ** np.asarray(1 / ord, moduli.dtype)


def _matrix_norm(array: np.ndarray, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The norm of matrices on two axes."""
    if ord in (2, -2, "nuc"):
        return _of_singular_values(array, ord, axes, keepdims)
    if ord not in (1, -1, np.inf, -np.inf, "fro", "f"):
        raise ValueError(f"ord is {ord!r}; a matrix has 1, -1, 2, -2, inf, -inf, 'fro' and 'nuc'")
    rows, along = axes
    if ord in ("fro", "f"):
        return _vector_norm(array, 2, axes, keepdims)
    if array.ndim == 2 and array.size and ord > 0:
        # The transpose has the other one of the two norms.
        which = _ONE_NORM if (ord == 1) == (axes == (0, 1)) else _INFINITY_NORM
        result = _lange(array, which)
        return result.reshape(1, 1) if keepdims else result
    first, second = (rows, along) if abs(ord) == 1 else (along, rows)
    sums = np.abs(array).sum(axis=first, keepdims=True)
    least: Any = sums.max if ord > 0 else sums.min
    return least(axis=second, keepdims=True) if keepdims else least(axis=second, keepdims=True).squeeze(axis=axes)[()]


def _of_singular_values(array: np.ndarray, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The largest or the smallest singular value, or the sum of all."""
    s = svd(np.moveaxis(array, axes, (-2, -1)), compute_uv=False)
    if ord == "nuc":
        result = s.sum(axis=-1)
    else:
        result = s.max(axis=-1, initial=0) if ord == 2 else s.min(axis=-1)
    return np.expand_dims(result, axes) if keepdims else result[()]


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Any:
    """The p-norm of vectors along axes, or of all elements, as the array API has it.

    Examples
    --------
    >>> import affinimath as am
    >>> float(am.linalg.vector_norm([[3.0, 0.0], [0.0, 4.0]]))
    5.0
    """
    array = _array(x)
    if axis is None and ord == 2:
        result = _frobenius(array)
        return result.reshape((1,) * array.ndim) if keepdims else result
    axes = tuple(range(array.ndim)) if axis is None else axis
    return _vector_norm(array, ord, normalized_axes(axes, array.ndim), keepdims)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norm of a matrix, or of each of a stack, as the array API has it.

    The orders are those of `norm`.

    Examples
    --------
    >>> import affinimath as am
    >>> float(am.linalg.matrix_norm([[1.0, -2.0], [3.0, 4.0]], ord=1))
    6.0
    """
    array = _array(matrices(x, "x"))
    return _matrix_norm(array, ord, (array.ndim - 2, array.ndim - 1), keepdims)


def cond(x: Any, p: Any = None) -> Any:
    """The condition number of a matrix, or of each of a stack: the norms of x and of its inverse, multiplied.

    Parameters
    ----------
    x : array_like
        Matrices; square ones, where p is not None, 2 or -2.
    p : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"}
        The order of the norm. None is 2: the largest singular value divided by the smallest one; -2 the reverse.

    Returns
    -------
    float or ndarray
        The condition number, infinite for a singular matrix.

    Raises
    ------
    LinAlgError
        p needs singular values, and an element is not finite; or x is empty.

    Examples
    --------
    >>> import affinimath as am
    >>> float(am.linalg.cond([[2.0, 0.0], [0.0, 8.0]], 1))
    4.0
    """
    if p in (None, 2, -2):
        array = _array(matrices(x, "x"))
        if array.size == 0:
            raise LinAlgError("x has no elements, and no condition number", -1)
        s = svd(array, compute_uv=False)
        with np.errstate(all="ignore"):
            ratio = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
        # 0 / 0 is of a matrix of zeros.
        return np.where(np.isnan(ratio), np.asarray(np.inf, ratio.dtype), ratio)[()]
    array = _array(square(x, "x"))
    result = np.empty(array.shape[:-2], array.real.dtype)
    for index in np.ndindex(result.shape):
        one = array[index]
        try:
            result[index] = norm(one, p) * norm(inv(one), p)
        except LinAlgError:
            result[index] = np.inf
    return result[()]
