/* Nanoseconds of one call of BLAS's routines and some of LAPACK's, in each of several libraries in turn: under their
 * Fortran names, or under the native names of Affinimath's C API for a library that follows "native:".
 *
 *   cc -O2 -I../../include -o calls calls.c -ldl
 *   ./calls [-t sdcz] [-n 1,3,16] [-r gemm,trsm] [-a 1.3] /path/libaffinimath_blas.so /path/libopenblas.so.0
 *   ./calls -t d -n 4 -r gemm native:/path/libaffinimath.so /path/libaffinimath_blas.so
 *
 * -t names types, -n orders, -r routines (all by default); -a shows only calls whose ratio to the second library
 * exceeds it. Each figure is the least of 15 batches of at least 0.2 ms; the libraries take turns batch by batch.
 * Operands are in the nearest cache where they fit. Factorisations get a fresh copy of their matrix in each call,
 * whose time is taken off. */
#include <complex.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "affinimath.h"

#define MAX_LIBRARIES 4
#define MAX_N 1000
#define BATCHES 15
#define BATCH_NS 2e5

typedef void (*routine)();
typedef double (*real_function)();
typedef float (*single_function)();
typedef int (*integer_function)();
typedef double complex (*complex_function)();
typedef float complex (*complex_single_function)();

/* A matrix, its copies and vectors, of any type. Real numbers stand in the same places in all of them. */
#define MATRIX [MAX_N * MAX_N]
static double complex memory_a MATRIX, memory_b MATRIX, memory_c MATRIX, memory_d MATRIX;
static double complex x[MAX_N], y[MAX_N], tau[MAX_N], work[64 * MAX_N];
static void *const a = memory_a, *const b = memory_b, *const c = memory_c, *const d = memory_d;
static int pivots[MAX_N], swaps[MAX_N];

/* Factors of the type that is measured, and real ones of its precision. */
static double complex half, tiny, minus, one_number;
static double real_half, real_tiny, cosine, sine, param[5];
static const int one = 1;

enum { S = 1, D = 2, C = 4, Z = 8, REAL = S | D, COMPLEX = C | Z, ALL = 15 };

static int letter;     /* 's', 'd', 'c' or 'z' */
static size_t element; /* bytes */
static int is_complex, is_double;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void set_real(void *to, size_t i, double value) {
    if (is_double) ((double *)to)[i] = value;
    else ((float *)to)[i] = (float)value;
}

static void set(void *to, size_t i, double value) {
    if (is_complex) {
        set_real(to, 2 * i, value);
        set_real(to, 2 * i + 1, 0.0);
    } else {
        set_real(to, i, value);
    }
}

static void choose(int of) {
    letter = of;
    is_complex = of == 'c' || of == 'z';
    is_double = of == 'd' || of == 'z';
    element = (is_double ? 8 : 4) * (is_complex ? 2 : 1);
    set(&half, 0, 0.5);
    set(&tiny, 0, 1e-12);
    set(&minus, 0, -1.0);
    set(&one_number, 0, 1.0);
    set_real(&real_half, 0, 0.5);
    set_real(&real_tiny, 0, 1e-12);
    set_real(&cosine, 0, 0.6);
    set_real(&sine, 0, 0.8);
    const double parameters[5] = {-1.0, 0.6, -0.8, 0.8, 0.6};
    for (int i = 0; i < 5; i++) set_real(param, i, parameters[i]);
}

/* A has a unit diagonal and small elements beside it, so that values stay what they are over many calls. */
static void fill(int n) {
    for (int i = 0; i < n; i++) {
        set(x, i, (i * 7 % 19 - 9) * 1e-2);
        set(y, i, (i * 5 % 17 - 8) * 1e-2);
        swaps[i] = n - i / 2;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)j * n + i;
            double value = i == j ? 1.0 : ((i * 3 + j * 7) % 13 - 6) * 1e-4;
            set(a, at, value);
            set(b, at, value);
            set(c, at, value);
            set(d, at, value);
        }
}

static void fresh(int n) { memcpy(d, a, (size_t)n * n * element); }

#define R(name) static void call_##name(routine f, int n)
R(copy) { f(&n, x, &one, y, &one); }
R(scal) { f(&n, &minus, x, &one); }
R(rscal) { f(&n, &cosine, x, &one); }
R(norm) { is_double ? (void)((real_function)f)(&n, x, &one) : (void)((single_function)f)(&n, x, &one); }
R(amax) { ((integer_function)f)(&n, x, &one); }
R(rot) { f(&n, x, &one, y, &one, &cosine, &sine); }
R(rotm) { f(&n, x, &one, y, &one, param); }
R(dot) {
    switch (letter) {
    case 's': ((single_function)f)(&n, x, &one, y, &one); break;
    case 'd': ((real_function)f)(&n, x, &one, y, &one); break;
    case 'c': ((complex_single_function)f)(&n, x, &one, y, &one); break;
    default: ((complex_function)f)(&n, x, &one, y, &one);
    }
}
R(axpy) { f(&n, &tiny, x, &one, y, &one); }
R(rot2) { f(&n, a, &n, b, &n, &cosine, &sine); }
R(swap2) { f(&n, a, &n, b, &n); }
R(gemv) { f("N", &n, &n, &half, a, &n, x, &one, &half, y, &one); }
R(gemvt) { f("T", &n, &n, &half, a, &n, x, &one, &half, y, &one); }
static int band(int n) { return n > 4 ? 4 : n - 1; }
R(gbmv) { int k = band(n), ld = 2 * k + 1; f("N", &n, &n, &k, &k, &half, a, &ld, x, &one, &half, y, &one); }
R(symv) { f("L", &n, &half, a, &n, x, &one, &half, y, &one); }
R(sbmv) { int k = band(n), ld = k + 1; f("L", &n, &k, &half, a, &ld, x, &one, &half, y, &one); }
R(spmv) { f("L", &n, &half, a, x, &one, &half, y, &one); }
R(trmv) { f("L", "N", "U", &n, a, &n, y, &one); }
R(trmvt) { f("L", "T", "U", &n, a, &n, y, &one); }
R(tbmv) { int k = band(n), ld = k + 1; f("L", "N", "U", &n, &k, b, &ld, y, &one); }
R(tpmv) { f("L", "N", "U", &n, b, y, &one); }
R(ger) { f(&n, &n, &tiny, x, &one, y, &one, a, &n); }
R(syr) { f("L", &n, is_complex ? (void *)&real_tiny : (void *)&tiny, x, &one, a, &n); }
R(spr) { f("L", &n, is_complex ? (void *)&real_tiny : (void *)&tiny, x, &one, a); }
R(syr2) { f("L", &n, &tiny, x, &one, y, &one, a, &n); }
R(spr2) { f("L", &n, &tiny, x, &one, y, &one, a); }
R(gemm) { f("N", "N", &n, &n, &n, &half, a, &n, b, &n, &half, c, &n); }
R(gemmt) { f("T", "N", &n, &n, &n, &half, a, &n, b, &n, &half, c, &n); }
R(symm) { f("L", "L", &n, &n, &half, a, &n, b, &n, &half, c, &n); }
R(syrk) { f("L", "N", &n, &n, &half, a, &n, &half, c, &n); }
R(herk) { f("L", "N", &n, &n, &real_half, a, &n, &real_half, c, &n); }
R(syr2k) { f("L", "N", &n, &n, &half, a, &n, b, &n, &half, c, &n); }
R(her2k) { f("L", "N", &n, &n, &half, a, &n, b, &n, &real_half, c, &n); }
R(trmm) { f("L", "L", "N", "U", &n, &n, &one_number, a, &n, c, &n); }
R(trmmr) { f("R", "U", "N", "N", &n, &n, &one_number, a, &n, c, &n); }
R(trsm) { f("L", "L", "N", "N", &n, &n, &one_number, a, &n, c, &n); }
R(trsmr) { f("R", "L", "T", "N", &n, &n, &one_number, a, &n, c, &n); }
R(laswp) { f(&n, b, &n, &one, &n, swaps, &one); }
R(getrf) { int info; fresh(n); f(&n, &n, d, &n, pivots, &info); }
R(getrs) { int info; f("N", &n, &one, a, &n, swaps, x, &n, &info); }
R(gesv) { int info; fresh(n); f(&n, &one, d, &n, pivots, x, &n, &info); }
R(potrf) { int info; fresh(n); f("L", &n, d, &n, &info); }
R(potrs) { int info; f("L", &n, &one, a, &n, x, &n, &info); }
R(trtri) { int info; fresh(n); f("L", "N", &n, d, &n, &info); }
R(lauum) { int info; fresh(n); f("L", &n, d, &n, &info); }
R(getri) { int info, length = 64 * MAX_N; fresh(n); f(&n, d, &n, swaps, work, &length, &info); }
R(potri) { int info; fresh(n); f("L", &n, d, &n, &info); }
R(geqrf) { int info, length = 64 * MAX_N; fresh(n); f(&n, &n, d, &n, tau, work, &length, &info); }
R(posv) { int info; fresh(n); f("L", &n, &one, d, &n, x, &n, &info); }
#undef R

/* The same calls by native names. Arguments are written once for all four types: E is the type's elements, F those of
 * its real factors, and V and W read a number of these. */
#define PROTOTYPE(type, name) __typeof__(&affinimath##type##name)
#define TYPED(e, r, type, name, ...)                  \
    {                                                 \
        typedef e E;                                  \
        typedef r F;                                  \
        (void)(E *)0, (void)(F *)0;                   \
        ((PROTOTYPE(type, name))f)(__VA_ARGS__);      \
        break;                                        \
    }
#define REAL_TYPES(name, ...)                                      \
    case 's': TYPED(float, float, S, name, __VA_ARGS__)            \
    case 'd': TYPED(double, double, D, name, __VA_ARGS__)
#define COMPLEX_TYPES(name, ...)                                   \
    case 'c': TYPED(affinimath_c32, float, C, name, __VA_ARGS__)   \
    case 'z': TYPED(affinimath_c64, double, Z, name, __VA_ARGS__)
#define FOR_REAL(name, ...) switch (letter) { REAL_TYPES(name, __VA_ARGS__) }
#define FOR_COMPLEX(name, ...) switch (letter) { COMPLEX_TYPES(name, __VA_ARGS__) }
#define FOR_ALL(name, ...) switch (letter) { REAL_TYPES(name, __VA_ARGS__) COMPLEX_TYPES(name, __VA_ARGS__) }
/* Names that say both types: csscal, scnrm2. */
#define FOR_MIXED(single, c, double_, z, name, ...)                    \
    switch (letter) {                                                  \
    case 's': TYPED(float, float, single, name, __VA_ARGS__)           \
    case 'd': TYPED(double, double, double_, name, __VA_ARGS__)        \
    case 'c': TYPED(affinimath_c32, float, c, name, __VA_ARGS__)       \
    case 'z': TYPED(affinimath_c64, double, z, name, __VA_ARGS__)      \
    }
#define READ(type, number) ({ type read; memcpy(&read, &(number), sizeof read); read; })
#define V(number) READ(E, number)
#define W(number) READ(F, number)

enum { COL = AFFINIMATH_COL_MAJOR, N = AFFINIMATH_NO_TRANS, T = AFFINIMATH_TRANS, L = AFFINIMATH_LOWER,
       U = AFFINIMATH_UPPER, UNIT = AFFINIMATH_UNIT, NON_UNIT = AFFINIMATH_NON_UNIT, LEFT = AFFINIMATH_LEFT,
       RIGHT = AFFINIMATH_RIGHT };

static void *const vx = x, *const vy = y, *const vtau = tau;
static double complex result;
static void *const to_result = &result;
static int64_t index_found;

#define R(name) static void native_##name(routine f, int n)
R(copy) { FOR_ALL(copy, n, vx, 1, vy, 1) }
R(swap) { FOR_ALL(swap, n, vx, 1, vy, 1) }
R(scal) { FOR_ALL(scal, n, V(minus), vx, 1) }
R(rscal) { switch (letter) { case 'c': TYPED(affinimath_c32, float, Cs, scal, n, W(cosine), vx, 1)
                             case 'z': TYPED(affinimath_c64, double, Zd, scal, n, W(cosine), vx, 1) } }
R(nrm2) { FOR_MIXED(S, Sc, D, Dz, nrm2, n, vx, 1, to_result) }
R(asum) { FOR_MIXED(S, Sc, D, Dz, asum, n, vx, 1, to_result) }
R(amax) { FOR_MIXED(Is, Ic, Id, Iz, amax, n, vx, 1, &index_found) }
R(rot) { FOR_MIXED(S, Cs, D, Zd, rot, n, vx, 1, vy, 1, W(cosine), W(sine)) }
R(rotm) { FOR_REAL(rotm, n, vx, 1, vy, 1, (void *)param) }
R(dot) { FOR_REAL(dot, n, vx, 1, vy, 1, to_result) }
R(dotu) { FOR_COMPLEX(dotu, n, vx, 1, vy, 1, to_result) }
R(dotc) { FOR_COMPLEX(dotc, n, vx, 1, vy, 1, to_result) }
R(axpy) { FOR_ALL(axpy, n, V(tiny), vx, 1, vy, 1) }
R(rot2) { FOR_MIXED(S, Cs, D, Zd, rot, n, a, n, b, n, W(cosine), W(sine)) }
R(swap2) { FOR_ALL(swap, n, a, n, b, n) }
R(gemv) { FOR_ALL(gemv, COL, N, n, n, V(half), a, n, vx, 1, V(half), vy, 1) }
R(gemvt) { FOR_ALL(gemv, COL, T, n, n, V(half), a, n, vx, 1, V(half), vy, 1) }
R(gbmv) { int k = band(n); FOR_ALL(gbmv, COL, N, n, n, k, k, V(half), a, 2 * k + 1, vx, 1, V(half), vy, 1) }
R(symv) { FOR_REAL(symv, COL, L, n, V(half), a, n, vx, 1, V(half), vy, 1) }
R(hemv) { FOR_COMPLEX(hemv, COL, L, n, V(half), a, n, vx, 1, V(half), vy, 1) }
R(sbmv) { int k = band(n); FOR_REAL(sbmv, COL, L, n, k, V(half), a, k + 1, vx, 1, V(half), vy, 1) }
R(hbmv) { int k = band(n); FOR_COMPLEX(hbmv, COL, L, n, k, V(half), a, k + 1, vx, 1, V(half), vy, 1) }
R(spmv) { FOR_REAL(spmv, COL, L, n, V(half), a, vx, 1, V(half), vy, 1) }
R(hpmv) { FOR_COMPLEX(hpmv, COL, L, n, V(half), a, vx, 1, V(half), vy, 1) }
R(trmv) { FOR_ALL(trmv, COL, L, N, UNIT, n, a, n, vy, 1) }
R(trmvt) { FOR_ALL(trmv, COL, L, T, UNIT, n, a, n, vy, 1) }
R(tbmv) { int k = band(n); FOR_ALL(tbmv, COL, L, N, UNIT, n, k, b, k + 1, vy, 1) }
R(tpmv) { FOR_ALL(tpmv, COL, L, N, UNIT, n, b, vy, 1) }
R(trsv) { FOR_ALL(trsv, COL, L, N, UNIT, n, a, n, vy, 1) }
R(trsvt) { FOR_ALL(trsv, COL, L, T, UNIT, n, a, n, vy, 1) }
R(tbsv) { int k = band(n); FOR_ALL(tbsv, COL, L, N, UNIT, n, k, b, k + 1, vy, 1) }
R(tpsv) { FOR_ALL(tpsv, COL, L, N, UNIT, n, b, vy, 1) }
R(ger) { FOR_REAL(ger, COL, n, n, V(tiny), vx, 1, vy, 1, a, n) }
R(geru) { FOR_COMPLEX(geru, COL, n, n, V(tiny), vx, 1, vy, 1, a, n) }
R(gerc) { FOR_COMPLEX(gerc, COL, n, n, V(tiny), vx, 1, vy, 1, a, n) }
R(syr) { FOR_REAL(syr, COL, L, n, V(tiny), vx, 1, a, n) }
R(her) { FOR_COMPLEX(her, COL, L, n, W(real_tiny), vx, 1, a, n) }
R(spr) { FOR_REAL(spr, COL, L, n, V(tiny), vx, 1, a) }
R(hpr) { FOR_COMPLEX(hpr, COL, L, n, W(real_tiny), vx, 1, a) }
R(syr2) { FOR_REAL(syr2, COL, L, n, V(tiny), vx, 1, vy, 1, a, n) }
R(her2) { FOR_COMPLEX(her2, COL, L, n, V(tiny), vx, 1, vy, 1, a, n) }
R(spr2) { FOR_REAL(spr2, COL, L, n, V(tiny), vx, 1, vy, 1, a) }
R(hpr2) { FOR_COMPLEX(hpr2, COL, L, n, V(tiny), vx, 1, vy, 1, a) }
R(gemm) { FOR_ALL(gemm, COL, N, N, n, n, n, V(half), a, n, b, n, V(half), c, n) }
R(gemmt) { FOR_ALL(gemm, COL, T, N, n, n, n, V(half), a, n, b, n, V(half), c, n) }
R(symm) { FOR_ALL(symm, COL, LEFT, L, n, n, V(half), a, n, b, n, V(half), c, n) }
R(hemm) { FOR_COMPLEX(hemm, COL, LEFT, L, n, n, V(half), a, n, b, n, V(half), c, n) }
R(syrk) { FOR_ALL(syrk, COL, L, N, n, n, V(half), a, n, V(half), c, n) }
R(herk) { FOR_COMPLEX(herk, COL, L, N, n, n, W(real_half), a, n, W(real_half), c, n) }
R(syr2k) { FOR_ALL(syr2k, COL, L, N, n, n, V(half), a, n, b, n, V(half), c, n) }
R(her2k) { FOR_COMPLEX(her2k, COL, L, N, n, n, V(half), a, n, b, n, W(real_half), c, n) }
R(trmm) { FOR_ALL(trmm, COL, LEFT, L, N, UNIT, n, n, V(one_number), a, n, c, n) }
R(trmmr) { FOR_ALL(trmm, COL, RIGHT, U, N, NON_UNIT, n, n, V(one_number), a, n, c, n) }
R(trsm) { FOR_ALL(trsm, COL, LEFT, L, N, NON_UNIT, n, n, V(one_number), a, n, c, n) }
R(trsmr) { FOR_ALL(trsm, COL, RIGHT, L, T, NON_UNIT, n, n, V(one_number), a, n, c, n) }
R(laswp) { FOR_ALL(laswp, COL, n, b, n, 1, n, swaps, 1) }
R(getrf) { fresh(n); FOR_ALL(getrf, COL, n, n, d, n, pivots) }
R(getrs) { FOR_ALL(getrs, COL, N, n, 1, a, n, swaps, vx, n) }
R(gesv) { fresh(n); FOR_ALL(gesv, COL, n, 1, d, n, pivots, vx, n) }
R(potrf) { fresh(n); FOR_ALL(potrf, COL, L, n, d, n) }
R(potrs) { FOR_ALL(potrs, COL, L, n, 1, a, n, vx, n) }
R(posv) { fresh(n); FOR_ALL(posv, COL, L, n, 1, d, n, vx, n) }
R(trtri) { fresh(n); FOR_ALL(trtri, COL, L, NON_UNIT, n, d, n) }
R(lauum) { fresh(n); FOR_ALL(lauum, COL, L, n, d, n) }
R(getri) { fresh(n); FOR_ALL(getri, COL, n, d, n, swaps) }
R(potri) { fresh(n); FOR_ALL(potri, COL, L, n, d, n) }
R(geqrf) { fresh(n); FOR_ALL(geqrf, COL, n, n, d, n, vtau) }
#undef R

/* A name without its first letter for the types that have it; a name that begins with a capital is complete. */
static const struct entry {
    const char *name;
    int types;
    void (*call)(routine f, int n);
    void (*native)(routine f, int n);
    const char *shown;
} entries[] = {
    {"copy", ALL, call_copy, native_copy, 0}, {"scal", ALL, call_scal, native_scal, 0},
    {"Csscal", C, call_rscal, native_rscal, 0}, {"Zdscal", Z, call_rscal, native_rscal, 0},
    {"swap", ALL, call_copy, native_swap, 0}, {"nrm2", REAL, call_norm, native_nrm2, 0},
    {"Scnrm2", C, call_norm, native_nrm2, 0}, {"Dznrm2", Z, call_norm, native_nrm2, 0},
    {"asum", REAL, call_norm, native_asum, 0}, {"Scasum", C, call_norm, native_asum, 0},
    {"Dzasum", Z, call_norm, native_asum, 0}, {"Isamax", S, call_amax, native_amax, 0},
    {"Idamax", D, call_amax, native_amax, 0}, {"Icamax", C, call_amax, native_amax, 0},
    {"Izamax", Z, call_amax, native_amax, 0}, {"rot", REAL, call_rot, native_rot, 0},
    {"Csrot", C, call_rot, native_rot, 0}, {"Zdrot", Z, call_rot, native_rot, 0},
    {"rot", REAL, call_rot2, native_rot2, "rot rows"}, {"Csrot", C, call_rot2, native_rot2, "csrot rows"},
    {"Zdrot", Z, call_rot2, native_rot2, "zdrot rows"}, {"swap", ALL, call_swap2, native_swap2, "swap rows"},
    {"rotm", REAL, call_rotm, native_rotm, 0}, {"dot", REAL, call_dot, native_dot, 0},
    {"dotu", COMPLEX, call_dot, native_dotu, 0}, {"dotc", COMPLEX, call_dot, native_dotc, 0},
    {"axpy", ALL, call_axpy, native_axpy, 0}, {"gemv", ALL, call_gemv, native_gemv, 0},
    {"gemv", ALL, call_gemvt, native_gemvt, "gemv T"}, {"gbmv", ALL, call_gbmv, native_gbmv, 0},
    {"symv", REAL, call_symv, native_symv, 0}, {"hemv", COMPLEX, call_symv, native_hemv, 0},
    {"sbmv", REAL, call_sbmv, native_sbmv, 0}, {"hbmv", COMPLEX, call_sbmv, native_hbmv, 0},
    {"spmv", REAL, call_spmv, native_spmv, 0}, {"hpmv", COMPLEX, call_spmv, native_hpmv, 0},
    {"trmv", ALL, call_trmv, native_trmv, 0}, {"trmv", ALL, call_trmvt, native_trmvt, "trmv T"},
    {"tbmv", ALL, call_tbmv, native_tbmv, 0}, {"tpmv", ALL, call_tpmv, native_tpmv, 0},
    {"trsv", ALL, call_trmv, native_trsv, 0}, {"trsv", ALL, call_trmvt, native_trsvt, "trsv T"},
    {"tbsv", ALL, call_tbmv, native_tbsv, 0}, {"tpsv", ALL, call_tpmv, native_tpsv, 0},
    {"ger", REAL, call_ger, native_ger, 0}, {"geru", COMPLEX, call_ger, native_geru, 0},
    {"gerc", COMPLEX, call_ger, native_gerc, 0}, {"syr", REAL, call_syr, native_syr, 0},
    {"her", COMPLEX, call_syr, native_her, 0}, {"spr", REAL, call_spr, native_spr, 0},
    {"hpr", COMPLEX, call_spr, native_hpr, 0}, {"syr2", REAL, call_syr2, native_syr2, 0},
    {"her2", COMPLEX, call_syr2, native_her2, 0}, {"spr2", REAL, call_spr2, native_spr2, 0},
    {"hpr2", COMPLEX, call_spr2, native_hpr2, 0}, {"gemm", ALL, call_gemm, native_gemm, 0},
    {"gemm", ALL, call_gemmt, native_gemmt, "gemm T"}, {"symm", ALL, call_symm, native_symm, 0},
    {"hemm", COMPLEX, call_symm, native_hemm, 0}, {"syrk", ALL, call_syrk, native_syrk, 0},
    {"herk", COMPLEX, call_herk, native_herk, 0}, {"syr2k", ALL, call_syr2k, native_syr2k, 0},
    {"her2k", COMPLEX, call_her2k, native_her2k, 0}, {"trmm", ALL, call_trmm, native_trmm, 0},
    {"trmm", ALL, call_trmmr, native_trmmr, "trmm R"}, {"trsm", ALL, call_trsm, native_trsm, 0},
    {"trsm", ALL, call_trsmr, native_trsmr, "trsm R"}, {"laswp", ALL, call_laswp, native_laswp, 0},
    {"getrf", ALL, call_getrf, native_getrf, 0}, {"getrs", ALL, call_getrs, native_getrs, 0},
    {"gesv", ALL, call_gesv, native_gesv, 0}, {"potrf", ALL, call_potrf, native_potrf, 0},
    {"potrs", ALL, call_potrs, native_potrs, 0}, {"posv", ALL, call_posv, native_posv, 0},
    {"trtri", ALL, call_trtri, native_trtri, 0}, {"lauum", ALL, call_lauum, native_lauum, 0},
    {"getri", ALL, call_getri, native_getri, 0}, {"potri", ALL, call_potri, native_potri, 0},
    {"geqrf", ALL, call_geqrf, native_geqrf, 0},
};

/* What the loop takes is measured with a call that does nothing, and taken off. */
static void nothing() {}

/* A library, and a routine in it. */
typedef struct library {
    void *handle;
    int is_native;
} library;

typedef struct function {
    routine f;
    void (*call)(routine f, int n);
} function;

static double batch(function f, int n, long count) {
    double begin = now();
    for (long i = 0; i < count; i++) f.call(f.f, n);
    return now() - begin;
}

/* The calls that a batch needs. */
static long calls_of(function f, int n) {
    long count = 1;
    while (batch(f, n, count) < BATCH_NS) count *= 2;
    return count;
}

/* A routine's name without its first letter, or complete, as a library has it: dgemm_ or affinimathDgemm. */
static void spell(char *to, size_t size, const char *name, int is_native) {
    int is_complete = *name >= 'A' && *name <= 'Z', first = is_complete ? *name : letter - 32;
    snprintf(to, size, is_native ? "affinimath%c%s" : "%c%s_", is_native ? first : first + 32, name + is_complete);
}

static function find(const struct entry *e, library in) {
    char name[32];
    spell(name, sizeof name, e->name, in.is_native);
    function found = {(routine)dlsym(in.handle, name), in.is_native ? e->native : e->call};
    return found;
}

static void measure(const struct entry *e, const library *libraries, int found, int n, double above) {
    char name[32], shown[40];
    spell(name, sizeof name, e->name, 0);
    if (e->shown) snprintf(shown, sizeof shown, "%s", e->shown);
    else snprintf(shown, sizeof shown, "%.*s", (int)strlen(name) - 1, name);
    /* What the loop and the choice of a type take is no time of a library's. */
    function functions[MAX_LIBRARIES + 1], empty[MAX_LIBRARIES + 1];
    long counts[MAX_LIBRARIES + 1], empty_counts[MAX_LIBRARIES + 1];
    double least[MAX_LIBRARIES + 1], loop[MAX_LIBRARIES + 1];
    fill(n);
    for (int l = 1; l <= found; l++) {
        functions[l] = find(e, libraries[l - 1]);
        empty[l].f = (routine)nothing;
        empty[l].call = functions[l].call;
        least[l] = loop[l] = 1e18;
        if (!functions[l].f) continue;
        counts[l] = calls_of(functions[l], n);
        empty_counts[l] = calls_of(empty[l], n);
    }
    for (int turn = 0; turn < BATCHES; turn++)
        for (int l = 1; l <= found; l++) {
            if (!functions[l].f) continue;
            fill(n);
            functions[l].call(functions[l].f, n);
            double each = batch(functions[l], n, counts[l]) / counts[l];
            if (each < least[l]) least[l] = each;
            each = batch(empty[l], n, empty_counts[l]) / empty_counts[l];
            if (each < loop[l]) loop[l] = each;
        }
    for (int l = 1; l <= found; l++) least[l] -= loop[l];
    double ratio = found > 1 && functions[1].f && functions[2].f ? least[1] / least[2] : 0.0;
    if (ratio <= above && above > 0.0) return;
    printf("%c %-10s %5d", letter, shown, n);
    for (int l = 1; l <= found; l++) {
        if (functions[l].f) printf(" %10.1f", least[l]);
        else printf(" %10s", "-");
    }
    if (ratio > 0.0) printf(" %6.2f", ratio);
    puts("");
    fflush(stdout);
}

/* Whether a comma-separated list has a word. */
static int listed(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length])) return 1;
    return !list;
}

int main(int count, char **arguments) {
    const char *types = "sdcz", *routines = 0;
    char *sizes = "1,2,3,4,8,12,16,24,32,48,64,100,128,200,300,512,1000";
    double above = 0.0;
    for (int option; (option = getopt(count, arguments, "t:n:r:a:")) != -1;) {
        if (option == 't') types = optarg;
        else if (option == 'n') sizes = optarg;
        else if (option == 'r') routines = optarg;
        else if (option == 'a') above = atof(optarg);
        else return 2;
    }
    static const char native[] = "native:";
    library libraries[MAX_LIBRARIES];
    int found = 0;
    for (; optind < count && found < MAX_LIBRARIES; optind++) {
        const char *path = arguments[optind];
        libraries[found].is_native = !strncmp(path, native, strlen(native));
        if (libraries[found].is_native) path += strlen(native);
        libraries[found].handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!libraries[found++].handle) return fprintf(stderr, "%s\n", dlerror()), 1;
    }
    for (const char *type = types; *type; type++) {
        choose(*type);
        int bit = *type == 's' ? S : *type == 'd' ? D : *type == 'c' ? C : Z;
        for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
            if (!(entries[k].types & bit) || !listed(routines, entries[k].name)) continue;
            for (char *at = sizes; *at; at += *at == ',') {
                int n = (int)strtol(at, &at, 10);
                if (n < 1 || n > MAX_N) return fprintf(stderr, "orders are 1 to %d\n", MAX_N), 2;
                measure(&entries[k], libraries, found, n, above);
            }
        }
    }
    return 0;
}
