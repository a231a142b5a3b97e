"""Eigenvalues and singular values of the array API standard's `linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _norms, _spectral
from .._array import Array, asarray, call
from .._array.calls import call_all
from .._array.host import on_host, to_numpy
from .._lazy import evaluate_all
from .._spectral import EighResult, SVDResult
from ._matrices import matrices, square


def _evaluated(text: str, x: Array) -> Any:
    """The results of a text, which has an error here and not in a later call."""
    results = call_all(text, x)
    evaluate_all([result._handle for result in results])
    return results


def eigh(x: Array, /) -> EighResult:
    """Eigenvalues in ascending order and orthonormal eigenvectors of a symmetric or Hermitian matrix or a stack.

    The lower triangle is read.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.eigh(xp.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    Array([1., 2.])
    """
    return eigh_of(x)


def eigh_of(x: Array, upper: bool = False) -> EighResult:
    """The same of the triangle named."""
    return EighResult(*_evaluated(f"eigh(x0, {upper})", square(x)))


def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues in ascending order of a symmetric or Hermitian matrix, or of each of a stack.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.eigvalsh(xp.asarray([[2.0, 0.0], [0.0, 1.0]]))
    Array([1., 2.])
    """
    return eigvalsh_of(x)


def eigvalsh_of(x: Array, upper: bool = False) -> Array:
    """The same of the triangle named."""
    return call(f"eigvalsh(x0, {upper})", square(x)).evaluate()


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """The singular value decomposition x = U diag(S) Vh of a matrix, or of each of a stack; S descends.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.svd(xp.ones((3, 2)), full_matrices=False).U.shape
    (3, 2)
    """
    return SVDResult(*_evaluated(f"svd(x0, {bool(full_matrices)})", matrices(x)))


def svdvals(x: Array, /) -> Array:
    """Singular values in descending order of a matrix, or of each of a stack.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.svdvals(xp.asarray([[0.0, 2.0], [3.0, 0.0]]))
    Array([3., 2.])
    """
    return call("svdvals(x0)", matrices(x)).evaluate()


def pinv(x: Array, /, *, rtol: Any = None) -> Array:
    """The pseudo-inverse of a matrix, or of each of a stack.

    Singular values up to rtol times the largest one count as 0: max(M, N) times the type's epsilon by default.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.linalg.pinv(xp.asarray([[2.0], [0.0]]))
    Array([[0.5, 0. ]])
    """
    x = matrices(x)
    if x.size == 0:
        inverse: Array = on_host(_spectral.pinv, x, rtol=rtol)
        return inverse
    u, s, vh = svd(x, full_matrices=False)
    values = to_numpy(s)
    rtol = max(x.shape[-2:]) * np.finfo(values.dtype).eps if rtol is None else to_numpy(rtol)
    with np.errstate(all="ignore"):
        weights = asarray(_spectral.inverses(values, rtol), device=x.device)
    return call("(conj(x0) * x1) @ conj(x2)", vh.mT, weights[..., None, :], u.mT).evaluate()


def matrix_rank(x: Array, /, *, rtol: Any = None) -> Array:
    """The number of singular values above rtol times the largest one, of a matrix or of each of a stack.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> int(xp.linalg.matrix_rank(xp.ones((3, 3))))
    1
    """
    x = matrices(x)
    values = to_numpy(svdvals(x))
    tolerance = None if rtol is None else to_numpy(rtol)
    return asarray(np.asarray(_spectral.rank_of(values, max(x.shape[-2:]), rtol=tolerance)), device=x.device)


def spectral_norm(x: Array, axes: tuple[int, int], keepdims: bool, ord: Any) -> Array:
    """A norm that needs singular values: 2, -2 or "nuc"."""
    norm: Array = on_host(_norms.norm, x, ord=ord, axis=axes, keepdims=keepdims)
    return norm
