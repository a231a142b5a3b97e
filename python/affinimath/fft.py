"""The names of `scipy.fft` and `numpy.fft`, computed by the library.

The module can be called: `affinimath.fft(x)` is `affinimath.fft.fft(x)`.

>>> import affinimath as am
>>> am.fft([1.0, 0.0]), am.fft.fft([1.0, 0.0])
(array([1.+0.j, 1.+0.j]), array([1.+0.j, 1.+0.j]))
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ._fft_helpers import (
    fftfreq,
    get_workers,
    next_fast_len,
    prev_fast_len,
    rfftfreq,
    set_workers,
)
from ._routines import (
    dct,
    dctn,
    dst,
    dstn,
    fft,
    fft2,
    fftn,
    fftshift,
    hfft,
    hfft2,
    hfftn,
    idct,
    idctn,
    idst,
    idstn,
    ifft,
    ifft2,
    ifftn,
    ifftshift,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "get_workers",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "set_workers",
]


class _CallableModule(ModuleType):
    """A module that is also its main function."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return fft(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pools of processes pickle the callable that they are given.
        return __import__, (__name__, None, None, ["fft"])


sys.modules[__name__].__class__ = _CallableModule
