/* What a launch must fulfil before an executor accepts it: sizes, parameters, and the kernel's directives. */
#include "device/launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BLOCK_DEPTH = 64, MAX_GRID_X = 0x7fffffff, MAX_GRID_YZ = 65535 };

static bool __attribute__((format(printf, 3, 4)))
refuse(const struct launch *launch, struct fault *fault, const char *format, ...)
{
    memset(fault, 0, sizeof *fault);
    fault->kind = FAULT_LAUNCH;
    fault->kernel = launch->kernel ? launch->kernel->name : NULL;
    va_list args;
    va_start(args, format);
    vsnprintf(fault->detail, sizeof fault->detail, format, args);
    va_end(args);
    return false;
}

static bool check_sizes(const struct launch *l, struct fault *fault)
{
    static const uint32_t grid_limit[3] = {MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ};
    static const uint32_t block_limit[3] = {LAUNCH_MAX_THREADS, LAUNCH_MAX_THREADS, MAX_BLOCK_DEPTH};
    for (int i = 0; i < 3; i++) {
        if (!l->grid[i] || l->grid[i] > grid_limit[i])
            return refuse(l, fault, "the grid's size in %c is %u; it must be 1 to %u", 'x' + i, l->grid[i],
                          grid_limit[i]);
        if (!l->block[i] || l->block[i] > block_limit[i])
            return refuse(l, fault, "the block's size in %c is %u; it must be 1 to %u", 'x' + i, l->block[i],
                          block_limit[i]);
    }
    uint32_t threads = l->block[0] * l->block[1] * l->block[2]; /* at most 2^26 */
    if (threads > LAUNCH_MAX_THREADS)
        return refuse(l, fault, "the block has %u threads; at most %d are possible", threads, LAUNCH_MAX_THREADS);
    return true;
}

static uint32_t at_least_one(uint32_t x)
{
    return x ? x : 1;
}

static bool check_directives(const struct launch *l, struct fault *fault)
{
    const struct ptx_limits *d = &l->kernel->limits;
    const uint32_t *required = d->required_threads, *most = d->max_threads;
    uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    for (int i = 0; i < 3 && required[0]; i++)
        if (l->block[i] != at_least_one(required[i]))
            return refuse(l, fault, "the kernel demands blocks of %u x %u x %u threads (.reqntid), not %u x %u x %u",
                          required[0], at_least_one(required[1]), at_least_one(required[2]), l->block[0], l->block[1],
                          l->block[2]);
    uint64_t limit = (uint64_t)most[0] * at_least_one(most[1]) * at_least_one(most[2]);
    if (most[0] && threads > limit)
        return refuse(l, fault, "the block has %u threads; the kernel allows %llu (.maxntid)", threads,
                      (unsigned long long)limit);
    return true;
}

bool launch_has_cluster(const struct launch *launch)
{
    return launch->kernel->limits.required_cluster[0] || launch->cluster[0];
}

void launch_cluster(const struct launch *launch, uint32_t cluster[3])
{
    const uint32_t *required = launch->kernel->limits.required_cluster;
    for (int i = 0; i < 3; i++)
        cluster[i] = at_least_one(required[0] ? required[i] : launch->cluster[i]);
}

uint64_t launch_cluster_block(const struct launch *launch, uint64_t cluster, uint32_t rank)
{
    uint32_t n[3];
    launch_cluster(launch, n);
    const uint32_t *grid = launch->grid;
    uint64_t across = grid[0] / n[0], down = grid[1] / n[1];
    uint64_t x = cluster % across * n[0] + rank % n[0];
    uint64_t y = cluster / across % down * n[1] + rank / n[0] % n[1];
    uint64_t z = cluster / across / down * n[2] + rank / n[0] / n[1];
    return x + grid[0] * (y + grid[1] * z);
}

static bool check_cluster(const struct launch *l, struct fault *fault)
{
    uint32_t cluster[3];
    launch_cluster(l, cluster);
    uint64_t blocks = (uint64_t)cluster[0] * cluster[1] * cluster[2];
    for (int i = 0; i < 3; i++)
        if (l->cluster[0] && cluster[i] != at_least_one(l->cluster[i]))
            return refuse(l, fault, "the kernel demands clusters of %u x %u x %u blocks (.reqnctapercluster)",
                          cluster[0], cluster[1], cluster[2]);
    if (cluster[0] > LAUNCH_MAX_CLUSTER_BLOCKS || cluster[1] > LAUNCH_MAX_CLUSTER_BLOCKS ||
        cluster[2] > LAUNCH_MAX_CLUSTER_BLOCKS || blocks > LAUNCH_MAX_CLUSTER_BLOCKS)
        return refuse(l, fault, "a cluster of %u x %u x %u blocks is asked for; at most %d are possible", cluster[0],
                      cluster[1], cluster[2], LAUNCH_MAX_CLUSTER_BLOCKS);
    for (int i = 0; i < 3; i++)
        if (l->grid[i] % cluster[i])
            return refuse(l, fault, "the grid's size in %c is %u, which is no multiple of its clusters' size, %u",
                          'x' + i, l->grid[i], cluster[i]);
    return true;
}

static bool check_memory(const struct launch *l, const struct layout *layout, struct fault *fault)
{
    uint64_t shared = l->dynamic_shared_bytes ? (uint64_t)layout->dynamic_shared_offset + l->dynamic_shared_bytes
                                              : layout->static_shared_bytes;
    if (shared > LAUNCH_MAX_SHARED_BYTES)
        return refuse(l, fault, "the block needs %llu bytes of shared memory; at most %d are possible",
                      (unsigned long long)shared, LAUNCH_MAX_SHARED_BYTES);
    if (l->stack_bytes > LAUNCH_MAX_STACK_BYTES)
        return refuse(l, fault, "a thread's local memory is set to %u bytes; at most %d are possible", l->stack_bytes,
                      LAUNCH_MAX_STACK_BYTES);
    uint32_t stack = l->stack_bytes ? l->stack_bytes : LAUNCH_DEFAULT_STACK_BYTES;
    uint32_t frame = layout->frame[l->kernel->index].frame_bytes;
    if (frame > stack)
        return refuse(l, fault, "the kernel needs %u bytes of local memory; a thread has %u", frame, stack);
    if (l->parameter_bytes != layout->parameter_bytes || (l->parameter_bytes && !l->parameters))
        return refuse(l, fault, "the kernel takes %u bytes of parameters; %zu were given", layout->parameter_bytes,
                      l->parameters ? l->parameter_bytes : 0);
    return true;
}

bool launch_validate(const struct launch *launch, const struct layout *layout, struct fault *fault)
{
    if (!launch->kernel || !launch->kernel->is_entry || !launch->kernel->is_defined)
        return refuse(launch, fault, "%s is not a kernel with a body",
                      launch->kernel ? launch->kernel->name : "nothing");
    if (!launch->image || launch->image->module != launch->kernel->module)
        return refuse(launch, fault, "the kernel's module is not loaded");
    return check_sizes(launch, fault) && check_directives(launch, fault) && check_cluster(launch, fault) &&
           check_memory(launch, layout, fault);
}

void launch_coarsen(struct launch *l, const struct layout *layout, uint8_t *parameters)
{
    const struct ptx_function *k = l->kernel;
    if (!k->coarsened)
        return;
    memcpy(parameters + layout->frame[k->index].formal_offset[k->parameter_count - 1], &l->grid[0], sizeof l->grid[0]);
    l->grid[0] = l->grid[0] / k->coarsened + (l->grid[0] % k->coarsened != 0);
}
