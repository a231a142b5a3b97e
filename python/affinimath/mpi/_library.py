"""The C library of distributed functions by ctypes: its functions with their types, and its statuses as exceptions."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .._library import _NUMBERS, LETTERS, Error, InvalidArgumentError, LinAlgError, address, number

NONE, TRANSPOSE, ADJOINT = 111, 112, 113
#: Operations on a matrix by their names.
OPS = {"none": NONE, "transpose": TRANSPOSE, "adjoint": ADJOINT}
UPPER, LOWER = 121, 122
NON_UNIT = 131
LEFT = 141
NORMS = {1: 171, "fro": 174, np.inf: 175, "max": 177}


class RankError(Error):
    """Ranks disagree about an argument, or a rank could not do its part.

    Its status is -1101 where ranks disagree, and -1100 where one has failed. `Grid.failure` tells whether the grid is
    closed.
    """


def _load() -> ctypes.CDLL:
    """Loads the library that AFFINIMATH_MPI_LIBRARY names, else the one of this package, else the system's."""
    name = os.environ.get("AFFINIMATH_MPI_LIBRARY")
    own = Path(__file__).parent.with_name("libaffinimath_mpi.so")
    if not name:
        name = str(own) if own.exists() else "libaffinimath_mpi.so.0"
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"the C library of distributed functions cannot be loaded: {error}; AFFINIMATH_MPI_LIBRARY may name it"
        ) from error


library = _load()
library.affinimathMpiLastError.restype = ctypes.c_char_p
library.affinimathMpiStatusString.restype = ctypes.c_char_p

POINTER, SIZE, _ENUM = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
_NUMBER = object()
_MATRIX = [POINTER, POINTER]
_SIGNATURES: dict[str, list[Any]] = {
    "gemm": [POINTER, _ENUM, _ENUM, _NUMBER, *_MATRIX, *_MATRIX, _NUMBER, *_MATRIX],
    "trsm": [POINTER, *[_ENUM] * 4, _NUMBER, *_MATRIX, *_MATRIX],
    "potrf": [POINTER, _ENUM, *_MATRIX],
    "potrs": [POINTER, _ENUM, *_MATRIX, *_MATRIX],
    "posv": [POINTER, _ENUM, *_MATRIX, *_MATRIX],
    "getrf": [POINTER, *_MATRIX, POINTER],
    "getrs": [POINTER, _ENUM, *_MATRIX, POINTER, *_MATRIX],
    "gesv": [POINTER, *_MATRIX, POINTER, *_MATRIX],
    "geqrf": [POINTER, *_MATRIX, POINTER],
    "ormqr": [POINTER, _ENUM, *_MATRIX, POINTER, *_MATRIX],
    "lange": [POINTER, _ENUM, *_MATRIX, POINTER],
    "redistribute": [POINTER, _ENUM, *_MATRIX, *_MATRIX],
    "fftPlanCreate": [POINTER, SIZE, POINTER, *[SIZE] * 4, ctypes.c_double, POINTER],
    "csrCreate": [POINTER, SIZE, SIZE, *[POINTER] * 4],
    "csrCreate64": [POINTER, SIZE, SIZE, *[POINTER] * 4],
    "csrFromCoo64": [POINTER, SIZE, SIZE, SIZE, *[POINTER] * 4],
    "csrRead": [POINTER, ctypes.c_char_p, POINTER],
    "csrmv": [_ENUM, _NUMBER, POINTER, POINTER, _NUMBER, POINTER],
    "cg": [POINTER] * 5,
    "minres": [POINTER] * 5,
    "bicgstab": [POINTER] * 5,
    "gmres": [POINTER] * 5,
}
#: Python's names of arguments that C calls otherwise.
_ARGUMENTS = {
    "desca": "a",
    "descb": "b",
    "descc": "c",
    "pointers": "indptr",
    "row_indices": "row",
    "column_indices": "col",
    "transa": "a",
    "transb": "b",
    "lengths": "shape",
}


class FftBlocks(ctypes.Structure):
    """affinimath_mpi_fft_blocks."""

    _fields_ = [(name, SIZE * 3) for name in ("input_offset", "input_shape", "output_offset", "output_shape")]


class SolveOptions(ctypes.Structure):
    """affinimath_mpi_solve_options."""

    _fields_ = [
        ("rtol", ctypes.c_double),
        ("atol", ctypes.c_double),
        ("max_iterations", SIZE),
        ("restart", SIZE),
        ("preconditioner", POINTER),
    ]


class SolveOutcome(ctypes.Structure):
    """affinimath_mpi_solve_outcome."""

    _fields_ = [
        ("reason", ctypes.c_int),
        ("iterations", SIZE),
        ("residual", ctypes.c_double),
        ("relative_residual", ctypes.c_double),
    ]


def message(status: int) -> str:
    """The last error, without C's function and with Python's name of the argument."""
    text: str = (library.affinimathMpiLastError() or library.affinimathMpiStatusString(status)).decode()
    found = re.match(r"affinimathMpi\w+: (?:argument (\w+): )?", text)
    if found is None:
        return text
    argument = found[1] and f"{_ARGUMENTS.get(found[1], found[1])}: "
    return (argument or "") + text[found.end() :]


def check(status: int) -> None:
    """Raises what a status says."""
    if status == 0:
        return
    text = message(status)
    if status > 0:
        raise common(LinAlgError(text, status))
    if status in (-1100, -1101):
        raise common(RankError(text, status))
    raise common((InvalidArgumentError if status > -1000 else Error)(text, status))


def common(error: Error) -> Error:
    """Marks an error that all ranks have."""
    error.is_on_all_ranks = True  # type: ignore[attr-defined]
    return error


def is_on_all_ranks(error: BaseException | None) -> bool:
    """True for an error that all ranks have; errors of the library of one process are one rank's."""
    return getattr(error, "is_on_all_ranks", False)


def function(name: str, argtypes: list[Any]) -> Callable[..., int]:
    """A function of the library's that returns a status, with its types."""
    found: Callable[..., int] = getattr(library, name)
    found.argtypes = argtypes  # type: ignore[attr-defined]
    return found


@cache
def routine(name: str, dtype: np.dtype) -> Callable[..., int]:
    """The function of a routine for a type."""
    letter = LETTERS[dtype]
    kinds = [_NUMBERS[letter] if kind is _NUMBER else kind for kind in _SIGNATURES[name]]
    return function(f"affinimathMpi{letter}{name}", kinds)


def status_of(name: str, dtype: np.dtype, *arguments: Any) -> int:
    """Calls a routine for a type: arrays are passed by their addresses, and what is negative is raised."""
    status = routine(name, dtype)(*[address(a) if isinstance(a, np.ndarray) else a for a in arguments])
    if status < 0:
        check(status)
    return status


def call(name: str, dtype: np.dtype, *arguments: Any) -> None:
    """Calls a routine for a type, and raises what it reports."""
    check(status_of(name, dtype, *arguments))


def accepted(dtype: Any, name: str) -> np.dtype:
    """One of the four types; float64 for integers and booleans."""
    found: np.dtype = np.dtype(dtype)
    if found.kind in "bui":
        return np.dtype(np.float64)
    if found not in LETTERS:
        raise TypeError(f"{name} has the type {found}; there are float32, float64, complex64 and complex128")
    return found


__all__ = [
    "ADJOINT",
    "LEFT",
    "LOWER",
    "NONE",
    "NON_UNIT",
    "NORMS",
    "OPS",
    "POINTER",
    "SIZE",
    "TRANSPOSE",
    "UPPER",
    "FftBlocks",
    "RankError",
    "SolveOptions",
    "SolveOutcome",
    "accepted",
    "address",
    "call",
    "check",
    "function",
    "library",
    "number",
    "routine",
    "status_of",
]
