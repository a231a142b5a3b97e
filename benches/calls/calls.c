/* Nanoseconds of one call of BLAS's routines and some of LAPACK's under their Fortran names, in each of several
 * libraries in turn.
 *
 *   cc -O2 -o calls calls.c -ldl
 *   ./calls [-t sdcz] [-n 1,3,16] [-r gemm,trsm] [-a 1.3] /path/libaffinimath_blas.so /path/libopenblas.so.0
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
#undef R

/* A name without its first letter for the types that have it; a name that begins with a capital is complete. */
static const struct entry {
    const char *name;
    int types;
    void (*call)(routine f, int n);
    const char *shown;
} entries[] = {
    {"copy", ALL, call_copy, 0}, {"scal", ALL, call_scal, 0}, {"Csscal", C, call_rscal, 0},
    {"Zdscal", Z, call_rscal, 0}, {"swap", ALL, call_copy, 0}, {"nrm2", REAL, call_norm, 0},
    {"Scnrm2", C, call_norm, 0}, {"Dznrm2", Z, call_norm, 0}, {"asum", REAL, call_norm, 0},
    {"Scasum", C, call_norm, 0}, {"Dzasum", Z, call_norm, 0}, {"Isamax", S, call_amax, 0},
    {"Idamax", D, call_amax, 0}, {"Icamax", C, call_amax, 0}, {"Izamax", Z, call_amax, 0},
    {"rot", REAL, call_rot, 0}, {"Csrot", C, call_rot, 0}, {"Zdrot", Z, call_rot, 0},
    {"rot", REAL, call_rot2, "rot rows"}, {"Csrot", C, call_rot2, "csrot rows"},
    {"Zdrot", Z, call_rot2, "zdrot rows"}, {"swap", ALL, call_swap2, "swap rows"}, {"rotm", REAL, call_rotm, 0},
    {"dot", REAL, call_dot, 0}, {"dotu", COMPLEX, call_dot, 0}, {"dotc", COMPLEX, call_dot, 0},
    {"axpy", ALL, call_axpy, 0}, {"gemv", ALL, call_gemv, 0}, {"gemv", ALL, call_gemvt, "gemv T"},
    {"gbmv", ALL, call_gbmv, 0}, {"symv", REAL, call_symv, 0}, {"hemv", COMPLEX, call_symv, 0},
    {"sbmv", REAL, call_sbmv, 0}, {"hbmv", COMPLEX, call_sbmv, 0}, {"spmv", REAL, call_spmv, 0},
    {"hpmv", COMPLEX, call_spmv, 0}, {"trmv", ALL, call_trmv, 0}, {"trmv", ALL, call_trmvt, "trmv T"},
    {"tbmv", ALL, call_tbmv, 0}, {"tpmv", ALL, call_tpmv, 0}, {"trsv", ALL, call_trmv, 0},
    {"trsv", ALL, call_trmvt, "trsv T"}, {"tbsv", ALL, call_tbmv, 0}, {"tpsv", ALL, call_tpmv, 0},
    {"ger", REAL, call_ger, 0}, {"geru", COMPLEX, call_ger, 0}, {"gerc", COMPLEX, call_ger, 0},
    {"syr", REAL, call_syr, 0}, {"her", COMPLEX, call_syr, 0}, {"spr", REAL, call_spr, 0},
    {"hpr", COMPLEX, call_spr, 0}, {"syr2", REAL, call_syr2, 0}, {"her2", COMPLEX, call_syr2, 0},
    {"spr2", REAL, call_spr2, 0}, {"hpr2", COMPLEX, call_spr2, 0}, {"gemm", ALL, call_gemm, 0},
    {"gemm", ALL, call_gemmt, "gemm T"}, {"symm", ALL, call_symm, 0}, {"hemm", COMPLEX, call_symm, 0},
    {"syrk", ALL, call_syrk, 0}, {"herk", COMPLEX, call_herk, 0}, {"syr2k", ALL, call_syr2k, 0},
    {"her2k", COMPLEX, call_her2k, 0}, {"trmm", ALL, call_trmm, 0}, {"trmm", ALL, call_trmmr, "trmm R"},
    {"trsm", ALL, call_trsm, 0}, {"trsm", ALL, call_trsmr, "trsm R"}, {"laswp", ALL, call_laswp, 0},
    {"getrf", ALL, call_getrf, 0}, {"getrs", ALL, call_getrs, 0}, {"gesv", ALL, call_gesv, 0},
    {"potrf", ALL, call_potrf, 0}, {"potrs", ALL, call_potrs, 0}, {"trtri", ALL, call_trtri, 0},
    {"lauum", ALL, call_lauum, 0}, {"getri", ALL, call_getri, 0}, {"potri", ALL, call_potri, 0},
    {"geqrf", ALL, call_geqrf, 0},
};

/* What the loop takes is measured with a call that does nothing, and taken off. */
static void nothing() {}

static double batch(const struct entry *e, routine f, int n, long count) {
    double begin = now();
    for (long i = 0; i < count; i++) e->call(f, n);
    return now() - begin;
}

/* The calls that a batch needs. */
static long calls_of(const struct entry *e, routine f, int n) {
    long count = 1;
    while (batch(e, f, n, count) < BATCH_NS) count *= 2;
    return count;
}

static void measure(const struct entry *e, void **libraries, int found, int n, double above) {
    char name[16], shown[24];
    if (*e->name >= 'A' && *e->name <= 'Z') snprintf(name, sizeof name, "%c%s_", *e->name + 32, e->name + 1);
    else snprintf(name, sizeof name, "%c%s_", letter, e->name);
    if (e->shown) snprintf(shown, sizeof shown, "%s", e->shown);
    else snprintf(shown, sizeof shown, "%.*s", (int)strlen(name) - 1, name);
    routine functions[MAX_LIBRARIES + 1] = {(routine)nothing};
    long counts[MAX_LIBRARIES + 1];
    double least[MAX_LIBRARIES + 1];
    fill(n);
    for (int l = 0; l <= found; l++) {
        if (l) functions[l] = (routine)dlsym(libraries[l - 1], name);
        least[l] = 1e18;
        if (functions[l]) counts[l] = calls_of(e, functions[l], n);
    }
    for (int turn = 0; turn < BATCHES; turn++)
        for (int l = 0; l <= found; l++) {
            if (!functions[l]) continue;
            fill(n);
            e->call(functions[l], n);
            double each = batch(e, functions[l], n, counts[l]) / counts[l];
            if (each < least[l]) least[l] = each;
        }
    double ratio = found > 1 && functions[1] && functions[2] ? (least[1] - least[0]) / (least[2] - least[0]) : 0.0;
    if (ratio <= above && above > 0.0) return;
    printf("%c %-10s %5d", letter, shown, n);
    for (int l = 1; l <= found; l++) {
        if (functions[l]) printf(" %10.1f", least[l] - least[0]);
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
    void *libraries[MAX_LIBRARIES];
    int found = 0;
    for (; optind < count && found < MAX_LIBRARIES; optind++) {
        libraries[found] = dlopen(arguments[optind], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!libraries[found++]) return fprintf(stderr, "%s\n", dlerror()), 1;
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
