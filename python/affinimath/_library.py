"""The C library by ctypes: its functions with their types, and its statuses as exceptions."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import weakref
from functools import cache
from pathlib import Path
from typing import Any, Callable

import numpy as np

ROW_MAJOR, COLUMN_MAJOR = 101, 102
NO_TRANS, TRANS, CONJ_TRANS = 111, 112, 113
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132
LEFT = 141
SINGLE, DOUBLE = 211, 212


class Error(RuntimeError):
    """An error that the library reports, and the base class of the others.

    Attributes
    ----------
    status : int
        The C function's status: -i for its i-th argument, LAPACK's info where it is positive, -1000 and below for
        the library's own errors, such as a device that is out of memory.

    Examples
    --------
    >>> import affinimath as am
    >>> try:
    ...     am.set_device(10**6)
    ... except am.Error as error:
    ...     error.status <= -1
    True
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class InvalidArgumentError(Error, ValueError):
    """An argument is wrong. Nothing was changed.

    Examples
    --------
    >>> import affinimath as am
    >>> try:
    ...     am.set_route("nowhere")
    ... except am.InvalidArgumentError as error:
    ...     error.status
    -1
    """


class LinAlgError(Error, np.linalg.LinAlgError, ValueError):
    """A matrix is singular, not positive definite or not square, or least squares have a NaN or an infinity.

    It is also NumPy's LinAlgError, and a ValueError. Its status is -1 for an operand of a wrong shape.

    Examples
    --------
    >>> import affinimath as am
    >>> try:
    ...     am.solve([[1.0, 1.0], [1.0, 1.0]], [1.0, 2.0])
    ... except am.LinAlgError as error:
    ...     print(error)
    the matrix is singular: pivot 2 of 2 is zero
    """


class C32(ctypes.Structure):
    """affinimath_c32."""

    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


class C64(ctypes.Structure):
    """affinimath_c64."""

    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


#: The letter in the names of functions for each type, and how C has its numbers.
LETTERS = {
    np.dtype(dtype): letter for dtype, letter in zip((np.float32, np.float64, np.complex64, np.complex128), "SDCZ")
}
_NUMBERS = {"S": ctypes.c_float, "D": ctypes.c_double, "C": C32, "Z": C64}
_REALS = {"S": ctypes.c_float, "D": ctypes.c_double, "C": ctypes.c_float, "Z": ctypes.c_double}

_ENUM, _SIZE, _POINTER = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
# Numbers of the routine's type, and of the real type of the same precision.
_NUMBER, _REAL = object(), object()
_MATRIX = [_POINTER, _SIZE]
# The matrices, or the vectors, of a batch: a pointer, a leading dimension where there is one, and a stride.
_MATRICES, _VECTORS = [*_MATRIX, _SIZE], [_POINTER, _SIZE]
# Bounds of a subset of eigenvalues, by value and by index, and the tolerance.
_SUBSET = [_REAL, _REAL, _SIZE, _SIZE, _REAL]
_SIGNATURES: dict[str, list[Any]] = {
    "gemm": [*[_ENUM] * 3, *[_SIZE] * 3, _NUMBER, *_MATRIX, *_MATRIX, _NUMBER, *_MATRIX],
    "gemmStridedBatched": [
        *[_ENUM] * 3,
        *[_SIZE] * 3,
        _NUMBER,
        *_MATRICES,
        *_MATRICES,
        _NUMBER,
        *_MATRICES,
        _SIZE,
    ],
    "getrf": [_ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER],
    "gesv": [_ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX],
    "getrs": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX],
    "getri": [_ENUM, _SIZE, *_MATRIX, _POINTER],
    "potrf": [_ENUM, _ENUM, _SIZE, *_MATRIX],
    "potrs": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, *_MATRIX],
    "posv": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, *_MATRIX],
    "potri": [_ENUM, _ENUM, _SIZE, *_MATRIX],
    "gtsv": [_ENUM, _SIZE, _SIZE, *[_POINTER] * 3, *_MATRIX],
    "gbsv": [_ENUM, *[_SIZE] * 4, *_MATRIX, _POINTER, *_MATRIX],
    "pbsv": [_ENUM, _ENUM, *[_SIZE] * 3, *_MATRIX, *_MATRIX],
    "sysv": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX],
    "hesv": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX],
    "sytrf": [_ENUM, _ENUM, _SIZE, *_MATRIX, _POINTER],
    "hetrf": [_ENUM, _ENUM, _SIZE, *_MATRIX, _POINTER],
    # Mixed precision: dsgesv, zcgesv, dsposv, zcposv.
    "sgesv": [_ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX, *_MATRIX, _POINTER],
    "cgesv": [_ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX, *_MATRIX, _POINTER],
    "sposv": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, *_MATRIX, *_MATRIX, _POINTER],
    "cposv": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, *_MATRIX, *_MATRIX, _POINTER],
    "geqrf": [_ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER],
    "orgqr": [_ENUM, _SIZE, _SIZE, _SIZE, *_MATRIX, _POINTER],
    "ormqr": [_ENUM, _ENUM, _ENUM, _SIZE, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX],
    "trtrs": [*[_ENUM] * 4, _SIZE, _SIZE, *_MATRIX, *_MATRIX],
    "csrCreate64": [_SIZE, _SIZE, _POINTER, _POINTER, _POINTER, _POINTER],
    "csrFromCoo64": [_SIZE, _SIZE, _SIZE, _POINTER, _POINTER, _POINTER, _POINTER],
    "csrFromDense64": [_ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER],
    "csrRead64": [ctypes.c_char_p, _POINTER],
    "csrDownload64": [_POINTER, _SIZE, _POINTER, _POINTER, _POINTER],
    "csrToDense": [_ENUM, _POINTER, *_MATRIX],
    "csrmv": [_ENUM, _NUMBER, _POINTER, _POINTER, _SIZE, _NUMBER, _POINTER, _SIZE],
    "csrmm": [_ENUM, _ENUM, _SIZE, _NUMBER, _POINTER, *_MATRIX, _NUMBER, *_MATRIX],
    "cg": [_POINTER] * 5,
    "minres": [_POINTER] * 5,
    "bicgstab": [_POINTER] * 5,
    "gmres": [_POINTER] * 5,
    "lsqr": [_POINTER] * 5,
    "lsmr": [_POINTER] * 5,
    "cgOperator": [_SIZE, *[_POINTER] * 6],
    "minresOperator": [_SIZE, *[_POINTER] * 6],
    "bicgstabOperator": [_SIZE, *[_POINTER] * 6],
    "gmresOperator": [_SIZE, *[_POINTER] * 6],
    "lsqrOperator": [_SIZE, _SIZE, *[_POINTER] * 6],
    "lsmrOperator": [_SIZE, _SIZE, *[_POINTER] * 6],
    "preconditionerCreate": [_SIZE, *[_POINTER] * 3],
    "csrDiagonal": [_POINTER] * 2,
    "csrSum": [_NUMBER, _POINTER, _NUMBER, _POINTER, _POINTER],
    "csrsv": [*[_ENUM] * 3, _POINTER, _POINTER, _SIZE],
    "sparseFactorsSolve": [_ENUM, _ENUM, *[_SIZE] * 3, _POINTER, *_MATRIX, *_MATRIX],
    "getrfStridedBatched": [_ENUM, _SIZE, _SIZE, *_MATRICES, *_VECTORS, _POINTER, _SIZE],
    "getrsStridedBatched": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRICES, *_VECTORS, *_MATRICES, _SIZE],
    "gesvStridedBatched": [_ENUM, _SIZE, _SIZE, *_MATRICES, *_VECTORS, *_MATRICES, _POINTER, _SIZE],
    "potrfStridedBatched": [_ENUM, _ENUM, _SIZE, *_MATRICES, _POINTER, _SIZE],
    "potrsStridedBatched": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRICES, *_MATRICES, _SIZE],
    "posvStridedBatched": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRICES, *_MATRICES, _POINTER, _SIZE],
    "gbsvStridedBatched": [_ENUM, *[_SIZE] * 4, *_MATRICES, *_VECTORS, *_MATRICES, _POINTER, _SIZE],
    "gtsvStridedBatched": [_ENUM, _SIZE, _SIZE, *_VECTORS * 3, *_MATRICES, _POINTER, _SIZE],
    "geqrfStridedBatched": [_ENUM, _SIZE, _SIZE, *_MATRICES, *_VECTORS, _SIZE],
    "syevStridedBatched": [*[_ENUM] * 3, _SIZE, *_MATRICES, *_VECTORS, _POINTER, _SIZE],
    "gesvdStridedBatched": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRICES, *_VECTORS, *_MATRICES * 2, _POINTER, _SIZE],
    "lange": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER],
    "syev": [*[_ENUM] * 3, _SIZE, *_MATRIX, _POINTER],
    "syevr": [*[_ENUM] * 4, _SIZE, *_MATRIX, *_SUBSET, _POINTER, _POINTER, *_MATRIX],
    "stevr": [*[_ENUM] * 3, _SIZE, _POINTER, _POINTER, *_SUBSET, _POINTER, _POINTER, *_MATRIX],
    "geev": [*[_ENUM] * 3, _SIZE, *_MATRIX, *[_POINTER] * 2, *_MATRIX, *_MATRIX],
    "gebal": [_ENUM, _ENUM, _SIZE, *_MATRIX, *[_POINTER] * 3],
    "gehrd": [_ENUM, *[_SIZE] * 3, *_MATRIX, _POINTER],
    "orghr": [_ENUM, *[_SIZE] * 3, *_MATRIX, _POINTER],
    "hseqr": [*[_ENUM] * 3, *[_SIZE] * 3, *_MATRIX, *[_POINTER] * 2, *_MATRIX],
    "gees": [_ENUM, _ENUM, _SIZE, *_MATRIX, *[_POINTER] * 2, *_MATRIX],
    "trsen": [*[_ENUM] * 3, _POINTER, _SIZE, *_MATRIX, *_MATRIX, *[_POINTER] * 5],
    "ggev": [*[_ENUM] * 3, _SIZE, *_MATRIX, *_MATRIX, *[_POINTER] * 3, *_MATRIX, *_MATRIX],
    "gges": [*[_ENUM] * 3, _SIZE, *_MATRIX, *_MATRIX, *[_POINTER] * 3, *_MATRIX, *_MATRIX],
    "tgsen": [*[_ENUM] * 3, _POINTER, _SIZE, *_MATRIX, *_MATRIX, *[_POINTER] * 3, *_MATRIX, *_MATRIX, _POINTER],
    "sbev": [*[_ENUM] * 3, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX],
    "sbevx": [*[_ENUM] * 4, _SIZE, _SIZE, *_MATRIX, *_MATRIX, *_SUBSET, _POINTER, _POINTER, *_MATRIX],
    "trsyl": [*[_ENUM] * 3, *[_SIZE] * 3, *_MATRIX, *_MATRIX, *_MATRIX, _POINTER],
    "gesdd": [_ENUM, _ENUM, _SIZE, _SIZE, *_MATRIX, _POINTER, *_MATRIX, *_MATRIX],
    "gelsd": [_ENUM, _SIZE, _SIZE, _SIZE, *_MATRIX, *_MATRIX, _POINTER, _REAL, _POINTER],
    "gelsy": [_ENUM, _SIZE, _SIZE, _SIZE, *_MATRIX, *_MATRIX, _POINTER, _REAL, _POINTER],
}


#: The argument for real parts of eigenvalues, behind which that for imaginary parts is.
_REAL_PARTS = {"geev": 6, "gees": 5, "hseqr": 8, "trsen": 9, "ggev": 8, "gges": 8, "tgsen": 9}


def _load() -> ctypes.CDLL:
    """Loads the library that AFFINIMATH_LIBRARY names, else the one of this package, else the system's."""
    name = os.environ.get("AFFINIMATH_LIBRARY")
    own = Path(__file__).with_name("libaffinimath.so")
    if not name:
        name = str(own) if own.exists() else "libaffinimath.so.0"
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"the C library cannot be loaded: {error}; AFFINIMATH_LIBRARY may name it") from error


library = _load()
library.affinimathLastError.restype = ctypes.c_char_p
library.affinimathVersion.restype = ctypes.c_char_p
library.affinimathStatusString.restype = ctypes.c_char_p


#: Python's names of arguments that C calls otherwise.
_ARGUMENTS = {"pointers": "indptr", "row_indices": "row", "column_indices": "col", "preconditioner": "M"}


def _readable(message: str) -> str:
    """A message without C's function and lines of the library's source, and with Python's name of the argument."""
    message = re.sub(r" \(at [^()]*\.rs:\d+:\d+\)", "", message)
    found = re.match(r"affinimath\w+: (?:argument (\w+): )?", message)
    if found is None:
        return message
    argument = found[1] and f"{_ARGUMENTS.get(found[1], found[1])}: "
    return (argument or "") + message[found.end() :]


def check(status: int) -> None:
    """Raises what a status says."""
    if status == 0:
        return
    message = _readable((library.affinimathLastError() or library.affinimathStatusString(status)).decode())
    if status > 0:
        raise LinAlgError(message, status)
    raise (InvalidArgumentError if status > -1000 else Error)(message, status)


def _address(array: np.ndarray) -> int:
    """The address of an array's first element."""
    place: int = array.ctypes.data
    return place


#: In CPython an array's address is the first field after the object's header: NumPy's C interface has it as a macro, so
#: that it stays there. `array.ctypes` makes objects that take longer than a small call.
_HEADER = object.__basicsize__


def _address_by_field(array: np.ndarray) -> int:
    return ctypes.c_void_p.from_address(id(array) + _HEADER).value or 0


def _fastest_address() -> Callable[[np.ndarray], int]:
    probe = np.zeros(2)
    if sys.implementation.name == "cpython" and _address_by_field(probe[1:]) == _address(probe[1:]):
        return _address_by_field
    return _address


address = _fastest_address()


def function(name: str, argtypes: list[Any]) -> Callable[..., int]:
    """A function of the library's that returns a status, with its types."""
    found: Callable[..., int] = getattr(library, name)
    found.argtypes = argtypes  # type: ignore[attr-defined]
    return found


class Plan:
    """A plan of the C library, which any number of threads execute at a time: of the kind "Fft" or "Convolution"."""

    def __init__(self, kind: str, descriptor: ctypes.Structure, arrays: int) -> None:
        pointer = ctypes.c_void_p
        create = function(f"affinimath{kind}PlanCreate", [ctypes.POINTER(type(descriptor)), ctypes.POINTER(pointer)])
        self._execute = function(f"affinimath{kind}Execute", [pointer] * (1 + arrays))
        self._handle = pointer()
        check(create(descriptor, self._handle))
        weakref.finalize(self, function(f"affinimath{kind}PlanDestroy", [pointer]), self._handle)

    def execute(self, *arrays: np.ndarray) -> None:
        """Computes the last array from the others, which lie as the plan has it."""
        status = self._execute(self._handle, *[address(array) for array in arrays])
        if status:
            check(status)


@cache
def routine(name: str, dtype: np.dtype) -> Callable[..., int]:
    """The function of a routine for a type: it takes arrays by their addresses, and returns a status."""
    letter = LETTERS[dtype]
    types = {_NUMBER: _NUMBERS[letter], _REAL: _REALS[letter]}
    kinds = list(_SIGNATURES[name])
    if name in _REAL_PARTS and letter in "CZ":
        # Complex eigenvalues are one array.
        del kinds[_REAL_PARTS[name]]
    return function(f"affinimath{letter}{name}", [types.get(kind, kind) for kind in kinds])


def number(value: complex, dtype: np.dtype) -> Any:
    """A number as C takes it by value."""
    if dtype.kind == "c":
        value = complex(value)
        return _NUMBERS[LETTERS[dtype]](value.real, value.imag)
    if type(value) is float or type(value) is int:
        return value  # ctypes makes the same of it as its own type does.
    return _NUMBERS[LETTERS[dtype]](value)


def status_of(name: str, dtype: np.dtype, *arguments: Any) -> int:
    """Calls a routine for a type: arrays are passed by their addresses, and what is negative is raised."""
    status = routine(name, dtype)(*[address(a) if isinstance(a, np.ndarray) else a for a in arguments])
    if status < 0:
        check(status)
    return status


def call(name: str, dtype: np.dtype, *arguments: Any) -> None:
    """Calls a routine for a type, and raises what it reports."""
    status = routine(name, dtype)(*[address(a) if isinstance(a, np.ndarray) else a for a in arguments])
    if status:
        check(status)
