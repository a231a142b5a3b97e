"""Transforms of pyFFTW over the drop-in, against NumPy's."""

import numpy as np
import pyfftw

generator = np.random.default_rng(3)
# The drop-in's wisdom is empty.
assert pyfftw.export_wisdom()[0].startswith(b"(fftw-3.3.10 fftw_wisdom #x0 #x0"), pyfftw.export_wisdom()[0]


def close(x, y, precision):
    scale = np.linalg.norm(y)
    assert np.linalg.norm(x - y) <= 20 * np.finfo(precision).eps * max(scale, 1), np.linalg.norm(x - y) / scale


for real, cplx in (("float64", "complex128"), ("float32", "complex64")):
    for shape, axes in (((17,), (0,)), ((128,), (0,)), ((6, 20), (0, 1)), ((4, 9, 10), (1,)), ((4, 9, 10), (2, 0))):
        points = generator.standard_normal((2, *shape))
        x = pyfftw.empty_aligned(shape, dtype=cplx)
        y = pyfftw.empty_aligned(shape, dtype=cplx)
        forward = pyfftw.FFTW(x, y, axes=axes, threads=2)
        backward = pyfftw.FFTW(y, x, axes=axes, direction="FFTW_BACKWARD")
        x[...] = points[0] + 1j * points[1]
        before = x.copy()
        close(forward(), np.fft.fftn(before, axes=axes), real)
        close(backward(), before, real)
    for n in (8, 15, 30):
        x = generator.standard_normal((5, n)).astype(real)
        half = pyfftw.builders.rfft(x)()
        close(half, np.fft.rfft(x), real)
        close(pyfftw.builders.irfft(half, n=n)(), x, real)

state = pyfftw.export_wisdom()
pyfftw.forget_wisdom()
assert pyfftw.import_wisdom(state)[:2] == (True, True)
