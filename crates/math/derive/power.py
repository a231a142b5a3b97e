"""pow by log2 with more bits than a number has, and the cube root by the inverse cube root."""

from dataclasses import replace

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import atanh, cbrt, exp, expm1, ln, mpf, sqrt
from tables import File


def derive():
    file = File("power", "Constants of x^y and of the cube root.")
    for number_format, log_terms, exp_terms, root_degree in ((BINARY32, 4, 5, 3), (BINARY64, 9, 11, 4)):
        # For m in [√½, √2) this is (m - 1)/(m + 1).
        end = (sqrt(2) - 1) / (sqrt(2) + 1) * (1 + mpf(2) ** -20)
        factor = number_format.split(2 / ln(2), 2)
        file.constant(number_format, "TWO_LOG2_E_HI", factor[0], "2/ln 2.")
        file.constant(number_format, "TWO_LOG2_E_LO", factor[1], "2/ln 2 less its leading part.")
        pair = replace(number_format, bits=2 * number_format.bits)
        polynomial = minimax(
            lambda s: 2 * atanh(s) / ln(2) - s * sum(factor),
            (0, end),
            range(3, 2 * log_terms + 3, 2),
            [pair] + [number_format] * (log_terms - 1),
            lambda s: 2 * atanh(s) / ln(2),
        )
        cubic = number_format.split(polynomial.coefficients[0], 2)
        file.constant(number_format, "LOG2_CUBIC_HI", cubic[0], "The coefficient of s³ in log2((1 + s)/(1 - s)).")
        file.constant(number_format, "LOG2_CUBIC_LO", cubic[1], "The same less its leading part.")
        file.polynomial(
            number_format,
            "LOG2_REST",
            replace(polynomial, coefficients=polynomial.coefficients[1:]),
            "The coefficients of s⁵, s⁷, ...; of all, relative to the logarithm.",
        )
        leading = number_format.split(ln(2), 2)
        file.constant(number_format, "LN_2", leading[0], "ln 2.")
        file.constant(number_format, "LN_2_REST", leading[1], "ln 2 less its leading part.")
        file.polynomial(
            number_format,
            "EXP2_REST",
            minimax(
                lambda r: expm1(r * ln(2)) - r * sum(leading),
                (mpf(-0.5), mpf(0.5)),
                range(2, exp_terms + 2),
                number_format,
                lambda r: exp(r * ln(2)),
            ),
            "2^r - 1 - r ln 2 over r² on |r| <= 1/2, relative to 2^r.",
        )
        file.polynomial(
            number_format,
            "INVERSE_CBRT",
            minimax(lambda m: 1 / cbrt(m), (1, 2), range(root_degree + 1), number_format),
            "The inverse cube root on [1, 2], a first approximation.",
        )
        file.constant(number_format, "CBRT_2", number_format.round(cbrt(2)), "The cube root of 2.")
        file.constant(number_format, "CBRT_HALF", number_format.round(cbrt(mpf(1) / 2)), "The cube root of 1/2.")
    return file
