/*
 * Asynchronous copies: cp.async, bulk copies and reductions, copies of tensors, st.async and red.async.
 *
 * A copy is done when its instruction is executed. A program without races cannot tell: what waits for the copy comes
 * later. On machines, instructions that wait for a thread's own copies take until memory has answered (flow/decode.c).
 */
#ifndef HEDDLE_EXEC_ASYNC_H
#define HEDDLE_EXEC_ASYNC_H

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

/* A copy as a machine's memory system sees it. */
struct async_traffic {
    uint64_t global; /* address of the first byte in global memory */
    uint64_t shared; /* of the first byte in shared memory */
    uint32_t bytes;
    bool is_store; /* to global memory */
    bool is_bulk;  /* by an engine of its own: the banks of shared memory are not counted */
};

/* Whether machines count the copy's accesses to global memory. Copies of tensors are not counted. */
bool async_has_traffic(const struct insn *insn);
/* What such a copy of one lane moves; `first` is the lane's first memory address. */
struct async_traffic async_traffic_of(const struct engine *e, const struct bound *in, int lane, uint64_t first);

#endif
