/*
 * Local memory: bytes that belong to one thread. A row keeps them as [word][lane], so that one offset in all lanes is
 * one plane.
 */
#ifndef HEDDLE_EXEC_LOCAL_H
#define HEDDLE_EXEC_LOCAL_H

#include "exec/engine.h"

/* Executes a load or store of the threads `mask` at these offsets in their local memory. False after a fault. */
bool local_access(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask, bool is_write);

/* Where a byte of a lane's local memory is in that of its row. The lanes' 4-byte words are interleaved. */
static inline uint64_t local_at(int lane, uint64_t offset)
{
    return (offset >> 2) * PLANE_BYTES + (unsigned)lane * 4u + (offset & 3);
}

/* Host pointer to such a byte. */
static inline uint8_t *local_byte(const struct row *row, int lane, uint64_t offset)
{
    return row->local + local_at(lane, offset);
}

#endif
