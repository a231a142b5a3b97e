/* Compares elements with those of the naive loops: the bits, or differences relative to the largest value. */
static int compare_SUFFIX(const char *name, const TYPE *own, const TYPE *naive, int64_t count, double tolerance)
{
  int64_t i, different = 0;
  double largest = 0, least = INFINITY, greatest = -INFINITY, apart = 0;
  for (i = 0; i < count; ++i) {
    const TYPE a = own[i], b = naive[i];
    const double magnitude = fabs((double)b);
    if (magnitude > largest && magnitude < INFINITY) largest = magnitude;
    if ((double)a < least) least = (double)a;
    if ((double)a > greatest) greatest = (double)a;
    if (memcmp(&a, &b, sizeof a) != 0 && !(IS_NAN)) {
      const double difference = fabs((double)a - (double)b);
      ++different;
      if (!(difference <= apart)) apart = difference;
    }
  }
  printf("%s: %.17g to %.17g, ", name, least, greatest);
  if (different == 0) {
    printf("%lld values are those of the naive loops\n", (long long)count);
    return 0;
  }
  printf("%lld of %lld values differ from the naive loops, at most %.1e of the largest; %.1e are allowed\n",
      (long long)different, (long long)count, largest > 0 ? apart / largest : apart, tolerance);
  return !(apart <= tolerance * largest);
}

