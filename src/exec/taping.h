/*
 * Taping: recording what the threads of a launch decide, and replaying it.
 *
 * This is the trace-driven method of Rogers et al., A Variable Warp-Size Architecture (ISCA 2015), section 5: traces of
 * control flow and memory addresses from a functional run drive a timing simulator. A recording holds, per thread, the
 * outcome of every guard and the value of every deciding operand (decisions.h). A replaying launch puts these into the
 * thread's registers before each instruction that needs them. Branches, barriers, calls and addresses are then found by
 * the code that finds them in any launch. Instructions that only compute are not executed, and memory is neither read
 * nor written.
 *
 * Each thread reads its own record in its own order, so a replay may group and order threads in any way. What a replay
 * cannot know is what threads would have done in that other order (docs/replay.md).
 */
#ifndef HEDDLE_EXEC_TAPING_H
#define HEDDLE_EXEC_TAPING_H

#include "exec/decisions.h"
#include "exec/step.h"

struct tape_log;
struct tape_play;

/* How a multiprocessor executes steps where instructions are recorded or replayed: as step.h says, which has the
 * functions for all other launches. */
struct step_ops {
    void (*note_accesses)(struct step *s, const struct strand *strand);
    uint32_t (*guarded)(struct step *s, const struct strand *strand, int part);
    bool (*execute)(struct step *s, const struct strand *strand, uint64_t now);
};

/* The taping of one launch. */
struct taping {
    const struct step_ops *steps;
    const struct decisions *decisions;
    void *context; /* for the two functions below */
    /* Recording: takes a block that has ended. The log is freed by the caller. NULL: the launch is replayed. */
    void (*keep)(void *context, uint64_t block, const struct tape_log *log);
    /* Replaying: the record of a block, which the caller frees. NULL and an error text (freed by the caller): there is
     * none. */
    struct tape_play *(*load)(void *context, uint64_t block, char **error);
};

extern const struct step_ops taping_records, taping_replays;

/* Recording: notes what the threads `mask` of the row at work decide in the instruction at the PC, `active` of which
 * pass its guard. To be called before the instruction is executed. */
void taping_note(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, uint32_t active);
/* Recording: hands the block on if its last thread has ended. */
void taping_end(struct engine *e, struct block *block);

#endif
