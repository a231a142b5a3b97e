"""Text expressions against NumPy."""

from __future__ import annotations

import cmath
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from test_array import DTYPES, LAYOUTS, check, elements

import affinimath as am
from affinimath import _lazy

GLOBAL = np.arange(3.0)

TEXTS = [
    "x + y",
    "2.5*x - y/3",
    "x**2 + y**3",
    "-x * (y + 1)",
    "sqrt(abs(x)) + exp(-y*y/100)",
    "where(x > y, x, y) - minimum(x, y)",
    "x[1:, ::-1] + y[:-1]",
    "x[:, 0] + y[..., -1]",
    "x[0, None] * y",
    "sum(x, axis=1) / 2",
    "x - mean(x, axis=0, keepdims=True)",
    "(x > 0) & (y < 5) | ~(x != y)",
    "x.T @ y",
    "reshape(x, (5, -1))",
    "cumsum(x, axis=1)",
    "maximum(x, 0) + clip(y, -3, 3)",
    "x // 2 + y % 3",
]


def expected(text, names):
    """The value by NumPy, whose functions have the same names."""
    functions = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    return np.asarray(eval(text, {**functions, **names}))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("dtype", [np.dtype(name) for name in ("int64", "float32", "float64")], ids=str)
def test_texts_mean_what_they_mean_in_numpy(text, dtype):
    if dtype.kind == "i" and "@" in text:
        # Products of integers are real here.
        text = "x.T @ float64(y)"
    names = {"x": elements(dtype, 4, 5), "y": elements(dtype, 4, 5, seed=2)}
    check(am.evaluate(text, names), expected(text, names), terms=256)
    check(am.evaluate(text, {name: am.Array(value) for name, value in names.items()}), expected(text, names), terms=256)


@pytest.mark.parametrize("a", DTYPES, ids=str)
@pytest.mark.parametrize("b", DTYPES, ids=str)
def test_types_are_promoted_as_numpys(a, b):
    names = {"x": elements(a, 3, 1), "y": elements(b, 4, seed=2)}
    check(am.evaluate("x + y", names), expected("x + y", names))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("number", [3, True, -2.5, 1e300, np.inf, -np.inf, np.nan, 2 - 3j, complex(np.nan, -np.inf)])
def test_numbers_of_python_take_the_type_of_the_array(dtype, number):
    if np.lib.NumpyVersion(np.__version__) < "2.0.0" and dtype in (np.float32, np.complex64):
        if number in (1e300, -1e300) or (isinstance(number, complex) and not np.isfinite(number)):
            pytest.skip("before NumPy 2 such a number made the result double")
    x = elements(dtype, 5)
    with np.errstate(all="ignore"):
        check(am.evaluate("x + a", {"x": x, "a": number}), x + number)


def test_negative_numbers_are_one_value():
    x, n, c = np.array([2.0, 3.0]), -2, -1j  # noqa: F841
    check(am.evaluate("x**n"), x**-2)
    check(am.evaluate("2 - n*x"), 2 + 2 * x)
    check(am.evaluate("x + c**2"), x - 1 + 0j)
    assert cmath.isclose(complex(am.evaluate("c*c + sum(x)*0")), -1)


def test_scalars_of_numpy_have_their_type():
    x = np.ones(3, np.float32)
    check(am.evaluate("x * a", {"x": x, "a": np.float64(2)}), np.full(3, 2.0))
    check(am.evaluate("x * a", {"x": x, "a": np.float32(2)}), np.full(3, 2, np.float32))
    check(am.evaluate("x + a", {"x": x, "a": np.array(2)}), np.full(3, 3.0))


def test_variables_are_those_of_the_caller():
    x, factor = np.arange(3.0), 2.0  # noqa: F841
    check(am.evaluate("factor*x + GLOBAL"), 3 * x)

    def inner(x):
        return am.evaluate("x + 1")

    check(inner(np.zeros(2)), np.ones(2))
    # A mapping replaces the caller's variables.
    with pytest.raises(ValueError, match='"factor"'):
        am.evaluate("factor*x", {"x": x})


def test_names_of_methods_and_functions_and_comments_are_no_operands():
    T = sum = axis = unused = np.float16(1)
    assert T is sum is axis is unused
    x = np.arange(6.0).reshape(2, 3)
    check(am.evaluate("x.T  # unused"), x.T)
    check(am.evaluate("x + 1e0 + sum(x)", {"x": x, "e0": object(), "sum": np.float16(1)}), x + 1 + x.sum())


def test_statements_see_earlier_ones():
    x = np.arange(4.0)
    check(am.evaluate("s = sum(x); t = x / s\n t * 2"), x / x.sum() * 2)
    check(am.evaluate("s = sum(x)\nt = x / s"), x / x.sum())
    check(am.evaluate("q, r = qr(a); q @ r", {"a": np.eye(3) + 1}), np.eye(3) + 1, terms=64)
    for text in ("u, s, vh = svd (a, False); (u * s) @ vh", "w, z = eigh (a); (z * w) @ z.T"):
        check(am.evaluate(text, {"a": np.eye(3) + 1}), np.eye(3) + 1, terms=64)
    many = "; ".join(f"t{k} = x + {k}" for k in range(20)) + "; " + " + ".join(f"t{k}" for k in range(20))
    check(am.evaluate(many), 20 * x + 190)
    check(am.evaluate(many, {"x": am.Array(x)}), 20 * x + 190)


def test_a_name_that_the_text_assigns_is_not_the_callers():
    x = np.arange(4.0)
    for text, value in (
        ("x = 2*x", 2 * x),
        ("x = x > 1", x > 1),
        ("x = x*1j; x", x * 1j),
        ("x = sum(x)", np.float64(6)),
    ):
        check(am.evaluate(text), value)
        check(x, np.arange(4.0))
    a = 3
    check(am.evaluate("a = a + 1; a*x"), 4 * x)
    assert a == 3


def test_parts_are_assigned():
    x, y, two = np.arange(6.0), np.ones(6), 2  # noqa: F841
    assert am.evaluate("x[1:-1] = (x[:-2] + x[2:]) / two; y[::2] = 0") is None
    check(x, np.arange(6.0))
    check(y, np.array([0.0, 1] * 3))
    check(am.evaluate("t = x*two; x[1:] = t[1:]"), 2 * np.arange(6.0))
    check(x, 2 * np.arange(6.0))
    matrix = np.zeros((3, 4))
    am.evaluate("matrix[1] = y[:4]; matrix[2, ::2] = 5", {"matrix": matrix, "y": y})
    check(matrix, np.array([[0.0] * 4, [0, 1, 0, 1], [5, 0, 5, 0]]))


def test_operands_may_overlap_what_is_written():
    for text in ("x[1:] = x[:-1]", "x[:-1] = x[1:]", "x[::-1] = x", "x[::2] = x[1::2]", "x[1:-1] = x[:-2] + x[2:]"):
        x = np.arange(1000.0)
        wanted, y = x.copy(), x.copy()
        exec(text, {"x": wanted})
        am.evaluate(text, {"x": x})
        check(x, wanted)
        # Views with names of their own.
        am.evaluate("a[:] = b", {"a": y[1:], "b": y[:-1]})
        check(y, np.concatenate([[0.0], np.arange(999.0)]))


def test_overlapping_operands_may_have_other_types():
    z = elements(np.dtype(complex), 6)
    names = {"z": z, "re": z.real, "im": z.imag}
    check(am.evaluate("z*re + im", names), z * z.real + z.imag)
    wanted = abs(z)
    assert am.evaluate("abs(z)", {"z": z}, out=z.real) is not None
    check(z.real, wanted)
    x = np.arange(8, dtype=np.int32)
    wanted = x.copy()
    wanted[::2] = x.view(np.uint32)[::2] + 1
    am.evaluate("x[::2] = int32(y[::2] + 1)", {"x": x, "y": x.view(np.uint32)})
    check(x, wanted)


def test_out_receives_the_value():
    x = np.arange(4.0)
    out = np.empty(4)
    assert am.evaluate("2*x", out=out) is out
    check(out, 2 * x)
    assert am.evaluate("x + 1", out=x) is x
    check(x, np.arange(1.0, 5))
    am.evaluate("x[:-1]", out=x[1:])
    check(x, np.array([1.0, 1, 2, 3]))
    wide = np.zeros(8, complex)
    am.evaluate("2*x", out=wide[::-2])
    check(wide[::-2], 2 * x + 0j)
    swapped = np.empty(4, ">f8")
    am.evaluate("x - 1", out=swapped)
    assert (swapped == x - 1).all()


def test_a_wrong_out_changes_nothing():
    x = np.arange(4.0)
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    wrong = [(frozen, ValueError), (np.zeros(3), ValueError), (np.zeros(4, int), ValueError), ([0.0] * 4, TypeError)]
    for out, error in wrong:
        with pytest.raises(error):
            am.evaluate("x + 1", out=out)
        assert not np.asarray(out).any()
    with pytest.raises(ValueError, match="none"):
        am.evaluate("x[:] = 0", out=np.zeros(4))
    with pytest.raises(TypeError):
        am.evaluate("a + 1", {"a": am.Array(x)}, out=np.zeros(4))
    check(x, np.arange(4.0))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.dtype(np.int32), np.dtype(np.float64), np.dtype(np.complex64)], ids=str)
def test_operands_lie_in_any_layout(layout, dtype):
    x, y = LAYOUTS[layout](elements(dtype, 4, 6)), elements(dtype, 4, 6, seed=2)
    y = y[:, : x.shape[1]]
    check(am.evaluate("x + 2*y"), x.astype(dtype) + 2 * y)
    check(am.evaluate("2*x", out=np.asfortranarray(y)), 2 * x.astype(dtype))


@pytest.mark.parametrize("layout", ["unaligned", "non-native", "read-only"])
def test_parts_of_arrays_that_cannot_be_written_in_place(layout):
    x = LAYOUTS[layout](elements(np.dtype(float), 4, 6))
    before = x.copy()
    with pytest.raises(ValueError, match="a part of x"):
        am.evaluate("x[0] = 1")
    assert (x == before).all()


def test_errors_show_their_place_and_change_nothing():
    x, two = np.arange(4.0), 2  # noqa: F841
    for text, line, place in (
        ("two*(x + w)", "line 1, column 10", "two*(x + w)\n             ^"),
        ("x\nx +* two", "line 2, column 4", "x +* two\n       ^"),
        ("(x + two", "line 1, column 1", "(x + two\n    ^"),
        ("y = (x", "line 1, column 5", "y = (x\n        ^"),
    ):
        with pytest.raises(am.InvalidArgumentError) as error:
            am.evaluate(text)
        assert line in str(error.value) and str(error.value).endswith(place), str(error.value)
    for text in ("x[0] = 9; x[9] = 1", "x[:2] = 9; x[2:] = sum(w)", "x[1:] = x", "x[0] = ", ""):
        with pytest.raises(ValueError):
            am.evaluate(text, {"x": x})
        check(x, np.arange(4.0))
    with pytest.raises(ValueError, match="assigned, and a part"):
        am.evaluate("x[0] = 1; x = 2")


def test_elements_without_a_type_here_are_type_errors():
    for wrong in (np.ones(2, np.float16), np.array([None]), np.ones(2, np.int8), np.array(["a"])):
        with pytest.raises(TypeError, match="elements of"):
            am.evaluate("x + 1", {"x": wrong})
    with pytest.raises(ValueError, match="axes"):
        am.evaluate("x + 1", {"x": np.ones((1,) * 9)})
    with pytest.raises(ValueError, match="no operand"):
        am.evaluate("x + 1", {"x": None})


def test_arrays_and_numpys_arrays_are_mixed():
    x = np.arange(4.0)
    value = am.evaluate("x + y", {"x": x, "y": am.Array(x)})
    assert isinstance(value, am.Array)
    check(value, 2 * x)


def test_long_texts():
    x = np.arange(3.0)
    check(am.evaluate(" + ".join(["x"] * 2000)), 2000 * x)


def test_threads_evaluate_texts():
    x = elements(np.dtype(float), 50)

    def work(seed):
        return am.evaluate(f"x*{seed} + a", {"x": x, "a": seed / 2})

    with ThreadPoolExecutor(8) as pool:
        # More texts than are cached.
        for seed, found in enumerate(pool.map(work, range(3000))):
            check(found, x * seed + seed / 2)


def test_a_call_that_is_known_sees_new_arrays_and_numbers() -> None:
    text = "a*x + y"
    for turn in range(4):
        a = 0.5 + turn % 2
        x, y = np.arange(5.0) + turn, np.ones(5)
        out = np.empty(5) if turn % 2 else None
        result = am.evaluate(text, {"a": a, "x": x, "y": y}, out=out)
        np.testing.assert_array_equal(result, a * x + y)
        assert out is None or result is out


def test_a_call_that_is_known_copies_what_overlaps_or_is_not_aligned() -> None:
    memory = np.zeros(65, np.uint8)
    for turn in range(3):
        aligned = turn % 2 == 0
        x = memory[:64].view(np.float64) if aligned else memory[1:].view(np.float64)
        x[...] = np.arange(8.0)
        np.testing.assert_array_equal(am.evaluate("2*x", {"x": x}), 2 * np.arange(8.0))
    for _ in range(3):
        x = np.arange(8.0)
        bits = x.view(np.int64)
        np.testing.assert_array_equal(am.evaluate("x + 0*bits", {"x": x, "bits": bits}), np.arange(8.0))
    for _ in range(3):
        x = np.arange(8.0)
        np.testing.assert_array_equal(am.evaluate("2*x", {"x": x[:-1]}, out=x[1:]), 2 * np.arange(7.0))


def test_a_call_that_is_known_refuses_what_changed() -> None:
    x, out = np.arange(3.0), np.empty(3)
    am.evaluate("2*x", {"x": x}, out=out)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        am.evaluate("2*x", {"x": x}, out=out)
    with pytest.raises(ValueError, match="shape"):
        am.evaluate("2*x", {"x": x}, out=np.empty(4))
    with pytest.raises(am.InvalidArgumentError):
        am.evaluate("2*x", {"y": x})


def test_a_call_that_is_known_takes_new_numbers() -> None:
    x = np.arange(4.0)
    for a in (0.5, -0.0, 0.0, np.inf, np.nan, 3, -3, True, 1 + 2j, 0.25, 2**80, -(2**63), 10**18):
        with np.errstate(all="ignore"):
            expected = x * a if isinstance(a, complex) else x * float(a)
        for _ in range(2):
            found = am.evaluate("a*x", {"a": a, "x": x})
            np.testing.assert_array_equal(found, expected)
            assert np.array_equal(np.signbit(found.real), np.signbit(expected.real)) and found.dtype == expected.dtype
    for n in (1, 3, 2, 3, -1):
        # The shape depends on a whole number.
        check(am.evaluate("2*x[:n]", {"x": x, "n": n}), 2 * x[:n])
    single = x.astype(np.float32)
    for a in (2, 2.5, 0.1):
        check(am.evaluate("a*x", {"a": a, "x": single}), np.float32(a) * single)


def test_a_call_that_is_known_writes_parts() -> None:
    for turn in range(4):
        x = np.arange(8.0) + turn
        y, expected, scale = x.copy(), x.copy(), 0.5 + turn
        expected[1:-1] = (expected[:-2] + expected[2:]) * scale
        assert am.evaluate("x[1:-1] = (x[:-2] + x[2:]) * scale") is None
        check(x, expected)
        # The other array is part of the first.
        am.evaluate("a[::2] = b", {"a": y, "b": y[:4]})
        wanted = np.arange(8.0) + turn
        wanted[::2] = wanted[:4].copy()
        check(y, wanted)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        am.evaluate("x[1:-1] = (x[:-2] + x[2:]) * scale")


def test_later_statements_read_what_earlier_ones_assign() -> None:
    text = "x[0] = 5; x[1:3] = x[0] + y[:2]; y[::2] = x[1]; x[2:] = 2*x[:-2]"
    x, y = np.arange(5.0), np.ones(4)
    wanted = {"x": x.copy(), "y": y.copy()}
    for statement in text.split(";"):
        exec(statement.strip(), wanted | {"x": wanted["x"], "y": wanted["y"]})
    arrays = {"x": am.Array(x), "y": am.Array(y)}
    assert am.evaluate(text, {"x": x, "y": y}) is None
    assert am.evaluate(text, arrays) is None
    for name, found in (("x", x), ("y", y)):
        check(found, wanted[name])
        check(arrays[name], wanted[name])
    check(am.evaluate("x[0] = 1; s = sum(x); s + 1", arrays), np.float64(wanted["x"][1:].sum() + 2))


def test_random_parts_are_numpys() -> None:
    generator = np.random.default_rng(11)

    def part(extents):
        items = []
        for extent in extents:
            if generator.random() < 0.25:
                items.append(str(int(generator.integers(-extent, extent))))
            else:
                bounds = [str(int(generator.integers(-extent - 1, extent + 2))) if generator.random() < 0.6 else ""
                          for _ in range(2)]  # fmt: skip
                items.append(":".join([*bounds, str(int(generator.choice([-3, -2, -1, 1, 2, 3])))]))
        return ", ".join(items)

    for _ in range(150):
        shape = tuple(int(extent) for extent in generator.integers(1, 6, generator.integers(1, 4)))
        statements = [f"x[{part(shape)}] = {k}*sum(x) + {k}" for k in range(1, int(generator.integers(2, 5)))]
        x = generator.integers(0, 9, shape).astype(float)
        expected, array = x.copy(), am.Array(x)
        for statement in statements:
            exec(statement.replace("sum(x)", "x.sum()"), {"x": expected})
        am.evaluate("; ".join(statements))
        check(x, expected)
        am.evaluate("; ".join(statements), {"x": array})
        check(array, expected)


def test_parts_of_arrays_are_assigned_where_they_lie(monkeypatch) -> None:
    x = am.Array(np.arange(6.0))
    copy, double = x.copy(), 2 * x
    with monkeypatch.context() as patch:
        patch.setattr(_lazy, "download", None)
        assert am.evaluate("x[1:-1] = (x[:-2] + x[2:]) / 2 + 1") is None
    check(x, np.array([0.0, 2, 3, 4, 5, 5]))
    check(copy, np.arange(6.0))
    check(double, 2 * np.arange(6.0))
    host = np.zeros(6)
    am.evaluate("host[::2] = x[::2]", {"host": host, "x": x})
    check(host, np.array([0.0, 0, 3, 0, 5, 0]))
    with pytest.raises(ValueError, match="assigned, and a part"):
        am.evaluate("x[0] = 1; x = 2", {"x": x})
    for text, error in (("x[0] = 1j", "complex"), ("x[7] = 1", "outside axis 0"), ("x[:2] = x", "6")):
        with pytest.raises(am.InvalidArgumentError, match=error):
            am.evaluate(text, {"x": x})
    check(x, np.array([0.0, 2, 3, 4, 5, 5]))
