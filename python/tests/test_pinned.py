"""NumPy's arrays in pinned memory."""

import gc

import numpy as np
import pytest

import affinimath as am


def test_an_array_in_pinned_memory_is_an_array_of_zeros():
    for shape in [5, (2, 3), [4, 0], ()]:
        for dtype in [np.float32, np.complex128, np.int8, "datetime64[s]"]:
            for order in "CF":
                x = am.pinned_empty(shape, dtype, order)
                expected = np.zeros(shape, dtype, order)
                assert x.shape == expected.shape and x.dtype == expected.dtype
                assert x.strides == expected.strides or x.size == 0
                assert np.array_equal(x, expected)


def test_the_memory_lives_as_long_as_its_views():
    x = am.pinned_empty((100, 100))
    x[:] = np.arange(10000.0).reshape(100, 100)
    view = x[3:, ::2]
    del x
    gc.collect()
    others = [am.pinned_empty((100, 100)) for _ in range(4)]
    for other in others:
        other[:] = -1
    assert np.array_equal(view, np.arange(10000.0).reshape(100, 100)[3:, ::2])


def test_arrays_come_from_pinned_memory():
    x = am.pinned_empty(300_000, np.float32)
    x[:] = np.arange(x.size) % 1000
    for device in ["host", *am.device_names()]:
        assert np.array_equal(am.asarray(x, device=device).numpy(), x)
    out = am.pinned_empty(x.size, np.float32)
    assert am.evaluate("2*x + 1", out=out) is out
    assert np.array_equal(out, 2 * x + 1)


def test_wrong_arguments_are_told():
    with pytest.raises(TypeError):
        am.pinned_empty(3, object)
    with pytest.raises(ValueError):
        am.pinned_empty(-3)
    with pytest.raises(ValueError):
        am.pinned_empty(3, order="A")
    with pytest.raises(ValueError):
        am.pinned_empty(3, device="no such device")
    with pytest.raises(am.Error):
        am.pinned_empty(2**62, np.int8, device="host")
