"""Operands of the C library's texts: arrays, NumPy's elements and numbers, in memory that calls use again."""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Iterable
from typing import Any, Union

import numpy as np

from ._library import address as address_of

#: Codes of element types.
CODES = {
    np.dtype(name): code
    for code, name in enumerate(
        ("bool", "uint8", "int32", "uint32", "int64", "float32", "float64", "complex64", "complex128"), 501
    )
}
DTYPES = {code: dtype for dtype, code in CODES.items()}

#: A number takes the type of the arrays that it meets.
Number = Union[bool, int, float, complex]
NUMBERS = (bool, int, float, complex)


class Operand(ctypes.Structure):
    """affinimath_operand."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("array", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("element", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("shape", ctypes.c_int64 * 8),
        ("strides", ctypes.c_int64 * 8),
    ]


class Result(ctypes.Structure):
    """affinimath_array_result."""

    _fields_ = [
        ("array", ctypes.c_void_p),
        ("element", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("shape", ctypes.c_int64 * 8),
    ]


#: Bytes of a word, in which memory is read and written: a pointer, an extent, or a type with a rank.
_WORD = 8
WORDS, RESULT_WORDS = ctypes.sizeof(Operand) // _WORD, ctypes.sizeof(Result) // _WORD
#: The words of an operand with the array, the address of the data, and both the type and the rank.
ARRAY_WORD, DATA_WORD, KIND_WORD = (field.offset // _WORD for field in (Operand.array, Operand.data, Operand.element))


def _kind(dtype: Any, rank: int) -> int:
    """The word with a type and a rank."""
    return int.from_bytes(struct.pack("ii", CODES[np.dtype(dtype)], rank), sys.byteorder)


#: Types and ranks by their words.
KINDS = {_kind(dtype, rank): (dtype, rank) for dtype in CODES for rank in range(9)}
#: Numbers have the rank -1.
_BOOL, _INT, _FLOAT, _COMPLEX = (_kind(dtype, -1) for dtype in (np.bool_, np.int64, np.float64, np.complex128))
_set_bool, _set_int, _set_float, _set_complex = (struct.Struct(code).pack_into for code in ("?", "q", "d", "dd"))
#: Bytes of a number's value.
_VALUE = 16


class Memory:
    """Memory of the operands of a call, with names that stay and values of numbers."""

    __slots__ = ("_count", "argument", "operands", "values", "words")

    def __init__(self, names: Iterable[str]) -> None:
        encoded = [name.encode() for name in names]
        self._count = len(encoded)
        # Views of memory have an element at least.
        length = max(self._count, 1)
        self.operands, self.values = (Operand * length)(), ctypes.create_string_buffer(_VALUE * length)
        for index, name in enumerate(encoded):
            self.operands[index].name = name
            self.operands[index].data = ctypes.addressof(self.values) + index * _VALUE
        #: The operands as the argument of a function.
        self.argument = ctypes.c_void_p(ctypes.addressof(self.operands))
        self.words = memoryview(self.operands).cast("B").cast("P")

    @staticmethod
    def of(operands: dict[str, Any]) -> Memory:
        """Describes arrays of NumPy, and numbers."""
        memory = Memory(operands)
        for index, given in enumerate(operands.values()):
            if isinstance(given, np.ndarray):
                of_array(memory.operands[index], given)
            else:
                memory.set_number(index, given)
        return memory

    def copy(self) -> Memory:
        """The same operands, without the values of numbers and the addresses of elements."""
        operands = self.operands[: self._count]
        other = Memory(operand.name.decode() for operand in operands)
        for own, new in zip(operands, other.operands):
            new.element, new.rank, new.shape, new.strides = own.element, own.rank, own.shape, own.strides
        return other

    def __len__(self) -> int:
        return self._count

    def set_array(self, index: int, pointer: int) -> None:
        """Makes an operand an array of the library's."""
        word = index * WORDS
        self.words[word + ARRAY_WORD], self.words[word + KIND_WORD] = pointer, 0

    def set_number(self, index: int, number: Any) -> None:
        """Makes an operand, whose data has not been set, a number."""
        place = index * _VALUE
        if isinstance(number, float):
            kind = _FLOAT
            _set_float(self.values, place, number)
        elif isinstance(number, complex):
            kind = _COMPLEX
            _set_complex(self.values, place, number.real, number.imag)
        elif isinstance(number, bool):
            kind = _BOOL
            _set_bool(self.values, place, number)
        elif -(2**63) <= number < 2**63:
            kind = _INT
            _set_int(self.values, place, number)
        else:
            # Larger integers are real numbers.
            kind = _FLOAT
            _set_float(self.values, place, float(number))
        self.words[index * WORDS + KIND_WORD] = kind


def of_array(operand: Operand, array: np.ndarray) -> None:
    """Describes NumPy's elements."""
    size = array.itemsize
    operand.data, operand.element, operand.rank = address_of(array), CODES[array.dtype], array.ndim
    for axis, (extent, stride) in enumerate(zip(array.shape, array.strides)):
        operand.shape[axis], operand.strides[axis] = extent, stride // size


def is_readable(array: np.ndarray) -> bool:
    """True for elements that the library reads where they lie."""
    strides_fit = all(stride % array.itemsize == 0 for stride in array.strides)
    is_native = array.dtype.isnative and array.dtype in CODES
    return is_native and array.flags.aligned and strides_fit and array.ndim <= 8
