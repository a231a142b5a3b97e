"""Fourier transforms, with the arguments of numpy.fft."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ._arrays import common_dtype, contiguous
from ._library import DOUBLE, SINGLE, Plan

_FORWARD, _BACKWARD, _REAL_TO_COMPLEX, _COMPLEX_TO_REAL = -1, 1, 301, 302
_AXES = 3


class _Descriptor(ctypes.Structure):
    """affinimath_fft_descriptor."""

    _fields_ = [
        ("transform", ctypes.c_int),
        ("precision", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("in_place", ctypes.c_int),
        ("lengths", ctypes.c_int64 * _AXES),
        ("batch", ctypes.c_int64),
        ("input_strides", ctypes.c_int64 * _AXES),
        ("input_distance", ctypes.c_int64),
        ("output_strides", ctypes.c_int64 * _AXES),
        ("output_distance", ctypes.c_int64),
        ("scale", ctypes.c_double),
    ]


class _Problem(NamedTuple):
    """What a plan is made for. Strides and distances count elements."""

    transform: int
    precision: int
    lengths: tuple[int, ...]
    batch: int
    input_strides: tuple[int, ...]
    input_distance: int
    output_strides: tuple[int, ...]
    output_distance: int
    scale: float


@lru_cache(maxsize=64)
def _plan(problem: _Problem) -> Plan:
    axes = ctypes.c_int64 * _AXES
    descriptor = _Descriptor(
        problem.transform,
        problem.precision,
        len(problem.lengths),
        0,
        axes(*problem.lengths),
        problem.batch,
        axes(*problem.input_strides),
        problem.input_distance,
        axes(*problem.output_strides),
        problem.output_distance,
        problem.scale,
    )
    return Plan("Fft", descriptor, arrays=2)


def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> np.ndarray:
    """The Fourier transform of complex numbers: X_k = sum of a_j exp(-2 pi i j k / n).

    Parameters
    ----------
    a : array_like
        Numbers. Real ones count as complex ones.
    n : int, optional
        How many numbers to transform: more than there are go on with zeros, of fewer the first ones are taken.
    axis : int
        The axis to transform along.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/n: the inverse one, both by its square root, or the forward one.

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
    """
    return _transform(a, _FORWARD, None if n is None else (n,), (axis,), norm)


def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> np.ndarray:
    """The inverse of `fft`, with the same arguments."""
    return _transform(a, _BACKWARD, None if n is None else (n,), (axis,), norm)


def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> np.ndarray:
    """The first n/2 + 1 results of the Fourier transform of n real numbers; the others are their conjugates.

    The arguments are those of `fft`; complex numbers are refused with a TypeError.
    """
    return _transform(a, _REAL_TO_COMPLEX, None if n is None else (n,), (axis,), norm)


def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> np.ndarray:
    """The inverse of `rfft`: n real numbers from n/2 + 1 complex ones.

    The arguments are those of `fft`. Without n there are 2 (m - 1) results, where a has m numbers: an odd number of
    them has to be asked for.
    """
    return _transform(a, _COMPLEX_TO_REAL, None if n is None else (n,), (axis,), norm)


def fft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: str | None = None) -> np.ndarray:
    """The Fourier transform along two axes.

    Parameters
    ----------
    a : array_like
        Numbers. Real ones count as complex ones.
    s : (int, int), optional
        How many numbers to transform on each of the axes.
    axes : (int, int)
        The axes to transform along.
    norm : {"backward", "ortho", "forward"}, optional
        As for `fft`.
    """
    return _transform(a, _FORWARD, s, axes, norm)


def ifft2(
    a: Any, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: str | None = None
) -> np.ndarray:
    """The inverse of `fft2`, with the same arguments."""
    return _transform(a, _BACKWARD, s, axes, norm)


def rfft2(
    a: Any, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: str | None = None
) -> np.ndarray:
    """The Fourier transform of real numbers along two axes: of the last axis the first n/2 + 1 results."""
    return _transform(a, _REAL_TO_COMPLEX, s, axes, norm)


def irfft2(
    a: Any, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: str | None = None
) -> np.ndarray:
    """The inverse of `rfft2`: real numbers from half of the complex ones on the last axis."""
    return _transform(a, _COMPLEX_TO_REAL, s, axes, norm)


def _transform(
    a: Any, transform: int, lengths: Sequence[int] | None, axes: Sequence[int], norm: str | None
) -> np.ndarray:
    """Any of the transforms, `lengths` being given in real numbers where there are such."""
    a = np.asarray(a)
    if a.ndim == 1 and lengths is None and (axes == (-1,) or axes == (0,)) and a.flags.carray:
        planned = _vector_plan(transform, a.dtype, len(a), norm)
        if planned is not None:
            plan, length, target_type = planned
            target = np.empty(length, target_type)
            plan.execute(a, target)
            return target
    axes = _normalized(axes, a.ndim)
    source_type, target_type, precision = _types(a, transform)
    lengths = _lengths(a, transform, lengths, axes)
    half = (*lengths[:-1], lengths[-1] // 2 + 1)
    source_lengths = half if transform == _COMPLEX_TO_REAL else lengths
    target_lengths = half if transform == _REAL_TO_COMPLEX else lengths
    source = _of_lengths(np.asarray(a, source_type), axes, source_lengths)
    scale = _scale(norm, transform in (_FORWARD, _REAL_TO_COMPLEX), int(np.prod(lengths)))
    back = axes
    target = _empty(source, axes, target_lengths, target_type)
    if target.size == 0:
        return target
    source_strides, target_strides = _batch(source, axes), _batch(target, axes)
    if source_strides is None or target_strides is None:
        # With the axes last, in adjacent elements, the transforms lie one after the other.
        axes = tuple(range(a.ndim - len(axes), a.ndim))
        source = contiguous(np.moveaxis(source, back, axes), source_type)
        target = _empty(source, axes, target_lengths, target_type)
        source_strides, target_strides = _batch(source, axes), _batch(target, axes)
    if source_strides is None or target_strides is None:
        raise RuntimeError(f"no plan for strides of {source.strides} and {target.strides} bytes")
    batch = target.size // int(np.prod(target_lengths))
    problem = _Problem(transform, precision, lengths, batch, *source_strides, *target_strides, scale)
    _plan(problem).execute(source, target)
    return np.moveaxis(target, axes, back)


@lru_cache(maxsize=64)
def _vector_plan(transform: int, dtype: np.dtype, count: int, norm: str | None) -> tuple[Plan, int, np.dtype] | None:
    """The plan for a whole vector of a type, with its result's length and type, if the vector needs no conversion."""
    source_type, target_type, precision = _types(np.empty(0, dtype), transform)
    length = 2 * (count - 1) if transform == _COMPLEX_TO_REAL else count
    if dtype != source_type or length < 1:
        return None
    scale = _scale(norm, transform in (_FORWARD, _REAL_TO_COMPLEX), length)
    plan = _plan(_Problem(transform, precision, (length,), 1, (1,), 1, (1,), 1, scale))
    return plan, length // 2 + 1 if transform == _REAL_TO_COMPLEX else length, target_type


def _empty(source: np.ndarray, axes: tuple[int, ...], lengths: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of the source's shape, but for its lengths on the axes."""
    shape = list(source.shape)
    for axis, length in zip(axes, lengths):
        shape[axis] = length
    return np.empty(shape, dtype)


def _normalized(axes: Sequence[int], dimensions: int) -> tuple[int, ...]:
    """Axes counted from 0."""
    if not 1 <= len(axes) <= _AXES:
        raise ValueError(f"a transform along {len(axes)} axes; there are transforms along one to {_AXES}")
    for axis in axes:
        if not -dimensions <= axis < dimensions:
            raise IndexError(f"axis {axis} of an array of {dimensions} dimensions")
    positive = tuple(axis % dimensions for axis in axes)
    if len(set(positive)) != len(positive):
        raise ValueError(f"axes {tuple(axes)} are not different ones")
    return positive


def _types(a: np.ndarray, transform: int) -> tuple[np.dtype, np.dtype, int]:
    """The types that a transform reads and writes, and its precision."""
    dtype = common_dtype(a)
    if transform == _REAL_TO_COMPLEX and dtype.kind == "c":
        raise TypeError(f"an array of {dtype}; there is a transform of real numbers for float32 and float64")
    single = dtype in (np.float32, np.complex64)
    real, cplx = np.dtype(np.float32 if single else np.float64), np.dtype(np.complex64 if single else np.complex128)
    types = {_REAL_TO_COMPLEX: (real, cplx), _COMPLEX_TO_REAL: (cplx, real)}.get(transform, (cplx, cplx))
    return *types, SINGLE if single else DOUBLE


def _lengths(a: np.ndarray, transform: int, given: Sequence[int] | None, axes: tuple[int, ...]) -> tuple[int, ...]:
    """How many numbers are transformed on each axis; real ones where there are such."""
    if given is None:
        lengths = [a.shape[axis] for axis in axes]
        if transform == _COMPLEX_TO_REAL:
            lengths[-1] = 2 * (lengths[-1] - 1)
    else:
        lengths = [int(length) for length in given]
    if len(lengths) != len(axes):
        raise ValueError(f"{len(lengths)} lengths for {len(axes)} axes")
    if min(lengths) < 1:
        raise ValueError(f"a transform of {min(lengths)} numbers")
    return tuple(lengths)


def _of_lengths(a: np.ndarray, axes: tuple[int, ...], lengths: tuple[int, ...]) -> np.ndarray:
    """As many numbers on each axis as are asked for: the first ones, or all of them and zeros."""
    for axis, length in zip(axes, lengths):
        have = a.shape[axis]
        if have > length:
            a = a[(slice(None),) * axis + (slice(length),)]
        elif have < length:
            a = np.pad(a, [(0, length - have if i == axis else 0) for i in range(a.ndim)])
    return a


def _scale(norm: str | None, forward: bool, count: int) -> float:
    if norm == "ortho":
        return float(1 / np.sqrt(count))
    if norm not in (None, "backward", "forward"):
        raise ValueError(f"norm is {norm!r}; there are 'backward', 'ortho' and 'forward'")
    return 1 / count if forward == (norm == "forward") else 1.0


def _batch(a: np.ndarray, axes: tuple[int, ...]) -> tuple[tuple[int, ...], int] | None:
    """An array's strides on the axes and from each transform to the next, in elements; None where no plan has them."""
    # No element is reached by the stride of an axis of length 1, so that any value may stand there.
    strides = [stride if length > 1 else 0 for length, stride in zip(a.shape, a.strides)]
    if not a.flags.aligned or any(stride % a.itemsize or stride < 0 for stride in strides):
        return None
    strides = [stride // a.itemsize for stride in strides]
    if any(a.shape[axis] > 1 and strides[axis] == 0 for axis in axes):
        return None
    distance = None
    following = None
    for axis in reversed(range(a.ndim)):
        if axis in axes or a.shape[axis] == 1:
            continue
        if distance is None:
            distance = strides[axis]
        elif strides[axis] != following:
            return None
        following = strides[axis] * a.shape[axis]
    if distance == 0:
        return None
    along = tuple(max(strides[axis], 1) for axis in axes)
    return along, 1 if distance is None else distance
