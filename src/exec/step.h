/*
 * One instruction of one strand: what it does to its threads, at once, and what a pipeline must know of it.
 *
 * Straight instructions leave the PC to the caller. Control instructions, and those that wait, report where threads go:
 * as outcomes of the strand itself, or, for threads that a barrier or rendezvous lets go, through `released`, which may
 * also name threads of other strands.
 */
#ifndef HEDDLE_EXEC_STEP_H
#define HEDDLE_EXEC_STEP_H

#include "exec/block.h"
#include "exec/engine.h"
#include "exec/strand.h"

enum { STEP_MAX_OUTCOMES = 64, STEP_MAX_LANES = 64 };

/* What kind of memory an access of the strand went to. */
enum step_memory { STEP_NO_MEMORY, STEP_GLOBAL, STEP_SHARED, STEP_CONSTANT, STEP_TEXTURE };

struct step_access {
    enum step_memory kind;
    bool is_store, is_atomic;
    uint16_t bytes; /* of each lane's access, all elements together */
    int count;
    uint64_t address[STEP_MAX_LANES];
};

struct step {
    struct engine *engine;
    /* Rows of the multiprocessor, by number. */
    struct row **rows;
    struct block **row_blocks;

    /* Results of the last step_execute(). */
    const struct bound *bound;
    bool control; /* the strand's threads are in `outcome`, `ended` or waiting; otherwise all advance by one, and
                   * these say nothing */
    bool waits;   /* threads came to a barrier or rendezvous */
    int outcome_count;
    struct outcome outcome[STEP_MAX_OUTCOMES];
    struct threads ended;
    int access_count; /* of step_note_accesses(); generic accesses may go to two memories */
    struct step_access access[3];
    uint32_t part_active[STRAND_MAX_PARTS]; /* of each part, the lanes that access */
    const struct strand *noted;             /* whose accesses these are, until the next step_execute() */
    uint64_t *lane_address; /* of its last part, in the instruction's space, by lane: here, or in `access` */
    uint64_t own_address[ROW_LANES];

    /* Called for threads that may go on at (pc, depth) and were waiting. */
    void (*released)(void *context, int32_t row, int32_t pc, int32_t depth, uint32_t mask);
    void *context;
    /* While executing. */
    struct engine_listener listener; /* hears of threads that may go on */
    bool collecting;                 /* resumed threads of the part at work are outcomes */
    int32_t part_row;
    uint32_t part_mask;
};

void step_init(struct step *s, struct engine *engine);
/* Collects the memory accesses that the strand's next instruction, a load, store, atomic or texture fetch, would make,
 * without executing it, so that a pipeline can ask the memory system first. A step_execute() of the strand that follows
 * at once takes the addresses from there. */
void step_note_accesses(struct step *s, const struct strand *strand);
/* Executes it. False after a guest fault; it is in the engine's result. */
bool step_execute(struct step *s, const struct strand *strand, uint64_t now);

#endif
