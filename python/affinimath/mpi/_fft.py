"""Plans of Fourier transforms over all ranks."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from ._grid import Grid
from ._library import POINTER, FftBlocks, accepted, address, call, check, function

_blocks = function("affinimathMpiFftBlocks", [POINTER, POINTER])
_forward = function("affinimathMpiFftForward", [POINTER] * 3)
_backward = function("affinimathMpiFftBackward", [POINTER] * 3)
_DECOMPOSITIONS = {"auto": 0, "slabs": 1}


class DistFft:
    """A plan of the transform of an array with two or three axes, in both directions. It ends with its grid.

    All ranks make and use it together. Each rank has a block of the array, and one of the spectrum, row by row.

    Parameters
    ----------
    grid : Grid
        The ranks.
    shape : sequence of int
        The lengths of the whole array: two or three, each at least 1.
    dtype : dtype
        The type of the array. Real arrays have spectra of n // 2 + 1 elements on the last axis, as numpy.fft.rfftn's.
    decomposition : {"auto", "slabs"} or (int, int)
        One axis is cut, or two of three for rows x columns of ranks. "auto" takes slabs where each rank has a plane on
        both sides, else the best pencils.
    transposed : bool
        The spectrum stays cut along other axes, which saves an exchange. Axes keep their order.
    backward_scale : float, optional
        Factor of `backward`; else 1 over the elements of the array, as NumPy's inverse transforms have it.

    Raises
    ------
    ValueError
        There is no such plan.
    """

    def __init__(
        self,
        grid: Grid,
        shape: Sequence[int],
        dtype: Any = np.complex128,
        *,
        decomposition: Union[str, Sequence[int]] = "auto",  # noqa: UP007
        transposed: bool = False,
        backward_scale: float | None = None,
    ) -> None:
        lengths = [int(length) for length in shape]
        self.grid = grid
        self._array, rows, columns = accepted(dtype, "dtype"), 0, 0
        self._spectrum = np.result_type(self._array, np.complex64)
        if isinstance(decomposition, str):
            if decomposition not in _DECOMPOSITIONS:
                raise ValueError(f"decomposition is {decomposition!r}; there are 'auto', 'slabs' and (rows, columns)")
            code = _DECOMPOSITIONS[decomposition]
        else:
            code, (rows, columns) = 2, decomposition
        scale = 1 / max(math.prod(lengths), 1) if backward_scale is None else backward_scale
        numbers = np.array(lengths, np.int64)
        self._pointer = POINTER()
        options = [len(lengths), numbers, code, rows, columns, int(transposed), scale]
        call("fftPlanCreate", self._array, grid.handle, *options, ctypes.byref(self._pointer))
        grid.own("affinimathMpiFftPlanDestroy", self._pointer, self)
        found = FftBlocks()
        check(_blocks(self._pointer, ctypes.byref(found)))
        axes = range(len(lengths))
        self._global = tuple(lengths)
        self._input = tuple((found.input_offset[axis], found.input_shape[axis]) for axis in axes)
        self._output = tuple((found.output_offset[axis], found.output_shape[axis]) for axis in axes)

    def __repr__(self) -> str:
        return f"<DistFft of {self._array}: {self._global} on {self.grid!r}>"

    def dtype(self, forward_output: bool = False) -> np.dtype:
        """The type of the array, or of the spectrum."""
        return self._spectrum if forward_output else self._array

    def global_shape(self, forward_output: bool = False) -> tuple[int, ...]:
        """The lengths of the whole array, or of the whole spectrum."""
        if not forward_output or self._array.kind == "c":
            return self._global
        return (*self._global[:-1], self._global[-1] // 2 + 1)

    def shape(self, forward_output: bool = True) -> tuple[int, ...]:
        """The lengths of this rank's block of the spectrum, or of the array."""
        return tuple(count for _, count in (self._output if forward_output else self._input))

    def local_slice(self, forward_output: bool = True) -> tuple[slice, ...]:
        """Where this rank's block lies in the whole spectrum, or in the array: a slice for each axis."""
        block = self._output if forward_output else self._input
        return tuple(slice(start, start + count) for start, count in block)

    def forward(self, array: Any, out: np.ndarray | None = None) -> np.ndarray:
        """The spectrum of the array, of which each rank gives its block. Nothing is normalised.

        Parameters
        ----------
        array : array_like
            This rank's block, of `shape(False)`.
        out : ndarray, optional
            Gets this rank's block of the spectrum, of `shape(True)`; else a new array.

        Raises
        ------
        ValueError
            A shape is not that of this rank's block, or out is not an adjacent array of the plan's type.
        """
        return self._run(_forward, array, out, False)

    def backward(self, spectrum: Any, out: np.ndarray | None = None) -> np.ndarray:
        """The array of a spectrum, of which each rank gives its block, times the plan's factor.

        The parameters and errors are those of `forward`, with blocks the other way round.
        """
        return self._run(_backward, spectrum, out, True)

    def _run(self, transform: Any, given: Any, out: np.ndarray | None, spectral: bool) -> np.ndarray:
        """Transforms from the block of the spectrum, or of the array, to that of the other one."""
        array = np.asarray(given)
        if array.shape != self.shape(spectral):
            raise ValueError(f"the array has the shape {array.shape}, and this rank's block {self.shape(spectral)}")
        if array.dtype.kind == "c" and self.dtype(spectral).kind != "c":
            raise ValueError(f"the array has the type {array.dtype}, and the plan {self.dtype(spectral)}")
        array = np.require(array, self.dtype(spectral), ["C", "A"])
        shape, dtype = self.shape(not spectral), self.dtype(not spectral)
        if out is None:
            out = np.empty(shape, dtype)
        elif out.shape != shape or out.dtype != dtype or not out.flags.carray:
            raise ValueError(f"out is no adjacent array of {dtype} with the shape {shape}")
        elif np.may_share_memory(out, array):
            array = array.copy()
        if not self.grid.handle:
            raise ValueError("the grid is closed")
        check(transform(self._pointer, address(array), address(out)))
        return out


__all__ = ["DistFft"]
