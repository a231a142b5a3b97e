// Division. Complex numbers are divided without undue overflow (Smith, 1962).
#if SCALAR_IS_COMPLEX
#define SCALAR_ONE ((scalar)((real)1, (real)0))
#define is_finite(v) (isfinite((v).x) && isfinite((v).y))

inline scalar divide(scalar b, scalar a)
{
    if (fabs(a.x) >= fabs(a.y)) {
        const real ratio = a.y / a.x, size = a.x + a.y * ratio;
        return (scalar)((b.x + b.y * ratio) / size, (b.y - b.x * ratio) / size);
    }
    const real ratio = a.x / a.y, size = a.x * ratio + a.y;
    return (scalar)((b.x * ratio + b.y) / size, (b.y * ratio - b.x) / size);
}
#else
#define SCALAR_ONE ((scalar)1)
#define is_finite(v) isfinite(v)
#define divide(b, a) ((b) / (a))
#endif
