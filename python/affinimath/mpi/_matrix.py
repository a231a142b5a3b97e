"""Dense matrices in ScaLAPACK's layout: blocks of rows and columns, dealt to the grid in turn."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np

from ._grid import Grid
from ._library import ADJOINT, NONE, NORMS, TRANSPOSE, accepted, call, number

Number = Union[complex, np.number]
#: The rows and columns of a block where none are given.
BLOCK = 128


def _dealt(length: int, block: int, part: int, source: int, parts: int) -> np.ndarray:
    """The indices of `length` in blocks that a part has, ascending."""
    first = (part - source) % parts * block
    starts = np.arange(first, max(length, first), parts * block, dtype=np.int64)
    indices = (starts[:, np.newaxis] + np.arange(block)).ravel()
    return indices[indices < length]


class DistMatrix:
    """A matrix in blocks of mb x nb elements, which are dealt to the grid's rows and columns of ranks in turn.

    Block (i, j) lies on row (i + source[0]) % rows and column (j + source[1]) % columns of ranks. Each rank has its
    elements by columns in `local`, which may be read and changed. All ranks call each function here together, unless
    it says otherwise.

    Parameters
    ----------
    grid : Grid
        The ranks.
    local : array_like
        This rank's elements, of the shape that `local_shape` tells. An array by columns (`order="F"`) of one of the
        four types is taken as it is, others are copied.
    shape : (int, int)
        Rows and columns of the matrix.
    blocks : int or (int, int)
        Rows and columns of a block. Square blocks of 64 to 256 rows are a good choice.
    source : (int, int)
        Row and column of ranks that have the first block.

    Raises
    ------
    ValueError
        The shape of `local` is not that of this rank's part, or blocks or source are no layout.
    """

    # NumPy's scalars leave operators to this class.
    __array_ufunc__ = None

    def __init__(
        self,
        grid: Grid,
        local: Any,
        shape: Sequence[int],
        blocks: int | Sequence[int] = BLOCK,
        source: Sequence[int] = (0, 0),
    ) -> None:
        self.grid = grid
        self.shape, self.blocks, self.source = _layout(grid, shape, blocks, source)
        local = np.asarray(local)
        if local.shape != self.local_shape:
            raise ValueError(f"local has the shape {local.shape}, and this rank's part {self.local_shape}")
        #: This rank's elements, by columns.
        self.local: np.ndarray = np.require(local, accepted(local.dtype, "local"), ["F", "A", "W"])

    @classmethod
    def from_local(
        cls, grid: Grid, local: Any, shape: Sequence[int], blocks: int | Sequence[int] = BLOCK
    ) -> DistMatrix:
        """The matrix of the ranks' parts, as the constructor makes it. It needs no other rank."""
        return cls(grid, local, shape, blocks)

    @classmethod
    def zeros(
        cls,
        grid: Grid,
        shape: Sequence[int],
        dtype: Any = np.float64,
        blocks: int | Sequence[int] = BLOCK,
        source: Sequence[int] = (0, 0),
    ) -> DistMatrix:
        """A matrix of zeros. It needs no other rank."""
        shape, blocks, source = _layout(grid, shape, blocks, source)
        rows, columns = _own(grid, shape, blocks, source)
        return cls(grid, np.zeros((rows.size, columns.size), accepted(dtype, "dtype"), "F"), shape, blocks, source)

    @classmethod
    def from_function(
        cls,
        grid: Grid,
        function: Callable[[np.ndarray, np.ndarray], Any],
        shape: Sequence[int],
        dtype: Any = np.float64,
        blocks: int | Sequence[int] = BLOCK,
    ) -> DistMatrix:
        """The matrix of function(i, j), as numpy.fromfunction's. It needs no other rank.

        Parameters
        ----------
        function : callable
            Called with this rank's row indices, of shape (m, 1), and column indices, of shape (1, n). Its result is
            broadcast to the shape (m, n).
        """
        made = cls.zeros(grid, shape, dtype, blocks)
        rows, columns = made.indices
        if made.local.size:
            made.local[...] = function(rows[:, np.newaxis], columns[np.newaxis, :])
        return made

    @classmethod
    def scatter(
        cls, grid: Grid, array: Any, root: int = 0, blocks: int | Sequence[int] = BLOCK, dtype: Any = None
    ) -> DistMatrix:
        """The matrix that one rank has as an array.

        Parameters
        ----------
        array : array_like
            The matrix on the rank `root`; not looked at on others. One of rank 1 is a column.

        Raises
        ------
        ValueError
            The array has more than two axes: on all ranks.
        """
        whole: np.ndarray | None = None
        facts: Any = None
        if grid.rank == root:
            try:
                whole = np.asarray(array)
                whole = np.asfortranarray(whole[:, np.newaxis] if whole.ndim == 1 else whole)
                if whole.ndim != 2:
                    raise ValueError(f"array has {whole.ndim} axes, and a matrix 2")
                whole = whole.astype(accepted(dtype or whole.dtype, "array"), copy=False)
                facts = (whole.shape, whole.dtype.str)
            except (TypeError, ValueError) as error:
                facts = error
        facts = grid.comm.bcast(facts, root)
        if isinstance(facts, Exception):
            raise facts
        shape, kind = facts
        lumped = _lump(grid, shape, np.dtype(kind), root)
        if whole is not None:
            lumped.local = whole
        return lumped.redistribute(blocks)

    def gather(self, root: int = 0) -> np.ndarray | None:
        """The matrix as an array by columns, on the rank `root`; None on the others."""
        lumped = _lump(self.grid, self.shape, self.dtype, root)
        self._copy_to(lumped, NONE)
        return lumped.local if self.grid.rank == root else None

    def __repr__(self) -> str:
        return f"<DistMatrix of {self.dtype}: {self.shape} in blocks of {self.blocks} on {self.grid!r}>"

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.local.dtype

    @property
    def local_shape(self) -> tuple[int, int]:
        """Rows and columns of this rank's part."""
        rows, columns = self.indices
        return rows.size, columns.size

    @property
    def indices(self) -> tuple[np.ndarray, np.ndarray]:
        """Indices in the whole matrix of this rank's rows and of its columns, ascending."""
        return _own(self.grid, self.shape, self.blocks, self.source)

    @property
    def descriptor(self) -> np.ndarray:
        """ScaLAPACK's descriptor: nine integers of 32 bits, without a context."""
        leading = max(self.local.shape[0], 1)
        return np.array([1, 0, *self.shape, *self.blocks, *self.source, leading], np.int32)

    def operand(self) -> tuple[np.ndarray, np.ndarray]:
        """The elements and the descriptor, as the C library takes them."""
        if not self.local.flags.f_contiguous or self.local.shape != self.local_shape:
            raise ValueError("local is no longer an array by columns with the shape of this rank's part")
        return self.local, self.descriptor

    def copy(self) -> DistMatrix:
        """A copy. It needs no other rank."""
        return self._like(self.local.copy("F"))

    def astype(self, dtype: Any) -> DistMatrix:
        """A copy with elements of another type. It needs no other rank."""
        return self._like(self.local.astype(accepted(dtype, "dtype"), "F"))

    def _like(self, local: np.ndarray) -> DistMatrix:
        return DistMatrix(self.grid, local, self.shape, self.blocks, self.source)

    def redistribute(self, blocks: int | Sequence[int] | None = None, source: Sequence[int] = (0, 0)) -> DistMatrix:
        """A copy in another layout of the grid; without blocks in those of this matrix."""
        made = DistMatrix.zeros(self.grid, self.shape, self.dtype, self.blocks if blocks is None else blocks, source)
        self._copy_to(made, NONE)
        return made

    def _copy_to(self, other: DistMatrix, op: int) -> None:
        call("redistribute", self.dtype, self.grid.handle, op, *self.operand(), *other.operand())

    @property
    def T(self) -> TransposedMatrix:  # noqa: N802, NumPy's name
        """The transpose, as an operand of `@`. Nothing is copied."""
        return TransposedMatrix(self, TRANSPOSE)

    @property
    def H(self) -> TransposedMatrix:  # noqa: N802
        """The conjugate transpose, as an operand of `@`. Nothing is copied."""
        return TransposedMatrix(self, ADJOINT)

    def norm(self, ord: float | str = "fro") -> float:
        """A norm, the same on all ranks: "fro", 1 and inf as numpy.linalg.norm has them, or "max"."""
        if ord not in NORMS:
            raise ValueError(f"ord is {ord!r}; there are 'fro', 1, inf and 'max'")
        value = ctypes.c_double()
        call("lange", self.dtype, self.grid.handle, NORMS[ord], *self.operand(), ctypes.byref(value))
        return value.value

    def __matmul__(self, other: DistMatrix | TransposedMatrix) -> DistMatrix:
        if not isinstance(other, (DistMatrix, TransposedMatrix)):
            return NotImplemented
        return gemm(1, self, other)

    def _elements(self, other: Any, name: str) -> np.ndarray:
        """The elements of an operand in this one's layout."""
        self.grid.holds(**{name: other})
        if other.shape != self.shape:
            raise ValueError(f"{name} has the shape {other.shape}, and this one {self.shape}")
        if (other.blocks, other.source) != (self.blocks, self.source):
            other = other.redistribute(self.blocks, self.source)
        found: np.ndarray = other.local
        return found

    def __add__(self, other: DistMatrix) -> DistMatrix:
        if not isinstance(other, DistMatrix):
            return NotImplemented
        return self._like(self.local + self._elements(other, "the second matrix"))

    def __sub__(self, other: DistMatrix) -> DistMatrix:
        if not isinstance(other, DistMatrix):
            return NotImplemented
        return self._like(self.local - self._elements(other, "the second matrix"))

    def __mul__(self, factor: Number) -> DistMatrix:
        if not np.isscalar(factor):
            return NotImplemented
        return self._like(self.local * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Number) -> DistMatrix:
        if not np.isscalar(divisor):
            return NotImplemented
        return self._like(self.local / divisor)

    def __neg__(self) -> DistMatrix:
        return self._like(-self.local)


class TransposedMatrix:
    """The transpose or the conjugate transpose of a matrix, as an operand of `@` and of `gemm`."""

    __array_ufunc__ = None

    def __init__(self, base: DistMatrix, op: int) -> None:
        #: The matrix that it is the transpose of.
        self.base = base
        self.op = op

    def __repr__(self) -> str:
        return f"<{'T' if self.op == TRANSPOSE else 'H'} of {self.base!r}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the transpose."""
        return self.base.shape[1], self.base.shape[0]

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.base.dtype

    @property
    def T(self) -> DistMatrix:  # noqa: N802
        """The matrix itself; of a conjugate transpose its conjugate."""
        return self.base if self.op == TRANSPOSE else self.base._like(self.base.local.conj())

    @property
    def H(self) -> DistMatrix:  # noqa: N802
        """The matrix itself; of a transpose its conjugate."""
        return self.base if self.op == ADJOINT else self.base._like(self.base.local.conj())

    def copy(self, blocks: int | Sequence[int] | None = None) -> DistMatrix:
        """The transpose as a matrix of its own; without blocks in those of the matrix, transposed."""
        blocks = self.base.blocks[::-1] if blocks is None else blocks
        made = DistMatrix.zeros(self.base.grid, self.shape, self.dtype, blocks)
        self.base._copy_to(made, self.op)
        return made

    def __matmul__(self, other: DistMatrix | TransposedMatrix) -> DistMatrix:
        if not isinstance(other, (DistMatrix, TransposedMatrix)):
            return NotImplemented
        return gemm(1, self, other)


def gemm(
    alpha: Number,
    a: DistMatrix | TransposedMatrix,
    b: DistMatrix | TransposedMatrix,
    beta: Number = 0,
    c: DistMatrix | None = None,
) -> DistMatrix:
    """The product alpha a b + beta c, by SUMMA (van de Geijn and Watts, 1997), where all operands lie.

    Parameters
    ----------
    alpha, beta : number
        Factors, the same on all ranks. A beta of 0 does not read c.
    a, b : DistMatrix or TransposedMatrix
        Matrices of shapes (m, k) and (k, n), on one grid.
    c : DistMatrix, optional
        A matrix of shape (m, n) and of the type of the result, which is overwritten; else a new one, with the row
        blocks of a and the column blocks of b.

    Raises
    ------
    ValueError
        The shapes do not fit.
    """
    (left, op_a), (right, op_b) = _operand(a), _operand(b)
    left.grid.holds(b=right, c=c)
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"a has {a.shape[1]} columns, and b {b.shape[0]} rows")
    dtype = np.result_type(left.dtype, right.dtype, *([] if c is None else [c.dtype]))
    if c is None:
        shape = (a.shape[0], b.shape[1])
        blocks = (left.blocks[op_a != NONE], right.blocks[op_b == NONE])
        source = (left.source[0] if op_a == NONE else 0, right.source[1] if op_b == NONE else 0)
        c, beta = DistMatrix.zeros(left.grid, shape, dtype, blocks, source), 0
    elif c.dtype != dtype:
        raise ValueError(f"c has the type {c.dtype}, and the result {dtype}")
    left, right = promoted(left, dtype), promoted(right, dtype)
    # The result may not overwrite an operand that is still read.
    if np.may_share_memory(left.local, c.local):
        left = left.copy()
    if np.may_share_memory(right.local, c.local):
        right = right.copy()
    factors = scalar(alpha, dtype), scalar(beta, dtype)
    operands = [op_a, op_b, factors[0], *left.operand(), *right.operand(), factors[1], *c.operand()]
    call("gemm", dtype, c.grid.handle, *operands)
    return c


def scalar(value: Number, dtype: np.dtype) -> Any:
    """A factor as C takes it by value. A complex one of real matrices is a TypeError."""
    if dtype.kind != "c" and np.iscomplexobj(value):
        raise TypeError(f"the factor {value} is complex, and the result has the type {dtype}")
    return number(complex(value) if dtype.kind == "c" else float(value.real), dtype)


def promoted(a: DistMatrix, dtype: np.dtype) -> DistMatrix:
    """The matrix, or a copy in another type."""
    return a if a.dtype == dtype else a.astype(dtype)


def _operand(a: DistMatrix | TransposedMatrix) -> tuple[DistMatrix, int]:
    return (a.base, a.op) if isinstance(a, TransposedMatrix) else (a, NONE)


def _own(
    grid: Grid, shape: Sequence[int], blocks: Sequence[int], source: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Indices of this rank's rows and columns."""
    rows = _dealt(shape[0], blocks[0], grid.row, source[0], grid.rows)
    return rows, _dealt(shape[1], blocks[1], grid.column, source[1], grid.columns)


def _layout(
    grid: Grid, shape: Sequence[int], blocks: int | Sequence[int], source: Sequence[int]
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Shape, blocks and source as pairs of integers that are a layout of the grid."""
    m, n = (int(length) for length in shape)
    mb, nb = (int(blocks), int(blocks)) if isinstance(blocks, (int, np.integer)) else (int(b) for b in blocks)
    row, column = (int(rank) for rank in source)
    if min(m, n) < 0 or max(m, n) >= 2**31:
        raise ValueError(f"shape is {m, n}: its lengths are from 0 to 2^31 - 1")
    if min(mb, nb) < 1 or max(mb, nb) >= 2**31:
        raise ValueError(f"blocks are {mb, nb}: they have at least one row and one column")
    if not (0 <= row < grid.rows and 0 <= column < grid.columns):
        raise ValueError(f"source is {row, column}, and the grid has {grid.rows} x {grid.columns} ranks")
    return (m, n), (mb, nb), (row, column)


def _lump(grid: Grid, shape: Sequence[int], dtype: np.dtype, root: int) -> DistMatrix:
    """A matrix of zeros that lies on one rank."""
    if not 0 <= root < grid.size:
        raise ValueError(f"root is {root}, and the grid has {grid.size} ranks")
    blocks = [max(length, 1) for length in shape]
    return DistMatrix.zeros(grid, shape, dtype, blocks, divmod(root, grid.columns))
