"""Binary floating-point formats: rounding of exact values, and literals of Rust."""

import struct
from dataclasses import dataclass

from mpmath import mp, mpf


@dataclass(frozen=True)
class Format:
    """An IEEE 754 binary format."""

    rust: str
    bits: int
    minimum_exponent: int
    code: str

    def round(self, value, bits=None):
        """`value` rounded to nearest even, to `bits` bits where they are given. Subnormal numbers are kept."""
        value = mpf(value)
        if value == 0:
            return value
        exponent = int(mp.floor(mp.log(abs(value), 2)))
        # The logarithm of a power of two may be rounded down.
        if abs(value) >= mpf(2) ** (exponent + 1):
            exponent += 1
        unit = mpf(2) ** (max(exponent, self.minimum_exponent) - (bits or self.bits) + 1)
        return mp.nint(value / unit) * unit

    def neighbours(self, value):
        """The nearest numbers below and above `value`."""
        nearest = self.round(value)
        unit = self.ulp(nearest)
        return (nearest, nearest + unit) if nearest <= value else (nearest - unit, nearest)

    def ulp(self, value):
        """The distance of the numbers about `value`."""
        exponent = int(mp.floor(mp.log(abs(value), 2))) if value else self.minimum_exponent
        return mpf(2) ** (max(exponent, self.minimum_exponent) - self.bits + 1)

    def split(self, value, parts, leading_bits=None):
        """`parts` numbers whose sum is `value` nearly; all but the last with `leading_bits` bits if they are given."""
        numbers = []
        for part in range(parts):
            numbers.append(self.round(value, leading_bits if part < parts - 1 else None))
            value -= numbers[-1]
        return numbers

    def literal(self, value):
        """The shortest decimal literal that is read as this number."""
        stored = self.round(value)
        assert stored == value, f"{value} is not a number of {self.rust}"
        exact = float(value)
        for digits in range(1, 18):
            text = f"{exact:.{digits}g}"
            if struct.pack(self.code, float(text)) == struct.pack(self.code, exact):
                break
        if "e" in text:
            mantissa, exponent = text.split("e")
            return f"{mantissa}e{int(exponent)}"
        return text if "." in text else text + ".0"


BINARY32 = Format("f32", 24, -126, "<f")
BINARY64 = Format("f64", 53, -1022, "<d")
