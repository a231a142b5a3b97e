/* Random problems of all of FFTW's interfaces, planned by two libraries that are loaded side by side. Included once
   for each precision, with R, X (the prefix of names), EPSILON and NAME(word) defined. */

typedef struct {
  int kind;             /* DFT, R2C, C2R or R2R */
  int interface;        /* GURU, GURU64, SPLIT, MANY or BASIC */
  int in_place, sign, new_arrays;
  int rank, loops;
  fftw_iodim d[4], h[3];
  int r2r[4];
} NAME(problem);

typedef void *NAME(plan);

/* The functions of one library. */
typedef struct {
  void *handle;
} NAME(library);

static void *NAME(function)(NAME(library) l, const char *name) {
  char full[80];
  snprintf(full, sizeof full, X "%s", name);
  return symbol(l.handle, full);
}

/* Real values of an element on the given side (0 is the input). */
static int NAME(width)(const NAME(problem) * p, int side) {
  int real = p->kind == R2R || (p->kind == R2C && side == 0) || (p->kind == C2R && side == 1);
  return real ? 1 : 2;
}

/* Elements along a dimension on a side. */
static int NAME(count)(const NAME(problem) * p, int axis, int side) {
  int halved = (p->kind == R2C && side == 1) || (p->kind == C2R && side == 0);
  return halved && axis == p->rank - 1 ? p->d[axis].n / 2 + 1 : p->d[axis].n;
}

/* Strides of a side, the dimensions in a random order with gaps; elements of the array. */
static size_t NAME(strides)(NAME(problem) * p, int side, int gaps) {
  int order[7], all = p->rank + p->loops;
  size_t next = 1;
  for (int i = 0; i < all; i++) order[i] = i;
  for (int i = all - 1; i > 0; i--) {
    int j = random_below(i + 1), t = order[i];
    order[i] = order[j], order[j] = t;
  }
  for (int i = 0; i < all; i++) {
    int axis = order[i];
    fftw_iodim *d = axis < p->rank ? &p->d[axis] : &p->h[axis - p->rank];
    size_t n = axis < p->rank ? (size_t)NAME(count)(p, axis, side) : (size_t)d->n;
    if (gaps && random_below(3) == 0) next += random_below(3);
    *(side ? &d->os : &d->is) = (int)next;
    next *= n > 0 ? n : 1;
  }
  return next;
}

/* Row-major strides, padded in place between real and complex numbers. */
static size_t NAME(dense)(NAME(problem) * p, int side) {
  size_t next = 1;
  for (int axis = p->rank - 1; axis >= 0; axis--) {
    size_t n = NAME(count)(p, axis, side);
    if (axis == p->rank - 1 && p->in_place && p->kind != DFT && p->kind != R2R)
      n = NAME(width)(p, side) == 1 ? 2 * (p->d[axis].n / 2 + 1) : p->d[axis].n / 2 + 1;
    *(side ? &p->d[axis].os : &p->d[axis].is) = (int)next;
    next *= n;
  }
  for (int i = 0; i < p->loops; i++) {
    *(side ? &p->h[i].os : &p->h[i].is) = (int)next;
    next *= p->h[i].n > 0 ? p->h[i].n : 1;
  }
  return next;
}

/* A plan of the problem on arrays; split arrays have the imaginary parts `in_parts` and `out_parts` behind. */
static NAME(plan) NAME(make)(NAME(library) l, const NAME(problem) * p, R *in, R *out, size_t in_parts,
                             size_t out_parts, unsigned flags) {
  int n[4], rank = p->rank, howmany = p->loops ? p->h[0].n : 1;
  fftw_iodim64 d[4], h[3];
  for (int i = 0; i < rank; i++) {
    n[i] = p->d[i].n;
    d[i] = (fftw_iodim64){p->d[i].n, p->d[i].is, p->d[i].os};
  }
  for (int i = 0; i < p->loops; i++) h[i] = (fftw_iodim64){p->h[i].n, p->h[i].is, p->h[i].os};
  int wide = p->interface == GURU64;
  const void *dims = wide ? (const void *)d : (const void *)p->d, *loops = wide ? (const void *)h : (const void *)p->h;
  char name[64];
  static const char *kinds[] = {"dft", "dft_r2c", "dft_c2r", "r2r"};
  if (p->interface == BASIC) {
    int one = rank <= 3 && rank >= 1 && random_below(2);
    snprintf(name, sizeof name, one ? "plan_%s_%dd" : "plan_%s", kinds[p->kind], rank);
    void *f = NAME(function)(l, name);
    switch (p->kind * 4 + (one ? rank : 0)) {
    case DFT * 4: return ((NAME(plan)(*)(int, int *, R *, R *, int, unsigned))f)(rank, n, in, out, p->sign, flags);
    case DFT * 4 + 1: return ((NAME(plan)(*)(int, R *, R *, int, unsigned))f)(n[0], in, out, p->sign, flags);
    case DFT * 4 + 2: return ((NAME(plan)(*)(int, int, R *, R *, int, unsigned))f)(n[0], n[1], in, out, p->sign, flags);
    case DFT * 4 + 3:
      return ((NAME(plan)(*)(int, int, int, R *, R *, int, unsigned))f)(n[0], n[1], n[2], in, out, p->sign, flags);
    case R2C * 4:
    case C2R * 4: return ((NAME(plan)(*)(int, int *, R *, R *, unsigned))f)(rank, n, in, out, flags);
    case R2C * 4 + 1:
    case C2R * 4 + 1: return ((NAME(plan)(*)(int, R *, R *, unsigned))f)(n[0], in, out, flags);
    case R2C * 4 + 2:
    case C2R * 4 + 2: return ((NAME(plan)(*)(int, int, R *, R *, unsigned))f)(n[0], n[1], in, out, flags);
    case R2C * 4 + 3:
    case C2R * 4 + 3: return ((NAME(plan)(*)(int, int, int, R *, R *, unsigned))f)(n[0], n[1], n[2], in, out, flags);
    case R2R * 4:
      return ((NAME(plan)(*)(int, int *, R *, R *, const int *, unsigned))f)(rank, n, in, out, p->r2r, flags);
    case R2R * 4 + 1: return ((NAME(plan)(*)(int, R *, R *, int, unsigned))f)(n[0], in, out, p->r2r[0], flags);
    case R2R * 4 + 2:
      return ((NAME(plan)(*)(int, int, R *, R *, int, int, unsigned))f)(n[0], n[1], in, out, p->r2r[0], p->r2r[1],
                                                                        flags);
    default:
      return ((NAME(plan)(*)(int, int, int, R *, R *, int, int, int, unsigned))f)(
          n[0], n[1], n[2], in, out, p->r2r[0], p->r2r[1], p->r2r[2], flags);
    }
  }
  if (p->interface == MANY) {
    /* Row-major with the strides of the last axis: each embedding is the ratio of two strides. */
    int in_embed[4] = {0}, out_embed[4] = {0};
    for (int i = 1; i < rank; i++) {
      in_embed[i] = p->d[i - 1].is / p->d[i].is;
      out_embed[i] = p->d[i - 1].os / p->d[i].os;
    }
    int is = rank ? p->d[rank - 1].is : 1, os = rank ? p->d[rank - 1].os : 1;
    int id = p->loops ? p->h[0].is : 0, od = p->loops ? p->h[0].os : 0;
    snprintf(name, sizeof name, "plan_many_%s", kinds[p->kind]);
    void *f = NAME(function)(l, name);
    if (p->kind == DFT)
      return ((NAME(plan)(*)(int, int *, int, R *, int *, int, int, R *, int *, int, int, int, unsigned))f)(
          rank, n, howmany, in, in_embed, is, id, out, out_embed, os, od, p->sign, flags);
    if (p->kind == R2R)
      return ((NAME(plan)(*)(int, int *, int, R *, int *, int, int, R *, int *, int, int, const int *, unsigned))f)(
          rank, n, howmany, in, in_embed, is, id, out, out_embed, os, od, p->r2r, flags);
    return ((NAME(plan)(*)(int, int *, int, R *, int *, int, int, R *, int *, int, int, unsigned))f)(
        rank, n, howmany, in, in_embed, is, id, out, out_embed, os, od, flags);
  }
  int split = p->interface == SPLIT;
  snprintf(name, sizeof name, "plan_guru%s%s_%s", wide ? "64" : "", split ? "_split" : "", kinds[p->kind]);
  void *f = NAME(function)(l, name);
  if (p->kind == R2R)
    return ((NAME(plan)(*)(int, const void *, int, const void *, R *, R *, const int *, unsigned))f)(
        rank, dims, p->loops, loops, in, out, p->r2r, flags);
  if (p->kind == DFT && split) {
    R *a = in, *b = in + in_parts, *c = out, *e = out + out_parts;
    if (p->sign > 0) a = in + in_parts, b = in, c = out + out_parts, e = out;
    return ((NAME(plan)(*)(int, const void *, int, const void *, R *, R *, R *, R *, unsigned))f)(
        rank, dims, p->loops, loops, a, b, c, e, flags);
  }
  if (p->kind == DFT)
    return ((NAME(plan)(*)(int, const void *, int, const void *, R *, R *, int, unsigned))f)(
        rank, dims, p->loops, loops, in, out, p->sign, flags);
  if (split) {
    R *second = p->kind == R2C ? out : in + in_parts, *third = p->kind == R2C ? out + out_parts : out;
    return ((NAME(plan)(*)(int, const void *, int, const void *, R *, R *, R *, unsigned))f)(
        rank, dims, p->loops, loops, in, second, third, flags);
  }
  return ((NAME(plan)(*)(int, const void *, int, const void *, R *, R *, unsigned))f)(rank, dims, p->loops, loops, in,
                                                                                      out, flags);
}

/* Executes on other arrays than those of planning. */
static void NAME(execute_on)(NAME(library) l, const NAME(problem) * p, NAME(plan) plan, R *in, R *out, size_t in_parts,
                             size_t out_parts) {
  static const char *names[] = {"dft", "dft_r2c", "dft_c2r", "r2r"};
  char name[64];
  int split = p->interface == SPLIT;
  snprintf(name, sizeof name, "execute_%s%s", split ? "split_" : "", names[p->kind]);
  void *f = NAME(function)(l, name);
  if (!split) {
    ((void (*)(NAME(plan), R *, R *))f)(plan, in, out);
  } else if (p->kind == DFT && p->sign > 0) {
    ((void (*)(NAME(plan), R *, R *, R *, R *))f)(plan, in + in_parts, in, out + out_parts, out);
  } else if (p->kind == DFT) {
    ((void (*)(NAME(plan), R *, R *, R *, R *))f)(plan, in, in + in_parts, out, out + out_parts);
  } else if (p->kind == R2C) {
    ((void (*)(NAME(plan), R *, R *, R *))f)(plan, in, out, out + out_parts);
  } else {
    ((void (*)(NAME(plan), R *, R *, R *))f)(plan, in, in + in_parts, out);
  }
}

static void NAME(print)(const NAME(problem) * p) {
  fprintf(stderr, X " kind %d interface %d in place %d sign %d new arrays %d:", p->kind, p->interface, p->in_place,
          p->sign, p->new_arrays);
  for (int i = 0; i < p->rank; i++) fprintf(stderr, " %d:%d:%d(%d)", p->d[i].n, p->d[i].is, p->d[i].os, p->r2r[i]);
  fprintf(stderr, " loops");
  for (int i = 0; i < p->loops; i++) fprintf(stderr, " %d:%d:%d", p->h[i].n, p->h[i].is, p->h[i].os);
  fprintf(stderr, "\n");
}
