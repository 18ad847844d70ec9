/* The kernel of workloads/nvrt with __syncwarp() around the reads of a warp's pool. */
#define NVRT_SYNC
#include "../nvrt/kernels.cu"
