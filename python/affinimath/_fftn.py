"""Fourier transforms along several axes, with the arguments of scipy.fft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._fft import check_workers, conjugate, conjugated, swapped
from ._fft_plans import BACKWARD, COMPLEX_TO_REAL, FORWARD, REAL_TO_COMPLEX, transform


def fft2(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The Fourier transform along two axes.

    The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.fft2(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    check_workers(workers)
    return transform(x, FORWARD, s, axes, norm, out)


def ifft2(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse Fourier transform along two axes.

    The arguments are those of `fftn`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.ifft2([[4.0, 0.0], [0.0, 0.0]]).real
    array([[1., 1.],
           [1., 1.]])
    """
    check_workers(workers)
    return transform(x, BACKWARD, s, axes, norm, out)


def rfft2(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The Fourier transform of real elements along two axes.

    The last axis is that of the half spectrum. The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.rfft2(np.ones((4, 4))).shape
    (4, 3)
    """
    check_workers(workers)
    return transform(x, REAL_TO_COMPLEX, s, axes, norm, out)


def irfft2(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse of `rfft2` along two axes.

    The last axis is that of the half spectrum. The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.irfft2(np.ones((4, 3))).shape
    (4, 4)
    """
    check_workers(workers)
    return transform(x, COMPLEX_TO_REAL, s, axes, norm, out)


def hfft2(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The Fourier transform of a signal with Hermitian symmetry, to real elements, along two axes.

    The last axis is that of the half spectrum. The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.hfft2(np.ones((4, 3))).shape
    (4, 4)
    """
    check_workers(workers)
    return transform(conjugated(x), COMPLEX_TO_REAL, s, axes, swapped(norm), out)


def ihfft2(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse of `hfft2` along two axes.

    The last axis is that of the half spectrum. The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.ihfft2(np.ones((4, 4))).shape
    (4, 3)
    """
    check_workers(workers)
    return conjugate(transform(x, REAL_TO_COMPLEX, s, axes, swapped(norm), out))


def fftn(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The Fourier transform of complex elements along several axes.

    Parameters
    ----------
    x : array_like
        Elements. Real ones count as complex ones.
    s : sequence of int, optional
        The length of the transform on each axis, as `n` of `fft`; None or -1 for the axis as it is.
    axes : sequence of int, optional
        The axes to transform along; else the last ones that s has lengths for, or all.
    norm, overwrite_x, workers, plan, out
        As for `fft`.

    Returns
    -------
    ndarray
        The transform, complex64 for float32 and complex64, else complex128.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.fftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    check_workers(workers)
    return transform(x, FORWARD, s, axes, norm, out)


def ifftn(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse Fourier transform along several axes.

    The arguments are those of `fftn`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.fft.ifftn([[4.0, 0.0], [0.0, 0.0]]).real
    array([[1., 1.],
           [1., 1.]])
    """
    check_workers(workers)
    return transform(x, BACKWARD, s, axes, norm, out)


def rfftn(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The Fourier transform of real elements along several axes.

    The last axis is that of the half spectrum. The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.rfftn(np.ones((2, 4, 4))).shape
    (2, 4, 3)
    """
    check_workers(workers)
    return transform(x, REAL_TO_COMPLEX, s, axes, norm, out)


def irfftn(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse of `rfftn` along several axes.

    The last axis is that of the half spectrum. The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.irfftn(np.ones((2, 4, 3))).shape
    (2, 4, 4)
    """
    check_workers(workers)
    return transform(x, COMPLEX_TO_REAL, s, axes, norm, out)


def hfftn(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The Fourier transform of a signal with Hermitian symmetry, to real elements, along several axes.

    The last axis is that of the half spectrum. The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.hfftn(np.ones((2, 4, 3))).shape
    (2, 4, 4)
    """
    check_workers(workers)
    return transform(conjugated(x), COMPLEX_TO_REAL, s, axes, swapped(norm), out)


def ihfftn(
    x: Any,
    s: Sequence[int | None] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The inverse of `hfftn` along several axes.

    The last axis is that of the half spectrum. The arguments are those of `fftn`.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.fft.ihfftn(np.ones((2, 4, 4))).shape
    (2, 4, 3)
    """
    check_workers(workers)
    return conjugate(transform(x, REAL_TO_COMPLEX, s, axes, swapped(norm), out))
