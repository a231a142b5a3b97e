/* The soak's Fourier transforms for one type, after dense_type.h: calls without a plan, and plans that come and go.
   Each result is compared with its definition at one place, and transforms with their inverses. SPECTRUM and
   SPECTRUM_PASSED are the complex numbers of the type's precision, PRECISION its name. C99. */

/* Element k of the transform of n numbers that stand `stride` apart. */
static double complex T(bin)(int sign, int64_t n, const NUMBER *x, int64_t stride, int64_t k, double *size)
{
  const double turn = 6.283185307179586 / (double)n;
  double complex sum = 0;
  double squares = 0;
  for (int64_t j = 0; j < n; ++j) {
    const WIDE value = x[j * stride];
    /* The product is reduced before it is rounded. */
    sum += value * cexp(sign * I * turn * (double)(j * k % n));
    squares += pow(MODULUS(value), 2);
  }
  *size = 8 * (log2((double)n) + 4) * EPSILON * sqrt((double)n * squares);
  return sum;
}

/* True if back is n times x. */
static int T(came_back)(int64_t n, const NUMBER *x, const NUMBER *back)
{
  double squares = 0, bound;
  for (int64_t i = 0; i < n; ++i) {
    squares += pow(MODULUS((WIDE)x[i]), 2);
  }
  bound = 16 * (log2((double)n) + 4) * EPSILON * sqrt(squares);
  for (int64_t i = 0; i < n; ++i) {
    if (!(MODULUS((WIDE)back[i] / (double)n - x[i]) <= bound)) {
      return 0;
    }
  }
  return 1;
}

static void T(transform)(worker *w)
{
  const int64_t n = length_of_transform(w);
  NUMBER *x = T(numbers)(w, n), *kept = copy_of(x, (size_t)n * sizeof *x), *back = T(numbers)(w, n);
#if COMPLEX
  const int64_t results = n;
#else
  const int64_t results = n / 2 + 1;
#endif
  SPECTRUM *y = room((size_t)results * sizeof *y);
  operand *px = bring(w, x, (size_t)n * sizeof *x, sizeof *x), *pb = bring(w, back, (size_t)n * sizeof *x, sizeof *x);
  operand *py;
  const int64_t k = below(w, results);
  double size = 0;
  double complex exact;
  int good;
  memset(y, 0, (size_t)results * sizeof *y);
  py = bring(w, y, (size_t)results * sizeof *y, sizeof *y);
#if COMPLEX
  good = EITHER(w, fft, (AFFINIMATH_FORWARD, n, (PASSED *)x, (PASSED *)y),
    (w->queue, AFFINIMATH_FORWARD, n, PLACE(px), PLACE(py), &w->event), 0);
  await(w);
  good = good && EITHER(w, fft, (AFFINIMATH_BACKWARD, n, (PASSED *)y, (PASSED *)back),
    (w->queue, AFFINIMATH_BACKWARD, n, PLACE(py), PLACE(pb), &w->event), 0);
#else
  good = EITHER(w, rfft, (n, x, (SPECTRUM_PASSED *)y), (w->queue, n, PLACE(px), PLACE(py), &w->event), 0);
  await(w);
  good = good && EITHER(w, irfft, (n, (SPECTRUM_PASSED *)y, back), (w->queue, n, PLACE(py), PLACE(pb), &w->event), 0);
#endif
  (void)px, (void)py, (void)pb;
  await(w);
  settle(w);
  exact = T(bin)(-1, n, kept, 1, k, &size);
  right(w, good && cabs(exact - y[k]) <= size && T(came_back)(n, kept, back), WHAT("a transform"));
  discard(x), discard(kept), discard(back), discard(y);
}

#if COMPLEX
/* A plan for a batch whose transforms lie one after the other or side by side. */
static void T(plan)(worker *w)
{
  const int64_t n = length_of_transform(w), batch = size_up_to(w, 12), all = n * batch;
  const int across = one_in(w, 2), in_place = one_in(w, 2),
            sign = one_in(w, 2) ? AFFINIMATH_FORWARD : AFFINIMATH_BACKWARD;
  const int64_t stride = across ? batch : 1, distance = across ? 1 : n, which = below(w, batch), k = below(w, n);
  affinimath_fft_descriptor d;
  affinimath_fft_plan *plan = NULL;
  NUMBER *x = T(numbers)(w, all), *y = T(numbers)(w, all), *kept = copy_of(x, (size_t)all * sizeof *x);
  operand *px, *py;
  double size = 0;
  double complex exact;
  int good = EXPECT(w, affinimathFftDescriptor(&d, sign, PRECISION, 1, &n), 0);
  d.batch = batch;
  d.in_place = in_place;
  d.input_strides[0] = d.output_strides[0] = stride;
  d.input_distance = d.output_distance = distance;
  good = good && EXPECT(w, affinimathFftPlanCreate(&d, &plan), 0);
  px = bring(w, x, (size_t)all * sizeof *x, sizeof *x), py = bring(w, y, (size_t)all * sizeof *y, sizeof *y);
#ifdef SOAK_DEVICE
  if (w->on_device) {
    operand *to = in_place ? px : py;
    good = good && EXPECT(w, affinimathFftExecuteCL(plan, w->queue, PLACE(px), PLACE(to), NULL, &w->event), 0);
    await(w);
  } else
#endif
  {
    good = good && EXPECT(w, affinimathFftExecute(plan, x, in_place ? x : y), 0);
  }
  (void)px, (void)py;
  settle(w);
  EXPECT(w, affinimathFftPlanDestroy(plan), 0);
  exact = T(bin)(sign, n, kept + which * distance, stride, k, &size);
  right(w, good && cabs(exact - (in_place ? x : y)[which * distance + k * stride]) <= size, WHAT("a plan"));
  discard(x), discard(y), discard(kept);
}
#endif
