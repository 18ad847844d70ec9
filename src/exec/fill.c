/*
 * st.bulk is executed as a row of plain stores of eight bytes, so that the checks for bounds, races and waste see every
 * one of them. The size is a multiple of eight bytes; PTX leaves other sizes undefined, and here the rest keeps its
 * value.
 */
#include "exec/fill.h"

#include "exec/access.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"

#include <string.h>

enum { STEP_BYTES = 8, MOST_BYTES = 16777216 };

bool fill_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    uint64_t size[ROW_LANES], address[ROW_LANES];
    memcpy(size, operand_source(e, in, 1), sizeof size);
    access_addresses(e, in, address);
    for (uint64_t at = 0; mask; at += STEP_BYTES) {
        for (int i = 0; i < ROW_LANES; i++)
            if (size[i] < at + STEP_BYTES)
                mask &= ~(1u << i);
        if (mask && at >= MOST_BYTES)
            return engine_fault(e, in, mask, FAULT_OUT_OF_BOUNDS, "st.bulk of more than %d bytes", MOST_BYTES);
        if (mask && !access_execute(e, in, pc, mask, address))
            return false;
        for (int i = 0; i < ROW_LANES; i++)
            address[i] += STEP_BYTES;
    }
    return true;
}
