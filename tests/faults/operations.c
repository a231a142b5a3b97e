/* The operations: dense, factorisations, Fourier, sparse, solver, batched; with host pointers and memory objects. */

#include "operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS AFFINIMATH_COL_MAJOR
#define KEEP AFFINIMATH_NO_TRANS

/* Numbers between -1 and 1 that look random, the same ones every time. */
static double noise(int which, long index)
{
  unsigned long x = (unsigned long)index * 2654435761u + (unsigned long)which * 40503u + 12345u;
  x ^= x >> 13;
  x = x * 1103515245u + 12345u;
  return (double)(x >> 8 & 0xffff) / 32768.0 - 1;
}

static int near(double found, double expected, double scale) { return fabs(found - expected) <= 1e-12 * scale; }

/* ---- gemm: C := A B + 2 C. */

enum { M = 70, N = 50, K = 60 };

static int is_product(const double *a, const double *b, const double *c)
{
  long i, j, l;
  for (j = 0; j < N; ++j) {
    for (i = 0; i < M; ++i) {
      double sum = 2 * noise(INPUTS, i + j * M);
      for (l = 0; l < K; ++l) {
        sum += a[i + l * M] * b[l + j * K];
      }
      if (!near(c[i + j * M], sum, K)) {
        return 0;
      }
    }
  }
  return 1;
}

static int gemm(const application *app, const numbers *in, const numbers *out)
{
  (void)app;
  return affinimathDgemm(COLUMNS, KEEP, KEEP, M, N, K, 1, in[0].host, M, in[1].host, K, 2, out->host, M);
}

static int gemm_is_right(double *const *in, const double *c) { return is_product(in[0], in[1], c); }

static int gemm_cl(const application *app, const numbers *in, const numbers *out)
{
  return affinimathDgemmCL(app->queue, COLUMNS, KEEP, KEEP, M, N, K, 1, in[0].device, 0, M, in[1].device, 0, K, 2,
                           out->device, 0, M, NULL);
}

/* ---- gemm in a batch: C := A B for small matrices. */

enum { SMALL = 6, BATCH = 20 };

static int batched(const application *app, const numbers *in, const numbers *out)
{
  (void)app;
  return affinimathDgemmStridedBatched(COLUMNS, KEEP, KEEP, SMALL, SMALL, SMALL, 1, in[0].host, SMALL, SMALL * SMALL,
                                       in[1].host, SMALL, SMALL * SMALL, 0, out->host, SMALL, SMALL * SMALL, BATCH);
}

static int batched_is_right(double *const *in, const double *c)
{
  long i, j, l, p;
  for (p = 0; p < BATCH; ++p) {
    const double *a = in[0] + p * SMALL * SMALL, *b = in[1] + p * SMALL * SMALL;
    for (j = 0; j < SMALL; ++j) {
      for (i = 0; i < SMALL; ++i) {
        double sum = 0;
        for (l = 0; l < SMALL; ++l) {
          sum += a[i + l * SMALL] * b[l + j * SMALL];
        }
        if (!near(c[p * SMALL * SMALL + i + j * SMALL], sum, SMALL)) {
          return 0;
        }
      }
    }
  }
  return 1;
}

/* ---- Systems: a matrix with a strong diagonal. */

enum { ORDER = 80, SIDES = 10 };

static double strong(int which, long index)
{
  if (which == INPUTS) {
    return noise(which, index) + (index / ORDER == index % ORDER ? ORDER : 0);
  }
  return noise(which, index) + (which == 0 && index / ORDER == index % ORDER ? ORDER : 0);
}

static int trsm(const application *app, const numbers *in, const numbers *out)
{
  (void)app;
  return affinimathDtrsm(COLUMNS, AFFINIMATH_LEFT, AFFINIMATH_LOWER, KEEP, AFFINIMATH_NON_UNIT, ORDER, SIDES, 1,
                         in[0].host, ORDER, out->host, ORDER);
}

static int trsm_is_right(double *const *in, const double *x)
{
  long i, j, l;
  for (j = 0; j < SIDES; ++j) {
    for (i = 0; i < ORDER; ++i) {
      double sum = 0;
      for (l = 0; l <= i; ++l) {
        sum += in[0][i + l * ORDER] * x[l + j * ORDER];
      }
      if (!near(sum, noise(INPUTS, i + j * ORDER), 2 * ORDER)) {
        return 0;
      }
    }
  }
  return 1;
}

/* The right-hand sides of trsm are no system's matrix. */
static double trsm_value(int which, long index) { return which == INPUTS ? noise(which, index) : strong(which, index); }

/* The diagonal is strong enough for partial pivoting to leave all rows where they are: A = L U. */
static int getrf(const application *app, const numbers *in, const numbers *out)
{
  static int32_t pivots[ORDER];
  int status = affinimathDgetrf(COLUMNS, ORDER, ORDER, out->host, ORDER, pivots);
  (void)app;
  (void)in;
  if (status == 0 && (pivots[0] != 1 || pivots[ORDER - 1] != ORDER)) {
    return 1;
  }
  return status;
}

static int getrf_is_right(double *const *in, const double *lu)
{
  long i, j, l;
  (void)in;
  for (j = 0; j < ORDER; ++j) {
    for (i = 0; i < ORDER; ++i) {
      double sum = i <= j ? lu[i + j * ORDER] : 0;
      for (l = 0; l < (i <= j ? i : j + 1); ++l) {
        sum += lu[i + l * ORDER] * lu[l + j * ORDER];
      }
      if (!near(sum, strong(INPUTS, i + j * ORDER), 10 * ORDER)) {
        return 0;
      }
    }
  }
  return 1;
}

/* A = L L^T. Only the lower triangle is looked at. The info is the last input's first number. */
static int potrf_cl(const application *app, const numbers *in, const numbers *out)
{
  return affinimathDpotrfCL(app->queue, COLUMNS, AFFINIMATH_LOWER, ORDER, out->device, 0, ORDER, in[0].device, 0, NULL);
}

static int potrf_is_right(double *const *in, const double *factor)
{
  long i, j, l;
  (void)in;
  for (j = 0; j < ORDER; ++j) {
    for (i = j; i < ORDER; ++i) {
      double sum = 0;
      for (l = 0; l <= j; ++l) {
        sum += factor[i + l * ORDER] * factor[j + l * ORDER];
      }
      if (!near(sum, strong(INPUTS, i + j * ORDER), 10 * ORDER)) {
        return 0;
      }
    }
  }
  return 1;
}

/* ---- A Fourier transform of complex numbers, whose length has a large prime factor: a convolution with a chirp. */

enum { POINTS = 2 * 101 };

static int transform(const application *app, const numbers *in, const numbers *out, int on_device)
{
  affinimath_fft_descriptor descriptor;
  affinimath_fft_plan *plan = NULL;
  int64_t length = POINTS;
  int status = affinimathFftDescriptor(&descriptor, AFFINIMATH_FORWARD, AFFINIMATH_DOUBLE, 1, &length);
  status = status != 0 ? status : affinimathFftPlanCreate(&descriptor, &plan);
  if (status != 0) {
    return status;
  }
  status = on_device ? affinimathFftExecuteCL(plan, app->queue, in[0].device, 0, out->device, 0, NULL, NULL)
                     : affinimathFftExecute(plan, in[0].host, out->host);
  if (affinimathFftPlanDestroy(plan) != 0) {
    return 1;
  }
  return status;
}

static int fft(const application *app, const numbers *in, const numbers *out) { return transform(app, in, out, 0); }
static int fft_cl(const application *app, const numbers *in, const numbers *out) { return transform(app, in, out, 1); }

static int fft_is_right(double *const *in, const double *y)
{
  const double turn = -2 * 3.14159265358979323846 / POINTS;
  long i, k;
  for (k = 0; k < POINTS; ++k) {
    double re = 0, im = 0;
    for (i = 0; i < POINTS; ++i) {
      double c = cos(turn * (double)(i * k % POINTS)), s = sin(turn * (double)(i * k % POINTS));
      re += c * in[0][2 * i] - s * in[0][2 * i + 1];
      im += s * in[0][2 * i] + c * in[0][2 * i + 1];
    }
    if (!near(y[2 * k], re, POINTS) || !near(y[2 * k + 1], im, POINTS)) {
      return 0;
    }
  }
  return 1;
}

/* ---- Sparse: the matrix -1, 2.5, -1 along its diagonals. */

enum { ROWS = 300, ENTRIES = 3 * ROWS - 2 };

static int make_matrix(affinimath_csr **matrix)
{
  static int32_t pointers[ROWS + 1], indices[ENTRIES];
  static double values[ENTRIES];
  int32_t row, column, entry = 0;
  for (row = 0; row < ROWS; ++row) {
    pointers[row] = entry;
    for (column = row > 0 ? row - 1 : 0; column <= row + 1 && column < ROWS; ++column) {
      indices[entry] = column;
      values[entry++] = column == row ? 2.5 : -1;
    }
  }
  pointers[ROWS] = entry;
  return affinimathDcsrCreate(ROWS, ROWS, pointers, indices, values, matrix);
}

static double times_matrix(const double *x, long row)
{
  return 2.5 * x[row] - (row > 0 ? x[row - 1] : 0) - (row < ROWS - 1 ? x[row + 1] : 0);
}

static int csrmv(const application *app, const numbers *in, const numbers *out)
{
  affinimath_csr *matrix = NULL;
  int status = make_matrix(&matrix);
  (void)app;
  if (status != 0) {
    return status;
  }
  status = affinimathDcsrmv(KEEP, 1, matrix, in[0].host, 1, 2, out->host, 1);
  return affinimathCsrDestroy(matrix) != 0 ? 1 : status;
}

static int csrmv_is_right(double *const *in, const double *y)
{
  long row;
  for (row = 0; row < ROWS; ++row) {
    if (!near(y[row], times_matrix(in[0], row) + 2 * noise(INPUTS, row), 10)) {
      return 0;
    }
  }
  return 1;
}

static int cg(const application *app, const numbers *in, const numbers *out)
{
  affinimath_csr *matrix = NULL;
  affinimath_solve_outcome outcome;
  int status = make_matrix(&matrix);
  (void)app;
  if (status != 0) {
    return status;
  }
  status = affinimathDcg(matrix, in[0].host, out->host, NULL, &outcome);
  if (status == 0 && outcome.reason != AFFINIMATH_CONVERGED) {
    status = 1;
  }
  return affinimathCsrDestroy(matrix) != 0 ? 1 : status;
}

static int cg_is_right(double *const *in, const double *x)
{
  double norm = 0, residual = 0;
  long row;
  for (row = 0; row < ROWS; ++row) {
    double left = in[0][row] - times_matrix(x, row);
    norm += in[0][row] * in[0][row];
    residual += left * left;
  }
  return sqrt(residual) <= 2e-8 * sqrt(norm);
}

/* ---- A norm, which is a number. */

static int nrm2(const application *app, const numbers *in, const numbers *out)
{
  (void)app;
  return affinimathDnrm2(in[0].length, in[0].host, 1, out->host);
}

enum { LONG = 40000 };

static int nrm2_is_right(double *const *in, const double *norm)
{
  double sum = 0;
  long i;
  for (i = 0; i < LONG; ++i) {
    sum += in[0][i] * in[0][i];
  }
  return near(*norm, sqrt(sum), 1000);
}

/* ---- Stencils: elements of a parameter, a border that is kept, and the largest new value behind the points. */

enum { CELLS = 500, WEIGHTS = 4 };

static const char STENCIL[] = "stencil line { domainsize = (2 .. n-1);"
                              "operation (double grid u, double param c[0 .. 3], double result most) {"
                              "u[x; t+1] = c[x % 4] * (u[x-1; t] + u[x+1; t]) - u[x; t]; most = max(u[x; t+1]); } }";

/* A plan of the stencil, on the chosen device or on the application's queue. */
static int make_plan(const application *app, int on_queue, affinimath_stencil_plan **plan)
{
  affinimath_stencil *stencil = NULL;
  affinimath_stencil_size size = {"n", CELLS};
  int status = affinimathStencilCreate(STENCIL, &stencil);
  if (status == 0) {
    status = on_queue ? affinimathStencilPlanCreateCL(stencil, app->queue, 1, &size, plan)
                      : affinimathStencilPlanCreate(stencil, -2, 1, &size, 0, NULL, plan);
  }
  return affinimathStencilDestroy(stencil) != 0 ? 1 : status;
}

/* The largest of the right new values, and true if those are the ones at u. */
static int is_step(double *const *in, const double *u, double *most)
{
  long i;
  *most = -1e300;
  for (i = 1; i < CELLS - 1; ++i) {
    /* The first point has the coordinate 1. */
    double value = in[1][(i + 1) % WEIGHTS] * (in[0][i - 1] + in[0][i + 1]) - in[0][i];
    *most = value > *most ? value : *most;
    if (u != NULL && u[i] != value) {
      return 0;
    }
  }
  return u == NULL || (u[0] == in[0][0] && u[CELLS - 1] == in[0][CELLS - 1]);
}

/* The plan is as good as before after a failure: the same run fails for the same reason, or is right. */
static int is_usable(int status, int again, int right) { return again == 0 ? right : again == status; }

static int stencil(const application *app, const numbers *in, const numbers *out)
{
  affinimath_stencil_plan *plan = NULL;
  affinimath_operand operands[4] = {{"u", NULL, in[0].host, AFFINIMATH_TYPE_DOUBLE, 1, {CELLS}, {1}},
                                    {"u", NULL, out->host, AFFINIMATH_TYPE_DOUBLE, 1, {CELLS}, {1}},
                                    {"c", NULL, in[1].host, AFFINIMATH_TYPE_DOUBLE, 1, {WEIGHTS}, {1}},
                                    {"most", NULL, out->host + CELLS, AFFINIMATH_TYPE_DOUBLE, 0, {0}, {0}}};
  int32_t newest[4] = {0, 0, 0, 0};
  int status = make_plan(app, 0, &plan);
  double *const inputs[2] = {in[0].host, in[1].host};
  double most;
  if (status == 0) {
    status = affinimathStencilPlanRun(plan, 4, operands, 0, 0, 1, newest, NULL);
    if (status != 0) {
      int again = affinimathStencilPlanRun(plan, 4, operands, 0, 0, 1, newest, NULL);
      status = is_usable(status, again, is_step(inputs, out->host, &most)) ? status : 1;
    } else if (newest[1] != 1) {
      status = 1;
    }
  }
  return affinimathStencilPlanDestroy(plan) != 0 ? 1 : status;
}

/* The result comes to the host, where it is checked at once. */
static int stencil_cl(const application *app, const numbers *in, const numbers *out)
{
  affinimath_stencil_plan *plan = NULL;
  affinimath_operand_cl levels[2] = {{"u", in[0].device, 0, AFFINIMATH_TYPE_DOUBLE, 1, {CELLS}, {1}},
                                     {"u", out->device, 0, AFFINIMATH_TYPE_DOUBLE, 1, {CELLS}, {1}}};
  double most = 0, expected;
  double *const inputs[2] = {in[0].host, in[1].host};
  affinimath_operand operands[2] = {{"c", NULL, in[1].host, AFFINIMATH_TYPE_DOUBLE, 1, {WEIGHTS}, {1}},
                                    {"most", NULL, &most, AFFINIMATH_TYPE_DOUBLE, 0, {0}, {0}}};
  int status = make_plan(app, 1, &plan);
  if (status == 0) {
    is_step(inputs, NULL, &expected);
    status = affinimathStencilPlanRunCL(plan, app->queue, 2, levels, 2, operands, 0, 0, 1, NULL, NULL, NULL);
    if (status != 0) {
      int again = affinimathStencilPlanRunCL(plan, app->queue, 2, levels, 2, operands, 0, 0, 1, NULL, NULL, NULL);
      status = is_usable(status, again, most == expected) ? status : 1;
    } else if (most != expected) {
      status = 1;
    }
  }
  return affinimathStencilPlanDestroy(plan) != 0 ? 1 : status;
}

static int stencil_is_right(double *const *in, const double *u)
{
  double most;
  return is_step(in, u, &most) && u[CELLS] == most;
}

static int stencil_cl_is_right(double *const *in, const double *u)
{
  double most;
  return is_step(in, u, &most);
}

const operation OPERATIONS[] = {
    {"nrm2", 0, {LONG}, 1, noise, nrm2, nrm2_is_right},
    {"gemm", 0, {M * K, K * N}, M * N, noise, gemm, gemm_is_right},
    {"gemm cl_mem", 1, {M * K, K * N}, M * N, noise, gemm_cl, gemm_is_right},
    {"gemm batched", 0, {BATCH * SMALL * SMALL, BATCH * SMALL * SMALL}, BATCH * SMALL * SMALL, noise, batched,
     batched_is_right},
    {"trsm", 0, {ORDER * ORDER}, ORDER * SIDES, trsm_value, trsm, trsm_is_right},
    {"getrf", 0, {0}, ORDER * ORDER, strong, getrf, getrf_is_right},
    {"potrf cl_mem", 1, {1}, ORDER * ORDER, strong, potrf_cl, potrf_is_right},
    {"fft", 0, {2 * POINTS}, 2 * POINTS, noise, fft, fft_is_right},
    {"fft cl_mem", 1, {2 * POINTS}, 2 * POINTS, noise, fft_cl, fft_is_right},
    {"csr, csrmv", 0, {ROWS}, ROWS, noise, csrmv, csrmv_is_right},
    {"csr, cg", 0, {ROWS}, ROWS, noise, cg, cg_is_right},
    {"stencil", 0, {CELLS, WEIGHTS}, CELLS + 1, noise, stencil, stencil_is_right},
    {"stencil cl_mem", 1, {CELLS, WEIGHTS}, CELLS, noise, stencil_cl, stencil_cl_is_right},
};
const int OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS;
