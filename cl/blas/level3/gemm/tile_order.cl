// The tile of C that a work-group computes. Tiles are numbered row by row in groups of GROUP_N columns of tiles (a
// swizzle), so that work-groups that run together share slices of both operands.
//
//     columns of tiles     0 1 2 3 | 4 5 ...
//     row 0                0 1 2 3 |
//     row 1                4 5 6 7 |               GROUP_N = 4
#pragma once

// Columns of tiles of a group.
#ifndef GROUP_N
#define GROUP_N 8
#endif

typedef struct {
    long row, column;
} tile_index;

// Of all tiles of C.
inline tile_index tile_of_whole(long number, long rows, long columns)
{
    const long group = number / (GROUP_N * rows), in_group = number % (GROUP_N * rows);
    const long width = min((long)GROUP_N, columns - group * GROUP_N);
    const tile_index index = {in_group / width, group * GROUP_N + in_group % width};
    return index;
}

// Of a lower triangle of tiles, and what is below it.
inline tile_index tile_of_triangle(long number, long rows, long columns)
{
    long first = 0, width = min((long)GROUP_N, columns);
    // A group's rows are as long as it is wide, but for the first ones, which end at the diagonal.
    for (long count = width * rows - width * (width - 1) / 2; number >= count;
         count = width * (rows - first) - width * (width - 1) / 2) {
        number -= count;
        first += GROUP_N;
        width = min((long)GROUP_N, columns - first);
    }
    long row_in_group = 0;
    for (; row_in_group < width && number > row_in_group; row_in_group++) number -= row_in_group + 1;
    if (row_in_group == width) {
        row_in_group += number / width;
        number %= width;
    }
    const tile_index index = {first + row_in_group, first + number};
    return index;
}

// Of a triangle of C, a lower one that may go on below, or an upper one that may go on to the right.
inline tile_index tile_of_target(long number, long rows, long columns, int upper)
{
    const tile_index index = tile_of_triangle(number, max(rows, columns), min(rows, columns));
    const tile_index mirrored = {index.column, index.row};
    return upper ? mirrored : index;
}
