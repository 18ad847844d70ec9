/*
 * A fault: what a guest program did wrong. It stops the launch and is returned as a value; heddle goes on.
 */
#ifndef HEDDLE_DEVICE_FAULT_H
#define HEDDLE_DEVICE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind {
    FAULT_NONE,
    FAULT_LAUNCH,            /* the launch itself is impossible: too many threads, wrong parameter size */
    FAULT_UNSUPPORTED,       /* an instruction heddle does not have */
    FAULT_OUT_OF_BOUNDS,     /* access to nothing */
    FAULT_READ_ONLY,         /* write to constant memory */
    FAULT_MISALIGNED,        /* address is no multiple of the access size */
    FAULT_STACK_OVERFLOW,    /* calls deeper than the local stack */
    FAULT_DIVERGENT_BARRIER, /* an .aligned barrier without all threads of the row */
    FAULT_BAD_BARRIER,       /* barrier number or count out of range, or two kinds of use at once */
    FAULT_BAD_INDEX,         /* brx.idx beyond its list */
    FAULT_BAD_POINTER,       /* a call through a pointer to no function that it can reach */
    FAULT_DEADLOCK,          /* every live thread waits */
    FAULT_LIVELOCK,          /* threads spin for ever on what others, which cannot run, would have to change */
    FAULT_ENDLESS,           /* threads repeat themselves for ever: same registers, same memory */
    FAULT_LIMIT,             /* the limit of instructions was reached */
    FAULT_STOPPED,           /* by the user */
    FAULT_TRAP,              /* trap */
    FAULT_ASSERT,            /* __assertfail */
    FAULT_COUNT
};

struct fault {
    enum fault_kind kind;
    const char *kernel; /* as long as the module lives */
    char where[160];    /* "file.cu:12 (PTX line 40)" */
    char instruction[160];
    uint32_t block[3], thread[3]; /* the first thread that did it */
    bool has_thread;
    bool has_address, is_write;
    uint64_t address; /* generic, or in `space` */
    uint32_t bytes;
    char space[16];   /* "global", "shared", ... */
    char near[320];   /* what lives at or near the address */
    char detail[400]; /* what the kind alone does not say */
};

extern const char *const fault_text[FAULT_COUNT]; /* "access out of bounds", ... */

/* The whole report, several lines ending in a newline; into `buffer`. */
const char *fault_describe(const struct fault *fault, char *buffer, size_t size);

#endif
