/* Numbers of the four types, for the C tests that go through all of them. C89. */

#ifndef NUMBERS_H
#define NUMBERS_H

#include "count.h"

/* The four types by their letters. */
static const char TYPES[] = "SDCZ";

static int is_double(char type) { return type == 'D' || type == 'Z'; }
static int is_complex(char type) { return type == 'C' || type == 'Z'; }
static size_t element_size(char type)
{
  return (size_t)(is_double(type) ? 8 : 4) * (size_t)(is_complex(type) ? 2 : 1);
}
static double epsilon(char type) { return is_double(type) ? 2.220446049250313e-16 : 1.1920928955078125e-07; }

typedef struct number {
  double re;
  double im;
} number;

static number make(double re, double im)
{
  number x;
  x.re = re;
  x.im = im;
  return x;
}

/* Element i of a vector of any type. */
static number get(char type, const void *memory, int64_t i)
{
  switch (type) {
  case 'S': return make(((const float *)memory)[i], 0);
  case 'D': return make(((const double *)memory)[i], 0);
  case 'C': return make(((const affinimath_c32 *)memory)[i].re, ((const affinimath_c32 *)memory)[i].im);
  default: return make(((const affinimath_c64 *)memory)[i].re, ((const affinimath_c64 *)memory)[i].im);
  }
}

static void put(char type, void *memory, int64_t i, number x)
{
  switch (type) {
  case 'S': ((float *)memory)[i] = (float)x.re; break;
  case 'D': ((double *)memory)[i] = x.re; break;
  case 'C':
    ((affinimath_c32 *)memory)[i].re = (float)x.re;
    ((affinimath_c32 *)memory)[i].im = (float)x.im;
    break;
  default:
    ((affinimath_c64 *)memory)[i].re = x.re;
    ((affinimath_c64 *)memory)[i].im = x.im;
  }
}

/* Repeatable numbers in [-1, 1], exact in every type. */
static number arbitrary(void)
{
  static unsigned long state = 12345;
  double parts[2];
  int i;
  for (i = 0; i < 2; ++i) {
    state = (state * 1103515245UL + 12345UL) & 0x7fffffffUL;
    parts[i] = (double)((long)((state >> 8) % 2049UL) - 1024L) / 1024.0;
  }
  return make(parts[0], parts[1]);
}

static void fill(char type, void *memory, int64_t count)
{
  int64_t i;
  for (i = 0; i < count; ++i) {
    put(type, memory, i, arbitrary());
  }
}

#endif
