"""ln, log2, log10 and log1p: the exponent, and a polynomial in f = m - 1 for the mantissa m in [√½, √2)."""

from formats import BINARY32, BINARY64
from minimax import minimax
from mpmath import ln, log1p, mpf, sqrt
from tables import File


def derive():
    file = File("logarithm", "Constants of logarithms.")
    for number_format, terms, exponent_bits in ((BINARY32, 9, 8), (BINARY64, 20, 11)):
        low = number_format.round(sqrt(mpf(1) / 2))
        file.constant(number_format, "SQRT_HALF", low, "The least mantissa.")
        interval, powers = (low - 1, 2 * low - 1), range(2, terms + 2)
        for name, base in (("LN", None), ("LOG2", mpf(2)), ("LOG10", mpf(10))):
            factor = 1 / ln(base) if base else mpf(1)
            high, rest = number_format.split(factor, 2)
            if base:
                file.constant(number_format, f"{name}_E_HI", high, f"1/ln {int(base)}.")
                file.constant(number_format, f"{name}_E_LO", rest, f"1/ln {int(base)} less its leading part.")
            if base != 2:
                parts = number_format.split(ln(2) * factor, 2, number_format.bits - exponent_bits)
                of = f"ln 2 / ln {int(base)}" if base else "ln 2"
                file.constant(number_format, f"{name}_2_HI", parts[0], f"{of}, with {exponent_bits} zeros at the end.")
                file.constant(number_format, f"{name}_2_LO", parts[1], f"{of} less its leading part.")
            file.polynomial(
                number_format,
                name,
                minimax(
                    lambda f: log1p(f) * factor - f * (high + rest),
                    interval,
                    powers,
                    number_format,
                    lambda f: log1p(f) * factor,
                ),
                f"{'log2(1 + f)' if base == 2 else 'log10(1 + f)' if base else 'ln(1 + f)'} less its linear term"
                " over f², relative to the logarithm.",
            )
    return file
