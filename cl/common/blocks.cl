// Kernels on vectors share n elements: each work-group takes a block of them. Within it, the work-items of a GPU's
// group take neighbouring elements at a time. A group on a CPU is one work-item, which walks its block from end to end.
#pragma once

#define FOR_EACH_ELEMENT(i)                                                                                           \
    for (long i = (long)get_group_id(0) * block + get_local_id(0), end = min(n, (long)(get_group_id(0) + 1) * block); \
         i < end; i += get_local_size(0))
