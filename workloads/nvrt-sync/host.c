/* The host program of workloads/nvrt, for the kernel that does not rely on lock-step. */
#define NVRT_NAME "nvrt-sync"
#include "../nvrt/host.c"
