"""Parts of arrays."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._library import InvalidArgumentError
from .calls import Base, asarray, call, is_operand, made

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
        try:
            return call(f"x0[{items}]", *operands) if items else made(self._handle, self.dtype, self.shape)
        except InvalidArgumentError as error:
            raise IndexError(str(error)) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        is_mask = isinstance(key, Base) and key.dtype == np.bool_ and key.shape == self.shape
        if is_mask and is_operand(value) and np.ndim(value) == 0:
            new = call("where(x0, x1, x2)", key, value, self)
        else:
            array = self.numpy()
            key = tuple(np.asarray(part) if isinstance(part, Base) else part for part in _parts(key))
            array[key] = np.asarray(value) if isinstance(value, Base) else value
            new = asarray(array, device=self.device)
        if new.shape != self.shape:
            raise ValueError(f"a value of shape {new.shape} is not assigned to an array of shape {self.shape}")
        self._handle = new.astype(self.dtype)._handle


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
