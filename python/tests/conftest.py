"""Matrices to test with."""

from __future__ import annotations

import numpy as np
import pytest

DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


@pytest.fixture(params=DTYPES, ids=lambda dtype: dtype.__name__)
def dtype(request: pytest.FixtureRequest) -> np.dtype:
    """Each of the four types."""
    return np.dtype(request.param)


@pytest.fixture
def random(dtype: np.dtype):
    """Random arrays of the type, the same in each run."""
    generator = np.random.default_rng(1)

    def numbers(*shape: int) -> np.ndarray:
        array = generator.standard_normal(shape)
        if dtype.kind == "c":
            array = array + 1j * generator.standard_normal(shape)
        return array.astype(dtype)

    return numbers


def epsilon(dtype: np.dtype) -> float:
    """The distance from 1 to the next number of the type."""
    return float(np.finfo(dtype).eps)


def norm(a: np.ndarray) -> float:
    """The Frobenius norm, in double precision."""
    return float(np.linalg.norm(np.asarray(a, np.complex128)))


def exact(a: np.ndarray) -> np.ndarray:
    """The same numbers in double precision."""
    return np.asarray(a, np.complex128 if a.dtype.kind == "c" else np.float64)
