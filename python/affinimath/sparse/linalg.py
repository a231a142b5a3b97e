"""The names of `scipy.sparse.linalg` that the library computes.

SciPy's sparse matrices and operators are taken as they are.

>>> import affinimath as am
>>> x, info = am.sparse.linalg.cg([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0])
>>> x.round(6), info
(array([1., 2.]), 0)
"""

from __future__ import annotations

from .._least_squares import LeastSquaresSolution
from .._operators import LinearOperator, aslinearoperator
from .._routines import bicgstab, cg, gmres, lsmr, lsqr, minres, spsolve, spsolve_triangular
from .._solvers import Solution
from .._sparse_direct import SparseFactors, factorize, factorized, inv, splu
from .._sparse_functions import is_sptriangular, matrix_power, norm, spbandwidth

__all__ = [
    "LeastSquaresSolution",
    "LinearOperator",
    "Solution",
    "SparseFactors",
    "aslinearoperator",
    "bicgstab",
    "cg",
    "factorize",
    "factorized",
    "gmres",
    "inv",
    "is_sptriangular",
    "lsmr",
    "lsqr",
    "matrix_power",
    "minres",
    "norm",
    "spbandwidth",
    "splu",
    "spsolve",
    "spsolve_triangular",
]
