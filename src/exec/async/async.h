/*
 * Asynchronous copies: cp.async, bulk copies and reductions, copies of tensors, st.async and red.async.
 *
 * A copy is done when its instruction is executed. A program without races cannot tell: what waits for the copy comes
 * later. On machines, copies take time: those of cp.async until memory has answered, by registers that hold nothing
 * (flow/decode.c), and all others by what copies.h tells the machine.
 */
#ifndef HEDDLE_EXEC_ASYNC_ASYNC_H
#define HEDDLE_EXEC_ASYNC_ASYNC_H

#include "exec/engine.h"

bool async_execute(struct engine *e, const struct bound *in, uint32_t mask);

/* The operands of one lane, read one after the other in the order of the instruction's row; the first memory address
 * is left out. */
struct async_operands {
    const struct engine *e;
    const struct insn *insn;
    int lane, next;
};

struct async_operands async_operands_of(const struct engine *e, const struct bound *in, int lane);
uint64_t async_value(struct async_operands *o);
/* Whether the next operand is given; if it is not, it is skipped. */
bool async_is_given(struct async_operands *o);
/* The next memory address, in its own space. */
uint64_t async_address(struct async_operands *o);

/* Host address of bytes that a lane's copy reads or writes; NULL after a fault. The address is aligned to `align`. */
uint8_t *async_global(struct engine *e, const struct bound *in, int lane, uint64_t address, uint64_t bytes,
                      unsigned align, bool is_write);
uint8_t *async_shared(struct engine *e, const struct bound *in, int lane, uint64_t address, uint64_t bytes,
                      unsigned align, bool is_write);

/* Whether the copy is one of cp.async: up to 16 bytes of each thread, which the load/store unit copies. Machines hear
 * of all others as copies.h says. */
bool async_is_single(const struct insn *insn);
/* What such a copy of one lane moves; `first` is the lane's first memory address. */
struct async_traffic {
    uint64_t global, shared; /* addresses of the first byte */
    uint32_t bytes;
};
struct async_traffic async_traffic_of(const struct engine *e, const struct bound *in, int lane, uint64_t first);

#endif
