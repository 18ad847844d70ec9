/*
 * Miss status holding registers: lines asked for and not yet there, each with the targets that wait for it.
 *
 * A register is found by line through a chained hash. Targets are nodes in order of arrival; what a node
 * means is kept by the owner, in an array of `nodes` elements indexed like them. A register may be private
 * (atomics, loads that pass the cache by): then nothing merges with it.
 */
#ifndef HEDDLE_MEM_MSHR_H
#define HEDDLE_MEM_MSHR_H

#include <stdbool.h>
#include <stdint.h>

struct mshr_entry {
    uint64_t line;
    int32_t first, last; /* nodes */
    int32_t chain;       /* next of the bucket, or of the free ones */
    uint32_t count;      /* nodes */
    uint8_t sectors;     /* asked for */
    bool is_private;
};

struct mshr {
    struct mshr_entry *entry;
    int32_t *bucket;
    int32_t *next; /* [node] next of the entry, or of the free ones */
    uint32_t entries, merges, nodes, bucket_mask;
    uint32_t used;
    int32_t free_entry, free_node;
};

void mshr_open(struct mshr *m, uint32_t entries, uint32_t merges);
void mshr_close(struct mshr *m);

/* The register that waits for all these sectors of the line; -1 if there is none. */
int32_t mshr_find(const struct mshr *m, uint64_t line, unsigned sectors);
/* A register for the line; -1 if all are taken. */
int32_t mshr_take(struct mshr *m, uint64_t line, unsigned sectors, bool is_private);
/* Another target of the register: its node; -1 if it has as many as it can. */
int32_t mshr_add(struct mshr *m, int32_t entry);
void mshr_release(struct mshr *m, int32_t entry);

#endif
