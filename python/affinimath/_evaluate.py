"""Text expressions of NumPy's arrays."""

from __future__ import annotations

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
    if names is None:
        frame = sys._getframe(1)
        names = {**frame.f_globals, **frame.f_locals}
    statements = _Statements.of(text)
    operands, before = {}, []
    for name in dict.fromkeys(_NAME.findall(_COMMENT.sub("", text))):
        value = names.get(name)
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
        return _of_numpy(source, statements, operands, out)
    except InvalidArgumentError as error:
        if not before:
            raise
        message = _LINE.sub(lambda line: f"(line {int(line[1]) - 1},", str(error), count=1)
        raise InvalidArgumentError(message, error.status) from None


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
    source: str, statements: _Statements, operands: dict[str, Any], out: np.ndarray | None
) -> np.ndarray | None:
    arrays = {name: _readable(name, value, statements) for name, value in operands.items()}
    _separate(arrays, statements.parts)
    described = _lazy.value_of(source, arrays) if statements.has_value or statements.names else None
    if described is None:
        if out is not None:
            raise ValueError("out receives a value, and the text has none")
        _lazy.run(source, arrays)
        return None
    dtype, shape = described
    if out is None:
        out = np.empty(shape, dtype)
        _lazy.run(source, {**arrays, "": out})
        return out
    if not isinstance(out, np.ndarray):
        raise TypeError("out is no array of NumPy")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if out.shape != shape or not np.can_cast(dtype, out.dtype, "same_kind"):
        raise ValueError(f"out is {out.dtype} of shape {out.shape}, and the value {dtype} of shape {shape}")
    if out.dtype == dtype and _lazy.is_readable(out):
        arrays[""] = out
        _separate(arrays, {*statements.parts, ""})
        _lazy.run(source, arrays)
        return out
    result = np.empty(shape, dtype)
    _lazy.run(source, {**arrays, "": result})
    out[...] = result
    return out


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
