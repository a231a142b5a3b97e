/* Random problems, run by two libraries and compared. Included once for each precision, after problem.h. */

static size_t NAME(embedded)(NAME(problem) * p, int side) {
  int interleaved = p->loops && random_below(3) == 0;
  size_t next = (size_t)(interleaved ? (p->h[0].n > 0 ? p->h[0].n : 1) : 1 + random_below(2));
  if (interleaved) *(side ? &p->h[0].os : &p->h[0].is) = 1;
  for (int axis = p->rank - 1; axis >= 0; axis--) {
    *(side ? &p->d[axis].os : &p->d[axis].is) = (int)next;
    next *= NAME(count)(p, axis, side) + random_below(2);
  }
  if (p->loops && !interleaved) {
    *(side ? &p->h[0].os : &p->h[0].is) = (int)next;
    next *= p->h[0].n > 0 ? p->h[0].n : 1;
  }
  return next;
}

/* Chooses a problem; the elements of its arrays. */
static NAME(problem) NAME(choose)(size_t *in, size_t *out) {
  NAME(problem) p = {0};
  static const int large[] = {64,  81,   101,  121,   125,   127,   128,  131,   169,   210,  251,   256,  343,
                              361, 509,  512,  729,   1000,  1009,  1024, 1331,  2048,  2187, 2310,  3125, 4096,
                              4099, 5040, 6561, 10007, 16384, 16807, 28561, 32768, 65536, 65537, 100000, 131072};
  p.kind = random_below(4);
  p.interface = random_below(5);
  if (p.interface == SPLIT && p.kind == R2R) p.interface = GURU64;
  p.sign = random_below(2) ? 1 : -1;
  p.rank = random_below(6) == 0 ? random_below(5) : 1 + random_below(3);
  if (p.rank == 0 && p.interface != GURU && p.interface != SPLIT) p.rank = 1;
  p.loops = p.interface == BASIC ? 0 : p.interface == MANY ? 1 : random_below(4);
  p.in_place = random_below(3) == 0;
  p.new_arrays = random_below(2);
  int limits[] = {1, 64, 20, 12, 7}, limit = limits[p.rank];
  for (int i = 0; i < p.rank; i++) {
    p.d[i].n = 1 + random_below(limit);
    p.r2r[i] = random_below(11);
    if (p.rank == 1 && random_below(4) == 0) p.d[i].n = large[random_below((int)(sizeof large / sizeof *large))];
    if (p.rank == 2 && random_below(10) == 0) p.d[i].n = large[random_below(18)];
    if (p.r2r[i] == 3 && p.kind == R2R && p.d[i].n < 2) p.d[i].n = 2;
  }
  int big = p.rank && p.d[0].n > 64;
  for (int i = 0; i < p.loops; i++) {
    p.h[i].n = random_below(40) == 0 ? 0 : 1 + random_below(big ? 3 : p.loops > 1 ? 4 : 12);
  }
  int halved = p.kind == R2C || p.kind == C2R;
  if (p.in_place && p.interface == SPLIT && halved) p.in_place = 0; /* not defined */
  if (p.interface == BASIC || (p.in_place && halved)) {
    *in = NAME(dense)(&p, 0), *out = NAME(dense)(&p, 1);
  } else if (p.interface == MANY) {
    *in = NAME(embedded)(&p, 0), *out = NAME(embedded)(&p, 1);
  } else {
    *in = NAME(strides)(&p, 0, 1), *out = NAME(strides)(&p, 1, 1);
  }
  if (p.in_place && !halved) {
    *out = *in;
    for (int i = 0; i < p.rank; i++) p.d[i].os = p.d[i].is;
    for (int i = 0; i < p.loops; i++) p.h[i].os = p.h[i].is;
  }
  return p;
}

static void NAME(fill)(R *x, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = (R)(random_unit() - 0.5);
}

/* Runs a problem; false if the results differ. `worst` is raised to the error in units of its bound. */
static int NAME(compare)(NAME(library) reference, NAME(library) ours, double *worst, int *planned) {
  size_t in_count, out_count;
  NAME(problem) p = NAME(choose)(&in_count, &out_count);
  int split = p.interface == SPLIT;
  size_t in_reals = in_count * NAME(width)(&p, 0), out_reals = out_count * NAME(width)(&p, 1);
  size_t in_parts = split && NAME(width)(&p, 0) == 2 ? in_count : 0;
  size_t out_parts = split && NAME(width)(&p, 1) == 2 ? out_count : 0;
  if (p.in_place) in_reals = out_reals = in_reals > out_reals ? in_reals : out_reals;
  /* A gap of one keeps new arrays off every alignment. */
  size_t total = in_reals + out_reals + 8;
  R *given = calloc(total, sizeof(R)), *in[2], *out[2], *base[2], *planning[2];
  NAME(fill)(given, total);
  NAME(library) libraries[] = {reference, ours};
  NAME(plan) plans[2];
  unsigned flags = ESTIMATE | (random_below(4) == 0 ? UNALIGNED : 0) | (random_below(4) == 0 ? DESTROY_INPUT : 0);
  if (p.kind != C2R && random_below(4) == 0) flags |= PRESERVE_INPUT;
  if (p.new_arrays) flags |= UNALIGNED;
  int seed = random_below(1 << 30), good = 1;
  for (int i = 0; i < 2; i++) {
    int shift = p.new_arrays && i == 1;
    base[i] = calloc(total + 8, sizeof(R));
    planning[i] = calloc(total + 8, sizeof(R));
    in[i] = base[i] + shift;
    out[i] = p.in_place ? in[i] : in[i] + in_reals + shift;
    R *plan_in = p.new_arrays ? planning[i] : in[i], *plan_out = p.in_place ? plan_in : plan_in + in_reals;
    if (p.new_arrays && !p.in_place) plan_out += 3;
    memcpy(in[i], given, in_reals * sizeof(R));
    if (!p.in_place) memcpy(out[i], given + in_reals, out_reals * sizeof(R));
    seed_random(seed);
    plans[i] = NAME(make)(libraries[i], &p, plan_in, plan_out, in_parts, out_parts, flags);
    if (memcmp(in[i], given, in_reals * sizeof(R)) ||
        (!p.in_place && memcmp(out[i], given + in_reals, out_reals * sizeof(R)))) {
      fprintf(stderr, "planning touched an array\n");
      good = 0;
    }
    if (plans[i]) {
      if (p.new_arrays) {
        NAME(execute_on)(libraries[i], &p, plans[i], in[i], out[i], in_parts, out_parts);
      } else {
        ((void (*)(NAME(plan)))NAME(function)(libraries[i], "execute"))(plans[i]);
      }
      ((void (*)(NAME(plan)))NAME(function)(libraries[i], "destroy_plan"))(plans[i]);
    }
  }
  if (plans[0] && !plans[1]) fprintf(stderr, "no plan\n"), good = 0;
  if (plans[0] && plans[1]) {
    double difference = 0, norm = 0, points = 2;
    for (size_t i = 0; i < out_reals; i++) {
      double a = out[0][i], b = out[1][i];
      difference += (a - b) * (a - b), norm += a * a;
      R before = p.in_place ? given[i] : given[in_reals + i];
      if (out[0][i] == before && out[1][i] != before && fabs(a - b) > 1e-3 * fabs(a)) {
        if (good) fprintf(stderr, "an element that is no result changed\n");
        good = 0;
      }
    }
    for (int i = 0; i < p.rank; i++) points *= p.d[i].n + 1;
    int keeps = !p.in_place && p.kind != C2R;
    if (keeps && memcmp(in[1], given, in_reals * sizeof(R))) fprintf(stderr, "the input changed\n"), good = 0;
    double error = norm > 0 ? sqrt(difference / norm) : sqrt(difference), bound = 4 * EPSILON * sqrt(log2(points));
    if (!(error <= bound)) fprintf(stderr, "error %g, bound %g\n", error, bound), good = 0;
    if (error / bound > *worst) *worst = error / bound;
    ++*planned;
  }
  if (!good) NAME(print)(&p);
  for (int i = 0; i < 2; i++) free(base[i]), free(planning[i]);
  free(given);
  return good;
}
