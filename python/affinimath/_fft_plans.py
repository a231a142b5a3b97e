"""Plans of Fourier transforms for NumPy's arrays, of any number of axes."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ._arrays import common_dtype, contiguous, normalized_axes, sequence, writable
from ._library import DOUBLE, SINGLE, Plan

FORWARD, BACKWARD, REAL_TO_COMPLEX, COMPLEX_TO_REAL = -1, 1, 301, 302
COSINE_2, COSINE_3, SINE_2, SINE_3 = 303, 304, 305, 306
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
    """The problem that a plan is made for. Strides and distances count elements."""

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


def transform(
    x: Any,
    kind: int,
    s: Sequence[int | None] | None,
    axes: Sequence[int] | None,
    norm: str | float | None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Any of the transforms along any number of axes, three at a time.

    `s` counts real elements where there are such; None or -1 in it stands for all of an axis.
    """
    a = np.asarray(x)
    if out is None and a.ndim == 1 and s is None and (axes == (-1,) or axes == (0,)) and a.flags.carray:
        planned = _vector_plan(kind, a.dtype, len(a), norm)
        if planned is not None:
            plan, length, target_type = planned
            target = np.empty(length, target_type)
            plan.execute(a, target)
            return target
    s = None if s is None else sequence(s)
    axes = normalized_axes(_all_axes(a, s, axes), a.ndim)
    source_type, target_type, _ = _types(a, kind)
    lengths = _lengths(a, kind, s, axes)
    if out is not None:
        shape = list(a.shape)
        for axis, length in zip(axes, lengths):
            shape[axis] = length
        if axes and kind == REAL_TO_COMPLEX:
            shape[axes[-1]] = lengths[-1] // 2 + 1
        writable(out, tuple(shape), target_type)
    result = _in_parts(np.asarray(a, source_type), kind, lengths, axes, norm)
    if out is None:
        return result
    np.copyto(out, result, casting="same_kind")
    return out


def _in_parts(
    a: np.ndarray, kind: int, lengths: tuple[int, ...], axes: tuple[int, ...], norm: str | float | None
) -> np.ndarray:
    """The transform along all axes, of which a plan takes three."""
    if not axes:
        if kind not in (FORWARD, BACKWARD):
            raise ValueError("a transform of real elements has at least one axis")
        return a.copy()
    # Real elements are at the last axes' end: all other axes have complex ones.
    complex_kind = {REAL_TO_COMPLEX: FORWARD, COMPLEX_TO_REAL: BACKWARD}.get(kind, kind)
    parts = [slice(max(end - _AXES, 0), end) for end in range(len(axes), 0, -_AXES)]
    kinds = [kind, *[complex_kind] * (len(parts) - 1)]
    for part, one in list(zip(parts, kinds))[:: -1 if kind == COMPLEX_TO_REAL else 1]:
        a = _planned(a, one, lengths[part], axes[part], norm)
        norm = 1.0 if isinstance(norm, float) else norm
    return a


def _planned(
    a: np.ndarray, kind: int, lengths: tuple[int, ...], axes: tuple[int, ...], norm: str | float | None
) -> np.ndarray:
    """The transform along up to three axes, by one plan."""
    source_type, target_type, precision = _types(a, kind)
    half = (*lengths[:-1], lengths[-1] // 2 + 1)
    source_lengths = half if kind == COMPLEX_TO_REAL else lengths
    target_lengths = half if kind == REAL_TO_COMPLEX else lengths
    source = _of_lengths(np.asarray(a, source_type), axes, source_lengths)
    scale = _scale(norm, kind in (FORWARD, REAL_TO_COMPLEX), int(np.prod(lengths)))
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
    problem = _Problem(kind, precision, lengths, batch, *source_strides, *target_strides, scale)
    _plan(problem).execute(source, target)
    return np.moveaxis(target, axes, back)


@lru_cache(maxsize=64)
def _vector_plan(kind: int, dtype: np.dtype, count: int, norm: str | float | None) -> tuple[Plan, int, np.dtype] | None:
    """The plan for a whole vector of a type, with its result's length and type, if the vector needs no conversion."""
    source_type, target_type, precision = _types(np.empty(0, dtype), kind)
    length = 2 * (count - 1) if kind == COMPLEX_TO_REAL else count
    if dtype != source_type or length < 1:
        return None
    scale = _scale(norm, kind in (FORWARD, REAL_TO_COMPLEX), length)
    plan = _plan(_Problem(kind, precision, (length,), 1, (1,), 1, (1,), 1, scale))
    return plan, length // 2 + 1 if kind == REAL_TO_COMPLEX else length, target_type


def _empty(source: np.ndarray, axes: tuple[int, ...], lengths: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of the source's shape, but for its lengths on the axes."""
    shape = list(source.shape)
    for axis, length in zip(axes, lengths):
        shape[axis] = length
    return np.empty(shape, dtype)


def _all_axes(a: np.ndarray, s: Sequence[int | None] | None, axes: Sequence[int] | None) -> Sequence[int]:
    """The axes that are given, or the last ones that s has lengths for, or all."""
    if axes is not None:
        return axes
    count = a.ndim if s is None else len(s)
    if count > a.ndim:
        raise ValueError(f"s has {count} lengths, and x {a.ndim} dimensions")
    return range(a.ndim - count, a.ndim)


def _types(a: np.ndarray, kind: int) -> tuple[np.dtype, np.dtype, int]:
    """The types that a transform reads and writes, and its precision."""
    dtype = common_dtype(a, names=("x",))
    reads_real = kind not in (FORWARD, BACKWARD, COMPLEX_TO_REAL)
    if reads_real and dtype.kind == "c":
        raise TypeError(f"x has the type {dtype}, and a transform of real elements float32 or float64")
    single = dtype in (np.float32, np.complex64)
    real, cplx = np.dtype(np.float32 if single else np.float64), np.dtype(np.complex64 if single else np.complex128)
    writes_real = kind not in (FORWARD, BACKWARD, REAL_TO_COMPLEX)
    return real if reads_real else cplx, real if writes_real else cplx, SINGLE if single else DOUBLE


def _lengths(a: np.ndarray, kind: int, given: Sequence[int | None] | None, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The elements that are transformed on each axis; real ones where there are such."""
    if given is None:
        given = [None] * len(axes)
    if len(given) != len(axes):
        raise ValueError(f"s has {len(given)} lengths, and there are {len(axes)} axes")
    lengths = []
    for axis, length in zip(axes, given):
        have = a.shape[axis]
        if kind == COMPLEX_TO_REAL and axis == axes[-1]:
            have = 2 * (have - 1)
        lengths.append(have if length is None or length == -1 else operator.index(length))
    if lengths and min(lengths) < 1:
        raise ValueError(f"a transform of {min(lengths)} elements")
    return tuple(lengths)


def _of_lengths(a: np.ndarray, axes: tuple[int, ...], lengths: tuple[int, ...]) -> np.ndarray:
    """The array with the lengths that are asked for: its first elements, or all of them and zeros."""
    for axis, length in zip(axes, lengths):
        have = a.shape[axis]
        if have > length:
            a = a[(slice(None),) * axis + (slice(length),)]
        elif have < length:
            a = np.pad(a, [(0, length - have if i == axis else 0) for i in range(a.ndim)])
    return a


def _scale(norm: str | float | None, forward: bool, count: int) -> float:
    """The factor of a transform, which may be given as a number."""
    if isinstance(norm, float):
        return norm
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
