"""erf, and the factors of e^(-x²) in erfc and of e^(-x²/2) in the normal distribution function."""

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import erf, erfc, exp, log, mpf, sqrt
from tables import File


def erfcx(x):
    return exp(x * x) * erfc(x)


def mills(x):
    return erfcx(x / sqrt(2)) / 2


def derive():
    file = File("error", "Constants of error functions.")
    for number_format, small_terms, large_terms, saturation in ((BINARY32, 6, 7, 4), (BINARY64, 12, 18, 6)):
        file.polynomial(
            number_format,
            "ERF_SMALL",
            minimax(lambda x: erf(x) - x, (0, 1), range(1, 1 + 2 * small_terms, 2), number_format, erf, exact=True),
            "erf x - x over x in x² on [0, 1], relative to erf x.",
        )
        file.polynomial(
            number_format,
            "ERF_LARGE",
            minimax(
                lambda x: log(erfc(x)), (1, saturation), range(large_terms), number_format, lambda x: 1 / erfc(x), exact=True
            ),
            f"ln(1 - erf x) on [1, {saturation}], with the error of erf x.",
        )
    tails(file, "ERFC", erfcx, "e^(x²) erfc x", ((BINARY32, 3, "10.2", 10), (BINARY64, 4, "27.3", 24)))
    tails(file, "NORMCDF", mills, "e^(x²/2) normcdf -x", ((BINARY32, "4.25", "14.5", 10), (BINARY64, "6.25", "38.7", 24)))
    return file


def tails(file, name, function, formula, choices):
    """Polynomials in t = 1/(x + shift) for the function over t, from 0 to the end where e^-x² underflows."""
    for number_format, shift, end, terms in choices:
        shift, end = mpf(shift), mpf(end)
        quotient = lambda t: function(1 / t - shift) / t
        file.constant(number_format, f"{name}_SHIFT", shift, "The shift k of t = 1/(x + k).")
        file.constant(number_format, f"{name}_END", number_format.round(end), "Results underflow from here on.")
        file.polynomial(
            number_format,
            name,
            minimax(quotient, (1 / (end + shift), 1 / shift), range(terms), number_format, exact=True),
            f"{formula} over t.",
        )
        # d ln(t G) / d ln t at both ends and nearly linear between.
        file.table(
            number_format,
            f"{name}_CONDITION",
            [number_format.round(c, 12) for c in condition(function, shift, end)],
            "The relative change of the value for one of t, linear in t, to a tenth.",
        )


def condition(function, shift, end):
    """The line that is nearest to -(x + k) f'(x) / f(x), as a function of 1/(x + k)."""
    step = mpf(2) ** -60

    def exact(t):
        x = 1 / t - shift
        return (function(x) - function(x + step)) / step / function(x) / t

    return minimax(exact, (1 / (end + shift), 1 / shift), (0, 1), BINARY64, exact=True).coefficients
