"""Convolutions and correlations beside their sums in double precision."""

import itertools

import numpy as np
import pytest
from conftest import epsilon, exact

import affinimath as am

SHAPES = [((1,), (1,)), ((5,), (9,)), ((40,), (7,)), ((2000,), (300,)), ((9, 12), (3, 4)), ((6, 5, 7), (2, 5, 3))]


def full(a, v):
    """All results, and the same sums of moduli."""
    shape = [n + m - 1 for n, m in zip(a.shape, v.shape)]
    result, size = np.zeros(shape, np.result_type(a, v)), np.zeros(shape)
    for place in itertools.product(*map(range, v.shape)):
        window = tuple(slice(first, first + n) for first, n in zip(place, a.shape))
        result[window] += v[place] * a
        size[window] += abs(v[place]) * abs(a)
    return result, size


def wrapped(a, shape):
    """A signal's results, those beyond its end added to those that they fall on."""
    result = np.zeros(shape, a.dtype)
    for place in itertools.product(*map(range, a.shape)):
        result[tuple(p % n for p, n in zip(place, shape))] += a[place]
    return result


def part(a, mode, signal, kernel):
    """What a mode has of all results."""
    if mode == "circular":
        return wrapped(a, signal)
    starts = {"full": lambda n, m: 0, "same": lambda n, m: (m - 1) // 2, "valid": lambda n, m: min(n, m) - 1}[mode]
    counts = {"full": lambda n, m: n + m - 1, "same": lambda n, m: n, "valid": lambda n, m: abs(n - m) + 1}[mode]
    first = list(map(starts, signal, kernel))
    return a[tuple(slice(start, start + count) for start, count in zip(first, map(counts, signal, kernel)))]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("signal, kernel", SHAPES)
def test_convolutions_are_their_sums(random, dtype, signal, kernel, mode):
    a, v = random(*signal), random(*kernel)
    result, expected = am.convolve(a, v, mode), part(full(exact(a), exact(v))[0], mode, signal, kernel)
    assert result.dtype == dtype and result.shape == expected.shape
    # Fast transforms mix all results: the bound is that of their norm.
    bound = 20 * epsilon(dtype) * (1 + np.log2(a.size + v.size)) * np.linalg.norm(exact(a)) * np.linalg.norm(exact(v))
    assert np.max(abs(exact(result) - expected)) <= bound


@pytest.mark.parametrize("signal, kernel", SHAPES[2:])
def test_a_correlation_is_a_convolution_with_the_kernel_turned(random, dtype, signal, kernel):
    a, v = random(*signal), random(*kernel)
    turned = np.flip(v).conj()
    bound = 20 * epsilon(dtype) * (1 + np.log2(a.size + v.size)) * np.linalg.norm(exact(a)) * np.linalg.norm(exact(v))
    assert np.max(abs(am.correlate(a, v, "same") - am.convolve(a, turned, "same"))) <= bound
    if a.ndim == 1:
        assert np.max(abs(am.correlate(a, v, "valid") - np.correlate(exact(a), exact(v), "valid"))) <= bound


def test_a_signal_may_go_on_periodically(random, dtype):
    a, v = random(30), random(8)
    expected = wrapped(full(exact(a), exact(v))[0], (30,))
    assert np.max(abs(am.convolve(a, v, "circular") - expected)) <= 1e3 * epsilon(dtype)


def test_a_kernel_serves_several_signals(random, dtype):
    a, v = random(3, 2, 50), random(6)
    together = am.convolve(a, v)
    assert together.shape == (3, 2, 55)
    for i, j in itertools.product(range(3), range(2)):
        assert np.max(abs(together[i, j] - am.convolve(a[i, j], v))) <= 1e3 * epsilon(dtype)
    assert am.convolve(a[:0], v).shape == (0, 2, 55)


def test_slices_and_other_types_are_taken():
    a, v = np.arange(20)[::2], np.array([1, 0, -1])
    assert am.convolve(a, v).dtype == np.float64
    assert np.allclose(am.convolve(a, v), np.convolve(a, v), atol=1e-12)
    shifted = np.frombuffer(b"-" + np.arange(9.0).tobytes(), np.float64, offset=1)
    assert not shifted.flags.aligned and np.allclose(am.convolve(shifted, v), np.convolve(shifted, v), atol=1e-12)


def test_wrong_arguments_are_refused():
    a = np.ones((4, 4))
    for signal, kernel, mode in [
        (a, a, "middle"),
        (a[0], a, "full"),
        (a, np.ones((1,) * 4), "full"),
        (a[0], [], "full"),
    ]:
        with pytest.raises(ValueError):
            am.convolve(signal, kernel, mode)
    with pytest.raises(TypeError):
        am.correlate(a.astype(np.float16), a)
