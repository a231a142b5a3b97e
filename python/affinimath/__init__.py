"""Dense and sparse linear algebra, Fourier transforms and convolutions of NumPy arrays, by the C library Affinimath.

Numbers are float32, float64, complex64 or complex128, and results have the type that NumPy finds for the operands.
Integers and booleans count as float64; other types are refused with a TypeError. Operands in row-major and in
column-major order, and slices of them, are read where they lie; what is neither is copied first. Calls release the
interpreter's lock.

Where a call runs is the library's decision, or that of `set_route`, `set_device` and the environment.
"""

from ._convolution import convolve, correlate
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
from ._factorizations import LU, QR, Cholesky, LeastSquares, cholesky, inv, lstsq, lu, qr, solve
from ._fft import fft, fft2, ifft, ifft2, irfft, irfft2, rfft, rfft2
from ._library import Error, InvalidArgumentError, LinAlgError
from ._products import gemm, matmul
from ._sparse import CsrMatrix, Solution, bicgstab, cg, gmres, lsmr, lsqr, minres
from ._threadpoolctl import register_threadpoolctl

__version__ = version()

__all__ = [
    "LU",
    "QR",
    "Cholesky",
    "CsrMatrix",
    "Error",
    "InvalidArgumentError",
    "LeastSquares",
    "LinAlgError",
    "Solution",
    "bicgstab",
    "cg",
    "cholesky",
    "convolve",
    "correlate",
    "device",
    "device_count",
    "device_names",
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
    "lsmr",
    "lsqr",
    "lstsq",
    "lu",
    "matmul",
    "minres",
    "qr",
    "register_threadpoolctl",
    "rfft",
    "rfft2",
    "set_device",
    "set_math_mode",
    "set_num_threads",
    "set_route",
    "solve",
    "version",
]
