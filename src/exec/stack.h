/* The part of a thread's stack that grows at run time: alloca, stacksave, stackrestore. */
#ifndef HEDDLE_EXEC_STACK_H
#define HEDDLE_EXEC_STACK_H

#include "exec/engine.h"

/* Bytes that the frame of a function takes at least, so that endless recursion ends in a fault. */
enum { STACK_LEAST_FRAME_BYTES = 16 };

static inline uint32_t stack_frame_bytes(const struct program_function *f)
{
    return f->frame_bytes > STACK_LEAST_FRAME_BYTES ? f->frame_bytes : STACK_LEAST_FRAME_BYTES;
}

/* False after a fault. */
bool stack_execute(struct engine *e, const struct bound *in, uint32_t mask);

#endif
