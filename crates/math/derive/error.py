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
    choices = ((BINARY32, 2, "0.140625", "10.2", 11), (BINARY64, 4, "0.1015625", "27.3", 23))
    tails(file, "ERFC", erfcx, "e^(x²) erfc x", choices)
    choices = ((BINARY32, 4, "0.1015625", "14.5", 10), (BINARY64, 4, "0.078125", "38.7", 24))
    tails(file, "NORMCDF", mills, "e^(x²/2) normcdf -x", choices)
    return file


def tails(file, name, function, formula, choices):
    """Polynomials in t - center, t = 1/(x + shift), for the function over t, from 0 to where e^-x² underflows."""
    for number_format, shift, center, end, terms in choices:
        shift, end = mpf(shift), mpf(end)

        def quotient(t):
            return function(1 / t - shift) / t

        for center in nearly_exact(number_format, quotient, mpf(center)):
            interval = (1 / (end + shift) - center, 1 / shift - center)
            polynomial = minimax(lambda u: quotient(u + center), interval, range(terms), number_format, exact=True)
            if is_exact_at_zero(number_format, polynomial, center, shift, quotient(1 / shift)):
                break
        file.constant(number_format, f"{name}_SHIFT", shift, "The shift k of t = 1/(x + k).")
        file.constant(number_format, f"{name}_CENTER", center, "The center of powers of t.")
        file.constant(number_format, f"{name}_END", number_format.round(end), "Results underflow from here on.")
        file.polynomial(number_format, name, polynomial, f"{formula} over t, in t less the center.")
        # d ln(t G) / d ln t at both ends and nearly linear between.
        file.table(
            number_format,
            f"{name}_CONDITION",
            [number_format.round(c, 12) for c in condition(function, shift, end)],
            "The relative change of the value for one of t, linear in t, to a tenth.",
        )


def nearly_exact(number_format, function, start):
    """Numbers near `start` in the order of the distance of their value from a number: for the constant term of powers
    about it."""

    def distance(x):
        value = function(x)
        return abs(value - number_format.round(value)) / value

    return sorted((start * (1 + mpf(i) / 4096) for i in range(64)), key=distance)


def is_exact_at_zero(number_format, polynomial, center, shift, value):
    """True if Horner's scheme in the format gives the value at x = 0, where the functions are powers of two."""
    u = number_format.round(number_format.round(1 / shift) - center)
    quotient = mpf(0)
    for coefficient in reversed(polynomial.coefficients):
        quotient = number_format.round(quotient * u + coefficient)
    return quotient == number_format.round(value)


def condition(function, shift, end):
    """The line that is nearest to -(x + k) f'(x) / f(x), as a function of 1/(x + k)."""
    step = mpf(2) ** -60

    def exact(t):
        x = 1 / t - shift
        return (function(x) - function(x + step)) / step / function(x) / t

    return minimax(exact, (1 / (end + shift), 1 / shift), (0, 1), BINARY64, exact=True).coefficients
