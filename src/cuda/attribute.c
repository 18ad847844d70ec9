/*
 * Attributes of launches.
 *
 * A cooperative launch runs if all its blocks fit on the device at once. Clusters show in special registers alone:
 * kernels that use the barrier or the shared memory of a cluster are refused when they are decoded. Attributes about
 * speed and about the order among launches change nothing, since a launch has run when its call returns.
 */
#include "cuda/attribute.h"

static CUresult find_event(struct driver *d, CUevent event)
{
    return object_find(d, OBJECT_EVENT, handle_of(event)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult attribute_apply(struct driver *d, const CUlaunchAttribute *a, struct launch *l)
{
    const CUlaunchAttributeValue *v = &a->value;
    switch ((int)a->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        l->is_cooperative = v->cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        if (!v->clusterDim.x || !v->clusterDim.y || !v->clusterDim.z)
            return CUDA_ERROR_INVALID_VALUE;
        l->cluster[0] = v->clusterDim.x;
        l->cluster[1] = v->clusterDim.y;
        l->cluster[2] = v->clusterDim.z;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        return find_event(d, v->programmaticEvent.event);
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return find_event(d, v->launchCompletionEvent.event);
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        if (!v->deviceUpdatableKernelNode.deviceUpdatable)
            return CUDA_SUCCESS;
        return driver_refuse(d, "cuLaunchKernelEx",
                             "kernels that change the nodes of a graph (deviceUpdatableKernelNode)");
    case ATTRIBUTE_KEEPS_WARPS:
        l->keeps_warps = true;
        return CUDA_SUCCESS;
    default:
        return (int)a->id >= 0 && a->id <= CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult check_cluster(const struct launch *l)
{
    uint32_t cluster[3];
    launch_cluster(l, cluster);
    for (int i = 0; i < 3; i++)
        if (cluster[i] > LAUNCH_MAX_CLUSTER_BLOCKS || l->grid[i] % cluster[i] ||
            (l->cluster[0] && l->cluster[i] != cluster[i]))
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return cluster[0] * cluster[1] * cluster[2] <= LAUNCH_MAX_CLUSTER_BLOCKS ? CUDA_SUCCESS
                                                                             : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

CUresult attribute_check(struct driver *d, const struct function *f, const struct program *p, const struct launch *l)
{
    if (launch_has_cluster(l) && check_cluster(l))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (!l->is_cooperative)
        return CUDA_SUCCESS;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t room = (uint64_t)device_attribute(d, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *
                    occupancy_blocks(d, f, p, l->block[0] * l->block[1] * l->block[2], l->dynamic_shared_bytes);
    return blocks <= room ? CUDA_SUCCESS : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

CUresult attribute_record_events(const CUlaunchConfig *config)
{
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < config->numAttrs && !result; i++) {
        const CUlaunchAttribute *a = &config->attrs[i];
        if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
            result = cuEventRecord(a->value.programmaticEvent.event, config->hStream);
        else if (a->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
            result = cuEventRecord(a->value.launchCompletionEvent.event, config->hStream);
    }
    return result;
}
