"""The module fft beside scipy.fft, and the library as its backend."""

import contextlib
import copy
import inspect
import pickle

import numpy as np
import pytest
from conftest import epsilon, exact
from conftest import norm as size

import affinimath as am

scipy_fft = pytest.importorskip("scipy.fft")

NORMS = [None, "backward", "ortho", "forward"]


def close(ours, theirs):
    """A relative error of few roundings, and the same shape and kind."""
    assert ours.shape == theirs.shape and ours.dtype.kind == theirs.dtype.kind
    bound = 30 * epsilon(ours.dtype) * max(np.log2(max(theirs.size, 2)), 1)
    return size(exact(ours) - theirs) <= bound * size(theirs)


def operand(random, name, *shape):
    """Elements of a type that a transform takes."""
    a = random(*shape)
    return a.real.copy() if name.startswith(("r", "ih")) else a


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("norm", NORMS)
def test_transforms_along_one_axis(random, name, norm):
    ours, theirs = getattr(am.fft, name), getattr(scipy_fft, name)
    for shape, axis in [((12,), -1), ((4, 7), 0), ((3, 8, 5), 1), ((0, 6), 1), ((6, 0), 0), ((2, 3, 4, 5), 1)]:
        a = operand(random, name, *shape)
        for n in (None, 4, 5, 13):
            # SciPy's own division is by an empty size.
            if 0 in a.shape:
                assert ours(a, n, axis, norm).size == 0
            else:
                assert close(ours(a, n, axis, norm), theirs(exact(a), n, axis, norm))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("norm", NORMS)
def test_transforms_along_several_axes(random, name, norm):
    a = operand(random, name, 3, 4, 2, 5, 6)
    ours, theirs = getattr(am.fft, name + "n"), getattr(scipy_fft, name + "n")
    for s, axes in [
        (None, None),
        (None, (0,)),
        (None, 1),
        (7, -2),
        (None, (4, 0)),
        (None, (1, 3, 4, 0)),
        (None, (3, 2, 1, 0)),
        ((4, 3), None),
        ((2, 5, 3, 4), (4, 1, 0, 2)),
        ((4, 4, 4, 4, 4), None),
    ]:
        assert close(ours(a, s, axes, norm), theirs(exact(a), s, axes, norm)), (s, axes)
    ours, theirs = getattr(am.fft, name + "2"), getattr(scipy_fft, name + "2")
    assert close(ours(a, norm=norm), theirs(exact(a), norm=norm))
    assert close(ours(a, (3, 7), (0, 2), norm), theirs(exact(a), (3, 7), (0, 2), norm))
    assert close(ours(a, (-1, 7), (0, 2), norm), theirs(exact(a), (3, 7), (0, 2), norm))


# In older SciPys the first element of an orthogonal sine transform has the factor of the last one.
FAULTY = scipy_fft.dst([1.0, 2.0, 3.0], 2, orthogonalize=True)[0] != scipy_fft.dst([1.0, 2.0, 3.0], 2)[0]


def reference(name, a, **options):
    """SciPy's transform; that of complex elements leaves orthogonalize out."""
    theirs, a = getattr(scipy_fft, name), exact(a)
    return theirs(a.real, **options) + 1j * theirs(a.imag, **options) if a.dtype.kind == "c" else theirs(a, **options)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
@pytest.mark.parametrize("orthogonalize", [None, True, False])
def test_cosine_and_sine_transforms(random, kind, name, orthogonalize):
    for norm in NORMS:
        if FAULTY and name.endswith("dst") and kind in (2, 3) and (orthogonalize or norm == "ortho"):
            continue
        for shape, axis in [((12,), -1), ((4, 7), 0), ((3, 8, 5), 1), ((2, 9), -1), ((3, 2), 1)]:
            a = random(*shape)
            for n in (None, 2, 5, 16):
                options = {"type": kind, "n": n, "axis": axis, "norm": norm, "orthogonalize": orthogonalize}
                assert close(getattr(am.fft, name)(a, **options), reference(name, a, **options)), options
        a = random(3, 4, 2, 5)
        for s, axes in [(None, None), (None, 1), (3, -1), (None, (2, 0)), ((4, 3), None), ((2, 5, 3, 4), (3, 1, 0, 2))]:
            options = {"type": kind, "s": s, "axes": axes, "norm": norm, "orthogonalize": orthogonalize}
            assert close(getattr(am.fft, name + "n")(a, **options), reference(name + "n", a, **options))


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [2, 3, 17, 64, 1000, 1009])
def test_long_cosine_transforms_come_back(random, kind, n):
    a = random(2, n)
    before = a.copy()
    for one, other in ((am.fft.dct, am.fft.idct), (am.fft.dst, am.fft.idst)):
        for norm in NORMS:
            assert close(other(one(a, kind, norm=norm), kind, norm=norm), exact(a))
    assert np.array_equal(a, before)


def test_lengths_and_frequencies_are_scipys():
    for n in (1, 2, 5, 8):
        assert np.array_equal(am.fft.fftfreq(n, 0.3), scipy_fft.fftfreq(n, 0.3))
        assert np.array_equal(am.fft.rfftfreq(n, 0.3), scipy_fft.rfftfreq(n, 0.3))
    x = np.arange(30).reshape(5, 6)
    for axes in (None, 0, (0, 1)):
        assert np.array_equal(am.fft.fftshift(x, axes), scipy_fft.fftshift(x, axes))
        assert np.array_equal(am.fft.ifftshift(x, axes), scipy_fft.ifftshift(x, axes))
    for target in [*range(1, 3000), 10**6 + 1, 10**9 + 7, 2**40 - 1, 2**40, 2**40 + 1]:
        for real in (False, True):
            assert am.fft.next_fast_len(target, real) == scipy_fft.next_fast_len(target, real)
    previous = getattr(scipy_fft, "prev_fast_len", None)
    for target in [*range(1, 3000), 10**9 + 7, 2**40, 2**40 + 1]:
        for real in (False, True):
            ours = am.fft.prev_fast_len(target, real)
            assert ours <= target and am.fft.next_fast_len(ours, real) == ours
            assert am.fft.next_fast_len(ours + 1, real) > target
            assert previous is None or ours == previous(target, real)


def test_workers_are_threads():
    before = am.get_num_threads()
    with am.fft.set_workers(1):
        assert am.fft.get_workers() == am.get_num_threads() == 1
        with pytest.raises(ZeroDivisionError), am.fft.set_workers(-1):
            raise ZeroDivisionError
        assert am.fft.get_workers() == 1
    assert am.get_num_threads() == before
    assert np.array_equal(am.fft.fft(np.ones(4), workers=2), [4, 0, 0, 0])
    for wrong in (lambda: am.fft.fft(np.ones(4), workers=0), lambda: am.fft.set_workers(0).__enter__()):
        with pytest.raises(ValueError, match="workers is 0"):
            wrong()


def test_results_go_where_they_are_asked_for(random, dtype):
    a = random(4, 6)
    cplx = np.result_type(dtype, np.complex64)
    out = np.empty((4, 6), cplx)
    assert am.fft.fft(a, out=out) is out and np.array_equal(out, am.fft.fft(a))
    assert am.fft.fft(np.asarray(a, cplx), out=out) is out
    half = np.empty((4, 4), cplx)
    assert am.fft.rfft2(a.real, out=half) is half and np.array_equal(half, am.fft.rfft2(a.real))
    for wrong in (np.empty((4, 7), cplx), np.empty((4, 6))):
        with pytest.raises((ValueError, TypeError), match="out has"):
            am.fft.fft(a, out=wrong)


def test_what_is_wrong_is_told_by_its_name():
    x = np.ones((3, 4))
    for text, wrong in {
        "n is 0": lambda: am.fft.fft(x, 0),
        "norm is 'other'": lambda: am.fft.dct(x, norm="other"),
        "norm is 'half'": lambda: am.fft.hfft(x, norm="half"),
        "type is 5": lambda: am.fft.dct(x, 5),
        "type 1 of dct": lambda: am.fft.dct(x[:, :1], 1),
        "s has 1 lengths": lambda: am.fft.dctn(x, s=(4,), axes=(0, 1)),
        "s has 3 lengths": lambda: am.fft.fftn(x, s=(4, 4, 4)),
        "not different": lambda: am.fft.dstn(x, axes=(0, -2)),
        "at least one axis": lambda: am.fft.rfftn(np.float64(1)),
        "0 elements": lambda: am.fft.dst(np.empty(0), n=0),
    }.items():
        with pytest.raises(ValueError, match=text):
            wrong()
    with pytest.raises(TypeError, match="x has the type complex128"):
        am.fft.rfftn(x * 1j)
    with pytest.raises(IndexError, match="axis 2"):
        am.fft.dct(x, axis=2)
    assert am.fft.fftn(np.float64(3)) == 3


def test_the_module_is_called_and_pickled_as_its_main_function():
    assert np.array_equal(am.fft([1.0, 0.0], norm="ortho"), am.fft.fft([1.0, 0.0], norm="ortho"))
    assert pickle.loads(pickle.dumps(am.fft)) is am.fft and copy.copy(am.fft) is am.fft
    assert am.ifft is am.fft.ifft and inspect.ismodule(am.fft)


def test_names_and_parameters_are_scipys():
    missing = {"fht", "ifht", "fhtoffset", "register_backend", "set_backend", "set_global_backend", "skip_backend"}
    assert set(am.fft.__all__) | missing >= set(scipy_fft.__all__)
    for name in set(scipy_fft.__all__) - missing - {"fftshift", "ifftshift"}:
        try:
            theirs = inspect.signature(getattr(scipy_fft, name)).parameters
        except ValueError:  # a function in C
            continue
        ours = inspect.signature(getattr(am.fft, name)).parameters
        ordered = [p for p in theirs if p not in ("xp", "device", "plan")]
        assert [p for p in ours if p in ordered] == ordered
        assert all(ours[p].default == theirs[p].default for p in ordered), name


def test_scipys_functions_are_computed_by_the_library(random, dtype, monkeypatch):
    called = []
    plan = am._fft_plans._planned
    monkeypatch.setattr(am._fft_plans, "_planned", lambda *args: called.append(1) or plan(*args))
    a = random(4, 6)
    with scipy_fft.set_backend(am.scipy_fft_backend, only=True):
        assert np.array_equal(scipy_fft.fft2(a), am.fft.fft2(a)) and called
        assert np.array_equal(scipy_fft.dct(x=a, type=3, norm="ortho"), am.fft.dct(a, 3, norm="ortho"))
        assert np.array_equal(scipy_fft.hfft(a, n=7, workers=2), am.fft.hfft(a, 7))
        assert np.array_equal(scipy_fft.ifftn(a.astype(dtype.newbyteorder(">"))), am.fft.ifftn(a))
        with pytest.raises(ValueError, match="norm is"):
            scipy_fft.fft(a, norm="other")
    count = len(called)
    scipy_fft.set_global_backend(am.scipy_fft_backend)
    try:
        for context in (scipy_fft.set_backend(am.scipy_fft_backend, only=True), contextlib.nullcontext()):
            with context:
                # Types and transforms that the library does not have are SciPy's.
                assert scipy_fft.fft(np.ones(4, np.longdouble)).dtype == np.clongdouble
                assert scipy_fft.dct(np.ones(4, np.float16)).dtype == np.float32
                assert scipy_fft.fht(np.ones(4), 0.1, 0.5).shape == (4,)
                assert np.array_equal(scipy_fft.ifft(a), am.fft.ifft(a))
    finally:
        scipy_fft.set_global_backend("scipy")
    assert "affinimath" in repr(am.scipy_fft_backend) and len(called) > count
