"""Generalised eigenvalues and Schur forms of pencils, with the arguments of `scipy.linalg`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from ._arrays import columns, common_dtype, finite, lines, square
from ._library import COLUMN_MAJOR, LinAlgError, call, status_of

_NO_VECTORS, _VECTORS = 181, 182
_NO_CONVERGENCE = "the QZ iteration did not converge"
_NAMES = ("A", "B")


def _ratio(alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """alpha / beta: infinite where only beta is zero, and NaN where both are."""
    values = np.full(alpha.shape, np.inf, np.result_type(alpha, np.complex64))
    np.divide(alpha, beta, out=values, where=beta != 0)
    values[(beta == 0) & (alpha == 0)] = np.nan
    return values


def _in_half_plane(right: bool) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    # An infinite eigenvalue lies in none.
    def inside(alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
        re = _ratio(alpha, beta).real
        return np.asarray((beta != 0) & (re > 0 if right else re < 0))

    return inside


#: Regions of the plane whose eigenvalues may come first.
_REGIONS: dict[str, Callable[[Any, Any], Any]] = {
    "lhp": _in_half_plane(False),
    "rhp": _in_half_plane(True),
    "iuc": lambda alpha, beta: abs(alpha) < abs(beta),
    "ouc": lambda alpha, beta: (abs(alpha) > abs(beta)) & ((alpha != 0) | (beta != 0)),
}


def _pencil(a: Any, b: Any, names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray, np.dtype]:
    a, b = square(a, names[0]), square(b, names[1])
    if a.shape != b.shape:
        raise LinAlgError(f"{names[0]} has the shape {a.shape}, and {names[1]} {b.shape}", -1)
    return a, b, common_dtype(a, b, names=names)


class _Quotients:
    """Memory for n eigenvalues alpha / beta of a type."""

    def __init__(self, n: int, dtype: np.dtype) -> None:
        self.parts = [np.empty(n, dtype) for _ in range(2 if dtype.kind == "c" else 3)]

    @property
    def alpha(self) -> np.ndarray:
        if len(self.parts) == 2:
            return self.parts[0]
        return np.asarray(self.parts[0] + 1j * self.parts[1])

    @property
    def beta(self) -> np.ndarray:
        return self.parts[-1]


def generalised_eigenvalues(a: Any, b: Any, vectors: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Eigenvalues of a pencil, or of each of a stack, and right eigenvectors of length 1 (LAPACK's ggev)."""
    a, b, dtype = _pencil(a, b, ("a", "b"))
    for name, array in (("a", a), ("b", b)):
        if not np.isfinite(array).all():
            raise LinAlgError(f"{name} has a NaN or an infinity", -1)
    n, full = a.shape[-1], np.result_type(dtype, np.complex64)
    held_a, held_b = columns(a, dtype), columns(b, dtype)
    values = np.empty(a.shape[:-1], full)
    found = np.empty(a.shape, full) if vectors else None
    right = np.empty((n, n), dtype, order="F") if vectors else np.empty(0, dtype)
    nothing, leading = np.empty(0, dtype), max(n, 1)
    for index in np.ndindex(a.shape[:-2]):
        one = _Quotients(n, dtype)
        places = [held_a[index], leading, held_b[index], leading, *one.parts, nothing, 1, right, leading]
        job = _VECTORS if vectors else _NO_VECTORS
        if status := status_of("ggev", dtype, COLUMN_MAJOR, _NO_VECTORS, job, n, *places):
            raise LinAlgError(_NO_CONVERGENCE, status)
        values[index] = _ratio(one.alpha, one.beta)
        if found is not None:
            found[index] = _unpaired(right, one, full)
    if found is not None and n:
        found /= np.linalg.norm(found, axis=-2, keepdims=True)
    return values, found


def _unpaired(packed: np.ndarray, values: _Quotients, dtype: np.dtype) -> np.ndarray:
    """Eigenvectors, of which LAPACK has real and imaginary parts of real pencils in adjacent columns."""
    vectors = packed.astype(dtype)
    if len(values.parts) == 3:
        first = np.flatnonzero(values.parts[1] > 0)
        vectors[:, first] = packed[:, first] + 1j * packed[:, first + 1]
        vectors[:, first + 1] = vectors[:, first].conj()
    return vectors


def _schur(A: Any, B: Any, output: Any, check_finite: bool) -> tuple[list[np.ndarray], _Quotients]:
    """S, P, Q and Z of one pencil, and its eigenvalues."""
    if output not in ("real", "complex", "r", "c"):
        raise ValueError(f"output is {output!r}; there are 'real' and 'complex'")
    a, b, dtype = _pencil(A, B, _NAMES)
    if a.ndim != 2:
        raise LinAlgError(f"A has {a.ndim} dimensions: a generalised Schur form is that of one pencil", -1)
    finite(a, "A", check_finite)
    finite(b, "B", check_finite)
    if output in ("complex", "c"):
        dtype = np.result_type(dtype, np.complex64)
    n = len(a)
    s, p = columns(a, dtype), columns(b, dtype)
    q, z = np.empty((n, n), dtype, order="F"), np.empty((n, n), dtype, order="F")
    values = _Quotients(n, dtype)
    places = [n, s, lines(s), p, lines(p), *values.parts, q, max(n, 1), z, max(n, 1)]
    if status := status_of("gges", dtype, COLUMN_MAJOR, _VECTORS, _VECTORS, *places):
        raise LinAlgError(_NO_CONVERGENCE, status)
    return [s, p, q, z], values


def qz(
    A: Any,
    B: Any,
    output: str = "real",
    lwork: Any = None,
    sort: Any = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The generalised Schur form of square matrices, A = Q S Zᴴ and B = Q P Zᴴ (LAPACK's gges).

    Parameters
    ----------
    A : array_like
        A matrix of shape (n, n).
    B : array_like
        A matrix of the same shape.
    output : {"real", "complex"}
        Of real matrices, S is real with blocks of order 2 for pairs of eigenvalues, or complex and triangular.
    lwork : int, optional
        SciPy's workspace, which the library does not need.
    sort : None
        `ordqz` has an order.
    overwrite_a : bool
        SciPy's permission, which the library does not need.
    overwrite_b : bool
        The same for B.
    check_finite : bool
        A NaN or an infinity raises a ValueError; else a LinAlgError.

    Returns
    -------
    tuple
        S, P, Q and Z. P is triangular, and its diagonal is real and not negative.

    Raises
    ------
    LinAlgError
        The iteration does not converge.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    >>> s, p, q, z = am.linalg.qz(a, b)
    >>> bool(np.allclose(q @ s @ z.T, a)), bool(np.allclose(q @ p @ z.T, b)), bool(p[1, 0] == 0)
    (True, True, True)
    """
    if sort is not None:
        raise ValueError("sort is not None: ordqz has an order")
    (s, p, q, z), _ = _schur(A, B, output, check_finite)
    return s, p, q, z


def ordqz(
    A: Any,
    B: Any,
    sort: Any = "lhp",
    output: str = "real",
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The generalised Schur form of square matrices with selected eigenvalues first (LAPACK's gges and tgsen).

    Parameters
    ----------
    A : array_like
        A matrix of shape (n, n).
    B : array_like
        A matrix of the same shape.
    sort : {"lhp", "rhp", "iuc", "ouc"} or callable
        Eigenvalues that come first: those in the left or right half plane, those inside or outside of the unit circle,
        or those for which a function of the arrays alpha and beta is true.
    output : {"real", "complex"}
        Of real matrices, the form is real with blocks of order 2 for pairs of eigenvalues, or complex and triangular.
    overwrite_a : bool
        SciPy's permission, which the library does not need.
    overwrite_b : bool
        The same for B.
    check_finite : bool
        A NaN or an infinity raises a ValueError; else a LinAlgError.

    Returns
    -------
    tuple
        S, P, alpha, beta, Q and Z: eigenvalues are alpha / beta, in the order of the diagonals.

    Raises
    ------
    LinAlgError
        The iteration does not converge, or eigenvalues are too close to be exchanged.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> s, p, alpha, beta, q, z = am.linalg.ordqz(np.diag([1.0, -2.0]), np.eye(2), sort="lhp")
    >>> (alpha / beta).round(12)
    array([-2.+0.j,  1.+0.j])
    """
    (s, p, q, z), values = _schur(A, B, output, check_finite)
    if isinstance(sort, str):
        if sort not in _REGIONS:
            raise ValueError(f"sort is {sort!r}; there are {', '.join(map(repr, _REGIONS))} and functions")
        chosen = _REGIONS[sort](values.alpha, values.beta)
    elif callable(sort):
        chosen = sort(values.alpha, values.beta)
    else:
        raise ValueError(f"sort is {sort!r}, and no function")
    n, select, count = len(s), np.ascontiguousarray(chosen, np.int32), ctypes.c_int32()
    if select.shape != (n,):
        raise ValueError(f"sort gives the shape {select.shape}, and not one flag for each of {n} eigenvalues")
    places = [select, n, s, lines(s), p, lines(p), *values.parts, q, lines(q), z, lines(z), ctypes.addressof(count)]
    call("tgsen", s.dtype, COLUMN_MAJOR, _VECTORS, _VECTORS, *places)
    return s, p, values.alpha, values.beta, q, z
