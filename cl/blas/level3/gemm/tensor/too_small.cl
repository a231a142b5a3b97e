// Floats too small to be split in hi + lo for the tensor cores: those below 2^-100, but not 0. Their lo may
// underflow in the tensor cores.
#pragma once

// Orders the bits of a float by its size, but for 0, which is the largest.
#define key_of(bits) ((bits) * 2 - 1)
#define TOO_SMALL key_of(0x0d800000u)
