/* Numbers of the four types, for the C tests that go through all of them, and of half precision, H. C89. */

#ifndef NUMBERS_H
#define NUMBERS_H

#include "count.h"

/* The four types by their letters. */
static const char TYPES[] = "SDCZ";

static int is_double(char type) { return type == 'D' || type == 'Z'; }
static int is_complex(char type) { return type == 'C' || type == 'Z'; }
static size_t element_size(char type)
{
  if (type == 'H') return 2;
  return (size_t)(is_double(type) ? 8 : 4) * (size_t)(is_complex(type) ? 2 : 1);
}
/* That of the sums: those of half precision are made in float. */
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

/* A number in half precision, from its bits. There are no infinities here. */
static double from_half(affinimath_half bits)
{
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double x = exponent == 0 ? fraction : fraction + 1024, zero = 0;
  if (exponent == 31) return zero / zero;
  for (; exponent > 25; --exponent) x *= 2;
  for (; exponent > 1 && exponent < 25; ++exponent) x /= 2;
  if (exponent <= 1) x /= 16777216.0;
  return bits >> 15 != 0 ? -x : x;
}

/* The bits of a number that half precision has. */
static affinimath_half to_half(double x)
{
  unsigned sign = x < 0 ? 0x8000u : 0;
  int exponent = 15;
  x = x < 0 ? -x : x;
  for (; x >= 2; x /= 2) ++exponent;
  for (; x < 1 && exponent > 1; x *= 2) --exponent;
  if (x < 1) return (affinimath_half)(sign | (unsigned)(x * 1024));
  return (affinimath_half)(sign | (unsigned)exponent << 10 | (unsigned)((x - 1) * 1024));
}

/* Element i of a vector of any type. */
static number get(char type, const void *memory, int64_t i)
{
  switch (type) {
  case 'H': return make(from_half(((const affinimath_half *)memory)[i]), 0);
  case 'S': return make(((const float *)memory)[i], 0);
  case 'D': return make(((const double *)memory)[i], 0);
  case 'C': return make(((const affinimath_c32 *)memory)[i].re, ((const affinimath_c32 *)memory)[i].im);
  default: return make(((const affinimath_c64 *)memory)[i].re, ((const affinimath_c64 *)memory)[i].im);
  }
}

static void put(char type, void *memory, int64_t i, number x)
{
  switch (type) {
  case 'H': ((affinimath_half *)memory)[i] = to_half(x.re); break;
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
