"""NumPy's functions of arrays where these lie, by NumPy's arguments. NotImplemented leaves arguments to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .calls import Base, as_operand, check_dtype

if TYPE_CHECKING:
    from . import Array


def _api() -> Any:
    from .. import array_api

    return array_api


def _operands(values: Any) -> list[Array]:
    """Arrays of a sequence, in the memory of the first one that lies somewhere."""
    like: Any = next(value for value in values if isinstance(value, Base))
    return [as_operand(value, like) for value in values]


def _concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    if out is not None or dtype is not None or not any(isinstance(array, Base) for array in arrays):
        return NotImplemented
    return _api().concat(_operands(arrays), axis=axis)


def _stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    if out is not None or dtype is not None or not any(isinstance(array, Base) for array in arrays):
        return NotImplemented
    return _api().stack(_operands(arrays), axis=axis)


def _where(condition: Any, /, *choices: Any) -> Any:
    if len(choices) != 2:
        return NotImplemented
    scalars = [type(choice) in (bool, int, float, complex) for choice in choices]
    like: Any = next(value for value in (condition, *choices) if isinstance(value, Base))
    found = [value if is_scalar else as_operand(value, like) for value, is_scalar in zip(choices, scalars)]
    if all(scalars):
        found[0] = as_operand(choices[0], like)
    return _api().where(as_operand(condition, like), *found)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    if not isinstance(axes, int):
        axes = tuple((one,) if isinstance(one, int) else tuple(one) for one in axes)
    return _api().tensordot(*_operands((a, b)), axes=axes)


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    if out is not None or np.ndim(a) > 2 or np.ndim(b) > 2:
        return NotImplemented
    first, second = _operands((a, b))
    return first.dot(second)


def _like(name: str) -> Callable[..., Any]:
    def function(
        a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, **options: Any
    ) -> Any:
        if shape is not None or options:
            return NotImplemented
        return getattr(_api(), name)(a, dtype=dtype)

    return function


def _full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True, **options: Any) -> Any:
    if options or np.ndim(fill_value):
        return NotImplemented
    return _api().full_like(a, fill_value, dtype=a.dtype if dtype is None else check_dtype(dtype))


def _diff(a: Any, n: int = 1, axis: int = -1, **options: Any) -> Any:
    return NotImplemented if options else _api().diff(a, n=n, axis=axis)


def _take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    indices = indices if isinstance(indices, Base) else np.asarray(indices)
    if out is not None or mode != "raise" or indices.ndim != 1 or indices.dtype.kind not in "iu":
        return NotImplemented
    x, indices = _operands((a, indices))
    return _api().take(x if axis is not None else x.ravel(), indices, axis=0 if axis is None else axis)


#: Functions whose first argument is an array, by their names; those of array_api have keywords alone behind it.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "broadcast_to": lambda array, shape, subok=False: _api().broadcast_to(
        array, (shape,) if isinstance(shape, int) else shape
    ),
    "concatenate": _concatenate,
    "count_nonzero": lambda a, axis=None, *, keepdims=False: _api().count_nonzero(a, axis=axis, keepdims=keepdims),
    "diff": _diff,
    "dot": _dot,
    "empty_like": _like("empty_like"),
    "expand_dims": lambda a, axis: _api().expand_dims(a, tuple(axis) if isinstance(axis, list) else axis),
    "flip": lambda m, axis=None: _api().flip(m, axis=axis),
    "full_like": _full_like,
    "imag": lambda val: val.imag,
    "ndim": lambda a: a.ndim,
    "shape": lambda a: a.shape,
    "size": lambda a, axis=None: a.size if axis is None else NotImplemented,
    "moveaxis": lambda a, source, destination: _api().moveaxis(a, source, destination),
    "ones_like": _like("ones_like"),
    "outer": lambda a, b, out=None: (
        NotImplemented if out is not None else _api().linalg.outer(*[operand.ravel() for operand in _operands((a, b))])
    ),
    "real": lambda val: val.real,
    "repeat": lambda a, repeats, axis=None: (
        _api().repeat(a, repeats, axis=axis) if isinstance(repeats, int) else NotImplemented
    ),
    "roll": lambda a, shift, axis=None: _api().roll(a, shift, axis=axis),
    "stack": _stack,
    "take": _take,
    "tensordot": _tensordot,
    "tile": lambda A, reps: _api().tile(A, (reps,) if isinstance(reps, int) else tuple(reps)),  # noqa: N803
    "tril": lambda m, k=0: _api().tril(m, k=k),
    "triu": lambda m, k=0: _api().triu(m, k=k),
    "where": _where,
    "zeros_like": _like("zeros_like"),
}
