/*
 * Device properties. The structure changed with CUDA 12 and with CUDA 13, so it is laid out here from a table of its
 * fields, properties.def, by the rules of C.
 */
#include "runtime/properties.h"

#include "runtime/device.h"
#include "runtime/runtime.h"

#include <string.h>

enum source { NOTHING, NAME, UUID, MEMORY, ATTRIBUTE };

struct field {
    int first, last;       /* versions that have the field */
    unsigned bytes, count; /* of an element, and elements */
    enum source source;
    CUdevice_attribute attribute;
};

static const struct field field_table[] = {
#define FIELD(first, last, type, name)          {first, last, sizeof(type), 1, ATTRIBUTE, CU_DEVICE_ATTRIBUTE_##name},
#define OTHER(first, last, type, count, source) {first, last, sizeof(type), count, source, 0},
#include "runtime/properties.def"
#undef FIELD
#undef OTHER
};

static CUresult read_field(const struct field *f, char *at, int device)
{
    int value = 0;
    CUresult result;
    switch (f->source) {
    case NAME:
        return driver.cuDeviceGetName(at, (int)f->count, device);
    case UUID:
        return driver.cuDeviceGetUuid((CUuuid *)at, device);
    case MEMORY:
        return driver.cuDeviceTotalMem((size_t *)at, device);
    case ATTRIBUTE:
        result = driver.cuDeviceGetAttribute(&value, f->attribute, device);
        if (f->bytes == sizeof(size_t))
            *(size_t *)at = (size_t)value;
        else
            *(int *)at = value;
        return result;
    case NOTHING:
        break;
    }
    memset(at, 0, (size_t)f->bytes * f->count);
    return CUDA_SUCCESS;
}

cudaError_t properties_read(void *properties, int version, int device)
{
    cudaError_t error = runtime_begin_without_context();
    if (error)
        return error;
    if (!properties)
        return runtime_fail(cudaErrorInvalidValue);
    error = device_check(device);
    size_t offset = 0;
    for (size_t i = 0; i < sizeof field_table / sizeof field_table[0] && !error; i++) {
        const struct field *f = &field_table[i];
        if (version < f->first || version > f->last)
            continue;
        offset = (offset + f->bytes - 1) / f->bytes * f->bytes;
        error = runtime_end(read_field(f, (char *)properties + offset, device));
        offset += (size_t)f->bytes * f->count;
    }
    return error;
}
