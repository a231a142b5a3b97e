"""Routines of arrays where they lie, with the arguments of the package's routines of NumPy's arrays.

They return NotImplemented for arguments that the host computes.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _array_factors as _factors
from . import _spectral
from ._array import Array, asarray, call
from ._array.calls import axis_text
from ._array.host import first_device, to_numpy
from ._library import UPPER
from .array_api import _spectral as _eigen
from .array_api import fft as _fft
from .array_api import linalg as _linalg
from .array_api._matrices import square as _square
from .array_api._products import matmul as _matmul


def _arrays(*operands: Any) -> list[Array]:
    """Operands in the memory of the first array."""
    device = first_device(operands)
    return [operand if isinstance(operand, Array) else asarray(operand, device=device) for operand in operands]


# Products.


def matmul(a: Any, b: Any, out: Any = None) -> Any:
    """The product, without `out`."""
    if out is not None:
        return NotImplemented
    a, b = _arrays(a, b)
    if not (a.shape and b.shape):
        raise ValueError(f"{'b' if a.shape else 'a'} has no dimensions; a matrix has two, and a vector one")
    return _matmul(a, b)


def gemm(a: Any, b: Any, c: Any, *, alpha: complex = 1.0, beta: complex = 0.0) -> Any:
    """c := alpha a b + beta c, for an array c, or for c of NumPy's."""
    from ._products import gemm as on_numpy

    if not isinstance(c, Array):
        return on_numpy(to_numpy(a), to_numpy(b), c, alpha=alpha, beta=beta)
    a, b = _arrays(a, b)
    if a.ndim != 2 or b.ndim != 2 or (a.shape[0], b.shape[1]) != c.shape or a.shape[1] != b.shape[0]:
        raise ValueError(f"shapes {a.shape}, {b.shape} and {c.shape} of a, b and c do not fit")
    result = alpha * (a @ b)
    # BLAS: beta == 0 does not read c.
    c[...] = result if beta == 0 else result + beta * c
    return c


def outer(x1: Any, x2: Any, /) -> Array:
    """The outer product of the elements in row-major order."""
    return call("outer(x0, x1)", *_arrays(x1, x2))


def inner(a: Any, b: Any, /) -> Array:
    """The sums of products over the last axes."""
    a, b = _arrays(a, b)
    if not (a.shape and b.shape):
        product: Array = a * b
        return product
    return _linalg.tensordot(a, b, axes=((-1,), (-1,)))


def of_two(function: Callable[..., Array]) -> Callable[..., Array]:
    """A function of two arrays and options."""

    def routine(x1: Any, x2: Any, /, **options: Any) -> Array:
        return function(*_arrays(x1, x2), **options)

    return routine


def matrix_power(a: Array, n: int) -> Any:
    """The power, but of conditions."""
    (a,) = _arrays(a)
    return _linalg.matrix_power(a, n) if a.dtype.kind != "b" else NotImplemented


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum of a diagonal."""
    return _linalg.trace(*_arrays(x), offset=offset, dtype=dtype)


# Systems.


def solve(a: Any, b: Any, *, assume_a: Any = None, transposed: bool = False, **options: Any) -> Any:
    """The solution, by the structure that is found, or of a triangular or tridiagonal system."""
    if assume_a not in _TRIANGULAR or any(options.get(name) for name in ("check_finite", "mixed", "full_output")):
        return NotImplemented
    a, b = _arrays(a, b)
    if transposed or a.ndim < 2:
        return NotImplemented
    triangle = _TRIANGULAR[assume_a]
    if assume_a == "tridiagonal":
        # Other elements are not read.
        a = call("triu(tril(x0, 1), -1)", a)
    if triangle is None:
        return _linalg.solve(a, b)
    return _triangular(a, b, triangle, False)


def _triangular(a: Array, b: Array, lower: bool, unit_diagonal: bool) -> Any:
    """The solution with a triangle of one matrix. The host reports what is wrong."""
    if a.ndim != 2 or b.ndim not in (1, 2) or not a.shape[0] == a.shape[1] == b.shape[0]:
        return NotImplemented
    if not unit_diagonal and bool((call("diagonal(x0)", a) == 0).any()):
        return NotImplemented
    return call(f"solve(x0, x1, lower={bool(lower)}, unit_diagonal={bool(unit_diagonal)})", a, b).evaluate()


def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """The solution with a triangle, its transpose or its adjoint."""
    a, b = _arrays(a, b)
    if trans not in (0, 1, 2, "N", "T", "C") or a.ndim != 2:
        return NotImplemented
    if check_finite and not all(bool(call("all(isfinite(x0))", operand)) for operand in (a, b)):
        return NotImplemented
    if trans in (0, "N"):
        return _triangular(a, b, lower, unit_diagonal)
    return _triangular(a.T.conj() if trans in (2, "C") else a.T, b, not lower, unit_diagonal)


#: Structures that texts know or find, and whether the lower triangle is read.
_TRIANGULAR: dict[Any, bool | None] = {
    None: None, "gen": None, "general": None, "tridiagonal": None, "banded": None,
    "lower triangular": True, "upper triangular": False,
}  # fmt: skip


# Factors.


def lu_object(a: Any, *, overwrite_a: bool = False) -> Any:
    """The factors of P a = L U."""
    (a,) = _arrays(a)
    return _factors.LU(a) if a.ndim > 1 else NotImplemented


def qr_object(a: Any, mode: str = "reduced", *, overwrite_a: bool = False) -> Any:
    """The reduced factors."""
    (a,) = _arrays(a)
    return _factors.QR(a) if mode == "reduced" and a.ndim > 1 else NotImplemented


def cholesky_object(a: Any, *, upper: bool = False, overwrite_a: bool = False) -> Any:
    """The Cholesky factor."""
    (a,) = _arrays(a)
    return _factors.Cholesky(_square(a, "a"), upper)


def slogdet(a: Any) -> Any:
    """The sign and the logarithm of the determinant."""
    return _linalg.slogdet(*_arrays(a))


def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False
) -> Any:
    """The factors as matrices, with P as one or as indices, or within L."""
    (a,) = _arrays(a)
    if a.ndim < 2 or (check_finite and not _factors.is_finite(a)):
        return NotImplemented
    factors = _factors.LU(a)
    if permute_l:
        return factors.rows(factors.l, inverse=True), factors.u
    return (factors.inverse_permutation if p_indices else factors.p), factors.l, factors.u


def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The factors in one array, and the pivots from 0."""
    (a,) = _arrays(a)
    if a.ndim < 2 or (check_finite and not _factors.is_finite(a)):
        return NotImplemented
    factors = _factors.LU(a)
    return factors.factors.evaluate(), factors.pivots - 1


def lu_solve(
    lu_and_piv: tuple[Any, Any], b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """The solution by the factors of one matrix. The host reports what is wrong."""
    factors, b = _arrays(lu_and_piv[0], b)
    pivots = np.asarray(to_numpy(lu_and_piv[1]))
    n = factors.shape[-1] if factors.shape else 0
    if trans not in (0, 1, 2) or factors.shape != (n, n) or pivots.shape != (n,) or pivots.dtype.kind not in "iu":
        return NotImplemented
    if (n and not 0 <= pivots.min() <= pivots.max() < n) or b.ndim not in (1, 2) or b.shape[0] != n:
        return NotImplemented
    if check_finite and not _factors.is_finite(b):
        return NotImplemented
    _factors.check_pivots(factors)
    order = np.arange(n)
    for i, pivot in enumerate(pivots.tolist()):
        order[[i, pivot]] = order[[pivot, i]]
    rows = asarray(order if trans == 0 else np.argsort(order), device=b.device)
    x = call("expand_dims(x0, -1)", b) if b.ndim == 1 else b
    if trans == 0:
        x = _factors.triangular(factors, call("take(x0, x1, 0)", x, rows), 0, True, True)
        x = _factors.triangular(factors, x, 0, False)
    else:
        x = _factors.triangular(factors, _factors.triangular(factors, x, trans, False), trans, True, True)
        x = call("take(x0, x1, 0)", x, rows)
    return call("x0[..., 0]", x).evaluate() if b.ndim == 1 else x.evaluate()


def cho_factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The Cholesky factor in one triangle, and the other triangle of a."""
    (a,) = _arrays(a)
    if a.ndim < 2 or (check_finite and not _factors.is_finite(a)):
        return NotImplemented
    text = "cholesky(x0) + triu(x0, 1)" if lower else "cholesky(x0, True) + tril(x0, -1)"
    return call(text, _square(a, "a")).evaluate(), bool(lower)


def cho_solve(c_and_lower: tuple[Any, bool], b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """The solution by the factor of one matrix. The host reports what is wrong."""
    (factor, b), lower = _arrays(c_and_lower[0], b), bool(c_and_lower[1])
    n = factor.shape[-1] if factor.shape else 0
    if factor.shape != (n, n) or b.ndim not in (1, 2) or b.shape[0] != n:
        return NotImplemented
    if check_finite and not _factors.is_finite(b):
        return NotImplemented
    first, second = (0, 2) if lower else (2, 0)
    x = _factors.triangular(factor, _factors.triangular(factor, b, first, lower), second, lower)
    return call("x0[..., 0]", x).evaluate() if b.ndim == 1 else x.evaluate()


def inv(a: Array, *, overwrite_a: bool = False, check_finite: bool = False) -> Any:
    """The inverse."""
    (a,) = _arrays(a)
    return NotImplemented if check_finite and not _factors.is_finite(a) else _linalg.inv(a)


def det(a: Array, *, overwrite_a: bool = False, check_finite: bool = False) -> Any:
    """The determinant."""
    (a,) = _arrays(a)
    return NotImplemented if check_finite and not _factors.is_finite(a) else _linalg.det(a)


def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    """The Cholesky factor."""
    return _linalg.cholesky(*_arrays(a), upper=upper)


def qr(a: Array, mode: str = "reduced") -> Any:
    """The reduced factors, or R alone."""
    (a,) = _arrays(a)
    if mode not in ("reduced", "r") or a.ndim < 2:
        return NotImplemented
    factors = _factors.QR(a)
    return factors.r if mode == "r" else _linalg.QRResult(factors.q, factors.r)


def eigh(a: Any, UPLO: str = "L", *, subset_by_index: Any = None, subset_by_value: Any = None) -> Any:
    """All eigenvalues and eigenvectors."""
    if (subset_by_index, subset_by_value) != (None, None):
        return NotImplemented
    (a,) = _arrays(a)
    return _eigen.eigh_of(a, _spectral.triangle(UPLO) == UPPER)


def eigvalsh(a: Any, UPLO: str = "L", *, subset_by_index: Any = None, subset_by_value: Any = None) -> Any:
    """All eigenvalues."""
    if (subset_by_index, subset_by_value) != (None, None):
        return NotImplemented
    (a,) = _arrays(a)
    return _eigen.eigvalsh_of(a, _spectral.triangle(UPLO) == UPPER)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values and vectors of matrices that are not declared Hermitian."""
    if hermitian:
        return NotImplemented
    (a,) = _arrays(a)
    return _linalg.svd(a, full_matrices=full_matrices) if compute_uv else _linalg.svdvals(a)


def svdvals(x: Any, /) -> Any:
    """Singular values."""
    return _linalg.svdvals(*_arrays(x))


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _spectral.NOT_GIVEN) -> Any:
    """The pseudo-inverse of matrices that are not declared Hermitian."""
    if hermitian or (rcond is not None and rtol is not _spectral.NOT_GIVEN):
        return NotImplemented
    if rcond is None:
        rcond = 1e-15 if rtol is _spectral.NOT_GIVEN else rtol
    x = asarray(a, device=first_device((a, rcond)))
    return _eigen.pinv(x, rtol=rcond)


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """The rank by a relative tolerance, of matrices that are not declared Hermitian."""
    x = asarray(A, device=first_device((A, rtol)))
    return NotImplemented if hermitian or tol is not None or x.ndim < 2 else _eigen.matrix_rank(x, rtol=rtol)


def norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm, but for orders that need singular values."""
    (x,) = _arrays(x)
    axes = None if axis is None else (axis,) if np.ndim(axis) == 0 else tuple(axis)
    if ord is None:
        return call(f"norm(x0, {axis_text(axes)}, {bool(keepdims)})", x)
    axes = tuple(range(x.ndim)) if axes is None else axes
    if len(axes) == 1 and not isinstance(ord, str):
        return _linalg.vector_norm(x, axis=axes, keepdims=keepdims, ord=ord)
    if len(axes) == 2 and ord in ("fro", 1, -1, np.inf, -np.inf):
        return _linalg.norm_of_matrices(x, (axes[0], axes[1]), keepdims, ord)
    return NotImplemented


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norm, but for orders that need singular values."""
    (x,) = _arrays(x)
    known = ord in ("fro", 1, -1, np.inf, -np.inf) and x.ndim > 1
    return _linalg.matrix_norm(x, keepdims=keepdims, ord=ord) if known else NotImplemented


# Transforms.


def along_axis(function: Callable[..., Array]) -> Callable[..., Any]:
    """A transform along one axis."""

    def transform(
        x: Array, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: Any = False, workers: Any = None,
        *, plan: None = None, out: Any = None,
    ) -> Any:  # fmt: skip
        return NotImplemented if out is not None else function(x, n=n, axis=axis, norm=norm)

    return transform


def along_axes(function: Callable[..., Array], default: Any = None) -> Callable[..., Any]:
    """A transform along several axes."""

    def transform(
        x: Array, s: Any = None, axes: Any = default, norm: Any = None, overwrite_x: Any = False, workers: Any = None,
        *, plan: None = None, out: Any = None,
    ) -> Any:  # fmt: skip
        # SciPy's single numbers, and None for an extent that stays, are the host's.
        is_known = (s is None or (np.ndim(s) == 1 and None not in tuple(s))) and (axes is None or np.ndim(axes) == 1)
        if out is not None or not is_known:
            return NotImplemented
        return function(x, s=s, axes=axes, norm=norm)

    return transform


def fftshift(x: Array, axes: Any = None) -> Array:
    """The elements with frequency 0 in the middle."""
    return _fft.fftshift(x, axes=axes)


def ifftshift(x: Array, axes: Any = None) -> Array:
    """The inverse of `fftshift`."""
    return _fft.ifftshift(x, axes=axes)
