"""Functions of complex elements in texts, against NumPy, and what operators do with truth values and infinities."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import affinimath as am

FUNCTIONS = [
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh",
    "exp2", "expm1", "log1p", "log2", "log10", "rint",
]  # fmt: skip


def values(dtype: type, spread: float) -> np.ndarray:
    random = np.random.default_rng(3)
    parts = random.normal(size=(2, 500)) * spread
    z = parts[0] + 1j * parts[1]
    # Real and imaginary numbers lie on branch cuts.
    return np.concatenate([z, z.real, 1j * z.imag, [0, 1, -1, 1j, -1j, 0.5, 2, -2]]).astype(dtype)


@pytest.mark.parametrize("spread", [1e-3, 1.0, 3.0])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_complex_elements_are_numpys(name: str, spread: float) -> None:
    for dtype, bound in [(np.complex64, 2e-5), (np.complex128, 1e-13)]:
        z = values(dtype, spread)
        if name in ("log2", "log10"):
            z = z[z != 0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, name)(z.astype(np.complex128))
        found = am.evaluate(f"{name}(z)", {"z": z})
        assert found.dtype == dtype
        finite = np.isfinite(expected)
        assert np.isfinite(found)[finite].all()
        found, expected = found[finite], expected[finite]
        error = np.abs(found - expected) / np.maximum(np.abs(expected), spread)
        # NumPy's log1p is ln(1 + z), which loses digits of small z.
        bound *= 100 if name == "log1p" else 1
        assert error.max(initial=0) < bound, (name, z[finite][error.argmax()])


@pytest.mark.parametrize("name", ["sin", "cos", "sinh", "cosh", "tanh", "expm1"])
def test_special_values_are_those_of_c99(name: str) -> None:
    for re in (0.0, -0.0, 1.0, np.inf, -np.inf):
        for im in (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan):
            z = np.array([complex(re, im)])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(np, name)(z)[0]
            if name == "expm1" and re == np.inf and im != 1:
                # The standard of the array API says so; NumPy has NaN in place of the zero, and of the infinity.
                expected = complex(re, im if im == 0 else np.nan)
            if name == "expm1" and re == -np.inf:
                expected = complex(-1, im if im == 0 else 0)
            found = am.evaluate(f"{name}(z)", {"z": z})[0]
            for a, b in [(found.real, expected.real), (found.imag, expected.imag)]:
                # C99 leaves the sign of a part open where the other one has no angle.
                is_open = np.isnan(expected.real) or np.isnan(expected.imag) or not np.isfinite(im)
                same = (np.isnan(a) and np.isnan(b)) or (abs(a) == abs(b) if is_open else np.isclose(a, b, 1e-14))
                assert same, (name, z, found, expected)


def test_signs_of_complex_elements_have_the_modulus_1() -> None:
    z = values(np.complex128, 1.0)
    found = am.evaluate("sign(z)", {"z": z})
    np.testing.assert_allclose(found[z != 0], (z / np.where(z == 0, 1, np.abs(z)))[z != 0], rtol=1e-14)
    assert (found[z == 0] == 0).all()
    with pytest.raises(am.InvalidArgumentError, match="rounded"):
        am.evaluate("floor(z)", {"z": z})


def test_arccosh_is_no_number_below_1() -> None:
    x = np.array([-1e300, -1e9, -2.0, 0.0, 0.5, 1.0, 2.0, 1e9, np.inf, np.nan])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(am.evaluate("arccosh(x)", {"x": x}), np.arccosh(x), rtol=1e-14)


def test_quotients_rounded_down_are_numpys() -> None:
    numbers = [0.0, -0.0, 1.0, -1.0, 2.5, -7.25, 1e-3, np.inf, -np.inf, np.nan]
    x, y = (part.ravel() for part in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        for text, expected in [("x // y", x // y), ("x % y", x % y)]:
            is_regular = ~(np.isinf(x) & (y != 0)) & (y != 0)
            found = am.evaluate(text)
            np.testing.assert_array_equal(found[is_regular], expected[is_regular], text)
    assert am.evaluate("-1.0 // 1e400 + x", {"x": np.zeros(1)})[0] == -1.0


def test_truth_values_are_compared() -> None:
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    for text in ("x < y", "x <= y", "x > y", "x >= y", "minimum(x, y)", "maximum(x, y)"):
        expected = eval(text, {"x": x, "y": y, "minimum": np.minimum, "maximum": np.maximum})
        found = am.evaluate(text)
        assert found.dtype == np.bool_
        np.testing.assert_array_equal(found, expected, text)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32, np.uint32, np.int64])
def test_products_of_integers_stay_integers(dtype: type) -> None:
    random = np.random.default_rng(5)
    for a_shape, b_shape in [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)),
                             ((0, 4), (4, 5)), ((3, 0), (0, 5))]:  # fmt: skip
        a, b = (random.integers(0, 9, size=shape).astype(dtype) for shape in (a_shape, b_shape))
        found = am.evaluate("a @ b")
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, a @ b)
    with pytest.raises(am.InvalidArgumentError, match="product"):
        am.evaluate("a @ b", {"a": np.ones((3, 1), dtype), "b": np.ones((4, 5), dtype)})


def test_real_transforms_halve_the_axis_that_is_listed_last() -> None:
    x = np.random.default_rng(6).normal(size=(4, 6, 5))
    for axes in ([0, 1], [1, 0], [2, 0], [-1, 1], [1, 2]):
        expected = np.fft.rfftn(x, axes=axes)
        np.testing.assert_allclose(am.evaluate(f"rfft(x, axis={axes})"), expected, atol=1e-13)
        n = x.shape[axes[-1]]
        back = am.evaluate(f"irfft(z, {n}, axis={axes})", {"z": expected})
        np.testing.assert_allclose(back, x, atol=1e-13)
