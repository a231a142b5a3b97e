// An element's place in a slice: 32 bits where the strides allow it, as registers are scarce.
#if WIDE_PLACES
typedef long place;
#else
typedef int place;
#endif
