// LAPACK's info in device memory: 0, or the number of the first pivot that is zero.

// info := 0, before work that sets it.
__kernel void clear_info(__global int *info, long place)
{
    info[place] = 0;
}
