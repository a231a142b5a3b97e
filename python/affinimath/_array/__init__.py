"""Arrays whose expressions are evaluated lazily, on a device or on the host."""

from __future__ import annotations

from typing import Any

from .._lazy import evaluate
from .calls import asarray, call, check_dtype, literal, made, results_are
from .elements import Elements
from .indexing import Indexing
from .interchange import Interchange
from .operators import Operators
from .reductions import Reductions
from .shapes import Shapes

__all__ = ["Array", "asarray", "call", "check_dtype", "literal", "made"]


@results_are
class Array(Operators, Elements, Reductions, Shapes, Indexing, Interchange):
    """An array of up to 8 axes in the memory of a device or of the host.

    Operators and functions build expressions. They are evaluated together, in few kernels, when elements are looked at:
    by printing, `numpy.asarray`, `item`, `bool`, or `evaluate`.

    Arrays are values: a slice is one of its own, and assignment to a part of an array does not change others.

    Parameters
    ----------
    data : array_like
        Elements, as `numpy.asarray` takes them. They are copied.
    dtype : dtype, optional
        The type of the elements: bool, uint8, int32, uint32, int64, float32, float64, complex64 or complex128. By
        default that of the data.
    device : str, optional
        The device whose memory receives them: a name of `device_names`, or 'host'. By default that of `set_device`.

    Examples
    --------
    >>> import affinimath as am
    >>> x = am.Array([1.0, 4.0, 9.0])
    >>> 2 * x.sqrt() + 1
    Array([3., 5., 7.])
    >>> y = am.Array([[1, 2], [3, 4]])
    >>> y[:, 1].sum()
    Array(6)
    """

    __slots__ = ()
    __array_priority__ = 1000

    def __init__(self, data: Any, dtype: Any = None, device: Any = None) -> None:
        other = asarray(data, dtype=dtype, device=device)
        self._handle, self.dtype, self.shape = other._handle, other.dtype, other.shape

    @property
    def T(self) -> Array:
        """The array with its axes in reverse order."""
        return call("x0.T", self)

    @property
    def mT(self) -> Array:
        """The transposes of the matrices of the last two axes."""
        return call("x0.mT", self)

    @property
    def real(self) -> Array:
        """The real parts."""
        return call("x0.real", self)

    @property
    def imag(self) -> Array:
        """The imaginary parts; zeros of a real array."""
        return call("x0.imag", self)

    def evaluate(self) -> Array:
        """Evaluates the expression, unless it has been, and returns the array itself.

        Examples
        --------
        >>> import affinimath as am
        >>> (am.Array([1, 2]) + 1).evaluate()
        Array([2, 3])
        """
        evaluate(self._handle)
        return self

    def __copy__(self) -> Array:
        return made(self._handle, self.dtype, self.shape)

    def __deepcopy__(self, memo: Any) -> Array:
        return self.__copy__()

    def copy(self) -> Array:
        """An array of the same elements.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2]).copy()
        Array([1, 2])
        """
        return self.__copy__()

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        from .. import array_api

        if api_version not in (None, *array_api.VERSIONS):
            raise ValueError(f"version {api_version} of the array API standard; there are {array_api.VERSIONS}")
        return array_api

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """The array in the memory of a device: 'host', or a name of `device_names`.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2], device="host").to_device("host").device
        'host'
        """
        if stream is not None:
            raise ValueError("stream is None: the library has queues of its own")
        return self.copy() if device == self.device else asarray(self.numpy(), device=device)
