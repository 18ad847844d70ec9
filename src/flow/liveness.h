/*
 * Liveness: which registers of a function hold a value that may still be read.
 *
 * Liveness is a fact about one thread: nothing here assumes that threads execute together. A guarded write keeps the
 * old value live, since threads whose guard is false still hold it. A register that is read before it was ever written
 * is live from the entry.
 */
#ifndef HEDDLE_FLOW_LIVENESS_H
#define HEDDLE_FLOW_LIVENESS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct program;

/* Sets hold only registers that are live at some block's start, called names. Most registers live and die in one block
 * and need no bit. */
struct liveness {
    int name_count;
    int words;     /* 64-bit words of a set */
    int32_t *name; /* by register: its bit in the sets, or -1 */
    int32_t *reg;  /* by name: register */
    uint64_t *in;  /* [block][words]: names that are live at the block's start */
};

struct liveness liveness_create(const struct program *p, int function, const struct analysis *a, struct arena *arena);

static inline uint64_t *liveness_in(const struct liveness *l, int block)
{
    return l->in + (size_t)block * (size_t)l->words;
}

static inline bool liveness_is_in(const struct liveness *l, int block, int32_t reg)
{
    int32_t n = l->name[reg];
    return n >= 0 && liveness_in(l, block)[n / 64] >> (n % 64) & 1;
}

/* set[words] = names that are live at the end of a block. */
void liveness_out(const struct liveness *l, const struct analysis *a, int block, uint64_t *set);

/*
 * Walks a function's instructions backwards with what is live behind each. For each call, `at_call` gets the set of
 * registers that are live across the call (live behind it, less those that it writes; all of them are names, since a
 * call ends its block), and how many 32-bit machine registers they take. Returns the most machine registers that are
 * live at any point.
 */
struct liveness_walker {
    void (*at_call)(struct liveness_walker *w, int call, const uint64_t *alive, int machine_registers);
    void *data;
};

int liveness_walk(const struct program *p, int function, const struct analysis *a, struct liveness_walker *walker,
                  struct arena *scratch);

#endif
