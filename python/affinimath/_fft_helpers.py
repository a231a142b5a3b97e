"""Frequencies, shifts, lengths and threads, by the names of scipy.fft."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from ._device import get_num_threads, set_num_threads


def _count(n: int) -> int:
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"n is {n}, and a transform has at least one element")
    return n


def fftfreq(n: int, d: float = 1.0) -> np.ndarray:
    """The frequencies of the results of `fft`, in cycles per unit of the spacing d.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.fftfreq(4, d=0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    n = _count(n)
    return np.fft.ifftshift(np.arange(-(n // 2), n - n // 2)) / (n * d)


def rfftfreq(n: int, d: float = 1.0) -> np.ndarray:
    """The frequencies of the results of `rfft`, in cycles per unit of the spacing d.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.rfftfreq(4, d=0.5)
    array([0. , 0.5, 1. ])
    """
    n = _count(n)
    return np.arange(n // 2 + 1) / (n * d)


def fftshift(x: Any, axes: int | Sequence[int] | None = None) -> np.ndarray:
    """The elements with the frequency 0 moved to the middle of all axes, or of the given ones.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.fftshift(am.fft.fftfreq(4, d=0.25))
    array([-2., -1.,  0.,  1.])
    """
    return np.asarray(np.fft.fftshift(x, axes))


def ifftshift(x: Any, axes: int | Sequence[int] | None = None) -> np.ndarray:
    """The inverse of `fftshift`, which differs from it for odd lengths.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.ifftshift([-1, 0, 1])
    array([ 0,  1, -1])
    """
    return np.asarray(np.fft.ifftshift(x, axes))


def next_fast_len(target: int, real: bool = False) -> int:
    """The least length from the target on with prime factors up to 11, or up to 5 for real elements, as SciPy's.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.next_fast_len(1021), am.fft.next_fast_len(1021, real=True)
    (1024, 1024)
    """
    target = operator.index(target)
    if target < 0:
        raise ValueError(f"target is {target}, and lengths are not negative")
    return target if target <= 6 else _next_smooth(target, (3, 5) if real else (3, 5, 7, 11))


def prev_fast_len(target: int, real: bool = False) -> int:
    """The greatest length up to the target with prime factors up to 11, or up to 5 for real elements, as SciPy's.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.prev_fast_len(1021), am.fft.prev_fast_len(1021, real=True)
    (1008, 1000)
    """
    target = operator.index(target)
    if target < 1:
        raise ValueError(f"target is {target}, and lengths are positive")
    return target if target <= 6 else _previous_smooth(target, (3, 5) if real else (3, 5, 7, 11))


@lru_cache(maxsize=256)
def _next_smooth(target: int, primes: tuple[int, ...]) -> int:
    # A product of odd primes and the least power of 2 that takes it to the target.
    return min(odd << max(-(-target // odd) - 1, 0).bit_length() for odd in _odd_smooth(2 * target, primes))


@lru_cache(maxsize=256)
def _previous_smooth(target: int, primes: tuple[int, ...]) -> int:
    return max(odd << ((target // odd).bit_length() - 1) for odd in _odd_smooth(target, primes))


def _odd_smooth(limit: int, primes: tuple[int, ...]) -> Iterator[int]:
    """The products of powers of primes up to a limit."""
    if not primes:
        yield 1
        return
    power = 1
    while power <= limit:
        for rest in _odd_smooth(limit // power, primes[1:]):
            yield power * rest
        power *= primes[0]


@contextmanager
def set_workers(workers: int) -> Iterator[None]:
    """Sets the threads of the library for a `with` block: `set_num_threads`, for the whole process, and back.

    Parameters
    ----------
    workers : int
        The number of threads; -1 is as many as processors, -2 is one less.

    Examples
    --------
    >>> import affinimath as am
    >>> with am.fft.set_workers(1):
    ...     am.fft.get_workers()
    1
    """
    workers, processors = operator.index(workers), os.cpu_count() or 1
    if workers == 0 or workers < -processors:
        raise ValueError(f"workers is {workers}; there are 1 and more, and -1 to {-processors}")
    before = get_num_threads()
    set_num_threads(workers if workers > 0 else processors + 1 + workers)
    try:
        yield
    finally:
        set_num_threads(before)


def get_workers() -> int:
    """The threads that a large operation on the host may use.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.get_workers() >= 1
    True
    """
    return get_num_threads()
