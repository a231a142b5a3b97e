"""Iterative solvers of square systems, with the arguments of scipy.sparse.linalg."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _iterations
from ._arrays import contiguous
from ._csr import CsrMatrix
from ._library import DOUBLE, LETTERS, SINGLE, address, check, function, library, routine
from ._operators import Callback, LinearOperator, aslinearoperator, system
from ._solver_options import REASONS, History, Options, Outcome, Preconditioner

_HANDLE = ctypes.POINTER(ctypes.c_void_p)
_options = function("affinimathSolveOptions", [ctypes.POINTER(Options), ctypes.c_int])
# The functions that make preconditioners, and their arguments beside the matrix.
_PRECONDITIONERS: dict[str, tuple[Any, tuple[float, ...]]] = {
    "jacobi": (function("affinimathJacobiCreate", [ctypes.c_void_p, _HANDLE]), ()),
    "block-jacobi": (function("affinimathBlockJacobiCreate", [ctypes.c_void_p, ctypes.c_int64, _HANDLE]), (16,)),
    "chebyshev": (function("affinimathChebyshevCreate", [ctypes.c_void_p, ctypes.c_int64, _HANDLE]), (8,)),
    "ssor": (function("affinimathSsorCreate", [ctypes.c_void_p, ctypes.c_double, _HANDLE]), (1.0,)),
    "ic0": (function("affinimathIc0Create", [ctypes.c_void_p, _HANDLE]), ()),
    "ilu0": (function("affinimathIlu0Create", [ctypes.c_void_p, _HANDLE]), ()),
}
function("affinimathPreconditionerDestroy", [ctypes.c_void_p])


class Solution(tuple[Any, ...]):
    """A solution of an iterative solver, which unpacks as `x, info`.

    Attributes
    ----------
    x : ndarray
        The solution, or what was reached.
    info : int
        0: converged. Positive: the iterations that were made without converging. Negative: the iteration broke down.
    reason : str
        "converged", "stagnated", "breakdown", "not positive definite" or "limit".
    iterations : int
        The iterations.
    residual, relative_residual : float
        ||b - A x||, computed from x at the end, and the same over ||b||.

    Examples
    --------
    >>> import affinimath as am
    >>> found = am.cg(am.CsrMatrix([[2.0, 0.0], [0.0, 4.0]]), [2.0, 8.0])
    >>> x, info = found
    >>> info, found.reason, found.converged
    (0, 'converged', True)
    """

    x: np.ndarray
    info: int
    reason: str
    iterations: int
    residual: float
    relative_residual: float

    def __new__(cls, x: np.ndarray, reason: str, iterations: int, residual: float, relative: float) -> Solution:
        """Makes the tuple of x and of what SciPy's info is for the reason."""
        failed = -1 if reason in ("breakdown", "not positive definite") else max(iterations, 1)
        made = super().__new__(cls, (x, 0 if reason == "converged" else failed))
        made.x, made.info = made
        made.reason, made.iterations = reason, iterations
        made.residual, made.relative_residual = residual, relative
        return made

    def __repr__(self) -> str:
        return f"<Solution: {self.reason} after {self.iterations} iterations, residual {self.residual:.3g}>"

    @property
    def converged(self) -> bool:
        """True if the residual is as small as was asked for."""
        return self.reason == "converged"


def cg(
    A: Any,  # noqa: N803, SciPy's name
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,  # noqa: N803
    callback: Callable[[np.ndarray], object] | None = None,
) -> Solution:
    """Solves A x = b for a Hermitian positive definite A by conjugate gradients (Hestenes and Stiefel, 1952).

    Parameters
    ----------
    A : CsrMatrix, sparse matrix of SciPy's, array_like or LinearOperator
        A square matrix, or an operator with `shape` and `matvec`. That it is Hermitian is not checked.
    b : array_like
        The right-hand side, of shape (n,) or (n, 1).
    x0 : array_like, optional
        The start of the iteration; else zero.
    rtol, atol : float
        It stops at ||b - A x|| <= max(rtol ||b||, atol).
    maxiter : int, optional
        The most iterations; else ten times as many as unknowns.
    M : str, sparse matrix, array_like or LinearOperator, optional
        An approximation of A's inverse, or a preconditioner that the library makes of a sparse A: "jacobi" (A's
        diagonal), "block-jacobi" (blocks of 16 rows), "chebyshev" (of degree 8), "ssor" (omega 1), "ic0" or "ilu0".
        All but "ilu0" stay Hermitian positive definite, as `cg` and `minres` need.
    callback : callable, optional
        Called with x after each iteration. The iteration runs in Python then, and M is no str.

    Returns
    -------
    Solution
        It unpacks as `x, info`. That it did not converge is no error: info is not 0 then.

    Raises
    ------
    LinAlgError
        The diagonal has a zero, or a block or a pivot is singular, and the preconditioner needs it.
    ValueError
        The shapes do not fit, or an argument is wrong.

    Examples
    --------
    >>> import affinimath as am
    >>> a = am.CsrMatrix([[4.0, 1.0], [1.0, 3.0]])
    >>> x, info = am.cg(a, [5.0, 4.0], M="ic0")
    >>> x.round(6), info
    (array([1., 1.]), 0)
    """
    return _solve("cg", A, b, x0, rtol, atol, maxiter, M, callback)


def minres(
    A: Any,  # noqa: N803
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,  # noqa: N803
    callback: Callable[[np.ndarray], object] | None = None,
    show: bool = False,
    check: bool = False,
) -> Solution:
    """Solves A x = b for a Hermitian A, also an indefinite one, by minimal residuals (Paige and Saunders, 1975).

    The arguments are those of `cg`, and these.

    Parameters
    ----------
    shift : float
        The matrix is A - shift I.
    show : bool
        Accepted for SciPy's sake: nothing is printed.
    check : bool
        An A that is found not to be Hermitian, by products with two vectors, is a ValueError.

    Examples
    --------
    >>> import affinimath as am
    >>> x, info = am.minres(am.CsrMatrix([[2.0, 0.0], [0.0, -1.0]]), [2.0, 1.0])
    >>> x.round(6), info
    (array([ 1., -1.]), 0)
    """
    a = system(A)
    if check:
        _check_hermitian(a)
    if shift:
        a = _shifted(a, shift)
    return _solve("minres", a, b, x0, rtol, atol, maxiter, M, callback)


def bicgstab(
    A: Any,  # noqa: N803
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,  # noqa: N803
    callback: Callable[[np.ndarray], object] | None = None,
) -> Solution:
    """Solves A x = b for a square A by stabilised biconjugate gradients (van der Vorst, 1992).

    The arguments are those of `cg`.

    Examples
    --------
    >>> import affinimath as am
    >>> x, info = am.bicgstab(am.CsrMatrix([[2.0, 1.0], [0.0, 4.0]]), [3.0, 4.0])
    >>> x.round(6), info
    (array([1., 1.]), 0)
    """
    return _solve("bicgstab", A, b, x0, rtol, atol, maxiter, M, callback)


def gmres(
    A: Any,  # noqa: N803
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,  # noqa: N803
    callback: Callable[[Any], object] | None = None,
    callback_type: str | None = None,
) -> Solution:
    """Solves A x = b for a square A by generalised minimal residuals (Saad and Schultz, 1986).

    The arguments are those of `cg`, but for these.

    Parameters
    ----------
    restart : int, optional
        The vectors that are kept before the iteration restarts, from 1 to 62; else 20, or n if that is less.
    maxiter : int, optional
        The most restarts, as in SciPy; else ten times as many iterations as unknowns.
    callback : callable, optional
        Called with the relative residual after each iteration, or with x after each restart.
    callback_type : {"pr_norm", "legacy", "x"}, optional
        "x" is the second one of these; the others are the first.

    Examples
    --------
    >>> import affinimath as am
    >>> x, info = am.gmres(am.CsrMatrix([[2.0, 1.0], [0.0, 4.0]]), [3.0, 4.0])
    >>> x.round(6), info
    (array([1., 1.]), 0)
    """
    if callback_type not in (None, "pr_norm", "legacy", "x"):
        raise ValueError(f"callback_type is {callback_type!r}; there are 'pr_norm', 'legacy' and 'x'")
    a = system(A)
    width = min(20, max(a.shape[1], 1)) if restart is None else restart
    if not 1 <= width <= 62:
        raise ValueError(f"restart is {width}, and is from 1 to 62")
    limit = None if maxiter is None else maxiter * width
    by_x = callback is not None and callback_type == "x"
    problem = Problem(a, b, x0)
    if not by_x:
        return problem.solve("gmres", rtol, atol, limit, M, restart=width, history=callback)
    left = max(10 * a.shape[1], 1) if limit is None else limit
    with problem.preconditioner(M) as made:
        while True:
            found = problem.solve("gmres", rtol, atol, min(width, left), made, restart=width)
            problem.iterations += found.iterations
            left -= found.iterations
            callback(found.x.copy())  # type: ignore[misc]
            if found.reason != "limit" or left <= 0:
                return Solution(found.x, found.reason, problem.iterations, found.residual, found.relative_residual)


def _check_hermitian(a: Any) -> None:
    """Raises a ValueError where products with two vectors show that a matrix is not Hermitian."""
    random, operator = np.random.default_rng(1), aslinearoperator(a)
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"A has the shape {a.shape}, and is not square")
    dtype = np.float64 if a.dtype is None else a.dtype
    v, w = (random.standard_normal(a.shape[0]).astype(dtype) for _ in range(2))
    av, aw = np.ravel(operator.matvec(v)), np.ravel(operator.matvec(w))
    bound = float(np.finfo(av.dtype).eps ** (1 / 3) * np.linalg.norm(v) * np.linalg.norm(aw))
    if abs(np.vdot(v, aw) - np.vdot(av, w)) > bound:
        raise ValueError("A is not Hermitian")


def _shifted(a: Any, shift: float) -> Any:
    """The matrix or the operator A - shift I."""
    n = a.shape[0]
    if a.shape[1] != n:
        raise ValueError(f"A has the shape {a.shape}, and is not square")
    if isinstance(a, CsrMatrix):
        identity = (np.ones(n), np.arange(n, dtype=np.int32), np.arange(n + 1))
        return a - CsrMatrix(identity, (n, n), a.dtype) * np.asarray(shift, a.dtype)[()]
    return LinearOperator(a.shape, lambda x: a.matvec(x) - np.asarray(shift, x.dtype) * x, dtype=a.dtype)


def _solve(
    method: str,
    A: Any,  # noqa: N803
    b: Any,
    x0: Any,
    rtol: float,
    atol: float,
    maxiter: int | None,
    M: Any,  # noqa: N803
    callback: Callable[[np.ndarray], object] | None,
) -> Solution:
    problem = Problem(system(A), b, x0)
    if callback is not None:
        return problem.iterate(method, rtol, atol, maxiter, M, callback)
    return problem.solve(method, rtol, atol, maxiter, M)


class Problem:
    """A matrix or an operator, a right-hand side, and the x that an iteration has come to."""

    def __init__(self, a: Any, b: Any, x0: Any, *, square: bool = True) -> None:
        rows, columns = a.shape
        if square and rows != columns:
            raise ValueError(f"A has the shape {a.shape}, and is not square")
        self.b = self._vector(b, rows, "b")
        self.x = np.zeros(columns) if x0 is None else self._vector(x0, columns, "x0")
        self.dtype = self._type([self.b] if x0 is None else [self.b, self.x], getattr(a, "dtype", None))
        if self.dtype not in LETTERS:
            raise TypeError(f"A and b have the type {self.dtype}; there are float32, float64, complex64 and complex128")
        self.a = a._promoted(self.dtype) if isinstance(a, CsrMatrix) else a
        self.b = contiguous(self.b, self.dtype)
        self.x = np.asarray(self.x, self.dtype)
        self.iterations = 0

    @staticmethod
    def _type(arrays: list[np.ndarray], dtype: np.dtype | None) -> np.dtype:
        """The type of a solution; integers count as float64."""
        if len(arrays) == 1 and arrays[0].dtype is dtype and dtype in LETTERS:
            return dtype
        types = [array.dtype for array in arrays] + ([] if dtype is None else [dtype])
        types = [np.dtype(np.float64) if one.kind in "bui" else one.newbyteorder("=") for one in types]
        return np.result_type(*types)

    @staticmethod
    def _vector(b: Any, n: int, name: str) -> np.ndarray:
        array = np.asarray(b)
        if array.shape not in ((n,), (n, 1)):
            raise ValueError(f"{name} has the shape {array.shape}, and {n} elements are needed")
        return array.reshape(n)

    def _checked(self, rtol: float, atol: float, maxiter: int | None) -> None:
        for name, value in (("rtol", rtol), ("atol", atol)):
            if not 0 <= value < np.inf:
                raise ValueError(f"{name} is {value!r}, and is a number from 0 on")
        if maxiter is not None and maxiter < 0:
            raise ValueError(f"maxiter is {maxiter}, and is not negative")

    def iterate(self, method: str, rtol: float, atol: float, maxiter: int | None, m: Any, told: Any) -> Solution:
        """Solves by an iteration in Python that tells each x."""
        self._checked(rtol, atol, maxiter)
        if isinstance(m, str):
            raise ValueError(f"M is {m!r}: with a callback the iteration runs in Python, and M is an operator or None")
        a = aslinearoperator(self.a)
        inverse = None if m is None else self._inverse(m)
        size, bound = len(self.b), max(rtol * float(np.linalg.norm(self.b)), atol)
        limit = 10 * size if maxiter is None else maxiter

        def product(operator: Any) -> Callable[[np.ndarray], np.ndarray]:
            return lambda x: np.asarray(operator.matvec(x)).reshape(size).astype(self.dtype, copy=False)

        apply_m = (lambda x: x) if inverse is None else product(inverse)
        iteration, start = getattr(_iterations, method), np.array(self.x)
        x, reason, steps = iteration(product(a), apply_m, self.b, start, bound, limit, lambda x: told(x.copy()))
        residual = float(np.linalg.norm(self.b - product(a)(x)))
        size_b = float(np.linalg.norm(self.b))
        return Solution(x, reason, steps, residual, residual / size_b if size_b else 0.0 if not residual else np.inf)

    def _inverse(self, m: Any) -> Any:
        """A preconditioner of the caller's as an operator."""
        operator = aslinearoperator(m)
        if operator.shape != (len(self.b), len(self.b)):
            raise ValueError(f"M has the shape {operator.shape}, and A {self.a.shape}")
        return operator

    def solve(
        self,
        method: str,
        rtol: float,
        atol: float,
        maxiter: int | None,
        m: Any = None,
        *,
        history: Callable[[float], object] | None = None,
        **rest: Any,
    ) -> Solution:
        """Solves by the library, from x on, and sets x."""
        outcome, reason = self.run(method, rtol, atol, maxiter, m, history=history, **rest)
        return Solution(self.x, reason, outcome.iterations, outcome.residual, outcome.relative_residual)

    def run(
        self,
        method: str,
        rtol: float,
        atol: float,
        maxiter: int | None,
        m: Any = None,
        *,
        history: Callable[[float], object] | None = None,
        **rest: Any,
    ) -> tuple[Outcome, str]:
        """Has the library solve, from x on; it sets x, and returns how that ended."""
        self._checked(rtol, atol, maxiter)
        options, outcome = Options(), Outcome()
        check(_options(options, SINGLE if LETTERS[self.dtype] in "SC" else DOUBLE))
        options.rtol, options.atol = rtol, atol
        if maxiter is not None:
            options.max_iterations = maxiter
        for name, value in rest.items():
            setattr(options, name, value)
        told = function = None
        if history is not None:
            told = History(history, float(np.linalg.norm(self.b)))
            function = told.function()
            options.history = ctypes.c_void_p.from_buffer(function).value
        x = np.array(self.x)
        with self.preconditioner(m) as made:
            options.preconditioner = made.handle
            status = self._call(method, x, options, outcome)
            made.check()
        if told is not None:
            told.check()
        check(status)
        self.x = x
        return outcome, REASONS[outcome.reason]

    def _call(self, method: str, x: np.ndarray, options: Options, outcome: Outcome) -> int:
        """Calls the library's solver for the matrix or the operator."""
        sides = [address(self.b), address(x), ctypes.addressof(options), ctypes.addressof(outcome)]
        if isinstance(self.a, CsrMatrix):
            return routine(method, self.dtype)(self.a._handle, *sides)
        callback = Callback(self.a, self.dtype)
        sizes = self.a.shape if method in ("lsqr", "lsmr") else self.a.shape[:1]
        status = routine(f"{method}Operator", self.dtype)(*sizes, callback.function(), None, *sides)
        callback.check()
        return status

    @contextmanager
    def preconditioner(self, m: Any) -> Iterator[Preconditioner]:
        """The library's preconditioner for a `with` block: none, one of a name, an operator's, or one that is made."""
        if isinstance(m, Preconditioner):
            yield m
            return
        handle, callback, function = ctypes.c_void_p(), None, None
        if isinstance(m, str):
            if m not in _PRECONDITIONERS:
                raise ValueError(f"M is {m!r}; there are {', '.join(map(repr, _PRECONDITIONERS))}")
            if not isinstance(self.a, CsrMatrix):
                raise ValueError(f"M is {m!r}, which is made of a sparse matrix, and A is an operator")
            make, parameters = _PRECONDITIONERS[m]
            check(make(self.a._handle, *parameters, handle))
        elif m is not None:
            callback = Callback(self._inverse(m), self.dtype)
            function = callback.function()
            create = routine("preconditionerCreate", self.dtype)
            check(create(len(self.b), function, None, ctypes.addressof(handle)))
        try:
            yield Preconditioner(handle, callback)
        finally:
            if handle:
                library.affinimathPreconditionerDestroy(handle)
