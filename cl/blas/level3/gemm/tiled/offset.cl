// An element's offset in a slice: 32 bits where the strides allow it, since registers are scarce.
#pragma once

// A slice spans more than 2^31 elements.
#ifndef LONG_OFFSETS
#define LONG_OFFSETS 0
#endif

#if LONG_OFFSETS
typedef long slice_offset;
#else
typedef int slice_offset;
#endif
