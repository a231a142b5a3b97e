// Work-groups of one launch hand results to the last of them to arrive.
#pragma once

// The device is NVIDIA's.
#ifndef NVIDIA
#define NVIDIA 0
#endif

// What this work-item has written is seen by every work-group that sees what it writes afterwards.
#if NVIDIA
// mem_fence is a fence of the work-group alone there.
#define device_fence() __asm__ volatile("membar.gl;" : : : "memory")
#else
#define device_fence() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
