"""The C library's arrays and text expressions by ctypes."""

from __future__ import annotations

import ctypes
import re
import struct
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._library import InvalidArgumentError, check, library
from ._library import address as address_of

#: Codes of element types.
CODES = {
    np.dtype(name): code
    for code, name in enumerate(
        ("bool", "uint8", "int32", "uint32", "int64", "float32", "float64", "complex64", "complex128"), 501
    )
}
DTYPES = {code: dtype for dtype, code in CODES.items()}
_MAX_TEXTS = 1024
_CHOSEN_DEVICE, _HOST = -2, -1
_ADDRESS = struct.Struct("P")


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


class _Result(ctypes.Structure):
    """affinimath_array_result."""

    _fields_ = [
        ("array", ctypes.c_void_p),
        ("element", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("shape", ctypes.c_int64 * 8),
    ]


_P = ctypes.c_void_p
for _name, _arguments in {
    "ArrayCreate": [ctypes.POINTER(Operand), ctypes.c_int64, _P],
    "ArrayDownload": [_P, _P],
    "ArrayEvaluate": [_P],
    "ArrayDevice": [_P, _P],
    "ArrayDestroy": [_P],
    "ExpressionCreate": [ctypes.c_char_p, _P],
    "ExpressionApply": [_P, ctypes.c_int64, _P, ctypes.c_int64, _P, _P],
    "ExpressionValue": [_P, ctypes.c_int64, _P, _P],
    "ExpressionRun": [_P, ctypes.c_int64, _P],
    "ExpressionDestroy": [_P],
}.items():
    getattr(library, f"affinimath{_name}").argtypes = _arguments

_apply, _destroy = library.affinimathExpressionApply, library.affinimathArrayDestroy
_run = library.affinimathExpressionRun


class Handle:
    """An array that the C library holds."""

    __slots__ = ("pointer",)

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        _destroy(self.pointer)


class Text:
    """A parsed text, and a bound on the number of its results."""

    __slots__ = ("limit", "pointer")

    def __init__(self, text: str) -> None:
        pointer = ctypes.c_void_p()
        check(library.affinimathExpressionCreate(text.encode(), ctypes.byref(pointer)))
        self.pointer = pointer.value
        # Each result has a statement or is an item of a list, such as one of factors.
        self.limit = 1 + sum(map(text.count, ";\n,")) + 2 * sum(map(text.count, ("lu(", "qr(")))

    def __del__(self) -> None:
        pointer = getattr(self, "pointer", None)
        if pointer is not None:
            library.affinimathExpressionDestroy(pointer)


_texts: OrderedDict[str, Text] = OrderedDict()
_lock = threading.Lock()


def text(source: str) -> Text:
    """The parsed text; the last ones are kept."""
    found = _texts.get(source)
    if found is not None:
        return found
    parsed = Text(source)
    with _lock:
        _texts[source] = parsed
        if len(_texts) > _MAX_TEXTS:
            _texts.popitem(last=False)
    return parsed


_MAX_OPERANDS, _MAX_RESULTS = 8, 16
_RESULT = struct.Struct("@Pii8q")
_Described = tuple[Handle, np.dtype, tuple[int, ...]]


class _Frame:
    """Memory of a call: operands called x0, x1, ..., and results."""

    __slots__ = ("made", "made_address", "memory", "operands", "operands_address", "results_address", "views")

    def __init__(self, operands: int = _MAX_OPERANDS, results: int = _MAX_RESULTS) -> None:
        self.operands = (Operand * operands)()
        self.views = list(self.operands)
        for index, view in enumerate(self.views):
            view.name = f"x{index}".encode()
        self.memory, self.made = (_Result * results)(), ctypes.c_int64()
        self.operands_address, self.results_address = ctypes.addressof(self.operands), ctypes.addressof(self.memory)
        self.made_address = ctypes.addressof(self.made)


#: Frames that no call uses. A call takes one and puts it back, so that threads and signal handlers have their own.
_frames: list[_Frame] = []


def apply_named(source: str, handles: dict[str, Handle]) -> list[_Described]:
    """The results of a text for operands by name."""
    parsed = text(source)
    frame = _Frame(len(handles), parsed.limit)
    for view, name in zip(frame.views, handles):
        view.name = name.encode()
    return _applied(parsed, frame, list(handles.values()))


#: The place in a text, which the user of an operator has not written.
_PLACE = re.compile(r"^text: |\s+\(line \d+, column \d+\)\n.*", re.DOTALL)


def apply(source: str, handles: Sequence[Handle]) -> list[_Described]:
    """The results of a text whose operands are called x0, x1, ... Errors do not show the text."""
    # The local reference keeps the text while other threads drop it from the cache.
    parsed = _texts.get(source) or text(source)
    try:
        if len(handles) > _MAX_OPERANDS or parsed.limit > _MAX_RESULTS:
            return _applied(parsed, _Frame(len(handles), parsed.limit), handles)
        try:
            frame = _frames.pop()
        except IndexError:
            frame = _Frame()
        results = _applied(parsed, frame, handles)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(_PLACE.sub("", str(error)), error.status) from None
    _frames.append(frame)
    return results


def _applied(parsed: Text, frame: _Frame, handles: Sequence[Handle]) -> list[_Described]:
    for view, handle in zip(frame.views, handles):
        view.array = handle.pointer
    results, limit = frame.results_address, parsed.limit
    status = _apply(parsed.pointer, len(handles), frame.operands_address, limit, results, frame.made_address)
    if status:
        check(status)
    if limit == 1:
        pointer, element, rank, *shape = _RESULT.unpack_from(frame.memory)
        return [(Handle(pointer), DTYPES[element], tuple(shape[:rank]))]
    described = []
    for index in range(frame.made.value):
        pointer, element, rank, *shape = _RESULT.unpack_from(frame.memory, index * _RESULT.size)
        described.append((Handle(pointer), DTYPES[element], tuple(shape[:rank])))
    return described


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


def _described(operands: dict[str, np.ndarray]) -> Any:
    described = (Operand * len(operands))()
    for operand, (name, array) in zip(described, operands.items()):
        operand.name = name.encode()
        of_array(operand, array)
    return described


def value_of(source: str, operands: dict[str, np.ndarray]) -> tuple[np.dtype, tuple[int, ...]] | None:
    """The type and the shape of a text's value for operands in NumPy's memory; None where it has no value."""
    # The local reference keeps the text while other threads drop it from the cache.
    parsed, result = text(source), _Result()
    described = _described(operands)
    check(library.affinimathExpressionValue(parsed.pointer, len(described), described, ctypes.byref(result)))
    return None if result.rank < 0 else (DTYPES[result.element], tuple(result.shape[: result.rank]))


def run(source: str, operands: dict[str, np.ndarray]) -> None:
    """Evaluates a text for operands in NumPy's memory; the one without a name receives its value."""
    parsed, described = text(source), _described(operands)
    check(_run(parsed.pointer, len(described), described))


class Call:
    """A text for operands of known types, shapes and strides in NumPy's memory: addresses alone are new."""

    __slots__ = ("_described", "_parsed", "_places", "_template")

    def __init__(self, source: str, operands: dict[str, np.ndarray]) -> None:
        self._parsed = text(source)
        # The names that the template points to live as long as this.
        self._described = _described(operands)
        self._template = bytes(self._described)
        size = ctypes.sizeof(Operand)
        self._places = [index * size + Operand.data.offset for index in range(len(operands))]

    def run(self, addresses: list[int]) -> None:
        """Evaluates the text, for the operands' first elements in their order."""
        operands = bytearray(self._template)
        for place, address in zip(self._places, addresses):
            _ADDRESS.pack_into(operands, place, address)
        check(_run(self._parsed.pointer, len(addresses), bytes(operands)))


def upload(array: np.ndarray, device: Any = None) -> Handle:
    """A copy of NumPy's elements on a device."""
    operand, pointer = Operand(), ctypes.c_void_p()
    of_array(operand, array)
    check(library.affinimathArrayCreate(ctypes.byref(operand), number_of(device), ctypes.byref(pointer)))
    return Handle(pointer.value or 0)


def number_of(device: Any) -> int:
    if device is None:
        return _CHOSEN_DEVICE
    if isinstance(device, str):
        from ._device import device_names

        known = device_names()
        if device == "host":
            return _HOST
        if device not in known:
            raise ValueError(f"no device is called {device!r}; there are {['host', *known]}")
        return known.index(device)
    return int(device)


def download(handle: Handle, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """The elements in memory of NumPy's."""
    array = np.empty(shape, dtype)
    check(library.affinimathArrayDownload(handle.pointer, address_of(array)))
    return array


def evaluate(handle: Handle) -> None:
    """Evaluates an expression."""
    check(library.affinimathArrayEvaluate(handle.pointer))


def device_index(handle: Handle) -> int:
    """The number of the device, -1 for the host."""
    index = ctypes.c_int64()
    check(library.affinimathArrayDevice(handle.pointer, ctypes.byref(index)))
    return index.value


def device(handle: Handle) -> str:
    """The name of the device, or 'host'."""
    index = device_index(handle)
    if index < 0:
        return "host"
    from ._device import device_names

    return device_names()[index]
