"""Fourier transforms along one axis, with the arguments of scipy.fft."""

from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np

from ._fft_plans import BACKWARD, COMPLEX_TO_REAL, FORWARD, REAL_TO_COMPLEX, transform

# The directions that a transform of Hermitian elements is normalised in are those of the opposite one.
_SWAPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def check_workers(workers: int | None) -> None:
    """Accepts what SciPy does; the threads are those of `set_workers`."""
    if workers is None:
        return
    workers, processors = operator.index(workers), os.cpu_count() or 1
    if workers == 0 or workers < -processors:
        raise ValueError(f"workers is {workers}; there are 1 and more, and -1 to {-processors}")


def _one(n: int | None) -> tuple[int] | None:
    """The length of one axis as a sequence."""
    if n is None:
        return None
    if operator.index(n) < 1:
        raise ValueError(f"n is {n}, and a transform has at least one element")
    return (n,)


def swapped(norm: str | None) -> str:
    if norm not in _SWAPPED:
        raise ValueError(f"norm is {norm!r}; there are 'backward', 'ortho' and 'forward'")
    return _SWAPPED[norm]


def conjugated(x: Any) -> np.ndarray:
    """The conjugate of x, and x itself where it is real."""
    array = np.asarray(x)
    return array.conj() if array.dtype.kind == "c" else array


def conjugate(x: np.ndarray) -> np.ndarray:
    """Conjugates an array in its place."""
    np.conjugate(x, out=x)
    return x


def fft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The Fourier transform of complex elements: X_k = sum of x_j exp(-2 pi i j k / n).

    Parameters
    ----------
    x : array_like
        Elements. Real ones count as complex ones.
    n : int, optional
        The length of the transform: beyond x's elements it goes on with zeros, else the first n are taken.
    axis : int
        The axis to transform along.
    norm : {"backward", "ortho", "forward"}, optional
        The direction that is multiplied by 1/n: the inverse one, both by its square root, or the forward one.
    overwrite_x : bool
        Accepted for SciPy's sake: x is never overwritten.
    workers : int, optional
        Accepted for SciPy's sake: `set_workers` sets the threads.
    plan : None
        Accepted for SciPy's sake: plans are cached by size.
    out : ndarray, optional
        An array for the transform, of its shape.

    Returns
    -------
    ndarray
        The transform, complex64 for float32 and complex64, else complex128.

    Raises
    ------
    ValueError
        n is less than 1, or norm is none of the three.
    IndexError
        There is no such axis.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.fft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    check_workers(workers)
    return transform(x, FORWARD, _one(n), (axis,), norm, out)


def ifft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse of `fft`, with the same arguments.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.ifft([4.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    check_workers(workers)
    return transform(x, BACKWARD, _one(n), (axis,), norm, out)


def rfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The first n/2 + 1 results of the Fourier transform of n real elements; the others are their conjugates.

    The arguments are those of `fft`; complex elements are a TypeError.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.rfft([1.0, 0.0, 0.0, 0.0]).real
    array([1., 1., 1.])
    """
    check_workers(workers)
    return transform(x, REAL_TO_COMPLEX, _one(n), (axis,), norm, out)


def irfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse of `rfft`: n real elements from n/2 + 1 complex ones.

    The arguments are those of `fft`. Without n there are 2 (m - 1) results, where x has m elements: an odd number of
    them has to be asked for.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.irfft([4.0, 0.0, 0.0])
    array([1., 1., 1., 1.])
    """
    check_workers(workers)
    return transform(x, COMPLEX_TO_REAL, _one(n), (axis,), norm, out)


def hfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The Fourier transform of a signal with Hermitian symmetry, of which the first n/2 + 1 elements are given.

    The arguments are those of `irfft`, and the results real.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.hfft([1.0, 0.0, 0.0])
    array([1., 1., 1., 1.])
    """
    check_workers(workers)
    return transform(conjugated(x), COMPLEX_TO_REAL, _one(n), (axis,), swapped(norm), out)


def ihfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse of `hfft`: the first n/2 + 1 elements of a signal with Hermitian symmetry.

    The arguments are those of `rfft`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.ihfft([1.0, 1.0, 1.0, 1.0]).real
    array([1., 0., 0.])
    """
    check_workers(workers)
    return conjugate(transform(x, REAL_TO_COMPLEX, _one(n), (axis,), swapped(norm), out))
