"""The route, the device and the threads of calls."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Iterable

from ._library import check, function, library

_count = function("affinimathDeviceCount", [ctypes.POINTER(ctypes.c_int64)])
_get = function("affinimathGetDevice", [ctypes.POINTER(ctypes.c_int64)])
_set = function("affinimathSetDevice", [ctypes.c_int64])
_set_several = function("affinimathSetDevices", [ctypes.c_char_p])
_threads = function("affinimathGetNumThreads", [ctypes.POINTER(ctypes.c_int64)])
_set_threads = function("affinimathSetNumThreads", [ctypes.c_int64])
_math_mode = function("affinimathSetMathMode", [ctypes.c_char_p])
_route = function("affinimathSetRoute", [ctypes.c_char_p])
_name = function("affinimathDeviceName", [ctypes.c_int64, ctypes.c_char_p, ctypes.c_int64])


def version() -> str:
    """The C library's version.

    Examples
    --------
    >>> import affinimath as am
    >>> am.version() == am.__version__
    True
    """
    return str(library.affinimathVersion(), "utf-8")


def device_count() -> int:
    """How many OpenCL devices there are. A machine without OpenCL has none, which is no error.

    Examples
    --------
    >>> import affinimath as am
    >>> am.device_count() >= 0
    True
    """
    count = ctypes.c_int64()
    check(_count(count))
    return count.value


def device_names() -> list[str]:
    """The names of the OpenCL devices, in the order of their numbers.

    Examples
    --------
    >>> import affinimath as am
    >>> len(am.device_names()) == am.device_count()
    True
    """
    names = []
    for index in range(device_count()):
        name = ctypes.create_string_buffer(256)
        check(_name(index, name, len(name)))
        names.append(name.value.decode(errors="replace"))
    return names


def device() -> int:
    """The number of the device that calls may use, or -1 for the host.

    Examples
    --------
    >>> import affinimath as am
    >>> am.device() >= -1
    True
    """
    index = ctypes.c_int64()
    check(_get(index))
    return index.value


def set_device(index: int | str | Iterable[int]) -> None:
    """Chooses the device that calls may use, in the whole process and in place of AFFINIMATH_DEVICE.

    Several devices share large products, triangular systems, batches and factorisations of NumPy arrays, where that
    pays. Other calls may use the first one.

    Parameters
    ----------
    index : int, iterable of int, or str
        The device's number in `device_names`, or -1 for the host. Several numbers, or ``"all"`` GPUs, are devices that
        share calls. Another string is spelled as AFFINIMATH_DEVICE.

    Raises
    ------
    Error
        There is no such device, or a list names one twice. The choice stays as it was.

    Examples
    --------
    >>> import affinimath as am
    >>> am.set_device(am.device())
    """
    if isinstance(index, str):
        check(_set_several(index.encode()))
    elif isinstance(index, Iterable):
        numbers = [str(operator.index(one)) for one in index]
        if not numbers:
            raise ValueError("a list of devices has at least one number")
        check(_set_several(",".join(numbers).encode()))
    else:
        check(_set(index))


def get_num_threads() -> int:
    """How many threads a large operation on the host may use.

    Examples
    --------
    >>> import affinimath as am
    >>> am.get_num_threads() >= 1
    True
    """
    threads = ctypes.c_int64()
    check(_threads(threads))
    return threads.value


def set_num_threads(threads: int) -> None:
    """Sets how many threads a large operation on the host may use.

    It holds for the whole process, in place of AFFINIMATH_NUM_THREADS.

    Parameters
    ----------
    threads : int
        At least 1. More than there are processors are as many as there are.

    Raises
    ------
    InvalidArgumentError
        There are less than one. The setting stays as it was.

    Examples
    --------
    >>> import affinimath as am
    >>> am.set_num_threads(am.get_num_threads())
    """
    check(_set_threads(threads))


def set_math_mode(mode: str) -> None:
    """Chooses how exactly tensor cores multiply floats, in the whole process and in place of AFFINIMATH_MATH_MODE.

    Double precision, and devices without tensor cores, are the same in all modes.

    Parameters
    ----------
    mode : {"default", "strict", "fast"}
        Within the error bound of multiply-adds; with multiply-adds alone; with numbers rounded to 11 bits (tf32).

    Raises
    ------
    InvalidArgumentError
        There is no such mode. It stays as it was.

    Examples
    --------
    >>> import affinimath as am
    >>> am.set_math_mode("default")
    """
    check(_math_mode(mode.encode()))


def set_route(route: str) -> None:
    """Chooses where calls run, in the whole process and in place of AFFINIMATH_ROUTE.

    Parameters
    ----------
    route : {"auto", "host", "device", "vendor"}
        A device where it pays; always the host; always a device, and an error where there is none; always a vendor's
        library.

    Raises
    ------
    InvalidArgumentError
        There is no such route. The choice stays as it was.

    Examples
    --------
    >>> import affinimath as am
    >>> am.set_route("auto")
    """
    check(_route(route.encode()))
