// Work-groups of one launch that hand results to the last of them to arrive.
// Defined before this file: NVIDIA (the device is NVIDIA's).

// What this work-item has written is seen by every work-group that sees what it writes afterwards.
#if NVIDIA
// mem_fence is a fence of the work-group alone there.
#define device_fence() __asm__ volatile("membar.gl;" : : : "memory")
#else
#define device_fence() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
