// Vectors of reals: what the CPU kernels of gemm are made of.
// Defined before this file: VECTOR_WIDTH (reals in a vector: 4, 8, 16).

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define vector JOIN(real, VECTOR_WIDTH)
#define load_vector(p) JOIN(vload, VECTOR_WIDTH)(0, p)
#define store_vector(v, p) JOIN(vstore, VECTOR_WIDTH)(v, 0, p)

#if SCALAR_IS_DOUBLE
typedef double4 real4;
typedef double8 real8;
typedef double16 real16;
#else
typedef float4 real4;
typedef float8 real8;
typedef float16 real16;
#endif

// Reals of an element.
#if SCALAR_IS_COMPLEX
#define PARTS 2
#else
#define PARTS 1
#endif
