"""Arrays of matrices in their last two axes."""

from __future__ import annotations

from .._array import Array
from .._library import LinAlgError


def matrices(x: Array, name: str = "x") -> Array:
    """The array, if it is a matrix or a stack of them."""
    if x.ndim < 2:
        raise LinAlgError(f"{name} has {x.ndim} dimensions; a matrix has two", -1)
    return x


def square(x: Array, name: str = "x") -> Array:
    """The array, if it is a square matrix or a stack of them."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise LinAlgError(f"{name} has the shape {x.shape}, and is no square matrix", -1)
    return x
