static int by_size(const void *a, const void *b)
{
  const double *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

static void told(int status)
{
  if (status == 0) return;
  fprintf(stderr, status == 1 ? "a value outside a range was needed\n" : "memory is short\n");
  exit(EXIT_FAILURE);
}

static void *memory(size_t bytes)
{
  void *made = calloc(bytes, 1);
  if (made == NULL) told(2);
  return made;
}

