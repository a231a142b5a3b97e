"""Text expressions of NumPy's arrays."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from . import _lazy
from ._array import Array, asarray, check_dtype, made
from ._library import InvalidArgumentError
from ._library import address as address_of
from ._operands import NUMBERS as _NUMBERS

#: Names, but for those of methods and those that begin a call.
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*\b(?!\s*\()")
_COMMENT = re.compile(r"#[^\n]*")
_ASSIGNMENT = re.compile(r"(?<![=<>!])=(?!=)")
_LINE = re.compile(r"\(line (\d+),")
_MAX_CALLS = 64
_ASSIGNED_TWICE = "{} is assigned, and a part of it: use two names"


def evaluate(text: str, names: Mapping[str, Any] | None = None, *, out: np.ndarray | None = None) -> Any:
    """Evaluates a text of arrays, such as ``"2.5*x + sin(y)"``, in few passes over memory.

    Operators, functions, slices and types mean what they mean in Python with NumPy. Numbers take the type of the arrays
    that they meet, so that float32 stays. Statements are separated by semicolons or lines, and later ones see what
    earlier ones assign. ``x[1:-1] = ...`` writes to the array x; later statements read its new elements.

    Parameters
    ----------
    text : str
        The text.
    names : mapping, optional
        Operands by name: arrays and numbers. By default the variables of the caller.
    out : numpy.ndarray, optional
        Receives the value, and is returned. It may be an operand.

    Returns
    -------
    numpy.ndarray, Array or None
        The value of the text: an `Array` where an operand is one, None of a text that writes to arrays alone.

    Raises
    ------
    InvalidArgumentError
        If the text is no expression, or an operation is not defined for the operands. The message shows the place.

    Examples
    --------
    >>> import numpy as np, affinimath as am
    >>> x, y = np.arange(4.0), np.ones(4)
    >>> am.evaluate("2*x + sqrt(y)")
    array([1., 3., 5., 7.])
    >>> am.evaluate("s = sum(y); x / s", {"x": x, "y": y})
    array([0.  , 0.25, 0.5 , 0.75])
    >>> am.evaluate("x[1:] = 0")
    >>> x
    array([0., 0., 0., 0.])
    """
    calls = _Calls.of(text)
    if names is None:
        frame = sys._getframe(1)
        local, outer = frame.f_locals, frame.f_globals
        values = [local[name] if name in local else outer.get(name) for name in calls.names]
    else:
        values = [names.get(name) for name in calls.names]
    key = calls.key(values, out)
    known = calls.known.get(key)
    if known is not None:
        result = known.run(values, out)
        if result is not _COPIES:
            return result
    return _evaluated(text, calls, values, out, key)


def _evaluated(text: str, calls: _Calls, values: list[Any], out: np.ndarray | None, key: Any) -> Any:
    """The value of a text, whose call with these operands is kept if it may be."""
    statements = _Statements.of(text)
    operands: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    before = []
    for name, value in zip(calls.names, values):
        if isinstance(value, _NUMBERS) and not isinstance(value, np.generic):
            numbers[name] = value
        elif isinstance(value, (Array, np.ndarray, np.generic)):
            other = name
            if name in statements.names and name not in statements.parts:
                # The text's name is another variable then: the caller's array does not change.
                other = f"{name}__operand"
                before.append(f"{name} = {other}")
            operands[other] = value
    source = statements.with_value(text)
    if before:
        # A line of its own, so that errors show the line as the caller wrote it.
        source = f"{'; '.join(before)}\n{source}"
    try:
        if any(isinstance(value, Array) for value in operands.values()):
            return _of_arrays(source, statements, operands, numbers, out)
        return _of_numpy(source, statements, operands, numbers, out, (calls, values, key))
    except InvalidArgumentError as error:
        if not before:
            raise
        message = _LINE.sub(lambda line: f"(line {int(line[1]) - 1},", str(error), count=1)
        raise InvalidArgumentError(message, error.status) from None


#: The result of a call whose arrays must be copied.
_COPIES: Any = object()


class _Call:
    """A text for arrays of known types, shapes and strides, which are read and written where they are."""

    __slots__ = ("_call", "_dtype", "_is_mixed", "_numbers", "_places", "_shape", "_spans")

    def __init__(self, source: str, arrays: dict[str, np.ndarray], numbers: dict[str, Any], values: list[Any]) -> None:
        """`arrays` end with the one that receives the value, if any. The others, and numbers, are among the values."""
        value = arrays.get("")
        self._call = _lazy.Call(source, {**arrays, **numbers})
        self._dtype = None if value is None else value.dtype
        self._shape = () if value is None else value.shape
        positions = [index for index, given in enumerate(values) if isinstance(given, np.ndarray)]
        self._places = [(place, array.itemsize - 1) for place, array in zip([*positions, -1], arrays.values())]
        self._numbers = [index for index, given in enumerate(values) if isinstance(given, _NUMBERS)]
        # Arrays of several types may not overlap.
        self._is_mixed = len({array.dtype for array in arrays.values()}) > 1
        self._spans = [_span(array) for array in arrays.values()]

    def run(self, values: list[Any], out: np.ndarray | None) -> Any:
        """The value, if the text has one."""
        if self._dtype is not None:
            if out is None:
                out = np.empty(self._shape, self._dtype)
            values.append(out)
        addresses = []
        for place, low_bits in self._places:
            address = address_of(values[place])
            if address & low_bits:
                break
            addresses.append(address)
        else:
            if not (self._is_mixed and self._overlap(addresses)):
                self._call.run(addresses, [values[place] for place in self._numbers] if self._numbers else [])
                return out
        if self._dtype is not None:
            values.pop()
        return _COPIES

    def _overlap(self, addresses: list[int]) -> bool:
        ranges = sorted((address + first, address + end) for address, (first, end) in zip(addresses, self._spans))
        return any(end > first for (_, end), (first, _) in zip(ranges, ranges[1:]))


def _span(array: np.ndarray) -> tuple[int, int]:
    """Bytes from the first element to the lowest one, and behind the highest one."""
    if array.size == 0:
        return 0, 0
    reach = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)]
    return sum(min(step, 0) for step in reach), sum(max(step, 0) for step in reach) + array.itemsize


class _Calls:
    """The operands' names of a text, and its last calls by the operands' types, shapes and strides."""

    def __init__(self, text: str) -> None:
        self.names = list(dict.fromkeys(_NAME.findall(_COMMENT.sub("", text))))
        self._writes = bool(_Statements.of(text).parts)
        self.known: dict[Any, _Call] = {}

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(text: str) -> _Calls:
        return _Calls(text)

    def key(self, values: list[Any], out: Any) -> Any:
        """What decides the call; None of one that is not kept."""
        parts: list[Any] = []
        for value in values:
            kind = type(value)
            if kind is np.ndarray:
                parts += (value.dtype, value.shape, value.strides)
                if self._writes:
                    parts.append(value.flags.writeable)
            elif kind in _NUMBERS:
                # Whole numbers may be bounds and extents, on which the shape depends.
                parts.append(kind if kind is float or kind is complex else (kind, value))
            elif isinstance(value, (np.ndarray, np.generic, Array, *_NUMBERS)):
                return None
            else:
                parts.append(None)
        if out is not None:
            if type(out) is not np.ndarray:
                return None
            parts += (out.dtype, out.shape, out.strides, out.flags.writeable)
        return tuple(parts)

    def keep(self, key: Any, call: _Call) -> None:
        if len(self.known) >= _MAX_CALLS:
            self.known.clear()
        self.known[key] = call


class _Statements(NamedTuple):
    """The targets of a text's statements."""

    names: list[str]
    #: Operands of which parts are assigned, in the order of the first assignments.
    parts: list[str]
    is_open: bool
    has_value: bool

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(text: str) -> _Statements:
        names: list[str] = []
        parts: list[str] = []
        has_value = is_open = False
        for statement, is_unclosed in _split(_COMMENT.sub("", text)):
            target, found, _ = _outside_brackets(statement).partition("=")
            is_open = is_unclosed
            has_value |= not found and bool(statement.strip())
            for name in target.split(",") if found else ():
                name, bracket, _ = name.strip().partition("[")
                if bracket:
                    parts.append(name.strip())
                else:
                    names.append(name)
        return _Statements(names, list(dict.fromkeys(parts)), is_open, has_value)

    def with_value(self, text: str) -> str:
        """The text; without a value of its own, the name that it assigns last is its value."""
        is_name = bool(self.names) and self.names[-1].isidentifier()
        return text if self.has_value or self.is_open or not is_name else f"{text}\n{self.names[-1]}"


def _split(text: str) -> Iterator[tuple[str, bool]]:
    """Statements, and True for one whose brackets are not closed."""
    depth = start = 0
    for index, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth = max(depth - 1, 0)
        elif character == ";" or (character == "\n" and depth == 0):
            yield text[start:index], depth > 0
            start = index + 1
    yield text[start:], depth > 0


def _outside_brackets(statement: str) -> str:
    """The statement up to its assignment, without what brackets enclose, and an equals sign where it assigns."""
    depth = 0
    kept: list[str] = []
    for index, character in enumerate(statement):
        depth -= character in ")]"
        if depth == 0:
            if character == "=" and _ASSIGNMENT.match(statement, index):
                return "".join([*kept, "="])
            kept.append(" " if character == "=" else character)
        depth += character in "(["
    return "".join(kept)


def _of_arrays(
    source: str,
    statements: _Statements,
    operands: dict[str, Any],
    numbers: dict[str, Any],
    out: np.ndarray | None,
) -> Array | None:
    if out is not None:
        raise TypeError("out receives values of NumPy's arrays, and an operand is an Array")
    for name in statements.parts:
        if name in statements.names:
            raise ValueError(_ASSIGNED_TWICE.format(name))
        value = operands.get(name)
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.flags.writeable):
            raise ValueError(f"a part of {name} is assigned, which is read-only")
    device = next(value.device for value in operands.values() if isinstance(value, Array))
    handles = {name: asarray(value, device=device)._handle for name, value in operands.items()}
    results = [made(*result) for result in _lazy.apply_named(source, {**handles, **numbers})]
    # Behind the others are the operands with new elements in their parts.
    first = len(results) - len(statements.parts)
    for name, result in zip(statements.parts, results[first:]):
        value = operands[name]
        if isinstance(value, Array):
            value._handle = result._handle
        else:
            value[...] = result.numpy()
    return results[first - 1] if statements.has_value or statements.names else None


def _of_numpy(
    source: str,
    statements: _Statements,
    operands: dict[str, Any],
    numbers: dict[str, Any],
    out: np.ndarray | None,
    call: tuple[_Calls, list[Any], Any],
) -> np.ndarray | None:
    calls, values, key = call
    arrays = {name: _readable(name, value, statements) for name, value in operands.items()}
    _separate(arrays, set(statements.parts))
    are_in_place = all(arrays[name] is value for name, value in operands.items())
    described = _lazy.value_of(source, {**arrays, **numbers}) if statements.has_value or statements.names else None
    if described is None:
        if out is not None:
            raise ValueError("out receives a value, and the text has none")
        _lazy.run(source, {**arrays, **numbers})
        if are_in_place and key is not None:
            calls.keep(key, _Call(source, arrays, numbers, values))
        return None
    dtype, shape = described
    if out is not None:
        if not isinstance(out, np.ndarray):
            raise TypeError("out is no array of NumPy")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        if out.shape != shape or not np.can_cast(dtype, out.dtype, "same_kind"):
            raise ValueError(f"out is {out.dtype} of shape {out.shape}, and the value {dtype} of shape {shape}")
        if out.dtype != dtype or not _lazy.is_readable(out):
            result = np.empty(shape, dtype)
            _lazy.run(source, {**arrays, "": result, **numbers})
            out[...] = result
            return out
    arrays[""] = np.empty(shape, dtype) if out is None else out
    _separate(arrays, {*statements.parts, ""})
    are_in_place = are_in_place and all(arrays[name] is value for name, value in operands.items())
    _lazy.run(source, {**arrays, **numbers})
    if are_in_place and key is not None:
        calls.keep(key, _Call(source, arrays, numbers, values))
    return arrays[""]


def _separate(arrays: dict[str, np.ndarray], written: set[str]) -> None:
    """Copies operands that overlap others of another type, or at addresses between theirs.

    The library evaluates overlapping operands as elements of one memory. Those that are written stay where they are.
    """
    names = sorted(arrays, key=lambda name: name not in written)
    for position, name in enumerate(names):
        array = arrays[name]
        for other in names[:position] if name not in written else ():
            first = arrays[other]
            is_apart = not np.may_share_memory(array, first)
            if not is_apart and (array.dtype != first.dtype or _distance(array, first) % array.itemsize):
                arrays[name] = array = array.copy()


def _distance(a: np.ndarray, b: np.ndarray) -> int:
    """Bytes between the first elements."""
    return int(a.ctypes.data) - int(b.ctypes.data)


def _readable(name: str, value: Any, statements: _Statements) -> np.ndarray:
    """The elements where they lie, if the library can read them there, else a copy."""
    array = np.asarray(value)
    kind = check_dtype(array.dtype)
    if array.ndim > 8:
        raise ValueError(f"{name} has {array.ndim} axes; there are 8 at most")
    if name in statements.parts:
        if name in statements.names:
            raise ValueError(_ASSIGNED_TWICE.format(name))
        if not array.flags.writeable or array.dtype != kind or not _lazy.is_readable(array):
            raise ValueError(f"a part of {name} is assigned, which is read-only, not aligned or not native")
        return array
    if array.dtype != kind or not _lazy.is_readable(array):
        return np.require(np.array(array, kind, order="C"), requirements=["ALIGNED"])
    return array
