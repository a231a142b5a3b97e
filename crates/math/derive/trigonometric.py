"""sin and cos on |r| <= π/4, and π for the reduction of arguments."""

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import cos, floor, mp, mpf, pi, sin
from tables import File

# The rounding of the quadrant makes some |r| larger than π/4.
LIMIT = mpf("0.7925")


def derive():
    file = File("trigonometric", "Constants of sines and cosines.")
    for number_format, width, largest_exponent, sin_terms, cos_terms in (
        (BINARY32, 32, 127, 4, 3),
        (BINARY64, 64, 1023, 6, 6),
    ):
        file.constant(number_format, "TWO_OVER_PI", number_format.round(2 / pi), "2/π.")
        file.table(number_format, "HALF_PI", number_format.split(pi / 2, 3), "π/2 as a sum.")
        file.table(number_format, "PI", number_format.split(pi, 2), "π as a sum.")
        # Four words from the one that holds the bits of weight 4 / x.
        count = 1 + (largest_exponent - number_format.bits + 1 - 2) // width + 4
        with mp.workprec(width * (count + 1)):
            words = [int(floor(2 / pi * 2 ** (width * word))) % 2**width for word in range(1, count)]
        file.integers(
            number_format,
            "TWO_OVER_PI_WORDS",
            [0, *words],
            f"2/π in binary, {width} bits in an integer. The first one has weight 1.",
        )
        file.polynomial(
            number_format,
            "SIN",
            minimax(lambda r: sin(r) - r, (0, LIMIT), range(3, 3 + 2 * sin_terms, 2), number_format, sin, exact=True),
            "sin r - r over r³ in r², relative to sin r.",
        )
        file.polynomial(
            number_format,
            "COS",
            minimax(
                lambda r: cos(r) - 1 + r * r / 2,
                (0, LIMIT),
                range(4, 4 + 2 * cos_terms, 2),
                number_format,
                cos,
                exact=True,
            ),
            "cos r - 1 + r²/2 over r⁴ in r², relative to cos r.",
        )
    return file
