// The matrix that skinny products stream: of scalars, or (HALVES) in half precision, whose numbers become floats as they are loaded.
// On CPUs behind vectors.cl, and for halves halves.cl.

#if HALVES
#define streamed half
#define streamed_element(p) vload_half(0, p)
#define streamed_vector(p) load_halves(p)
#else
#define streamed scalar
#define streamed_element(p) (*(p))
#define streamed_vector(p) load_vector((__global const real *)(p))
#endif

