"""A product and a system of linear equations on NumPy's arrays, over the C library by ctypes.

    LD_LIBRARY_PATH=$PREFIX/lib python3 affinimath_ctypes.py
"""

import ctypes

import numpy as np

ROW_MAJOR, COLUMN_MAJOR = 101, 102
NO_TRANS = 111

library = ctypes.CDLL("libaffinimath.so.0")
integer, pointer, enum = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int
library.affinimathDgemm.argtypes = [
    *[enum] * 3, *[integer] * 3, ctypes.c_double, pointer, integer, pointer, integer, ctypes.c_double, pointer, integer,
]
library.affinimathDgesv.argtypes = [enum, integer, integer, pointer, integer, pointer, pointer, integer]
library.affinimathLastError.restype = ctypes.c_char_p


def check(status):
    """Raises an error for a status other than 0."""
    if status > 0:
        raise np.linalg.LinAlgError(f"the matrix is singular: pivot {status} is zero")
    if status < 0:
        raise ValueError(library.affinimathLastError().decode())


def gemm(a, b):
    """The product of two matrices."""
    a, b = np.ascontiguousarray(a, float), np.ascontiguousarray(b, float)
    (m, k), (inner, n) = a.shape, b.shape
    if inner != k:
        raise ValueError(f"{m} x {k} times {inner} x {n}")
    c = np.empty((m, n))
    lda, ldb, ldc = (max(columns, 1) for columns in (k, n, n))
    check(library.affinimathDgemm(
        ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1.0, a.ctypes.data, lda, b.ctypes.data, ldb, 0.0, c.ctypes.data, ldc,
    ))
    return c


def solve(a, b):
    """The solution of A x = b for a matrix and one or several right-hand sides, which are the columns of b."""
    # LAPACK overwrites its arguments, which are column-major: it gets copies.
    factors, x = np.array(a, float, order="F"), np.array(b, float, order="F")
    n = len(x)
    if factors.shape != (n, n):
        raise ValueError(f"a matrix of shape {factors.shape} and right-hand sides of length {n}")
    pivots = np.empty(n, np.int32)
    check(library.affinimathDgesv(
        COLUMN_MAJOR, n, x.size // max(n, 1), factors.ctypes.data, max(n, 1), pivots.ctypes.data,
        x.ctypes.data, max(n, 1),
    ))
    return x


if __name__ == "__main__":
    random = np.random.default_rng(1)
    a, b = random.standard_normal((300, 300)), random.standard_normal((300, 2))
    x = solve(a, b)
    residual = np.abs(gemm(a, x) - b).max()
    print(f"largest residual: {residual:.1e}")
    assert residual < 1e-9 and np.allclose(gemm(a, b), a @ b)
    try:
        solve(np.ones((2, 2)), np.ones(2))
    except np.linalg.LinAlgError as error:
        print(f"as expected: {error}")
    else:
        raise SystemExit("a singular matrix was not noticed")
