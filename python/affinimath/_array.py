"""Arrays whose expressions are evaluated lazily, on a device or on the host."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator
from typing import Any, Union

import numpy as np

from . import _lazy
from ._library import InvalidArgumentError

Scalar = Union[bool, int, float, complex]

_NUMBERS = (bool, int, float, complex)


class Array:
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

    __slots__ = ("__weakref__", "_handle", "dtype", "shape")
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    _handle: _lazy.Handle
    dtype: np.dtype
    shape: tuple[int, ...]

    def __init__(self, data: Any, dtype: Any = None, device: Any = None) -> None:
        other = asarray(data, dtype=dtype, device=device)
        self._handle, self.dtype, self.shape = other._handle, other.dtype, other.shape

    @classmethod
    def _of(cls, handle: _lazy.Handle, dtype: np.dtype, shape: tuple[int, ...]) -> Array:
        array = cls.__new__(cls)
        array._handle, array.dtype, array.shape = handle, dtype, shape
        return array

    # Properties.

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> str:
        """The name of the device whose memory holds the elements, or 'host'."""
        return _lazy.device(self._handle)

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

    # Elements.

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the elements are copied to NumPy's memory: copy=False cannot be")
        array = _lazy.download(self._handle, self.dtype, self.shape)
        return array if dtype is None else array.astype(dtype, copy=False)

    def numpy(self) -> np.ndarray:
        """The elements in an array of NumPy.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2]).numpy()
        array([1, 2])
        """
        return self.__array__()

    def evaluate(self) -> Array:
        """Evaluates the expression, unless it has been, and returns the array itself.

        Examples
        --------
        >>> import affinimath as am
        >>> (am.Array([1, 2]) + 1).evaluate()
        Array([2, 3])
        """
        _lazy.evaluate(self._handle)
        return self

    def item(self) -> Scalar:
        """The only element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.5, 2.5]).sum().item()
        4.0
        """
        number: Scalar = self.numpy().item()
        return number

    def tolist(self) -> Any:
        """The elements as nested lists.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return self.numpy().tolist()

    def _single(self, kind: str) -> Any:
        if self.size != 1:
            # As NumPy's, which has a ValueError for truth values.
            wrong = ValueError if kind == "bool" else TypeError
            raise wrong(f"{kind}() needs one element, and the array has {self.size}")
        return self.numpy().item()

    def __bool__(self) -> bool:
        return bool(self._single("bool"))

    def __int__(self) -> int:
        return int(self._single("int"))

    def __float__(self) -> float:
        return float(self._single("float"))

    def __complex__(self) -> complex:
        return complex(self._single("complex"))

    def __index__(self) -> int:
        if self.shape or self.dtype.kind not in "iu":
            raise TypeError("an index is an array of integers without axes")
        return operator.index(self._single("index"))

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

    def __repr__(self) -> str:
        return repr(self.numpy()).replace("array(", "Array(", 1)

    def __str__(self) -> str:
        return str(self.numpy())

    def __reduce__(self) -> Any:
        return asarray, (self.numpy(),)

    def __copy__(self) -> Array:
        return Array._of(self._handle, self.dtype, self.shape)

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

    # Protocols.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        name = _UFUNCS.get(ufunc.__name__, ufunc.__name__)
        if method == "reduce" and name in _REDUCTIONS and "out" not in options:
            options.setdefault("axis", 0)
            return getattr(as_operand(inputs[0]), _REDUCTIONS[name])(**options)
        if method != "__call__" or options or any(not _is_operand(value) for value in inputs):
            return NotImplemented
        try:
            return call(f"{name}({', '.join(f'x{k}' for k in range(len(inputs)))})", *inputs)
        except InvalidArgumentError as error:
            if "no function is called" in str(error):
                return NotImplemented
            raise

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: dict[str, Any]) -> Any:
        name = _METHODS.get(function.__name__, function.__name__)
        given = {key: value for key, value in keywords.items() if value is not None and value is not _NO_VALUE}
        if name in _FUNCTIONS and arguments and isinstance(arguments[0], Array):
            return getattr(arguments[0], name)(*arguments[1:], **given)
        # All others are NumPy's own, on its arrays.
        return function(*_on_numpy(arguments), **_on_numpy(keywords))

    def __format__(self, specification: str) -> str:
        return format(self.numpy()[()], specification)

    def __dlpack__(self, **options: Any) -> Any:
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        # Elements leave by the host's memory.
        return 1, 0

    def to_device(self, device: Any, /) -> Array:
        """The array in the memory of a device: 'host', or a name of `device_names`.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2], device="host").to_device("host").device
        'host'
        """
        return self if device == self.device else asarray(self.numpy(), device=device)

    # Indices.

    def __getitem__(self, key: Any) -> Array:
        operands = [self]
        items = _items(key, operands)
        if items is None:
            # Masks, and several arrays as indices, have shapes that depend on elements.
            key = tuple(np.asarray(part) if isinstance(part, Array) else part for part in _parts(key))
            return asarray(self.numpy()[key], device=self.device)
        try:
            return call(f"x0[{items}]", *operands) if items else self
        except InvalidArgumentError as error:
            raise IndexError(str(error)) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        is_mask = isinstance(key, Array) and key.dtype == np.bool_ and key.shape == self.shape
        if is_mask and _is_operand(value) and np.ndim(value) == 0:
            new = call("where(x0, x1, x2)", key, value, self)
        else:
            array = self.numpy()
            key = tuple(np.asarray(part) if isinstance(part, Array) else part for part in _parts(key))
            array[key] = np.asarray(value) if isinstance(value, Array) else value
            new = asarray(array, device=self.device)
        if new.shape != self.shape:
            raise ValueError(f"a value of shape {new.shape} is not assigned to an array of shape {self.shape}")
        self._handle = new.astype(self.dtype)._handle

    # Functions as methods.

    def astype(self, dtype: Any, /, *, copy: bool = True) -> Array:
        """The elements in another type: integers wrap, reals saturate, the imaginary part is dropped.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.7, -2.2]).astype("int32")
        Array([ 1, -2], dtype=int32)
        """
        wanted = check_dtype(dtype)
        return self if wanted == self.dtype else call(f"{wanted.name}(x0)", self)

    def reshape(self, *shape: Any) -> Array:
        """The elements in row-major order in another shape, of which one extent may be -1.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2, 3, 4]).reshape(2, -1)
        Array([[1, 2],
               [3, 4]])
        """
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return call(f"reshape(x0, {_list(extents)})", self)

    def ravel(self) -> Array:
        """The elements in row-major order, along one axis.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).ravel()
        Array([1, 2, 3, 4])
        """
        return call("ravel(x0)", self)

    def flatten(self) -> Array:
        """The elements in row-major order, along one axis.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).flatten()
        Array([1, 2, 3, 4])
        """
        return self.ravel()

    def transpose(self, *axes: Any) -> Array:
        """The array with its axes in another order, by default in reverse.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).transpose()
        Array([[1, 3],
               [2, 4]])
        """
        if not axes or axes == (None,):
            return self.T
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return call(f"transpose(x0, {_list(order)})", self)

    def swapaxes(self, axis1: int, axis2: int, /) -> Array:
        """The array with two axes exchanged.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).swapaxes(0, 1)
        Array([[1, 3],
               [2, 4]])
        """
        return call(f"swapaxes(x0, {int(axis1)}, {int(axis2)})", self)

    def squeeze(self, axis: Any = None) -> Array:
        """The array without axes of one element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2]]).squeeze()
        Array([1, 2])
        """
        return call(f"squeeze(x0, {_axis(axis)})", self)

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """The elements, not below `min` and not above `max`.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 5, 9]).clip(2, 8)
        Array([2, 5, 8])
        """
        bounds = [bound for bound in (min, max) if bound is not None]
        given = [name for name, bound in (("min", min), ("max", max)) if bound is not None]
        names = [f"{name}=x{index}" for index, name in enumerate(given, 1)]
        return call(f"clip({', '.join(['x0', *names])})", self, *bounds)

    def round(self, decimals: int = 0) -> Array:
        """The nearest whole numbers, ties to even; with `decimals` multiples of a power of ten.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.5, 1.5, 2.7]).round()
        Array([0., 2., 3.])
        """
        return call("round(x0)" if decimals == 0 else f"round(x0*10.0**{decimals})/10.0**{decimals}", self)

    def dot(self, other: Any) -> Array:
        """The sum of products of vectors, or the product of matrices.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.0, 2.0]).dot(am.Array([3.0, 4.0]))
        Array(11.)
        """
        return call("dot(x0, x1)", self, other)

    def any(self, axis: Any = None, keepdims: bool = False) -> Array:
        """True where an element along the axes is not 0.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[0, 1], [0, 0]]).any(axis=1)
        Array([ True, False])
        """
        return _reduced("any", self, axis, keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Array:
        """True where no element along the axes is 0.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[0, 1], [1, 1]]).all(axis=1)
        Array([False,  True])
        """
        return _reduced("all", self, axis, keepdims)

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """Sums along the axes, by default of all elements; of conditions and small integers in 64 bits.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).sum(axis=0)
        Array([4, 6])
        """
        return _reduced("sum", self, axis, keepdims, _dtype(dtype))

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """Products along the axes, by default of all elements.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).prod(axis=0)
        Array([3, 8])
        """
        return _reduced("prod", self, axis, keepdims, _dtype(dtype))

    def min(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Minima along the axes, by default of all elements; NaN where there is one.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).min(axis=1)
        Array([1, 3])
        """
        return _reduced("min", self, axis, keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Maxima along the axes, by default of all elements; NaN where there is one.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).max(axis=1)
        Array([2, 4])
        """
        return _reduced("max", self, axis, keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Indices of the first minima along an axis, by default of all elements in row-major order.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[5, 2], [3, 4]]).argmin(axis=1)
        Array([1, 0])
        """
        return _reduced("argmin", self, axis, keepdims)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Indices of the first maxima along an axis, by default of all elements in row-major order.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[5, 2], [3, 4]]).argmax()
        Array(0)
        """
        return _reduced("argmax", self, axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Means along the axes, by default of all elements.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([[1, 2], [3, 4]]).mean(axis=0)
        Array([2., 3.])
        """
        return _reduced("mean", self, axis, keepdims)

    def var(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Array:
        """Variances along the axes: sums of squared distances from the mean over n - ddof.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.0, 2.0, 3.0]).var(ddof=1)
        Array(1.)
        """
        return _reduced("var", self, axis, keepdims, f", correction={float(ddof)}")

    def std(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Array:
        """Standard deviations along the axes: the roots of the variances.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1.0, 2.0, 3.0]).std(ddof=1)
        Array(1.)
        """
        return _reduced("std", self, axis, keepdims, f", correction={float(ddof)}")

    def cumsum(self, axis: int | None = None) -> Array:
        """Running sums along an axis, by default of all elements in row-major order.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2, 3]).cumsum()
        Array([1, 3, 6])
        """
        return call(f"cumsum(x0, {_axis(axis)})", self)

    def cumprod(self, axis: int | None = None) -> Array:
        """Running products along an axis, by default of all elements in row-major order.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([1, 2, 3]).cumprod()
        Array([1, 2, 6])
        """
        return call(f"cumprod(x0, {_axis(axis)})", self)

    def norm(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Euclidean norms along the axes, by default of all elements.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([3.0, 4.0]).norm()
        Array(5.)
        """
        return _reduced("norm", self, axis, keepdims)

    # Operators.

    def __add__(self, other: Any) -> Array:
        return _binary("x0 + x1", self, other)

    def __radd__(self, other: Any) -> Array:
        return _binary("x1 + x0", self, other)

    def __sub__(self, other: Any) -> Array:
        return _binary("x0 - x1", self, other)

    def __rsub__(self, other: Any) -> Array:
        return _binary("x1 - x0", self, other)

    def __mul__(self, other: Any) -> Array:
        return _binary("x0 * x1", self, other)

    def __rmul__(self, other: Any) -> Array:
        return _binary("x1 * x0", self, other)

    def __truediv__(self, other: Any) -> Array:
        return _binary("x0 / x1", self, other)

    def __rtruediv__(self, other: Any) -> Array:
        return _binary("x1 / x0", self, other)

    def __floordiv__(self, other: Any) -> Array:
        return _binary("x0 // x1", self, other)

    def __rfloordiv__(self, other: Any) -> Array:
        return _binary("x1 // x0", self, other)

    def __mod__(self, other: Any) -> Array:
        return _binary("x0 % x1", self, other)

    def __rmod__(self, other: Any) -> Array:
        return _binary("x1 % x0", self, other)

    def __pow__(self, other: Any) -> Array:
        return _binary("x0 ** x1", self, other)

    def __rpow__(self, other: Any) -> Array:
        return _binary("x1 ** x0", self, other)

    def __matmul__(self, other: Any) -> Array:
        return _binary("x0 @ x1", self, other)

    def __rmatmul__(self, other: Any) -> Array:
        return _binary("x1 @ x0", self, other)

    def __and__(self, other: Any) -> Array:
        return _binary("x0 & x1", self, other)

    def __rand__(self, other: Any) -> Array:
        return _binary("x1 & x0", self, other)

    def __or__(self, other: Any) -> Array:
        return _binary("x0 | x1", self, other)

    def __ror__(self, other: Any) -> Array:
        return _binary("x1 | x0", self, other)

    def __xor__(self, other: Any) -> Array:
        return _binary("x0 ^ x1", self, other)

    def __rxor__(self, other: Any) -> Array:
        return _binary("x1 ^ x0", self, other)

    def __lshift__(self, other: Any) -> Array:
        return _binary("x0 << x1", self, other)

    def __rlshift__(self, other: Any) -> Array:
        return _binary("x1 << x0", self, other)

    def __rshift__(self, other: Any) -> Array:
        return _binary("x0 >> x1", self, other)

    def __rrshift__(self, other: Any) -> Array:
        return _binary("x1 >> x0", self, other)

    def __lt__(self, other: Any) -> Array:
        return _binary("x0 < x1", self, other)

    def __le__(self, other: Any) -> Array:
        return _binary("x0 <= x1", self, other)

    def __gt__(self, other: Any) -> Array:
        return _binary("x0 > x1", self, other)

    def __ge__(self, other: Any) -> Array:
        return _binary("x0 >= x1", self, other)

    def __eq__(self, other: Any) -> Array:  # type: ignore[override]
        return _binary("x0 == x1", self, other)

    def __ne__(self, other: Any) -> Array:  # type: ignore[override]
        return _binary("x0 != x1", self, other)

    def __neg__(self) -> Array:
        return call("-x0", self)

    def __pos__(self) -> Array:
        return call("+x0", self)

    def __invert__(self) -> Array:
        return call("~x0", self)

    def __abs__(self) -> Array:
        return call("abs(x0)", self)

    # Functions of elements.

    def exp(self) -> Array:
        """The exponential function of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).exp()
        Array([1.28402542, 2.71828183])
        """
        return call("exp(x0)", self)

    def log(self) -> Array:
        """The natural logarithm of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).log()
        Array([-1.38629436,  0.        ])
        """
        return call("log(x0)", self)

    def sqrt(self) -> Array:
        """The square root of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).sqrt()
        Array([0.5, 1. ])
        """
        return call("sqrt(x0)", self)

    def sin(self) -> Array:
        """The sine of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).sin()
        Array([0.24740396, 0.84147098])
        """
        return call("sin(x0)", self)

    def cos(self) -> Array:
        """The cosine of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).cos()
        Array([0.96891242, 0.54030231])
        """
        return call("cos(x0)", self)

    def tan(self) -> Array:
        """The tangent of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).tan()
        Array([0.25534192, 1.55740772])
        """
        return call("tan(x0)", self)

    def tanh(self) -> Array:
        """The hyperbolic tangent of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).tanh()
        Array([0.24491866, 0.76159416])
        """
        return call("tanh(x0)", self)

    def erf(self) -> Array:
        """The error function of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).erf()
        Array([0.27632639, 0.84270079])
        """
        return call("erf(x0)", self)

    def square(self) -> Array:
        """The square of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).square()
        Array([0.0625, 1.    ])
        """
        return call("square(x0)", self)

    def conj(self) -> Array:
        """The complex conjugate of each element.

        Examples
        --------
        >>> import affinimath as am
        >>> am.Array([0.25, 1.0]).conj()
        Array([0.25, 1.  ])
        """
        return call("conj(x0)", self)


#: Names of NumPy's functions of elements where texts have others.
_UFUNCS = {"arctan2": "atan2", "true_divide": "divide"}
_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any",
}  # fmt: skip


#: Reductions and others that are methods, and NumPy's names of them.
_METHODS = {"amin": "min", "amax": "max"}
_FUNCTIONS = {
    "all", "any", "argmax", "argmin", "clip", "cumprod", "cumsum", "max", "mean", "min", "prod", "ravel", "reshape",
    "round", "squeeze", "std", "sum", "swapaxes", "transpose", "var",
}  # fmt: skip
_NO_VALUE = getattr(np, "_NoValue", None)
_OPERAND = re.compile(r"\bx(\d+)\b")


def _on_numpy(value: Any) -> Any:
    """The value with arrays of NumPy in place of arrays, also within lists and tuples."""
    if isinstance(value, Array):
        return value.numpy()
    if isinstance(value, dict):
        return {key: _on_numpy(part) for key, part in value.items()}
    return type(value)(map(_on_numpy, value)) if type(value) in (list, tuple) else value


# Calls.


def _binary(text: str, x: Array, other: Any) -> Array:
    if _is_operand(other):
        return call(text, x, other)
    return NotImplemented  # type: ignore[no-any-return]


def _is_operand(value: Any) -> bool:
    return isinstance(value, (Array, np.ndarray, np.generic, *_NUMBERS))


def literal(value: Scalar) -> str:
    """A number as text of an expression; it takes the type of the arrays that it meets."""
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, complex):
        is_finite = math.isfinite(value.imag)
        imaginary = f"{value.imag!r}j" if is_finite else _digits(value.imag).replace("1e999", "1e999j")
        return f"({_digits(value.real)} + ({imaginary}))"
    if isinstance(value, float):
        return f"({_digits(value)})"
    if -(2**63) < value < 2**63:
        return f"({value})"
    # The least integer of 64 bits is the negative of none; others are real numbers.
    return f"(-{2**63 - 1} - 1)" if value == -(2**63) else literal(float(value))


def _digits(value: float) -> str:
    """A real number without names, which an operand may have."""
    if math.isnan(value):
        return "1e999 - 1e999"
    return repr(value) if math.isfinite(value) else ("1e999" if value > 0 else "-1e999")


def as_operand(value: Any, like: Array | None = None) -> Array:
    """An operand in the memory of another one."""
    return value if isinstance(value, Array) else asarray(value, device=None if like is None else like.device)


def call_all(text: str, *operands: Any) -> list[Array]:
    """The results of a text with the operands x0, x1, ..., of which Python's numbers become part of the text."""
    like = next((operand for operand in operands if isinstance(operand, Array)), None)
    arrays: list[_lazy.Handle] = []
    written: list[str] = []
    for operand in operands:
        if type(operand) in _NUMBERS:
            written.append(literal(operand))
        else:
            written.append(f"x{len(arrays)}")
            arrays.append(as_operand(operand, like)._handle)
    text = _OPERAND.sub(lambda found: written[int(found[1])], text)
    return [Array._of(*result) for result in _lazy.apply(text, arrays)]


def call(text: str, *operands: Any) -> Array:
    """The result of a text with the operands x0, x1, ..."""
    if type(operands[0]) is Array and len(operands) == 1:
        return Array._of(*_lazy.apply(text, [operands[0]._handle])[0])
    return call_all(text, *operands)[0]


def _list(values: Any) -> str:
    return f"[{', '.join(str(operator.index(value)) for value in values)}]"


def _axis(axis: Any) -> str:
    if axis is None:
        return "None"
    return _list(axis) if isinstance(axis, (tuple, list)) else str(operator.index(axis))


def _dtype(dtype: Any) -> str:
    return "" if dtype is None else f", dtype={check_dtype(dtype).name}"


def _reduced(name: str, x: Array, axis: Any, keepdims: bool, more: str = "") -> Array:
    return call(f"{name}(x0, axis={_axis(axis)}, keepdims={bool(keepdims)}{more})", x)


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
        elif isinstance(part, (Array, np.ndarray, list)) and len(operands) == 1:
            indices = part if isinstance(part, Array) else np.asarray(part)
            if indices.dtype.kind not in "iu" or (isinstance(indices, np.ndarray) and indices.size == 0):
                return None
            operands.append(indices)
            items.append("x1")
        elif isinstance(part, (Array, np.ndarray, list, bool, np.bool_)):
            return None
        elif hasattr(part, "__index__"):
            items.append(str(operator.index(part)))
        else:
            raise IndexError(f"an index is an integer, a slice, an array, None or Ellipsis, not {part!r}")
    if len(operands) > 1 and any(isinstance(part, (int, np.integer)) or part is None for part in _parts(key)):
        # NumPy moves axes there.
        return None
    return ", ".join(items)


def check_dtype(dtype: Any) -> np.dtype:
    """The type of elements, if arrays have it."""
    found: np.dtype = np.dtype(dtype).newbyteorder("=")
    if found not in _lazy.CODES:
        raise TypeError(f"elements of {found}; there are {', '.join(kind.name for kind in _lazy.CODES)}")
    return found


def asarray(data: Any, /, dtype: Any = None, *, device: Any = None) -> Array:
    """An array of the elements of `data`.

    Parameters
    ----------
    data : array_like
        An array, or what `numpy.asarray` takes. Elements are copied, but those of an `Array`.
    dtype : dtype, optional
        The type of the elements, by default that of the data.
    device : str, optional
        The device whose memory receives them: a name of `device_names`, or 'host'. By default that of `set_device`.

    Returns
    -------
    Array

    Examples
    --------
    >>> import affinimath as am
    >>> am.asarray([[1, 2], [3, 4]]).T
    Array([[1, 3],
           [2, 4]])
    """
    if isinstance(data, Array):
        array = data if dtype is None else data.astype(dtype)
        return array if device is None else array.to_device(device)
    elements = np.asarray(data, None if dtype is None else check_dtype(dtype))
    kind = check_dtype(elements.dtype)
    if elements.ndim > 8:
        raise ValueError(f"{elements.ndim} axes; there are 8 at most")
    elements = np.asarray(elements, kind)
    if not _lazy.is_readable(elements):
        elements = np.require(elements, kind, ["C", "ALIGNED"])
    return Array._of(_lazy.upload(elements, device), kind, elements.shape)
