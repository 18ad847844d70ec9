/*
 * Stream memory operations: a stream writes a value to memory, or waits until memory has a value.
 *
 * A wait whose value is not there yet makes its stream busy (queue.h). The value may come from the host, which writes
 * to memory that it shares with the device, or from another stream. Barriers and the flushing of remote writes change
 * nothing: every write is visible at once.
 */
#include "cuda/legacy.h"
#include "cuda/stream.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static unsigned value_bytes(const CUstreamBatchMemOpParams *o)
{
    return o->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 || o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 ? 8 : 4;
}

bool memop_is_wait(const CUstreamBatchMemOpParams *o)
{
    return o->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || o->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static bool is_write(const CUstreamBatchMemOpParams *o)
{
    return o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 || o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

/* Where the value is. It must be memory that the device knows. */
static void *value_place(struct driver *d, const CUstreamBatchMemOpParams *o)
{
    CUdeviceptr address = is_write(o) ? o->writeValue.address : o->waitValue.address;
    return address % value_bytes(o) ? NULL : copy_resolve(d, address, value_bytes(o), false);
}

static CUresult check_one(struct driver *d, const CUstreamBatchMemOpParams *o)
{
    unsigned flags = o->waitValue.flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
    if (memop_is_wait(o))
        return flags <= CU_STREAM_WAIT_VALUE_NOR && value_place(d, o) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (is_write(o))
        return o->writeValue.flags <= CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER && value_place(d, o)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    return o->operation == CU_STREAM_MEM_OP_BARRIER || o->operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult memop_check(struct driver *d, unsigned count, const CUstreamBatchMemOpParams *operations, unsigned flags)
{
    enum { MOST = 256 }; /* as NVIDIA's driver */
    if (flags || count > MOST || (count && !operations))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; !result && i < count; i++)
        result = check_one(d, &operations[i]);
    return result;
}

bool memop_is_ready(struct driver *d, const CUstreamBatchMemOpParams *o)
{
    const void *place = memop_is_wait(o) ? value_place(d, o) : NULL;
    if (!place)
        return true;
    /* The host may write the value at any time. */
    bool is_wide = value_bytes(o) == 8;
    uint64_t value = is_wide ? __atomic_load_n((const uint64_t *)place, __ATOMIC_ACQUIRE)
                             : __atomic_load_n((const uint32_t *)place, __ATOMIC_ACQUIRE);
    uint64_t wanted = is_wide ? o->waitValue.value64 : o->waitValue.value;
    switch (o->waitValue.flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH) {
    case CU_STREAM_WAIT_VALUE_GEQ: /* cyclic, so that counters may overflow */
        return is_wide ? (int64_t)(value - wanted) >= 0 : (int32_t)(uint32_t)(value - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return value == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
        return (value & wanted) != 0;
    default:
        return is_wide ? ~(value | wanted) != 0 : (uint32_t) ~(value | wanted) != 0;
    }
}

CUresult memop_run(struct driver *d, const CUstreamBatchMemOpParams *o)
{
    if (!is_write(o))
        return memop_is_wait(o) && !value_place(d, o) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    void *place = value_place(d, o);
    if (!place)
        return CUDA_ERROR_INVALID_VALUE;
    if (value_bytes(o) == 8)
        __atomic_store_n((uint64_t *)place, o->writeValue.value64, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)place, o->writeValue.value, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

void memop_describe(const CUstreamBatchMemOpParams *o, char *text, size_t size)
{
    static const char *const relation[] = {"at least", "equal to", "with bits of", "with a zero in"};
    bool is_wide = value_bytes(o) == 8;
    snprintf(text, size, "cuStreamWaitValue%d waits for a value %s 0x%" PRIx64 " at 0x%llx", is_wide ? 64 : 32,
             relation[o->waitValue.flags & 3], is_wide ? o->waitValue.value64 : (uint64_t)o->waitValue.value,
             o->waitValue.address);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,
                            unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    struct operation op;
    CUgraphNodeParams parameters = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                                    .memOp = {.count = count, .paramArray = operations, .flags = flags}};
    CUresult result = op_set(&e, &op, &parameters, NULL);
    return result ? result : stream_submit(&e, stream, &op);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags)
{
    CUstreamBatchMemOpParams one = {
        .waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, .address = address, .value = value, .flags = flags}};
    return cuStreamBatchMemOp(stream, 1, &one, 0);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags)
{
    CUstreamBatchMemOpParams one = {
        .waitValue = {
            .operation = CU_STREAM_MEM_OP_WAIT_VALUE_64, .address = address, .value64 = value, .flags = flags}};
    return cuStreamBatchMemOp(stream, 1, &one, 0);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags)
{
    CUstreamBatchMemOpParams one = {
        .writeValue = {
            .operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = address, .value = value, .flags = flags}};
    return cuStreamBatchMemOp(stream, 1, &one, 0);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags)
{
    CUstreamBatchMemOpParams one = {
        .writeValue = {
            .operation = CU_STREAM_MEM_OP_WRITE_VALUE_64, .address = address, .value64 = value, .flags = flags}};
    return cuStreamBatchMemOp(stream, 1, &one, 0);
}

/* The first forms of these calls have the same arguments. */
CUresult legacy_cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,
                                   unsigned int flags)
{
    return cuStreamBatchMemOp(stream, count, operations, flags);
}

CUresult legacy_cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags)
{
    return cuStreamWaitValue32(stream, address, value, flags);
}

CUresult legacy_cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags)
{
    return cuStreamWaitValue64(stream, address, value, flags);
}

CUresult legacy_cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags)
{
    return cuStreamWriteValue32(stream, address, value, flags);
}

CUresult legacy_cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags)
{
    return cuStreamWriteValue64(stream, address, value, flags);
}
