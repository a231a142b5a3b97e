"""Fourier transforms beside NumPy's in double precision."""

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am

LENGTHS = [1, 2, 3, 8, 17, 60, 97, 1024, 1155]
NORMS = [None, "backward", "ortho", "forward"]


def close(ours, theirs, count):
    """Rounding costs a few eps in each of log2 n levels, relative to the norm of all results."""
    assert ours.shape == theirs.shape
    return norm(exact(ours) - theirs) <= 8 * epsilon(ours.dtype) * (1 + np.log2(count)) * max(norm(theirs), 1e-300)


def result_type(dtype):
    return np.complex64 if dtype in (np.float32, np.complex64) else np.complex128


@pytest.mark.parametrize("n", LENGTHS)
def test_transforms_are_numpys(random, dtype, n):
    a = random(n)
    for ours, theirs in ((am.fft, np.fft.fft), (am.ifft, np.fft.ifft)):
        result = ours(a)
        assert result.dtype == result_type(dtype) and close(result, theirs(exact(a)), n)
    if dtype.kind == "f":
        assert close(am.rfft(a), np.fft.rfft(exact(a)), n)
    if n > 1:
        back = am.irfft(a)
        assert back.dtype.kind == "f" and close(back, np.fft.irfft(exact(a)), 2 * n)


@pytest.mark.parametrize("norm", NORMS)
def test_an_inverse_brings_back_what_there_was(random, dtype, norm):
    a = random(6, 35)
    assert close(am.ifft(am.fft(a, norm=norm), norm=norm), exact(a), 35)
    assert close(am.ifft2(am.fft2(a, norm=norm), norm=norm), exact(a), 210)
    assert close(am.fft(a, norm=norm), np.fft.fft(exact(a), norm=norm), 35)
    assert close(am.fft2(a, norm=norm), np.fft.fft2(exact(a), norm=norm), 210)
    if dtype.kind == "f":
        assert close(am.irfft(am.rfft(a, norm=norm), 35, norm=norm), exact(a), 35)
        assert close(am.irfft2(am.rfft2(a, norm=norm), (6, 35), norm=norm), exact(a), 210)
        assert close(am.rfft2(a, norm=norm), np.fft.rfft2(exact(a), norm=norm), 210)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("n", [None, 3, 9])
def test_along_any_axis_of_any_length(random, dtype, axis, n):
    a = random(4, 5, 6)
    for ours, theirs in ((am.fft, np.fft.fft), (am.ifft, np.fft.ifft), (am.irfft, np.fft.irfft)):
        assert close(ours(a, n, axis), theirs(exact(a), n, axis), 12)
    if dtype.kind == "f":
        assert close(am.rfft(a, n, axis), np.fft.rfft(a, n, axis), 12)


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (2, 0), (-1, -2)])
@pytest.mark.parametrize("s", [None, (3, 8)])
def test_along_any_two_axes(random, dtype, axes, s):
    a = random(4, 5, 6)
    for name in ("fft2", "ifft2", "irfft2") + (("rfft2",) if dtype.kind == "f" else ()):
        theirs = getattr(np.fft, name)(exact(a), s, axes)
        assert close(getattr(am, name)(a, s, axes), theirs, 64), name


def test_arrays_that_lie_in_any_way(random):
    a = random(8, 9, 10)
    ways = [
        a.T,
        np.asfortranarray(a),
        a[::2],
        a[:, ::3],
        a[..., ::-1],
        a[:, :1],
        a.transpose(1, 0, 2),
        np.broadcast_to(a[0], a.shape),
        a[0:0],
    ]
    for way in ways:
        before = way.copy()
        for axis in range(3):
            if way.shape[axis]:
                assert close(am.fft(way, axis=axis), np.fft.fft(exact(way), axis=axis), 10)
        assert np.array_equal(way, before)


def layouts(a):
    """An array of three axes under strides of every kind, with axes of length 1 whose strides mean nothing."""
    raw = np.zeros(a.nbytes + 1, np.uint8)
    unaligned = raw[1:].view(a.dtype).reshape(a.shape)
    unaligned[...] = a
    yield from (a, unaligned, a.astype(a.dtype.newbyteorder()), np.broadcast_to(a[:1, :1], a.shape))
    for axis in range(3):
        one = np.take(a, [0], axis)
        reverse = (slice(None),) * axis + (slice(None, None, -1),)
        yield from (one, one[reverse], one.swapaxes(axis, 0)[::-1], a[reverse])
        yield np.broadcast_to(one, (3, *a.shape[:axis], 1, *a.shape[axis + 1 :]))[0][reverse]
        yield np.take(a, [], axis)
    yield from (a[:1, :1, ::-1], a[:1, ::-1, :1], a[::-1, :1, :1], a[:1, :1, :1][::-1, ::-1, ::-1])


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "irfft2"])
def test_all_of_a_result_is_written_whatever_the_strides_are(random, dtype, name, monkeypatch):
    # What is not written stays NaN.
    monkeypatch.setattr(np, "empty", lambda shape, dtype=float, **rest: np.full(shape, np.nan, dtype))
    for a in layouts(random(2, 3, 4)):
        if a.dtype.kind == "c" and name.startswith("rfft"):
            continue
        for axes in [(0,), (1,), (2,)] if name.endswith("t") else [(0, 1), (2, 1), (0, 2)]:
            keyword = {"axis": axes[0]} if name.endswith("t") else {"axes": axes}
            if any(a.shape[axis] == 0 for axis in axes) or name.startswith("ir") and a.shape[axes[-1]] == 1:
                continue
            expected = getattr(np.fft, name)(exact(a.astype(dtype)), **keyword)
            assert close(getattr(am, name)(a, **keyword), expected, 24), (a.shape, a.strides, axes)


def test_what_is_wrong_is_told():
    with pytest.raises(TypeError, match="real elements"):
        am.rfft(np.ones(4, complex))
    with pytest.raises(ValueError, match="0 elements|at least one"):
        am.fft(np.ones(4), 0)
    with pytest.raises(ValueError, match="0 elements|at least one"):
        am.fft(np.empty(0))
    with pytest.raises(IndexError, match="axis 1"):
        am.fft(np.ones(4), axis=1)
    with pytest.raises(ValueError, match="norm is"):
        am.fft(np.ones(4), norm="other")
    with pytest.raises(ValueError, match="1 lengths, and there are 2 axes"):
        am.fft2(np.ones((4, 4)), (2,))
    with pytest.raises(ValueError, match="not different"):
        am.fft2(np.ones((4, 4)), axes=(1, 1))
    with pytest.raises(ValueError, match="at least one axis"):
        am.irfft2(np.ones((2, 2, 2, 2)), axes=())


def test_integers_are_doubles():
    assert am.fft(np.arange(4)).dtype == np.complex128
    assert np.array_equal(am.rfft([1, 0, 0, 0]), np.ones(3))
