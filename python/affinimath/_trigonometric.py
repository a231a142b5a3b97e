"""Discrete cosine and sine transforms, with the arguments of scipy.fft.

The library has types 2 and 3. Types 1 and 4 are computed by its Fourier transforms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._arrays import common_dtype, normalized_axes, sequence
from ._fft import check_workers
from ._fft_plans import COSINE_2, COSINE_3, FORWARD, REAL_TO_COMPLEX, SINE_2, SINE_3, transform

_PLANNED = {("dct", 2): COSINE_2, ("dct", 3): COSINE_3, ("dst", 2): SINE_2, ("dst", 3): SINE_3}
_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def dct(
    x: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> np.ndarray:
    """The discrete cosine transform, of type 2: X_k = 2 sum of x_j cos(pi k (2j + 1) / (2n)).

    Parameters
    ----------
    x : array_like
        Elements. Of complex ones both parts are transformed.
    type : {1, 2, 3, 4}
        The type of the transform, as SciPy and FFTW (REDFT00, REDFT10, REDFT01, REDFT11) define it.
    n : int, optional
        The length of the transform: beyond x's elements it goes on with zeros, else the first n are taken.
    axis : int
        The axis to transform along.
    norm : {"backward", "ortho", "forward"}, optional
        The direction that is divided by 2n (type 1: 2 (n - 1)): the inverse one, both by its square root, or the
        forward one.
    overwrite_x : bool
        Accepted for SciPy's sake: x is never overwritten.
    workers : int, optional
        Accepted for SciPy's sake: `set_workers` sets the threads.
    orthogonalize : bool, optional
        The first element (type 1: both ends) has the factor of an orthogonal transform. The default is norm == "ortho".

    Returns
    -------
    ndarray
        The transform, of x's precision.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.dct([1.0, 1.0, 1.0, 1.0])
    array([8., 0., 0., 0.])
    """
    return _transformed("dct", x, type, _one(n), (axis,), norm, workers, orthogonalize)


def idct(
    x: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> np.ndarray:
    """The inverse of `dct`, with the same arguments.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.idct([8.0, 0.0, 0.0, 0.0])
    array([1., 1., 1., 1.])
    """
    return _transformed("dct", x, type, _one(n), (axis,), norm, workers, orthogonalize, inverse=True)


def dst(
    x: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> np.ndarray:
    """The discrete sine transform, of type 2: X_k = 2 sum of x_j sin(pi (k + 1) (2j + 1) / (2n)).

    The arguments are those of `dct`. The norm of type 1 divides by 2 (n + 1). Of an orthogonal transform the last
    element has a factor.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.dst([1.0, -1.0, 1.0, -1.0]).round(12) + 0
    array([0., 0., 0., 8.])
    """
    return _transformed("dst", x, type, _one(n), (axis,), norm, workers, orthogonalize)


def idst(
    x: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> np.ndarray:
    """The inverse of `dst`, with the same arguments.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.idst(am.fft.dst([1.0, 2.0, 4.0])).round(12)
    array([1., 2., 4.])
    """
    return _transformed("dst", x, type, _one(n), (axis,), norm, workers, orthogonalize, inverse=True)


def dctn(
    x: Any,
    type: int = 2,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
) -> np.ndarray:
    """The discrete cosine transform along several axes.

    Parameters
    ----------
    x : array_like
        Elements. Of complex ones both parts are transformed.
    s : sequence of int, optional
        The length of the transform on each axis, as `n` of `dct`; None or -1 for the axis as it is.
    axes : sequence of int, optional
        The axes to transform along; else the last ones that s has lengths for, or all.
    type, norm, overwrite_x, workers, orthogonalize
        As for `dct`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.dctn(np.ones((2, 2)))
    array([[16.,  0.],
           [ 0.,  0.]])
    """
    return _transformed("dct", x, type, s, axes, norm, workers, orthogonalize)


def idctn(
    x: Any,
    type: int = 2,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> np.ndarray:
    """The inverse of `dctn`, with the same arguments.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.idctn([[16.0, 0.0], [0.0, 0.0]])
    array([[1., 1.],
           [1., 1.]])
    """
    return _transformed("dct", x, type, s, axes, norm, workers, orthogonalize, inverse=True)


def dstn(
    x: Any,
    type: int = 2,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> np.ndarray:
    """The discrete sine transform along several axes, with the arguments of `dctn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.dstn(np.ones((3, 4))).shape
    (3, 4)
    """
    return _transformed("dst", x, type, s, axes, norm, workers, orthogonalize)


def idstn(
    x: Any,
    type: int = 2,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> np.ndarray:
    """The inverse of `dstn`, with the same arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.idstn(am.fft.dstn(np.ones((2, 2)))).round(12)
    array([[1., 1.],
           [1., 1.]])
    """
    return _transformed("dst", x, type, s, axes, norm, workers, orthogonalize, inverse=True)


def _one(n: int | None) -> tuple[int] | None:
    """The length of one axis as a sequence."""
    return None if n is None else (n,)


def _transformed(
    family: str,
    x: Any,
    type: int,
    s: Sequence[int | None] | None,
    axes: Sequence[int] | None,
    norm: str | None,
    workers: int | None,
    orthogonalize: bool | None,
    *,
    inverse: bool = False,
) -> np.ndarray:
    """Any of the transforms: arguments are checked, and of complex elements both parts are transformed."""
    check_workers(workers)
    if type not in _INVERSES:
        raise ValueError(f"type is {type!r}; there are 1, 2, 3 and 4")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"norm is {norm!r}; there are 'backward', 'ortho' and 'forward'")
    a = np.asarray(x)
    dtype = common_dtype(a, names=("x",))
    kind = _INVERSES[type] if inverse else type
    a, axes = _of_lengths(np.asarray(a, dtype), s, axes)
    lengths = [a.shape[axis] for axis in axes]
    if family == "dct" and kind == 1 and lengths and min(lengths) < 2:
        raise ValueError(f"a transform of {min(lengths)} elements, and type 1 of dct has two or more")
    if not axes or a.size == 0:
        return np.array(a)
    extra = 0 if kind != 1 else -1 if family == "dct" else 1
    logical = float(np.prod([2.0 * (length + extra) for length in lengths]))
    scale = 1 / np.sqrt(logical) if norm == "ortho" else 1 / logical if inverse != (norm == "forward") else 1.0
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    if dtype.kind != "c":
        return _real(a, family, kind, axes, float(scale), orthogonalize)
    result = np.empty(a.shape, dtype)
    result.real = _real(a.real, family, kind, axes, float(scale), orthogonalize)
    result.imag = _real(a.imag, family, kind, axes, float(scale), orthogonalize)
    return result


def _of_lengths(
    a: np.ndarray, s: Sequence[int | None] | None, axes: Sequence[int] | None
) -> tuple[np.ndarray, tuple[int, ...]]:
    """The array with the lengths that are asked for, and its axes counted from 0."""
    s = None if s is None else sequence(s)
    if axes is None:
        if s is not None and len(s) > a.ndim:
            raise ValueError(f"s has {len(s)} lengths, and x {a.ndim} dimensions")
        axes = range(a.ndim) if s is None else range(a.ndim - len(s), a.ndim)
    positive = normalized_axes(axes, a.ndim)
    if s is not None and len(s) != len(positive):
        raise ValueError(f"s has {len(s)} lengths, and there are {len(positive)} axes")
    for axis, length in zip(positive, [None] * len(positive) if s is None else s):
        have = a.shape[axis]
        length = have if length is None or length == -1 else operator.index(length)
        if length < 1:
            raise ValueError(f"a transform of {length} elements")
        if length > have:
            a = np.pad(a, [(0, length - have if i == axis else 0) for i in range(a.ndim)])
        a = a[(slice(None),) * axis + (slice(length),)]
    return a, positive


def _real(
    a: np.ndarray, family: str, kind: int, axes: tuple[int, ...], scale: float, orthogonalize: bool
) -> np.ndarray:
    """A transform of real elements, times a factor."""
    root = np.sqrt(2.0)
    if orthogonalize and (kind == 3 or (kind, family) == (1, "dct")):
        a = np.array(a)
        _multiply_ends(a, family, kind, axes, root)
    if kind in (2, 3):
        a = transform(a, _PLANNED[family, kind], None, axes, scale)
    else:
        by: dict[tuple[str, int], Callable[[np.ndarray], np.ndarray]] = {
            ("dct", 1): _cosine_1,
            ("dst", 1): _sine_1,
            ("dct", 4): _cosine_4,
            ("dst", 4): _sine_4,
        }
        for axis in axes:
            a = np.moveaxis(by[family, kind](np.moveaxis(a, axis, -1)), -1, axis)
        a *= np.asarray(scale, a.dtype)
    if orthogonalize and (kind == 2 or (kind, family) == (1, "dct")):
        _multiply_ends(a, family, kind, axes, 1 / root)
    return a


def _multiply_ends(a: np.ndarray, family: str, kind: int, axes: tuple[int, ...], factor: float) -> None:
    """Multiplies the elements of an axis that an orthogonal transform treats otherwise than the others."""
    ends = (0, -1) if kind == 1 else (0,) if family == "dct" else (-1,)
    for axis in axes:
        for end in ends:
            a[(slice(None),) * axis + (end,)] *= np.asarray(factor, a.dtype)


def _cosine_1(a: np.ndarray) -> np.ndarray:
    """Type 1 on the last axis: the real transform of the even continuation."""
    even = np.concatenate([a, a[..., -2:0:-1]], axis=-1)
    return transform(even, REAL_TO_COMPLEX, None, (-1,), None).real.copy()


def _sine_1(a: np.ndarray) -> np.ndarray:
    """Type 1 on the last axis: the real transform of the odd continuation."""
    n = a.shape[-1]
    odd = np.zeros((*a.shape[:-1], 2 * (n + 1)), a.dtype)
    odd[..., 1 : n + 1] = a
    odd[..., n + 2 :] = -a[..., ::-1]
    return -transform(odd, REAL_TO_COMPLEX, None, (-1,), None).imag[..., 1 : n + 1]


def _cosine_4(a: np.ndarray) -> np.ndarray:
    """Type 4 on the last axis: a complex transform of half the length, or for an odd n of the double one."""
    n = a.shape[-1]
    cplx = np.result_type(a.dtype, np.complex64)
    result = np.empty_like(a, order="C")
    if n % 2:
        j = np.arange(n)
        turned = np.zeros((*a.shape[:-1], 2 * n), cplx)
        turned[..., :n] = a * np.exp(-0.5j * np.pi * j / n).astype(cplx)
        turned = transform(turned, FORWARD, None, (-1,), None)[..., :n]
        result[...] = 2 * (turned * np.exp(-0.25j * np.pi * (2 * j + 1) / n).astype(cplx)).real
        return result
    turns = np.exp(-0.125j * np.pi * (8 * np.arange(n // 2) + 1) / n).astype(cplx)
    halves = transform((a[..., ::2] + 1j * a[..., ::-2]) * turns, FORWARD, None, (-1,), None) * turns
    result[..., ::2] = 2 * halves.real
    result[..., ::-2] = -2 * halves.imag
    return result


def _sine_4(a: np.ndarray) -> np.ndarray:
    """Type 4 on the last axis: the cosine transform of the reversed elements, with alternating signs."""
    result = _cosine_4(a[..., ::-1])
    result[..., 1::2] *= -1
    return result
