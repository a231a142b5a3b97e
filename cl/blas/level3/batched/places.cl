// Where the matrices of a batch begin, counted from their operand's offset: `spacing` elements apart, or at offsets that are
// given for one operand after the other, where `spacing` is the operand's number.
#define BATCH_PARAMETERS long count, int by_offsets, __global const long *restrict offsets
#define place_in_batch(matrix, spacing) (by_offsets ? offsets[(spacing) * count + (matrix)] : (matrix) * (spacing))
