// How kernels that treat elements apart from each other walk a block. EACH(loads, stores): of element i, `loads` puts
// what is needed into left[w] and right[w], and `stores` writes the result from there. Of a whole block of adjacent
// elements, a work-item loads all of its elements before it stores any: it waits for memory once.
//
// Defined before this file: ADJACENT (every increment is 1), THREADS (work-items of a group), WORK (elements of a
// work-item; a block of adjacent elements has THREADS * WORK).

#define at(i, step) (ADJACENT ? (i) : (i) * (step))

#define EACH(loads, stores)                                                        \
    scalar left[WORK], right[WORK];                                                \
    if (ADJACENT && (long)(get_group_id(0) + 1) * (THREADS * WORK) <= n) {         \
        const long first = (long)get_group_id(0) * (THREADS * WORK) + get_local_id(0); \
        for (int w = 0; w < WORK; w++) {                                           \
            const long i = first + w * THREADS;                                    \
            loads;                                                                 \
        }                                                                          \
        for (int w = 0; w < WORK; w++) {                                           \
            const long i = first + w * THREADS;                                    \
            stores;                                                                \
        }                                                                          \
    } else {                                                                       \
        FOR_EACH_ELEMENT(i) {                                                      \
            const int w = 0;                                                       \
            loads;                                                                 \
            stores;                                                                \
        }                                                                          \
    }
