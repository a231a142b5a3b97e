"""erf, and the factors of e^(-x²) in erfc and of e^(-x²/2) in the normal distribution function."""

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import erf, erfc, exp, log, mpf, sqrt
from tables import File

# erf has one polynomial below, and one above.
SPLIT = mpf(7) / 8


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
            minimax(lambda x: erf(x) - x, (0, SPLIT), range(1, 1 + 2 * small_terms, 2), number_format, erf, exact=True),
            "erf x - x over x in x² on [0, 7/8], relative to erf x.",
        )
        file.polynomial(
            number_format,
            "ERF_LARGE",
            minimax(
                lambda x: log(erfc(x)),
                (SPLIT, saturation),
                range(large_terms),
                number_format,
                lambda x: 1 / erfc(x),
                exact=True,
            ),
            f"ln(1 - erf x) on [7/8, {saturation}], with the error of erf x.",
        )
    for number_format, terms in ((BINARY32, 5), (BINARY64, 10)):
        file.polynomial(
            number_format,
            "NORMCDF_SMALL",
            minimax(lambda s: erf(sqrt(-s)) / sqrt(-8 * s), (-0.2, 0), range(terms), number_format, exact=True),
            "(normcdf x - 1/2) / x in -x²/2 on [-5/8, 5/8].",
        )
    split = mpf(3) / 4
    choices = ((BINARY32, split, 2, "0.140625", "10.2", 9), (BINARY64, split, 3, "0.1015625", "27.3", 20))
    tails(file, "ERFC", erfcx, "e^(x²) erfc x", choices)
    split = mpf(5) / 8
    choices = ((BINARY32, split, 3, "0.1015625", "14.5", 10), (BINARY64, split, 4, "0.078125", "38.7", 22))
    tails(file, "NORMCDF", mills, "e^(x²/2) normcdf -x", choices)
    return file


def tails(file, name, function, formula, choices):
    """Polynomials in t - center, t = 1/(x + shift), for the function over t, to the end where e^-x² underflows."""
    for number_format, split, shift, center, end, terms in choices:
        split, shift, end = mpf(split), mpf(shift), mpf(end)

        def quotient(t):
            return function(1 / t - shift) / t

        center = nearly_exact(number_format, quotient, mpf(center))
        interval = (1 / (end + shift) - center, 1 / (split + shift) - center)
        file.constant(number_format, f"{name}_SHIFT", shift, "The shift k of t = 1/(x + k).")
        file.constant(number_format, f"{name}_CENTER", center, "The center of powers of t.")
        file.constant(number_format, f"{name}_END", number_format.round(end), "Results underflow from here on.")
        polynomial = minimax(lambda u: quotient(u + center), interval, range(terms), number_format, exact=True)
        file.polynomial(number_format, name, polynomial, f"{formula} over t, in t less the center.")
        # d ln(t G) / d ln t at both ends and nearly linear between.
        file.table(
            number_format,
            f"{name}_CONDITION",
            [number_format.round(c, 12) for c in condition(function, split, shift, end)],
            "The relative change of the value for one of t, linear in t, to a tenth.",
        )


def nearly_exact(number_format, function, start):
    """The number near `start` whose value is nearest to a number: the constant term of powers about it."""

    def distance(x):
        value = function(x)
        return abs(value - number_format.round(value)) / value

    return min((start * (1 + mpf(i) / 4096) for i in range(64)), key=distance)


def condition(function, split, shift, end):
    """The line that is nearest to -(x + k) f'(x) / f(x), as a function of 1/(x + k)."""
    step = mpf(2) ** -60

    def exact(t):
        x = 1 / t - shift
        return (function(x) - function(x + step)) / step / function(x) / t

    return minimax(exact, (1 / (end + shift), 1 / (split + shift)), (0, 1), BINARY64, exact=True).coefficients
