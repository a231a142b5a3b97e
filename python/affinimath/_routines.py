"""The routines that take NumPy's arrays and an `Array`; those with a second function compute it where it lies."""

from __future__ import annotations

from . import (
    _bands,
    _convolution,
    _factorizations,
    _fft,
    _fft_helpers,
    _fftn,
    _generalised,
    _indefinite,
    _least_squares,
    _linalg_products,
    _lu,
    _matrix_functions,
    _norms,
    _products,
    _schur,
    _solve,
    _solvers,
    _sparse_direct,
    _sparse_functions,
    _spectral,
    _systems,
    _trigonometric,
)
from . import _on_arrays as on
from ._dispatch import takes_arrays
from .array_api import fft as on_fft
from .array_api import linalg as on_linalg

matmul = takes_arrays(_products.matmul, on.matmul)
gemm = takes_arrays(_products.gemm, on.gemm)

solve = takes_arrays(_solve.solve, on.solve)
inv = takes_arrays(_systems.inv, on.inv)
det = takes_arrays(_systems.det, on.det)
slogdet = takes_arrays(_systems.slogdet, on.slogdet)
lstsq = takes_arrays(_systems.lstsq)
solve_triangular = takes_arrays(_systems.solve_triangular, on.solve_triangular)
solve_banded = takes_arrays(_bands.solve_banded)
solveh_banded = takes_arrays(_bands.solveh_banded)
ldl = takes_arrays(_indefinite.ldl)
cholesky = takes_arrays(_factorizations.cholesky, on.cholesky_object)
qr = takes_arrays(_factorizations.qr, on.qr_object)
lu = takes_arrays(_lu.lu, on.lu_object)

eig = takes_arrays(_spectral.eig)
eigh = takes_arrays(_spectral.eigh, on.eigh)
eigh_tridiagonal = takes_arrays(_spectral.eigh_tridiagonal)
eigvalsh_tridiagonal = takes_arrays(_spectral.eigvalsh_tridiagonal)
eigvals = takes_arrays(_spectral.eigvals)
eig_banded = takes_arrays(_spectral.eig_banded)
eigvals_banded = takes_arrays(_spectral.eigvals_banded)
qz = takes_arrays(_generalised.qz)
ordqz = takes_arrays(_generalised.ordqz)
eigvalsh = takes_arrays(_spectral.eigvalsh, on.eigvalsh)
schur = takes_arrays(_schur.schur)
rsf2csf = takes_arrays(_schur.rsf2csf)
hessenberg = takes_arrays(_schur.hessenberg)
matrix_balance = takes_arrays(_schur.matrix_balance)
solve_sylvester = takes_arrays(_schur.solve_sylvester)
solve_continuous_lyapunov = takes_arrays(_schur.solve_continuous_lyapunov)
expm = takes_arrays(_matrix_functions.expm)
sqrtm = takes_arrays(_matrix_functions.sqrtm)
logm = takes_arrays(_matrix_functions.logm)
svd = takes_arrays(_spectral.svd, on.svd)
svdvals = takes_arrays(_spectral.svdvals, on.svdvals)
pinv = takes_arrays(_spectral.pinv, on.pinv)
matrix_rank = takes_arrays(_spectral.matrix_rank, on.matrix_rank)

inner = takes_arrays(_linalg_products.inner, on.inner)
outer = takes_arrays(_linalg_products.outer, on.outer)
matrix_power = takes_arrays(_linalg_products.matrix_power, on.matrix_power)
trace = takes_arrays(_linalg_products.trace, on.trace)
diagonal = takes_arrays(_linalg_products.diagonal, on_linalg.diagonal)
matrix_transpose = takes_arrays(_linalg_products.matrix_transpose, on_linalg.matrix_transpose)
cross = takes_arrays(_linalg_products.cross, on.of_two(on_linalg.cross))
tensordot = takes_arrays(_linalg_products.tensordot, on.of_two(on_linalg.tensordot))
vecdot = takes_arrays(_linalg_products.vecdot, on.of_two(on_linalg.vecdot))
block_diag = takes_arrays(_linalg_products.block_diag)
kron = takes_arrays(_linalg_products.kron)
multi_dot = takes_arrays(_linalg_products.multi_dot)
tensorinv = takes_arrays(_linalg_products.tensorinv)
tensorsolve = takes_arrays(_linalg_products.tensorsolve)
norm = takes_arrays(_norms.norm, on.norm)
matrix_norm = takes_arrays(_norms.matrix_norm, on.matrix_norm)
vector_norm = takes_arrays(_norms.vector_norm, on_linalg.vector_norm)
cond = takes_arrays(_norms.cond)

fft = takes_arrays(_fft.fft, on.along_axis(on_fft.fft))
ifft = takes_arrays(_fft.ifft, on.along_axis(on_fft.ifft))
rfft = takes_arrays(_fft.rfft, on.along_axis(on_fft.rfft))
irfft = takes_arrays(_fft.irfft, on.along_axis(on_fft.irfft))
hfft = takes_arrays(_fft.hfft, on.along_axis(on_fft.hfft))
ihfft = takes_arrays(_fft.ihfft, on.along_axis(on_fft.ihfft))
fftn = takes_arrays(_fftn.fftn, on.along_axes(on_fft.fftn))
ifftn = takes_arrays(_fftn.ifftn, on.along_axes(on_fft.ifftn))
rfftn = takes_arrays(_fftn.rfftn, on.along_axes(on_fft.rfftn))
irfftn = takes_arrays(_fftn.irfftn, on.along_axes(on_fft.irfftn))
fft2 = takes_arrays(_fftn.fft2, on.along_axes(on_fft.fftn, (-2, -1)))
ifft2 = takes_arrays(_fftn.ifft2, on.along_axes(on_fft.ifftn, (-2, -1)))
rfft2 = takes_arrays(_fftn.rfft2, on.along_axes(on_fft.rfftn, (-2, -1)))
irfft2 = takes_arrays(_fftn.irfft2, on.along_axes(on_fft.irfftn, (-2, -1)))
hfft2 = takes_arrays(_fftn.hfft2)
hfftn = takes_arrays(_fftn.hfftn)
ihfft2 = takes_arrays(_fftn.ihfft2)
ihfftn = takes_arrays(_fftn.ihfftn)
dct = takes_arrays(_trigonometric.dct)
dctn = takes_arrays(_trigonometric.dctn)
dst = takes_arrays(_trigonometric.dst)
dstn = takes_arrays(_trigonometric.dstn)
idct = takes_arrays(_trigonometric.idct)
idctn = takes_arrays(_trigonometric.idctn)
idst = takes_arrays(_trigonometric.idst)
idstn = takes_arrays(_trigonometric.idstn)
fftshift = takes_arrays(_fft_helpers.fftshift, on.fftshift)
ifftshift = takes_arrays(_fft_helpers.ifftshift, on.ifftshift)
convolve = takes_arrays(_convolution.convolve)
correlate = takes_arrays(_convolution.correlate)

cg = takes_arrays(_solvers.cg)
minres = takes_arrays(_solvers.minres)
bicgstab = takes_arrays(_solvers.bicgstab)
gmres = takes_arrays(_solvers.gmres)
lsqr = takes_arrays(_least_squares.lsqr)
lsmr = takes_arrays(_least_squares.lsmr)
spsolve_triangular = takes_arrays(_sparse_functions.spsolve_triangular)
spsolve = takes_arrays(_sparse_direct.spsolve)

for _name, _routine in list(globals().items()):
    if hasattr(_routine, "__wrapped__"):
        # Pickles find the routine here.
        _routine.__module__ = __name__
