"""Rough reciprocals and inverse roots: a constant less the bits of the number, or half of them (Blinn 1997)."""

from formats import BINARY32, BINARY64
from mpmath import floor, mpf
from tables import File

POINTS = 512


def derive():
    file = File("estimates", "Constants of estimates by the bits of numbers.")
    for number_format in (BINARY32, BINARY64):
        bias = 1 - number_format.minimum_exponent
        unit = mpf(2) ** (number_format.bits - 1)
        for name, power in (("RECIPROCAL", mpf(1)), ("INVERSE_SQRT", mpf(1) / 2)):
            offset, error = best_offset(power)
            constant = int(floor(((1 + power) * bias - offset) * unit))
            size = f"{float(power):g}"
            text = f"Less {size} times the bits of x: the bits of x^-{size}. Error {float(error):.3f}."
            file.integer(number_format, name, constant, text)
    return file


def best_offset(power):
    """The change of the logarithm that makes the largest relative error least, and that error."""
    low, high = mpf(0), mpf(1) / 4
    for _ in range(60):
        thirds = low + (high - low) / 3, high - (high - low) / 3
        if largest_error(power, thirds[0]) < largest_error(power, thirds[1]):
            high = thirds[1]
        else:
            low = thirds[0]
    return low, largest_error(power, low)


def largest_error(power, offset):
    """Over [1, 4), with the logarithm read from the bits, and a number written to them."""
    numbers = (mpf(1) + mpf(3) * i / POINTS for i in range(POINTS))
    return max(abs(x**power * number(-power * logarithm(x) - offset) - 1) for x in numbers)


def logarithm(x):
    exponent = 1 if x >= 2 else 0
    return exponent + x / 2**exponent - 1


def number(value):
    return 2 ** floor(value) * (1 + value - floor(value))
