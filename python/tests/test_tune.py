"""Kernels of one's own, tuned by the program `affinimath`."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import affinimath as am
from affinimath import _program, _tune

SCALED = """
kernel void scaled(int n, float a, global const float *x, global float *y)
{
  for (int i = get_global_id(0) * each, last = min(n, i + each); i < last; ++i)
    y[i] = a * x[i] + y[i] + (fault && i == n - 1 ? 1.0f : 0.0f);
}
"""
N = 1000
PAGE = Path(__file__).parents[2] / "docs" / "src" / "tuning.md"


@pytest.fixture
def program(monkeypatch, tmp_path):
    """The program, with a tuning folder of its own; the test is skipped without it or without a device."""
    try:
        path = _program.program()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    if am.device_count() == 0:
        pytest.skip("there is no OpenCL device")
    monkeypatch.setenv("AFFINIMATH_TUNING_DIR", str(tmp_path / "tuning"))
    return path


def operands():
    x, y = np.arange(N, dtype=np.float32), np.full(N, 0.5, np.float32)
    arguments = [np.int32(N), np.float32(2), x, y]
    return arguments, [None, None, x, 2 * x + y]


def scaled(**options):
    arguments, answer = operands()
    parameters = {"block_size_x": [16, 64], "each": [1, 4], "fault": [False]}
    settings = {"grid_div_x": ["block_size_x", "each"], "answer": answer, "strategy": "brute_force"}
    return am.tune("scaled", SCALED, N, arguments, parameters, **{**settings, **options})


def test_the_best_point_is_found_and_kept(program):
    assert am.tuned("scaled") is None
    results, env, best = scaled(restrictions=["block_size_x * each <= 64"])
    assert [(point["block_size_x"], point["each"]) for point in results] == [(16, 1), (16, 4), (64, 1)]
    for point in results:
        assert point["status"] == "correct" and point["error"] is None and point["time"] > 0
        assert point["fault"] is False and point["energy"] is None
    assert best["value"] > 0 and env["device_name"] in am.device_names()
    parameters = {name: value for name, value in best.items() if name != "value"}
    assert am.tuned("scaled") == parameters
    assert am.tuned("scaled", am.device_count()) is None and am.tuned("other") is None
    record = json.loads(Path(env["file"]).read_text().splitlines()[-1])
    assert (record["kernel"], record["objective"], record["groups"][1:]) == ("scaled", "time", [1, 1])
    assert record["groups"][0] == -(-N // (best["block_size_x"] * best["each"]))
    # Lines that are none are passed over.
    with open(env["file"], "a") as file:
        file.write('nonsense\n{"kernel": "scaled"}\n[]\n')
    assert am.tuned("scaled") == parameters


def test_wrong_points_are_told_and_never_win(program):
    arguments, answer = operands()
    parameters = {"block_size_x": [32], "each": [1], "fault": [True, False]}
    results, _, best = am.tune("scaled", SCALED, N, arguments, parameters, answer=answer, name="mine")
    wrong = next(point for point in results if point["fault"])
    assert wrong["status"] == "correctness" and "element 999" in wrong["error"] and wrong["time"] is None
    assert best["fault"] is False and am.tuned("mine")["fault"] is False and am.tuned("scaled") is None
    assert arguments[3][0] == 0.5, "the caller's arrays stay as they are"
    only = am.tune("scaled", SCALED, N, arguments, {**parameters, "fault": [True]}, answer=answer)
    assert only.best is None and only.env["file"] is None
    unchecked = am.tune("scaled", SCALED, N, arguments, {**parameters, "fault": [True]})
    assert unchecked.results[0]["status"] == "correct", "nothing is compared without an answer"
    near = [None, None, None, answer[3] + np.float32(1e-3)]
    assert am.tune("scaled", SCALED, N, arguments, {**parameters, "fault": [False]}, answer=near).best is None
    loose = am.tune("scaled", SCALED, N, arguments, {**parameters, "fault": [False]}, answer=near, atol=1e-2)
    assert loose.best is not None


def test_points_that_do_not_build_or_crash_are_told(program):
    source = """
    #if how == 1
    #error refused
    #endif
    kernel void set(global int *x) { x[get_global_id(0) + (how == 2 ? (1L << 42) : 0)] = value * 2; }
    """
    x = np.zeros(64, np.int32)
    parameters = {"block_size_x": [8], "how": [1, 2, 0], "value": ["1.5f"]}
    results, _, best = am.tune("set", source, 64, [x], parameters, answer=[x + 3], atol=0, budget="90s")
    status = {point["how"]: point["status"] for point in results}
    assert status == {0: "correct", 1: "compile", 2: "runtime"}
    assert best["how"] == 0 and best["value"] > 0


def test_two_dimensions_floats_and_complex_numbers(program, tmp_path):
    source = """
    kernel void twice(global float2 *z, global double *d, global uchar *b, global const half *h)
    {
      int i = get_global_id(0) + get_global_size(0) * get_global_id(1);
      z[i] = (float)factor * z[i]; d[i] = factor * d[i]; b[i] = !b[i];
    }
    """
    file = tmp_path / "twice.cl"
    file.write_text(source)
    z = (np.arange(96) + 1j * np.arange(96)[::-1]).astype(np.complex64).reshape(8, 12)
    d, b, h = np.asfortranarray(z.real.astype(np.float64)), z.real > 40, np.ones(3, np.float16)
    answer = [z * 2, d * 2, ~b, None]
    parameters = {"block_size_x": [4, 12], "block_size_y": [2], "factor": [2.0]}
    results, _, best = am.tune("twice", file, (12, 8), [z, d, b, h], parameters, answer=answer)
    assert all(point["status"] == "correct" for point in results), results
    assert best["factor"] == 2.0 and isinstance(best["factor"], float) and best["block_size_y"] == 2


def test_a_search_goes_on_with_what_its_cache_has(program, tmp_path):
    first = scaled(cache=tmp_path / "cache", max_fevals=2)
    assert (len(first.results), first.env["measured_now"]) == (2, 2)
    second = scaled(cache=tmp_path / "cache")
    assert (len(second.results), second.env["measured_now"]) == (4, 2)
    assert second.results[:2] == first.results
    other = scaled(cache=tmp_path / "cache", atol=1e-5, max_fevals=1)
    assert other.env["measured_now"] == 1, "another tolerance is another search"


def test_what_the_program_refuses_is_an_error(program, monkeypatch):
    with pytest.raises(am.Error, match="'eac' is no parameter"):
        scaled(restrictions="eac > 1")
    with pytest.raises(am.Error, match="none of time, device-time, energy"):
        scaled(objective="heat")
    monkeypatch.setenv("AFFINIMATH_POWERCAP", "off")
    monkeypatch.setenv("AFFINIMATH_NVML", "off")
    with pytest.raises(am.Error, match="cannot be measured here"):
        scaled(objective="energy")


def test_arguments_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr(_program, "program", lambda: "none")
    monkeypatch.setattr(_tune, "device_count", lambda: 1)
    monkeypatch.setattr(_tune, "chosen_device", lambda: 0)
    x = np.zeros(4, np.float32)

    def tune(arguments=(x,), size=4, parameters=None, **options):
        am.tune("k", "", size, arguments, {"block_size_x": [1]} if parameters is None else parameters, **options)

    for error, told, call in [
        (TypeError, "argument 0 is no array", lambda: tune([3])),
        (TypeError, "elements of <U1", lambda: tune([np.array(["a"])])),
        (ValueError, "argument 0 has no elements", lambda: tune([np.zeros(0)])),
        (ValueError, "2 elements for 1 arguments", lambda: tune(answer=[x, x])),
        (ValueError, "has the shape (3,)", lambda: tune(answer=[x[:3]])),
        (ValueError, "has no array", lambda: tune(answer=[None])),
        (ValueError, "argument 1 is a value", lambda: tune([x, np.int32(1)], answer=[x, x])),
        (ValueError, "atol is -1", lambda: tune(answer=[x], atol=-1)),
        (ValueError, "one to three sizes", lambda: tune(size=(1, 1, 1, 1))),
        (ValueError, "0 is no size", lambda: tune(size=(4, 0))),
        (ValueError, "has no values", lambda: tune(parameters={"a": []})),
        (ValueError, "no definition|cannot be a definition", lambda: tune(parameters={"a": ["x,y"]})),
        (TypeError, "restrictions are texts", lambda: tune(restrictions=[lambda point: True])),
        (ValueError, "are the same", lambda: tune(max_fevals=1, budget=2)),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert re.search(told.replace("(3,)", r"\(3,\)"), str(raised.value)), raised.value


def test_a_missing_program_is_told_with_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("AFFINIMATH_PROGRAM", str(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError, match="which is no program.*cargo install --path crates/cli"):
        scaled()
    monkeypatch.delenv("AFFINIMATH_PROGRAM")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_program, "OWN", tmp_path / "absent")
    with pytest.raises(FileNotFoundError, match="made without it, and PATH has none"):
        scaled()


def test_a_program_of_another_version_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(_tune, "device_count", lambda: 1)
    program = tmp_path / "affinimath"
    program.write_text("#!/bin/sh\necho '{}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("AFFINIMATH_PROGRAM", str(program))
    with pytest.raises(am.Error, match="another version"):
        scaled()


def test_sizes_are_expressions_as_kernel_tuner_has_them():
    names = ("block_size_x", "block_size_y", "block_size_z")
    parameters = {"block_size_x": [1], "tile": [2]}
    words = _tune._launch(["n", "5", "1"], (["block_size_x", "tile + 1"], None, []), names, parameters)
    assert words[1] == "block_size_x;1;1"
    divisor = "(block_size_x) * (tile + 1)"
    assert words[3] == f"((n) + {divisor} - 1) / ({divisor});((5) + 1 - 1) / (1);((1) + 1 - 1) / (1)"
    words = _tune._launch(["8", "8", "1"], (None, None, None), ("bx", "by"), {"bx": [1], "by": [1]})
    assert words[1] == "bx;by;1" and words[3].split(";")[1] == "((8) + (by) - 1) / ((by))"
    assert _tune._launch(["8"] * 3, (None,) * 3, names, {})[1] == "256;1;1"


def test_a_tolerance_is_relative_to_the_largest_element():
    assert _tune._tolerance(np.array([4.0, -8.0]), 1e-6) == repr(1e-6 / 8)
    assert _tune._tolerance(np.array([3 + 4j, np.nan], np.complex64), 1.0) == repr(0.2)
    assert _tune._tolerance(np.array([np.iinfo(np.int64).min]), 1.0) == repr(1 / 2**63)
    assert _tune._tolerance(np.zeros(3), 1e-6) == "exact" == _tune._tolerance(np.ones(3), 0)


def test_the_example_of_the_book_runs(program, tmp_path):
    block = re.search(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert block and "am.tune(" in block[1]
    environment = {**os.environ, "PYTHONPATH": str(Path(am.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", block[1]], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    shutil.rmtree(tmp_path / "tuning", ignore_errors=True)
