"""Iterations of which each step's x is told to the caller: the library's own keep it to themselves.

Products and preconditioners are functions; everything else is NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Apply = Callable[[np.ndarray], np.ndarray]
Told = Callable[[np.ndarray], object]
Ended = tuple[np.ndarray, str, int]


def _norm(x: np.ndarray) -> float:
    return float(np.linalg.norm(x))


def cg(a: Apply, m: Apply, b: np.ndarray, x: np.ndarray, bound: float, limit: int, told: Told) -> Ended:
    """Preconditioned conjugate gradients (Hestenes and Stiefel 1952; Saad 2003, algorithm 9.1)."""
    r = b - a(x)
    if _norm(r) <= bound:
        return x, "converged", 0
    z = m(r)
    p, rho = z, np.vdot(r, z).real
    for step in range(1, limit + 1):
        q = a(p)
        curvature = np.vdot(p, q).real
        if not np.isfinite(curvature):
            return x, "breakdown", step - 1
        if curvature <= 0 or rho <= 0:
            return x, "not positive definite", step - 1
        alpha = x.dtype.type(rho / curvature)
        x = x + alpha * p
        r = r - alpha * q
        told(x)
        if _norm(r) <= bound:
            return x, "converged", step
        z = m(r)
        rho, before = np.vdot(r, z).real, rho
        p = z + x.dtype.type(rho / before) * p
    return x, "limit", limit


def bicgstab(a: Apply, m: Apply, b: np.ndarray, x: np.ndarray, bound: float, limit: int, told: Told) -> Ended:
    """Stabilised biconjugate gradients, preconditioned from the right (van der Vorst 1992)."""
    r = b - a(x)
    if _norm(r) <= bound:
        return x, "converged", 0
    shadow, p, v = r, np.zeros_like(r), np.zeros_like(r)
    rho = alpha = omega = x.dtype.type(1)
    for step in range(1, limit + 1):
        rho, before = np.vdot(shadow, r), rho
        if rho == 0 or omega == 0 or not np.isfinite(rho):
            return x, "breakdown", step - 1
        p = r + (rho / before) * (alpha / omega) * (p - omega * v)
        turned = m(p)
        v = a(turned)
        slope = np.vdot(shadow, v)
        if slope == 0 or not np.isfinite(slope):
            return x, "breakdown", step - 1
        alpha = rho / slope
        s = r - alpha * v
        half = m(s)
        t = a(half)
        square = np.vdot(t, t)
        omega = np.vdot(t, s) / square if square != 0 else x.dtype.type(0)
        x = x + alpha * turned + omega * half
        r = s - omega * t
        told(x)
        if _norm(r) <= bound:
            return x, "converged", step
    return x, "limit", limit


def minres(a: Apply, m: Apply, b: np.ndarray, x: np.ndarray, bound: float, limit: int, told: Told) -> Ended:
    """Minimal residuals by the Lanczos process (Paige and Saunders, 1975)."""
    v = b - a(x)
    if _norm(v) <= bound:
        return x, "converged", 0
    z = m(v)
    square = np.vdot(v, z).real
    if square <= 0:
        return x, "not positive definite", 0
    gamma, gamma_before, eta = np.sqrt(square), 1.0, np.sqrt(square)
    cosine, cosine_before, sine, sine_before = 1.0, 1.0, 0.0, 0.0
    v_before = w = w_before = np.zeros_like(v)
    scalar = x.dtype.type
    for step in range(1, limit + 1):
        z = z / scalar(gamma)
        q = a(z)
        delta = np.vdot(z, q).real
        v, v_before = q - scalar(delta / gamma) * v - scalar(gamma / gamma_before) * v_before, v
        z, z_before = m(v), z
        square = np.vdot(v, z).real
        if not np.isfinite(square) or not np.isfinite(delta):
            return x, "breakdown", step - 1
        gamma_before, gamma = gamma, np.sqrt(max(square, 0.0))
        first = cosine * delta - cosine_before * sine * gamma_before
        pivot = np.hypot(first, gamma)
        second = sine * delta + cosine_before * cosine * gamma_before
        third = sine_before * gamma_before
        if pivot == 0:
            return x, "stagnated", step - 1
        cosine_before, sine_before, cosine, sine = cosine, sine, first / pivot, gamma / pivot
        w, w_before = (z_before - scalar(third) * w_before - scalar(second) * w) / scalar(pivot), w
        x = x + scalar(cosine * eta) * w
        eta = -sine * eta
        told(x)
        # With a preconditioner eta is the residual's norm in another metric: the residual itself decides.
        if _norm(b - a(x)) <= bound:
            return x, "converged", step
        if gamma == 0:
            return x, "stagnated", step
    return x, "limit", limit
