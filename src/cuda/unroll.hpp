// The word before a loop over an array that a device is to keep in registers, where no index may be
// unknown.
#pragma once

#if defined(__CUDA_ARCH__)
#define STARLING_UNROLL _Pragma("unroll")
#define STARLING_UNROLL_TWICE _Pragma("unroll 2")
#define STARLING_UNROLL_FOUR _Pragma("unroll 4")
#else
#define STARLING_UNROLL
#define STARLING_UNROLL_TWICE
#define STARLING_UNROLL_FOUR
#endif
