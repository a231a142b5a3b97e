"""Dense and sparse linear algebra, Fourier transforms and convolutions of NumPy arrays, by the C library Affinimath.

The modules `linalg`, `fft` and `sparse` have the names of `numpy.linalg`, `scipy.fft` and `scipy.sparse.linalg`. The
functions here are the same, but `lu`, `qr` and `cholesky` return objects that hold the factors and solve systems.

Elements are float32, float64, complex64 or complex128, and results have the type that NumPy finds for the operands.
Integers and booleans count as float64, but for products, which stay integers; other types are a TypeError. Operands in
row-major and in column-major order, and slices of them, are read in place; others are copied first. Calls release the
interpreter's lock.

The library decides on the device or host of a call, or `set_route`, `set_device` and the environment do.
"""

from . import array_api, fft, linalg, sparse
from ._array import Array, asarray
from ._csr import CsrMatrix
from ._device import (
    device,
    device_count,
    device_names,
    get_num_threads,
    set_device,
    set_math_mode,
    set_num_threads,
    set_route,
    version,
)
from ._evaluate import evaluate
from ._factorizations import QR, Cholesky
from ._least_squares import LeastSquaresSolution
from ._library import Error, InvalidArgumentError, LinAlgError
from ._lu import LU
from ._pinned import pinned_empty
from ._routines import (
    bicgstab,
    cg,
    cholesky,
    convolve,
    correlate,
    det,
    fft2,
    gemm,
    gmres,
    ifft,
    ifft2,
    inv,
    irfft,
    irfft2,
    lsmr,
    lsqr,
    lstsq,
    lu,
    matmul,
    minres,
    qr,
    rfft,
    rfft2,
    slogdet,
    solve,
)
from ._scipy_backend import scipy_fft_backend
from ._solve import SolveResult
from ._solvers import Solution
from ._stencil import Stencil, StencilResult
from ._systems import LeastSquares
from ._threadpoolctl import register_threadpoolctl
from ._tune import TuneResult, tune, tuned

__version__ = version()

__all__ = [
    "LU",
    "QR",
    "Array",
    "Cholesky",
    "CsrMatrix",
    "Error",
    "InvalidArgumentError",
    "LeastSquares",
    "LeastSquaresSolution",
    "LinAlgError",
    "Solution",
    "SolveResult",
    "Stencil",
    "StencilResult",
    "TuneResult",
    "array_api",
    "asarray",
    "bicgstab",
    "cg",
    "cholesky",
    "convolve",
    "correlate",
    "det",
    "device",
    "device_count",
    "device_names",
    "evaluate",
    "fft",
    "fft2",
    "gemm",
    "get_num_threads",
    "gmres",
    "ifft",
    "ifft2",
    "inv",
    "irfft",
    "irfft2",
    "linalg",
    "lsmr",
    "lsqr",
    "lstsq",
    "lu",
    "matmul",
    "minres",
    "pinned_empty",
    "qr",
    "register_threadpoolctl",
    "rfft",
    "rfft2",
    "scipy_fft_backend",
    "set_device",
    "set_math_mode",
    "set_num_threads",
    "set_route",
    "slogdet",
    "solve",
    "sparse",
    "tune",
    "tuned",
    "version",
]
