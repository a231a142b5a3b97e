// Offsets of a batch's matrices, counted from their operand's offset: multiples of `spacing`, or given offsets of one
// operand after the other, where `spacing` is the operand's number.
#pragma once

#define BATCH_PARAMETERS long count, int by_offsets, __global const long *restrict offsets
#define offset_in_batch(matrix, spacing) (by_offsets ? offsets[(spacing) * count + (matrix)] : (matrix) * (spacing))
