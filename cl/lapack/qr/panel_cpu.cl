// A = Q R for a panel of columns on a CPU, by one work-item in wide vectors. As panel_group.cl.
// Parameters: VECTOR_WIDTH, WIDTH (columns, at most).

#define LANES (VECTOR_WIDTH / PARTS)
#if SCALAR_IS_DOUBLE
#define SMALLEST_SUM 0x1p-960
#define LARGEST_SUM 0x1p960
#else
#define SMALLEST_SUM 0x1p-90f
#define LARGEST_SUM 0x1p100f
#endif

// xᴴ y for n elements.
inline scalar dot(__global const scalar *x, __global const scalar *y, int n)
{
    vector same = (vector)(0);
#if SCALAR_IS_COMPLEX
    vector crossed = (vector)(0);
#endif
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vector u = load_vector((__global const real *)(x + i)), w = load_vector((__global const real *)(y + i));
        same += u * w;
#if SCALAR_IS_COMPLEX
        crossed += u * swap_parts(w);
#endif
    }
    const real2 real_parts = pair_sum(same);
#if SCALAR_IS_COMPLEX
    const real2 imaginary_parts = pair_sum(crossed);
    scalar sum = (scalar)(real_parts.x + real_parts.y, imaginary_parts.x - imaginary_parts.y);
#else
    scalar sum = real_parts.x + real_parts.y;
#endif
    for (; i < n; i++) sum = multiply_add(conjugate_if(1, x[i]), y[i], sum);
    return sum;
}

// y += factor x
inline void add(scalar factor, __global const scalar *x, __global scalar *y, int n)
{
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        __global real *place = (__global real *)(y + i);
        store_vector(load_vector(place) + multiply_vector(factor, load_vector((__global const real *)(x + i))), place);
    }
    for (; i < n; i++) y[i] = multiply_add(factor, x[i], y[i]);
}

// The squares of n elements. A plain sum in the range has lost nothing that counts.
inline squares squares_of_all(__global const scalar *x, int n)
{
    vector plain = (vector)(0);
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vector v = load_vector((__global const real *)(x + i));
        plain += v * v;
    }
    const real2 pair = pair_sum(plain);
    squares sum = no_squares();
    sum.ordinary = pair.x + pair.y;
    const bool is_known = sum.ordinary > SMALLEST_SUM && sum.ordinary < LARGEST_SUM;
    if (!is_known) {
        sum = no_squares();
        i = 0;
    }
    for (; i < n; i++) sum = squares_of(sum, x[i]);
    return sum;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void qr_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, __global scalar *tau, long tau_offset,
    __global scalar *t, long t_offset, long t_stride)
{
    scalar products[WIDTH];
    const int steps = min(rows, width);
    a += a_offset;
    t += t_offset;
    for (int j = 0; j < steps; j++) {
        __global scalar *v = a + j * column_stride + j;
        const int rest = rows - j - 1;
        const reflector h = reflector_of(*v, squares_of_all(v + 1, rest));
        *v = from_real(h.beta);
        tau[tau_offset + j] = h.tau;
        for (int i = 1; i <= rest; i++) v[i] = divide(v[i] * h.scale, h.divisor);
        for (int c = 0; c < width; c++) {
            if (c == j) continue;
            __global scalar *other = a + c * column_stride + j;
            const scalar product = *other + dot(v + 1, other + 1, rest);
            products[c] = product;
            if (c < j) continue;
            const scalar factor = -multiply(conjugate_if(1, h.tau), product);
            *other += factor;
            add(factor, v + 1, other + 1, rest);
        }
        for (int i = 0; i < j; i++) t[i + j * t_stride] = connected(h.tau, t + i, t_stride, i, j, products);
        t[j + j * t_stride] = h.tau;
    }
}
