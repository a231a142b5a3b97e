"""Eigenvalues and singular values, and what follows from them, with the arguments of `numpy.linalg`."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from ._arrays import batch, columns, common_dtype, finite, lines, matrices, square
from ._generalised import generalised_eigenvalues
from ._library import COLUMN_MAJOR, LOWER, UPPER, LinAlgError, call, status_of

_NO_VECTORS, _VECTORS, _ALL_VECTORS, _THIN_VECTORS = 181, 182, 183, 184
_RANGE_ALL, _RANGE_VALUES, _RANGE_INDICES = 191, 192, 193
_NO_EIGENVALUES = "the iteration for eigenvalues did not converge"
_NO_SINGULAR_VALUES = "the iteration for singular values did not converge"
#: NumPy's own default of an argument whose None has a meaning.
NOT_GIVEN: Any = getattr(np, "_NoValue", object())


class EighResult(NamedTuple):
    """Eigenvalues of a Hermitian matrix in ascending order, and eigenvectors.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
    array([1., 2.])
    """

    eigenvalues: np.ndarray
    """Real numbers, of each matrix in ascending order."""
    eigenvectors: np.ndarray
    """Orthonormal columns."""


class EigResult(NamedTuple):
    """Eigenvalues of a general matrix, and right eigenvectors.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.eig([[2.0, 0.0], [0.0, 1.0]]).eigenvectors
    array([[1., 0.],
           [0., 1.]])
    """

    eigenvalues: np.ndarray
    """Numbers in no order; real where all of a real matrix are."""
    eigenvectors: np.ndarray
    """Columns of length 1."""


class SVDResult(NamedTuple):
    """a = U diag(S) Vh.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.svd([[0.0, 2.0], [1.0, 0.0]]).S
    array([2., 1.])
    """

    U: np.ndarray
    """Orthonormal columns: left singular vectors."""
    S: np.ndarray
    """Singular values in descending order."""
    Vh: np.ndarray
    """Orthonormal rows: right singular vectors."""


def _real(dtype: np.dtype) -> np.dtype:
    """The real type of the same precision."""
    return np.empty(0, dtype).real.dtype


def _raise(status: int, text: str, index: tuple[int, ...]) -> None:
    """Raises a LinAlgError where an iteration has not converged."""
    if status:
        place = f" (matrix {index[0] if len(index) == 1 else index} of the stack)" if index else ""
        raise LinAlgError(f"{text}{place}: an element may be NaN or infinite", status)


def _raise_first(info: np.ndarray, text: str) -> None:
    """Raises the LinAlgError of the first matrix of a stack whose info is not 0."""
    if info.any():
        first = np.unravel_index(int(np.flatnonzero(info)[0]), info.shape)
        index = tuple(int(i) for i in first)
        _raise(int(info[index]), text, index)


def triangle(UPLO: Any) -> int:
    upper = str(UPLO).upper()
    if upper not in ("L", "U"):
        raise ValueError(f"UPLO is {UPLO!r}; there are 'L' and 'U'")
    return LOWER if upper == "L" else UPPER


def _syev(a: Any, UPLO: Any, job: int) -> tuple[np.ndarray, np.ndarray]:
    a, uplo = square(a), triangle(UPLO)
    vectors = columns(a, common_dtype(a))
    n = a.shape[-1]
    values = np.empty(a.shape[:-1], _real(vectors.dtype))
    if a.ndim == 2:
        status = status_of("syev", vectors.dtype, COLUMN_MAJOR, job, uplo, n, vectors, lines(vectors), values)
        _raise(status, _NO_EIGENVALUES, ())
    elif a.size:
        info = np.zeros(a.shape[:-2], np.int32)
        operands = [*batch(vectors), values, n, info, info.size]
        call("syevStridedBatched", vectors.dtype, COLUMN_MAJOR, job, uplo, n, *operands)
        _raise_first(info, _NO_EIGENVALUES)
    return values, vectors


def _syevr(a: Any, UPLO: Any, subset: tuple[Any, Any], job: int) -> tuple[np.ndarray, np.ndarray]:
    """Some eigenvalues of one matrix, by index or by value."""
    a, uplo, (by_index, by_value) = square(a), triangle(UPLO), subset
    if a.ndim != 2:
        raise LinAlgError(f"a has {a.ndim} dimensions: a subset is that of one matrix", -1)
    if by_index is not None and by_value is not None:
        raise ValueError("subset_by_index and subset_by_value exclude each other: give one")
    held, n = columns(a, common_dtype(a)), len(a)
    dtype = held.dtype
    select = ("v", by_value) if by_index is None else ("i", by_index)
    kind, low, high, first, last = _range(*select, n)
    width = (last - first + 1 if kind == _RANGE_INDICES else n) if job == _VECTORS else 0
    values, vectors = np.empty(n, _real(dtype)), np.empty((width, n), dtype).T
    count = ctypes.c_int32()
    bounds = [low, high, first, last, 0.0, ctypes.addressof(count)]
    places = [held, lines(held), *bounds, values, vectors, max(n, 1)]
    status = status_of("syevr", dtype, COLUMN_MAJOR, job, kind, uplo, n, *places)
    _raise(status, _NO_EIGENVALUES, ())
    return values[: count.value], vectors[:, : count.value]


def eigh(a: Any, UPLO: str = "L", *, subset_by_index: Any = None, subset_by_value: Any = None) -> EighResult:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian matrix, or of each of a stack (LAPACK's syev, heev).

    A subset of them is that of one matrix (LAPACK's syevr, heevr), with SciPy's names.

    Parameters
    ----------
    a : array_like
        A matrix of shape (n, n), or a stack of them.
    UPLO : {"L", "U"}
        The triangle that is read, in either case.
    subset_by_index : tuple, optional
        The first and the last index of eigenvalues, from 0.
    subset_by_value : tuple, optional
        The lower bound of eigenvalues, which does not belong to them, and the upper one, which does.

    Returns
    -------
    EighResult
        The named tuple (eigenvalues, eigenvectors): ascending real numbers, and orthonormal columns.

    Raises
    ------
    LinAlgError
        An element is not finite, or the iteration does not converge.

    Examples
    --------
    >>> import affinimath as am
    >>> w, v = am.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> w.round(12), abs(v).round(3)
    (array([1., 3.]), array([[0.707, 0.707],
           [0.707, 0.707]]))
    """
    subset = (subset_by_index, subset_by_value)
    return EighResult(*(_syev(a, UPLO, _VECTORS) if subset == (None, None) else _syevr(a, UPLO, subset, _VECTORS)))


def eigvalsh(a: Any, UPLO: str = "L", *, subset_by_index: Any = None, subset_by_value: Any = None) -> np.ndarray:
    """Eigenvalues of a symmetric or Hermitian matrix, or of each of a stack, in ascending order.

    The arguments and errors are those of `eigh`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).round(12)
    array([1., 3.])
    """
    subset = (subset_by_index, subset_by_value)
    return (_syev(a, UPLO, _NO_VECTORS) if subset == (None, None) else _syevr(a, UPLO, subset, _NO_VECTORS))[0]


def _range(select: Any, select_range: Any, n: int) -> tuple[int, float, float, int, int]:
    """The library's range, its bounds and its indices from 1, of SciPy's names."""
    if select in ("a", "all", 0):
        return _RANGE_ALL, 0.0, 0.0, 0, 0
    try:
        low, high = select_range
    except (TypeError, ValueError):
        raise ValueError(f"select_range is {select_range!r}: it has two bounds") from None
    if select in ("v", "value", 1):
        if not low < high:
            raise ValueError(f"select_range is {select_range!r}: the bounds do not ascend")
        return _RANGE_VALUES, float(low), float(high), 0, 0
    if select in ("i", "index", 2):
        if not 0 <= low <= high < n:
            raise ValueError(f"select_range is {select_range!r}: these are no indices of {n} eigenvalues, from 0")
        return _RANGE_INDICES, 0.0, 0.0, int(low) + 1, int(high) + 1
    raise ValueError(f"select is {select!r}; there are 'a', 'v' and 'i'")


def _stevr(d: Any, e: Any, select: Any, select_range: Any, job: int) -> tuple[np.ndarray, np.ndarray]:
    d, e = np.asarray(d), np.asarray(e)
    if d.ndim != 1 or e.shape != (max(len(d) - 1, 0),):
        raise LinAlgError(f"d has the shape {d.shape}, e {e.shape}; of n elements there are n - 1 beside them", -1)
    dtype, n = common_dtype(d, e, names=("d", "e")), len(d)
    if dtype.kind == "c":
        raise TypeError("the diagonals are complex: a Hermitian tridiagonal matrix is eigh's")
    held_d, held_e = np.ascontiguousarray(d, dtype), np.ascontiguousarray(e, dtype)
    kind, low, high, first, last = _range(select, select_range, n)
    width = (last - first + 1 if kind == _RANGE_INDICES else n) if job == _VECTORS else 0
    values, vectors = np.empty(n, dtype), np.empty((width, n), dtype).T
    count = ctypes.c_int32()
    bounds = [low, high, first, last, 0.0, ctypes.addressof(count)]
    places = [held_d, held_e, *bounds, values, vectors, max(n, 1)]
    status = status_of("stevr", dtype, COLUMN_MAJOR, job, kind, n, *places)
    _raise(status, _NO_EIGENVALUES, ())
    return values[: count.value], vectors[:, : count.value]


def eigh_tridiagonal(d: Any, e: Any, select: Any = "a", select_range: Any = None) -> EighResult:
    """Eigenvalues and eigenvectors of a real symmetric tridiagonal matrix (LAPACK's stevr).

    Parameters
    ----------
    d : array_like
        The diagonal, of n elements.
    e : array_like
        The n - 1 elements beside it.
    select : {"a", "v", "i"}
        All eigenvalues, those by value, or those by index, as SciPy's function has it.
    select_range : tuple, optional
        For values the lower bound, which does not belong to them, and the upper one, which does; for indices the first
        and the last one, from 0.

    Returns
    -------
    EighResult
        The named tuple (eigenvalues, eigenvectors): ascending real numbers, and orthonormal columns.

    Raises
    ------
    LinAlgError
        An element is not finite, or the iteration does not converge.

    Examples
    --------
    >>> import affinimath as am
    >>> w, v = am.linalg.eigh_tridiagonal([2.0, 2.0, 2.0], [1.0, 1.0], select="i", select_range=(1, 1))
    >>> w.round(12), v.shape
    (array([2.]), (3, 1))
    """
    return EighResult(*_stevr(d, e, select, select_range, _VECTORS))


def eigvalsh_tridiagonal(d: Any, e: Any, select: Any = "a", select_range: Any = None) -> np.ndarray:
    """Eigenvalues of a real symmetric tridiagonal matrix in ascending order.

    The arguments and errors are those of `eigh_tridiagonal`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.eigvalsh_tridiagonal([2.0, 2.0], [1.0]).round(12)
    array([1., 3.])
    """
    return _stevr(d, e, select, select_range, _NO_VECTORS)[0]


def _banded(
    a_band: Any, lower: bool, select: Any, select_range: Any, check_finite: bool, job: int
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of a band matrix, and eigenvectors if they are wanted."""
    band = np.asarray(a_band)
    if band.ndim != 2 or not len(band):
        raise LinAlgError(f"a_band has the shape {band.shape}: its rows are diagonals of one matrix", -1)
    finite(band, "a_band", check_finite)
    held, (rows, n) = columns(band, common_dtype(band, names=("a_band",))), band.shape
    dtype, uplo = held.dtype, LOWER if lower else UPPER
    values = np.empty(n, _real(dtype))
    kind, low, high, first, last = _range(select, select_range, n)
    order = n if job == _VECTORS else 0
    width = (last - first + 1 if kind == _RANGE_INDICES else n) if job == _VECTORS else 0
    vectors = np.empty((width, order), dtype).T
    if kind == _RANGE_ALL:
        places = [held, rows, values, vectors, max(order, 1)]
        _raise(status_of("sbev", dtype, COLUMN_MAJOR, job, uplo, n, rows - 1, *places), _NO_EIGENVALUES, ())
        return values, vectors
    q, count = np.empty((order, order), dtype), ctypes.c_int32()
    bounds = [low, high, first, last, 0.0, ctypes.addressof(count)]
    places = [held, rows, q, max(order, 1), *bounds, values, vectors, max(order, 1)]
    _raise(status_of("sbevx", dtype, COLUMN_MAJOR, job, kind, uplo, n, rows - 1, *places), _NO_EIGENVALUES, ())
    return values[: count.value], vectors[:, : count.value]


def eig_banded(
    a_band: Any,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
    check_finite: bool = True,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian band matrix (LAPACK's sbev, sbevx).

    Parameters
    ----------
    a_band : array_like
        The diagonals of one triangle as rows, of shape (u + 1, n). The main one is the last row of an upper triangle,
        and the first one of a lower triangle.
    lower : bool
        It is a lower triangle.
    eigvals_only : bool
        Eigenvalues alone are returned.
    overwrite_a_band : bool
        SciPy's permission, which the library does not need.
    select : {"a", "v", "i"}
        All eigenvalues, those by value, or those by index.
    select_range : tuple, optional
        For values the lower bound, which does not belong to them, and the upper one, which does; for indices the first
        and the last one, from 0.
    max_ev : int
        SciPy's number of eigenvalues, which the library does not need.
    check_finite : bool
        A NaN or an infinity raises a ValueError; else a LinAlgError.

    Returns
    -------
    ndarray or tuple
        Ascending eigenvalues, and orthonormal eigenvectors as columns.

    Raises
    ------
    LinAlgError
        An element is not finite, or the iteration does not converge.

    Examples
    --------
    >>> import affinimath as am
    >>> w, v = am.linalg.eig_banded([[2.0, 2.0], [1.0, 0.0]], lower=True)
    >>> w.round(12), v.shape
    (array([1., 3.]), (2, 2))
    """
    job = _NO_VECTORS if eigvals_only else _VECTORS
    values, vectors = _banded(a_band, lower, select, select_range, check_finite, job)
    return values if eigvals_only else (values, vectors)


def eigvals_banded(
    a_band: Any,
    lower: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
) -> np.ndarray:
    """Eigenvalues of a symmetric or Hermitian band matrix in ascending order.

    The arguments and errors are those of `eig_banded`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.eigvals_banded([[0.0, 1.0], [2.0, 2.0]]).round(12)
    array([1., 3.])
    """
    return _banded(a_band, lower, select, select_range, check_finite, _NO_VECTORS)[0]


def _geev(a: Any, job: int) -> tuple[np.ndarray, np.ndarray | None]:
    a = square(a)
    dtype = common_dtype(a)
    if not np.isfinite(a).all():
        raise LinAlgError("a has a NaN or an infinity", -1)
    held, n = columns(a, dtype), a.shape[-1]
    full = np.result_type(dtype, np.complex64)
    values = np.empty(a.shape[:-1], full)
    vectors = np.empty(a.shape, full) if job == _VECTORS else None
    right = np.empty((n, n), dtype, order="F") if job == _VECTORS else np.empty(0, dtype)
    nothing, leading = np.empty(0, dtype), max(n, 1)
    for index in np.ndindex(a.shape[:-2]):
        start = [COLUMN_MAJOR, _NO_VECTORS, job, n, held[index], leading]
        places = [nothing, 1, right, leading]
        if dtype.kind == "c":
            found = np.empty(n, dtype)
            status = status_of("geev", dtype, *start, found, *places)
            imaginary = None
        else:
            found, imaginary = np.empty(n, dtype), np.empty(n, dtype)
            status = status_of("geev", dtype, *start, found, imaginary, *places)
        _raise(status, _NO_EIGENVALUES, index)
        values[index] = found if imaginary is None else found + 1j * imaginary
        if vectors is not None:
            vectors[index] = right if imaginary is None else _unpaired(right, imaginary, full)
    if dtype.kind != "c" and not values.imag.any():
        return values.real.copy(), vectors if vectors is None else vectors.real.copy()
    return values, vectors


def _unpaired(packed: np.ndarray, imaginary: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Eigenvectors of a real matrix, of which LAPACK has real and imaginary parts in adjacent columns."""
    vectors = packed.astype(dtype)
    first = np.flatnonzero(imaginary > 0)
    vectors[:, first] = packed[:, first] + 1j * packed[:, first + 1]
    vectors[:, first + 1] = vectors[:, first].conj()
    return vectors


def eig(a: Any, b: Any = None) -> EigResult:
    """Eigenvalues and right eigenvectors of a general matrix, or of each of a stack (LAPACK's geev and ggev).

    Parameters
    ----------
    a : array_like
        A matrix of shape (n, n), or a stack of them.
    b : array_like, optional
        The same of a pencil: then eigenvalues are those of a v = w b v, and always complex. They are infinite where b
        is singular, and NaN where the pencil is.

    Returns
    -------
    EigResult
        The named tuple (eigenvalues, eigenvectors). Of a real matrix, or a stack, they are real if all eigenvalues are.

    Raises
    ------
    LinAlgError
        An element is not finite, or the iteration does not converge.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> w, v = am.linalg.eig([[0.0, -1.0], [1.0, 0.0]])
    >>> w.round(12), bool(np.allclose([[0, -1], [1, 0]] @ v, v * w))
    (array([0.+1.j, 0.-1.j]), True)
    """
    values, vectors = _geev(a, _VECTORS) if b is None else generalised_eigenvalues(a, b, True)
    assert vectors is not None
    return EigResult(values, vectors)


def eigvals(a: Any, b: Any = None) -> np.ndarray:
    """Eigenvalues of a general matrix or pencil, or of each of a stack.

    They are real if all of a real matrix, or a stack, are. The errors are those of `eig`.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.eigvals([[2.0, 5.0], [0.0, 1.0]])
    array([2., 1.])
    """
    return _geev(a, _NO_VECTORS)[0] if b is None else generalised_eigenvalues(a, b, False)[0]


def _gesdd(a: np.ndarray, job: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dtype, (m, n) = common_dtype(a), a.shape[-2:]
    order, stack = min(m, n), a.shape[:-2]
    held = columns(a, dtype)
    wide, high = {_ALL_VECTORS: (m, n), _THIN_VECTORS: (order, order), _NO_VECTORS: (0, 0)}[job]
    left = np.empty((*stack, wide, m), dtype).swapaxes(-1, -2)
    right = np.empty((*stack, n, high), dtype).swapaxes(-1, -2)
    values = np.empty((*stack, order), _real(dtype))
    if stack and held.size:
        info = np.zeros(stack, np.int32)
        operands = [*batch(held), values, order, *batch(left), *batch(right), info, info.size]
        call("gesvdStridedBatched", dtype, COLUMN_MAJOR, job, m, n, *operands)
        _raise_first(info, _NO_SINGULAR_VALUES)
        return left, values, right
    for index in np.ndindex(stack):
        places = [values[index], left[index], max(m, 1), right[index], max(high, 1)]
        status = status_of("gesdd", dtype, COLUMN_MAJOR, job, m, n, held[index], max(m, 1), *places)
        _raise(status, _NO_SINGULAR_VALUES, index)
    return left, values, right


def _hermitian_svd(a: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, S and Vh of a Hermitian matrix, by its eigenvectors."""
    values, vectors = eigh(a)
    sign = np.where(values < 0, -1, 1).astype(values.dtype)
    order = np.argsort(np.abs(values), axis=-1)[..., ::-1]
    values, sign = (np.take_along_axis(x, order, axis=-1) for x in (np.abs(values), sign))
    vectors = np.take_along_axis(vectors, order[..., np.newaxis, :], axis=-1)
    return vectors, values, (vectors * sign[..., np.newaxis, :]).swapaxes(-1, -2).conj()


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values and vectors of a matrix, or of each of a stack: a = U diag(S) Vh (LAPACK's gesdd).

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n), or a stack of them.
    full_matrices : bool
        U and Vh are square; else they have min(m, n) columns and rows.
    compute_uv : bool
        Without it the singular values alone are returned.
    hermitian : bool
        a is symmetric or Hermitian: its lower triangle is read, and eigenvectors are computed.

    Returns
    -------
    SVDResult or ndarray
        The named tuple (U, S, Vh), or S.

    Raises
    ------
    LinAlgError
        An element is not finite, or the iteration does not converge.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> u, s, vh = am.linalg.svd([[3.0, 0.0], [4.0, 0.0], [0.0, 1.0]], full_matrices=False)
    >>> s.round(12), u.shape, bool(np.allclose(u * s @ vh, [[3, 0], [4, 0], [0, 1]]))
    (array([5., 1.]), (3, 2), True)
    """
    if hermitian:
        if compute_uv:
            return SVDResult(*_hermitian_svd(a))
        return np.sort(np.abs(eigvalsh(a)), axis=-1)[..., ::-1]
    a = matrices(a)
    if not compute_uv:
        return _gesdd(a, _NO_VECTORS)[1]
    return SVDResult(*_gesdd(a, _ALL_VECTORS if full_matrices else _THIN_VECTORS))


def svdvals(x: Any, /) -> np.ndarray:
    """Singular values of a matrix, or of each of a stack, in descending order.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.svdvals([[3.0, 0.0], [4.0, 0.0]])
    array([5., 0.])
    """
    return _gesdd(matrices(x, "x"), _NO_VECTORS)[1]


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NOT_GIVEN) -> np.ndarray:
    """The Moore-Penrose pseudo-inverse of a matrix, or of each of a stack, by its singular values.

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n), or a stack of them.
    rcond : float or array_like, optional
        Singular values of at most rcond times the largest one count as zero: 1e-15 without it, as NumPy has it.
    hermitian : bool
        a is symmetric or Hermitian.
    rtol : float or array_like, optional
        The same as rcond, by the array API's name; None stands for max(m, n) times the type's epsilon.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.pinv([[2.0, 0.0], [0.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    a = matrices(a)
    if rcond is not None and rtol is not NOT_GIVEN:
        raise ValueError("rcond and rtol are the same argument: give one")
    if rcond is None:
        if rtol is NOT_GIVEN:
            rcond = 1e-15
        else:
            rcond = max(a.shape[-2:]) * np.finfo(common_dtype(a)).eps if rtol is None else rtol
    if a.size == 0:
        return np.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), common_dtype(a))
    u, s, vh = svd(a.conj(), full_matrices=False, hermitian=hermitian)
    inverse = inverses(s, rcond)
    return np.asarray(vh.swapaxes(-1, -2) @ (inverse[..., np.newaxis] * u.swapaxes(-1, -2)))


def inverses(s: np.ndarray, rcond: Any) -> np.ndarray:
    """Inverses of singular values, and 0 of those of at most rcond times the largest one."""
    large = s > np.asarray(rcond)[..., np.newaxis] * s.max(axis=-1, keepdims=True)
    return np.asarray(np.divide(1, s, where=large, out=np.zeros_like(s)))


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """The rank of a matrix, or of each of a stack: how many singular values are larger than a tolerance.

    Parameters
    ----------
    A : array_like
        A matrix of shape (m, n), or a stack of them; of a vector the rank is 1 where an element is not zero.
    tol : float or array_like, optional
        The tolerance; without it the largest singular value times `rtol`.
    hermitian : bool
        A is symmetric or Hermitian.
    rtol : float or array_like, optional
        Without it max(m, n) times the type's epsilon.

    Examples
    --------
    >>> import affinimath as am
    >>> int(am.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))
    1
    """
    if rtol is not None and tol is not None:
        raise ValueError("tol and rtol exclude each other: give one")
    array = np.asarray(A)
    if array.ndim < 2:
        return int(bool(np.any(array != 0)))
    return rank_of(svd(array, compute_uv=False, hermitian=hermitian), max(array.shape[-2:]), tol, rtol)


def rank_of(s: np.ndarray, longest: int, tol: Any = None, rtol: Any = None) -> Any:
    """The rank of matrices by their singular values and the longest side."""
    if tol is None:
        if rtol is None:
            rtol = longest * np.finfo(s.dtype).eps
        tol = s.max(axis=-1, keepdims=True, initial=0) * np.asarray(rtol)[..., np.newaxis]
    else:
        tol = np.asarray(tol)[..., np.newaxis]
    return np.count_nonzero(s > tol, axis=-1)
