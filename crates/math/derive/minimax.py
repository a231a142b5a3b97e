"""Minimax polynomials with coefficients that are floating-point numbers.

Remez's exchange on a dense grid of Chebyshev nodes gives the polynomial with real coefficients. They are then rounded
one after the other, lowest power first, and the rest is fitted anew after each: so later coefficients make up for the
rounding of earlier ones. These fits work on corrections of the real coefficients, for which Python's floats are enough.
"""

from dataclasses import dataclass

from mpmath import cos, mpf, pi

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


def minimax(function, interval, powers, formats, scale=None, fixed=None):
    """The polynomial in `powers` that is nearest to `function` on `interval`, by |error / scale|.

    `formats` is the format of all coefficients, or a list of one for each power. `scale` is `function` unless given.
    `fixed` maps powers to coefficients that are given. Give (0, b) for even and odd functions.
    """
    powers = list(powers)
    formats = dict(zip(powers, formats if isinstance(formats, (list, tuple)) else [formats] * len(powers)))
    chosen = {power: mpf(value) for power, value in (fixed or {}).items()}
    free = sorted(power for power in powers if power not in chosen)
    points = _chebyshev_nodes(interval, GRID_POINTS_PER_TERM * (len(free) + 2))
    scales = [1 / abs((scale or function)(x)) for x in points]
    target = [
        (function(x) - sum(c * x**p for p, c in chosen.items())) * s for x, s in zip(points, scales)
    ]
    columns = {power: [x**power * s for x, s in zip(points, scales)] for power in free}
    real, residual = _fit(target, columns, points)

    # From here on `residual` is the error of the real coefficients plus the corrections made so far.
    residual = [float(r) for r in residual]
    columns = {power: [float(c) for c in column] for power, column in columns.items()}
    corrections = {power: 0.0 for power in free}
    while free:
        wanted = real[free[0]] + _fit(residual, columns, points)[0][free[0]]
        power = free.pop(0)
        column = columns.pop(power)
        attempts = []
        for candidate in formats[power].neighbours(wanted):
            correction = float(candidate - real[power])
            left = [r - correction * c for r, c in zip(residual, column)]
            attempts.append((_largest(_fit(left, columns, points)[1]), candidate, left))
        _, chosen[power], residual = min(attempts, key=lambda attempt: attempt[0])

    def value(x):
        return sum(c * x**p for p, c in chosen.items())

    error = max(abs(function(x) - value(x)) * s for x, s in zip(points, scales))
    return Polynomial(tuple(powers), tuple(chosen[power] for power in powers), error)


def _chebyshev_nodes(interval, count):
    low, high = (mpf(end) for end in interval)
    # An even count has no node in the middle, where monomials may vanish.
    count += count % 2
    return [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def _largest(errors):
    return max(abs(error) for error in errors)


def _fit(target, columns, points):
    """Minimax coefficients by power, and the errors. Exchanges until the errors at the reference are the largest."""
    if not columns:
        return {}, target
    # The lowest power is a common factor; where it is negative the error's sign changes without being a zero of the
    # other factor, which alternation counts.
    signs = [-1 if x < 0 and min(columns) % 2 else 1 for x in points]
    terms, last = len(columns), len(points) - 1
    reference = [round((1 - float(cos(pi * i / terms))) / 2 * last) for i in range(terms + 1)]
    best = None
    for _ in range(MAX_EXCHANGES):
        rows = [[column[i] for column in columns.values()] + [(-1) ** k * signs[i]] for k, i in enumerate(reference)]
        solution = _solve(rows, [target[i] for i in reference])
        errors = target
        for coefficient, column in zip(solution, columns.values()):
            errors = [e - coefficient * c for e, c in zip(errors, column)]
        largest = _largest(errors)
        if best is None or largest < best[0]:
            best = (largest, dict(zip(columns, solution)), errors)
        if largest <= abs(solution[-1]) * (1 + LEVELLED):
            break
        reference = _exchange([e * s for e, s in zip(errors, signs)], reference)
    return best[1], best[2]


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
