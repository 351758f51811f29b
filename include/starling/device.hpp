// The word before a function that device code may call as well as the host.
#pragma once

#if defined(__CUDACC__)
#define STARLING_DEVICE __host__ __device__
#else
#define STARLING_DEVICE
#endif
