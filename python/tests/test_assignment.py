"""Assignment to parts of an Array against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from test_array import DTYPES, check, elements

import affinimath as am
from affinimath import _lazy

SHAPE = (4, 5, 6)
KEYS = [
    0, -1, (), Ellipsis, None, slice(None), slice(1, 3), slice(None, None, -1), slice(None, None, 2), slice(-1, 0, -2),
    slice(10, 20), slice(3, 1), (1, 2, 3), (slice(1, None), slice(None, -1)), (Ellipsis, 0),
    (0, Ellipsis, slice(1, 5, 3)), (slice(None), None, 2),
    (slice(0, 4, 3), slice(4, 0, -3), slice(5, None, -2)), (None, 1, None, slice(2, 3)),
]  # fmt: skip


def values(generator, shape):
    """A number, and arrays that broadcast to a shape."""
    yield 7
    yield generator.integers(1, 9, shape)
    yield generator.integers(1, 9, shape[1:])
    yield generator.integers(1, 9, tuple(1 if axis % 2 else extent for axis, extent in enumerate(shape)))
    if shape:
        yield generator.integers(1, 9, (1, *shape))


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("dtype", [np.dtype(np.int32), np.dtype(np.float64), np.dtype(np.complex64)], ids=str)
def test_parts_are_numpys(key, dtype, monkeypatch):
    x = elements(dtype, *SHAPE)
    for value in values(np.random.default_rng(3), x[key].shape):
        for given in (value, am.Array(value)):
            array, expected = am.Array(x), x.copy()
            before = array.copy()
            expected[key] = value
            with monkeypatch.context() as patch:
                # No element comes to the host.
                patch.setattr(_lazy, "download", None)
                array[key] = given
            check(array, expected)
            check(before, x)


def test_random_slices_are_numpys():
    generator = np.random.default_rng(5)

    def bound(extent):
        return None if generator.random() < 0.2 else int(generator.integers(-extent - 2, extent + 3))

    for _ in range(300):
        shape = tuple(generator.integers(1, 7, generator.integers(1, 4)))
        key = tuple(
            slice(bound(extent), bound(extent), int(generator.choice([-3, -2, -1, 1, 2, 3])))
            if generator.random() < 0.8
            else int(generator.integers(-extent, extent))
            for extent in shape[: generator.integers(1, len(shape) + 1)]
        )
        x = generator.integers(0, 99, shape)
        value = generator.integers(100, 199, x[key].shape)
        array, expected = am.Array(x), x.copy()
        array[key] = value
        expected[key] = value
        check(array, expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_values_take_the_type_of_the_array(dtype):
    x = np.zeros(5, dtype)
    for value in (True, 3, 2.75, np.float32(1.5), np.uint8(200), np.array([1, 0]), np.array([1.5, 2.5])):
        array, expected = am.Array(x), x.copy()
        array[1:3] = value
        expected[1:3] = value
        check(array, expected)
    array, expected = am.Array(np.array([2**62 + 1, 5])), np.array([2**62 + 1, 5])
    array[1] = 2.9  # the other element is no real number on the way
    expected[1] = 2.9
    check(array, expected)


def test_masks_stay_where_they_are(monkeypatch):
    x = elements(np.dtype(float), 4, 5)
    for mask in (x > 0, x[:, 0] > 0, np.zeros((4, 5), bool)):
        for value in (0, 2.5, np.float32(3), am.Array(4.5)):
            array, expected = am.Array(x), x.copy()
            expected[mask] = np.asarray(value)
            with monkeypatch.context() as patch:
                patch.setattr(_lazy, "download", None)
                array[am.Array(mask)] = value
            check(array, expected)
            array = am.Array(x)
            array[mask] = value
            check(array, expected)


@pytest.mark.parametrize(
    "key, value, error",
    [
        (slice(0, 2), [1, 2, 3], ValueError), (0, np.ones((2, 5)), ValueError), (4, 0, IndexError),
        ((0, 0, 0), 0, IndexError), (slice(None, None, 0), 0, ValueError),
        (1.5, 0, IndexError), (np.ones((3, 5), bool), 0, IndexError),
        ((0, 5), 0, IndexError), (slice(0, 0), np.ones(3), ValueError), (0, "text", ValueError),
    ],
)  # fmt: skip
def test_an_error_changes_nothing(key, value, error):
    array = am.Array(np.zeros((4, 5)))
    with pytest.raises(error):
        array[key] = value
    check(array, np.zeros((4, 5)))


def test_steps_of_an_iteration_follow_each_other():
    x, expected = am.Array(np.zeros(9)), np.zeros(9)
    for step in range(20):
        x[0], expected[0] = step, step
        x[1:-1] = (x[:-2] + x[2:]) / 2
        expected[1:-1] = (expected[:-2] + expected[2:]) / 2
        x[::3] += 1
        expected[::3] += 1
    check(x, expected, terms=64)
