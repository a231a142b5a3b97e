"""sinh and cosh by the even and odd part of e^r on half an octave about 0. tanh takes the constants of expm1."""

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import cosh, ln, mpf, sinh
from tables import File


def derive():
    file = File("hyperbolic", "Constants of hyperbolic functions.")
    for number_format, odd_terms, even_terms in ((BINARY32, 3, 3), (BINARY64, 5, 5)):
        half_octave = ln(2) / 2 * (1 + mpf(2) ** -16)
        file.polynomial(
            number_format,
            "SINH",
            minimax(lambda r: sinh(r) - r, (0, half_octave), range(3, 2 * odd_terms + 2, 2), number_format, sinh),
            "sinh r - r over r³ in r², on |r| <= ln 2 / 2, relative to sinh r.",
        )
        file.polynomial(
            number_format,
            "COSH",
            minimax(lambda r: cosh(r) - 1, (0, half_octave), range(2, 2 * even_terms + 1, 2), number_format, cosh),
            "cosh r - 1 over r² in r², on |r| <= ln 2 / 2, relative to cosh r.",
        )
    return file
