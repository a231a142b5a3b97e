"""NumPy's arrays in place of arrays, and back."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .. import _lazy
from .calls import Base, asarray


def to_numpy(value: Any) -> Any:
    """The value with arrays of NumPy in place of arrays, also within lists, tuples and dicts."""
    if isinstance(value, Base):
        return value.numpy()
    if isinstance(value, dict):
        return {key: to_numpy(part) for key, part in value.items()}
    return type(value)(map(to_numpy, value)) if type(value) in (list, tuple) else value


def to_arrays(value: Any, device: Any) -> Any:
    """The value with arrays on a device in place of NumPy's, also within lists and tuples."""
    if isinstance(value, (np.ndarray, np.generic)):
        return asarray(value, device=device) if value.dtype.newbyteorder("=") in _lazy.CODES else value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[to_arrays(part, device) for part in value])
    return type(value)(to_arrays(part, device) for part in value) if type(value) in (list, tuple) else value


def first_device(values: Any) -> str | None:
    """The device of the first array, also within lists, tuples and dicts; None without one."""
    for value in values:
        if isinstance(value, Base):
            return value.device
        if type(value) in (list, tuple):
            found = first_device(value)
            if found is not None:
                return found
    return None


def on_host(function: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """The result of a function of NumPy's arrays, on the device of the first array."""
    device = first_device((*operands, *options.values()))
    with np.errstate(all="ignore"):
        result = function(*to_numpy(operands), **to_numpy(options))
    return to_arrays(result, device)
