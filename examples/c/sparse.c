/* Solves a system with a sparse matrix by preconditioned conjugate gradients: the temperature of a rod that is heated
 * along its length.
 *
 *   cc sparse.c $(pkg-config --cflags --libs affinimath) -o sparse && ./sparse */

#include <stdio.h>

#include <affinimath.h>

enum { POINTS = 200, ENTRIES = 3 * POINTS - 2 };

static int failed(int status)
{
  if (status == AFFINIMATH_SUCCESS) {
    return 0;
  }
  fprintf(stderr, "%s\n%s\n", affinimathStatusString(status), affinimathLastError());
  return 1;
}

static void tell(void *user, int64_t iteration, double residual)
{
  const int64_t *every = user;
  if (iteration % *every == 0) {
    printf("  %lld: %.1e\n", (long long)iteration, residual);
  }
}

int main(void)
{
  static int32_t pointers[POINTS + 1], indices[ENTRIES];
  static double values[ENTRIES], heat[POINTS], temperature[POINTS];
  affinimath_csr *a = NULL;
  affinimath_preconditioner *chebyshev = NULL;
  affinimath_solve_options options;
  affinimath_solve_outcome outcome = {0};
  int64_t every = 10;
  int bad;

  /* Rows of -1, 2, -1, one after the other. */
  for (int i = 0, entry = 0; i < POINTS; ++i) {
    heat[i] = 1;
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < POINTS; ++j) {
      indices[entry] = j;
      values[entry++] = i == j ? 2 : -1;
    }
    pointers[i + 1] = pointers[i] + (i > 0) + 1 + (i + 1 < POINTS);
  }
  bad = failed(affinimathDcsrCreate(POINTS, POINTS, pointers, indices, values, &a)) ||
        failed(affinimathChebyshevCreate(a, 4, &chebyshev)) ||
        failed(affinimathSolveOptions(&options, AFFINIMATH_DOUBLE));
  if (!bad) {
    options.rtol = 1e-10;
    options.preconditioner = chebyshev;
    options.history = tell;
    options.history_user = &every;
    bad = failed(affinimathDcg(a, heat, temperature, &options, &outcome));
    printf("%lld iterations, the residual is %.1e; in the middle it is %.1f degrees\n", (long long)outcome.iterations,
           outcome.relative_residual, temperature[POINTS / 2]);
  }
  affinimathPreconditionerDestroy(chebyshev);
  affinimathCsrDestroy(a);
  return bad || outcome.reason != AFFINIMATH_CONVERGED;
}
