// Candidates for a pivot.
#pragma once

#include "lapack/lu/modulus.cl"

// The key of a pivot search (ixamax): |re| + |im|. A NaN is the largest key on the diagonal, else the smallest.
inline real pivot_key(scalar value, bool on_diagonal)
{
    const real size = sum_of_moduli(value);
    return size == size ? size : on_diagonal ? (real)INFINITY : (real)-1;
}

// A row that may hold the pivot.
typedef struct {
    real key;
    int row;
} candidate;

// The larger key, and the first row among equal ones. Without a branch, for which the group would wait.
inline candidate better_of(candidate a, candidate b)
{
    const int takes_b = (b.key > a.key) | ((b.key == a.key) & (b.row < a.row));
    const candidate best = {takes_b ? b.key : a.key, takes_b ? b.row : a.row};
    return best;
}
