"""asin on [0, 1/2] and atan on [0, 1]."""

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import asin, atan, mpf
from tables import File


def derive():
    file = File("inverse_trigonometric", "Constants of inverse trigonometric functions.")
    for number_format, asin_terms, atan_terms in ((BINARY32, 5, 9), (BINARY64, 12, 19)):
        for name, function, end, terms in (("ASIN", asin, mpf(1) / 2, asin_terms), ("ATAN", atan, mpf(1), atan_terms)):
            file.polynomial(
                number_format,
                name,
                minimax(
                    lambda t: function(t) - t, (0, end), range(3, 3 + 2 * terms, 2), number_format, function, exact=True
                ),
                f"{name.lower()} t - t over t³ in t² on [0, {float(end):g}], relative to {name.lower()} t.",
            )
    return file
