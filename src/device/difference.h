/*
 * The difference between two memories: where a launch left other bytes than it should have.
 *
 * Words have 32 bits and are counted from the start of their allocation; a last word of fewer bytes is filled up with
 * zeros.
 */
#ifndef HEDDLE_DEVICE_DIFFERENCE_H
#define HEDDLE_DEVICE_DIFFERENCE_H

#include "device/memory.h"

struct difference {
    /* The first word that differs, by ascending address: */
    uint64_t address;      /* generic */
    uint64_t word, byte;   /* in its allocation, from 0 */
    uint32_t got, wanted;  /* both 0 if only one memory has the allocation */
    int allocation;        /* number of its allocation in the memory `got`, by ascending address, from 0 */
    uint64_t start, bytes; /* of the allocation */
    char label[96];        /* of the allocation */
    bool is_unmatched;     /* the other memory has no such allocation: a kernel called malloc or free */
    uint64_t words;        /* how many differ in all allocations that both memories have */
};

/* Compares what both memories hold. False: nothing differs. */
bool difference_find(struct difference *d, const struct memory *got, const struct memory *wanted);

#endif
