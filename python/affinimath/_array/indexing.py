"""Parts of arrays."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._library import InvalidArgumentError
from .calls import Base, asarray, call, list_text, made
from .host import to_numpy

if TYPE_CHECKING:
    from . import Array


class Indexing(Base):
    """Indices, slices and masks."""

    __slots__ = ()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self.shape:
            raise TypeError("iteration over an array without axes")
        return (self[index] for index in range(self.shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def __getitem__(self, key: Any) -> Array:
        operands = [self]
        items = _items(key, operands)
        if items is None:
            # Masks, and several arrays as indices, have shapes that depend on elements.
            key = tuple(np.asarray(part) if isinstance(part, Base) else part for part in _parts(key))
            return asarray(self.numpy()[key], device=self.device)
        return _selected(items, *operands)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, (Base, np.ndarray)) and key.dtype == np.bool_ and _is_single(value):
            new = _with_mask(self, key, value)
        elif all(_is_basic(part) for part in _parts(key)):
            new = _with_part(self, _parts(key), value)
        else:
            # Masks whose elements get one value each, and arrays as indices.
            array = self.numpy()
            array[to_numpy(_parts(key))] = to_numpy(value)
            new = asarray(array, device=self.device)
        self._handle = new._handle


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _items(key: Any, operands: list[Any]) -> str | None:
    """The text of an index, with an array that it has as an operand; None where the shape depends on elements."""
    items = []
    for part in _parts(key):
        if part is None:
            items.append("None")
        elif part is Ellipsis:
            items.append("...")
        elif isinstance(part, slice):
            if part.step is not None and operator.index(part.step) == 0:
                raise ValueError("the step of a slice is not 0")
            parts = (part.start, part.stop, part.step)
            bounds = ["" if bound is None else str(operator.index(bound)) for bound in parts]
            items.append(":".join(bounds if bounds[2] else bounds[:2]))
        elif isinstance(part, (Base, np.ndarray, list)) and len(operands) == 1:
            indices = part if isinstance(part, Base) else np.asarray(part)
            if indices.dtype.kind not in "iu" or (isinstance(indices, np.ndarray) and indices.size == 0):
                return None
            operands.append(indices)
            items.append("x1")
        elif isinstance(part, (Base, np.ndarray, list, bool, np.bool_)):
            return None
        elif hasattr(part, "__index__"):
            items.append(str(operator.index(part)))
        else:
            raise IndexError(f"an index is an integer, a slice, an array, None or Ellipsis, not {part!r}")
    if len(operands) > 1 and any(isinstance(part, (int, np.integer)) or part is None for part in _parts(key)):
        # NumPy moves axes there.
        return None
    return ", ".join(items)


def _selected(items: str, x: Base, *indices: Base) -> Array:
    """The part of an array by the text of an index."""
    if not items:
        return made(x._handle, x.dtype, x.shape)
    try:
        return call(f"x0[{items}]", x, *indices)
    except InvalidArgumentError as error:
        raise IndexError(str(error)) from None


def _is_basic(part: Any) -> bool:
    """True for slices and integers."""
    is_whole = hasattr(part, "__index__") and not isinstance(part, (bool, np.bool_, Base, np.ndarray))
    return part is None or part is Ellipsis or isinstance(part, slice) or is_whole


def _is_single(value: Any) -> bool:
    """True for a number or an array without axes."""
    return value.ndim == 0 if isinstance(value, Base) else np.ndim(value) == 0


def _as_value(value: Any, like: Base) -> Array:
    """A value in the type and memory of the array that it is assigned to, by NumPy's rules."""
    if isinstance(value, Base):
        return call(f"{like.dtype.name}(x0)", value)
    elements = np.asarray(value)
    cast = np.empty(elements.shape, like.dtype)
    cast[...] = elements if elements.ndim else value
    return asarray(cast, device=like.device)


def _with_mask(x: Base, mask: Any, value: Any) -> Array:
    """The array with a value where the mask, which has its first axes, is true."""
    if mask.shape != x.shape[: mask.ndim]:
        raise IndexError(f"a mask of shape {mask.shape} for an array of shape {x.shape}")
    shape = list_text((*mask.shape, *[1] * (x.ndim - mask.ndim)))
    return call(f"where(reshape(x0, {shape}), x1, x2)", mask, _as_value(value, x), x)


def _with_part(x: Base, key: tuple[Any, ...], value: Any) -> Array:
    """The array with a value in the part that slices and integers select: one kernel, where the array lies."""
    lines, shape = _selection(key, x.shape)
    given = _as_value(value, x)
    while given.ndim > len(shape) and given.shape[0] == 1:
        given = call("x0[0]", given)
    if given.shape and _broadcast(given.shape, shape) != shape:
        raise ValueError(f"a value of shape {given.shape} is not assigned to a part of shape {shape}")
    counts = [len(line) for line in lines]
    if 0 in counts:
        return made(x._handle, x.dtype, x.shape)
    is_single = given.size == 1
    names = [f"i{axis}" for axis in range(x.ndim)]
    v = "x1" if is_single or given.shape == shape else f"broadcast_to(x1, {list(shape)})"
    current, wanted = (given.shape, []) if is_single else (shape, counts)
    steps = [f"v = {v}" if list(current) == wanted else f"v = reshape({v}, {wanted})"]
    conditions = []
    for axis, (name, line, extent) in enumerate(zip(names, lines, x.shape)):
        if line == range(extent):
            continue
        steps.append(f"{name} = arange({extent})")
        if x.ndim > 1:
            extents = [-1 if axis == own else 1 for own in range(x.ndim)]
            conditions += [f"reshape({condition}, {extents})" for condition in _conditions(name, line, extent)]
        else:
            conditions += _conditions(name, line, extent)
        if not is_single:
            steps.append(f"v = take(v, clip(({name} - {line.start}) // {line.step}, 0, {len(line) - 1}), {axis})")
    steps.append(f"where({' & '.join(conditions)}, v, x0)" if conditions else f"broadcast_to(v, {list(x.shape)})")
    return call("; ".join(steps), x, given)


def _conditions(name: str, line: range, extent: int) -> list[str]:
    """Texts of which all are true for the indices of a line."""
    low, high = sorted((line[0], line[-1]))
    if low == high:
        return [f"({name} == {low})"]
    found = [f"({name} >= {low})"] * (low > 0) + [f"({name} <= {high})"] * (high < extent - 1)
    return found + [f"(({name} - {low}) % {abs(line.step)} == 0)"] * (abs(line.step) > 1)


def _broadcast(value: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(value, part)
    except ValueError:
        return None


def _selection(key: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[list[range], tuple[int, ...]]:
    """The indices that items select along each axis, and the shape of the part."""
    taken = sum(item is not None and item is not Ellipsis for item in key)
    if taken > len(shape) or sum(item is Ellipsis for item in key) > 1:
        raise IndexError(f"{taken} indices of an array with {len(shape)} axes, and an ellipsis at most")
    lines: list[range] = []
    part: list[int] = []
    for item in key if Ellipsis in key else (*key, Ellipsis):
        if item is None:
            part.append(1)
        elif item is Ellipsis:
            rest = shape[len(lines) : len(lines) + len(shape) - taken]
            lines.extend(map(range, rest))
            part.extend(rest)
        elif isinstance(item, slice):
            lines.append(range(*item.indices(shape[len(lines)])))
            part.append(len(lines[-1]))
        else:
            axis, index = len(lines), operator.index(item)
            if not -shape[axis] <= index < shape[axis]:
                raise IndexError(f"index {index} is outside axis {axis}, which has {shape[axis]} elements")
            lines.append(range(index % shape[axis], index % shape[axis] + 1))
    return lines, tuple(part)
