/*
 * The difference between two device memories: where a launch left other bytes than expected.
 *
 * Words have 32 bits and are counted from the start of their allocation. If the last word is incomplete, its missing
 * bytes are 0.
 */
#ifndef HEDDLE_DEVICE_DIFFERENCE_H
#define HEDDLE_DEVICE_DIFFERENCE_H

#include "device/memory.h"

struct difference {
    /* The first word that differs, in ascending order of addresses. */
    uint64_t address;      /* generic */
    uint64_t word, byte;   /* offset of the word in its allocation, in words and in bytes */
    uint32_t got, wanted;  /* the two values; both 0 if only one memory has the allocation */
    int allocation;        /* rank of the allocation in the memory `got`, by ascending address, from 0 */
    uint64_t start, bytes; /* address and length of the allocation */
    char label[96];        /* of the allocation */
    bool is_unmatched;     /* one memory has no such allocation, since a kernel called malloc or free */
    uint64_t words;        /* number of words that differ, in all allocations that both memories have */
};

/* Compares the two memories. False: nothing differs, and `d` is meaningless. */
bool difference_find(struct difference *d, const struct memory *got, const struct memory *wanted);

#endif
