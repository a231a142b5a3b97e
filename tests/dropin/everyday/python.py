"""Everyday computations of NumPy and SciPy: a line for each with its name, seconds and numbers of the result."""

import statistics
import sys
import time

import numpy as np
import scipy.linalg as sl

n = int(sys.argv[1])
rng = np.random.default_rng(7)
a = rng.standard_normal((n, n)) + 2 * n**0.5 * np.eye(n)
b = rng.standard_normal((n, n))
x = rng.standard_normal(n)
tall = rng.standard_normal((4 * n, n // 2))
spd = a.T @ a / n + np.eye(n)
symmetric = b + b.T
z = a + 1j * b
single = a.astype(np.float32)
bands = rng.standard_normal((5, 20 * n)) + 8 * (np.arange(5) == 2)[:, None]

computations = {
    "product": lambda: a @ b,
    "product float32": lambda: single @ single,
    "product complex": lambda: z @ z,
    "product with vector": lambda: a @ x,
    "Gram matrix": lambda: a.T @ a,
    "solve": lambda: np.linalg.solve(a, b),
    "solve complex": lambda: np.linalg.solve(z, x),
    "solve positive definite": lambda: sl.solve(spd, x, assume_a="pos"),
    "solve symmetric": lambda: sl.solve(symmetric, x, assume_a="sym"),
    "solve banded": lambda: sl.solve_banded((2, 2), bands, np.ones(20 * n)),
    "inverse": lambda: np.linalg.inv(a),
    "determinant": lambda: np.linalg.slogdet(a)[1],
    "Cholesky": lambda: np.linalg.cholesky(spd),
    "LU": lambda: np.abs(np.diag(sl.lu_factor(a)[0])),
    "QR": lambda: np.abs(np.diag(np.linalg.qr(tall)[1])),
    "least squares": lambda: np.linalg.lstsq(tall, np.ones(4 * n), rcond=None)[0],
    "pseudo-inverse": lambda: np.linalg.pinv(tall),
    "condition number": lambda: np.linalg.cond(a),
    "eigenvalues, symmetric": lambda: np.linalg.eigvalsh(symmetric),
    "eigenvectors, symmetric": lambda: np.linalg.eigh(symmetric)[0],
    "eigenvectors, generalised": lambda: sl.eigh(symmetric, spd)[0],
    "eigenvectors": lambda: np.sort_complex(np.linalg.eig(a)[0]),
    "singular values": lambda: np.linalg.svd(a, compute_uv=False),
    "SVD": lambda: np.linalg.svd(a)[1],
    "exponential": lambda: sl.expm(a / n),
    "square root": lambda: np.real(sl.sqrtm(spd)),
}

for name, compute in computations.items():
    result, seconds = compute(), []
    for _ in range(3):
        begin = time.perf_counter()
        result = compute()
        seconds.append(time.perf_counter() - begin)
    numbers = np.ravel(result)
    numbers = np.concatenate([numbers.real, numbers.imag])
    numbers = numbers[:: max(1, len(numbers) // 8)]
    print(name, f"{statistics.median(seconds):.6f}", " ".join(f"{value:.9g}" for value in numbers), sep="\t")
