/* Little-endian numbers at any address, for readers and writers of files. The caller has checked that the
 * bytes are there. */
#ifndef HEDDLE_BINARY_BYTES_H
#define HEDDLE_BINARY_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bytes_read(const void *at, int count)
{
    const uint8_t *byte = at;
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value |= (uint64_t)byte[i] << 8 * i;
    return value;
}

static inline uint16_t bytes_u16(const void *at)
{
    return (uint16_t)bytes_read(at, 2);
}

static inline uint32_t bytes_u32(const void *at)
{
    return (uint32_t)bytes_read(at, 4);
}

static inline uint64_t bytes_u64(const void *at)
{
    return bytes_read(at, 8);
}

static inline void bytes_write(void *at, uint64_t value, int count)
{
    uint8_t *byte = at;
    for (int i = 0; i < count; i++)
        byte[i] = (uint8_t)(value >> 8 * i);
}

#endif
