"""Iterative solvers over all ranks, with the arguments of scipy.sparse.linalg."""

from __future__ import annotations

import ctypes
from typing import Any

from .._solver_options import REASONS
from ._csr import DistCsr, converted
from ._library import POINTER, SolveOptions, SolveOutcome, call, check, function
from ._vector import DistVector

_PRECONDITIONERS = {
    "jacobi": function("affinimathMpiJacobiCreate", [POINTER, POINTER]),
    "block-jacobi": function("affinimathMpiBlockJacobiCreate", [POINTER, POINTER]),
    "ilu0": function("affinimathMpiIlu0Create", [POINTER, POINTER]),
    "ic0": function("affinimathMpiIc0Create", [POINTER, POINTER]),
}


class Preconditioner:
    """An approximate inverse of each rank's block on the diagonal, for any number of solves. It ends with its grid.

    Parameters
    ----------
    A : DistCsr
        A square matrix.
    kind : {"jacobi", "block-jacobi", "ilu0", "ic0"}
        The diagonal of A, or sparse factors, incomplete LU factors or incomplete Cholesky factors of each block.

    Raises
    ------
    RankError
        A block is singular on some rank: on all ranks.
    ValueError
        `kind` is none of these, or A is not square.
    """

    def __init__(self, A: DistCsr, kind: str) -> None:  # noqa: N803
        if kind not in _PRECONDITIONERS:
            raise ValueError(f"the preconditioner is {kind!r}; there are {', '.join(map(repr, _PRECONDITIONERS))}")
        self.kind = kind
        self._matrix = A
        self._pointer = POINTER()
        check(_PRECONDITIONERS[kind](A.handle, ctypes.byref(self._pointer)))
        A.grid.own("affinimathMpiPreconditionerDestroy", self._pointer, self)

    def __repr__(self) -> str:
        return f"<Preconditioner {self.kind} of {self._matrix!r}>"

    @property
    def handle(self) -> ctypes.c_void_p:
        """The preconditioner as the C library has it. That of a closed grid is a ValueError."""
        if not self._matrix.grid.handle:
            raise ValueError("the grid is closed")
        return self._pointer


class Solution(tuple[Any, ...]):
    """A solution of an iterative solver, which unpacks as `x, info`.

    Attributes
    ----------
    x : DistVector
        The solution, or what was reached.
    info : int
        0: converged. Positive: the iterations that were made without converging. Negative: the iteration broke down.
    reason : str
        "converged", "stagnated", "breakdown", "not positive definite" or "limit".
    iterations : int
        The iterations.
    residual, relative_residual : float
        ||b - A x||, computed from x at the end, and the same over ||b||.
    """

    x: DistVector
    info: int
    reason: str
    iterations: int
    residual: float
    relative_residual: float

    def __new__(cls, x: DistVector, outcome: SolveOutcome) -> Solution:
        """Makes the tuple of x and of what SciPy's info is for the reason."""
        reason = REASONS[outcome.reason]
        failed = -1 if reason in ("breakdown", "not positive definite") else max(outcome.iterations, 1)
        made = super().__new__(cls, (x, 0 if reason == "converged" else failed))
        made.x, made.info = made
        made.reason, made.iterations = reason, outcome.iterations
        made.residual, made.relative_residual = outcome.residual, outcome.relative_residual
        return made

    def __repr__(self) -> str:
        return f"<Solution: {self.reason} after {self.iterations} iterations, residual {self.residual:.3g}>"

    @property
    def converged(self) -> bool:
        """True if the residual is as small as was asked for."""
        return self.reason == "converged"


def cg(
    A: DistCsr,  # noqa: N803, SciPy's name
    b: DistVector,
    x0: DistVector | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: str | Preconditioner | None = None,  # noqa: N803
) -> Solution:
    """Solves A x = b for a Hermitian positive definite A by conjugate gradients (Chronopoulos and Gear, 1989).

    All ranks call it together. It makes one reduction an iteration, and gives the same bits in every run on the same
    ranks.

    Parameters
    ----------
    A : DistCsr
        A square matrix, of which each rank has as many rows as elements of x. That it is Hermitian is not checked.
    b : DistVector
        The right-hand side, in the ranges of A's rows.
    x0 : DistVector, optional
        The start of the iteration; else zero.
    rtol, atol : float
        It stops at ||b - A x|| <= max(rtol ||b||, atol).
    maxiter : int, optional
        The most iterations; else ten times as many as unknowns.
    M : str or Preconditioner, optional
        A preconditioner, or what a `Preconditioner` is made of: "jacobi", "block-jacobi", "ic0" or "ilu0". All but
        "ilu0" are Hermitian positive definite where A is, as `cg` and `minres` need.

    Returns
    -------
    Solution
        It unpacks as `x, info`. That it did not converge is no error: info is not 0 then.

    Raises
    ------
    RankError
        Ranks disagree, or a block is singular and the preconditioner needs it: on all ranks.
    ValueError
        The ranges do not fit, or an argument is wrong.
    """
    return _solve("cg", A, b, x0, rtol, atol, maxiter, M)


def minres(
    A: DistCsr,  # noqa: N803
    b: DistVector,
    x0: DistVector | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: str | Preconditioner | None = None,  # noqa: N803
) -> Solution:
    """Solves A x = b for a Hermitian A, also an indefinite one, by minimal residuals (Paige and Saunders, 1975).

    The arguments and errors are those of `cg`.
    """
    return _solve("minres", A, b, x0, rtol, atol, maxiter, M)


def bicgstab(
    A: DistCsr,  # noqa: N803
    b: DistVector,
    x0: DistVector | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: str | Preconditioner | None = None,  # noqa: N803
) -> Solution:
    """Solves A x = b for a square A by stabilised biconjugate gradients (van der Vorst, 1992).

    The arguments and errors are those of `cg`.
    """
    return _solve("bicgstab", A, b, x0, rtol, atol, maxiter, M)


def gmres(
    A: DistCsr,  # noqa: N803
    b: DistVector,
    x0: DistVector | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 30,
    maxiter: int | None = None,
    M: str | Preconditioner | None = None,  # noqa: N803
) -> Solution:
    """Solves A x = b for a square A by generalised minimal residuals (Saad and Schultz, 1986).

    The arguments and errors are those of `cg`, and this.

    Parameters
    ----------
    restart : int
        Vectors that are kept before the iteration begins anew, at least 1.
    """
    return _solve("gmres", A, b, x0, rtol, atol, maxiter, M, restart)


def _solve(
    method: str,
    a: DistCsr,
    b: DistVector,
    x0: DistVector | None,
    rtol: float,
    atol: float,
    maxiter: int | None,
    m: str | Preconditioner | None,
    restart: int = 30,
) -> Solution:
    a.grid.holds(b=b, x0=x0)
    for name, vector in (("b", b), ("x0", x0)):
        if vector is not None and vector.starts != a.row_starts:
            raise ValueError(f"{name} has other ranges than A's rows, which are {a.row_starts}")
    right = converted(b, a.dtype, "b")
    x = DistVector.zeros(a.grid, a.shape[0], a.dtype, a.row_starts)
    if x0 is not None:
        x.local[...] = converted(x0, a.dtype, "x0")
    if isinstance(m, str):
        m = Preconditioner(a, m)
    handle = None if m is None else m.handle
    options = SolveOptions(rtol, atol, -1 if maxiter is None else maxiter, restart, handle)
    outcome = SolveOutcome()
    call(method, a.dtype, a.handle, right, x.local, ctypes.byref(options), ctypes.byref(outcome))
    return Solution(x, outcome)


__all__ = ["Preconditioner", "Solution", "bicgstab", "cg", "gmres", "minres"]
