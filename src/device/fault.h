/*
 * A fault: what a guest program did wrong. A fault stops the launch and is returned as a value; heddle itself goes on.
 */
#ifndef HEDDLE_DEVICE_FAULT_H
#define HEDDLE_DEVICE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind {
    FAULT_NONE,
    FAULT_LAUNCH,            /* the launch itself is impossible: too many threads, wrong parameter size */
    FAULT_UNSUPPORTED,       /* an instruction that heddle does not execute */
    FAULT_OUT_OF_BOUNDS,     /* access to memory that does not exist */
    FAULT_READ_ONLY,         /* write to constant memory */
    FAULT_MISALIGNED,        /* the address is no multiple of the access size */
    FAULT_STACK_OVERFLOW,    /* calls need more local memory than a thread has */
    FAULT_DIVERGENT_BARRIER, /* threads of one row at different .aligned barriers */
    FAULT_BAD_BARRIER,       /* barrier number or count out of range, or a barrier used in two forms at once */
    FAULT_BAD_INDEX,         /* brx.idx with an index beyond its list of labels */
    FAULT_BAD_POINTER,       /* a call through a pointer to no function that the call can reach */
    FAULT_BAD_COPY,          /* a copy of a tensor that cannot be: no map, or coordinates that are not allowed */
    FAULT_DEADLOCK,          /* every live thread waits */
    FAULT_LIVELOCK,          /* threads spin for ever on memory that only threads which cannot run would change */
    FAULT_ENDLESS,           /* threads loop for ever: registers and memory repeat */
    FAULT_LIMIT,             /* the limit of instructions was reached */
    FAULT_STOPPED,           /* the user stopped the run */
    FAULT_TRAP,              /* the kernel executed trap */
    FAULT_ASSERT,            /* the kernel called __assertfail */
    FAULT_RECORDING,         /* a recording that is replayed is damaged, or is not of this kernel */
    FAULT_COUNT
};

struct fault {
    enum fault_kind kind;
    const char *kernel; /* name; lives as long as the module */
    char where[160];    /* "file.cu:12 (PTX line 40)" */
    char instruction[160];
    uint32_t block[3], thread[3]; /* the first thread that faulted, if has_thread */
    bool has_thread;
    bool has_address, is_write;
    uint64_t address; /* of the access, in `space`, if has_address */
    uint32_t bytes;   /* of the access */
    char space[16];   /* "global", "shared", ... */
    char near[320];   /* what is allocated at or near the address; or the size of the space */
    char detail[400]; /* what the kind alone does not say */
};

extern const char *const fault_text[FAULT_COUNT]; /* "access out of bounds", ... */

/* Writes the whole report, several lines that end in a newline, to `buffer`, and returns it. */
const char *fault_describe(const struct fault *fault, char *buffer, size_t size);

#endif
