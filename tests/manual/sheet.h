/*
 * A sheet: the program that is being written, and what may stand at a place of it.
 *
 * Registers that every body (kernel or function) has, all of them written before they are read:
 *   %a<8> b32, %w<4> b64, %h<4> b16, %q<4> pred    a thread's data
 *   %u<4> b32                                      data that all live threads of the block have alike
 *   %t, %lane, %warp, %gid                         the thread in its block, lane, warp, the thread in the grid
 *   %row, %in, %acc b64                            the thread's own output row; inputs; words for atomics
 *   %sh, %buf                                      shared memory, and the offset of the buffer of the next exchange
 *   %x, %y (b64), %z (b16), %p (pred)              numbered temporaries, each written just before its use
 *
 * Shared memory: three buffers with a slot of 16 bytes per thread, then 16 words for atomics. A thread writes its own
 * slots only. Two buffers take turns (an exchange that ends after its read), the third is for exchanges that end in a
 * barrier, and for called functions.
 *
 * Inputs, in words: 64 zeros; 64 random ones; 64 of which few are 1, the others 0; then four for each thread.
 */
#ifndef HEDDLE_TESTS_MANUAL_SHEET_H
#define HEDDLE_TESTS_MANUAL_SHEET_H

#include "base/text.h"
#include "dice.h"

enum {
    DATA_COUNT = 8,
    WIDE_COUNT = 4,
    HALF_COUNT = 4,
    FLAG_COUNT = 4,
    UNIFORM_COUNT = 4,
    SLOT_BYTES = 16,
    COUNTER_BYTES = 64,
    ROW_WORDS = 32,
    ROW_FREE_WORD =
        20, /* words of a row from here on are written in the middle of the program, the others at its end */
    IN_ZEROS = 0,
    IN_UNIFORM = 64,
    IN_RARE = 128,
    IN_THREADS = 192,
    LOCAL_WORDS = 16,
    CONST_WORDS = 16,
    MAX_FUNCTIONS = 6,
    MAX_TAILS = 3,
    MAX_DEPTH = 5,
    NO_MASK = -1,
};

/* Which threads a label's code belongs to; it says which jumps to the label are legal. */
enum scope_kind {
    SCOPE_PLAIN,   /* nothing between jump and label needs threads to come together: any thread may jump */
    SCOPE_UNIFORM, /* barriers may stand between: all threads jump, or none */
    SCOPE_CLOSED,  /* warp-level operations with masks, or half an exchange: none may jump */
};

struct manual_scope {
    int label;
    enum scope_kind kind;
    int group; /* the place's, below */
    const struct manual_scope *outer;
};

struct manual_place {
    bool is_uniform; /* all live threads of the block, or of the group, come here */
    bool may_end;    /* threads may really end here; elsewhere only ends that no thread takes are written */
    bool may_count;  /* every warp has a live thread, so that barriers with a count open */
    int group;       /* 0: the whole block; else a number of its own, and warps `warp_first` .. of it are here alone */
    int warp_first, warp_count;
    int mask;     /* %x register with the threads of the warp that come here, or NO_MASK */
    bool crosses; /* the program's: its gotos cross barriers, and it has no operations with masks */
    int weight;   /* how often a thread may pass here, at most */
    int depth;
    const struct manual_scope *scopes;
    const struct manual_scope
        *floor; /* of the scopes, this one and those around it are out of reach; see manual_inner() */
};

enum function_kind {
    FUNCTION_PURE,    /* any thread may call it */
    FUNCTION_ENDING,  /* threads may end in it */
    FUNCTION_BARRIER, /* all live threads of the block must call it together */
};

struct manual_function {
    enum function_kind kind;
    bool is_recursive; /* the second argument says how deep */
    int cost;
};

/* The kernel or one function while its text is written. */
struct manual_body {
    struct text text;
    bool is_kernel;
    enum function_kind kind;
    int x_count, y_count, z_count, p_count;
    int cost, cost_limit; /* instructions a thread may execute in it */
    int lines;
    int end_label; /* in front of the last `ret` */
};

struct manual_sheet {
    struct manual_dice dice;
    struct text declarations, functions;
    struct manual_body *body;
    unsigned block[3], blocks;
    int threads, warps; /* of a block */
    int block_limit;    /* of the grid: threads from this number on end at once; 0: no such guard */
    bool is_dynamic;    /* shared memory is given at launch */
    bool leaders_stay;  /* lane 0 of a warp never ends by itself */
    bool crosses;       /* gotos cross barriers; see manual_inner() */
    bool has_pure_table, has_barrier_table;
    int label_count, call_count;
    int function_count;
    struct manual_function function[MAX_FUNCTIONS];
    int tail_count, tail_label[MAX_TAILS], uniform_tail_label;
};

/* Writing. A line is one instruction, and costs as much as the place's weight says. */
void manual_line(struct manual_sheet *s, const struct manual_place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void manual_label(struct manual_sheet *s, int label); /* puts it here */
int manual_new_label(struct manual_sheet *s);
int manual_new_x(struct manual_sheet *s);
int manual_new_y(struct manual_sheet *s);
int manual_new_z(struct manual_sheet *s);
int manual_new_p(struct manual_sheet *s);
bool manual_has_room(const struct manual_sheet *s, const struct manual_place *at, int lines);
int manual_buffer_bytes(const struct manual_sheet *s);
const char *manual_uni(struct manual_sheet *s); /* ".uni" or nothing, for jumps that all take */
void manual_body_close(struct manual_sheet *s, struct text *into, const char *head); /* writes and frees the body */

/* The kind of the code at a place, for labels that stand around it. */
enum scope_kind manual_scope_kind(const struct manual_place *at);

/* values.c: arithmetic, and conditions. The latter give the number of a %p register. */
enum manual_condition {
    IF_SOME,         /* of some threads, perhaps */
    IF_FEW,          /* of few threads */
    IF_UNIFORM,      /* of all threads of the block, or none */
    IF_RARE_UNIFORM, /* the same, mostly none */
    IF_NEVER,        /* of no thread, but no compiler can know */
};
void manual_arithmetic(struct manual_sheet *s, const struct manual_place *at);
void manual_uniform_arithmetic(struct manual_sheet *s, const struct manual_place *at);
int manual_condition(struct manual_sheet *s, const struct manual_place *at, enum manual_condition kind);
int manual_data(struct manual_sheet *s);                                                         /* a %a register */
int manual_trips(struct manual_sheet *s, const struct manual_place *at, bool uniform, int most); /* %x with 1 .. most */

/* memory.c: loads, stores and atomics that need no barrier. */
void manual_memory(struct manual_sheet *s, const struct manual_place *at);
void manual_store_row(struct manual_sheet *s, const struct manual_place *at);

/* warp.c: .sync operations of a warp; the place has a mask. */
void manual_warp(struct manual_sheet *s, const struct manual_place *at);
/* At a uniform place: who of the warp is alive, as a place with a mask in which no thread ends. */
struct manual_place manual_find_mask(struct manual_sheet *s, const struct manual_place *at);

/* barrier.c: barriers of all threads of a place. */
void manual_barrier(struct manual_sheet *s, const struct manual_place *at);

/* exchange.c: values handed over in shared memory. The place is uniform. */
void manual_exchange(struct manual_sheet *s, const struct manual_place *at);
void manual_counter(struct manual_sheet *s, const struct manual_place *at);
/* Barriers and accesses of both sides of a branch. */
void manual_split_exchange(struct manual_sheet *s, const struct manual_place *at);

/* groups.c: warps that do different things. */
bool manual_may_group(const struct manual_sheet *s, const struct manual_place *at);
void manual_groups(struct manual_sheet *s, const struct manual_place *at);
void manual_producers(struct manual_sheet *s, const struct manual_place *at);

/* ending.c */
void manual_end(struct manual_sheet *s, const struct manual_place *at);
void manual_tails(struct manual_sheet *s);

/* flow.c and unstructured.c: statements */
void manual_statements(struct manual_sheet *s, const struct manual_place *at, int count);
void manual_branch(struct manual_sheet *s, const struct manual_place *at);
void manual_loop(struct manual_sheet *s, const struct manual_place *at);
void manual_switch(struct manual_sheet *s, const struct manual_place *at);
void manual_goto(struct manual_sheet *s, const struct manual_place *at);
void manual_region(struct manual_sheet *s, const struct manual_place *at);
void manual_two_entries(struct manual_sheet *s, const struct manual_place *at);
void manual_tangle(struct manual_sheet *s, const struct manual_place *at);
/*
 * A place inside another one, plain unless all its threads come. A goto out of divergent code moves the place where its
 * threads meet again, even if no thread takes it. If an operation with a mask stood before that place, threads on a
 * stack would wait at it for others that run only after them. So a program has either such gotos or such operations.
 */
struct manual_place manual_inner(const struct manual_place *at, bool uniform);

/* function.c */
void manual_functions(struct manual_sheet *s);
void manual_call(struct manual_sheet *s, const struct manual_place *at);

/* body.c: what kernel and functions begin with */
void manual_prologue(struct manual_sheet *s, const struct manual_place *at);

#endif
