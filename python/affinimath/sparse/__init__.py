"""Sparse matrices, and solvers in `affinimath.sparse.linalg`.

>>> import affinimath as am
>>> am.sparse.CsrMatrix is am.CsrMatrix, am.sparse.linalg.cg is am.cg
(True, True)
"""

from .._csr import CsrMatrix
from . import linalg

__all__ = ["CsrMatrix", "linalg"]
