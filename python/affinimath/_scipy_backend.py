"""The library as a backend of scipy.fft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import fft
from ._library import LETTERS


class ScipyFftBackend:
    """Has `scipy.fft` computed by the library: its functions, or those of programs that call them.

    Elements of other types than the library's four, and transforms that it does not have, such as `fht`, are left to
    SciPy.

    Examples
    --------
    >>> import affinimath as am
    >>> am.scipy_fft_backend
    <affinimath's backend of scipy.fft>

    With SciPy, a block such as `with scipy.fft.set_backend(am.scipy_fft_backend):` uses it.
    """

    __ua_domain__ = "numpy.scipy.fft"

    def __ua_function__(self, method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Computes a function of scipy.fft, or has SciPy compute it."""
        function = getattr(fft, method.__name__, None) if method.__name__ in fft.__all__ else None
        operand = args[0] if args else kwargs.get("x")
        if function is None or not self._takes(operand) or kwargs.get("plan") is not None:
            import scipy.fft

            # A global backend has none behind it: SciPy's own is asked by its name.
            with scipy.fft.set_backend("scipy", only=True):
                return method(*args, **kwargs)
        return function(*args, **{name: value for name, value in kwargs.items() if name != "plan"})

    @staticmethod
    def _takes(operand: Any) -> bool:
        dtype = np.asarray(operand).dtype
        return dtype.kind in "bui" or (dtype.kind in "fc" and dtype.newbyteorder("=") in LETTERS)

    def __repr__(self) -> str:
        return "<affinimath's backend of scipy.fft>"


scipy_fft_backend = ScipyFftBackend()
