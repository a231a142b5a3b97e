// An element's offset in a slice: 32 bits where the strides allow it, since registers are scarce.
#pragma once

// A slice spans more than 2^31 elements.
#ifndef WIDE_PLACES
#define WIDE_PLACES 0
#endif

#if WIDE_PLACES
typedef long place;
#else
typedef int place;
#endif
