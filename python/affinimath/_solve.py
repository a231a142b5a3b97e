"""Square systems by the structure of their matrix."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from ._arrays import batch, columns, common_dtype, finite, lines, right_hand_sides, square, width
from ._bands import band_of, bandwidths, solve_band, solve_tridiagonal
from ._factorizations import NOT_POSITIVE
from ._library import COLUMN_MAJOR, LOWER, UPPER, address, call, check, routine, status_of
from ._lu import check_info
from ._systems import joined, parted, triangular

#: SciPy's names of structures, short and long.
_STRUCTURES = {
    "gen": "general",
    "sym": "symmetric",
    "her": "hermitian",
    "pos": "positive definite",
    **{name: name for name in ("general", "symmetric", "hermitian", "positive definite")},
    **{name: name for name in ("diagonal", "tridiagonal", "banded", "lower triangular", "upper triangular")},
}


class SolveResult(NamedTuple):
    """A solution, and how it was found: `solve` returns it with `full_output`.

    Examples
    --------
    >>> import affinimath as am
    >>> found = am.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0], assume_a="diagonal", full_output=True)
    >>> found.x, found.method, found.fallback
    (array([1., 2.]), 'division', None)
    """

    x: np.ndarray
    """The solution."""
    method: str
    """LAPACK's routine without its letter, "gesv" or another one; or "division"."""
    fallback: str | None = None
    """The routine that solved a system whose matrix is not positive definite, after the first one."""
    iterations: int | None = None
    """LAPACK's ITER of a solution in mixed precision: refinements, or negative where it took double precision."""


class _System(NamedTuple):
    """A system that is to be solved."""

    a: np.ndarray
    b: np.ndarray
    dtype: np.dtype
    lower: bool
    overwrite_a: bool
    overwrite_b: bool
    mixed: bool

    @property
    def uplo(self) -> int:
        """The triangle that is read."""
        return LOWER if self.lower else UPPER


@overload
def solve(
    a: Any,
    b: Any,
    *,
    assume_a: str | None = None,
    lower: bool = False,
    transposed: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = False,
    mixed: bool = False,
    full_output: Literal[False] = False,
) -> np.ndarray: ...


@overload
def solve(
    a: Any,
    b: Any,
    *,
    assume_a: str | None = None,
    lower: bool = False,
    transposed: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = False,
    mixed: bool = False,
    full_output: Literal[True],
) -> SolveResult: ...


def solve(
    a: Any,
    b: Any,
    *,
    assume_a: str | None = None,
    lower: bool = False,
    transposed: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = False,
    mixed: bool = False,
    full_output: bool = False,
) -> np.ndarray | SolveResult:
    """The solution x of a x = b.

    Parameters
    ----------
    a : array_like
        A square matrix of order n, or a stack of them.
    b : array_like
        A right-hand side of length n, or several as the columns of a matrix, or a stack of such matrices.
    assume_a : str, optional
        The structure of a, by SciPy's names. Elements that the structure excludes are not used. Without it the
        structure of a matrix is found in its values; matrices of a stack, and of an order below 32, are "general".

        - "gen" or "general": LU with partial pivoting (LAPACK's gesv).
        - "pos" or "positive definite": Cholesky factors of one triangle (posv).
        - "sym" or "symmetric", "her" or "hermitian": one triangle is read. L D Lᵀ or L D Lᴴ with symmetric pivoting
          (sysv, hesv); where a is Hermitian with a positive diagonal, Cholesky factors are tried first.
        - "diagonal": division.
        - "lower triangular", "upper triangular": substitution (trtrs).
        - "tridiagonal": LU of three diagonals (gtsv); of a stack, all in one call.
        - "banded": LU of the band (gbsv), whose width is found in the values.
    lower : bool
        The triangle that is read of a symmetric, Hermitian or positive definite matrix.
    transposed : bool
        It solves aᵀ x = b.
    overwrite_a, overwrite_b : bool
        Operands in column-major order may be overwritten, which saves copies.
    check_finite : bool
        A NaN or an infinity in an operand is a ValueError.
    mixed : bool
        LU and Cholesky factors of a matrix in double precision are computed in single precision, and the solution is
        refined (dsgesv, dsposv). It pays for large matrices that are not ill-conditioned.
    full_output : bool
        It returns the solution with the method that gave it.

    Returns
    -------
    ndarray or SolveResult
        x, of b's shape; stacks are broadcast. With `full_output` the named tuple (x, method, fallback, iterations).

    Raises
    ------
    LinAlgError
        a is singular, or not positive definite.
    ValueError
        The shapes do not fit, or there is no such structure.

    Examples
    --------
    >>> import affinimath as am
    >>> am.solve([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0])
    array([1., 2.])
    >>> am.solve([[4.0, 2.0], [2.0, 5.0]], [8.0, 12.0], assume_a="pos")
    array([1., 2.])
    """
    structure = None
    if assume_a is not None:
        structure = _STRUCTURES.get(assume_a) if isinstance(assume_a, str) else None
        if structure is None:
            raise ValueError(f"assume_a is {assume_a!r}; there are {', '.join(map(repr, _STRUCTURES))}")
    a = square(a)
    b = right_hand_sides(b, a.shape[-1])
    dtype = common_dtype(a, b)
    if check_finite:
        finite(a, "a")
        finite(b, "b")
    if structure is None:
        structure = found_structure(a) if a.ndim == 2 else "general"
    if structure.endswith("triangular"):
        x = triangular(a, b, dtype, structure[0] == "l", transposed, overwrite=overwrite_b)
        return SolveResult(x, "trtrs") if full_output else x
    if transposed:
        # Of a Hermitian matrix the transpose is the conjugate, whose other triangle is given.
        a, lower = np.swapaxes(a, -1, -2), not lower
    mixed = mixed and dtype.char in "dD"
    system = _System(a, b, dtype, bool(lower), overwrite_a, overwrite_b, mixed)
    solution = _solved(system, _SOLVERS[structure])
    return solution if full_output else solution.x


#: Matrices of a smaller order are factorised in less time than a search takes.
_MIN_SEARCHED_ORDER = 32


def found_structure(a: np.ndarray) -> str:
    """The structure of a matrix by its values. Each search ends where it is decided."""
    n = len(a)
    if n < _MIN_SEARCHED_ORDER:
        return "general"
    below, above = bandwidths(a)
    if not below and not above:
        return "diagonal"
    if not above:
        return "lower triangular"
    if not below:
        return "upper triangular"
    if below == above == 1:
        return "tridiagonal"
    # The products of a band's factorisation against half of those of a dense one.
    if below * (below + above) * 6 <= n * n:
        return "banded"
    if below == above:
        if _equals_transpose(a, conjugated=True):
            return "hermitian"
        if a.dtype.kind == "c" and _equals_transpose(a, conjugated=False):
            return "symmetric"
    return "general"


#: Sides of the blocks in which a matrix is compared with its transpose, so that both stay in the cache.
_BLOCK = 128


def _equals_transpose(a: np.ndarray, *, conjugated: bool) -> bool:
    """True if a matrix of order 2 or more equals its transpose, or its adjoint."""
    of = np.conj if conjugated and a.dtype.kind == "c" else np.asarray
    if a[0, -1] != of(a[-1, 0]):
        return False
    for first in range(0, len(a), _BLOCK):
        last = first + _BLOCK
        if not np.array_equal(a[first:last, first:], of(a[first:, first:last].T)):
            return False
    return True


def _solved(system: _System, solver: Callable[[_System], SolveResult]) -> SolveResult:
    """The solution of one matrix; of a stack one after the other, or in one call where there is a routine for it."""
    a, b = system.a, system.b
    if a.ndim == 2 and b.ndim <= 2:
        return solver(system)
    if a.ndim == 2:
        # One matrix for a stack of right-hand sides is factorised once.
        flat = joined(b)
        solution = solver(system._replace(b=flat, overwrite_b=not np.may_share_memory(flat, b)))
        return solution._replace(x=parted(solution.x, b.shape))
    batched = None if system.mixed and solver in (_general, _definite) else _BATCHED.get(solver)
    if batched is not None:
        return batched(system)
    vector, n = b.ndim == 1, a.shape[-1]
    b = b[:, np.newaxis] if vector else b
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    matrices = np.broadcast_to(a, (*shape, n, n))
    x = columns(np.broadcast_to(b, (*shape, *b.shape[-2:])), system.dtype)
    first: SolveResult | None = None
    for index in np.ndindex(*shape):
        found = solver(system._replace(a=matrices[index], b=x[index], overwrite_a=False, overwrite_b=True))
        x[index] = found.x
        first = _joint(first, found)
    if first is None:
        # One that is solved in the place of a stack of none tells the method.
        empty = np.eye(n, dtype=system.dtype)
        first = solver(system._replace(a=empty, b=np.ones(n), overwrite_a=False, overwrite_b=False))
    return first._replace(x=x[..., 0] if vector else x)


def _joint(first: SolveResult | None, other: SolveResult) -> SolveResult:
    """What is said of several systems together: a fallback that there was, and the refinement that took most."""
    if first is None or first.iterations is None or other.iterations is None:
        iterations = other.iterations
    elif min(first.iterations, other.iterations) < 0:
        iterations = min(first.iterations, other.iterations)
    else:
        iterations = max(first.iterations, other.iterations)
    fallback = other.fallback if first is None else first.fallback or other.fallback
    # A Hermitian matrix with a diagonal that is not positive goes by the fallback's way at once.
    method = other.method if first is None else first.method
    return SolveResult(other.x, method, fallback, iterations)


def _general(system: _System) -> SolveResult:
    """By LU with partial pivoting."""
    n, dtype = len(system.a), system.dtype
    if system.mixed:
        solution, status = _mixed(system, "gesv")
        check_info(status, n)
        return solution
    factors = columns(system.a, dtype, overwrite=system.overwrite_a)
    x = columns(system.b, dtype, overwrite=system.overwrite_b)
    leading, count, pivots = n or 1, width(x), np.empty(n, np.int32)
    solver = routine("gesv", dtype)
    status = solver(COLUMN_MAJOR, n, count, address(factors), leading, address(pivots), address(x), leading)
    if status > 0:
        check_info(status, n)
    elif status:
        check(status)
    return SolveResult(x, "gesv")


def _definite(system: _System) -> SolveResult:
    """By Cholesky factors."""
    solution, status = _by_cholesky(system)
    check_info(status, len(system.a), NOT_POSITIVE)
    return solution


def _by_cholesky(system: _System) -> tuple[SolveResult, int]:
    """The solution by Cholesky factors, and LAPACK's info."""
    if system.mixed:
        return _mixed(system, "posv")
    n, dtype = len(system.a), system.dtype
    factors = columns(system.a, dtype, overwrite=system.overwrite_a)
    x = columns(system.b, dtype, overwrite=system.overwrite_b)
    operands = [factors, lines(factors), x, lines(x)]
    status = status_of("posv", dtype, COLUMN_MAJOR, system.uplo, n, width(x), *operands)
    return SolveResult(x, "posv"), status


def _mixed(system: _System, name: str) -> tuple[SolveResult, int]:
    """The solution by factors in single precision, and LAPACK's info."""
    n, dtype = len(system.a), system.dtype
    factors, b = columns(system.a, dtype, overwrite=system.overwrite_a), columns(system.b, dtype, overwrite=True)
    x, iterations = np.empty_like(b), ctypes.c_int32()
    options, pivots = ([n], [np.empty(n, np.int32)]) if name == "gesv" else ([system.uplo, n], [])
    operands = [factors, lines(factors), *pivots, b, lines(b), x, lines(x), ctypes.addressof(iterations)]
    letter = "c" if dtype.kind == "c" else "s"
    status = status_of(letter + name, dtype, COLUMN_MAJOR, *options, width(b), *operands)
    return SolveResult(x, name, iterations=iterations.value), status


def _symmetric(system: _System) -> SolveResult:
    """Of a complex symmetric matrix, by L D Lᵀ; a real one is Hermitian."""
    return _indefinite(system, "sysv") if system.dtype.kind == "c" else _hermitian(system)


def _hermitian(system: _System) -> SolveResult:
    """By Cholesky factors where the diagonal is positive, and by L D Lᴴ where that fails."""
    name = "hesv" if system.dtype.kind == "c" else "sysv"
    if not (np.diagonal(system.a).real > 0).all():
        return _indefinite(system, name)
    # Both the matrix and the right-hand sides are as they were where the first method fails.
    solution, status = _by_cholesky(system._replace(overwrite_a=False))
    if not status:
        return solution
    return _indefinite(system, name)._replace(method="posv", fallback=name)


def _indefinite(system: _System, name: str) -> SolveResult:
    """By factors with symmetric pivoting (Bunch and Kaufman, 1977)."""
    n, dtype = len(system.a), system.dtype
    factors = columns(system.a, dtype, overwrite=system.overwrite_a)
    x = columns(system.b, dtype, overwrite=system.overwrite_b)
    operands = [factors, lines(factors), np.empty(n, np.int32), x, lines(x)]
    status = status_of(name, dtype, COLUMN_MAJOR, system.uplo, n, width(x), *operands)
    check_info(status, n)
    return SolveResult(x, name)


def _diagonal(system: _System) -> SolveResult:
    """By division, in stacks too."""
    diagonal = np.diagonal(system.a, axis1=-2, axis2=-1).astype(system.dtype)
    zero = diagonal == 0
    if diagonal.size:
        check_info(np.where(zero.any(axis=-1), zero.argmax(axis=-1) + 1, 0), diagonal.shape[-1])
    b = system.b
    x = b.astype(system.dtype) / (diagonal if b.ndim == 1 else diagonal[..., np.newaxis])
    return SolveResult(np.asarray(x), "division")


def _tridiagonal(system: _System) -> SolveResult:
    """By LU of three diagonals, in stacks too."""
    a, n = system.a, system.a.shape[-1]
    if n < 2:
        return _diagonal(system)
    of_a = [np.diagonal(a, offset, axis1=-2, axis2=-1) for offset in (-1, 0, 1)]
    return SolveResult(solve_tridiagonal(of_a, system.b, system.dtype, overwrite_b=system.overwrite_b), "gtsv")


def _banded(system: _System) -> SolveResult:
    """By LU of a band; of a stack, of the band that has all of its matrices."""
    below, above = bandwidths(system.a)
    if below <= 1 and above <= 1:
        return _tridiagonal(system)
    x = solve_band(
        (below, above), band_of(system.a, below, above, system.dtype), system.b, overwrite_b=system.overwrite_b
    )
    return SolveResult(x, "gbsv")


def _general_stack(system: _System) -> SolveResult:
    """The solutions with a stack of matrices, in one call."""
    return _stack(system, "gesv")


def _definite_stack(system: _System) -> SolveResult:
    """The same by Cholesky factors."""
    return _stack(system, "posv")


def _stack(system: _System, name: str) -> SolveResult:
    b, n, dtype = system.b, system.a.shape[-1], system.dtype
    vector = b.ndim == 1
    b = b[:, np.newaxis] if vector else b
    shape = np.broadcast_shapes(system.a.shape[:-2], b.shape[:-2])
    factors = columns(np.broadcast_to(system.a, (*shape, n, n)), dtype)
    x = columns(np.broadcast_to(b, (*shape, *b.shape[-2:])), dtype)
    info, count = np.zeros(shape, np.int32), x.shape[-1]
    if factors.size:
        if name == "posv":
            operands = [system.uplo, n, count, *batch(factors)]
        else:
            pivots = np.empty((*shape, n), np.int32)
            operands = [n, count, *batch(factors), pivots, n]
        call(f"{name}StridedBatched", dtype, COLUMN_MAJOR, *operands, *batch(x), info, info.size)
        check_info(info, n, *[NOT_POSITIVE] * (name == "posv"))
    return SolveResult(x[..., 0] if vector else x, name)


_SOLVERS: dict[str, Callable[[_System], SolveResult]] = {
    "general": _general,
    "positive definite": _definite,
    "symmetric": _symmetric,
    "hermitian": _hermitian,
    "diagonal": _diagonal,
    "tridiagonal": _tridiagonal,
    "banded": _banded,
}
#: Those that solve the systems of a stack in one call.
_BATCHED: dict[Callable[[_System], SolveResult], Callable[[_System], SolveResult]] = {
    _general: _general_stack,
    _definite: _definite_stack,
    _diagonal: _diagonal,
    _tridiagonal: _tridiagonal,
    _banded: _banded,
}
