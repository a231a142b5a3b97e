"""Routines of NumPy's arrays that also take an `Array`, and give one then."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Callable, TypeVar, overload

import numpy as np

from ._array import Array
from ._array.host import first_device, to_arrays, to_numpy
from ._factorizations import Cholesky
from ._lu import Factors

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    _P = ParamSpec("_P")
_T = TypeVar("_T")

#: Arguments of a list that are looked at.
_MAX_LOOKED_AT = 64


def _has_array(values: Any) -> bool:
    for value in values:
        kind = type(value)
        if kind is Array or ((kind is list or kind is tuple) and _has_array(value[:_MAX_LOOKED_AT])):
            return True
    return False


@overload
def takes_arrays(
    function: Callable[_P, np.ndarray], on_arrays: Callable[..., Any] | None = None
) -> Callable[_P, Any]: ...
@overload
def takes_arrays(function: Callable[_P, _T], on_arrays: Callable[..., Any] | None = None) -> Callable[_P, _T]: ...
def takes_arrays(function: Callable[..., Any], on_arrays: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A routine of NumPy's arrays that gives arrays where an argument is one, also within a list.

    Another routine of the same arguments may compute these where they lie; it returns NotImplemented for arguments that
    it does not know. Without one, and then, elements go to the host and results back to the device.
    """

    @wraps(function)
    def routine(*arguments: Any, **options: Any) -> Any:
        # Without a call of another function: most arguments are NumPy's arrays.
        for value in arguments:
            kind = type(value)
            if kind is Array or ((kind is list or kind is tuple) and _has_array(value[:_MAX_LOOKED_AT])):
                break
        else:
            if not options or not _has_array(options.values()):
                return function(*arguments, **options)
        if on_arrays is not None:
            result = on_arrays(*arguments, **options)
            if result is not NotImplemented:
                return result
        if isinstance(options.get("out"), Array):
            raise TypeError("out is an array of NumPy, not an Array")
        device = first_device((*arguments, *options.values()))
        return _on_device(function(*to_numpy(arguments), **to_numpy(options)), device)

    return routine


def on_device(on_arrays: Callable[..., Any]) -> Callable[[Callable[_P, _T]], Callable[_P, Any]]:
    """The decorator `takes_arrays` with a routine for arrays where they lie."""

    def decorated(function: Callable[_P, _T]) -> Callable[_P, Any]:
        return takes_arrays(function, on_arrays)

    return decorated


def _on_device(result: Any, device: Any) -> Any:
    """A result with arrays on a device in place of NumPy's."""
    if isinstance(result, (Factors, Cholesky)):
        return FactorsOfArrays(result, device)
    if isinstance(result, tuple) and type(result) is not tuple and not hasattr(result, "_fields"):
        # A tuple with attributes: a solution of an iteration.
        made = tuple.__new__(type(result), [_on_device(part, device) for part in result])
        made.__dict__.update({name: to_arrays(value, device) for name, value in vars(result).items()})
        return made
    return to_arrays(result, device)


class FactorsOfArrays:
    """Factors whose parts, and results of whose methods, are arrays on a device. The factors lie on the host."""

    def __init__(self, factors: Any, device: Any) -> None:
        self._factors, self._device = factors, device

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._factors, name)
        if not callable(found):
            return to_arrays(found, self._device)

        @wraps(found)
        def method(*arguments: Any, **options: Any) -> Any:
            return to_arrays(found(*to_numpy(arguments), **to_numpy(options)), self._device)

        return method

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self._factors, dtype)

    def __iter__(self) -> Any:
        return (to_arrays(factor, self._device) for factor in self._factors)

    def __len__(self) -> int:
        return len(self._factors)

    def __getitem__(self, index: Any) -> Any:
        return to_arrays(self._factors[index], self._device)

    def __repr__(self) -> str:
        return repr(self._factors)
