"""Text expressions of NumPy's arrays."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _lazy
from ._array import Array, asarray, check_dtype, literal

_NAME = re.compile(r"[A-Za-z_]\w*")


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
    operands, numbers = {}, []
    for name in dict.fromkeys(_NAME.findall(text)):
        value = names.get(name)
        if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
            numbers.append(f"{name} = {literal(value)}; ")
        elif isinstance(value, (Array, np.ndarray, np.generic)):
            operands[name] = value
    source = "".join(numbers) + text
    if any(isinstance(value, Array) for value in operands.values()):
        return _of_arrays(source, operands, out)
    return _of_numpy(source, text, operands, out)


def _of_arrays(source: str, operands: dict[str, Any], out: np.ndarray | None) -> Array:
    if out is not None:
        raise TypeError("out receives values of NumPy's arrays, and an operand is an Array")
    device = next(value.device for value in operands.values() if isinstance(value, Array))
    handles = {name: asarray(value, device=device)._handle for name, value in operands.items()}
    return Array._of(*_lazy.apply_named(source, handles)[-1])


def _of_numpy(source: str, text: str, operands: dict[str, Any], out: np.ndarray | None) -> np.ndarray | None:
    arrays = {name: _readable(name, value, text) for name, value in operands.items()}
    described = _lazy.value_of(source, arrays)
    if described is None:
        if out is not None:
            raise ValueError("out receives a value, and the text has none")
        _lazy.run(source, arrays)
        return None
    dtype, shape = described
    result = np.empty(shape, dtype) if out is None else out
    if out is not None:
        if not isinstance(out, np.ndarray) or not out.flags.writeable:
            raise ValueError("out is no array that can be written")
        if out.shape != shape or not np.can_cast(dtype, out.dtype, "same_kind"):
            raise ValueError(f"out is {out.dtype} of shape {out.shape}, and the value {dtype} of shape {shape}")
    if out is None or (out.dtype == dtype and _lazy.is_readable(out)):
        _lazy.run(source, {**arrays, "": result})
        return result
    result = np.empty(shape, dtype)
    _lazy.run(source, {**arrays, "": result})
    out[...] = result
    return out


def _readable(name: str, value: Any, text: str) -> np.ndarray:
    """The elements where they lie, if the library can read them there, else a copy."""
    array = np.asarray(value)
    kind = check_dtype(array.dtype)
    is_written = re.search(rf"\b{name}\s*\[[^=]*\]\s*=(?!=)", text) is not None
    is_assigned = re.search(rf"\b{name}\s*=(?!=)", text) is not None
    if is_written:
        if not array.flags.writeable or array.dtype != kind or not _lazy.is_readable(array):
            raise ValueError(f"a part of {name} is assigned, which is read-only, not aligned or not native")
        return array
    if is_assigned or array.dtype != kind or not _lazy.is_readable(array):
        return np.array(array, kind, order="C")
    return array
