"""Sparse matrices, and solvers in `affinimath.sparse.linalg`."""

from .._csr import CsrMatrix
from . import linalg

__all__ = ["CsrMatrix", "linalg"]
