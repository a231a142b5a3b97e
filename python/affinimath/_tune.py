"""Searches for the fastest parameters of a user's OpenCL kernel, by the program `affinimath tune kernel`."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np

from . import _program
from ._device import device as chosen_device
from ._device import device_count, device_names
from ._library import Error

_AXES = "xyz"
_SCHEMA = "affinimath/tune-kernel/1"
#: Kernel Tuner's names of strategies.
_STRATEGIES = {
    "brute_force": "exhaustive",
    "random_sample": "random",
    "genetic_algorithm": "genetic",
    "simulated_annealing": "annealing",
    "diff_evo": "differential",
    "mls": "local",
    "greedy_mls": "local",
}
#: Types of arguments in OpenCL C.
_TYPES = {
    "i1": "char",
    "u1": "uchar",
    "i2": "short",
    "u2": "ushort",
    "i4": "int",
    "u4": "uint",
    "i8": "long",
    "u8": "ulong",
    "f2": "half",
    "f4": "float",
    "f8": "double",
    "c8": "float2",
    "c16": "double2",
}
#: Status of errors of the program.
_NO_SEARCH = -1000

Size = Union[int, str]
Value = Union[int, float, str, bool]


class TuneResult(NamedTuple):
    """Results of a search: it unpacks into `results`, `env` and `best`.

    Attributes
    ----------
    results : list of dict
        A dictionary for each point that was measured, in the order of the measurements: its parameters, `time` and
        `device_time` in milliseconds, `energy` in joules, `cycles`, `instructions` and `cache_misses`, `status` and
        `error`. The status is "correct", "correctness" (a wrong result), "compile", "runtime" or "timeout". Values that
        were not measured are None.
    env : dict
        The device, its driver, the objective with its unit, and the file that has the best parameters now.
    best : dict or None
        The parameters of the best point, with its `value` in the objective's unit; None where no point works.

    Examples
    --------
    >>> import affinimath as am
    >>> results, env, best = am.TuneResult([{"block_size_x": 64, "time": 0.1}], {}, {"block_size_x": 64})
    >>> best["block_size_x"]
    64
    """

    results: list[dict[str, Any]]
    env: dict[str, Any]
    best: dict[str, Any] | None


def _text(value: Value) -> str:
    """A value as the program reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, np.generic):
        value = value.item()
    text = str(value)
    if "," in text or text != text.strip() or not text:
        raise ValueError(f"the value {value!r} cannot be a definition of a source")
    return text


def _parameters(tune_params: Mapping[str, Sequence[Value]]) -> list[str]:
    """Options for the parameters."""
    words = []
    for name, values in tune_params.items():
        if len(values) == 0:
            raise ValueError(f"the parameter '{name}' has no values")
        words += ["--parameter", f"{name}={','.join(map(_text, values))}"]
    return words


def _source(kernel_source: str | os.PathLike[str]) -> str:
    """Text of a source, which may be in a file."""
    if not isinstance(kernel_source, str) or ("\n" not in kernel_source and Path(kernel_source).is_file()):
        return Path(kernel_source).read_text(encoding="utf-8")
    return kernel_source


def _sizes(problem_size: Size | Sequence[Size]) -> list[str]:
    """The three extents of a problem."""
    sizes = [problem_size] if isinstance(problem_size, (int, str, np.integer)) else list(problem_size)
    if not 1 <= len(sizes) <= 3:
        raise ValueError("a problem has one to three sizes")
    for size in sizes:
        if not isinstance(size, str) and (int(size) != size or int(size) < 1):
            raise ValueError(f"{size!r} is no size of a problem")
    return [str(size) for size in sizes] + ["1"] * (3 - len(sizes))


def _launch(
    sizes: list[str],
    grid_div: Sequence[Sequence[str] | None],
    block_size_names: Sequence[str],
    tune_params: Mapping[str, Sequence[Value]],
) -> list[str]:
    """Options for the work-items of a group and the groups, as Kernel Tuner has them."""
    items, groups = [], []
    for axis, size in enumerate(sizes):
        name = block_size_names[axis] if axis < len(block_size_names) else f"block_size_{_AXES[axis]}"
        given, known = grid_div[axis], name in tune_params
        items.append(name if known else ("256" if axis == 0 else "1"))
        divisors = ([name] if known else []) if given is None else list(given)
        divisor = " * ".join(f"({part})" for part in divisors) or "1"
        groups.append(f"(({size}) + {divisor} - 1) / ({divisor})")
    return ["--items", ";".join(items), "--groups", ";".join(groups)]


def _code(array: np.ndarray[Any, Any] | np.generic, index: int) -> str:
    """NumPy's code of the elements."""
    code = f"{array.dtype.kind}{array.dtype.itemsize}".replace("b1", "u1")
    if code not in _TYPES:
        raise TypeError(f"argument {index} has elements of {array.dtype}, which no kernel takes")
    return code


def _little(array: Any) -> np.ndarray[Any, Any]:
    """A contiguous array of one axis with the byte order of the files."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind == "b":
        flat = flat.view(np.uint8)
    return flat.astype(flat.dtype.newbyteorder("<"), copy=False)


def _case(
    folder: Path,
    kernel_name: str,
    source: str,
    options: str,
    arguments: Sequence[Any],
    answer: Sequence[Any] | None,
    atol: float,
) -> list[str]:
    """Writes a recorded launch, and gives the options of its tolerances."""
    if answer is not None and len(answer) != len(arguments):
        raise ValueError(f"the answer has {len(answer)} elements for {len(arguments)} arguments")
    given: list[dict[str, Any]] = []
    memories: list[dict[str, Any]] = []
    words = []
    for index, argument in enumerate(arguments):
        expected = None if answer is None else answer[index]
        if isinstance(argument, np.ndarray):
            code = _code(argument, index)
            if argument.size == 0:
                raise ValueError(f"argument {index} has no elements")
            before = _little(argument)
            memory: dict[str, Any] = {"buffer": index, "bytes": before.nbytes, "element": code}
            memory.update(before=f"a{index:02}.in.npy", after=None, changed=None)
            np.save(folder / memory["before"], before)
            if expected is not None:
                after = np.asarray(expected)
                if after.shape != argument.shape:
                    raise ValueError(
                        f"the answer of argument {index} has the shape {after.shape}, not {argument.shape}"
                    )
                after = _little(after.astype(argument.dtype))
                memory["changed"] = bool(after.tobytes() != before.tobytes())
                if memory["changed"]:
                    memory["after"] = f"a{index:02}.out.npy"
                    np.save(folder / memory["after"], after)
                words += ["--tolerance", f"{index}={_tolerance(after, atol)}"]
            given.append({"name": "", "type": f"{_TYPES[code]}*", "memory": len(memories)})
            memories.append(memory)
        elif isinstance(argument, np.generic):
            code = _code(argument, index)
            if expected is not None:
                raise ValueError(f"argument {index} is a value, which has no answer")
            hexadecimal = _little(argument).tobytes().hex()
            given.append({"name": "", "type": _TYPES[code], "hex": hexadecimal, "value": None})
        else:
            raise TypeError(f"argument {index} is no array and no scalar of NumPy's, such as np.int32(3)")
    if answer is not None and all(element is None for element in answer):
        raise ValueError("the answer has no array")
    launch = {
        "format": 1,
        "launch": 0,
        "kernel": kernel_name,
        "program": kernel_name,
        "options": options,
        "groups": [1, 1, 1],
        "items": [1, 1, 1],
        "arguments": given,
        "memories": memories,
        "library": "python",
    }
    (folder / "source.cl").write_text(source, encoding="utf-8")
    (folder / "launch.json").write_text(json.dumps(launch, indent=2), encoding="utf-8")
    return words


def _tolerance(answer: np.ndarray[Any, Any], atol: float) -> str:
    """A tolerance relative to the largest element, which is what the program has."""
    if not (math.isfinite(atol) and atol >= 0):
        raise ValueError(f"atol is {atol}, and has to be finite and not negative")
    finite = np.abs(answer[np.isfinite(answer)]) if answer.dtype.kind in "fc" else np.abs(answer.astype(np.float64))
    largest = float(finite.max(initial=0.0))
    return "exact" if atol == 0 or largest == 0 else repr(atol / largest)


def _digest(folder: Path, words: Sequence[str]) -> str:
    """Name of a case's folder in a cache: that of its content."""
    digest = hashlib.sha256("\0".join(words).encode())
    for file in sorted(folder.iterdir()):
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _run(program: str, words: list[str]) -> dict[str, Any]:
    """Runs the program, and reads what it prints."""
    environment = {**os.environ, "AFFINIMATH_TRACE": ""}
    done = subprocess.run(
        [program, "tune", "kernel", *words, "--json"], env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    if done.returncode != 0:
        message = done.stderr.strip().removeprefix("affinimath: ") or f"{program} ended with {done.returncode}"
        raise Error(message, _NO_SEARCH)
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        found = {}
    if found.get("schema") != _SCHEMA:
        raise Error(f"{program} is of another version than this package", _NO_SEARCH)
    return found


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _result(run: dict[str, Any], names: Mapping[str, Mapping[str, Value]]) -> dict[str, Any]:
    """A point with what was measured."""
    reading = run.get("reading") or {}
    return {
        **_point(run["configuration"], names),
        "time": _scaled(reading.get("wall_seconds"), 1e3),
        "device_time": _scaled(reading.get("device_seconds"), 1e3),
        "energy": reading.get("joules"),
        "cycles": reading.get("cycles"),
        "instructions": reading.get("instructions"),
        "cache_misses": reading.get("cache_misses"),
        "status": run["invalidity"],
        "error": run.get("message"),
    }


def _point(configuration: Mapping[str, Value], names: Mapping[str, Mapping[str, Value]]) -> dict[str, Any]:
    """Parameters with the caller's own values: numbers with a point are texts for the program."""
    return {name: names.get(name, {}).get(str(value), value) for name, value in configuration.items()}


def tune(
    kernel_name: str,
    kernel_source: str | os.PathLike[str],
    problem_size: Size | Sequence[Size],
    arguments: Sequence[np.ndarray[Any, Any] | np.generic],
    tune_params: Mapping[str, Sequence[Value]],
    *,
    answer: Sequence[np.ndarray[Any, Any] | None] | None = None,
    atol: float = 1e-6,
    restrictions: str | Sequence[str] | None = None,
    grid_div_x: Sequence[str] | None = None,
    grid_div_y: Sequence[str] | None = None,
    grid_div_z: Sequence[str] | None = None,
    block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"),
    compiler_options: Sequence[str] = (),
    strategy: str = "local",
    max_fevals: int | None = None,
    budget: int | str | None = None,
    objective: str = "time",
    device: int | str | None = None,
    limit: int = 30,
    seed: int = 1,
    name: str | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> TuneResult:
    """Finds the fastest parameters of an OpenCL kernel, and keeps them under its name.

    The names are those of Kernel Tuner's `tune_kernel`. Each point is built, compared with the answer and timed in a
    process of its own: one that hangs, crashes or writes out of bounds is a failed point. The best is kept in the
    tuning folder, where `tuned` and `Context::tuned_kernel` in Rust find it.

    Parameters
    ----------
    kernel_name : str
        The kernel's name in the source.
    kernel_source : str or path
        The source in OpenCL C, or its file. Parameters are definitions in it; a boolean is 0 or 1.
    problem_size : int, str, or sequence of one to three
        Extents of the problem, or expressions of the parameters.
    arguments : sequence of numpy.ndarray and numpy.generic
        The kernel's arguments in order: arrays are buffers, scalars such as ``np.int32(3)`` are values. They are
        copied, and stay as they are.
    tune_params : dict of sequences
        The values of each parameter: integers, floats, booleans or texts, each parameter's of one kind.
    answer : sequence of numpy.ndarray or None, optional
        For each argument, the array that a launch has to leave, or None where it may be anything. Without an answer
        nothing is compared, and the best point may be wrong.
    atol : float, optional
        The largest difference from an answer that counts as right; 0 asks for the same bits. Where an answer has
        nothing but zeros, results have to be the same.
    restrictions : str or sequence of str, optional
        Rules that points satisfy, such as ``"block_size_x * block_size_y <= 256"``. Operators are
        ``+ - * / % min max``, comparisons, ``and``, ``or`` and ``not``.
    grid_div_x, grid_div_y, grid_div_z : sequence of str, optional
        Expressions whose product divides the problem's size along an axis and gives the number of groups, rounded up.
        By default it is the axis's block size, where there is such a parameter.
    block_size_names : sequence of str, optional
        Parameters that are the work-items of a group along each axis. Without them a group is 256 x 1 x 1.
    compiler_options : sequence of str, optional
        Options of the compiler.
    strategy : str, optional
        The search: "local", "exhaustive", "random", "genetic" and the others of the book's page Tuning, or Kernel
        Tuner's names for them, such as "brute_force".
    max_fevals : int, optional
        The most points that are measured.
    budget : int or str, optional
        The same, or a time such as "60s", which is the default unless the search is exhaustive.
    objective : {"time", "device-time", "energy", "energy-delay"}, optional
        The value that is to be small.
    device : int or str, optional
        The number of the device, or a part of its name. By default it is the one that calls may use, or the first.
    limit : int, optional
        Seconds after which a point counts as hanging.
    seed : int, optional
        The seed of the search.
    name : str, optional
        The name under which the best is kept; by default the kernel's.
    cache : path, optional
        A folder that keeps each measurement. The same call then goes on after an interruption, and measures no point
        twice.

    Returns
    -------
    TuneResult
        The points with their times, the environment, and the best point.

    Raises
    ------
    FileNotFoundError
        The program `affinimath` is not there: some wheels are made without it.
    Error
        There is no device, or the objective cannot be measured here, or a rule is none.
    TypeError, ValueError
        Arguments, answers or sizes that do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> import affinimath as am
    >>> source = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
    >>> x = np.arange(64, dtype=np.float32)
    >>> try:
    ...     found = am.tune("twice", source, x.size, [x], {"block_size_x": [16, 32]}, answer=[2 * x], max_fevals=2)
    ... except (FileNotFoundError, am.Error):
    ...     found = None  # no program, or no device
    >>> found is None or found.best["block_size_x"] in (16, 32)
    True
    """
    program = _program.program()
    sizes = _sizes(problem_size)
    words = _parameters(tune_params) + _launch(
        sizes, (grid_div_x, grid_div_y, grid_div_z), block_size_names, tune_params
    )
    for rule in [restrictions] if isinstance(restrictions, str) else restrictions or []:
        if not isinstance(rule, str):
            raise TypeError("restrictions are texts, such as 'block_size_x * block_size_y <= 256'")
        words += ["--constraint", rule]
    if max_fevals is not None and budget is not None:
        raise ValueError("max_fevals and budget are the same")
    most = max_fevals if budget is None else budget
    if device is None:
        if device_count() == 0:
            raise Error("there is no OpenCL device to tune a kernel on", _NO_SEARCH)
        device = max(chosen_device(), 0)
    words += ["--device", str(device), "--objective", objective, *(["--unchecked"] if answer is None else [])]
    search = ["--strategy", _STRATEGIES.get(strategy, strategy), "--limit", str(limit), "--seed", str(seed)]
    search += ["--baseline", "first", "--name", kernel_name if name is None else name]
    search += [] if most is None else ["--budget", str(most)]
    with tempfile.TemporaryDirectory(prefix="affinimath-tune-") as temporary:
        case = Path(temporary, "case")
        case.mkdir()
        options = " ".join(compiler_options)
        words += _case(case, kernel_name, _source(kernel_source), options, arguments, answer, atol)
        if cache is not None:
            kept = Path(cache, _digest(case, [*device_names(), *words]))
            kept.mkdir(parents=True, exist_ok=True)
            case = Path(shutil.copytree(case, kept / "case", dirs_exist_ok=True))
            search += ["--runs", str(kept / "runs.jsonl")]
        found = _run(program, ["--case", str(case), *words, *search])
    names = {key: {_text(value): value for value in values} for key, values in tune_params.items()}
    best = found["best"]
    env = {
        "device_name": found["device"],
        "driver": found["driver"],
        "kernel_name": found["kernel"],
        "strategy": strategy,
        "objective": found["objective"],
        "unit": found["unit"],
        "gain": found["gain"],
        "measured_now": found["measured_now"],
        "file": found["file"],
    }
    return TuneResult(
        [_result(run, names) for run in found["runs"]],
        env,
        None if best is None else {**_point(best["configuration"], names), "value": best["value"]},
    )


def _folder() -> Path | None:
    """Folder of the tuning database."""
    given = os.environ.get("AFFINIMATH_TUNING_DIR")
    if given:
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME")
    if data and Path(data).is_absolute():
        return Path(data, "affinimath")
    try:
        return Path.home() / ".local" / "share" / "affinimath"
    except RuntimeError:
        return None


def tuned(name: str, device: int | None = None) -> dict[str, Any] | None:
    """Parameters that were found for a kernel on a device, by `tune` or by `affinimath tune kernel`.

    Parameters
    ----------
    name : str
        The name under which they are kept: that of the kernel, unless another one was given.
    device : int, optional
        The number of the device. By default it is the one that calls may use, or the first.

    Returns
    -------
    dict or None
        The parameters that were found last, whatever the driver's version was; None where there are none.

    Examples
    --------
    >>> import affinimath as am
    >>> parameters = am.tuned("a kernel that nobody has tuned") or {"block_size_x": 64}
    >>> parameters["block_size_x"]
    64
    """
    folder, devices = _folder(), device_names()
    index = max(chosen_device(), 0) if device is None else device
    if folder is None or not 0 <= index < len(devices):
        return None
    try:
        lines = (folder / "kernels.jsonl").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        try:
            record = json.loads(line)
            if record["kernel"] == name and record["device"] == devices[index]:
                return dict(record["configuration"])
        except (ValueError, KeyError, TypeError):
            continue
    return None
