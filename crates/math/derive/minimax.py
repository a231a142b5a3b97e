"""Minimax polynomials with coefficients that are floating-point numbers.

Remez's exchange on a dense grid of Chebyshev nodes gives the polynomial with real coefficients. They are then rounded
one after the other, lowest power first, and the rest is fitted anew after each: so later coefficients make up for the
rounding of earlier ones. These fits work on corrections of the real coefficients. Python's floats are enough for them
on intervals about 0; monomials of intervals on one side of it are nearly dependent, and need the exact ones.
"""

from dataclasses import dataclass

from mpmath import cos, ldexp, mpf, pi

try:
    import gmpy2

    EXACT_BITS = 200
    gmpy2.get_context().precision = EXACT_BITS
except ImportError:
    gmpy2 = None

GRID_POINTS_PER_TERM = 48
MAX_EXCHANGES = 100
LEVELLED = 1e-6


@dataclass(frozen=True)
class Polynomial:
    """The sum of `coefficients[i] x**powers[i]`."""

    powers: tuple
    coefficients: tuple
    # The largest error relative to the scale.
    error: mpf

    def __call__(self, x):
        return sum(c * x**p for p, c in zip(self.powers, self.coefficients))


def minimax(function, interval, powers, formats, scale=None, fixed=None, exact=False):
    """The polynomial in `powers` that is nearest to `function` on `interval`, by |error / scale|.

    `formats` is the format of all coefficients, or a list of one for each power. `scale` is `function` unless given.
    `fixed` maps powers to coefficients that are given. Give (0, b) for even and odd functions.
    With `exact`, all fits have 200 bits. It needs gmpy2.
    """
    powers = list(powers)
    formats = dict(zip(powers, formats if isinstance(formats, (list, tuple)) else [formats] * len(powers)))
    chosen = {power: mpf(value) for power, value in (fixed or {}).items()}
    free = sorted(power for power in powers if power not in chosen)
    points = _chebyshev_nodes(interval, (16 if exact else GRID_POINTS_PER_TERM) * (len(free) + 2))
    scales = [1 / abs((scale or function)(x)) for x in points]
    target = [
        (function(x) - sum(c * x**p for p, c in chosen.items())) * s for x, s in zip(points, scales)
    ]
    columns = {power: [x**power * s for x, s in zip(points, scales)] for power in free}
    if exact:
        target = [_to_mpfr(t) for t in target]
        columns = {power: [_to_mpfr(c) for c in column] for power, column in columns.items()}
    real, residual, reference = _fit(target, columns, points)

    # From here on `residual` is the error of the real coefficients plus the corrections made so far.
    number = _to_mpfr if exact else float
    residual = [number(r) for r in residual]
    columns = {power: [number(c) for c in column] for power, column in columns.items()}
    while free:
        corrections, _, reference = _fit(residual, columns, points, reference if exact else None)
        wanted = _to_mpf(real[free[0]] + corrections[free[0]])
        power = free.pop(0)
        column = columns.pop(power)
        attempts = []
        for candidate in formats[power].neighbours(wanted):
            correction = number(candidate - _to_mpf(real[power]))
            left = [r - correction * c for r, c in zip(residual, column)]
            _, errors, _ = _fit(left, columns, points, reference[:-1] if exact else None)
            attempts.append((_largest(errors), candidate, left))
        _, chosen[power], residual = min(attempts, key=lambda attempt: attempt[0])
        reference = reference[:-1]

    def value(x):
        return sum(c * x**p for p, c in chosen.items())

    error = max(abs(function(x) - value(x)) * s for x, s in zip(points, scales))
    return Polynomial(tuple(powers), tuple(chosen[power] for power in powers), error)


def _to_mpfr(x):
    if not isinstance(x, mpf):
        return x
    sign, mantissa, exponent, _ = x._mpf_
    with gmpy2.context(precision=EXACT_BITS):
        return gmpy2.mpfr(int(-mantissa if sign else mantissa)) * gmpy2.exp2(exponent)


def _to_mpf(x):
    return x if isinstance(x, (float, mpf)) else ldexp(*(int(part) for part in x.as_mantissa_exp()))


def _chebyshev_nodes(interval, count):
    low, high = (mpf(end) for end in interval)
    # An even count has no node in the middle, where monomials may vanish.
    count += count % 2
    return [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def _largest(errors):
    return max(abs(error) for error in errors)


def _fit(target, columns, points, reference=None):
    """Minimax coefficients by power, the errors, and the reference. Exchanges until its errors are the largest."""
    if not columns:
        return {}, target, []
    # The lowest power is a common factor; where it is negative the error's sign changes without being a zero of the
    # other factor, which alternation counts.
    signs = [-1 if x < 0 and min(columns) % 2 else 1 for x in points]
    terms, last = len(columns), len(points) - 1
    reference = reference or [round((1 - float(cos(pi * i / terms))) / 2 * last) for i in range(terms + 1)]
    best = None
    for _ in range(MAX_EXCHANGES):
        rows = [[column[i] for column in columns.values()] + [(-1) ** k * signs[i]] for k, i in enumerate(reference)]
        solution = _solve(rows, [target[i] for i in reference])
        errors = target
        for coefficient, column in zip(solution, columns.values()):
            errors = [e - coefficient * c for e, c in zip(errors, column)]
        largest = _largest(errors)
        if best is None or largest < best[0]:
            best = (largest, dict(zip(columns, solution)), errors, reference)
        if largest <= abs(solution[-1]) * (1 + LEVELLED):
            break
        reference = _exchange([e * s for e, s in zip(errors, signs)], reference)
    return best[1:]


def _solve(rows, right):
    """The solution of a linear system, by elimination with partial pivoting, in the numbers' own arithmetic."""
    system = [row + [value] for row, value in zip(rows, right)]
    size = len(system)
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(system[i][k]))
        system[k], system[pivot] = system[pivot], system[k]
        for i in range(k + 1, size):
            factor = system[i][k] / system[k][k]
            if factor:
                system[i] = [a - factor * b for a, b in zip(system[i], system[k])]
    solution = [None] * size
    for k in reversed(range(size)):
        known = sum(system[k][j] * solution[j] for j in range(k + 1, size))
        solution[k] = (system[k][size] - known) / system[k][k]
    return solution


def _exchange(errors, reference):
    """Extrema of alternating sign: one of each run of equal signs, the largest adjacent ones if there are more."""
    runs = []
    for index, error in enumerate(errors):
        if runs and (error > 0) == (errors[runs[-1]] > 0):
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = index
        else:
            runs.append(index)
    wanted = len(reference)
    while len(runs) > wanted:
        if len(runs) == wanted + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        else:
            # Two neighbours leave together, so that signs still alternate.
            pair = min(range(len(runs) - 1), key=lambda i: max(abs(errors[runs[i]]), abs(errors[runs[i + 1]])))
            del runs[pair : pair + 2]
    # Errors at rounding's level have too few runs: the best fit so far is as good as floats give.
    return runs if len(runs) == wanted else reference
