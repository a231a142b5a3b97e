"""Stencils: texts that say what one step computes at each point of a grid, and runs of them on NumPy's arrays."""

from __future__ import annotations

import ctypes
import json
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _lazy
from ._array import Array
from ._array.host import first_device, to_arrays, to_numpy
from ._library import InvalidArgumentError, check, library
from .array_api._creation import zeros

_P, _I64 = ctypes.c_void_p, ctypes.c_int64


class _Size(ctypes.Structure):
    """affinimath_stencil_size."""

    _fields_ = [("name", ctypes.c_char_p), ("value", _I64)]


class _Outcome(ctypes.Structure):
    """affinimath_stencil_outcome."""

    _fields_ = [("steps", _I64), ("stopped", ctypes.c_int)]


for _name, _arguments in {
    "Create": [ctypes.c_char_p, _P],
    "Description": [_P, _P, _I64, _P],
    "PlanCreate": [_P, _I64, _I64, _P, _I64, _P, _P],
    "PlanDescription": [_P, _P, _I64, _P],
    "PlanSource": [_P, ctypes.c_char_p, _P, _I64, _P],
    "PlanStrategy": [_P, _P, _I64, _P],
    "PlanSetStrategy": [_P, ctypes.c_char_p],
    "PlanRun": [_P, _I64, _P, ctypes.c_int, _I64, _I64, _P, _P],
    "PlanDestroy": [_P],
    "Destroy": [_P],
}.items():
    getattr(library, f"affinimathStencil{_name}").argtypes = _arguments

_DTYPES = {"int": np.int32, "long": np.int64, "float": np.float32, "double": np.float64}
_MAX_PLANS = 8


def _text(function: Any, *arguments: Any) -> str:
    """A text of the C library, whose length it tells."""
    length = _I64()
    check(function(*arguments, None, 0, ctypes.byref(length)))
    room = ctypes.create_string_buffer(length.value + 1)
    check(function(*arguments, room, length.value + 1, ctypes.byref(length)))
    return room.value.decode()


@dataclass(frozen=True)
class StencilResult(Mapping[str, Any]):
    """The end of a run: ``result["u"]`` is the newest level of the grid u.

    Attributes
    ----------
    grids : dict of numpy.ndarray or Array
        The newest level of each grid that changes. It has the shape of the array that was given, or that of the grid's
        memory, the border of the domain among it. It is an `Array` of the same device where one was given.
    levels : dict of list of numpy.ndarray or Array
        The levels that a further run reads, the oldest first, in the shape of the memory.
    results : dict
        The values of the stencil's results in the last step; empty without a step.
    steps : int
        Steps that were done.
    stopped : bool
        True if the stop criterion ended the run.

    Examples
    --------
    >>> import affinimath as am
    >>> half = am.Stencil("stencil half { domainsize = (1 .. n); operation (double grid u, double result largest) "
    ...                   "{ u[x; t+1] = 0.5 * u[x; t]; largest = max(u[x; t+1]); } stop { when largest < 1; } }")
    >>> result = half.run(u=[4.0, 6.0], steps=100)
    >>> result.steps, result.stopped, float(result.results["largest"]), result["u"].tolist()
    (3, True, 0.75, [0.5, 0.75])
    """

    grids: dict[str, Any]
    levels: dict[str, list[Any]]
    results: dict[str, Any]
    steps: int
    stopped: bool

    def __getitem__(self, name: str) -> Any:
        return self.grids[name]

    def __iter__(self) -> Any:
        return iter(self.grids)

    def __len__(self) -> int:
        return len(self.grids)


class Stencil:
    """A stencil: grids, what one step computes at each point, boundary conditions, results and a stop criterion.

    The language is described in the book, on the page Stencils.

    Parameters
    ----------
    text : str
        The stencil's text.

    Attributes
    ----------
    name : str
        The name in the text.
    facts : dict
        Grids, parameters, results and sizes, radii, levels, and the work of a point: what the C function
        affinimathStencilDescription tells.

    Raises
    ------
    InvalidArgumentError
        If the text is no stencil. The message shows the place.

    Examples
    --------
    >>> import numpy as np, affinimath as am
    >>> heat = am.Stencil('''
    ... stencil heat {
    ...   domainsize = (1 .. nx, 1 .. ny);
    ...   operation (double grid u, double param k, double result change) {
    ...     double lap = u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t] - 4 * u[x,y; t];
    ...     u[x,y; t+1] = u[x,y; t] + k * lap;
    ...     change = max(abs(k * lap));
    ...   }
    ... }''')
    >>> u = np.zeros((5, 6))
    >>> u[2, 2] = 1
    >>> result = heat.run(u=u, k=0.25, steps=1)
    >>> result["u"][2]
    array([0.  , 0.25, 0.  , 0.25, 0.  , 0.  ])
    >>> float(result.results["change"])
    1.0
    """

    def __init__(self, text: str) -> None:
        pointer = ctypes.c_void_p()
        check(library.affinimathStencilCreate(text.encode(), ctypes.byref(pointer)))
        self._pointer = pointer.value
        self.facts: dict[str, Any] = json.loads(_text(library.affinimathStencilDescription, self._pointer))
        self.name: str = self.facts["name"]
        self._grids = {grid["name"]: grid for grid in self.facts["grids"]}
        self._parameters = {parameter["name"]: parameter for parameter in self.facts["parameters"]}
        self._plans: OrderedDict[Any, _Plan] = OrderedDict()
        self._lock = threading.Lock()

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer is not None:
            library.affinimathStencilDestroy(pointer)

    def __repr__(self) -> str:
        return f"<Stencil {self.name}: grids {', '.join(self._grids)}>"

    def run(
        self,
        operands: Mapping[str, Any] | None = None,
        *,
        steps: int | None = None,
        first: int = 0,
        device: int | str | None = None,
        strategy: str | None = None,
        **named: Any,
    ) -> StencilResult:
        """Runs steps. Arrays that are given do not change.

        Parameters
        ----------
        operands : mapping, optional
            Values by name, as the keyword arguments have them.
        steps : int, optional
            The number of steps; without it that of the text.
        first : int, optional
            The time of the first step.
        device : int or str, optional
            The device: its number or its name, or "host". By default that of the first `Array` that is given, else the
            one of `device()`, or the host.
        strategy : str, optional
            The strategy of the run with its settings, such as "stream:items=32x8,planes=64". By default, or for
            "auto", the plan chooses one: `strategy` tells which. All strategies give the same bits.
        **named
            Grids, parameters and sizes by name. A grid is an array of NumPy or an `Array`, whose last axis is x and
            whose first axes are those of components; a number; or a list of its levels, the oldest first. Its shape is
            that of the grid's memory, the border of the domain among it. Where all sizes are given, it may also be that
            of the domain. A grid without a value has the initial values of the text, or zeros. Sizes that are not given
            follow from shapes.

        Returns
        -------
        StencilResult
            The newest levels, results, and the number of steps.

        Raises
        ------
        InvalidArgumentError
            If shapes do not fit, or the strategy is none or does not fit. Nothing runs then.
        TypeError
            If a name is unknown, or a parameter is missing.

        Examples
        --------
        >>> import numpy as np, affinimath as am
        >>> ring = am.Stencil("stencil ring { domainsize = (1 .. n); "
        ...                   "operation (float grid u) { u[x; t+1] = u[x-1; t]; } boundary { u: x = periodic; } }")
        >>> ring.run(u=np.arange(4), n=4, steps=1)["u"]
        array([3., 0., 1., 2.], dtype=float32)
        """
        values = {**(operands or {}), **named}
        own = first_device(values.values())
        device = own if device is None else device
        sizes = {name: int(values.pop(name)) for name in self.facts["sizes"] if self._is_size(name, values)}
        if steps is not None and self.facts["steps"] in self.facts["sizes"]:
            # Ranges of parameters may depend on it.
            sizes.setdefault(self.facts["steps"], int(steps))
        for name in values:
            if name not in self._grids and name not in self._parameters:
                every = [*self._grids, *self._parameters, *self.facts["sizes"]]
                raise TypeError(f"{self.name} has no {name!r}: there are {', '.join(every)}")
        missing = [name for name in self._parameters if name not in values]
        if missing:
            raise TypeError(f"the parameter {missing[0]!r} of {self.name} is missing")
        given = {name: values[name] for name in self._grids if name in values}
        # Arrays stay where they lie if the plan runs there.
        where = own if own is not None and _is_there(own, device) and any(map(_has_array, given.values())) else None
        grids = {name: self._levels_of(name, value, where is None) for name, value in given.items()}
        plan = self._plan(sizes, grids, device, strategy)
        parameters = {
            name: np.asarray(to_numpy(values[name]), dtype=_DTYPES[parameter["type"]], order="C")
            for name, parameter in self._parameters.items()
        }
        result = plan.run(grids, parameters, steps, first, where)
        # Grids that were an Array come back as one, where the first of them was.
        for name in result.grids:
            is_array = _has_array(values.get(name))
            if is_array and where is None:
                result.grids[name] = to_arrays(result.grids[name], own)
                result.levels[name] = to_arrays(result.levels[name], own)
            elif not is_array and where is not None:
                result.grids[name] = to_numpy(result.grids[name])
                result.levels[name] = to_numpy(result.levels[name])
        return result

    def source(
        self,
        language: str = "opencl",
        *,
        device: int | str | None = None,
        strategy: str | None = None,
        **sizes: int,
    ) -> str:
        """The text of the kernels for given sizes.

        Parameters
        ----------
        language : str
            "opencl" for OpenCL C, "cuda" for CUDA C++, or "c99".
        device : int or str, optional
            The device, as for `run`.
        strategy : str, optional
            The strategy, as for `run`.
        **sizes
            The values of the stencil's sizes.

        Returns
        -------
        str
            A kernel for each pass of a run.

        Examples
        --------
        >>> import affinimath as am
        >>> ring = am.Stencil("stencil ring { domainsize = (1 .. n); "
        ...                   "operation (float grid u) { u[x; t+1] = u[x-1; t]; } }")
        >>> "__kernel" in ring.source("opencl", n=8)
        True
        """
        return self._plan(sizes, {}, device, strategy).source(language)

    def strategy(self, strategy: str | None = None, *, device: int | str | None = None, **sizes: int) -> str:
        """The strategy of a run with given sizes, with all its settings.

        Parameters
        ----------
        strategy : str, optional
            A strategy, whose settings may be left out. By default the one that a plan chooses: that which the device
            was tuned with, else the model's.
        device : int or str, optional
            The device, as for `run`.
        **sizes
            The values of the stencil's sizes.

        Returns
        -------
        str
            The strategy, as `run` takes it.

        Raises
        ------
        InvalidArgumentError
            If the text is no strategy, or it does not fit the stencil, the sizes or the device.

        Examples
        --------
        >>> import affinimath as am
        >>> blur = am.Stencil("stencil blur { domainsize = (1 .. n, 1 .. n); "
        ...                   "operation (float grid u) { u[x,y; t+1] = 0.5 * (u[x-1,y; t] + u[x,y-1; t]); } }")
        >>> blur.strategy(device="host", n=8)
        'naive'
        >>> blur.strategy("wavefront:steps=3", device="host", n=8)
        'wavefront:steps=3,width=32'
        """
        return self._plan(sizes, {}, device, strategy).strategy

    def _is_size(self, name: str, values: Mapping[str, Any]) -> bool:
        return name in values and name not in self._grids and name not in self._parameters

    def _levels_of(self, name: str, value: Any, on_host: bool) -> list[Any]:
        """The levels of a grid that are given: arrays of NumPy, or arrays where they lie."""
        dtype = np.dtype(_DTYPES[self._grids[name]["type"]])
        levels = list(value) if isinstance(value, (list, tuple)) and _is_levels(value) else [value]
        arrays = [
            level if isinstance(level, Array) and not on_host else np.asarray(to_numpy(level)) for level in levels
        ]
        for array in arrays:
            if not np.can_cast(array.dtype, dtype, "same_kind") and array.ndim > 0:
                raise TypeError(f"{name!r} is a grid of {dtype}, and an array of {array.dtype} is given")
        return arrays

    def _plan(
        self,
        sizes: dict[str, int],
        grids: dict[str, list[Any]],
        device: int | str | None,
        strategy: str | None,
    ) -> _Plan:
        shapes = {name: levels[0].shape for name, levels in grids.items() if levels[0].ndim > 0}
        if all(name in sizes for name in self._needed()):
            shapes = {}
        number = _lazy.number_of(device)
        key = (tuple(sorted(sizes.items())), tuple(sorted(shapes.items())), number, strategy)
        with self._lock:
            found = self._plans.get(key)
            if found is not None:
                self._plans.move_to_end(key)
                return found
        plan = _Plan(self, sizes, shapes, number, strategy)
        with self._lock:
            self._plans[key] = plan
            if len(self._plans) > _MAX_PLANS:
                self._plans.popitem(last=False)
        return plan

    def _needed(self) -> list[str]:
        """The sizes of the domain and of memory."""
        texts = [bound for pair in self.facts["domain"] for bound in pair]
        texts += [bound for grid in self.facts["grids"] for pair in grid["memory"] for bound in pair]
        words = set(re.findall(r"\w+", " ".join(texts)))
        return [name for name in self.facts["sizes"] if name in words]


def _is_levels(value: Sequence[Any]) -> bool:
    return bool(value) and all(isinstance(level, (np.ndarray, Array)) for level in value)


def _is_there(own: str, device: int | str | None) -> bool:
    """True if an array's device is the one of a run."""
    return own == device or _lazy.number_of(own) == _lazy.number_of(device)


def _has_array(value: Any) -> bool:
    return first_device([value]) is not None


def _is_layout(array: np.ndarray, shape: Sequence[int]) -> bool:
    """True for elements that a run reads where they lie."""
    positive = all(stride > 0 for stride, extent in zip(array.strides, array.shape) if extent > 1)
    return array.shape == tuple(shape) and positive and _lazy.is_readable(array)


class _Plan:
    """A plan of the C library."""

    def __init__(
        self,
        stencil: Stencil,
        sizes: dict[str, int],
        shapes: dict[str, tuple[int, ...]],
        device: int,
        strategy: str | None,
    ) -> None:
        self._stencil = stencil
        pairs = [(name.encode(), value) for name, value in sizes.items()]
        given = (_Size * len(pairs))(*[_Size(name, value) for name, value in pairs])
        described = (_lazy.Operand * len(shapes))()
        for operand, (name, shape) in zip(described, shapes.items()):
            if len(shape) > len(operand.shape):
                raise InvalidArgumentError(f"{name!r} has {len(shape)} axes, more than 8", -6)
            operand.name, operand.rank = name.encode(), len(shape)
            operand.shape[: len(shape)] = shape
        pointer = ctypes.c_void_p()
        create = library.affinimathStencilPlanCreate
        check(create(stencil._pointer, device, len(given), given, len(described), described, ctypes.byref(pointer)))
        self._pointer = pointer.value
        if strategy is not None:
            check(library.affinimathStencilPlanSetStrategy(self._pointer, strategy.encode()))
        facts = json.loads(_text(library.affinimathStencilPlanDescription, self._pointer))
        self._points: list[int] = facts["points"]
        self._lower: list[int] = facts["lower"]
        self._memory = {grid["name"]: grid for grid in facts["grids"]}

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer is not None:
            library.affinimathStencilPlanDestroy(pointer)

    @property
    def strategy(self) -> str:
        return _text(library.affinimathStencilPlanStrategy, self._pointer)

    def source(self, language: str) -> str:
        return _text(library.affinimathStencilPlanSource, self._pointer, language.encode())

    def _interior(self, name: str) -> tuple[Any, ...]:
        """The domain within a grid's memory."""
        memory, grid = self._memory[name], self._stencil._grids[name]
        axes = self._stencil.facts["axes"]
        lengths = dict(zip(axes, reversed(self._points)))
        lower = dict(zip(axes, reversed(self._lower)))
        inside: list[Any] = [...]
        for axis, first in zip(reversed(grid["axes"]), memory["lower"]):
            begin = lower[axis] - first
            inside.append(slice(begin, begin + lengths[axis]))
        return tuple(inside)

    def run(
        self,
        grids: dict[str, list[Any]],
        parameters: dict[str, np.ndarray],
        steps: int | None,
        first: int,
        where: str | None,
    ) -> StencilResult:
        """Runs on arrays of NumPy, or on arrays of a device."""
        levels: dict[str, list[Any]] = {} if where is not None else dict(self._lent(grids))
        lent = set(levels)
        for name in self._memory:
            levels.setdefault(name, self._empty(name, where))
        # The order of operands is that of the grids.
        levels = {name: levels[name] for name in self._memory}
        operands = list(parameters.items())
        forms: dict[str, tuple[Any, ...]] = {}
        if any(name not in grids for name in self._memory):
            self._call(levels, operands, {}, 1, first, 0)
        for name, arrays in grids.items():
            if name not in lent:
                forms[name] = self._fill(name, levels[name], arrays)
        results = {result["name"]: np.zeros((), _DTYPES[result["type"]]) for result in self._stencil.facts["results"]}
        newest, outcome = self._call(levels, operands, results, 0, first, -1 if steps is None else int(steps))
        final, kept = {}, {}
        for name, arrays in levels.items():
            if not self._stencil._grids[name]["assigned"]:
                continue
            last = newest[name]
            final[name] = arrays[last][forms.get(name, (...,))]
            count = len(self._memory[name]["inputs"])
            # Levels rotate: those that a further run reads end with the newest.
            kept[name] = [arrays[(last - back) % len(arrays)] for back in reversed(range(count))]
        ends = {name: value[()] for name, value in results.items()} if outcome.steps > 0 else {}
        return StencilResult(final, kept, ends, outcome.steps, bool(outcome.stopped))

    def _lent(self, grids: dict[str, list[np.ndarray]]) -> dict[str, list[np.ndarray]]:
        """Constant grids that a run reads in the caller's memory: nothing writes them, and no two of them overlap."""
        if any(name not in grids for name in self._memory):
            # Initial values are set on all grids.
            return {}
        lent: dict[str, list[np.ndarray]] = {}
        for name, arrays in grids.items():
            grid, memory = self._stencil._grids[name], self._memory[name]
            is_read = grid["constant"] and not grid["boundaries"] and len(arrays) == 1
            if not is_read or arrays[0].dtype != _DTYPES[memory["type"]] or not _is_layout(arrays[0], memory["shape"]):
                continue
            if not any(np.may_share_memory(arrays[0], other[0]) for other in lent.values()):
                lent[name] = arrays
        return lent

    def _empty(self, name: str, where: str | None) -> list[Any]:
        memory = self._memory[name]
        shape, dtype = memory["shape"], _DTYPES[memory["type"]]
        return [
            np.zeros(shape, dtype) if where is None else zeros(shape, dtype=dtype, device=where)
            for _ in range(memory["levels"])
        ]

    def _fill(self, name: str, levels: list[Any], arrays: list[Any]) -> tuple[Any, ...]:
        """Copies what is given into the levels that a run reads, and returns the part of memory that it has."""
        inputs = len(self._memory[name]["inputs"])
        if len(arrays) not in (1, inputs):
            reason = f"{name!r} has {inputs} levels before a step, and {len(arrays)} are given"
            raise InvalidArgumentError(reason, -3)
        if len(arrays) == 1:
            arrays = arrays * inputs
        form: tuple[Any, ...] = (...,)
        for level, array in zip(levels, arrays):
            if array.ndim == 0 or array.shape == level.shape:
                level[...] = array
                continue
            form = self._interior(name)
            if array.shape != level[form].shape:
                shapes = f"{level.shape}, and the domain {level[form].shape}"
                reason = f"the array of {name!r} has shape {array.shape}, the grid's memory {shapes}"
                raise InvalidArgumentError(reason, -3)
            level[form] = array
        return form

    def _call(
        self,
        levels: dict[str, list[Any]],
        parameters: list[tuple[str, np.ndarray]],
        results: dict[str, np.ndarray],
        initialize: int,
        first: int,
        steps: int,
    ) -> tuple[dict[str, int], _Outcome]:
        arrays = [(name, level) for name, all_levels in levels.items() for level in all_levels]
        arrays += [*parameters, *results.items()]
        described = (_lazy.Operand * len(arrays))()
        for operand, (name, array) in zip(described, arrays):
            operand.name = name.encode()
            if isinstance(array, Array):
                operand.array = array._handle.pointer
            else:
                _lazy.of_array(operand, array)
        newest, outcome = (ctypes.c_int32 * len(arrays))(), _Outcome()
        check(
            library.affinimathStencilPlanRun(
                self._pointer, len(described), described, initialize, first, steps, newest, ctypes.byref(outcome)
            )
        )
        last, place = {}, 0
        for name, all_levels in levels.items():
            flags = newest[place : place + len(all_levels)]
            last[name] = flags.index(1)
            place += len(all_levels)
        return last, outcome
