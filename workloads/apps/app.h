/*
 * Generated kernels that stand in for a survey of applications: each is drawn from its number alone.
 *
 * A kernel runs in rounds. In each round a thread takes one of several paths, which its input names, and goes through
 * the loop of that path as often as its input says. A turn of the loop has some loads, each with operations behind it.
 * The loads and operations are a list of steps per path, from which emit.c writes PTX and evaluate.c computes what the
 * kernel must leave.
 */
#ifndef HEDDLE_WORKLOADS_APP_H
#define HEDDLE_WORKLOADS_APP_H

#include <stdint.h>

enum { APP_COUNT = 150, APP_MOST_PATHS = 32, APP_LOADS = 2, APP_MOST_STEPS = APP_LOADS * 33, APP_CONSTANTS = 64 };
enum { APP_SLICE = 4 }; /* threads of a slice, the smallest warp of the paper */

enum app_spread { APP_EVEN, APP_HALF, APP_LONG_TAIL };
enum app_order { APP_COALESCED, APP_STRIDED, APP_GATHERED };
enum app_step_kind {
    APP_LOAD_GLOBAL,
    APP_LOAD_SHARED,
    APP_LOAD_CONSTANT,
    APP_ADD,      /* a += constant */
    APP_MULTIPLY, /* a = a * constant + x */
    APP_ROTATE,   /* a = a rotated left */
    APP_MIX,      /* a ^= a >> constant */
    APP_FUSE,     /* f = f * 0.5 + g */
    APP_SHRINK,   /* f = f * 0.25 + 1 */
    APP_FIRST_OPERATION = APP_ADD,
    APP_OPERATIONS = APP_SHRINK + 1 - APP_ADD,
};

struct app_step {
    enum app_step_kind kind;
    uint32_t constant; /* of loads: how far into shared or constant memory */
};

struct app {
    unsigned number;
    unsigned paths;         /* from which the threads of a warp choose */
    unsigned granule;       /* consecutive threads that choose alike: 1 or APP_SLICE */
    unsigned trips;         /* mean turns of a path's loop */
    enum app_spread spread; /* of the turns */
    enum app_order order;   /* of the addresses of neighbouring threads in global memory */
    unsigned window;        /* words that a block reads again and again; 0: all blocks read all of the array */
    unsigned operations;    /* behind each load */
    unsigned shared_eighths, constant_eighths; /* shares of the loads */
    unsigned barrier_every; /* rounds; 0: there is only the barrier behind the first store to shared memory */
    unsigned threads;       /* of a block */
    unsigned rounds;
    struct app_step steps[APP_MOST_PATHS][APP_MOST_STEPS];
    unsigned step_count; /* of every path */
};

enum { APP_ARRAY_WORDS = 1 << 20, APP_STRIDE = 4 };
enum { APP_GATHER_FACTOR = 0x9e3779b1u & 0x7fffffff, APP_GATHER_SHIFT = 9 };

void app_draw(struct app *app, unsigned number);
char *app_emit(const struct app *app); /* its PTX, owned by the caller */

/* What the threads find in memory; arrays of choices and turns are indexed by round, then thread. */
struct app_input {
    const uint32_t *array;     /* APP_ARRAY_WORDS words */
    const uint32_t *constants; /* APP_CONSTANTS */
    const uint32_t *choice, *turns;
    unsigned blocks;
};

/* What the kernel must leave: one word per thread. */
void app_evaluate(const struct app *app, const struct app_input *input, uint32_t *out);

#endif
