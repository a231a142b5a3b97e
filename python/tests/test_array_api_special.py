"""Special cases of the array API standard 2024.12: infinities, NaN, signed zeros, and arguments outside of domains."""

from __future__ import annotations

import math

import numpy as np
import pytest

import affinimath.array_api as xp

#: Names of values; `*` stands for some finite positive number, of which three are tried.
VALUES = {
    "nan": math.nan, "0": 0.0, "-0": -0.0, "inf": math.inf, "-inf": -math.inf, "pi": math.pi, "-pi": -math.pi,
    "pi/2": math.pi / 2, "-pi/2": -math.pi / 2, "pi/4": math.pi / 4, "-pi/4": -math.pi / 4, "3pi/4": 3 * math.pi / 4,
    "-3pi/4": -3 * math.pi / 4, "T": True, "F": False,
}  # fmt: skip

#: An argument and the value of the function for each.
UNARY = {
    "abs": "nan nan, -0 0, -inf inf",
    "acos": "nan nan, 1.5 nan, -1.5 nan, inf nan, 1 0, -1 pi",
    "acosh": "nan nan, 0.5 nan, -2 nan, -1e30 nan, -inf nan, 1 0, inf inf",
    "asin": "nan nan, 1.5 nan, -1.5 nan, 0 0, -0 -0, 1 pi/2",
    "asinh": "nan nan, 0 0, -0 -0, inf inf, -inf -inf",
    "atan": "nan nan, 0 0, -0 -0, inf pi/2, -inf -pi/2",
    "atanh": "nan nan, 1.5 nan, -1.5 nan, -1 -inf, 1 inf, 0 0, -0 -0",
    "ceil": "inf inf, -inf -inf, 0 0, -0 -0, nan nan, 3 3, -0.5 -0",
    "cos": "nan nan, 0 1, -0 1, inf nan, -inf nan",
    "cosh": "nan nan, 0 1, -0 1, inf inf, -inf inf",
    "exp": "nan nan, 0 1, -0 1, inf inf, -inf 0",
    "expm1": "nan nan, 0 0, -0 -0, inf inf, -inf -1",
    "floor": "inf inf, -inf -inf, 0 0, -0 -0, nan nan, 3 3, 0.5 0",
    "isfinite": "nan F, inf F, -inf F, 0 T, 1.5 T",
    "isinf": "nan F, inf T, -inf T, 0 F",
    "isnan": "nan T, inf F, -inf F, 0 F",
    "log": "nan nan, -1 nan, -inf nan, 0 -inf, -0 -inf, 1 0, inf inf",
    "log1p": "nan nan, -1.5 nan, -inf nan, -1 -inf, -0 -0, 0 0, inf inf",
    "log2": "nan nan, -1 nan, 0 -inf, -0 -inf, 1 0, inf inf, 8 3",
    "log10": "nan nan, -1 nan, 0 -inf, -0 -inf, 1 0, inf inf, 1000 3",
    "negative": "0 -0, -0 0, inf -inf, nan nan",
    "positive": "0 0, -0 -0, nan nan",
    "reciprocal": "nan nan, 0 inf, -0 -inf, inf 0, -inf -0",
    "round": "nan nan, inf inf, -inf -inf, 0 0, -0 -0, 0.5 0, 1.5 2, 2.5 2, -0.5 -0, -1.5 -2",
    "sign": "2 1, -2 -1, 0 0, -0 0, nan nan, inf 1, -inf -1",
    "signbit": "0 F, -0 T, inf F, -inf T, 2 F, -2 T",
    "sin": "nan nan, 0 0, -0 -0, inf nan, -inf nan",
    "sinh": "nan nan, 0 0, -0 -0, inf inf, -inf -inf",
    "sqrt": "nan nan, -1 nan, -inf nan, 0 0, -0 -0, inf inf",
    "square": "nan nan, -0 0, -inf inf",
    "tan": "nan nan, 0 0, -0 -0, inf nan, -inf nan",
    "tanh": "nan nan, 0 0, -0 -0, inf 1, -inf -1",
    "trunc": "inf inf, -inf -inf, 0 0, -0 -0, nan nan, 0.5 0, -0.5 -0",
}

#: Two arguments and the value.
BINARY = {
    "add": "nan 1 nan, 1 nan nan, inf -inf nan, -inf inf nan, inf inf inf, -inf -inf -inf, inf * inf, * -inf -inf,"
    "-0 -0 -0, -0 0 0, 0 -0 0, 0 0 0, 0 * *, -0 * *",
    "atan2": "nan 1 nan, 1 nan nan, * 0 pi/2, * -0 pi/2, 0 * 0, 0 0 0, 0 -0 pi, 0 -1 pi, -0 * -0, -0 0 -0, -0 -0 -pi,"
    "-0 -1 -pi, -1 0 -pi/2, -1 -0 -pi/2, * inf 0, * -inf pi, -1 inf -0, -1 -inf -pi, inf 1 pi/2, -inf 1 -pi/2,"
    "inf inf pi/4, inf -inf 3pi/4, -inf inf -pi/4, -inf -inf -3pi/4",
    "copysign": "nan 1 nan, * -0 -*, * 0 *, -1 inf 1, 1 -inf -1, 0 -1 -0, inf -0 -inf",
    "divide": "nan 1 nan, 1 nan nan, inf inf nan, -inf inf nan, 0 0 nan, -0 0 nan, 0 * 0, -0 * -0, 0 -1 -0, -0 -1 0,"
    "* 0 inf, * -0 -inf, -1 0 -inf, -1 -0 inf, inf * inf, inf -1 -inf, -inf * -inf, -inf -1 inf, * inf 0, * -inf -0,"
    "-1 inf -0, -1 -inf 0",
    "equal": "nan nan F, inf inf T, -inf -inf T, -0 0 T, 0 -0 T, inf -inf F, nan 1 F",
    "floor_divide": "nan 1 nan, 1 nan nan, inf inf nan, inf -inf nan, 0 0 nan, 0 -0 nan, 0 * 0, -0 * -0, 0 -1 -0,"
    "-0 -1 0, * 0 inf, * -0 -inf, -1 0 -inf, -1 -0 inf, * inf 0, * -inf -1, -1 inf -1, -1 -inf 0, 7 2 3, -7 2 -4",
    "greater": "nan 1 F, 1 nan F, inf 1 T, inf inf F, -inf 1 F, 1 -inf T, 0 -0 F",
    "greater_equal": "nan nan F, inf inf T, 0 -0 T, -inf inf F, 1 -inf T",
    "hypot": "inf nan inf, nan inf inf, -inf nan inf, nan -inf inf, nan 1 nan, 1 nan nan, 3 4 5",
    "less": "nan 1 F, 1 nan F, 1 inf T, inf inf F, 1 -inf F, -inf 1 T, -0 0 F",
    "less_equal": "nan nan F, inf inf T, -0 0 T, inf -inf F, -inf 1 T",
    "logaddexp": "nan 1 nan, 1 nan nan, inf 1 inf, 1 inf inf, -inf -inf -inf, -inf * *",
    "maximum": "nan 1 nan, 1 nan nan, inf 1 inf, -inf 1 1",
    "minimum": "nan 1 nan, 1 nan nan, inf 1 1, -inf 1 -inf",
    "multiply": "nan 1 nan, inf 0 nan, -inf -0 nan, inf inf inf, inf -inf -inf, -inf -inf inf, inf * inf, -1 inf -inf,"
    "-1 0 -0, -1 -0 0",
    "nextafter": "nan 1 nan, 1 nan nan, -0 0 0, 0 -0 -0, 2 2 2",
    "not_equal": "nan nan T, inf inf F, -0 0 F, inf -inf T",
    "pow": "nan 1 nan, 1 nan 1, 1 * 1, 1 inf 1, nan 0 1, nan -0 1, * 0 1, 3 inf inf, 3 -inf 0, -3 inf inf, -1 inf 1,"
    "-1 -inf 1, 0.5 inf 0, 0.5 -inf inf, inf * inf, inf -2 0, -inf 3 -inf, -inf 2 inf, -inf -3 -0, -inf -2 0, 0 * 0,"
    "0 -2 inf, -0 3 -0, -0 2 0, -0 -3 -inf, -0 -2 inf, -2 0.5 nan",
    "remainder": "nan 1 nan, 1 nan nan, inf 2 nan, -inf 2 nan, 0 0 nan, -0 0 nan, 0 * 0, -0 * 0, 0 -1 -0, -0 -1 -0,"
    "* 0 nan, -1 -0 nan, * inf *, -1 inf inf, * -inf -inf, -1 -inf -1, 7 3 1, -7 3 2, 7 -3 -2",
    "subtract": "nan 1 nan, inf inf nan, -inf -inf nan, inf -inf inf, 0 0 0, -0 -0 0, -0 0 -0, 0 -0 0",
}

#: Real and imaginary part of an argument and of the value; signs of zeros are theirs but after `?`.
COMPLEX = {
    "exp": "0 0 1 0, -0 0 1 0, 1 inf nan nan, inf 0 inf 0, -inf 1 0 0, nan 0 nan 0, nan 1 nan nan, 1 nan nan nan",
    "sinh": "0 0 0 0, 0 inf ?0 nan, 0 nan ?0 nan, 1 inf nan nan, inf 0 inf 0, inf inf ?inf nan, inf nan ?inf nan,"
    "nan 0 nan 0, nan 1 nan nan, nan nan nan nan",
    "cosh": "0 0 1 0, 0 inf nan ?0, 0 nan nan ?0, 1 inf nan nan, inf 0 inf 0, inf inf inf nan, inf nan inf nan,"
    "nan 0 nan ?0, nan 1 nan nan, nan nan nan nan",
    "tanh": "0 0 0 0, 1 inf nan nan, 1 nan nan nan, inf nan 1 ?0, nan 0 nan 0, nan 1 nan nan, nan nan nan nan",
    "sin": "0 0 0 0, 0 inf 0 inf, 0 1 0 1.1752011936438014, inf 0 nan 0, nan 0 nan 0, inf inf nan inf",
    "cos": "0 0 1 -0, 0 1 1.5430806348152437 -0, inf inf inf nan, nan nan nan nan",
    "sqrt": "0 0 0 0, -0 0 0 0, 1 inf inf inf, nan inf inf inf, -inf 1 0 inf, inf 1 inf 0, inf nan inf nan,"
    "nan 1 nan nan",
    "log": "-0 0 -inf pi, 0 0 -inf 0, 1 inf inf pi/2, 1 nan nan nan, -inf 1 inf pi, inf 1 inf 0, -inf inf inf 3pi/4,"
    "inf inf inf pi/4, inf nan inf nan, nan 1 nan nan, nan inf inf nan",
    "asinh": "0 0 0 0, 1 inf inf pi/2, 1 nan nan nan, inf 1 inf 0, inf inf inf pi/4, inf nan inf nan, nan 0 nan 0",
    "expm1": "0 0 0 0, 1 inf nan nan, inf 0 inf 0, -inf 1 -1 ?0, nan 0 nan 0, nan 1 nan nan",
    "log1p": "-1 0 -inf 0, 1 inf inf pi/2, inf 1 inf 0, nan 1 nan nan, inf inf inf pi/4",
    "sign": "0 0 0 0, 3 4 0.6 0.8, nan 0 nan nan",
    "round": "0.5 1.5 0 2, -0.5 2.5 -0 2, inf nan inf nan",
}
DTYPES = (xp.float32, xp.float64)


def value(token: str, number: float) -> float:
    """The value of a name; `*` is a number."""
    if token.lstrip("-") == "*":
        return -number if token[0] == "-" else number
    return VALUES[token] if token in VALUES else float(token)


def cases(table: dict[str, str], count: int):
    """A function with each of its rows."""
    return [
        pytest.param(name, row.split(), id=f"{name}({' '.join(row.split()[:count])})")
        for name, rows in table.items()
        for row in rows.split(",")
    ]


def assert_is(found, expected, is_free: bool = False):
    """The value, with the sign of a zero unless that is free."""
    found = np.asarray(found)[()]
    if isinstance(expected, bool):
        assert found.dtype == np.bool_ and bool(found) is expected
    elif math.isnan(expected):
        assert math.isnan(found)
    elif is_free:
        assert abs(found) == abs(expected)
    else:
        assert found == pytest.approx(expected, rel=4 * float(np.finfo(found.dtype).eps), abs=0)
        assert math.copysign(1, found) == math.copysign(1, expected), found


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name, row", cases(UNARY, 1))
def test_functions_of_an_element(name, row, dtype):
    x, expected = (value(token, 1.0) for token in row)
    # Among others: a vector's elements are computed like one.
    found = getattr(xp, name)(xp.asarray([1.25, x, 1.25, x, 1.25], dtype=dtype))
    assert found.dtype == (xp.bool if isinstance(expected, bool) else dtype)
    assert_is(found[1], expected)
    assert_is(found[3], expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name, row", cases(BINARY, 2))
def test_functions_of_two_elements(name, row, dtype):
    for number in (1.0, 0.25, 1024.0) if any("*" in token for token in row) else (1.0,):
        x, y, expected = (value(token, number) for token in row)
        function = getattr(xp, name)
        first, second = (xp.full(5, one, dtype=dtype) for one in (x, y))
        assert_is(function(first, second)[2], expected)
        # A number of Python's on one side.
        assert_is(function(first, y)[2], expected)
        assert_is(function(x, second)[2], expected)


@pytest.mark.parametrize("dtype", (xp.complex64, xp.complex128), ids=str)
@pytest.mark.parametrize("name, row", cases(COMPLEX, 2))
def test_functions_of_complex_elements(name, row, dtype):
    free = [token.startswith("?") for token in row]
    re, im, *expected = (value(token.lstrip("?"), 1.0) for token in row)
    found = getattr(xp, name)(xp.asarray([complex(re, im)], dtype=dtype))[0]
    assert found.dtype == dtype
    for part, one, is_free in zip((xp.real(found), xp.imag(found)), expected, free[2:]):
        assert_is(part, one, is_free)


@pytest.mark.parametrize("name, expected", [("sum", 0.0), ("prod", 1.0), ("mean", math.nan), ("var", math.nan)])
def test_reductions_of_no_elements(name, expected):
    assert_is(getattr(xp, name)(xp.zeros((0,))), expected)
    for function in (xp.max, xp.min, xp.argmax):
        with pytest.raises(ValueError):
            function(xp.zeros((0,)))


def test_reductions_of_nan():
    x = xp.asarray([1.0, math.nan, 3.0])
    for function in (xp.max, xp.min, xp.sum, xp.prod, xp.mean, xp.std):
        assert_is(function(x), math.nan)
    assert bool(xp.any(x)) and bool(xp.all(x)) and int(xp.count_nonzero(x)) == 3
