/* Operations of stencils that C has not, or has with another meaning: integers wrap, and nothing traps. */

#ifndef NAIVE_MATH_H
#define NAIVE_MATH_H

#include <math.h>
#include <stdint.h>

/* The remainder has the divisor's sign; an integer modulo 0 is 0. */
#define NAIVE_INTEGERS(T, U, name) \
  static inline T naive_remainder_##name(T a, T b) \
  { \
    T rest = b == 0 || b == -1 ? 0 : a % b; \
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest; \
  } \
  static inline T naive_div_##name(T a, T b) \
  { \
    if (b == 0) return 0; \
    if (b == -1) return (T)(0 - (U)a); \
    return a % b != 0 && (a % b < 0) != (b < 0) ? a / b - 1 : a / b; \
  } \
  static inline T naive_abs_##name(T a) \
  { \
    return a < 0 ? (T)(0 - (U)a) : a; \
  } \
  static inline T naive_multiply_##name(T a, T b) \
  { \
    return (T)((U)a * (U)b); \
  }

#define NAIVE_REALS(T, name, end) \
  static inline T naive_remainder_##name(T a, T b) \
  { \
    T rest = fmod##end(a, b); \
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest; \
  } \
  static inline T naive_div_##name(T a, T b) \
  { \
    return floor##end(a / b); \
  } \
  static inline T naive_abs_##name(T a) \
  { \
    return fabs##end(a); \
  } \
  static inline T naive_multiply_##name(T a, T b) \
  { \
    return a * b; \
  }

/* Powers by square and multiply, from the exponent's highest bit. */
#define NAIVE_NUMBERS(T, name) \
  static inline T naive_min_##name(T a, T b) \
  { \
    return b < a ? b : a; \
  } \
  static inline T naive_max_##name(T a, T b) \
  { \
    return a < b ? b : a; \
  } \
  static inline T naive_magnitude_##name(T base, uint32_t exponent) \
  { \
    T power = base; \
    int bit = 31; \
    if (exponent == 0) return 1; \
    while (!(exponent >> bit & 1)) --bit; \
    while (bit-- > 0) { \
      power = naive_multiply_##name(power, power); \
      if (exponent >> bit & 1) power = naive_multiply_##name(power, base); \
    } \
    return power; \
  }

NAIVE_INTEGERS(int32_t, uint32_t, i32)
NAIVE_INTEGERS(int64_t, uint64_t, i64)
NAIVE_REALS(float, f32, f)
NAIVE_REALS(double, f64, )
NAIVE_NUMBERS(int32_t, i32)
NAIVE_NUMBERS(int64_t, i64)
NAIVE_NUMBERS(float, f32)
NAIVE_NUMBERS(double, f64)

static inline int32_t naive_power_i32(int32_t base, int32_t exponent)
{
  return naive_magnitude_i32(base, exponent < 0 ? 0 - (uint32_t)exponent : (uint32_t)exponent);
}

static inline int64_t naive_power_i64(int64_t base, int32_t exponent)
{
  return naive_magnitude_i64(base, exponent < 0 ? 0 - (uint32_t)exponent : (uint32_t)exponent);
}

static inline float naive_power_f32(float base, int32_t exponent)
{
  if (exponent >= 0) return naive_magnitude_f32(base, (uint32_t)exponent);
  return 1 / naive_magnitude_f32(base, 0 - (uint32_t)exponent);
}

static inline double naive_power_f64(double base, int32_t exponent)
{
  if (exponent >= 0) return naive_magnitude_f64(base, (uint32_t)exponent);
  return 1 / naive_magnitude_f64(base, 0 - (uint32_t)exponent);
}

/* Real numbers become integers by truncation, saturating, NaN as 0. */
static inline int32_t naive_to_i32(double a)
{
  if (isnan(a)) return 0;
  return a >= 2147483647.0 ? INT32_MAX : a <= -2147483648.0 ? INT32_MIN : (int32_t)a;
}

static inline int64_t naive_to_i64(double a)
{
  if (isnan(a)) return 0;
  return a >= 9223372036854775808.0 ? INT64_MAX : a <= -9223372036854775808.0 ? INT64_MIN : (int64_t)a;
}

/* The remainder is not negative. */
static inline int64_t naive_modulo(int64_t a, int64_t b)
{
  int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

#endif
