/*
 * Layout: where a kernel's variables stand within their spaces.
 *
 * Shared variables of the kernel, of the functions it reaches and of the module get offsets in the block's
 * shared memory, then comes what the launch asks for (`extern .shared x[]`, all at one offset). Local
 * variables, formal parameters of functions and the .param variables of call sequences get offsets in the
 * function's frame on the thread's local stack, formals first (flow/signature.h). Kernel parameters get
 * offsets in the parameter block.
 * Global and constant variables have no place before a module is loaded: device/image.h gives them one.
 *
 * A call through a pointer may come to every function of the same signature whose address is taken somewhere
 * in the module (not only by this kernel: pointers stay in memory between launches), or, where the text lists
 * its targets, to those on the list. What the system provides without a body cannot be called so.
 */
#ifndef HEDDLE_FLOW_LAYOUT_H
#define HEDDLE_FLOW_LAYOUT_H

#include "ptx/module.h"

enum {
    LAYOUT_NONE = -1,
    LAYOUT_LIMIT = 0x7ffffff0 /* a size that saturated: more than any machine has */
};

struct layout {
    struct arena arena;
    const struct ptx_function *kernel;
    int reached_count; /* functions with a body that the kernel can call, the kernel first */
    const struct ptx_function **reached;
    const bool *address_taken; /* by function index in the module; NULL if nothing is called by address */
    uint32_t static_shared_bytes;
    uint32_t dynamic_shared_offset; /* where the launch's own shared memory starts */
    uint32_t parameter_bytes;       /* of the kernel */
    int64_t *module_offset;         /* by module variable index; LAYOUT_NONE: not shared memory, or not used here */
    struct layout_frame {
        uint32_t frame_bytes;   /* 16-byte aligned */
        int64_t *offset;        /* by variable index: in the frame (local, param) or in shared memory */
        int64_t *formal_offset; /* by parameter index: in the frame, or in the kernel's parameter block */
        int64_t *return_offset; /* by return index: in the frame */
    } * frame;                  /* by function index in the module; of reached functions only, others are zero */
};

struct layout *layout_create(const struct ptx_function *kernel);
void layout_destroy(struct layout *layout);

/* Offset of a shared, local or param variable as seen from `function`; LAYOUT_NONE if it has none. */
int64_t layout_offset(const struct layout *layout, const struct ptx_function *function,
                      const struct ptx_variable *variable);

/* Whether a call through a pointer may come to the function. */
bool layout_can_call(const struct layout *layout, const struct ptx_call *call, const struct ptx_function *function);

/* The next place for a variable behind `end`, which moves on; saturates at LAYOUT_LIMIT. */
int64_t layout_place(uint64_t *end, const struct ptx_variable *variable);

#endif
