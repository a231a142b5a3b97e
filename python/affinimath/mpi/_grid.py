"""Grids of ranks, and objects of the C library that end with them."""

from __future__ import annotations

import atexit
import ctypes
import operator
import sys
import time
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ._library import POINTER, SIZE, check, function, is_on_all_ranks, message

try:
    from mpi4py import MPI
except ImportError as error:
    raise ImportError(
        "affinimath.mpi needs mpi4py, for the MPI library that libaffinimath_mpi.so is built with: "
        "pip install mpi4py, or apt-get install python3-mpi4py"
    ) from error

_create = function("affinimathMpiGridCreate", [ctypes.c_int, SIZE, SIZE, POINTER])
_destroy = function("affinimathMpiGridDestroy", [POINTER])
_position = function("affinimathMpiGridPosition", [POINTER] * 3)
_fail = function("affinimathMpiGridFail", [POINTER, ctypes.c_char_p])
_status = function("affinimathMpiGridStatus", [POINTER])

#: Grids that are open, in the order in which they were made. All ranks close them in this order when they exit.
_open: list[Grid] = []


class Grid:
    """Ranks of a communicator as rows and columns: rank r is in row r // columns and column r % columns.

    All ranks make a grid together, and close it together: by `close`, by `with`, or when the program exits. A rank
    works on the GPU of its number among the host's ranks, unless `AFFINIMATH_DEVICE` says otherwise.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The communicator, which is duplicated; else `MPI.COMM_WORLD`.
    rows, columns : int, optional
        Rows and columns of ranks, whose product is the number of ranks. Without both, the grid is as near to a square
        as the number of ranks allows, with no more rows than columns.

    Raises
    ------
    ValueError
        rows * columns is not the number of ranks.
    RankError
        Ranks disagree about rows or columns.
    """

    def __init__(self, comm: Any = None, rows: int | None = None, columns: int | None = None) -> None:
        #: The communicator that the grid was made of, of which functions in Python make use.
        self.comm: Any = MPI.COMM_WORLD if comm is None else comm
        self.size: int = self.comm.Get_size()
        self.rank: int = self.comm.Get_rank()
        if rows is None:
            rows = _near_square(self.size) if columns is None else self.size // max(columns, 1)
        if columns is None:
            columns = self.size // max(rows, 1)
        self.rows, self.columns = operator.index(rows), operator.index(columns)
        self._pointer = POINTER()
        check(_create(self.comm.py2f(), self.rows, self.columns, ctypes.byref(self._pointer)))
        row, column = SIZE(), SIZE()
        check(_position(self._pointer, ctypes.byref(row), ctypes.byref(column)))
        self.row, self.column = row.value, column.value
        self._objects: list[Any] = []
        _open.append(self)

    def __repr__(self) -> str:
        state = "" if self._pointer else ", closed"
        return f"<Grid of {self.rows} x {self.columns} ranks, rank {self.rank}{state}>"

    @property
    def handle(self) -> ctypes.c_void_p:
        """The grid as the C library has it. A closed one is a ValueError."""
        if not self._pointer:
            raise ValueError("the grid is closed")
        return self._pointer

    @property
    def failure(self) -> str | None:
        """The error that has closed the grid to all calls, or None. No other rank is asked."""
        status = _status(self.handle)
        return message(status) if status else None

    def fail(self, reason: str) -> None:
        """Fails on all ranks: each of their calls on this grid, also one that waits, raises this rank's reason.

        For a program's own errors, of which the other ranks cannot know. The job is to end then.
        """
        check(_fail(self.handle, reason.encode(errors="replace")))

    def close(self) -> None:
        """Frees the grid, and what was made with it: sparse matrices, preconditioners and plans. All ranks call it."""
        if not self._pointer:
            return
        for destroy in self._objects:
            destroy()
        self._objects.clear()
        _open.remove(self)
        pointer, self._pointer = self._pointer, POINTER()
        check(_destroy(pointer))

    def __enter__(self) -> Grid:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # All ranks have an error of the library's. Others may be this rank's alone, and closing would wait for the
        # rest: the grid is closed when the program ends.
        if kind is None or is_on_all_ranks(error):
            self.close()

    def holds(self, **operands: Any) -> None:
        """Raises a ValueError for an operand of another grid: its parts lie otherwise."""
        for name, operand in operands.items():
            if operand is not None and operand.grid is not self:
                raise ValueError(f"{name} lies on another grid")

    def own(self, destructor: str, pointer: ctypes.c_void_p, owner: object) -> None:
        """Destroys an object of the C library with its owner, or with the grid."""
        self._objects = [destroy for destroy in self._objects if destroy.alive]
        destroy: Callable[..., int] = function(destructor, [POINTER])
        self._objects.append(weakref.finalize(owner, destroy, pointer))

    def agree(self, error: Exception | None) -> None:
        """Raises the error of the first rank that has one, on all ranks."""
        kind = TypeError if isinstance(error, TypeError) else ValueError
        if error is not None and not isinstance(error, TypeError | ValueError):
            error = ValueError(f"{type(error).__name__}: {error}")
        errors = self.comm.allgather(None if error is None else (kind, str(error)))
        for rank, found in enumerate(errors):
            if found is not None:
                raised, text = found
                raise raised(text if all(other == found for other in errors) else f"{text}, on rank {rank}")


def _near_square(size: int) -> int:
    """Rows of a grid near a square."""
    return max(rows for rows in range(1, size + 1) if size % rows == 0 and rows * rows <= size)


@atexit.register
def _end() -> None:
    """Closes the grids that are open.

    After an error of this rank that the program has not caught, the other ranks hear of it. After a failure the job is
    ended: MPI cannot be finalised while messages are under way.
    """
    uncaught = getattr(sys, "last_value", None) if not hasattr(sys, "ps1") else None
    several = [grid for grid in _open if grid.size > 1]
    if uncaught is not None and not is_on_all_ranks(uncaught):
        for grid in several:
            _fail(grid._pointer, f"{type(uncaught).__name__}: {uncaught}".encode(errors="replace"))
    if any(_status(grid._pointer) for grid in several):
        sys.stdout.flush()
        sys.stderr.flush()
        # Others write their own messages meanwhile.
        time.sleep(1.5)
        MPI.COMM_WORLD.Abort(1)
    while _open:
        _open[0].close()


__all__ = ["MPI", "Grid"]
