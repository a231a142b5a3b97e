"""The extension `fft` of the array API standard. Transforms are computed where the array lies.

>>> import affinimath.array_api as xp
>>> xp.fft.fft(xp.asarray([1.0, 0.0]))
Array([1.+0.j, 1.+0.j])
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._array import Array, asarray, call
from .._array.calls import list_text
from .._arrays import normalized_axes
from ._dtypes import float64
from ._manipulation import roll

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

_NORMS = ("backward", "ortho", "forward")


def _scale(count: int, norm: str | None, is_forward: bool) -> str:
    """The factor of the library's transform, whose inverse is divided by the length."""
    norm = norm or "backward"
    if norm not in _NORMS:
        raise ValueError(f"norm is {norm!r}; there are 'backward', 'ortho' and 'forward'")
    if norm == "backward" or count == 0:
        return ""
    factor = math.sqrt(count) if norm == "ortho" else float(count)
    return f"*{1 / factor!r}" if is_forward else f"*{factor!r}"


def _sized(x: Array, extents: dict[int, int]) -> Array:
    """The array with other extents: zeros behind its elements, or the first ones."""
    for axis, extent in extents.items():
        own, key = x.shape[axis], ":, " * axis
        if extent < 1:
            raise ValueError(f"a transform of {extent} elements")
        if extent < own:
            x = call(f"x0[{key}:{extent}]", x)
        elif extent > own:
            more = list_text((*x.shape[:axis], extent - own, *x.shape[axis + 1 :]))
            x = call(f"concat([x0, zeros({more}, dtype={x.dtype.name})], {axis})", x)
    return x


def _axes(x: Array, s: Any, axes: Any) -> tuple[tuple[int, ...], list[int]]:
    """The axes of a transform, and its extents."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = normalized_axes(tuple(axes), x.ndim)
    if s is None:
        return axes, [x.shape[axis] for axis in axes]
    if len(s) != len(axes):
        raise ValueError(f"{len(s)} extents of {len(axes)} axes")
    return axes, [x.shape[axis] if extent == -1 else operator.index(extent) for axis, extent in zip(axes, s)]


def _transform(name: str, x: Array, s: Any, axes: Any, norm: str | None) -> Array:
    if name == "rfft" and x.dtype.kind == "c":
        raise TypeError(f"a transform of real elements, not of {x.dtype}")
    axes, extents = _axes(x, s, axes)
    if not axes:
        return x.copy()
    x = _sized(x, dict(zip(axes, extents)))
    scale = _scale(math.prod(extents), norm, name != "ifft")
    if x.size == 0:
        raise ValueError(f"a transform of an array of shape {x.shape}")
    if name == "rfft" and axes[-1] != max(axes):
        # Texts halve the last axis of the array, not of the list.
        return call(f"fft(rfft(x0, {axes[-1]}), {list_text(axes[:-1])}){scale}", x)
    return call(f"{name}(x0, {list_text(axes)}){scale}", x)


def _to_real(x: Array, s: Any, axes: Any, norm: str | None) -> Array:
    axes, extents = _axes(x, s, axes)
    if s is None and axes:
        extents[-1] = 2 * (extents[-1] - 1)
    if not axes or extents[-1] < 1:
        raise ValueError("a transform of no elements")
    x = _sized(x, {**dict(zip(axes, extents)), axes[-1]: extents[-1] // 2 + 1})
    scale = _scale(math.prod(extents), norm, False)
    if axes[-1] != max(axes):
        return call(f"irfft(ifft(x0, {list_text(axes[:-1])}), {extents[-1]}, {axes[-1]}){scale}", x)
    return call(f"irfft(x0, {extents[-1]}, {list_text(axes)}){scale}", x)


def _one(n: int | None) -> tuple[int] | None:
    return None if n is None else (operator.index(n),)


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The Fourier transform along an axis, of n elements: x's first ones, or with zeros behind them.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.fft(xp.asarray([1.0, 0.0]))
    Array([1.+0.j, 1.+0.j])
    """
    return _transform("fft", x, _one(n), (axis,), norm)


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse Fourier transform along an axis.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.ifft(xp.asarray([2.0, 0.0]))
    Array([1.+0.j, 1.+0.j])
    """
    return _transform("ifft", x, _one(n), (axis,), norm)


def fftn(x: Array, /, *, s: Sequence[int] | None = None, axes: Any = None, norm: str = "backward") -> Array:
    """The Fourier transform along several axes, by default along all.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.fftn(xp.ones((2, 2)))[0, 0]
    Array(4.+0.j)
    """
    return _transform("fft", x, s, axes, norm)


def ifftn(x: Array, /, *, s: Sequence[int] | None = None, axes: Any = None, norm: str = "backward") -> Array:
    """The inverse Fourier transform along several axes, by default along all.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.ifftn(xp.ones((2, 2)))[0, 0]
    Array(1.+0.j)
    """
    return _transform("ifft", x, s, axes, norm)


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The Fourier transform of real elements along an axis: the half that the other one follows from.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.rfft(xp.asarray([1.0, 0.0, 0.0, 0.0])).shape
    (3,)
    """
    return _transform("rfft", x, _one(n), (axis,), norm)


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of `rfft`: n real elements, by default an even number.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.irfft(xp.asarray([4 + 0j, 0j, 0j]))
    Array([1., 1., 1., 1.])
    """
    return _to_real(x, _one(n), (axis,), norm)


def rfftn(x: Array, /, *, s: Sequence[int] | None = None, axes: Any = None, norm: str = "backward") -> Array:
    """The Fourier transform of real elements along several axes; the last one has half of the values.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.rfftn(xp.ones((2, 4))).shape
    (2, 3)
    """
    return _transform("rfft", x, s, axes, norm)


def irfftn(x: Array, /, *, s: Sequence[int] | None = None, axes: Any = None, norm: str = "backward") -> Array:
    """The inverse of `rfftn`.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.irfftn(xp.fft.rfftn(xp.ones((2, 4)))).shape
    (2, 4)
    """
    return _to_real(x, s, axes, norm)


def _opposite(norm: str | None) -> str:
    opposites = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
    if (norm or "backward") not in opposites:
        raise ValueError(f"norm is {norm!r}; there are 'backward', 'ortho' and 'forward'")
    return opposites[norm or "backward"]


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The transform of a Hermitian signal, of which x has the first half: n real elements.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.hfft(xp.asarray([1 + 0j, 0j, 0j]))
    Array([1., 1., 1., 1.])
    """
    return irfft(x.conj(), n=n, axis=axis, norm=_opposite(norm))


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of `hfft`.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.ihfft(xp.asarray([4.0, 4.0]))
    Array([4.-0.j, 0.-0.j])
    """
    return rfft(x, n=n, axis=axis, norm=_opposite(norm)).conj()


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of a transform of n elements that are d apart.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.fftfreq(4)
    Array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    return asarray(np.fft.fftfreq(n, d), dtype=float64 if dtype is None else dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of `rfft` of n elements that are d apart.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.rfftfreq(4)
    Array([0.  , 0.25, 0.5 ])
    """
    return asarray(np.fft.rfftfreq(n, d), dtype=float64 if dtype is None else dtype, device=device)


def _shifted(x: Array, axes: Any, is_inverse: bool) -> Array:
    chosen = normalized_axes(range(x.ndim) if axes is None else axes, x.ndim)
    middles = (x.shape[axis] // 2 for axis in chosen)
    shifts = tuple(-middle if is_inverse else middle for middle in middles)
    return roll(x, shifts, axis=chosen)


def fftshift(x: Array, /, *, axes: Any = None) -> Array:
    """The elements with frequency 0 moved to the middle of the axes.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.fftshift(xp.fft.fftfreq(4))
    Array([-0.5 , -0.25,  0.  ,  0.25])
    """
    return _shifted(x, axes, False)


def ifftshift(x: Array, /, *, axes: Any = None) -> Array:
    """The inverse of `fftshift`.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.fft.ifftshift(xp.asarray([-0.5, -0.25, 0.0, 0.25]))
    Array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    return _shifted(x, axes, True)
