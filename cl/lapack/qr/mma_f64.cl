// Products of fragments of doubles: tensor core instructions, or their emulation.
#pragma once

// The device is NVIDIA's and takes inline PTX.
#ifndef NVIDIA
#define NVIDIA 0
#endif

#if NVIDIA
#include "lapack/qr/mma_f64_nvidia.cl"
#else
#include "lapack/qr/mma_f64_emulated.cl"
#endif
