"""The C library's arrays and text expressions by ctypes."""

from __future__ import annotations

import ctypes
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from ._library import InvalidArgumentError, check, library
from ._library import address as address_of
from ._operands import (
    ARRAY_WORD,
    CODES,
    DATA_WORD,
    DTYPES,
    KIND_WORD,
    KINDS,
    RESULT_WORDS,
    WORDS,
    Memory,
    Number,
    Operand,
    Result,
    is_readable,
    of_array,
)

__all__ = ["CODES", "Operand", "is_readable", "of_array"]

_MAX_TEXTS = 1024
_CHOSEN_DEVICE, _HOST = -2, -1

_P = ctypes.c_void_p
for _name, _arguments in {
    "ArrayCreate": [ctypes.POINTER(Operand), ctypes.c_int64, _P],
    "ArrayDownload": [_P, _P],
    "ArrayEvaluate": [_P],
    "ArrayEvaluateAll": [ctypes.c_int64, _P],
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
_run, _evaluate = library.affinimathExpressionRun, library.affinimathArrayEvaluate


class Handle:
    """An array that the C library holds."""

    __slots__ = ("pointer",)

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        _destroy(self.pointer)


#: An operand of `apply`.
Given = Union[Handle, Number]


#: Functions with a list of up to three results.
_LISTS = re.compile(r"\b(?:lu|qr|eigh|svd)\s*\(")


class Text:
    """A parsed text, and a bound on the number of its results."""

    __slots__ = ("frames", "limit", "pointer")

    def __init__(self, text: str) -> None:
        pointer = ctypes.c_void_p()
        check(library.affinimathExpressionCreate(text.encode(), ctypes.byref(pointer)))
        self.pointer = pointer
        # Each result has a statement or is an item of a list, such as one of factors.
        self.limit = 1 + sum(map(text.count, ";\n,")) + 2 * len(_LISTS.findall(text))
        #: Frames that no call uses, by the names of operands.
        self.frames: dict[tuple[str, ...], list[_Frame]] = {}

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
_Described = tuple[Handle, np.dtype, tuple[int, ...]]
#: Small counts as arguments: ctypes takes longer to convert Python's integers.
_COUNTS = [ctypes.c_int64(count) for count in range(_MAX_RESULTS + 1)]


class _Frame(Memory):
    """Memory of a call that makes arrays: operands and results."""

    __slots__ = ("count", "described", "made", "results")

    def __init__(self, names: Sequence[str], limit: int) -> None:
        super().__init__(names)
        results, self.count = (Result * limit)(), ctypes.c_int64()
        #: The results as words.
        self.described = memoryview(results).cast("B").cast("q")
        #: Arguments of the function: results, and their number.
        self.results, self.made = (ctypes.c_void_p(ctypes.addressof(part)) for part in (results, self.count))

    def set(self, operands: Sequence[Given]) -> None:
        """Sets the operands of a call."""
        words, word = self.words, 0
        for index, operand in enumerate(operands):
            if type(operand) is Handle:
                words[word + ARRAY_WORD], words[word + KIND_WORD] = operand.pointer, 0
            else:
                self.set_number(index, operand)
            word += WORDS

    def result(self, index: int) -> _Described:
        """A result of a call."""
        results, word = self.described, index * RESULT_WORDS
        dtype, rank = KINDS[results[word + 1]]
        if rank == 1:
            return Handle(results[word]), dtype, (results[word + 2],)
        return Handle(results[word]), dtype, tuple(results[word + 2 : word + 2 + rank])


#: Frames for operands called x0, x1, ... that no call uses. A call takes one and puts it back, so that threads and
#: signal handlers have their own.
_frames: list[_Frame] = []


def apply_named(source: str, operands: dict[str, Given]) -> list[_Described]:
    """The results of a text for operands by name."""
    # The local reference keeps the text while other threads drop it from the cache.
    parsed, names = text(source), tuple(operands)
    frames = parsed.frames.setdefault(names, [])
    try:
        frame = frames.pop()
    except IndexError:
        frame = _Frame(names, parsed.limit)
    results = _applied(parsed, frame, list(operands.values()))
    frames.append(frame)
    return results


#: The place in a text, which the user of an operator has not written.
_PLACE = re.compile(r"^text: |\s+\(line \d+, column \d+\)\n.*", re.DOTALL)


def apply(source: str, operands: Sequence[Given]) -> list[_Described]:
    """The results of a text whose operands are called x0, x1, ... Errors do not show the text."""
    parsed = _texts.get(source) or text(source)
    try:
        if len(operands) > _MAX_OPERANDS or parsed.limit > _MAX_RESULTS:
            return _applied(parsed, _Frame([f"x{index}" for index in range(len(operands))], parsed.limit), operands)
        try:
            frame = _frames.pop()
        except IndexError:
            frame = _Frame([f"x{index}" for index in range(_MAX_OPERANDS)], _MAX_RESULTS)
        results = _applied(parsed, frame, operands)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(_PLACE.sub("", str(error)), error.status) from None
    _frames.append(frame)
    return results


_ONE, _TWO = _COUNTS[1], _COUNTS[2]
_SECOND_ARRAY, _SECOND_KIND = WORDS + ARRAY_WORD, WORDS + KIND_WORD


def apply_pair(source: str, x0: Handle, x1: Given) -> _Described:
    """The result of a text with one result and two operands, as `apply` has it: operators take this way."""
    try:
        parsed, frame = _texts[source], _frames.pop()
    except LookupError:
        return apply(source, (x0, x1))[0]
    words = frame.words
    words[ARRAY_WORD], words[KIND_WORD] = x0.pointer, 0
    if type(x1) is Handle:
        words[_SECOND_ARRAY], words[_SECOND_KIND] = x1.pointer, 0
    else:
        frame.set_number(1, x1)
    if _apply(parsed.pointer, _TWO, frame.argument, _ONE, frame.results, frame.made):
        # Once more, for the error without the text.
        return apply(source, (x0, x1))[0]
    results = frame.described
    dtype, rank = KINDS[results[1]]
    shape = (results[2],) if rank == 1 else tuple(results[2 : 2 + rank])
    handle = Handle(results[0])
    _frames.append(frame)
    return handle, dtype, shape


def _applied(parsed: Text, frame: _Frame, operands: Sequence[Given]) -> list[_Described]:
    frame.set(operands)
    count, limit = len(operands), parsed.limit
    is_small = count <= _MAX_RESULTS and limit <= _MAX_RESULTS
    counts: Any = (_COUNTS[count], _COUNTS[limit]) if is_small else (count, limit)
    status = _apply(parsed.pointer, counts[0], frame.argument, counts[1], frame.results, frame.made)
    if status:
        check(status)
    if limit == 1:
        return [frame.result(0)]
    return [frame.result(index) for index in range(frame.count.value)]


#: Operands of `run`.
Operands = dict[str, Union[np.ndarray, Number]]


def value_of(source: str, operands: Operands) -> tuple[np.dtype, tuple[int, ...]] | None:
    """The type and the shape of a text's value for operands in NumPy's memory; None where it has no value."""
    # The local reference keeps the text while other threads drop it from the cache.
    parsed, memory, result = text(source), Memory.of(operands), Result()
    check(library.affinimathExpressionValue(parsed.pointer, len(memory), memory.argument, ctypes.byref(result)))
    return None if result.rank < 0 else (DTYPES[result.element], tuple(result.shape[: result.rank]))


def run(source: str, operands: Operands) -> None:
    """Evaluates a text for operands in NumPy's memory; the one without a name receives its value."""
    parsed, memory = text(source), Memory.of(operands)
    check(_run(parsed.pointer, len(memory), memory.argument))


class Call:
    """A text for operands of known types, shapes and strides in NumPy's memory: addresses and numbers alone are new."""

    __slots__ = ("_count", "_frames", "_memory", "_parsed")

    def __init__(self, source: str, operands: Operands) -> None:
        """Numbers come after the arrays."""
        self._parsed, self._count = text(source), ctypes.c_int64(len(operands))
        self._memory = Memory.of(operands)
        #: Copies that no call uses.
        self._frames: list[Memory] = []

    def run(self, addresses: list[int], numbers: list[Number]) -> None:
        """Evaluates the text, for the arrays' first elements and the numbers in their order."""
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = self._memory.copy()
        words, word = frame.words, DATA_WORD
        for address in addresses:
            words[word] = address
            word += WORDS
        if numbers:
            for index, number in enumerate(numbers, len(addresses)):
                frame.set_number(index, number)
        status = _run(self._parsed.pointer, self._count, frame.argument)
        if status:
            check(status)
        self._frames.append(frame)


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
    status = _evaluate(handle.pointer)
    if status:
        check(status)


def evaluate_all(handles: Sequence[Handle]) -> None:
    """Evaluates expressions of one device together: what they share is computed once."""
    memory = Memory([""] * len(handles))
    for index, handle in enumerate(handles):
        memory.set_array(index, handle.pointer)
    check(library.affinimathArrayEvaluateAll(len(memory), memory.argument))


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
