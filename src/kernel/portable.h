#pragma once

/// Marks a function that the GPU and the CPU run alike: index arithmetic and conversions, so that a
/// reference and a kernel can't disagree about them. The headers of this folder that use it are
/// C++17, because kernels/ is.
#if defined(__CUDACC__)
#define EPWISE_BOTH __host__ __device__
#else
#define EPWISE_BOTH
#endif
