"""Linear algebra and Fourier transforms over the ranks of an MPI program, by mpi4py and the C library Affinimath.

It is imported by its name, `import affinimath.mpi`, and needs mpi4py and `libaffinimath_mpi.so`, which
`AFFINIMATH_MPI_LIBRARY` may name. All ranks of a grid call its functions together, with the same arguments but for
local parts: what is wrong on one rank is an error on all of them.

Matrices, vectors and blocks lie in host memory: each rank has its part as a NumPy array.
"""

from ._csr import DistCsr, TransposedCsr
from ._factors import LU, QR, Cholesky, cholesky, lu, qr, solve
from ._fft import DistFft
from ._grid import Grid
from ._library import RankError
from ._matrix import DistMatrix, TransposedMatrix, gemm
from ._solvers import Preconditioner, Solution, bicgstab, cg, gmres, minres
from ._vector import DistVector

__all__ = [
    "LU",
    "QR",
    "Cholesky",
    "DistCsr",
    "DistFft",
    "DistMatrix",
    "DistVector",
    "Grid",
    "Preconditioner",
    "RankError",
    "Solution",
    "TransposedCsr",
    "TransposedMatrix",
    "bicgstab",
    "cg",
    "cholesky",
    "gemm",
    "gmres",
    "lu",
    "minres",
    "qr",
    "solve",
]
