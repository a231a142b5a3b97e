"""Functions of square matrices, with the arguments of `scipy.linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import columns, common_dtype, finite, square
from ._library import LinAlgError
from ._products import matmul
from ._schur import adjoint, triangular_form, triangular_sylvester
from ._solve import solve

#: Largest 1-norms for which the Padé approximants of the exponential have the accuracy of the type (Higham 2005).
_EXPM_BOUNDS = {
    True: {
        3: 1.495585217958292e-2,
        5: 2.539398330063230e-1,
        7: 9.504178996162932e-1,
        9: 2.097847961257068,
        13: 5.371920351148152,
    },
    False: {3: 4.258730016922831e-1, 5: 1.880152677804762, 7: 3.925724783138660},
}
#: Order up to which a triangular square root is computed element by element.
_SMALL = 24
#: Square roots after which a logarithm's argument is near the identity for any finite matrix.
_MAX_ROOTS = 100
#: Nodes of the logarithm's approximant, and the largest 1-norm for which it has double accuracy (Higham 2008).
_LOGM_DEGREE, _LOGM_BOUND = 7, 0.264


def _one_norm(a: np.ndarray) -> float:
    return float(np.abs(a).sum(axis=0).max(initial=0))


def _pade(a: np.ndarray, degree: int) -> np.ndarray:
    """The diagonal Padé approximant of the exponential."""
    coefficients = [1.0]
    for k in range(1, degree + 1):
        # The quotient of neighbouring coefficients.
        coefficients.append(coefficients[-1] * (degree - k + 1) / (k * (2 * degree - k + 1)))
    identity = np.eye(len(a), dtype=a.dtype)
    squared = matmul(a, a)
    even, odd, power = coefficients[0] * identity, coefficients[1] * identity, identity
    for k in range(2, degree + 1, 2):
        power = squared if k == 2 else matmul(power, squared)
        even = even + coefficients[k] * power
        if k < degree:
            odd = odd + coefficients[k + 1] * power
    odd = matmul(a, odd)
    return np.asarray(solve(even - odd, even + odd))


def _expm(a: np.ndarray) -> np.ndarray:
    bounds = _EXPM_BOUNDS[a.real.dtype == np.float64]
    size = _one_norm(a)
    for degree, bound in bounds.items():
        if size <= bound:
            return _pade(a, degree)
    degree, bound = max(bounds.items())
    squarings = max(int(np.ceil(np.log2(size / bound))), 0)
    result = _pade(np.ldexp(1.0, -squarings).astype(a.real.dtype) * a, degree)
    for _ in range(squarings):
        result = np.asarray(matmul(result, result))
    return result


def expm(A: Any) -> np.ndarray:
    """The exponential of a square matrix, or of each of a stack, by Padé approximants with scaling (Higham 2005).

    Parameters
    ----------
    A : array_like
        A matrix of shape (n, n), or a stack of them.

    Returns
    -------
    ndarray
        exp(A), of the same shape.

    Raises
    ------
    ValueError
        A has a NaN or an infinity.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).round(12)
    array([[1., 1.],
           [0., 1.]])
    >>> bool(np.allclose(am.linalg.expm([[0.0, np.pi], [-np.pi, 0.0]]), -np.eye(2)))
    True
    """
    a = square(A, "A")
    finite(a, "A")
    dtype = common_dtype(a, names=("A",))
    result = np.empty(a.shape, dtype)
    for index in np.ndindex(a.shape[:-2]):
        if a.shape[-1]:
            result[index] = _expm(np.asarray(a[index], dtype))
    return result


def _triangular_root(t: np.ndarray) -> tuple[np.ndarray, bool]:
    """The square root of a triangular matrix (Deadman, Higham and Ralha 2013); true where its equation is singular."""
    n = len(t)
    root = np.zeros((n, n), t.dtype, order="F")
    if n > _SMALL:
        half = n // 2
        first, singular = _triangular_root(t[:half, :half])
        second, other = _triangular_root(t[half:, half:])
        root[:half, :half], root[half:, half:] = first, second
        root[:half, half:], perturbed = triangular_sylvester(first, second, t[:half, half:])
        return root, singular or other or perturbed
    diagonal = np.sqrt(t.diagonal())
    singular = False
    for j in range(n):
        root[j, j] = diagonal[j]
        for i in range(j - 1, -1, -1):
            rest = t[i, j] - root[i, i + 1 : j] @ root[i + 1 : j, j]
            divisor = diagonal[i] + diagonal[j]
            if rest != 0 and divisor == 0:
                singular, divisor = True, np.finfo(t.dtype).tiny
            root[i, j] = rest / divisor if rest != 0 else 0
    return root, singular


def _triangular(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """A triangular Schur form and its vectors: a real one where all eigenvalues are real and none is negative."""
    dtype = common_dtype(a, names=("A",))
    t, z, w = triangular_form(a, dtype)
    if dtype.kind == "c" or not (w.imag.any() or (w.real < 0).any()):
        return t, z, False
    t, z, _ = triangular_form(a, np.result_type(dtype, np.complex64))
    # Real, where no eigenvalue is real and negative: then the function is that of conjugate pairs.
    return t, z, not ((w.imag == 0) & (w.real < 0)).any()


def sqrtm(A: Any) -> np.ndarray:
    """The principal square root of a square matrix, by its Schur form (Björck and Hammarling 1983).

    Parameters
    ----------
    A : array_like
        A matrix of shape (n, n).

    Returns
    -------
    ndarray
        X of X X = A, whose eigenvalues have no negative real parts. It is real for a real A without negative
        eigenvalues.

    Raises
    ------
    LinAlgError
        A is singular and has no square root, or the iteration does not converge.
    ValueError
        A has a NaN or an infinity.

    Examples
    --------
    >>> import affinimath as am
    >>> am.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]])
    array([[2., 0.],
           [0., 3.]])
    """
    a = square(A, "A")
    if a.ndim != 2:
        raise LinAlgError(f"A has {a.ndim} dimensions: a square root is that of one matrix", -1)
    finite(a, "A")
    t, z, real = _triangular(a)
    # Of a singular matrix without a root, elements are not finite.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        root, singular = _triangular_root(t)
        residual = _one_norm(matmul(root, root) - t) if singular else 0.0
    if singular and not residual <= 1e3 * len(t) * np.finfo(t.dtype).eps * _one_norm(t):
        raise LinAlgError("A is singular, and has no square root", 1)
    result = np.asarray(matmul(matmul(z, root), adjoint(z)))
    return result.real.copy() if real else result


def _triangular_log(t: np.ndarray) -> np.ndarray:
    """The logarithm of a triangular matrix by inverse scaling and squaring (Al-Mohy and Higham 2012)."""
    n, roots, root = len(t), 0, t
    identity = np.eye(n, dtype=t.dtype)
    while _one_norm(root - identity) > _LOGM_BOUND and roots < _MAX_ROOTS:
        root, roots = _triangular_root(root)[0], roots + 1
    x, logs = root - identity, np.log(t.diagonal())
    # Without cancellation: the root's diagonal less 1.
    np.fill_diagonal(x, np.expm1(np.ldexp(1.0, -roots).astype(t.real.dtype) * logs))
    nodes, weights = np.polynomial.legendre.leggauss(_LOGM_DEGREE)
    result: np.ndarray = np.zeros_like(x)
    for node, weight in zip((nodes + 1) / 2, weights / 2):
        result += t.real.dtype.type(weight) * solve(identity + t.real.dtype.type(node) * x, x)
    result = np.triu(np.ldexp(1.0, roots).astype(t.real.dtype) * result)
    np.fill_diagonal(result, logs)
    return np.asarray(result)


def logm(A: Any) -> np.ndarray:
    """The principal logarithm of a square matrix, by its Schur form.

    The method is inverse scaling and squaring (Al-Mohy and Higham 2012).

    Parameters
    ----------
    A : array_like
        A matrix of shape (n, n).

    Returns
    -------
    ndarray
        X of exp(X) = A, whose eigenvalues have imaginary parts in (-pi, pi]. It is real for a real A without negative
        eigenvalues.

    Raises
    ------
    LinAlgError
        A is singular, or the iteration does not converge.
    ValueError
        A has a NaN or an infinity.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> am.linalg.logm([[1.0, 0.0], [0.0, np.e]]).round(12)
    array([[0., 0.],
           [0., 1.]])
    """
    a = square(A, "A")
    if a.ndim != 2:
        raise LinAlgError(f"A has {a.ndim} dimensions: a logarithm is that of one matrix", -1)
    finite(a, "A")
    t, z, real = _triangular(a)
    if not t.diagonal().all():
        raise LinAlgError("A is singular, and has no logarithm", 1)
    if not len(t):
        return columns(a, t.dtype)
    result = np.asarray(matmul(matmul(z, _triangular_log(t)), adjoint(z)))
    return result.real.copy() if real else result
