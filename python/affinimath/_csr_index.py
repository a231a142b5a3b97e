"""Rows, columns and elements of sparse matrices by NumPy's keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._csr_arrays import is_all, selected


class Indexed:
    """A sparse matrix with arrays, a shape and a transpose, which keys select from."""

    shape: tuple[int, int]
    dtype: np.dtype

    def __init__(self, arg1: Any, shape: Any = None) -> None:
        raise NotImplementedError

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arrays data, indices and indptr."""
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        """Rows as a matrix; with two indices also columns, or an element."""
        rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        if isinstance(rows, (int, np.integer)) and isinstance(columns, (int, np.integer)):
            column = range(self.shape[1])[columns]
            line = self._rows(np.array([range(self.shape[0])[rows]]))
            return line.data[line.indices == column].sum(dtype=self.dtype)
        matrix: Any = self if is_all(rows) else self._rows(selected(rows, self.shape[0]))
        return matrix if is_all(columns) else matrix.T._rows(selected(columns, self.shape[1])).T

    def _rows(self, rows: np.ndarray) -> Any:
        """A matrix of some of the rows, in any order."""
        data, indices, indptr = self.arrays()
        starts, lengths = indptr[rows], indptr[rows + 1] - indptr[rows]
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(starts - pointers[:-1], lengths) + np.arange(pointers[-1])
        return type(self)((data[places], indices[places], pointers), (len(rows), self.shape[1]))
