"""gamma: the factor of (y/e)^(x - 1/2), y = x + shift, as a quotient with given poles (Lanczos 1964)."""

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import e, exp, gamma, ln, mpf, pi, rf, sqrt, taylor
from tables import File


def derive():
    file = File("gamma", "Constants of the gamma function.")
    for number_format, poles, shift, end in ((BINARY32, 6, mpf(2), 36), (BINARY64, 11, mpf(11) / 2, 172)):
        file.constant(number_format, "SHIFT", shift, "The difference of y and x.")

        limit = number_format.round(sqrt(2 * pi) * exp(-shift - mpf(1) / 2))
        file.constant(number_format, "LIMIT", limit, "The quotient of gamma x and (y/e)^(x - 1/2) for large x.")

        def quotient(x):
            return gamma(x) / ((x + shift) / e) ** (x - mpf(1) / 2)

        def numerator(x):
            return (quotient(x) - limit) * rf(x, poles)

        file.polynomial(
            number_format,
            "NUMERATOR",
            minimax(
                numerator,
                (mpf(2) ** -20, end),
                range(poles),
                number_format,
                lambda x: quotient(x) * rf(x, poles),
                exact=True,
            ),
            f"The quotient less its limit, times the divisor and x, on [0, {end}], relative to the quotient.",
        )
        divisor = [number_format.round(c) for c in taylor(lambda x: rf(x + 1, poles - 1), 0, poles - 1)]
        file.table(number_format, "DIVISOR", divisor, f"(x + 1) ... (x + {poles - 1}), exactly.")
        file.table(number_format, "LOG2_E", number_format.split(1 / ln(2), 2), "1/ln 2 as a sum.")
        file.constant(number_format, "LN_PI", number_format.round(ln(pi)), "ln π.")
        file.constant(number_format, "STIRLING", number_format.round((ln(2 * pi) - 1) / 2), "ln sqrt(2π) - 1/2.")
    return file
