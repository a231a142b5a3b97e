"""Vectors over a partition: each rank has the elements of its range."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._grid import Grid
from ._library import accepted
from ._matrix import Number


def even(length: int, ranks: int) -> tuple[int, ...]:
    """The starts of ranges that differ by one index at most, and the end of the last one."""
    each, more = divmod(length, ranks)
    return tuple(rank * each + min(rank, more) for rank in range(ranks + 1))


def starts_of(counts: Any) -> tuple[int, ...]:
    """The starts of ranges of these lengths, and the end of the last one."""
    starts = [0]
    for count in counts:
        starts.append(starts[-1] + int(count))
    return tuple(starts)


def checked(starts: Sequence[int], ranks: int) -> tuple[int, ...]:
    """Starts of ranges that a program gives, and the end of the last one."""
    found = tuple(operator.index(start) for start in starts)
    if len(found) != ranks + 1 or found[0] != 0 or any(end < start for start, end in zip(found, found[1:])):
        raise ValueError(f"starts are {found}; {ranks} ranks have {ranks + 1} that rise from 0")
    return found


def _vector(local: Any) -> np.ndarray:
    array = np.asarray(local)
    if array.ndim != 1:
        raise ValueError(f"local has {array.ndim} axes, and a vector 1")
    return array


class DistVector:
    """A vector of which each rank has a range of adjacent elements, in the order of the ranks.

    Each rank has its elements in `local`, which may be read and changed. Ranges may be empty. All ranks call each
    function here together, unless it says otherwise.

    Parameters
    ----------
    grid : Grid
        The ranks.
    local : array_like
        This rank's elements, of shape (k,). An adjacent array of one of the four types is taken as it is.
    starts : sequence of int, optional
        The first index of each rank's range, and the length of the vector. Without it ranks tell each other.

    Raises
    ------
    ValueError
        `local` has not the length of this rank's range.
    """

    # NumPy's scalars leave operators to this class.
    __array_ufunc__ = None

    def __init__(self, grid: Grid, local: Any, starts: Sequence[int] | None = None) -> None:
        self.grid = grid
        if starts is None:
            error: Exception | None = None
            own, kind = np.zeros(0), ""
            try:
                own = _vector(local)
                kind = accepted(own.dtype, "local").str
            except Exception as raised:
                error = raised
            # One rank's error is that of all, and so is their type.
            grid.agree(error)
            every = grid.comm.allgather((own.size, kind))
            dtype = np.result_type(*[np.dtype(other) for _, other in every])
            ranges = starts_of([size for size, _ in every])
        else:
            own, ranges = _vector(local), checked(starts, grid.size)
            dtype = accepted(own.dtype, "local")
        #: The first index of each rank's range, and the length of the vector.
        self.starts: tuple[int, ...] = ranges
        if own.size != self.stop - self.start:
            raise ValueError(f"local has {own.size} elements, and this rank's range {self.stop - self.start}")
        #: This rank's elements.
        self.local: np.ndarray = np.require(own, dtype, ["C", "A", "W"])

    @classmethod
    def from_local(cls, grid: Grid, local: Any) -> DistVector:
        """The vector of the ranks' parts, as the constructor makes it."""
        return cls(grid, local)

    @classmethod
    def zeros(cls, grid: Grid, length: int, dtype: Any = np.float64, starts: Sequence[int] | None = None) -> DistVector:
        """A vector of zeros, without `starts` in even ranges. It needs no other rank."""
        starts = even(length, grid.size) if starts is None else checked(starts, grid.size)
        own = starts[grid.rank + 1] - starts[grid.rank]
        return cls(grid, np.zeros(own, accepted(dtype, "dtype")), starts)

    @classmethod
    def from_function(
        cls,
        grid: Grid,
        function: Callable[[np.ndarray], Any],
        length: int,
        dtype: Any = np.float64,
        starts: Sequence[int] | None = None,
    ) -> DistVector:
        """The vector of function(i), called with this rank's indices as an array. It needs no other rank."""
        made = cls.zeros(grid, length, dtype, starts)
        if made.local.size:
            made.local[...] = function(made.indices)
        return made

    @classmethod
    def scatter(cls, grid: Grid, array: Any, root: int = 0, starts: Sequence[int] | None = None) -> DistVector:
        """The vector that the rank `root` has as an array, which is not looked at on others."""
        facts: Any = None
        parts: Any = None
        error: Exception | None = None
        if grid.rank == root:
            try:
                whole = np.asarray(array)
                if whole.ndim != 1:
                    raise ValueError(f"array has {whole.ndim} axes, and a vector 1")
                whole = whole.astype(accepted(whole.dtype, "array"), copy=False)
                facts = whole.size
                ends = even(whole.size, grid.size) if starts is None else checked(starts, grid.size)
                if ends[-1] != whole.size:
                    raise ValueError(f"array has {whole.size} elements, and the ranges {ends[-1]}")
                parts = [whole[ends[rank] : ends[rank + 1]] for rank in range(grid.size)]
            except Exception as raised:
                error = raised
        grid.agree(error)
        facts = grid.comm.bcast(facts, root)
        return cls(grid, grid.comm.scatter(parts, root), even(facts, grid.size) if starts is None else starts)

    def gather(self, root: int = 0) -> np.ndarray | None:
        """The elements as an array on the rank `root`; None on the others."""
        parts = self.grid.comm.gather(self.local, root)
        return None if parts is None else np.concatenate(parts)

    def __repr__(self) -> str:
        return f"<DistVector of {self.dtype}: {self.length} elements, of which {self.start} to {self.stop} are here>"

    def __len__(self) -> int:
        return self.length

    @property
    def length(self) -> int:
        """Elements of all ranks."""
        return self.starts[-1]

    @property
    def shape(self) -> tuple[int]:
        """The length, as NumPy's shape."""
        return (self.length,)

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.local.dtype

    @property
    def start(self) -> int:
        """The index of this rank's first element."""
        return self.starts[self.grid.rank]

    @property
    def stop(self) -> int:
        """The index after this rank's last element."""
        return self.starts[self.grid.rank + 1]

    @property
    def indices(self) -> np.ndarray:
        """Indices of this rank's elements."""
        return np.arange(self.start, self.stop)

    def operand(self) -> np.ndarray:
        """The elements, as the C library takes them."""
        if self.local.shape != (self.stop - self.start,) or not self.local.flags.carray:
            raise ValueError("local is no longer an adjacent array with as many elements as this rank's range")
        return self.local

    def copy(self) -> DistVector:
        """A copy. It needs no other rank."""
        return self._like(self.local.copy())

    def astype(self, dtype: Any) -> DistVector:
        """A copy with elements of another type. It needs no other rank."""
        return self._like(self.local.astype(accepted(dtype, "dtype")))

    def _like(self, local: np.ndarray) -> DistVector:
        return DistVector(self.grid, local, self.starts)

    def _check(self, other: DistVector) -> None:
        if other.starts != self.starts or other.grid is not self.grid:
            raise ValueError("the vectors have different ranges or grids")

    def vdot(self, other: DistVector) -> Any:
        """The sum of conj(x) y, as numpy.vdot's: the same number on all ranks, in every run."""
        self._check(other)
        return sum(self.grid.comm.allgather(np.vdot(self.local, other.local)))

    def norm(self) -> float:
        """The Euclidean norm, the same on all ranks, in every run."""
        return float(np.linalg.norm(self.grid.comm.allgather(float(np.linalg.norm(self.local)))))

    def __add__(self, other: DistVector) -> DistVector:
        if not isinstance(other, DistVector):
            return NotImplemented
        self._check(other)
        return self._like(self.local + other.local)

    def __sub__(self, other: DistVector) -> DistVector:
        if not isinstance(other, DistVector):
            return NotImplemented
        self._check(other)
        return self._like(self.local - other.local)

    def __mul__(self, factor: Number) -> DistVector:
        if not np.isscalar(factor):
            return NotImplemented
        return self._like(self.local * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Number) -> DistVector:
        if not np.isscalar(divisor):
            return NotImplemented
        return self._like(self.local / divisor)

    def __neg__(self) -> DistVector:
        return self._like(-self.local)
