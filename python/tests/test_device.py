"""Where calls run, threads, and the library's own errors."""

import threading

import numpy as np
import pytest

import affinimath as am


def test_the_version_is_the_librarys():
    assert am.version() == am.__version__ and am.version().count(".") == 2


def test_devices_have_numbers_and_names():
    assert len(am.device_names()) == am.device_count()
    assert all(am.device_names())
    assert -1 <= am.device() < am.device_count()


def test_a_wrong_choice_is_told_and_changes_nothing():
    before = am.device()
    with pytest.raises(am.Error, match="1000"):
        am.set_device(1000)
    with pytest.raises(am.Error, match="1000"):
        am.set_device([0, 1000])
    with pytest.raises(am.Error):
        am.set_device([0, 0])
    with pytest.raises(TypeError):
        am.set_device([0.5])
    with pytest.raises(ValueError, match="at least one"):
        am.set_device([])
    with pytest.raises(am.InvalidArgumentError, match="nowhere") as told:
        am.set_route("nowhere")
    with pytest.raises(am.InvalidArgumentError, match="strict"):
        am.set_math_mode("exact")
    assert told.value.status == -1 and isinstance(told.value, ValueError)
    assert am.device() == before


def test_all_devices_share_calls():
    before = am.device()
    try:
        am.set_device("all")
        assert am.device() == (0 if am.device_count() else -1)
        a = np.random.default_rng(5).standard_normal((70, 70))
        np.testing.assert_allclose(am.matmul(a, a), a @ a, atol=1e-12)
        am.set_device(range(am.device_count()) if am.device_count() else "host")
    finally:
        am.set_device(before)


def test_threads_are_set_and_told():
    before = am.get_num_threads()
    assert before >= 1
    try:
        am.set_num_threads(1)
        assert am.get_num_threads() == 1
        with pytest.raises(am.InvalidArgumentError, match="threads"):
            am.set_num_threads(0)
        assert am.get_num_threads() == 1
    finally:
        am.set_num_threads(before)
    assert am.get_num_threads() == before


def test_threadpoolctl_limits_the_threads():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    am.register_threadpoolctl()
    before = am.get_num_threads()
    (own,) = [x for x in threadpoolctl.threadpool_info() if x["internal_api"] == "affinimath"]
    assert own["num_threads"] == before and own["version"] == am.version() and own["user_api"] == "blas"
    with threadpoolctl.threadpool_limits(limits=1, user_api="blas"):
        assert am.get_num_threads() == 1
    assert am.get_num_threads() == before


def test_the_host_and_a_device_agree():
    a = np.random.default_rng(4).standard_normal((50, 50), np.float32)
    try:
        am.set_route("host")
        host = am.matmul(a, a)
        if am.device_count() == 0:
            with pytest.raises(am.Error) as told:
                am.set_route("device")
                am.matmul(a, a)
            assert told.value.status <= -1000
        else:
            am.set_device(0)
            am.set_route("device")
            bound = 50 * np.finfo(np.float32).eps * np.linalg.norm(a) ** 2
            assert np.linalg.norm(am.matmul(a, a) - host) <= bound
    finally:
        am.set_route("auto")


def test_threads_compute_side_by_side():
    a = np.random.default_rng(5).standard_normal((64, 64))
    expected, spectrum = a @ a, np.fft.fft(a)
    right = []

    def compute() -> None:
        for _ in range(10):
            right.append(np.allclose(am.matmul(a, a), expected) and np.allclose(am.fft(a), spectrum))

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(right) == 40 and all(right)
