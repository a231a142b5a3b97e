"""The names of `numpy.linalg`, and factorisations by the names of `scipy.linalg`.

Functions return arrays and tuples as NumPy's do. `affinimath.lu`, `cholesky` and `qr` return objects that solve.
Products, systems and factors are computed by the library, in stacks too. Elementwise work is NumPy's.

Eigenvalues and singular values are computed on the host.

>>> import affinimath as am
>>> am.linalg.multi_dot([[[1.0, 2.0]], [[3.0], [4.0]], [[1.0, 0.0]]])
array([[11.,  0.]])
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _factorizations
from . import _on_arrays as on
from ._arrays import columns, common_dtype, finite, matrices, square
from ._dispatch import on_device
from ._library import LinAlgError
from ._lu import LU
from ._lu import lu as _lu
from ._routines import (
    block_diag,
    cond,
    cross,
    det,
    diagonal,
    eig,
    eig_banded,
    eigh,
    eigh_tridiagonal,
    eigvals,
    eigvals_banded,
    eigvalsh,
    eigvalsh_tridiagonal,
    expm,
    hessenberg,
    inner,
    inv,
    kron,
    ldl,
    logm,
    lstsq,
    matmul,
    matrix_balance,
    matrix_norm,
    matrix_power,
    matrix_rank,
    matrix_transpose,
    multi_dot,
    norm,
    ordqz,
    outer,
    pinv,
    qz,
    rsf2csf,
    schur,
    slogdet,
    solve,
    solve_banded,
    solve_continuous_lyapunov,
    solve_sylvester,
    solve_triangular,
    solveh_banded,
    sqrtm,
    svd,
    svdvals,
    tensordot,
    tensorinv,
    tensorsolve,
    trace,
    vecdot,
    vector_norm,
)
from ._spectral import EighResult, EigResult, SVDResult
from ._systems import SlogdetResult

__all__ = [
    "EigResult",
    "EighResult",
    "LinAlgError",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "expm",
    "hessenberg",
    "inner",
    "inv",
    "kron",
    "ldl",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_balance",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "ordqz",
    "outer",
    "pinv",
    "qr",
    "qz",
    "rsf2csf",
    "schur",
    "slogdet",
    "solve",
    "solve_banded",
    "solve_continuous_lyapunov",
    "solve_sylvester",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


@on_device(on.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> np.ndarray:
    """The factor L of a positive definite matrix, a = L Lᴴ, or of each of a stack; with `upper` its adjoint.

    The lower triangle of a is read, or the upper one.

    Raises
    ------
    LinAlgError
        a is not positive definite.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
    array([[2., 0.],
           [1., 2.]])
    """
    return np.asarray(_factorizations.cholesky(a, upper=upper))


class QRResult(NamedTuple):
    """The factors of a = Q R.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.qr([[3.0], [4.0]]).R.shape
    (1, 1)
    """

    Q: np.ndarray
    """Columns that are orthonormal."""
    R: np.ndarray
    """The upper triangle."""


@on_device(on.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """The factors Q and R of a matrix, or of each of a stack, with the modes of `numpy.linalg.qr`.

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n), or a stack of them.
    mode : {"reduced", "complete", "r", "raw"}
        Q has min(m, n) columns, or m; R alone; or the tuple (h, tau) of geqrf, in which h is transposed.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.qr(np.ones((3, 2))).R.shape, am.linalg.qr(np.ones((3, 2)), mode="complete").Q.shape
    ((2, 2), (3, 3))
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"mode is {mode!r}; there are 'reduced', 'complete', 'r' and 'raw'")
    factors = _factorizations.qr(a, "complete" if mode == "complete" else "reduced")
    if mode == "r":
        return factors.r
    if mode == "raw":
        householder, tau = factors.raw
        return np.swapaxes(householder, -1, -2), tau
    return QRResult(factors.q, factors.r)


@on_device(on.lu)
def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False
) -> tuple[np.ndarray, ...]:
    """The factors of a = P L U, with the arguments of `scipy.linalg.lu`.

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n), or a stack of them.
    permute_l : bool
        It returns P L and U.
    overwrite_a : bool
        An `a` in column-major order may be overwritten, which saves a copy.
    check_finite : bool
        A NaN or an infinity in a is a ValueError.
    p_indices : bool
        In place of P it returns indices with which a = l[p] @ u.

    Examples
    --------
    >>> import affinimath as am
    >>> p, l, u = am.linalg.lu([[1.0, 2.0], [4.0, 4.0]], p_indices=True)
    >>> (l @ u)[p]
    array([[1., 2.],
           [4., 4.]])
    """
    a = matrices(a)
    finite(a, "a", check_finite)
    factors = _lu(a, overwrite_a=overwrite_a)
    if not permute_l and not p_indices:
        return factors.p, factors.l, factors.u
    indices = np.argsort(factors.permutation, axis=-1)
    if permute_l:
        return np.take_along_axis(factors.l, indices[..., np.newaxis], axis=-2), factors.u
    return indices, factors.l, factors.u


@on_device(on.lu_factor)
def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """The factors of P a = L U in one array, and the pivots from 0, for `lu_solve`.

    Those of a singular matrix exist too: `lu_solve` raises a LinAlgError then.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.lu_solve(am.linalg.lu_factor([[2.0, 0.0], [1.0, 4.0]]), [2.0, 9.0])
    array([1., 2.])
    """
    a = matrices(a)
    finite(a, "a", check_finite)
    factors = _lu(a, overwrite_a=overwrite_a)
    return factors.factors, factors.pivots - 1


@on_device(on.lu_solve)
def lu_solve(
    lu_and_piv: tuple[Any, Any], b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True
) -> np.ndarray:
    """The solution of a x = b, or with `trans` 1 or 2 of the transpose or the adjoint, by the factors of `lu_factor`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.lu_solve(am.linalg.lu_factor([[2.0, 0.0], [1.0, 4.0]]), [3.0, 8.0], trans=1)
    array([0.5, 2. ])
    """
    if trans not in (0, 1, 2):
        raise ValueError(f"trans is {trans!r}; there are 0, 1 and 2")
    factors, pivots = square(lu_and_piv[0], "lu"), np.asarray(lu_and_piv[1])
    b, n = np.asarray(b), factors.shape[-1]
    finite(b, "b", check_finite)
    if pivots.shape != factors.shape[:-1] or pivots.dtype.kind not in "iu":
        raise ValueError(f"piv has the shape {pivots.shape} and the type {pivots.dtype}, and lu {factors.shape}")
    if pivots.size and not 0 <= pivots.min() <= pivots.max() < n:
        raise ValueError(f"piv has an index that is not from 0 to {n - 1}")
    zero = np.diagonal(factors, axis1=-2, axis2=-1) == 0
    info = np.where(zero.any(axis=-1), zero.argmax(axis=-1) + 1, 0) if n else np.zeros(factors.shape[:-2], int)
    held = LU(columns(factors, common_dtype(factors, names=("lu",))), np.asarray(pivots + 1, np.int32), info)
    # The adjoint system is the conjugate of the transposed one.
    x = held.solve(b.conj() if trans == 2 else b, transposed=trans > 0)
    return x.conj() if trans == 2 else x


@on_device(on.cho_factor)
def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[np.ndarray, bool]:
    """The Cholesky factor of a matrix, and whether it is the lower one, for `cho_solve`.

    The other triangle of the array is that of a, as in SciPy.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.cho_solve(am.linalg.cho_factor([[4.0, 2.0], [2.0, 5.0]]), [8.0, 12.0])
    array([1., 2.])
    """
    a = square(a)
    finite(a, "a", check_finite)
    return _factorizations.cholesky(a, upper=not lower, overwrite_a=overwrite_a).factor, bool(lower)


@on_device(on.cho_solve)
def cho_solve(
    c_and_lower: tuple[Any, bool], b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> np.ndarray:
    """The solution of a x = b by the factor of `cho_factor`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.cho_solve(([[2.0, 0.0], [0.0, 3.0]], True), [4.0, 18.0])
    array([1., 2.])
    """
    factor, lower = square(c_and_lower[0], "c"), bool(c_and_lower[1])
    b = np.asarray(b)
    finite(b, "b", check_finite)
    held = columns(factor, common_dtype(factor, names=("c",)))
    return _factorizations.Cholesky(held, not lower).solve(b)
