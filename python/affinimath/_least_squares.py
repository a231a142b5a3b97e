"""Iterative least squares, with the arguments of scipy.sparse.linalg."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._csr import CsrMatrix
from ._operators import system
from ._solvers import Problem

# SciPy's istop for the library's reasons.
_ISTOPS = {"converged": 1, "least squares": 2, "stagnated": 5, "limit": 7, "breakdown": 7}
_LEAST = {np.dtype(np.float32): 1e-5, np.dtype(np.complex64): 1e-5}


class LeastSquaresSolution(tuple[Any, ...]):
    """A solution of `lsqr` or `lsmr`, which unpacks as SciPy's tuple.

    Attributes
    ----------
    x : ndarray
        The solution, or what was reached.
    istop : int
        0: b is zero, and x. 1: x solves the system. 2: x is a least-squares solution. 5: the precision allows no
        smaller residual. 7: the iterations were used up, or the iteration broke down.
    reason : str
        "converged", "least squares", "stagnated", "limit" or "breakdown".
    iterations : int
        The iterations.
    residual, normal_residual : float
        ||b - A x|| and ||Aᴴ (b - A x)||, computed from x at the end.

    Examples
    --------
    >>> import affinimath as am
    >>> found = am.lsqr(am.CsrMatrix([[1.0], [1.0]]), [1.0, 3.0])
    >>> x, istop, itn, r1norm = found[:4]
    >>> x.round(6), istop, found.reason, round(r1norm, 6)
    (array([2.]), 2, 'least squares', 1.414214)
    """

    x: np.ndarray
    istop: int
    reason: str
    iterations: int
    residual: float
    relative_residual: float
    normal_residual: float

    @property
    def converged(self) -> bool:
        """True if x is a solution or a least-squares solution."""
        return self.reason in ("converged", "least squares")

    def __repr__(self) -> str:
        return f"<LeastSquaresSolution: {self.reason} after {self.iterations} iterations, residual {self.residual:.3g}>"


def lsqr(
    A: Any,  # noqa: N803, SciPy's name
    b: Any,
    damp: float = 0.0,
    atol: float | None = None,
    btol: float | None = None,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
) -> LeastSquaresSolution:
    """Minimises ||b - A x|| for an A of any shape by LSQR (Paige and Saunders, 1982).

    Parameters
    ----------
    A : CsrMatrix, sparse matrix of SciPy's, array_like or LinearOperator
        A matrix, or an operator with `shape`, `matvec` and `rmatvec`.
    b : array_like
        The right-hand side, with an element for each row.
    damp : float
        ||b - A x||² + damp² ||x - x0||² is minimised.
    atol, btol : float, optional
        It stops at ||Aᴴ (b - A x)|| <= atol ||A|| ||b - A x||, or at ||b - A x|| <= max(atol, btol) ||b||. Without them
        both are 1e-6, or 1e-5 in single precision.
    conlim, show
        Accepted for SciPy's sake: the condition is not estimated, and nothing is printed.
    iter_lim : int, optional
        The most iterations; else ten times as many as unknowns.
    calc_var : bool
        A NotImplementedError where it is true: the library estimates no variances.
    x0 : array_like, optional
        The start of the iteration; else zero.

    Returns
    -------
    LeastSquaresSolution
        It unpacks as SciPy's (x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var). anorm is the Frobenius
        norm of a matrix, and NaN of an operator; acond is NaN and var None.

    Examples
    --------
    >>> import affinimath as am
    >>> x, istop, itn, r1norm = am.lsqr(am.CsrMatrix([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), [1.0, 3.0, 5.0])[:4]
    >>> x.round(4), istop
    (array([1., 2.]), 1)
    """
    if calc_var:
        raise NotImplementedError("calc_var: the library estimates no variances")
    x, istop, damped, found = _least_squares("lsqr", A, b, damp, atol, btol, iter_lim, x0)
    r2norm = float(np.hypot(found["residual"], damped))
    return _solution(
        found, x, istop, found["iterations"], found["residual"], r2norm, found["anorm"], np.nan,
        found["normal_residual"], float(np.linalg.norm(x)), None,
    )  # fmt: skip


def lsmr(
    A: Any,  # noqa: N803
    b: Any,
    damp: float = 0.0,
    atol: float | None = None,
    btol: float | None = None,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: Any = None,
) -> LeastSquaresSolution:
    """Minimises ||b - A x|| by LSMR (Fong and Saunders, 2011), of which ||Aᴴ (b - A x)|| decreases in each iteration.

    The arguments are those of `lsqr`, in which `maxiter` is `iter_lim`.

    Returns
    -------
    LeastSquaresSolution
        It unpacks as SciPy's (x, istop, itn, normr, normar, norma, conda, normx). norma is the Frobenius norm of a
        matrix, and NaN of an operator; conda is NaN.

    Examples
    --------
    >>> import affinimath as am
    >>> x, istop = am.lsmr(am.CsrMatrix([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), [1.0, 3.0, 5.0])[:2]
    >>> x.round(4), istop
    (array([1., 2.]), 1)
    """
    x, istop, _, found = _least_squares("lsmr", A, b, damp, atol, btol, maxiter, x0)
    return _solution(
        found, x, istop, found["iterations"], found["residual"], found["normal_residual"], found["anorm"], np.nan,
        float(np.linalg.norm(x)),
    )  # fmt: skip


def _least_squares(
    method: str, a: Any, b: Any, damp: float, atol: float | None, btol: float | None, limit: int | None, x0: Any
) -> tuple[np.ndarray, int, float, dict[str, Any]]:
    """The solution, SciPy's istop, damp ||x - x0||, and the library's outcome."""
    a = system(a)
    problem = Problem(a, b, x0, square=False)
    if not 0 <= damp < np.inf:
        raise ValueError(f"damp is {damp!r}, and is a number from 0 on")
    least = _LEAST.get(problem.dtype, 1e-6)
    atol, btol = least if atol is None else atol, least if btol is None else btol
    start = problem.x
    outcome, reason = problem.run(method, atol, btol * float(np.linalg.norm(problem.b)), limit, damping=damp)
    x = problem.x
    istop = 0 if not problem.b.any() and not x.any() else _ISTOPS[reason]
    anorm = float(np.linalg.norm(a.sorted().data)) if isinstance(a, CsrMatrix) else np.nan
    found = {
        "reason": reason,
        "iterations": outcome.iterations,
        "residual": outcome.residual,
        "relative_residual": outcome.relative_residual,
        "normal_residual": outcome.normal_residual,
        "anorm": anorm,
    }
    return x, istop, damp * float(np.linalg.norm(x - start)), found


def _solution(found: dict[str, Any], x: np.ndarray, istop: int, *rest: Any) -> LeastSquaresSolution:
    made = LeastSquaresSolution((x, istop, *rest))
    made.x, made.istop = x, istop
    for name in ("reason", "iterations", "residual", "relative_residual", "normal_residual"):
        setattr(made, name, found[name])
    return made
