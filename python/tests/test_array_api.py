"""The namespace of the array API standard: names, types and values beside NumPy's."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_array import DTYPES, check, elements

import affinimath as am
import affinimath.array_api as xp

SIGNATURES = (Path(__file__).parent / "array_api_signatures.txt").read_text().split("\n")[:-1]
NUMERIC = [dtype for dtype in DTYPES if dtype.kind != "b"]
FLOATING = [dtype for dtype in DTYPES if dtype.kind in "fc"]
#: NumPy's names where they are others.
NUMPYS = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "pow": "power", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}  # fmt: skip


@pytest.mark.parametrize("line", SIGNATURES)
def test_functions_have_the_standards_signatures(line):
    found = xp
    name = line[: line.index("(")]
    for part in name.split("."):
        found = getattr(found, part)
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(found).parameters.values()
    ]
    assert f"{name}{inspect.Signature(parameters)}" == line


def test_arrays_name_their_namespace():
    x = xp.asarray(1)
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        assert x.__array_namespace__(api_version=version) is xp
    with pytest.raises(ValueError, match="2019.12"):
        x.__array_namespace__(api_version="2019.12")
    assert (xp.newaxis, xp.inf, xp.pi, xp.e) == (None, np.inf, np.pi, np.e) and np.isnan(xp.nan)
    assert {"host"} <= set(xp.__array_namespace_info__().devices()) and xp.__array_api_version__ == "2024.12"


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_functions_of_elements_are_numpys(dtype):
    names = "abs negative positive square sign real imag conj ceil floor round trunc isfinite isinf isnan".split()
    if dtype.kind == "c":
        names = [name for name in names if name not in ("ceil", "floor", "trunc", "sign")]
    if dtype.kind in "iu":
        names += ["bitwise_invert"]
    if dtype.kind in "fc":
        names += (
            "exp log sqrt sin cos tan sinh cosh tanh acos asin atan acosh asinh atanh expm1 log1p log2 log10".split()
        )
        names += ["reciprocal"]
    x = elements(dtype, 3, 4)
    for name in names:
        with np.errstate(all="ignore"):
            scaled = x / 16 if name in ("acos", "asin", "atanh", "acosh", "tan") and dtype.kind in "fc" else x
            scaled = abs(scaled) if name in ("log", "sqrt", "log2", "log10", "log1p") and dtype.kind == "f" else scaled
            expected = getattr(np, NUMPYS.get(name, name))(scaled)
        # Before NumPy 2.1 these made integers real.
        is_whole = dtype.kind in "iu" and name in ("ceil", "floor", "round", "trunc")
        check(getattr(xp, name)(xp.asarray(scaled)), scaled if is_whole else expected, terms=256)


def test_signs_of_complex_elements():
    check(xp.sign(xp.asarray([3 + 4j, 0j, -2j])), np.array([0.6 + 0.8j, 0, -1j]))


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_functions_of_two_elements_are_numpys(dtype):
    names = "add subtract multiply divide equal not_equal".split()
    if dtype.kind != "c":
        names += "floor_divide remainder less less_equal greater greater_equal maximum minimum pow".split()
    if dtype.kind in "iu":
        names += "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split()
    if dtype.kind == "f":
        names += "atan2 hypot logaddexp copysign nextafter".split()
    x, y = elements(dtype, 5, 3), elements(dtype, 3, seed=2)
    for name in names:
        second = abs(y) % 5 if name == "pow" or "shift" in name else y
        first = abs(x) if name == "pow" else x
        expected = getattr(np, NUMPYS.get(name, name))(first, second)
        function = getattr(xp, name)
        check(function(xp.asarray(first), xp.asarray(second)), expected, terms=256)
        number = second[0].item()
        check(function(xp.asarray(first), number), getattr(np, NUMPYS.get(name, name))(first, second[0]), terms=256)


def test_functions_of_conditions():
    x, y = np.array([[False], [True]]), np.array([False, True])
    names = "less less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor maximum minimum"
    for name in [*names.split(), "bitwise_and", "bitwise_or", "bitwise_xor"]:
        check(getattr(xp, name)(xp.asarray(x), xp.asarray(y)), getattr(np, name)(x, y))
        check(getattr(xp, name)(xp.asarray(x), True), getattr(np, name)(x, True))
        check(getattr(xp, name)(False, xp.asarray(x)), getattr(np, name)(False, x))
    check(xp.logical_not(xp.asarray(x)), ~x)


def test_clip_and_where():
    x = elements(np.dtype(np.int32), 3, 4)
    check(xp.clip(xp.asarray(x), -2, 5), x.clip(-2, 5))
    check(xp.clip(xp.asarray(x), max=xp.asarray([1, 2, 3, 4])), np.minimum(x, [1, 2, 3, 4]).astype(np.int32))
    check(xp.clip(xp.asarray([1.0, np.nan]), 2.0, np.inf), np.array([2.0, np.nan]))
    check(xp.where(xp.asarray(x > 0), xp.asarray(x), 0), np.where(x > 0, x, np.int32(0)))
    check(xp.where(xp.asarray(x > 0), 1.5, xp.asarray([1.0, 2.0, 3.0, 4.0], dtype=xp.float32)),
          np.where(x > 0, np.float32(1.5), np.float32([1, 2, 3, 4])))  # fmt: skip


@pytest.mark.parametrize("device", ["host", None])
def test_creation(device):
    options = {"device": device}
    check(xp.arange(5, **options), np.arange(5))
    check(xp.arange(5, 1, -2, **options), np.arange(5, 1, -2))
    check(xp.arange(1, 0, **options), np.arange(1, 0))
    check(xp.arange(0, 1, 0.25, dtype=xp.float32, **options), np.arange(0, 1, 0.25, np.float32))
    check(xp.arange(2**62, 2**62 + 2, **options), np.arange(2**62, 2**62 + 2))
    for start, stop, count, endpoint in ((0, 1, 5, True), (0, 1, 5, False), (-3.5, 2, 1, True), (1, 1, 0, False)):
        check(xp.linspace(start, stop, count, endpoint=endpoint, **options),
              np.linspace(start, stop, count, endpoint=endpoint))  # fmt: skip
    check(xp.linspace(0, 1j, 3), np.linspace(0, 1j, 3))
    check(xp.eye(3, **options), np.eye(3))
    check(xp.eye(2, 4, k=-1, dtype=xp.int32, **options), np.eye(2, 4, -1, np.int32))
    for dtype in DTYPES:
        check(xp.zeros((2, 0), dtype=dtype, **options), np.zeros((2, 0), dtype))
        check(xp.ones(3, dtype=dtype, **options), np.ones(3, dtype))
        check(xp.full((2, 2), 1, dtype=dtype, **options), np.full((2, 2), 1, dtype))
        check(xp.zeros_like(xp.ones(2), dtype=dtype, **options), np.zeros(2, dtype))
    for number in (True, 3, 2.5, 1j):
        check(xp.full(2, number), np.full(2, number))
    assert xp.empty((2, 3)).shape == (2, 3) and xp.empty_like(xp.ones(4)).shape == (4,)
    check(xp.full_like(xp.ones(2), 7), np.array([7.0, 7.0]))
    for found, expected in zip(xp.meshgrid(xp.arange(2), xp.arange(3)), np.meshgrid(np.arange(2), np.arange(3))):
        check(found, expected)
    for found, expected in zip(xp.meshgrid(xp.arange(2), xp.arange(3), xp.arange(4), indexing="ij"),
                               np.meshgrid(np.arange(2), np.arange(3), np.arange(4), indexing="ij")):  # fmt: skip
        check(found, expected)
    x = elements(np.dtype(float), 2, 3, 4)
    for k in (-1, 0, 2):
        check(xp.tril(xp.asarray(x), k=k), np.tril(x, k))
        check(xp.triu(xp.asarray(x), k=k), np.triu(x, k))
    for wrong in (lambda: xp.arange(0, 1, 0), lambda: xp.linspace(0, 1, -1), lambda: xp.zeros(-1)):
        with pytest.raises(ValueError):
            wrong()


def test_copies_and_dlpack():
    x = xp.asarray([1.0, 2.0])
    assert xp.asarray(x) is x and xp.asarray(x, copy=False) is x and xp.asarray(x, copy=True) is not x
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(np.ones(2), copy=False)
    check(xp.from_dlpack(np.arange(3.0)), np.arange(3.0))
    check(xp.from_dlpack(x), np.array([1.0, 2.0]))
    check(np.from_dlpack(x), np.array([1.0, 2.0]))
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        xp.from_dlpack(np.ones(2), copy=False)
    copied, cast, moved = xp.asarray(x, copy=True), xp.astype(x, xp.float64), x.to_device(x.device)
    x[0] = 5
    for other in (copied, cast, moved):
        check(other, np.array([1.0, 2.0]))


def test_types():
    for a in DTYPES:
        for b in DTYPES:
            expected = (xp.ones(1, dtype=a) * xp.ones(1, dtype=b)).dtype
            assert xp.result_type(a, xp.ones(1, dtype=b)) == expected
            assert xp.can_cast(a, b) == np.can_cast(a, b)
    assert xp.result_type(xp.float32, 1.5) == xp.float32 and xp.result_type(xp.int32, 1.5) == xp.float64
    assert xp.result_type(xp.float32, 1j) == xp.complex64 and xp.result_type(1, 2.0) == xp.float64
    assert xp.result_type(True, xp.bool) == xp.bool and xp.result_type(xp.bool, 1) == xp.int64
    assert xp.isdtype(xp.uint8, "unsigned integer") and not xp.isdtype(xp.uint8, "signed integer")
    assert xp.isdtype(xp.float64, xp.float64) and xp.isdtype(xp.bool, ("numeric", "bool"))
    info = xp.finfo(xp.complex64)
    assert (info.bits, info.eps, info.dtype) == (32, float(np.finfo(np.float32).eps), xp.float32)
    assert (xp.iinfo(xp.asarray(1, dtype=xp.uint32)).max, xp.iinfo(xp.int32).min) == (2**32 - 1, -(2**31))
    for wrong in (lambda: xp.finfo(xp.int32), lambda: xp.iinfo(xp.float32), lambda: xp.astype(xp.ones(1), np.int8),
                  lambda: xp.astype(xp.asarray(1j), xp.float64)):  # fmt: skip
        with pytest.raises(TypeError):
            wrong()
    for wrong in (lambda: xp.isdtype(xp.int32, "whole"), lambda: xp.result_type()):
        with pytest.raises(ValueError):
            wrong()
    info = xp.__array_namespace_info__()
    assert set(info.dtypes().values()) == set(DTYPES)
    assert set(info.dtypes(kind=("complex floating", "bool"))) == {"complex64", "complex128", "bool"}


def test_manipulation():
    x = elements(np.dtype(float), 2, 3, 4)
    a = xp.asarray(x)
    check(xp.broadcast_to(a[0], (5, 3, 4)), np.broadcast_to(x[0], (5, 3, 4)))
    for found, expected in zip(xp.broadcast_arrays(a, a[0, 0]), np.broadcast_arrays(x, x[0, 0])):
        check(found, expected)
    check(xp.concat([a, a[:, :1]], axis=1), np.concatenate([x, x[:, :1]], 1))
    check(xp.concat([a, a[0]], axis=None), np.concatenate([x, x[0]], None))
    mixed = [xp.asarray([True]), xp.asarray([2], dtype=xp.uint8), xp.asarray([1.5], dtype=xp.float32)]
    check(xp.concat(mixed), np.array([1, 2, 1.5], np.float32))
    check(xp.stack([a, a], axis=-1), np.stack([x, x], -1))
    check(xp.expand_dims(a, (0, -1)), np.expand_dims(x, (0, -1)))
    for axis in (None, 0, (0, -1)):
        check(xp.flip(a, axis=axis), np.flip(x, axis))
    check(xp.moveaxis(a, (0, 2), (1, 0)), np.moveaxis(x, (0, 2), (1, 0)))
    check(xp.permute_dims(a, (2, 0, 1)), x.transpose(2, 0, 1))
    for repeats, axis in ((2, None), (3, 1), (0, 0)):
        check(xp.repeat(a, repeats, axis=axis), np.repeat(x, repeats, axis))
    check(xp.repeat(a, xp.asarray([1, 0, 2]), axis=1), np.repeat(x, [1, 0, 2], 1))
    check(xp.repeat(a, xp.asarray([0, 0]), axis=0), np.repeat(x, [0, 0], 0))
    check(xp.reshape(a, (4, -1)), x.reshape(4, -1))
    for shift, axis in ((1, None), (-2, 1), ((1, 2), (0, 2))):
        check(xp.roll(a, shift, axis=axis), np.roll(x, shift, axis))
    check(xp.squeeze(a[:1, :, :1], (0, 2)), x[0, :, 0])
    for repetitions in ((2,), (2, 1, 3), (2, 1, 1, 30), (0, 1, 1)):
        check(xp.tile(a, repetitions), np.tile(x, repetitions))
    for axis in (0, -1):
        found = xp.unstack(a, axis=axis)
        assert len(found) == x.shape[axis]
        for one, expected in zip(found, np.moveaxis(x, axis, 0)):
            check(one, expected)
    for wrong in (lambda: xp.squeeze(a, 0), lambda: xp.stack([a, a], axis=4), lambda: xp.flip(a, axis=3),
                  lambda: xp.moveaxis(a, 0, (0, 1)), lambda: xp.expand_dims(a, 5)):  # fmt: skip
        with pytest.raises((ValueError, IndexError)):
            wrong()


@pytest.mark.parametrize("dtype", [np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.uint8)], ids=str)
def test_searching_and_sorting(dtype):
    x = elements(dtype, 4, 6)
    x[0, :3] = x[1, 2]
    a = xp.asarray(x)
    for axis in (None, 0, 1):
        for keepdims in (False, True):
            check(xp.argmax(a, axis=axis, keepdims=keepdims), np.argmax(x, axis=axis, keepdims=keepdims))
            check(xp.count_nonzero(a > 3, axis=axis), np.asarray(np.count_nonzero(x > 3, axis=axis), np.int64))
    check(xp.argmin(a, axis=-1), x.argmin(-1))
    for found, expected in zip(xp.nonzero(a > 2), np.nonzero(x > 2)):
        check(found, expected)
    line = np.sort(x.ravel())
    for side in ("left", "right"):
        check(xp.searchsorted(xp.asarray(line), a, side=side), np.searchsorted(line, x, side))
    for axis in (0, -1):
        check(xp.sort(a, axis=axis), np.sort(x, axis))
        check(xp.argsort(a, axis=axis), np.argsort(x, axis, kind="stable"))
        check(xp.sort(a, axis=axis, descending=True), np.flip(np.sort(x, axis), axis))
        order = np.asarray(xp.argsort(a, axis=axis, descending=True))
        check(xp.take_along_axis(a, xp.asarray(order), axis=axis), np.flip(np.sort(x, axis), axis))
    # Equal elements keep their order.
    check(xp.argsort(xp.asarray([1, 2, 1, 2]), descending=True), np.array([1, 3, 0, 2]))
    check(xp.take(a, xp.asarray([3, -1, 0]), axis=1), x.take([3, -1, 0], 1))
    check(xp.take(a, xp.asarray([], dtype=xp.int64), axis=0), x[:0])
    indices = np.array([[0, -1], [1, 1], [2, 3], [5, -6]])
    check(xp.take_along_axis(a, xp.asarray(indices)), np.take_along_axis(x, indices, 1))
    check(xp.take_along_axis(a, xp.asarray(indices[:1])), np.take_along_axis(x, np.repeat(indices[:1], 4, 0), 1))
    check(xp.take_along_axis(a, xp.asarray(indices[:, :0])), x[:, :0])


def test_different_elements():
    x = np.array([[3.0, np.nan, 1.0], [3.0, np.nan, -0.0]])
    values, indices, inverse, counts = xp.unique_all(xp.asarray(x))
    check(values, np.array([-0.0, 1.0, 3.0, np.nan, np.nan]))
    check(indices, np.array([5, 2, 0, 1, 4]))
    check(inverse, np.array([[2, 3, 1], [2, 4, 0]]))
    check(counts, np.array([1, 1, 2, 1, 1]))
    check(xp.unique_values(xp.asarray([2, 1, 2])), np.array([1, 2]))
    check(xp.unique_counts(xp.asarray([2, 1, 2])).counts, np.array([1, 2]))
    check(xp.unique_inverse(xp.asarray([2, 1, 2])).inverse_indices, np.array([1, 0, 1]))
    assert xp.unique_values(xp.zeros((0, 2))).shape == (0,)


def test_statistics():
    x = elements(np.dtype(np.float64), 3, 4, 5)
    a = xp.asarray(x)
    for axis in (None, 1, (0, 2), ()):
        for name in ("sum", "prod", "max", "min", "mean", "var", "std"):
            check(getattr(xp, name)(a, axis=axis), getattr(np, name)(x, axis=axis), terms=256)
    check(xp.var(a, axis=1, correction=1, keepdims=True), x.var(1, ddof=1, keepdims=True), terms=64)
    check(xp.sum(xp.asarray([200, 100], dtype=xp.uint8)), np.int64(300))
    check(xp.sum(xp.asarray([200, 100], dtype=xp.uint8), dtype=xp.uint8), np.uint8(44))
    check(xp.sum(xp.asarray([1.5]), dtype=xp.complex64), np.complex64(1.5))
    for name, numpys in (("cumulative_sum", np.cumsum), ("cumulative_prod", np.cumprod)):
        check(getattr(xp, name)(a, axis=1), numpys(x, 1), terms=256)
        found = getattr(xp, name)(a, axis=-1, include_initial=True)
        check(found[..., 1:], numpys(x, -1), terms=256)
        check(found[..., 0], np.full((3, 4), name == "cumulative_prod", float))
        check(getattr(xp, name)(xp.asarray([1, 2], dtype=xp.int32), dtype=xp.float32), numpys(np.float32([1, 2])))
        with pytest.raises(ValueError):
            getattr(xp, name)(a)
    for n in (0, 1, 2):
        check(xp.diff(a, n=n, axis=1), np.diff(x, n, 1), terms=64)
    check(xp.diff(a, prepend=a[..., :1], append=a[..., :2]), np.diff(x, prepend=x[..., :1], append=x[..., :2]))
    for name in ("any", "all"):
        check(getattr(xp, name)(a > 0, axis=(0, 1)), getattr(np, name)(x > 0, axis=(0, 1)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_products_keep_their_type(dtype):
    for left, right in (((3, 4), (4, 2)), ((4,), (4, 2)), ((3, 4), (4,)), ((4,), (4,)), ((5, 1, 3, 4), (2, 4, 2)),
                        ((4,), (2, 4, 3)), ((2, 3, 4), (4,)), ((0, 4), (4, 2)), ((3, 0), (0, 2))):  # fmt: skip
        x, y = elements(dtype, *left), elements(dtype, *right, seed=2)
        check(xp.matmul(xp.asarray(x), xp.asarray(y)), x @ y, terms=64)
        check(x @ am.Array(y), x @ y, terms=64)
    if dtype.kind == "b":
        return
    x, y = elements(dtype, 2, 3, 4), elements(dtype, 4, 3, 5, seed=2)
    for axes in (1, ((1, 2), (1, 0)), ((-1,), (0,))):
        check(xp.tensordot(xp.asarray(x), xp.asarray(y), axes=axes), np.tensordot(x, y, axes), terms=64)
    check(xp.vecdot(xp.asarray(x), xp.asarray(x[0])), (x.conj() * x[0]).sum(-1, dtype=dtype), terms=64)
    check(xp.vecdot(xp.asarray(x), xp.asarray(x), axis=-2), (x.conj() * x).sum(-2, dtype=dtype), terms=64)
    check(xp.matrix_transpose(xp.asarray(x)), x.swapaxes(1, 2))
    with pytest.raises(ValueError):
        xp.matmul(xp.asarray(x), xp.asarray(x))
    with pytest.raises(ValueError):
        xp.tensordot(xp.asarray(x), xp.asarray(y), axes=2)


def test_errors_are_clear():
    for wrong, message in (
        (lambda: xp.ones(2) + xp.ones(3), r"\+: shapes \[2\] and \[3\] do not broadcast: .*one is 1$"),
        (lambda: xp.sum(xp.ones(3), axis=1), r"^axis 1 does not exist: the array has 1 axes$"),
        (lambda: xp.reshape(xp.ones(4), (3,)), r"^an array of shape \[4\] has 4 elements, shape \[3\] has 3$"),
        (lambda: xp.zeros((1,) * 9), r"^an array has at most 8 axes, not 9$"),
        (lambda: xp.concat([]), "no arrays"),
        (lambda: xp.zeros(2, device="moon"), "moon"),
        (lambda: xp.argmax(xp.ones(3), axis=5), "axis 5"),
        (lambda: xp.nonzero(xp.asarray(1)), "without axes"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()


def test_in_place_operators_change_the_array():
    of_all, of_integers = ["+=", "-=", "*=", "//=", "%=", "**="], ["&=", "|=", "^=", "<<=", ">>="]
    for x, operators in (
        (np.array([7, -8]), of_all + of_integers),
        (np.array([1.5, 2.5], np.float32), [*of_all, "/="]),
    ):
        for operator in operators:
            a, b = xp.asarray(x), x.copy()
            same, part = a, a[:1]
            exec(f"a {operator} 2; b {operator} 2", names := {"a": a, "b": b})
            check(names["a"], names["b"])
            assert names["a"] is same
            check(part, x[:1])
    a = xp.asarray([1, 2])
    with pytest.raises(TypeError):
        a += 1.5
    with pytest.raises(ValueError):
        a += xp.ones((2, 2), dtype=xp.int64)
    a @= xp.asarray([[1, 1], [0, 2]])
    check(a, np.array([1, 5]))


SCIPYS = """
import numpy as np, scipy.fft, affinimath as am
from scipy import signal, special, stats
x = np.random.default_rng(1).standard_normal((20, 3))
for function in (
    stats.skew, stats.zscore, special.softmax, lambda x: special.logsumexp(x, axis=0),
    lambda x: stats.pearsonr(x[:, 0], x[:, 1]).statistic, lambda x: scipy.fft.rfft(x, axis=0),
    lambda x: signal.detrend(x, axis=0),
):
    found = function(am.Array(x))
    assert isinstance(found, am.Array), type(found)
    assert np.allclose(np.asarray(found), function(x))
"""


def test_scipy_takes_arrays():
    scipy = pytest.importorskip("scipy")
    if np.lib.NumpyVersion(scipy.__version__) < "1.16.0":
        pytest.skip("SciPy has the standard in most functions since 1.16")
    # SciPy reads the variable when it is imported.
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", SCIPYS], check=True, env=environment)
