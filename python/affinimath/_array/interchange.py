"""Elements of arrays for Python and NumPy."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import _lazy
from .._library import InvalidArgumentError
from .calls import Base, Scalar, as_operand, asarray, is_operand
from .functions import binary, unary
from .host import on_host
from .numpys import FUNCTIONS
from .operators import product


class Interchange(Base):
    """Conversions, and the protocols of NumPy and DLPack."""

    __slots__ = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the elements are copied to NumPy's memory: copy=False cannot be")
        array = _lazy.download(self._handle, self.dtype, self.shape)
        return array if dtype is None else array.astype(dtype, copy=False)

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

    def __repr__(self) -> str:
        return repr(self.numpy()).replace("array(", "Array(", 1)

    def __str__(self) -> str:
        return str(self.numpy())

    def __format__(self, specification: str) -> str:
        return format(self.numpy()[()], specification)

    def __reduce__(self) -> Any:
        return asarray, (self.numpy(),)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        name = _UFUNCS.get(ufunc.__name__, ufunc.__name__)
        if method == "reduce" and name in _REDUCTIONS and "out" not in options:
            options.setdefault("axis", 0)
            return getattr(as_operand(inputs[0]), _REDUCTIONS[name])(**options)
        if method != "__call__" or options or any(not is_operand(value) for value in inputs):
            return NotImplemented
        if name == "matmul":
            return product(*inputs)
        try:
            if len(inputs) == 1:
                return unary(name, *inputs)
            return binary(name, *inputs) if len(inputs) == 2 else NotImplemented
        except InvalidArgumentError as error:
            if "no function is called" in str(error):
                return NotImplemented
            raise

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: dict[str, Any]) -> Any:
        name = _METHODS.get(function.__name__, function.__name__)
        given = {key: value for key, value in keywords.items() if value is not None and value is not _NO_VALUE}
        if name in _FUNCTIONS and arguments and isinstance(arguments[0], Base):
            return getattr(arguments[0], name)(*arguments[1:], **given)
        if name in _WRITING or isinstance(keywords.get("out"), Base):
            raise TypeError(f"numpy.{name} writes into an array, which an Array is not for NumPy: assign to its parts")
        routine = _routine(function, name) if arguments else None
        result = NotImplemented if routine is None else routine(*arguments, **keywords)
        if result is not NotImplemented:
            return result
        # All others are NumPy's own, on its arrays.
        return on_host(function, *arguments, **keywords)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        if stream is not None:
            raise ValueError("stream is None for elements in the host's memory")
        if dl_device is not None and tuple(map(int, dl_device)) != (1, 0):
            raise BufferError(f"elements are exported in the host's memory, not on {dl_device}")
        if copy is False:
            raise BufferError("the elements are copied to the host's memory: copy=False cannot be")
        return self.numpy().__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        # Elements leave by the host's memory.
        return 1, 0


#: Names of NumPy's functions of elements where the array API standard has others.
_UFUNCS = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "conjugate": "conj", "power": "pow", "rint": "round",
    "true_divide": "divide",
}  # fmt: skip
_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any",
}  # fmt: skip
#: Reductions and others that are methods, and NumPy's names of them.
_METHODS = {"amin": "min", "amax": "max", "around": "round", "round_": "round"}
_FUNCTIONS = {
    "all", "any", "argmax", "argmin", "clip", "cumprod", "cumsum", "max", "mean", "min", "prod", "ravel", "reshape",
    "round", "squeeze", "std", "sum", "swapaxes", "transpose", "var",
}  # fmt: skip
_NO_VALUE = getattr(np, "_NoValue", None)
#: Functions that write into their first argument.
_WRITING = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}


def _routine(function: Any, name: str) -> Any:
    """The package's routine in place of one of NumPy's."""
    from .. import fft, linalg

    of = getattr(function, "__module__", "")
    if of == "numpy":
        return FUNCTIONS.get(name)
    modules: dict[str, Any] = {"numpy.linalg": linalg, "numpy.fft": fft}
    module = modules.get(of)
    return None if module is None or name not in module.__all__ else getattr(module, name)
