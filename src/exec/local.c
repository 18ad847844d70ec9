/* Loads and stores of local memory: see local.h. */
#include "exec/local.h"

#include "base/bits.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"
#include "exec/transfer.h"

#include <string.h>

/* False after a fault: the bytes of a lane are not aligned, or not all in its local memory. */
static bool check(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask, bool is_write)
{
    const uint64_t bytes = (uint64_t)in->width * in->elements, align = bytes - 1;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        if (address[i] & align)
            return engine_fault_address(e, in, i, FAULT_MISALIGNED, IN_LOCAL, address[i], is_write);
        if (address[i] > e->local_bytes || bytes > e->local_bytes - address[i])
            return engine_fault_address(e, in, i, FAULT_OUT_OF_BOUNDS, IN_LOCAL, address[i], is_write);
    }
    return true;
}

/* Moves elements of at most a word. */
static void access_words(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask,
                         bool is_write)
{
    for (unsigned k = 0; k < in->elements; k++) {
        const unsigned bits = is_write ? in->source_bits[k] : in->dest_bits[k];
        uint64_t at[ROW_LANES];
        for (int i = 0; i < ROW_LANES; i++)
            at[i] = local_at(i, address[i] + (uint64_t)k * in->width);
        if (is_write)
            transfer_out((uintptr_t)e->row->local, at, in->width, operand_source(e, in, (int)k), bits, mask);
        else if (bits)
            transfer_in(e->row->planes + in->dest[k], bits, in->width, in->is_signed, (uintptr_t)e->row->local, at,
                        mask);
    }
}

/* Moves wider elements, whose words are brought together in a buffer. */
static void access_wide(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask, bool is_write)
{
    enum { STRIDE = 16 };
    _Alignas(8) uint8_t buffer[STRIDE * ROW_LANES];
    uint64_t at[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        at[i] = (uint64_t)i * STRIDE;
    for (unsigned k = 0; k < in->elements; k++) {
        const unsigned bits = is_write ? in->source_bits[k] : in->dest_bits[k];
        if (is_write)
            transfer_out((uintptr_t)buffer, at, in->width, operand_source(e, in, (int)k), bits, mask);
        for (uint32_t left = mask; left; left &= left - 1) {
            int i = bits_lowest(left);
            for (unsigned b = 0; b < in->width; b += 4) {
                uint8_t *local = local_byte(e->row, i, address[i] + (uint64_t)k * in->width + b);
                if (is_write)
                    memcpy(local, buffer + STRIDE * i + b, 4);
                else
                    memcpy(buffer + STRIDE * i + b, local, 4);
            }
        }
        if (!is_write && bits)
            transfer_in(e->row->planes + in->dest[k], bits, in->width, in->is_signed, (uintptr_t)buffer, at, mask);
    }
}

bool local_access(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask, bool is_write)
{
    if (!check(e, in, address, mask, is_write))
        return false;
    (in->width > 4 ? access_wide : access_words)(e, in, address, mask, is_write);
    return true;
}
