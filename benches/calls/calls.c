/* Nanoseconds of one call of double precision routines under their Fortran names, in each of several libraries in turn.
 *
 *   cc -O2 -o calls calls.c -ldl
 *   ./calls /path/libaffinimath_blas.so /path/libopenblas.so.0
 *
 * Each figure is the least of 15 batches of at least 0.2 ms. Operands are in the nearest cache; matrices are lower triangles. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#define MAX_LIBRARIES 4
#define MAX_N 1000

typedef void (*routine)();
typedef double (*real_function)();
typedef int (*integer_function)();

static double x[MAX_N], y[MAX_N], a[MAX_N * MAX_N], b[MAX_N * MAX_N], c[MAX_N * MAX_N];
static int pivots[MAX_N];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void fill(int n, int ld) {
    for (int i = 0; i < n; i++) {
        x[i] = (i * 7 % 19 - 9) * 1e-2;
        y[i] = (i * 5 % 17 - 8) * 1e-2;
        pivots[i] = n - i / 2;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) a[j * ld + i] = b[j * ld + i] = i == j ? 1.0 : ((i * 3 + j * 7) % 13 - 6) * 1e-4;
}

/* The routines, in the order of their names below. */
enum kind { COPY, SCAL, SWAP, NRM2, ASUM, IAMAX, ROT, DOT, AXPY, GEMV, SYMV, TRMV, TRSV, GER, SYR, SYR2, LASWP, GEMM, TRSM, TRMM, SYRK };

/* One call; factors are such that values stay what they are over many calls. */
static void call(enum kind kind, routine f, int n, int ld) {
    static const int one = 1;
    static const double minus = -1.0, half = 0.5, tiny = 1e-12, cosine = 0.6, sine = 0.8;
    switch (kind) {
    case COPY: case SWAP: f(&n, x, &one, y, &one); break;
    case SCAL: f(&n, &minus, x, &one); break;
    case NRM2: case ASUM: ((real_function)f)(&n, x, &one); break;
    case IAMAX: ((integer_function)f)(&n, x, &one); break;
    case ROT: f(&n, x, &one, y, &one, &cosine, &sine); break;
    case DOT: ((real_function)f)(&n, x, &one, y, &one); break;
    case AXPY: f(&n, &tiny, x, &one, y, &one); break;
    case GEMV: f("N", &n, &n, &half, a, &ld, x, &one, &half, y, &one); break;
    case SYMV: f("L", &n, &half, a, &ld, x, &one, &half, y, &one); break;
    case TRMV: f("L", "N", "U", &n, a, &ld, y, &one); break;
    case TRSV: f("L", "N", "N", &n, a, &ld, y, &one); break;
    case GER: f(&n, &n, &tiny, x, &one, y, &one, a, &ld); break;
    case SYR: f("L", &n, &tiny, x, &one, a, &ld); break;
    case SYR2: f("L", &n, &tiny, x, &one, y, &one, a, &ld); break;
    case LASWP: f(&n, b, &ld, &one, &n, pivots, &one); break;
    case GEMM: f("N", "N", &n, &n, &n, &half, a, &ld, b, &ld, &half, c, &ld); break;
    case TRSM: f("L", "L", "N", "N", &n, &n, &half, a, &ld, c, &ld); break;
    case TRMM: f("L", "L", "N", "U", &n, &n, &half, a, &ld, c, &ld); break;
    case SYRK: f("L", "N", &n, &n, &half, a, &ld, &half, c, &ld); break;
    }
}

/* What the loop takes is measured with a call that does nothing, and taken off. */
static void nothing() {}

static double best(enum kind kind, routine f, int n, int ld) {
    long count = 1;
    double least = 1e18, begin;
    do {
        count *= 2;
        begin = now();
        for (long i = 0; i < count; i++) call(kind, f, n, ld);
    } while (now() - begin < 2e5);
    for (int batch = 0; batch < 15; batch++) {
        begin = now();
        for (long i = 0; i < count; i++) call(kind, f, n, ld);
        double each = (now() - begin) / count;
        if (each < least) least = each;
    }
    return least;
}

int main(int count, char **paths) {
    static const char *const names[] = {"dcopy_", "dscal_", "dswap_", "dnrm2_", "dasum_", "idamax_", "drot_",
                                        "ddot_",  "daxpy_", "dgemv_", "dsymv_", "dtrmv_", "dtrsv_",  "dger_",
                                        "dsyr_",  "dsyr2_", "dlaswp_", "dgemm_", "dtrsm_", "dtrmm_", "dsyrk_"};
    static const int sizes[] = {1, 3, 4, 8, 16, 32, 64, 100, 300, 1000};
    void *libraries[MAX_LIBRARIES];
    int found = count - 1 < MAX_LIBRARIES ? count - 1 : MAX_LIBRARIES;
    for (int l = 0; l < found; l++) {
        libraries[l] = dlopen(paths[l + 1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!libraries[l]) return fprintf(stderr, "%s\n", dlerror()), 1;
    }
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int n = sizes[s], ld = n, cubic = k >= GEMM;
            if (cubic && n > 100) continue;
            double empty = best((enum kind)k, (routine)nothing, n, ld);
            printf("%-8s %5d", names[k], n);
            for (int l = 0; l < found; l++) {
                routine f = (routine)dlsym(libraries[l], names[k]);
                fill(n, ld);
                if (f) printf(" %10.1f", best((enum kind)k, f, n, ld) - empty);
                else printf(" %10s", "-");
            }
            puts("");
        }
    return 0;
}
