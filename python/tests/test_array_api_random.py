"""Random arrays beside `array_api_strict`, the standard's reference in Python, where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import affinimath.array_api as xp

strict = pytest.importorskip("array_api_strict")

BOOL, INTEGERS, REALS = ["bool"], ["uint8", "int32", "uint32", "int64"], ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
FLOATING, ORDERED = REALS + COMPLEX, INTEGERS + REALS
NUMERIC = ORDERED + COMPLEX
SHAPES = [(), (0,), (1,), (3,), (2, 3), (0, 3), (2, 0, 3), (2, 1, 3), (2, 3, 4), (4, 4)]
PAIRS = [((), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 1)), ((0, 3), (3,)), ((2, 3), (2, 3)), ((), ())]

UNARY = {
    **dict.fromkeys("abs conj isfinite isinf isnan negative positive real round sign square".split(), NUMERIC),
    **dict.fromkeys("acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2".split(), FLOATING),
    **dict.fromkeys("reciprocal sin sinh sqrt tan tanh".split(), FLOATING),
    **dict.fromkeys("ceil floor trunc".split(), ORDERED),
    "bitwise_invert": BOOL + INTEGERS, "imag": COMPLEX, "logical_not": BOOL, "signbit": REALS,
}  # fmt: skip
BINARY = {
    **dict.fromkeys("add multiply subtract equal not_equal".split(), NUMERIC),
    **dict.fromkeys("greater greater_equal less less_equal maximum minimum".split(), ORDERED),
    **dict.fromkeys("atan2 copysign floor_divide hypot logaddexp nextafter pow remainder".split(), REALS),
    **dict.fromkeys("bitwise_and bitwise_or bitwise_xor".split(), BOOL + INTEGERS),
    **dict.fromkeys("logical_and logical_or logical_xor".split(), BOOL),
    "divide": FLOATING,
}  # fmt: skip


@pytest.fixture(params=range(6))
def generator(request):
    """A source of random numbers."""
    return np.random.default_rng(request.param)


def array(generator, shape, dtype, special=True):
    """Random elements; of real ones some are infinities, NaN and zeros of both signs."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(generator.random(shape) > 0.5)
    if dtype.kind in "iu":
        return np.asarray(generator.integers(0 if dtype.kind == "u" else -20, 20, shape)).astype(dtype)
    x = np.asarray(generator.standard_normal(shape))
    if special:
        values = [0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan]
        x = np.where(generator.random(shape) < 0.3, generator.choice(values, shape), x)
    if dtype.kind == "c":
        x = x + 1j * generator.standard_normal(shape)
    return np.asarray(x, dtype)


def equal(found, expected):
    """The same types, shapes and elements, also within tuples. What has uint64 in the standard has int64 here."""
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            equal(one, other)
        return
    found, expected = np.asarray(found), np.asarray(expected._array)
    wanted = np.dtype(np.int64) if expected.dtype == np.uint64 else expected.dtype
    assert (found.dtype, found.shape) == (wanted, expected.shape)
    if found.dtype.kind in "fc":
        bound = 2000 * float(np.finfo(found.dtype).eps)
        close = np.isclose(found, expected, rtol=bound, atol=bound, equal_nan=True)
        # The standard leaves open which part of a complex number is NaN.
        open_ = (found.dtype.kind == "c") & ~np.isfinite(found) & ~np.isfinite(expected)
        assert np.all(close | open_), (found, expected)
    else:
        np.testing.assert_array_equal(found, expected)


def check(name, *arguments, **options):
    """Compares the functions of both namespaces."""

    def of(namespace):
        function = namespace
        for part in name.split("."):
            function = getattr(function, part)

        def converted(value):
            if isinstance(value, np.ndarray):
                return namespace.asarray(value)
            return [converted(part) for part in value] if isinstance(value, list) else value

        return function(*map(converted, arguments), **options)

    with np.errstate(all="ignore"):
        expected = of(strict)
    equal(of(xp), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_an_element(name, generator):
    for shape in SHAPES:
        check(name, array(generator, shape, generator.choice(UNARY[name])))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_elements(name, generator):
    for first, second in PAIRS:
        dtype = np.dtype(generator.choice(BINARY[name]))
        check(name, array(generator, first, dtype), array(generator, second, dtype))
        number = {"b": True, "u": 2, "i": -2, "f": 1.5, "c": 1.5}[dtype.kind]
        check(name, array(generator, second, dtype), number)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions(shape, generator):
    axes = [None, (), *range(-len(shape), len(shape)), *([(0, -1)] if len(shape) > 1 else [])]
    for axis in axes:
        options = {"axis": axis, "keepdims": bool(generator.random() < 0.5)}
        for names, dtypes in (("sum prod any all count_nonzero", NUMERIC), ("mean", FLOATING), ("var std", REALS)):
            for name in names.split():
                check(name, array(generator, shape, generator.choice(dtypes), special=name != "prod"), **options)
        if 0 not in shape:
            for name in ("max", "min"):
                check(name, array(generator, shape, generator.choice(ORDERED)), **options)
            if not isinstance(axis, tuple):
                check("argmax", array(generator, shape, generator.choice(ORDERED)), **options)
        if isinstance(axis, int):
            for name in ("cumulative_sum", "cumulative_prod"):
                x = array(generator, shape, generator.choice(NUMERIC))
                check(name, x, axis=axis, include_initial=options["keepdims"])
            check("diff", array(generator, shape, generator.choice(NUMERIC)), axis=axis, n=int(generator.integers(3)))


@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
@pytest.mark.parametrize("dtype", BOOL + NUMERIC)
def test_manipulation_and_searching(shape, dtype, generator):
    x = array(generator, shape, dtype, special=False)
    axis = int(generator.integers(-len(shape), len(shape)))
    check("concat", [x, x[:1]], axis=0)
    check("concat", [x, x], axis=None)
    check("stack", [x, x], axis=int(generator.integers(-len(shape) - 1, len(shape) + 1)))
    check("flip", x, axis=axis)
    check("roll", x, (1, -2), axis=(axis, 0))
    check("repeat", x, int(generator.integers(4)), axis=axis)
    check("repeat", x, generator.integers(0, 3, shape[axis]), axis=axis)
    check("tile", x, tuple(generator.integers(0, 3, int(generator.integers(4))).tolist()))
    check("moveaxis", x, axis, 0)
    check("permute_dims", x, tuple(generator.permutation(len(shape)).tolist()))
    check("unstack", x, axis=axis)
    check("nonzero", x)
    if x.dtype.kind in "iuf":
        check("sort", x, axis=axis, descending=bool(generator.random() < 0.5))
        check("argsort", x, axis=axis, descending=bool(generator.random() < 0.5))
        check("unique_all", x)
    if shape[axis]:
        check("take", x, generator.integers(-shape[axis], shape[axis], int(generator.integers(4))), axis=axis)
        others = [3 if own == axis % len(shape) else extent for own, extent in enumerate(shape)]
        check("take_along_axis", x, generator.integers(0, shape[axis], others), axis=axis)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_transforms(dtype, generator):
    z = array(generator, (3, 4, 5), dtype, special=False)
    norm = str(generator.choice(["backward", "ortho", "forward"]))
    for axis in range(-1, 3):
        for n in (None, 3, 6):
            for name in ("fft", "ifft", "irfft", "hfft"):
                check(f"fft.{name}", z, n=n, axis=axis, norm=norm)
            for name in ("rfft", "ihfft"):
                check(f"fft.{name}", z.real.copy(), n=n, axis=axis, norm=norm)
    for options in (
        {},
        {"axes": (0, 2)},
        {"axes": (2, 0)},
        {"s": (3, 6), "axes": (1, 2)},
        {"s": (3, 6), "axes": (1, 0)},
    ):
        for name in ("fftn", "ifftn", "irfftn"):
            check(f"fft.{name}", z, norm=norm, **options)
        check("fft.rfftn", z.real.copy(), norm=norm, **options)
