// The tile of C that a work-group computes. Tiles have numbers along the rows of groups of BAND columns of tiles (a
// swizzle), so that work-groups that run together share slices of both operands.
//
//     columns of tiles     0 1 2 3 | 4 5 ...
//     row 0                0 1 2 3 |
//     row 1                4 5 6 7 |               BAND = 4
#pragma once

// Columns of tiles of a group.
#ifndef BAND
#define BAND 8
#endif

typedef struct {
    long row, column;
} tile_place;

// Of all tiles of C.
inline tile_place tile_of_whole(long number, long rows, long columns)
{
    const long band = number / (BAND * rows), in_band = number % (BAND * rows);
    const long width = min((long)BAND, columns - band * BAND);
    const tile_place place = {in_band / width, band * BAND + in_band % width};
    return place;
}

// Of a lower triangle of tiles, and what is below it.
inline tile_place tile_of_triangle(long number, long rows, long columns)
{
    long first = 0, width = min((long)BAND, columns);
    // A band's rows are as long as it is wide, but for the first ones, which end at the diagonal.
    for (long count = width * rows - width * (width - 1) / 2; number >= count;
         count = width * (rows - first) - width * (width - 1) / 2) {
        number -= count;
        first += BAND;
        width = min((long)BAND, columns - first);
    }
    long in_band = 0;
    for (; in_band < width && number > in_band; in_band++) number -= in_band + 1;
    if (in_band == width) {
        in_band += number / width;
        number %= width;
    }
    const tile_place place = {first + in_band, first + number};
    return place;
}

// Of a triangle of C, a lower one that may go on below, or an upper one that may go on to the right.
inline tile_place tile_of_target(long number, long rows, long columns, int upper)
{
    const tile_place place = tile_of_triangle(number, max(rows, columns), min(rows, columns));
    const tile_place mirrored = {place.column, place.row};
    return upper ? mirrored : place;
}
