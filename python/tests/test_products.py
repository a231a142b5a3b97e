"""Products beside NumPy's in double precision, in every layout."""

import numpy as np
import pytest
from conftest import epsilon, exact, norm

import affinimath as am


def close(product, a, b):
    """Rounding k products and their sum costs k eps |a| |b| at most; complex ones take a few operations each."""
    error = norm(exact(product) - exact(a) @ exact(b))
    return error <= 4 * (a.shape[-1] + 1) * epsilon(product.dtype) * norm(a) * norm(b)


LAYOUTS = {
    "rows": lambda a: a,
    "columns": np.asfortranarray,
    "a slice of rows": lambda a: np.pad(a, 3)[3:-3, 3:-3],
    "a slice of columns": lambda a: np.asfortranarray(np.pad(a, 3))[3:-3, 3:-3],
    "every second": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
}


@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
def test_a_product_is_the_same_in_every_layout(random, dtype, left, right):
    a, b = random(7, 5), random(5, 6)
    product = am.matmul(LAYOUTS[left](a), LAYOUTS[right](b))
    assert product.dtype == dtype and product.flags.c_contiguous
    assert close(product, a, b)


@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 0, 2), (3, 2, 0), (1, 1, 1), (1, 9, 4), (9, 1, 4), (33, 65, 47)])
def test_products_of_all_shapes(random, shape):
    m, k, n = shape
    a, b = random(m, k), random(k, n)
    product = am.matmul(a, b)
    assert product.shape == (m, n) and close(product, a, b)


def test_vectors_are_rows_on_the_left_and_columns_on_the_right(random):
    a, x, y = random(4, 3), random(3), random(4)
    for left, right in ((a, x), (y, a), (x, x)):
        product = am.matmul(left, right)
        assert np.shape(product) == np.shape(left @ right)
        assert norm(product - left @ right) <= 8 * epsilon(x.dtype) * norm(left) * norm(right)


@pytest.mark.parametrize(
    "shapes",
    [
        ((5, 3, 4), (5, 4, 2)),
        ((3, 4), (5, 4, 2)),
        ((5, 3, 4), (4, 2)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((0, 3, 4), (4, 2)),
        ((5, 3, 4), (4,)),
    ],
)
def test_stacks_are_broadcast(random, shapes):
    a, b = (random(*shape) for shape in shapes)
    product, expected = am.matmul(a, b), exact(a) @ exact(b)
    assert product.shape == expected.shape
    assert norm(product - expected) <= 4 * 5 * epsilon(a.dtype) * norm(a) * norm(b)


def test_gemm_writes_in_place_and_reads_c_only_where_it_counts(random, dtype):
    a, b, c = random(4, 3), random(3, 5), random(4, 5)
    beta = 0.5 if dtype.kind == "f" else 0.5 + 1j
    for order in "CF":
        place = np.array(c, order=order)
        assert am.gemm(a, b, place, alpha=2, beta=beta) is place
        assert norm(place - (2 * exact(a) @ exact(b) + beta * c)) <= 40 * epsilon(dtype) * norm(a) * norm(b)
        place[:] = np.nan
        assert close(am.gemm(a, b, place), a, b)
    inside = np.zeros((6, 9), dtype)
    am.gemm(a, b, inside[1:5, 2:7])
    assert close(inside[1:5, 2:7], a, b) and np.count_nonzero(inside) == 20
    square = random(5, 5)
    expected = square.copy()
    am.gemm(square.T, square, square)
    assert close(square, expected.T, expected)


@pytest.mark.parametrize("m, k, n", [(0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0), (0, 3, 0), (3, 0, 0), (0, 0, 4)])
def test_empty_matrices_multiply_as_numpys(dtype, m, k, n):
    a, b = np.ones((m, k), dtype), np.ones((k, n), dtype)
    base = np.full((2 * m + 1, 2 * n + 1), 2, dtype)
    for c in (base[:m, :n].copy(), base[:m, :n].copy("F"), base[:m, :n], base.T[:n, :m].T):
        expected = 3 * c
        assert am.gemm(a, b, c, beta=3) is c
        assert np.array_equal(c, expected)
        c[...] = np.nan
        assert np.array_equal(am.gemm(a, b, c), np.zeros((m, n)))
    stacks = [(a[np.newaxis], b), (np.ones((2, m, k)), b), (np.ones((0, m, k)), b), (a[:1], b[..., 0:1])]
    for left, right in [(a, b), *stacks]:
        assert np.array_equal(am.matmul(left, right), np.matmul(left, right))
    if not (m or n):
        for c in (base[::2, ::2][:0], base[::2, ::2][:, :0]):
            assert am.gemm(np.ones((len(c), k), dtype), np.ones((k, c.shape[1]), dtype), c) is c


def test_gemm_refuses_what_it_cannot_write(random, dtype):
    a, b = random(4, 3), random(3, 5)
    with pytest.raises(ValueError, match="do not fit"):
        am.gemm(a, b, np.empty((4, 4), dtype))
    with pytest.raises(ValueError, match="adjacent"):
        am.gemm(a, b, np.empty((8, 10), dtype)[::2, ::2])
    fixed = np.empty((4, 5), dtype)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="writeable"):
        am.gemm(a, b, fixed)
    with pytest.raises(TypeError, match="not an array"):
        am.gemm(a, b, np.empty((4, 5), np.int64))


def test_types_are_numpys():
    a = np.ones((2, 2))
    for one, other, expected in [
        (np.float32, np.float32, np.float32),
        (np.float32, np.float64, np.float64),
        (np.float32, np.complex64, np.complex64),
        (np.float64, np.complex64, np.complex128),
        (np.int8, np.float32, np.float32),
        (np.int64, np.float32, np.float64),
        (bool, bool, bool),
        (np.int8, np.uint8, np.int16),
        (">f8", "<f4", np.float64),
    ]:
        assert am.matmul(a.astype(one), a.astype(other)).dtype == expected
    for refused in (np.float16, np.longdouble, object, "U3"):
        with pytest.raises(TypeError, match="there are float32"):
            am.matmul(a.astype(refused), a)


def test_shapes_that_do_not_fit_are_told():
    with pytest.raises(ValueError, match="3 columns, and 2 rows"):
        am.matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="no dimensions"):
        am.matmul(1.0, np.ones((2, 3)))


def test_numbers_that_do_not_lie_at_their_boundaries_are_copied():
    a = np.arange(12.0).reshape(3, 4)
    shifted = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.float64).reshape(3, 4)
    assert not shifted.flags.aligned
    assert np.array_equal(am.matmul(shifted, shifted.T), a @ a.T)
