"""Arrays against NumPy's."""

from __future__ import annotations

import copy
import operator
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import affinimath as am

DTYPES = [
    np.dtype(name)
    for name in ("bool", "uint8", "int32", "uint32", "int64", "float32", "float64", "complex64", "complex128")
]
PAIRS = [(a, b) for a in DTYPES for b in DTYPES]


def elements(dtype, *shape, seed=1):
    """Elements from 1 to 9 in size, so that no integer division is by 0 and no power overflows."""
    generator = np.random.default_rng(seed)
    whole = generator.integers(1, 10, shape)
    if dtype.kind == "b":
        return whole > 4
    if dtype.kind == "u":
        return whole.astype(dtype)
    signed = whole * generator.choice([-1, 1], shape)
    if dtype.kind == "i":
        return signed.astype(dtype)
    parts = signed + generator.random(shape)
    return (parts + 1j * generator.random(shape) if dtype.kind == "c" else parts).astype(dtype)


def check(found, expected, terms=8):
    """The same type, shape and elements, but for `terms` roundings."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found, expected)
    if expected.dtype.kind in "fc":
        epsilon = np.finfo(expected.dtype).eps
        np.testing.assert_allclose(found, expected, rtol=terms * epsilon, atol=terms * epsilon)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("a, b", PAIRS, ids=str)
@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.truediv, operator.eq, operator.ne])
def test_arithmetic_has_numpys_types_and_values(function, a, b):
    x, y = elements(a, 5, 1, 3), elements(b, 4, 1, seed=2)
    if function is operator.truediv and b.kind == "b":
        y = np.ones_like(y)
    expected = function(x, y)
    check(function(am.Array(x), am.Array(y)), expected)
    check(function(am.Array(x), y), expected)
    check(function(x, am.Array(y)), expected)


@pytest.mark.parametrize("a, b", [pair for pair in PAIRS if "c" not in (pair[0].kind, pair[1].kind)], ids=str)
def test_order_and_integer_division_are_numpys(a, b):
    x, y = elements(a, 3, 5), elements(b, 5, seed=2)
    functions = [operator.lt, operator.le, operator.gt, operator.ge]
    if "b" not in (a.kind, b.kind):
        functions += [operator.sub, operator.floordiv, operator.mod]
    for function in functions:
        check(function(am.Array(x), am.Array(y)), function(x, y))
        check(function(am.Array(x), y), function(x, y))
        check(function(x, am.Array(y)), function(x, y))
        if a.kind == "b":
            check(function(am.Array(x), True), function(x, True))


@pytest.mark.parametrize("a, b", [pair for pair in PAIRS if pair[0].kind in "iu" and pair[1].kind in "iu"], ids=str)
def test_bits_are_numpys(a, b):
    x, y = elements(a, 7), elements(b, 7, seed=2)
    for function in (operator.and_, operator.or_, operator.xor):
        check(function(am.Array(x), am.Array(y)), function(x, y))
    shift = np.abs(y.astype(np.int64)).astype(b) % 7
    for function in (operator.lshift, operator.rshift):
        check(function(am.Array(x), am.Array(shift)), function(x, shift))
    check(~am.Array(x), ~x)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("number", [3, -2, 2.5, -0.0, 1e300, np.inf, np.nan, 2 - 3j, complex(1, np.inf), True])
def test_numbers_take_the_type_of_the_array(dtype, number):
    if np.lib.NumpyVersion(np.__version__) < "2.0.0" and dtype in (np.float32, np.complex64):
        if number in (1e300, -1e300) or (isinstance(number, complex) and not np.isfinite(number)):
            pytest.skip("before NumPy 2 such a number made the result double")
    x = elements(dtype, 3, 4)
    if dtype.kind == "u" and number == -2:
        with pytest.raises(ValueError, match="-2 is no number"):
            am.Array(x) + number
        return
    with np.errstate(all="ignore"):
        for function in (operator.add, operator.mul):
            if isinstance(number, complex) and not np.isfinite(number) and function is operator.mul:
                continue  # parts that are infinities or NaN by the order of operations
            check(function(am.Array(x), number), function(x, number))
            check(function(number, am.Array(x)), function(number, x))
        check(am.Array(x) == number, x == number)


@pytest.mark.parametrize("number", [2**31, -(2**63), 2**63 - 1])
def test_large_integers_are_exact(number):
    check(am.Array([0]) + number, np.array([number]))


def test_powers_are_numpys():
    for dtype in DTYPES[1:]:
        x = elements(dtype, 6)
        for exponent in (0, 1, 2, 3, 5):
            check(am.Array(x) ** exponent, x**exponent, terms=32)
    x, y = np.abs(elements(np.dtype(float), 6)), elements(np.dtype(float), 6, seed=2)
    check(am.Array(x) ** y, x**y, terms=64)
    check(2.0 ** am.Array(y), 2.0**y, terms=64)


def test_products_are_numpys(dtype, random):
    a, b, x = random(5, 7), random(7, 3), random(7)
    for left, right in ((a, b), (a, x), (x, b), (x, x)):
        check(am.Array(left) @ am.Array(right), left @ right, terms=64)
        check(left @ am.Array(right), left @ right, terms=64)
    check(am.Array(a).dot(b), a.dot(b), terms=64)


KEYS = [
    0,
    -1,
    np.int64(2),
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(-1, 0, -2),
    slice(10, 20),
    None,
    Ellipsis,
    (),
    (1, 2),
    (Ellipsis, 0),
    (0, Ellipsis, slice(None, None, 2)),
    (slice(1, 3), None, slice(None, None, -1)),
    (None, 1, None),
    [0, 2, 1],
    np.array([3, -1, 0]),
    np.array([[0, 1], [2, 3]]),
    (slice(None), [1, 0, 4]),
    (Ellipsis, np.array([[1], [0]])),
    (0, [1, 2]),
    ([0, 1], [2, 3]),
    ([0, 1], slice(None), [2, 3]),
    np.array([], int),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indices_select_what_numpys_do(key):
    x = elements(np.dtype(np.float32), 4, 5, 6)
    check(am.Array(x)[key], x[key])
    expected = x.copy()
    array = am.Array(x)
    array[key] = 7.5
    expected[key] = 7.5
    check(array, expected)


def test_masks_select_and_assign():
    x = elements(np.dtype(np.int64), 4, 5)
    mask = x > 2
    for key in (mask, am.Array(mask), mask[:, 0], (slice(None), mask[0])):
        host = np.asarray(key) if isinstance(key, am.Array) else key
        check(am.Array(x)[key], x[host])
        array, expected = am.Array(x), x.copy()
        array[key] = 0
        expected[host] = 0
        check(array, expected)
    # Values go to the selected elements in order.
    array, expected = am.Array(x), x.copy()
    array[am.Array(mask)] = np.arange(mask.sum())
    expected[mask] = np.arange(mask.sum())
    check(array, expected)


def test_an_assignment_changes_this_array_alone():
    x = am.Array([1, 2, 3, 4])
    part, same, sum_ = x[1:], x.copy(), x + 1
    x[1:3] = am.Array([8, 9])
    check(x, np.array([1, 8, 9, 4]))
    check(part, np.array([2, 3, 4]))
    check(same, np.array([1, 2, 3, 4]))
    check(sum_, np.array([2, 3, 4, 5]))
    with pytest.raises(ValueError):
        x[:] = [1, 2]
    check(x, np.array([1, 8, 9, 4]))


@pytest.mark.parametrize("key", [4, -5, (0, 0), 1.5, "a", (Ellipsis, Ellipsis)])
def test_wrong_indices_are_index_errors(key):
    with pytest.raises(IndexError):
        am.Array([1, 2, 3, 4])[key]


def test_a_step_of_0_is_an_error():
    with pytest.raises(ValueError, match="step"):
        am.Array([1, 2])[::0]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (1,)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_are_numpys(dtype, axis, keepdims):
    x = elements(dtype, 3, 4, 2)
    array, options = am.Array(x), {"axis": axis, "keepdims": keepdims}
    for name in ("any", "all", "mean", "var", "std"):
        check(getattr(array, name)(**options), getattr(x, name)(**options), terms=64)
    wide = np.int64 if dtype.kind in "bui" else dtype
    for name in ("sum", "prod"):
        check(getattr(array, name)(**options), getattr(x, name)(dtype=wide, **options), terms=256)
    check(array.sum(dtype="float64" if dtype.kind != "c" else dtype, **options),
          x.sum(dtype="float64" if dtype.kind != "c" else dtype, **options), terms=64)  # fmt: skip
    if dtype.kind != "c":
        for name in ("min", "max"):
            check(getattr(array, name)(**options), getattr(x, name)(**options))
    if dtype.kind not in "c" and not isinstance(axis, tuple):
        for name in ("argmin", "argmax"):
            check(getattr(array, name)(**options), getattr(x, name)(**options))


@pytest.mark.parametrize("ddof", [0, 1, 1.5])
def test_variances_have_degrees_of_freedom(ddof):
    x = elements(np.dtype(float), 6, 5)
    check(am.Array(x).var(axis=0, ddof=ddof), x.var(axis=0, ddof=ddof), terms=64)
    check(am.Array(x).std(ddof=ddof), x.std(ddof=ddof), terms=64)


def test_wrong_axes_are_errors():
    x = am.Array(np.ones((2, 3)))
    for axis in (2, -3, (0, 0)):
        with pytest.raises(ValueError, match="axis"):
            x.sum(axis=axis)


@pytest.mark.parametrize("dtype", DTYPES[2:], ids=str)
def test_running_sums_and_products(dtype):
    x = elements(dtype, 3, 4)
    wide = np.int64 if dtype.kind in "bui" else dtype
    for axis in (None, 0, 1):
        check(am.Array(x).cumsum(axis), x.cumsum(axis, dtype=wide), terms=64)
        check(am.Array(x).cumprod(axis), x.cumprod(axis, dtype=wide), terms=256)


def test_methods_are_numpys():
    x = np.abs(elements(np.dtype(float), 3, 4)) / 10
    array = am.Array(x)
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "square"):
        check(getattr(array, name)(), getattr(np, name)(x), terms=16)
    check(array.reshape(4, -1), x.reshape(4, -1))
    check(array.reshape((2, 6)), x.reshape((2, 6)))
    check(array.ravel(), x.ravel())
    check(array.flatten(), x.flatten())
    check(array.T, x.T)
    check(array.mT, x.T)
    check(array.transpose(1, 0), x.transpose(1, 0))
    check(array.swapaxes(0, 1), x.swapaxes(0, 1))
    check(array[None].squeeze(), x)
    check(array[None].squeeze(0), x)
    check(array.clip(0.2, 0.5), x.clip(0.2, 0.5))
    check(array.clip(max=0.5), x.clip(max=0.5))
    check(array.clip(min=0.2), x.clip(min=0.2))
    check((10 * array).round(), (10 * x).round())
    check(array.round(1), x.round(1))
    check(array.norm(axis=1), np.linalg.norm(x, axis=1))
    assert (array.ndim, array.size, array.itemsize, array.nbytes, len(array)) == (2, 12, 8, 96, 3)


def test_complex_parts():
    z = elements(np.dtype(np.complex64), 4)
    array = am.Array(z)
    for found, expected in ((array.real, z.real), (array.imag, z.imag), (array.conj(), z.conj()), (abs(array), abs(z))):
        check(found, expected)
    check(am.Array([1.0]).imag, np.array([0.0]))


def test_conversions():
    x = np.array([1.7, -2.2, 200.5])
    check(am.Array(x).astype("int32"), x.astype("int32"))
    check(am.Array(x).astype(bool), x.astype(bool))
    check(am.Array(x, dtype=np.float32), x.astype(np.float32))
    check(am.asarray(am.Array(x), dtype=np.complex64), x.astype(np.complex64))


def test_numpys_arrays_are_copies():
    x = np.arange(4.0)
    array = am.Array(x)
    x[0] = 9
    check(array, np.arange(4.0))
    host = np.asarray(array)
    host[1] = 9
    check(array, np.arange(4.0))
    check(np.asarray(array, np.float32), np.arange(4, dtype=np.float32))
    check(np.from_dlpack(array), np.arange(4.0))
    with pytest.raises(ValueError):
        np.asarray(array, copy=False) if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else array.__array__(copy=False)


LAYOUTS = {
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "Fortran": np.asfortranarray,
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "unaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape),
    "non-native": lambda x: x.astype(x.dtype.newbyteorder()),
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    "empty": lambda x: x[:, :0],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.dtype(np.int32), np.dtype(np.float64), np.dtype(np.complex64)], ids=str)
def test_any_layout_is_copied(layout, dtype):
    x = LAYOUTS[layout](elements(dtype, 4, 6))
    expected = x.astype(dtype)
    check(am.Array(x), expected)
    check(am.Array(x) + x, expected + expected)
    check(x + am.Array(x).sum(axis=0), expected + expected.sum(axis=0, dtype=np.int64 if dtype.kind == "i" else dtype))


def test_elements_without_a_type_here_are_type_errors():
    for wrong in (np.float16(1), np.array([None]), np.array(["a"]), np.int8(1), np.longdouble(1)):
        with pytest.raises(TypeError, match="elements of"):
            am.Array(wrong)
    with pytest.raises(TypeError, match="float16"):
        am.Array([1.0]).astype(np.float16)
    with pytest.raises(TypeError):
        am.Array([1.0]) + None
    with pytest.raises(ValueError, match="axes"):
        am.Array(np.ones((1,) * 9))
    with pytest.raises(ValueError, match="no device"):
        am.Array([1.0], device="nowhere")


def test_pickles_and_copies():
    x = am.Array(elements(np.dtype(np.complex64), 2, 3)) + 1
    for other in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy()):
        check(other, np.asarray(x))
        other[0] = 0
        assert np.asarray(x)[0, 0] != 0


def test_one_element_is_a_number():
    assert bool(am.Array(0.0)) is False and bool(am.Array([2])) is True
    assert int(am.Array(3)) == 3 and float(am.Array([2.5])) == 2.5 and complex(am.Array(1j)) == 1j
    assert [10, 20, 30][am.Array(1)] == 20
    assert am.Array([2.5]).item() == 2.5 and am.Array([[1, 2]]).tolist() == [[1, 2]]
    with pytest.raises(ValueError):
        bool(am.Array([1, 2]))
    for function in (int, float, complex, operator.index):
        with pytest.raises(TypeError):
            function(am.Array([1, 2]))
    with pytest.raises(TypeError):
        operator.index(am.Array(1.0))
    with pytest.raises(TypeError):
        len(am.Array(1))
    with pytest.raises(TypeError):
        iter(am.Array(1))
    with pytest.raises(TypeError):
        hash(am.Array(1))


def test_iteration_and_membership():
    x = elements(np.dtype(np.int64), 3, 2)
    for found, expected in zip(am.Array(x), x):
        check(found, expected)
    assert x[1, 1] in am.Array(x) and 100 not in am.Array(x)


def test_printing():
    assert repr(am.Array([1.0, 2.5])) == "Array([1. , 2.5])"
    assert repr(am.Array([[1, 2], [3, 4]])) == "Array([[1, 2],\n       [3, 4]])"
    assert repr(am.Array([], dtype=np.float32)) == "Array([], dtype=float32)"
    assert str(am.Array([True, False])) == "[ True False]"
    assert f"{am.Array(2.5):.3f}" == "2.500"


def test_empty_arrays():
    x = am.Array(np.empty((0, 3)))
    check(x + 1, np.empty((0, 3)))
    check(x.sum(axis=0), np.zeros(3))
    check(x.sum(), np.float64(0))
    check(x[:, 1:], np.empty((0, 2)))
    with pytest.raises(ValueError):
        x.max()


def test_long_chains_and_shared_parts():
    x = np.linspace(0, 1, 17)
    array, expected = am.Array(x), x.copy()
    for _ in range(300):
        array, expected = array * 0.99 + 0.5, expected * 0.99 + 0.5
    check(array, expected, terms=600)
    shared = am.Array(x)
    for _ in range(40):
        shared = shared + shared  # 2**40 paths through 40 sums
    check(shared, x * 2.0**40)
    assert array.evaluate() is array


def test_expressions_of_different_shapes_are_errors_at_once():
    with pytest.raises(ValueError, match="broadcast"):
        am.Array([1, 2]) + am.Array([1, 2, 3])


def test_threads_share_arrays():
    x = elements(np.dtype(float), 100)
    shared = am.Array(x) * 2

    def work(seed):
        return np.asarray((shared + seed) * (seed + 0.5)).sum()

    with ThreadPoolExecutor(8) as pool:
        for seed, found in enumerate(pool.map(work, range(200))):
            assert np.isclose(found, ((2 * x + seed) * (seed + 0.5)).sum())
