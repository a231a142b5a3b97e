// Which floats are too small to be split in halves for the tensor cores: those below 2^-100, but not 0, whose low half may be too
// small for what the tensor cores see of it.

// Orders the bits of a float by its size, but for 0, which is the largest.
#define key_of(bits) ((bits) * 2 - 1)
#define TOO_SMALL key_of(0x0d800000u)
