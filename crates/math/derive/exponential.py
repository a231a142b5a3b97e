"""exp, exp2 and expm1: 2^n times a polynomial on half an octave about 0."""

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import exp, expm1, ln, mpf
from tables import File


def derive():
    file = File("exponential", "Constants of e^x, 2^x and e^x - 1.")
    # The largest n is 150 or 1075: leading parts with so many bits fewer make their products with n exact.
    for number_format, exp_degree, exp2_degree, exponent_bits in ((BINARY32, 6, 6, 8), (BINARY64, 11, 11, 11)):
        half_octave = ln(2) / 2 * (1 + mpf(2) ** -16)
        file.constant(number_format, "LOG2_E", number_format.round(1 / ln(2)), "1/ln 2.")
        high, low = number_format.split(ln(2), 2, number_format.bits - exponent_bits)
        file.constant(number_format, "LN_2_HI", high, f"ln 2, with {exponent_bits} zeros at the end.")
        file.constant(number_format, "LN_2_LO", low, "ln 2 less its leading part.")
        file.polynomial(
            number_format,
            "EXP",
            minimax(lambda x: expm1(x) - x, (-half_octave, half_octave), range(2, exp_degree + 1), number_format, exp),
            "e^r - 1 - r over r² on |r| <= ln 2 / 2, relative to e^r.",
        )
        file.polynomial(
            number_format,
            "EXPM1",
            minimax(
                lambda x: expm1(x) - x, (-half_octave, half_octave), range(2, exp_degree + 2), number_format, expm1
            ),
            "e^r - 1 - r over r² on |r| <= ln 2 / 2, relative to e^r - 1.",
        )
        file.polynomial(
            number_format,
            "EXP2",
            minimax(
                lambda x: expm1(x * ln(2)),
                (-0.5, 0.5),
                range(1, exp2_degree + 1),
                number_format,
                lambda x: exp(x * ln(2)),
            ),
            "2^r - 1 over r on |r| <= 1/2, relative to 2^r.",
        )
    return file
