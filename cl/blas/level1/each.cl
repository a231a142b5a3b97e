// Loops of kernels that treat elements apart from each other. EACH(loads, stores): of element i, `loads` puts values
// into left[w] and right[w], and `stores` writes the result from there. Of a whole block of adjacent elements, a
// work-item loads all of its elements before it stores any: it waits for memory once.
#pragma once

// Every increment is 1.
#ifndef ADJACENT
#define ADJACENT 1
#endif

// Work-items of a group.
#ifndef THREADS
#define THREADS 64
#endif

// Elements of a work-item: a block of adjacent elements has THREADS * WORK.
#ifndef WORK
#define WORK 4
#endif

#include "common/blocks.cl"
#include "common/scalar.cl"

#define at(i, step) (ADJACENT ? (i) : (i) * (step))

#define EACH(loads, stores)                                                                \
    {                                                                                      \
        scalar left[WORK], right[WORK];                                                    \
        if (ADJACENT && (long)(get_group_id(0) + 1) * (THREADS * WORK) <= n) {             \
            const long first = (long)get_group_id(0) * (THREADS * WORK) + get_local_id(0); \
            for (int w = 0; w < WORK; w++) {                                               \
                const long i = first + w * THREADS;                                        \
                loads;                                                                     \
            }                                                                              \
            for (int w = 0; w < WORK; w++) {                                               \
                const long i = first + w * THREADS;                                        \
                stores;                                                                    \
            }                                                                              \
        } else {                                                                           \
            FOR_EACH_ELEMENT(i) {                                                          \
                const int w = 0;                                                           \
                loads;                                                                     \
                stores;                                                                    \
            }                                                                              \
        }                                                                                  \
    }
