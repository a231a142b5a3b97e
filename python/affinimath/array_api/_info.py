"""The namespace's description of itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._array import asarray
from .._device import device_names
from ._dtypes import KINDS, complex128, float64, int64


class Info:
    """Devices, types and capabilities, as the array API standard has them.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> xp.__array_namespace_info__().capabilities()["max dimensions"]
    8
    """

    def capabilities(self) -> dict[str, Any]:
        """Masks and data-dependent shapes are there; arrays have at most 8 axes.

        Examples
        --------
        >>> import affinimath.array_api as xp
        >>> xp.__array_namespace_info__().capabilities()["boolean indexing"]
        True
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> str:
        """The device of `set_device`, or 'host'.

        Examples
        --------
        >>> import affinimath.array_api as xp
        >>> xp.__array_namespace_info__().default_device() in xp.__array_namespace_info__().devices()
        True
        """
        return asarray(0).device

    def devices(self) -> list[str]:
        """The host, and the names of all devices.

        Examples
        --------
        >>> import affinimath.array_api as xp
        >>> "host" in xp.__array_namespace_info__().devices()
        True
        """
        return ["host", *device_names()]

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        """The types of new arrays.

        Examples
        --------
        >>> import affinimath.array_api as xp
        >>> xp.__array_namespace_info__().default_dtypes()["integral"]
        dtype('int64')
        """
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype]:
        """The types of a kind, or of several ones, by default of all.

        Examples
        --------
        >>> import affinimath.array_api as xp
        >>> list(xp.__array_namespace_info__().dtypes(kind="signed integer"))
        ['int32', 'int64']
        """
        if kind is None:
            kind = ("bool", "numeric")
        kinds = kind if isinstance(kind, tuple) else (kind,)
        unknown = [name for name in kinds if name not in KINDS]
        if unknown:
            raise ValueError(f"no kind is called {unknown[0]!r}; there are {', '.join(KINDS)}")
        return {dtype.name: dtype for name in kinds for dtype in KINDS[name]}


def __array_namespace_info__() -> Info:
    """A description of devices, types and capabilities.

    Examples
    --------
    >>> import affinimath.array_api as xp
    >>> "float32" in xp.__array_namespace_info__().dtypes(kind="real floating")
    True
    """
    return Info()
