"""NumPy's functions on an Array, by its protocols."""

from __future__ import annotations

import numpy as np
import pytest
from test_array import check, elements

import affinimath as am
from affinimath import _lazy


def test_numpys_functions_take_arrays():
    x, y = np.abs(elements(np.dtype(float), 2, 3)), elements(np.dtype(float), 3, seed=2)
    a, b = am.Array(x), am.Array(y)
    for function in (np.exp, np.sqrt, np.negative, np.isnan, np.floor, np.sign):
        assert isinstance(function(a), am.Array)
        check(function(a), function(x), terms=16)
    for function in (np.add, np.subtract, np.multiply, np.maximum, np.arctan2, np.hypot, np.less, np.power):
        expected = function(x, np.abs(y)) if function is np.power else function(x, y)
        right = abs(b) if function is np.power else b
        check(function(a, right), expected, terms=64)
        check(function(x, right), expected, terms=64)
    check(np.add.reduce(a), np.add.reduce(x))
    check(np.maximum.reduce(a, axis=1), np.maximum.reduce(x, axis=1))
    check(np.sum(a, axis=0), np.sum(x, axis=0))
    check(np.mean(a), np.mean(x))
    check(np.max(a, axis=1, keepdims=True), np.max(x, axis=1, keepdims=True))
    check(np.concatenate([a, x]), np.concatenate([x, x]))
    check(np.where(x > 2, a, 0), np.where(x > 2, x, 0))
    square = x[:, :2] + np.eye(2)
    for function in (np.sort, np.linalg.inv, np.linalg.det, np.fft.fft, np.fft.rfftn, np.linalg.eigvalsh, np.triu):
        found = function(am.Array(square))
        assert isinstance(found, am.Array)
        check(found, function(square), terms=256)
    check(np.linalg.norm(a, axis=0), np.linalg.norm(x, axis=0))
    assert np.allclose(a, x) and np.shape(a) == (2, 3) and np.ndim(a) == 2
    for writing in (lambda: np.copyto(a, x), lambda: np.fill_diagonal(a, 0), lambda: np.sum(x, out=a[0, 0])):
        with pytest.raises(TypeError):
            writing()
    with pytest.raises(TypeError):
        np.divmod(a, b)
    with pytest.raises(TypeError):
        np.add(a, b, out=np.empty((2, 3)))


def test_numpys_functions_stay_on_the_device(monkeypatch):
    x, y = elements(np.dtype(float), 4, 3), elements(np.dtype(float), 3, seed=2)
    a, b = am.Array(x), am.Array(y)
    calls = [
        lambda x, y: np.concatenate([x, x], axis=1), lambda x, y: np.concatenate((x, y), axis=None),
        lambda x, y: np.stack([x, x], 1), lambda x, y: np.where(x > 0, x, y), lambda x, y: np.where(x > 0, 1.5, 2.5),
        lambda x, y: np.moveaxis(x, 0, -1), lambda x, y: np.expand_dims(x, 1), lambda x, y: np.roll(x, 1, 0),
        lambda x, y: np.flip(x), lambda x, y: np.flip(x, 1), lambda x, y: np.tile(y, (2, 2)),
        lambda x, y: np.tile(x, 2), lambda x, y: np.repeat(x, 2, 1), lambda x, y: np.diff(x, 2, 0),
        lambda x, y: np.tril(x, -1),
        lambda x, y: np.triu(x), lambda x, y: np.broadcast_to(y, (5, 3)), lambda x, y: np.tensordot(x, y, 1),
        lambda x, y: np.tensordot(x, x, ((0,), (0,))), lambda x, y: np.dot(x, y), lambda x, y: np.outer(x, y),
        lambda x, y: np.take(x, [2, 0], 1), lambda x, y: np.take(x, [5, 7]), lambda x, y: np.zeros_like(x),
        lambda x, y: np.ones_like(x, np.int32), lambda x, y: np.full_like(x, 3), lambda x, y: np.real(x),
        lambda x, y: np.count_nonzero(x > 0), lambda x, y: np.round(x, 2), lambda x, y: np.transpose(x),
        lambda x, y: np.fft.fftshift(x), lambda x, y: np.linalg.norm(x, axis=1), lambda x, y: np.linalg.qr(x)[1],
    ]  # fmt: skip
    for call in calls:
        with monkeypatch.context() as patch:
            patch.setattr(_lazy, "download", None)
            found = call(a, b)
        assert isinstance(found, am.Array)
        check(found, np.asarray(call(x, y)), terms=64)
    for host in (lambda x: np.where(x > 0)[0], lambda x: np.repeat(x, [1, 2, 0], 1), lambda x: np.cov(x)):
        check(host(a), host(x), terms=64)


def test_rounding_of_all_types():
    z = np.array([1.25 + 2.75j, -0.5 + 1.5j])
    for decimals in (0, 1):
        check(am.Array(z).round(decimals), z.round(decimals))
    for decimals in (0, 2, -1):
        check(am.Array([123, 155]).round(decimals), np.array([123, 155]).round(decimals))
    check(am.Array([-1.0, 1.0]) // am.Array([np.inf]), np.array([-1.0, 0.0]))
    check(am.Array([1.0 + 1j]).tanh(), np.tanh([1.0 + 1j]), terms=16)
