// 1/v, for complex numbers without undue overflow (Smith, 1962).
inline scalar reciprocal(scalar v)
{
#if SCALAR_IS_COMPLEX
    if (fabs(v.x) >= fabs(v.y)) {
        const real ratio = v.y / v.x, size = v.x + v.y * ratio;
        return (scalar)(1 / size, -ratio / size);
    }
    const real ratio = v.x / v.y, size = v.x * ratio + v.y;
    return (scalar)(ratio / size, -1 / size);
#else
    return 1 / v;
#endif
}
