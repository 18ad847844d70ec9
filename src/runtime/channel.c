/*
 * Channels of an element: see channel.h.
 *
 * Elements of one, two or four equal channels of 8, 16 or 32 bits. Normalised, block-compressed and video formats have
 * no counterpart in heddle and are refused.
 */
#include "runtime/channel.h"

#include "runtime/refuse.h"

struct channel_format {
    enum cudaChannelFormatKind kind;
    int bits;
    CUarray_format format;
};

static const struct channel_format format_table[] = {
    {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
};

enum { FORMAT_COUNT = sizeof format_table / sizeof format_table[0], MOST_CHANNELS = 4 };

static cudaError_t refuse_format(void)
{
    static atomic_bool is_said;
    return (cudaError_t)runtime_refuse("an element with normalised, compressed or video channels", &is_said);
}

cudaError_t channel_find_format(const struct cudaChannelFormatDesc *channels, CUarray_format *format, unsigned *count)
{
    const int bits[MOST_CHANNELS] = {channels->x, channels->y, channels->z, channels->w};
    unsigned used = 0;
    while (used < MOST_CHANNELS && bits[used])
        used++;
    for (unsigned i = 0; i < MOST_CHANNELS; i++)
        if (bits[i] != (i < used ? bits[0] : 0))
            return cudaErrorInvalidChannelDescriptor;
    if (channels->f > cudaChannelFormatKindNone && channels->f <= cudaChannelFormatKindUnsignedNormalized1010102)
        return refuse_format();
    if (used != 1 && used != 2 && used != MOST_CHANNELS)
        return cudaErrorInvalidChannelDescriptor;
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (format_table[i].kind == channels->f && format_table[i].bits == bits[0]) {
            *format = format_table[i].format;
            *count = used;
            return cudaSuccess;
        }
    return cudaErrorInvalidChannelDescriptor;
}

static const struct channel_format *find_format(CUarray_format format)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (format_table[i].format == format)
            return &format_table[i];
    return NULL;
}

struct cudaChannelFormatDesc channel_describe(CUarray_format format, unsigned count)
{
    const struct channel_format *row = find_format(format);
    if (!row)
        return (struct cudaChannelFormatDesc){.f = cudaChannelFormatKindNone};
    return (struct cudaChannelFormatDesc){
        .x = row->bits,
        .y = count > 1 ? row->bits : 0,
        .z = count > 2 ? row->bits : 0,
        .w = count > 3 ? row->bits : 0,
        .f = row->kind,
    };
}

size_t channel_element_bytes(CUarray_format format, unsigned count)
{
    const struct channel_format *row = find_format(format);
    return row ? (size_t)row->bits / 8 * count : 0;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = kind};
}
