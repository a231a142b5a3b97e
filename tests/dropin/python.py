"""Linear algebra of NumPy and SciPy, as numbers: run with and without the drop-in, it prints the same within rounding.

Each line is a name, a threshold and numbers: residuals, which are small in both runs, and results, which agree.
"""

import numpy as np
import scipy.linalg as sl

rng = np.random.default_rng(7)


def small(name, value, scale):
    """A residual in units of what rounding may make of it."""
    ratio = float(np.max(np.abs(value))) / float(scale) if np.size(value) else 0.0
    assert ratio < 30.0, f"{name}: {ratio}"


def say(name, value, digits):
    """A result, to the digits that rounding leaves."""
    value = np.asarray(value).ravel()
    value = np.concatenate([value.real, value.imag])
    print(name, " ".join(f"{x:.{digits}g}" for x in value[:: max(1, len(value) // 12)] + 0.0))


for dtype in "fdFD":
    eps = np.finfo(dtype).eps
    digits = 3 if eps > 1e-10 else 9
    for n in (1, 5, 40, 150):
        a = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n)) + 2 * n**0.5 * np.eye(n)
        b = rng.standard_normal((n, 3)) + 1j * rng.standard_normal((n, 3))
        tall = rng.standard_normal((2 * n + 3, n)) + 1j * rng.standard_normal((2 * n + 3, n))
        a, b, tall = ((x if dtype in "FD" else x.real).astype(dtype) for x in (a, b, tall))
        spd = (a.conj().T @ a + n * np.eye(n)).astype(dtype)
        scale = n * eps * np.abs(a).sum(0).max()
        for order in "CF":
            a, spd, tall = (np.array(x, order=order) for x in (a, spd, tall))
            name = f"{dtype}{n}{order}"
            x = np.linalg.solve(a, b)
            small(name + " solve", a @ x - b, scale * np.abs(x).max())
            say(name + " solve", x, digits)
            say(name + " inv", np.linalg.inv(a), digits)
            say(name + " det", np.linalg.slogdet(a), digits)
            low = np.linalg.cholesky(spd)
            small(name + " cholesky", low @ low.conj().T - spd, n * eps * np.abs(spd).sum(0).max())
            q, r = np.linalg.qr(tall)
            small(name + " qr", q @ r - tall, n * eps * np.abs(tall).sum(0).max())
            small(name + " orthogonal", q.conj().T @ q - np.eye(n), 3 * n * eps)
            say(name + " r", np.abs(np.diag(r)), digits)
            say(name + " lstsq", np.linalg.lstsq(tall, np.ones((2 * n + 3, 1), dtype), rcond=None)[0], digits)
            lu, pivots = sl.lu_factor(a)
            print(name, "pivots", *pivots)
            small(name + " lu_solve", a @ sl.lu_solve((lu, pivots), b) - b, scale * np.abs(x).max())
            for trans in (1, 2):
                y = sl.lu_solve((lu, pivots), b, trans=trans)
                of_a = a.T if trans == 1 else a.conj().T
                small(name + " lu_solve", of_a @ y - b, n * eps * np.abs(of_a).sum(0).max() * np.abs(y).max())
            for lower in (False, True):
                y = sl.cho_solve(sl.cho_factor(spd, lower=lower), b)
                small(name + " cho_solve", spd @ y - b, n * eps * np.abs(spd).sum(0).max() * np.abs(y).max())
            q, r = sl.qr(tall)
            small(name + " sl.qr", q @ r - tall, n * eps * np.abs(tall).sum(0).max())
            small(name + " sl.qr", q.conj().T @ q - np.eye(2 * n + 3), 3 * n * eps)
            say(name + " sl.inv", sl.inv(a), digits)
            say(name + " triangle", sl.solve_triangular(np.triu(a), b), digits)
            t, z, leading = sl.schur(a, output="complex", sort="rhp")
            small(name + " schur", z @ t @ z.conj().T - a, scale)
            say(name + " schur", leading, digits)
            say(name + " eigenvalues", np.sort(np.linalg.eigvalsh(spd)), digits)
            # Strides that are negative, in rows, in columns and in both.
            for k, back in enumerate((np.s_[::-1], np.s_[:, ::-1], np.s_[::-1, ::-1])):
                turned, right = a[back], b[::-1]
                x = np.linalg.solve(turned, right)
                small(f"{name} solve {k}", turned @ x - right, scale * np.abs(x).max())
                say(f"{name} inv {k}", np.linalg.inv(turned), digits)
                say(f"{name} det {k}", np.linalg.slogdet(turned), digits)
                say(f"{name} singular values {k}", np.linalg.svd(turned, compute_uv=False), digits)
                ones = np.ones((2 * n + 3, 1), dtype)[::-1]
                say(f"{name} lstsq {k}", np.linalg.lstsq(tall[back], ones, rcond=None)[0], digits)
                q, r = np.linalg.qr(tall[back])
                small(f"{name} qr {k}", q @ r - tall[back], n * eps * np.abs(tall).sum(0).max())

two = np.array([[1.0, 2.0], [3.0, 4.0]])
for dtype in "dD":
    # NumPy hands them over with increments that wrap around.
    for back in (np.s_[::-1], np.s_[:, ::-1]):
        assert abs(np.linalg.det(two.astype(dtype)[back]) - 2) < 4e-15

singular = np.ones((4, 4))
try:
    np.linalg.solve(singular, np.ones(4))
    raise AssertionError("a singular matrix was solved with")
except np.linalg.LinAlgError as error:
    print("singular:", error)
try:
    np.linalg.cholesky(-np.eye(3))
    raise AssertionError("an indefinite matrix was factorised")
except np.linalg.LinAlgError as error:
    print("indefinite:", error)
