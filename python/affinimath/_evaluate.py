"""Text expressions of NumPy's arrays."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from . import _lazy
from ._array import Array, asarray, check_dtype, literal, made
from ._library import InvalidArgumentError

#: Names, but for those of methods and those that begin a call.
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*\b(?!\s*\()")
_COMMENT = re.compile(r"#[^\n]*")
_ASSIGNMENT = re.compile(r"(?<![=<>!])=(?!=)")
_LINE = re.compile(r"\(line (\d+),")
_NUMBERS = (bool, int, float, complex)
_MAX_CALLS = 64


def evaluate(text: str, names: Mapping[str, Any] | None = None, *, out: np.ndarray | None = None) -> Any:
    """Evaluates a text of arrays, such as ``"2.5*x + sin(y)"``, in few passes over memory.

    Operators, functions, slices and types mean what they mean in Python with NumPy. Numbers take the type of the arrays
    that they meet, so that float32 stays. Statements are separated by semicolons or lines, and later ones see what
    earlier ones assign. ``x[1:-1] = ...`` writes to the array x.

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
    known = calls.known.get(key) if key is not None else None
    if known is not None and (addresses := known.addresses(values, out)):
        return known.run(addresses, out)
    statements = _Statements.of(text)
    operands, before = {}, []
    for name, value in zip(calls.names, values):
        if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
            before.append(f"{name} = {literal(value)}")
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
            return _of_arrays(source, operands, out)
        return _of_numpy(source, statements, operands, out, calls, key)
    except InvalidArgumentError as error:
        if not before:
            raise
        message = _LINE.sub(lambda line: f"(line {int(line[1]) - 1},", str(error), count=1)
        raise InvalidArgumentError(message, error.status) from None


class _Call(NamedTuple):
    """A text for arrays of known types, shapes and strides, which are read and written where they are."""

    call: _lazy.Call
    #: Positions of the arrays among the values.
    positions: list[int]
    #: True if the arrays have several types, so that none may overlap another.
    is_mixed: bool
    dtype: np.dtype
    shape: tuple[int, ...]

    def addresses(self, values: list[Any], out: np.ndarray | None) -> list[int] | None:
        """Addresses of the arrays' first elements; None if some must be copied."""
        arrays = [values[position] for position in self.positions]
        if out is not None:
            arrays.append(out)
        found = [array.ctypes.data for array in arrays]
        if any(address % array.itemsize for address, array in zip(found, arrays)):
            return None
        if self.is_mixed and any(
            np.may_share_memory(array, other) for array, other in itertools.combinations(arrays, 2)
        ):
            return None
        return found

    def run(self, addresses: list[int], out: np.ndarray | None) -> np.ndarray:
        if out is None:
            out = np.empty(self.shape, self.dtype)
            addresses.append(out.ctypes.data)
        self.call.run(addresses)
        return out


class _Calls:
    """The operands' names of a text, and its last calls by the operands' types, shapes and strides."""

    def __init__(self, text: str) -> None:
        self.names = list(dict.fromkeys(_NAME.findall(_COMMENT.sub("", text))))
        self.known: dict[Any, _Call] = {}

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(text: str) -> _Calls:
        return _Calls(text)

    def key(self, values: list[Any], out: Any) -> Any:
        """What decides the call; None of one that is not kept."""
        parts: list[Any] = []
        for value in values:
            if type(value) is np.ndarray:
                parts.append((value.dtype, value.shape, value.strides))
            elif type(value) in _NUMBERS:
                parts.append(literal(value))
            elif isinstance(value, (np.ndarray, np.generic, Array, *_NUMBERS)):
                return None
            else:
                parts.append(None)
        if out is None:
            return tuple(parts)
        if type(out) is not np.ndarray:
            return None
        return (*parts, out.dtype, out.shape, out.strides, out.flags.writeable)

    def keep(self, key: Any, call: _Call) -> None:
        if len(self.known) >= _MAX_CALLS:
            self.known.clear()
        self.known[key] = call


class _Statements(NamedTuple):
    """The targets of a text's statements."""

    names: list[str]
    parts: set[str]
    is_open: bool
    has_value: bool

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(text: str) -> _Statements:
        names: list[str] = []
        parts: set[str] = set()
        has_value = is_open = False
        for statement, is_unclosed in _split(_COMMENT.sub("", text)):
            target, found, _ = _outside_brackets(statement).partition("=")
            is_open = is_unclosed
            has_value |= not found and bool(statement.strip())
            for name in target.split(",") if found else ():
                name, bracket, _ = name.strip().partition("[")
                if bracket:
                    parts.add(name.strip())
                else:
                    names.append(name)
        return _Statements(names, parts, is_open, has_value)

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


def _of_arrays(source: str, operands: dict[str, Any], out: np.ndarray | None) -> Array:
    if out is not None:
        raise TypeError("out receives values of NumPy's arrays, and an operand is an Array")
    device = next(value.device for value in operands.values() if isinstance(value, Array))
    handles = {name: asarray(value, device=device)._handle for name, value in operands.items()}
    return made(*_lazy.apply_named(source, handles)[-1])


def _of_numpy(
    source: str,
    statements: _Statements,
    operands: dict[str, Any],
    out: np.ndarray | None,
    calls: _Calls,
    key: Any,
) -> np.ndarray | None:
    arrays = {name: _readable(name, value, statements) for name, value in operands.items()}
    _separate(arrays, statements.parts)
    are_in_place = all(arrays[name] is value for name, value in operands.items())
    described = _lazy.value_of(source, arrays) if statements.has_value or statements.names else None
    if described is None:
        if out is not None:
            raise ValueError("out receives a value, and the text has none")
        _lazy.run(source, arrays)
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
            _lazy.run(source, {**arrays, "": result})
            out[...] = result
            return out
    arrays[""] = np.empty(shape, dtype) if out is None else out
    _separate(arrays, {*statements.parts, ""})
    are_in_place = are_in_place and all(arrays[name] is value for name, value in operands.items())
    _lazy.run(source, arrays)
    if are_in_place and key is not None and not statements.parts:
        positions = [position for position, part in enumerate(key) if isinstance(part, tuple)][: len(operands)]
        is_mixed = len({array.dtype for array in arrays.values()}) > 1
        calls.keep(key, _Call(_lazy.Call(source, arrays), positions, is_mixed, dtype, shape))
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
            raise ValueError(f"{name} is assigned, and a part of it: use two names")
        if not array.flags.writeable or array.dtype != kind or not _lazy.is_readable(array):
            raise ValueError(f"a part of {name} is assigned, which is read-only, not aligned or not native")
        return array
    if array.dtype != kind or not _lazy.is_readable(array):
        return np.require(np.array(array, kind, order="C"), requirements=["ALIGNED"])
    return array
