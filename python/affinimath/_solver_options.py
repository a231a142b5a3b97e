"""The structures of the C library's iterative solvers, and the functions that they call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from ._operators import Callback

_HISTORY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double)

REASONS = {
    341: "converged",
    342: "stagnated",
    343: "breakdown",
    344: "not positive definite",
    345: "limit",
    346: "least squares",
}


class Options(ctypes.Structure):
    """affinimath_solve_options."""

    _fields_ = [
        ("rtol", ctypes.c_double),
        ("atol", ctypes.c_double),
        ("max_iterations", ctypes.c_int64),
        ("restart", ctypes.c_int64),
        ("poll", ctypes.c_int64),
        ("damping", ctypes.c_double),
        ("history", ctypes.c_void_p),
        ("history_user", ctypes.c_void_p),
        ("preconditioner", ctypes.c_void_p),
    ]


class Outcome(ctypes.Structure):
    """affinimath_solve_outcome."""

    _fields_ = [
        ("reason", ctypes.c_int),
        ("iterations", ctypes.c_int64),
        ("residual", ctypes.c_double),
        ("relative_residual", ctypes.c_double),
        ("normal_residual", ctypes.c_double),
    ]


class Preconditioner:
    """A preconditioner of the library's, and the operator that it calls."""

    def __init__(self, handle: ctypes.c_void_p, callback: Callback | None) -> None:
        self.handle = handle
        self._callback = callback

    def check(self) -> None:
        """Raises what the operator has raised."""
        if self._callback is not None:
            self._callback.check()


class History:
    """A function for the C library that calls a callback with relative residuals."""

    def __init__(self, callback: Callable[[float], object], scale: float) -> None:
        self.raised: BaseException | None = None
        self._callback = callback
        self._scale = scale or 1.0

    def function(self) -> Any:
        """The function as C takes it. It is the caller's to hold: an object that held it would hold itself."""
        return _HISTORY(self.call)

    def call(self, user: int | None, iteration: int, residual: float) -> None:
        """Tells of an iteration, unless the callback has raised before."""
        if self.raised is None:
            try:
                self._callback(residual / self._scale)
            except BaseException as error:
                self.raised = error

    def check(self) -> None:
        """Raises what the callback has raised."""
        if self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised
