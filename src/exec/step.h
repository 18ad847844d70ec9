/*
 * A step: the execution of one instruction of one strand, at once, for the timed machine. One struct step per
 * multiprocessor; all of them share the launch's engine.
 *
 * A straight instruction leaves the PC to the caller. An instruction that branches or waits reports where the threads
 * go: as `outcome` and `ended` for the strand's own threads that do not wait, and through `released` for threads, of
 * this or of other strands, that a barrier or rendezvous releases.
 */
#ifndef HEDDLE_EXEC_STEP_H
#define HEDDLE_EXEC_STEP_H

#include "exec/block.h"
#include "exec/engine.h"
#include "exec/posted.h"
#include "exec/strand.h"

enum { STEP_MAX_OUTCOMES = 64, STEP_MAX_LANES = 64 };

/* The memory that an access goes to. Local memory is part of STEP_GLOBAL; parameters are part of STEP_CONSTANT. */
enum step_memory { STEP_NO_MEMORY, STEP_GLOBAL, STEP_SHARED, STEP_CONSTANT, STEP_TEXTURE };

/* Accesses of one step to one kind of memory. */
struct step_access {
    enum step_memory kind;
    bool is_store, is_atomic;
    bool has_pieces;                  /* the addresses are those of pieces of matrices, not one for each thread */
    uint16_t bytes;                   /* per lane, all elements together */
    int count;                        /* lanes that access */
    uint64_t address[STEP_MAX_LANES]; /* one per access, in ascending order of parts and lanes */
};

struct step {
    struct engine *engine;
    struct posted posted;      /* writes to global memory that other multiprocessors do not see yet */
    struct row **rows;         /* of the multiprocessor, by row number */
    struct block **row_blocks; /* the block of each row */

    /* Results of the last step_execute(). */
    const struct bound *bound;
    bool control; /* each thread is in `outcome`, in `ended`, or waits; false: all advance to the next PC */
    bool waits;   /* the instruction is a barrier or rendezvous */
    int outcome_count;
    struct outcome outcome[STEP_MAX_OUTCOMES];
    struct threads ended;

    /* Results of the last step_note_accesses(). */
    int access_count;
    struct step_access access[3];           /* one per kind of memory; generic addresses may go to several */
    uint32_t part_active[STRAND_MAX_PARTS]; /* by part of the strand: the lanes that access */
    const struct strand *noted;             /* the strand of these accesses; NULL after the next step_execute() */
    uint64_t *lane_address; /* by lane, of the last part, in the instruction's space; in own_address or `access` */
    uint64_t own_address[ROW_LANES];

    /* Called for threads that were waiting and may go on at (pc, depth); set by the pipeline. */
    void (*released)(void *context, int32_t row, int32_t pc, int32_t depth, uint32_t mask);
    void *context;
    const struct copy_listener *copies; /* hears of asynchronous copies; NULL: nobody; set by the pipeline */
    /* While a control instruction is executed. */
    struct engine_listener listener; /* receives all threads that may go on */
    bool collecting;                 /* threads of the part at work that go on become outcomes */
    int32_t part_row;                /* row of the part at work */
    uint32_t part_mask;              /* threads of the part at work */
};

/* Makes the step listen to the engine. The caller sets rows, row_blocks, released and context. */
void step_init(struct step *s, struct engine *engine);
/* Collects the memory accesses that the strand's next instruction (a load, store, atomic or texture fetch) would make,
 * without executing it, so that the pipeline can ask the memory system first. If the next call is a step_execute() of
 * the strand, that call reuses the addresses. */
void step_note_accesses(struct step *s, const struct strand *strand);
/* Executes the instruction at the strand's PC; `now` is the cycle. False after a guest fault, which is in the engine's
 * result. */
bool step_execute(struct step *s, const struct strand *strand, uint64_t now);
/* step_execute() for a load or store of a strand of one row, whose accesses were noted by the last call. */
bool step_execute_noted(struct step *s, const struct bound *in, const struct strand *strand, uint64_t now);
/* step_execute() for an instruction of BOUND_LANES. */
void step_execute_lanes(struct step *s, const struct bound *in, const struct strand *strand);
/* Executes `count` instructions from `pc` on, all of BOUND_LANES, for the strand's threads. May be called while another
 * instruction is executed. */
void step_execute_several(struct step *s, const struct strand *strand, int32_t pc, int count);
/* Where a direct branch (BOUND_BRANCH) sends the strand's threads: to one or two places. Gives their number. There must
 * be room for two outcomes. */
int step_branch(struct step *s, const struct bound *in, const struct strand *strand, struct outcome *outcome);
/* Lanes of a part of the strand whose threads pass the guard of the instruction at the strand's PC. */
uint32_t step_guarded(struct step *s, const struct strand *strand, int part);
/* Lanes of all the strand's threads that pass that guard; the strand has several rows, and no two threads share a lane.
 * `follows_several`: the last call was a step_execute_several() of the strand, which may have left the guard in one
 * place. */
uint32_t step_guarded_lanes(struct step *s, const struct strand *strand, bool follows_several);
/* Where a direct branch to `target` sends the strand's threads if those in the lanes `taken` take it: what
 * step_branch() gives. No two threads may share a lane. */
int step_part_ways(const struct strand *strand, int32_t target, uint32_t taken, struct outcome *outcome);
/* Whether the strand's next instruction, an mbarrier.try_wait whose operands are there, waits for data of copies. */
bool step_awaits_copies(struct step *s, const struct strand *strand);

#endif
