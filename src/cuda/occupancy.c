/*
 * Occupancy: how many blocks of a kernel fit on a multiprocessor, by threads, registers and shared memory.
 *
 * The generic device allocates registers to warps in units of 256 from four separate register files, and shared memory
 * in units of 128 bytes. With --gpu the rules of the machine hold: gpu/occupancy.h.
 */
#include "cuda/driver.h"

#include "base/bits.h"
#include "gpu/occupancy.h"

enum { REGISTER_UNIT = 256, SHARED_UNIT = 128, CLUSTER_BLOCKS = 8 /* that every GPU with clusters has */ };

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned blocks_on_machine(const struct machine *m, const struct program *p, unsigned threads,
                                  uint64_t dynamic_shared_bytes)
{
    struct occupancy_need need = {.threads = threads,
                                  .registers = (uint32_t)p->register_count,
                                  .shared_bytes = p->layout->dynamic_shared_offset + (uint32_t)dynamic_shared_bytes};
    return occupancy_of(m, &need).blocks;
}

unsigned occupancy_blocks(const struct driver *d, const struct function *f, const struct program *p, unsigned threads,
                          uint64_t dynamic_shared_bytes)
{
    if (threads > function_max_threads(f) || dynamic_shared_bytes > function_max_dynamic_shared(f, p->layout))
        return 0;
    if (device_machine(d))
        return blocks_on_machine(device_machine(d), p, threads, dynamic_shared_bytes);
    unsigned warps = (threads + DEVICE_WARP_THREADS - 1) / DEVICE_WARP_THREADS;
    unsigned blocks = smaller(DEVICE_SM_BLOCKS, DEVICE_SM_THREADS / DEVICE_WARP_THREADS / warps);
    if (p->register_count) {
        unsigned registers = (unsigned)bits_align_up((uint64_t)p->register_count * DEVICE_WARP_THREADS, REGISTER_UNIT);
        unsigned resident = DEVICE_SM_REGISTERS / DEVICE_SM_PARTITIONS / registers * DEVICE_SM_PARTITIONS;
        blocks = smaller(blocks, resident / warps);
    }
    uint64_t shared = bits_align_up(
        p->layout->static_shared_bytes + dynamic_shared_bytes + DEVICE_RESERVED_SHARED_BYTES, SHARED_UNIT);
    return smaller(blocks, (unsigned)(DEVICE_SM_SHARED_BYTES / shared));
}

/* The function of a handle, and its decoded program. */
static CUresult find(struct driver *d, CUfunction function, struct function **f, const struct program **p)
{
    *f = object_find(d, OBJECT_FUNCTION, handle_of(function));
    return *f ? function_program(*f, p) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int block_threads,
                                                              size_t dynamic_shared_bytes, unsigned int flags)
{
    ENTER(e, NEED_INIT);
    if (!blocks || block_threads <= 0 || flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f;
    const struct program *p;
    CUresult result = find(e.driver, function, &f, &p);
    if (!result)
        *blocks = (int)occupancy_blocks(e.driver, f, p, (unsigned)block_threads, dynamic_shared_bytes);
    return result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_threads,
                                                     size_t dynamic_shared_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads, dynamic_shared_bytes,
                                                                CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid_blocks, int *block_threads, CUfunction function,
                                                   CUoccupancyB2DSize shared_for_threads, size_t dynamic_shared_bytes,
                                                   int most_threads, unsigned int flags)
{
    ENTER(e, NEED_INIT);
    if (!grid_blocks || !block_threads || flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f;
    const struct program *p;
    CUresult result = find(e.driver, function, &f, &p);
    if (result)
        return result;
    unsigned limit = function_max_threads(f);
    if (most_threads > 0)
        limit = smaller(limit, (unsigned)most_threads);
    unsigned best_threads = 0, best_blocks = 0;
    /* Tries the largest size, then every smaller number of whole warps. Of sizes that give as many threads the
     * largest wins. */
    for (unsigned threads = limit; threads; threads = (threads - 1) / DEVICE_WARP_THREADS * DEVICE_WARP_THREADS) {
        size_t shared = shared_for_threads ? shared_for_threads((int)threads) : dynamic_shared_bytes;
        unsigned blocks = occupancy_blocks(e.driver, f, p, threads, shared);
        if (blocks * threads > best_blocks * best_threads) {
            best_blocks = blocks;
            best_threads = threads;
        }
    }
    *block_threads = (int)best_threads;
    *grid_blocks = (int)best_blocks * device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid_blocks, int *block_threads, CUfunction function,
                                          CUoccupancyB2DSize shared_for_threads, size_t dynamic_shared_bytes,
                                          int most_threads)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid_blocks, block_threads, function, shared_for_threads,
                                                     dynamic_shared_bytes, most_threads, CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_shared_bytes, CUfunction function, int blocks,
                                                 int block_threads)
{
    ENTER(e, NEED_INIT);
    if (!dynamic_shared_bytes || blocks <= 0 || block_threads <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f;
    const struct program *p;
    CUresult result = find(e.driver, function, &f, &p);
    if (result)
        return result;
    if (occupancy_blocks(e.driver, f, p, (unsigned)block_threads, 0) < (unsigned)blocks)
        return CUDA_ERROR_INVALID_VALUE;
    const struct machine *m = device_machine(e.driver);
    uint64_t all = (uint64_t)device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    uint64_t unit = m ? m->sm.shared_unit_bytes : SHARED_UNIT, share = all / (unsigned)blocks / unit * unit;
    uint64_t reserved = (uint64_t)device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    uint64_t taken = p->layout->static_shared_bytes + reserved, left = share > taken ? share - taken : 0;
    uint64_t most = (uint64_t)device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) -
                    p->layout->static_shared_bytes;
    *dynamic_shared_bytes = left < most ? left : most;
    return CUDA_SUCCESS;
}

static unsigned most_blocks(const struct function *f)
{
    return f->has_wide_clusters ? LAUNCH_MAX_CLUSTER_BLOCKS : CLUSTER_BLOCKS;
}

/* The cluster that a launch asks for, in blocks; 0: the launch is not one that clusters fit. */
static unsigned cluster_blocks(const struct function *f, const CUlaunchConfig *config)
{
    unsigned side[3] = {1, 1, 1};
    const uint32_t *required = f->kernel->limits.required_cluster;
    for (int i = 0; i < 3; i++)
        if (required[i])
            side[i] = required[i];
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            side[0] = config->attrs[i].value.clusterDim.x;
            side[1] = config->attrs[i].value.clusterDim.y;
            side[2] = config->attrs[i].value.clusterDim.z;
        }
    if (!side[0] || !side[1] || !side[2] || config->gridDimX % side[0] || config->gridDimY % side[1] ||
        config->gridDimZ % side[2] || side[0] > most_blocks(f) || side[1] > most_blocks(f) || side[2] > most_blocks(f))
        return 0;
    return side[0] * side[1] * side[2];
}

/* Blocks of the launch that a multiprocessor holds at a time. */
static CUresult blocks_of_launch(struct driver *d, CUfunction function, const CUlaunchConfig *config,
                                 struct function **f, unsigned *blocks)
{
    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    const struct program *p;
    CUresult result = find(d, function, f, &p);
    if (result)
        return result;
    uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;
    if (!threads || threads > LAUNCH_MAX_THREADS)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = occupancy_blocks(d, *f, p, (unsigned)threads, config->sharedMemBytes);
    return CUDA_SUCCESS;
}

/* Clusters of all sizes fit anywhere on the device: there are no groups of multiprocessors. */
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    ENTER(e, NEED_CONTEXT);
    struct function *f;
    unsigned blocks;
    CUresult result = blocks_of_launch(e.driver, function, config, &f, &blocks);
    if (result)
        return result;
    unsigned size = cluster_blocks(f, config);
    if (!clusters || !size)
        return CUDA_ERROR_INVALID_VALUE;
    if (size > most_blocks(f))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    unsigned sms = (unsigned)device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    *clusters = (int)(blocks * sms / size);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config)
{
    ENTER(e, NEED_CONTEXT);
    struct function *f;
    unsigned blocks;
    CUresult result = blocks_of_launch(e.driver, function, config, &f, &blocks);
    if (result)
        return result;
    if (!size)
        return CUDA_ERROR_INVALID_VALUE;
    *size = blocks ? (int)most_blocks(f) : 0;
    return CUDA_SUCCESS;
}
