/*
 * Layout: where a kernel's variables stand within their address spaces.
 *
 * Shared variables of the kernel, of the functions it reaches and of the module get offsets in the block's shared
 * memory. Behind them comes the shared memory that the launch asks for (`extern .shared x[]`, all at one offset). Local
 * variables, formal parameters of functions and the .param variables of call sequences get offsets in the function's
 * frame on the thread's local stack, formal parameters first (flow/signature.h). Kernel parameters get offsets in the
 * parameter block. Global and constant variables get their addresses when a module is loaded (device/image.h), not
 * here.
 *
 * A call through a pointer may enter every function of a fitting signature whose address is taken somewhere in the
 * module (by any kernel: pointers stay in memory between launches), or, where the text lists the targets, the functions
 * on the list. Functions without a body, which the system provides, cannot be called through a pointer.
 */
#ifndef HEDDLE_FLOW_LAYOUT_H
#define HEDDLE_FLOW_LAYOUT_H

#include "ptx/module.h"

enum {
    LAYOUT_NONE = -1,
    LAYOUT_LIMIT = 0x7ffffff0 /* sizes saturate here: more bytes than any machine has */
};

struct layout {
    struct arena arena;
    const struct ptx_function *kernel;
    int reached_count;
    const struct ptx_function **reached; /* functions with a body that the kernel can call, the kernel first */
    const bool *address_taken; /* by function of the module; NULL if the kernel makes no call through a pointer */
    uint32_t static_shared_bytes;
    uint32_t dynamic_shared_offset; /* where the shared memory that the launch asks for starts */
    uint32_t parameter_bytes;       /* size of the kernel's parameter block */
    uint64_t variadic_bytes;        /* most bytes that a call passes beyond the named arguments */
    int64_t *module_offset;         /* by module variable index; LAYOUT_NONE: not shared memory, or not used here */
    struct layout_frame {
        uint32_t frame_bytes;   /* 16-byte aligned */
        int64_t *offset;        /* by variable index: in the frame (local, param) or in shared memory */
        int64_t *formal_offset; /* by parameter index: in the frame, or in the kernel's parameter block */
        int64_t *return_offset; /* by return index: in the frame */
    } * frame;                  /* by function of the module; all zero for functions that are not reached */
};

struct layout *layout_create(const struct ptx_function *kernel);
void layout_destroy(struct layout *layout);

/* Offset of a shared, local or param variable that `function` names; LAYOUT_NONE if the variable has none. */
int64_t layout_offset(const struct layout *layout, const struct ptx_function *function,
                      const struct ptx_variable *variable);

/* Whether a call through a pointer may enter the function. */
bool layout_can_call(const struct layout *layout, const struct ptx_call *call, const struct ptx_function *function);

/* Places a variable at the first aligned offset from `*end` on and moves `*end` behind it; saturates at
 * LAYOUT_LIMIT. */
int64_t layout_place(uint64_t *end, const struct ptx_variable *variable);

#endif
