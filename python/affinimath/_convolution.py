"""Convolutions and correlations, with the modes of scipy.signal and a circular one."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ._arrays import common_dtype
from ._library import DOUBLE, SINGLE, Plan

_CONVOLUTION, _CORRELATION = 311, 312
_EXTENTS = {"full": 321, "same": 322, "valid": 323, "circular": 324}
_AXES = 3


class _Descriptor(ctypes.Structure):
    """affinimath_convolution_descriptor."""

    _fields_ = [
        ("operation", ctypes.c_int),
        ("extent", ctypes.c_int),
        ("precision", ctypes.c_int),
        ("complex_numbers", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("own_kernels", ctypes.c_int),
        ("signal", ctypes.c_int64 * _AXES),
        ("kernel", ctypes.c_int64 * _AXES),
        ("batch", ctypes.c_int64),
        ("scale", ctypes.c_double),
    ]


class _Problem(NamedTuple):
    """The problem that a plan is made for."""

    operation: int
    mode: str
    dtype: np.dtype
    signal: tuple[int, ...]
    kernel: tuple[int, ...]
    batch: int


@lru_cache(maxsize=64)
def _plan(problem: _Problem) -> Plan:
    axes = ctypes.c_int64 * _AXES
    descriptor = _Descriptor(
        problem.operation,
        _EXTENTS[problem.mode],
        SINGLE if problem.dtype in (np.float32, np.complex64) else DOUBLE,
        problem.dtype.kind == "c",
        len(problem.signal),
        0,
        axes(*problem.signal),
        axes(*problem.kernel),
        problem.batch,
        1.0,
    )
    return Plan("Convolution", descriptor, arrays=3)


def convolve(a: Any, v: Any, mode: str = "full") -> np.ndarray:
    """The convolution of signals with a kernel: z_k = sum of v_j a_(k-j), on one to three axes.

    Parameters
    ----------
    a : array_like
        The signal, or several: its last axes are as many as the kernel has, and the ones before count signals.
    v : array_like
        The kernel, with one to three axes.
    mode : {"full", "same", "valid", "circular"}, optional
        Which of the results for n and m numbers on an axis: all n + m - 1, the n in the middle, the |n - m| + 1 that no
        zeros from beyond go into, or n of a signal that goes on periodically.

    Returns
    -------
    ndarray
        The results, of the type that NumPy finds for the operands.

    Raises
    ------
    ValueError
        The mode is none of the four, a kernel has no axis or more than three, there are fewer axes of a than of v, or
        one of them is empty.

    Examples
    --------
    >>> import affinimath as am
    >>> am.convolve([1.0, 2.0, 3.0], [1.0, 1.0]).round(12)
    array([1., 3., 5., 3.])
    """
    return _convolved(_CONVOLUTION, a, v, mode)


def correlate(a: Any, v: Any, mode: str = "full") -> np.ndarray:
    """The correlation of signals with a kernel of m numbers: z_k = sum of conj(v_j) a_(k-m+1+j), on one to three axes.

    The arguments are those of `convolve`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.correlate([1.0, 2.0, 3.0], [1.0, 1.0], mode="valid").round(12)
    array([3., 5.])
    """
    return _convolved(_CORRELATION, a, v, mode)


def _convolved(operation: int, a: Any, v: Any, mode: str) -> np.ndarray:
    a, v = np.asarray(a), np.asarray(v)
    if mode not in _EXTENTS:
        raise ValueError(f"mode is {mode!r}; there are {', '.join(map(repr, _EXTENTS))}")
    if not 1 <= v.ndim <= _AXES:
        raise ValueError(f"v has {v.ndim} axes, and a kernel one to three")
    if a.ndim < v.ndim:
        raise ValueError(f"a has {a.ndim} axes, and v {v.ndim}: a signal has as many or more")
    dtype = common_dtype(a, v, names=("a", "v"))
    a, v = (np.require(x, dtype, ["C", "ALIGNED"]) for x in (a, v))
    batch, signal = a.shape[: a.ndim - v.ndim], a.shape[a.ndim - v.ndim :]
    if 0 in signal + v.shape:
        raise ValueError(f"a has {signal} elements on its axes and v {v.shape}; none of them may be 0")
    lengths = {
        "full": lambda n, m: n + m - 1,
        "valid": lambda n, m: abs(n - m) + 1,
    }.get(mode, lambda n, m: n)
    output = np.empty((*batch, *map(lengths, signal, v.shape)), dtype)
    if output.size:
        _plan(_Problem(operation, mode, dtype, signal, v.shape, int(np.prod(batch)))).execute(a, v, output)
    return output
