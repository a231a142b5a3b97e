"""Arrays and text expressions, beside NumPy."""

import copy
import operator
import pickle
import threading

import numpy as np
import pytest

import affinimath as am

DTYPES = ["bool", "uint8", "int32", "uint32", "int64", "float32", "float64", "complex64", "complex128"]
REAL = ["int32", "int64", "float32", "float64"]


def elements(dtype, shape, seed=0):
    random = np.random.default_rng(seed)
    numbers = random.integers(1, 9, shape) * np.where(random.random(shape) < 0.5, -1, 1)
    if np.dtype(dtype).kind in "bu":
        return np.abs(numbers).astype(dtype) % (2 if dtype == "bool" else 9)
    return (numbers + (1j * random.integers(-4, 5, shape) if "complex" in dtype else 0)).astype(dtype)


def same(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found, expected)
    tolerance = 1e-5 if found.dtype in ("float32", "complex64") else 1e-12
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", DTYPES)
def test_operators_have_numpys_types_and_values(left, right):
    a, b = elements(left, (3, 4), 1), elements(right, (4,), 2)
    x, y = am.Array(a), am.Array(b)
    for function in (operator.add, operator.mul):
        same(function(x, y), function(a, b))
    for function in (operator.eq, operator.ne):
        same(function(x, y), function(a, b))
    if "complex" not in left + right:
        for function in (operator.lt, operator.le, operator.gt, operator.ge):
            same(function(x, y), function(a, b))
    if not (left == right == "bool"):
        same(x - y, a - b)
    if "uint8" not in (left, right) and not (left == right == "bool"):
        nonzero = np.where(b == 0, np.ones_like(b), b)
        same(x / am.Array(nonzero), a / nonzero)


@pytest.mark.parametrize("dtype", REAL)
def test_division_rounds_down_as_pythons(dtype):
    a, b = elements(dtype, (50,), 3), elements(dtype, (50,), 4)
    same(am.Array(a) // am.Array(b), a // b)
    same(am.Array(a) % am.Array(b), a % b)
    same(am.Array(a) // 3, a // 3)
    same(7 % am.Array(b), 7 % b)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("number", [2, -3, 2.5, True, 1j, float("inf")])
def test_numbers_take_the_type_of_arrays(dtype, number):
    a = elements(dtype, (5,), 5)
    x = am.Array(a)
    same(x + number, a + number)
    same(number * x, number * a)
    same(number - x, number - a)


def test_functions_of_elements():
    a = np.linspace(0.1, 2, 20)
    x = am.Array(a)
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh"):
        same(getattr(x, name)(), getattr(np, name)(a))
        same(getattr(np, name)(x), getattr(np, name)(a))
    same(np.hypot(x, a), np.hypot(a, a))
    same(np.arctan2(a, x), np.arctan2(a, a))
    same(np.add.reduce(x), np.add.reduce(a))
    same(abs(am.Array([-1, 2])), np.array([1, 2]))
    same(~am.Array([True, False]), np.array([False, True]))
    same(a + x, a + a)


KEYS = [
    0,
    -1,
    (slice(None), 2),
    (slice(1, None), slice(None, None, -2)),
    (Ellipsis, None, 1),
    None,
    (slice(None), [0, 2, 2]),
    np.array([1, -1]),
    ([0, 1], [1, 0]),
    (slice(5, 1), 0),
    (1, 2),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indices_are_numpys(key):
    a = elements("float64", (3, 4), 6)
    same(am.Array(a)[key], a[key])


def test_masks_select_and_assign():
    a = elements("float64", (3, 4), 7)
    x = am.Array(a)
    same(x[x > 0], a[a > 0])
    before = x[:]
    view = x[0]
    x[x < 0] = 0
    x[1, ::2] = [5, 6]
    expected = np.where(a < 0, 0, a)
    expected[1, ::2] = [5, 6]
    same(x, expected)
    same(view, a[0])
    assert before.shape == x.shape
    with pytest.raises((ValueError, IndexError)):
        x[7] = 1
    same(x, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2)])
def test_reductions(dtype, axis):
    a = elements(dtype, (3, 4, 2), 8)
    x = am.Array(a)
    for keepdims in (False, True):
        for name in ("any", "all"):
            same(getattr(x, name)(axis=axis, keepdims=keepdims), getattr(a, name)(axis=axis, keepdims=keepdims))
        wide = a.astype("int64") if dtype in ("bool", "uint8", "int32", "uint32") else a
        same(x.sum(axis=axis, keepdims=keepdims), wide.sum(axis=axis, keepdims=keepdims))
        if "complex" not in dtype and dtype != "bool":
            same(x.min(axis=axis, keepdims=keepdims), a.min(axis=axis, keepdims=keepdims))
            same(x.max(axis=axis, keepdims=keepdims), a.max(axis=axis, keepdims=keepdims))
        if dtype in ("float32", "float64", "int64"):
            same(x.mean(axis=axis, keepdims=keepdims), a.mean(axis=axis, keepdims=keepdims))
            same(x.var(axis=axis, ddof=1, keepdims=keepdims), a.var(axis=axis, ddof=1, keepdims=keepdims))
    if axis is None or isinstance(axis, int):
        if "complex" not in dtype:
            same(x.argmax(axis=axis), a.argmax(axis=axis))
        same(x.cumsum(axis=axis), wide.cumsum(axis=axis))


def test_shapes():
    a = elements("float32", (2, 3, 4), 9)
    x = am.Array(a)
    same(x.T, a.T)
    same(x.mT, np.swapaxes(a, 1, 2))
    same(x.reshape(4, -1), a.reshape(4, -1))
    same(x.transpose(2, 0, 1), a.transpose(2, 0, 1))
    same(x.swapaxes(0, 2), a.swapaxes(0, 2))
    same(x[:, :1].squeeze(1), a[:, :1].squeeze(1))
    same(x.clip(max=2), a.clip(max=2))
    assert (x.ndim, x.size, x.nbytes, len(x)) == (3, 24, 96, 2)
    same(am.Array(a[0]) @ am.Array(a[0].T), a[0] @ a[0].T)


def test_protocols():
    a = np.arange(6.0).reshape(2, 3)
    x = am.Array(a)
    assert repr(x) == repr(a).replace("array", "Array")
    assert str(x) == str(a)
    for other in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        same(other, a)
    assert [row.sum().item() for row in x] == [3.0, 12.0]
    assert (bool(am.Array([1])), int(am.Array(3.7)), float(am.Array(2)), complex(am.Array(1j))) == (True, 3, 2.0, 1j)
    assert [10, 20, 30][am.Array(1)] == 20
    assert 4.0 in x and 9.0 not in x
    same(np.from_dlpack(x), a)
    with pytest.raises(ValueError, match="one element"):
        bool(x)
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(TypeError):
        hash(x)
    with pytest.raises(TypeError, match="float16"):
        am.Array(np.ones(2, "float16"))
    with pytest.raises(TypeError, match="object"):
        am.Array([object()])
    with pytest.raises(ValueError, match="do not broadcast"):
        x + am.Array([1.0, 2.0])


def test_copies_of_any_memory():
    a = np.arange(24.0).reshape(4, 6)
    for source in (a[::2, ::-1], a.T, np.asfortranarray(a), a.astype(">f8"), a[1:, 1:], np.empty((0, 3))):
        same(am.Array(source), np.ascontiguousarray(source).astype(source.dtype.newbyteorder("=")))
    raw = np.zeros(8 * 5 + 1, np.uint8)[1:].view(np.float64)
    raw[:] = 3
    same(am.Array(raw), raw)


def test_long_expressions_and_threads():
    x = am.Array(np.ones(100))
    total = x
    for _ in range(300):
        total = total + x
    same(total, np.full(100, 301.0))
    failures = []

    def work(seed):
        a = elements("float64", (200,), seed)
        for _ in range(20):
            if not np.allclose(np.asarray((am.Array(a) * 2 + 1).sum()), (a * 2 + 1).sum()):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures


def test_evaluate_reads_the_callers_variables():
    x, y, factor = np.arange(5.0), np.ones(5), 2.5
    same(am.evaluate("factor*x + sqrt(y)"), factor * x + 1)
    same(am.evaluate("s = sum(x); x / s"), x / x.sum())
    same(am.evaluate("a + 1", {"a": np.float32([1, 2])}), np.float32([2, 3]))
    out = np.empty(5)
    assert am.evaluate("x*2", out=out) is out
    same(out, x * 2)
    am.evaluate("x + y", out=x)
    same(x, np.arange(5.0) + 1)


def test_evaluate_reads_and_writes_any_memory():
    a = np.arange(24.0).reshape(4, 6)
    for source in (a[::2, ::-1], a.T, np.asfortranarray(a), a.astype(">f8")):
        same(am.evaluate("2*source"), 2 * np.ascontiguousarray(source).astype(float))
    x = np.arange(1000.0)
    expected = np.concatenate([x[:1], x[:-1]])
    am.evaluate("x[1:] = x[:-1]")
    same(x, expected)
    front, back = x[:-1], x[1:]
    am.evaluate("front", out=back)
    same(x[2:5], expected[1:4])
    strided = np.zeros((3, 8))[:, ::2]
    am.evaluate("strided[:, 1:] = 7")
    same(strided, np.array([[0.0, 7, 7, 7]] * 3))


def test_evaluate_tells_what_is_wrong():
    x = np.ones(3)
    with pytest.raises(am.InvalidArgumentError, match=r"(?s)no operand is called \"w\".*\^"):
        am.evaluate("x + w", {"x": x})
    with pytest.raises(ValueError, match="out is"):
        am.evaluate("x + 1", out=np.empty(4))
    with pytest.raises(ValueError, match="out is"):
        am.evaluate("x * 1j", out=np.empty(3))
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        am.evaluate("x[0] = 5")
    with pytest.raises(TypeError, match="float16"):
        am.evaluate("h + 1", {"h": np.ones(2, "float16")})
    same(x, np.ones(3))


def test_evaluate_of_arrays_gives_arrays():
    x, y = am.Array([1.0, 2.0]), np.array([3.0, 4.0])
    found = am.evaluate("x*y + 1")
    assert isinstance(found, am.Array)
    same(found, np.array([4.0, 9.0]))
