static int read_slice(void *slice, size_t bytes, const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL || fread(slice, 1, bytes, file) != bytes) {
    fprintf(stderr, "%s cannot be read\n", path);
    if (file != NULL) fclose(file);
    return 1;
  }
  fclose(file);
  return 0;
}

