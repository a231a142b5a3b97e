"""Hessenberg and Schur forms, balancing and Sylvester's equation, with the arguments of `scipy.linalg`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from ._arrays import columns, common_dtype, finite, lines, matrix, square
from ._library import COLUMN_MAJOR, CONJ_TRANS, NO_TRANS, LinAlgError, call, status_of
from ._products import matmul

_NO_VECTORS, _VECTORS = 181, 182
_BALANCE = {(False, False): 201, (True, False): 202, (False, True): 203, (True, True): 204}
_SENSE_NONE, _SCHUR_FORM = 221, 232
_NO_SCHUR_FORM = "the iteration for the Schur form did not converge"
#: Regions of the plane whose eigenvalues may come first.
_REGIONS: dict[str, Callable[[Any], Any]] = {
    "lhp": lambda w: w.real < 0,
    "rhp": lambda w: w.real >= 0,
    "iuc": lambda w: abs(w) <= 1,
    "ouc": lambda w: abs(w) > 1,
}


def adjoint(a: np.ndarray) -> np.ndarray:
    """The conjugate transpose of a matrix, or of each of a stack."""
    return np.asarray(np.swapaxes(a, -1, -2).conj())


def triangular_form(a: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The Schur form of one matrix of a type, Schur vectors, and eigenvalues."""
    n = len(a)
    t, z = columns(a, dtype), np.empty((n, n), dtype, order="F")
    w = np.empty(n, np.result_type(dtype, np.complex64))
    places = [z, max(n, 1)]
    if dtype.kind == "c":
        status = status_of("gees", dtype, COLUMN_MAJOR, _VECTORS, n, t, lines(t), w, *places)
    else:
        re, im = np.empty(n, dtype), np.empty(n, dtype)
        status = status_of("gees", dtype, COLUMN_MAJOR, _VECTORS, n, t, lines(t), re, im, *places)
        w.real, w.imag = re, im
    if status:
        raise LinAlgError(_NO_SCHUR_FORM, status)
    return t, z, w


def _reorder(t: np.ndarray, z: np.ndarray, flags: np.ndarray) -> int:
    """Moves flagged eigenvalues to the front, and returns their number."""
    n, select, count = len(t), np.ascontiguousarray(flags, np.int32), ctypes.c_int32()
    w, scalars = np.empty(2 * n, t.dtype), np.empty(2, t.real.dtype)
    values = [w] if t.dtype.kind == "c" else [w, w[n:]]
    results = [ctypes.addressof(count), scalars, scalars[1:]]
    places = [select, n, t, lines(t), z, lines(z), *values, *results]
    call("trsen", t.dtype, COLUMN_MAJOR, _SENSE_NONE, _VECTORS, *places)
    return count.value


def _selected(sort: Any, w: np.ndarray, real: bool) -> np.ndarray:
    if isinstance(sort, str):
        if sort not in _REGIONS:
            raise ValueError(f"sort is {sort!r}; there are {', '.join(map(repr, _REGIONS))} and functions")
        return np.asarray(_REGIONS[sort](w))
    if not callable(sort):
        raise ValueError(f"sort is {sort!r}, and no function")
    chosen = [bool(sort(x.real, x.imag) if real else sort(x)) for x in w.tolist()]
    return np.asarray(chosen, bool)


def _form_dtype(a: np.ndarray, output: Any) -> np.dtype:
    if output not in ("real", "complex", "r", "c"):
        raise ValueError(f"output is {output!r}; there are 'real' and 'complex'")
    dtype = common_dtype(a)
    return np.result_type(dtype, np.complex64) if output in ("complex", "c") else dtype


def schur(
    a: Any,
    output: str = "real",
    lwork: Any = None,
    overwrite_a: bool = False,
    sort: Any = None,
    check_finite: bool = True,
) -> tuple[Any, ...]:
    """The Schur form of a square matrix, a = Z T Zᴴ (LAPACK's gees, and trsen for an order).

    Parameters
    ----------
    a : array_like
        A matrix of shape (n, n).
    output : {"real", "complex"}
        Of a real matrix, T is real with blocks of order 2 for pairs of eigenvalues, or complex and triangular.
    lwork : int, optional
        SciPy's workspace, which the library does not need.
    overwrite_a : bool
        SciPy's permission, which the library does not need.
    sort : {"lhp", "rhp", "iuc", "ouc"} or callable, optional
        Eigenvalues that come first: those in the left or right half plane, those inside or outside of the unit circle,
        or those for which a function is true. It gets the real and the imaginary part for a real T, else a number.
    check_finite : bool
        A NaN or an infinity in `a` raises a ValueError; else a LinAlgError.

    Returns
    -------
    tuple
        T and Z, and with `sort` the number of eigenvalues that come first.

    Raises
    ------
    LinAlgError
        The iteration does not converge, or eigenvalues are too close to be exchanged.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> a = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> t, z = am.linalg.schur(a)
    >>> bool(np.allclose(z @ t @ z.T, a)), float(t[1, 0])
    (True, 0.0)
    """
    a = square(a)
    if a.ndim != 2:
        raise LinAlgError(f"a has {a.ndim} dimensions: a Schur form is that of one matrix", -1)
    dtype = _form_dtype(a, output)
    finite(a, "a", check_finite)
    t, z, w = triangular_form(a, dtype)
    if sort is None:
        return t, z
    return t, z, _reorder(t, z, _selected(sort, w, dtype.kind != "c"))


def rsf2csf(T: Any, Z: Any, check_finite: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """The complex Schur form of a matrix, from its real one (LAPACK's hseqr).

    Parameters
    ----------
    T : array_like
        A real Schur form.
    Z : array_like
        Its Schur vectors.
    check_finite : bool
        A NaN or an infinity raises a ValueError.

    Returns
    -------
    tuple
        The triangular T, and the unitary Z.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> t, z = am.linalg.rsf2csf(*am.linalg.schur([[0.0, -1.0], [1.0, 0.0]]))
    >>> bool(np.allclose(z @ t @ z.conj().T, [[0, -1], [1, 0]])), bool(t[1, 0] == 0)
    (True, True)
    """
    given, vectors = square(T, "T"), square(Z, "Z")
    if given.ndim != 2 or given.shape != vectors.shape:
        raise LinAlgError(f"T has the shape {given.shape}, and Z {vectors.shape}", -1)
    finite(given, "T", check_finite)
    finite(vectors, "Z", check_finite)
    dtype = np.result_type(common_dtype(given, vectors, names=("T", "Z")), np.complex64)
    t, z, n = columns(given, dtype), columns(vectors, dtype), len(given)
    w = np.empty(n, dtype)
    places = [n, min(n, 1), n, t, lines(t), w, z, lines(z)]
    if n and status_of("hseqr", dtype, COLUMN_MAJOR, _SCHUR_FORM, _VECTORS, *places):
        raise LinAlgError(_NO_SCHUR_FORM, 1)
    return np.triu(t), z


def hessenberg(
    a: Any, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """The Hessenberg form of a square matrix, a = Q H Qᴴ (LAPACK's gehrd, orghr).

    Parameters
    ----------
    a : array_like
        A matrix of shape (n, n).
    calc_q : bool
        Q is computed, too.
    overwrite_a : bool
        SciPy's permission, which the library does not need.
    check_finite : bool
        A NaN or an infinity raises a ValueError.

    Returns
    -------
    ndarray or tuple
        H, whose elements below the first subdiagonal are zero, or H and Q.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> a = np.arange(9.0).reshape(3, 3)
    >>> h, q = am.linalg.hessenberg(a, calc_q=True)
    >>> bool(np.allclose(q @ h @ q.T, a)), float(h[2, 0])
    (True, 0.0)
    """
    a = square(a)
    if a.ndim != 2:
        raise LinAlgError(f"a has {a.ndim} dimensions: a Hessenberg form is that of one matrix", -1)
    finite(a, "a", check_finite)
    held, n = columns(a, common_dtype(a)), len(a)
    tau = np.empty(max(n - 1, 0), held.dtype)
    range_ = [n, 1, n, held, lines(held), tau]
    call("gehrd", held.dtype, COLUMN_MAJOR, *range_)
    h = np.triu(held, -1)
    if not calc_q:
        return h
    call("orghr", held.dtype, COLUMN_MAJOR, *range_)
    return h, held


def matrix_balance(
    A: Any, permute: bool = True, scale: bool = True, separate: bool = False, overwrite_a: bool = False
) -> tuple[np.ndarray, Any]:
    """A matrix with rows and columns of like norms, B = T⁻¹ A T, and the similarity (LAPACK's gebal).

    Parameters
    ----------
    A : array_like
        A matrix of shape (n, n).
    permute : bool
        Rows and columns are exchanged, so that eigenvalues are isolated.
    scale : bool
        Rows and columns are scaled by powers of two.
    separate : bool
        T is returned as the factors of columns and a permutation.
    overwrite_a : bool
        SciPy's permission, which the library does not need.

    Returns
    -------
    tuple
        B and T, or B and the pair (scale, perm): T = P diag(scale), where column i of P has a one in row perm[i].

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.matrix_balance([[1.0, 1024.0], [0.0009765625, 1.0]])[0]
    array([[1. , 2. ],
           [0.5, 1. ]])
    """
    a = square(A, "A")
    if a.ndim != 2:
        raise LinAlgError(f"A has {a.ndim} dimensions: one matrix is balanced", -1)
    finite(a, "A")
    b, n = columns(a, common_dtype(a, names=("A",))), len(a)
    factors, first, last = np.empty(n, b.real.dtype), ctypes.c_int32(), ctypes.c_int32()
    parts = _BALANCE[bool(permute), bool(scale)]
    range_ = [ctypes.addressof(first), ctypes.addressof(last), factors]
    call("gebal", b.dtype, COLUMN_MAJOR, parts, n, b, lines(b), *range_)
    low, high = first.value - 1, last.value
    scaling, perm = np.ones(n, factors.dtype), np.arange(n)
    scaling[low:high] = factors[low:high]
    # LAPACK's exchanges: the last rows downwards, then the first ones upwards.
    for i in [*range(n - 1, high - 1, -1), *range(low)]:
        other = int(factors[i]) - 1
        perm[[i, other]] = perm[[other, i]]
    if separate:
        return b, (scaling, perm)
    similarity = np.zeros((n, n), factors.dtype)
    similarity[perm, np.arange(n)] = scaling
    return b, similarity


def triangular_sylvester(
    r: np.ndarray, s: np.ndarray, c: np.ndarray, *, adjoint_s: bool = False, minus: bool = False
) -> tuple[np.ndarray, bool]:
    """X of R X + X S = C, or with Sᴴ, or with a minus, for Schur forms by columns; true where they were perturbed."""
    (m, n), dtype = c.shape, c.dtype
    x, scale = columns(c, dtype), np.empty(1, c.real.dtype)
    op = CONJ_TRANS if adjoint_s else NO_TRANS
    places = [r, lines(r), s, lines(s), x, lines(x), scale]
    status = status_of("trsyl", dtype, COLUMN_MAJOR, NO_TRANS, op, -1 if minus else 1, m, n, *places)
    if scale[0] != 1:
        x /= scale[0]
    return x, status != 0


def _sylvester(a: np.ndarray, b: np.ndarray, q: np.ndarray, adjoint_of_a: bool) -> np.ndarray:
    """X of a X + X b = q, where b may be the adjoint of a."""
    dtype = common_dtype(a, b, q, names=("a", "b", "q"))
    for array, name in ((a, "a"), (b, "b"), (q, "q")):
        finite(array, name)
    r, u, _ = triangular_form(a, dtype)
    # b = V Sᴴ Vᴴ.
    s, v, _ = (r, u, None) if adjoint_of_a else triangular_form(adjoint(b), dtype)
    right = matmul(matmul(adjoint(u), np.asarray(q, dtype)), v)
    x, perturbed = triangular_sylvester(r, s, right, adjoint_s=True)
    if perturbed:
        raise LinAlgError("the equation is singular: eigenvalues of a and of -b are common, or close", 1)
    return np.asarray(matmul(matmul(u, x), adjoint(v)))


def solve_sylvester(a: Any, b: Any, q: Any) -> np.ndarray:
    """The X of Sylvester's equation a X + X b = q (Bartels and Stewart 1972; LAPACK's gees and trsyl).

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, m).
    b : array_like
        A matrix of shape (n, n).
    q : array_like
        A matrix of shape (m, n).

    Returns
    -------
    ndarray
        X, of shape (m, n).

    Raises
    ------
    LinAlgError
        a and -b have common or close eigenvalues, or an iteration does not converge.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.solve_sylvester([[2.0]], [[1.0]], [[6.0]]).round(12)
    array([[2.]])
    """
    a, b, q = matrix(square(a)), matrix(square(b, "b"), "b"), matrix(q, "q")
    if q.shape != (len(a), len(b)):
        raise LinAlgError(f"q has the shape {q.shape}, and X {(len(a), len(b))}", -1)
    return _sylvester(a, b, q, False)


def solve_continuous_lyapunov(a: Any, q: Any) -> np.ndarray:
    """The X of Lyapunov's equation a X + X aᴴ = q (LAPACK's gees and trsyl).

    Parameters
    ----------
    a : array_like
        A matrix of shape (n, n).
    q : array_like
        A matrix of the same shape.

    Returns
    -------
    ndarray
        X, of the same shape.

    Raises
    ------
    LinAlgError
        The sum of two eigenvalues of a is zero or small, or an iteration does not converge.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.solve_continuous_lyapunov([[1.0]], [[4.0]]).round(12)
    array([[2.]])
    """
    a, q = matrix(square(a)), matrix(q, "q")
    if q.shape != a.shape:
        raise LinAlgError(f"q has the shape {q.shape}, and X {a.shape}", -1)
    return _sylvester(a, a, q, True)
