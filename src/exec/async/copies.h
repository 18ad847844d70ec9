/*
 * What a machine hears of asynchronous copies, so that they take time there.
 *
 * A copy moves its values when its instruction is executed, and counts its bytes at mbarriers at once. A machine that
 * listens learns which memory the copy touches and which phases of mbarriers count it, and says of a phase that looks
 * complete whether the data of its copies has come. The functional engine has no listener: all data is there at once.
 */
#ifndef HEDDLE_EXEC_ASYNC_COPIES_H
#define HEDDLE_EXEC_ASYNC_COPIES_H

#include "exec/engine.h"

enum copy_kind {
    COPY_READS,   /* reads global memory */
    COPY_WRITES,  /* writes global memory */
    COPY_REDUCES, /* combines with what is in global memory */
    COPY_STAYS    /* from and to shared memory of the cluster */
};

struct copy_listener {
    /* The copy at work touches these bytes; of COPY_STAYS the address says nothing. */
    void (*moves)(void *context, enum copy_kind kind, uint64_t address, uint64_t bytes);
    /* The copy at work is counted at the mbarrier, whose current phase has this parity. */
    void (*counts)(void *context, const uint8_t *mbarrier, uint32_t parity);
    /* The copy at work, of one thread, has been described. Does nothing if neither of the two calls came. */
    void (*ends)(void *context, int32_t row, int lane);
    /* Whether the data of all copies has come that earlier phases of the mbarrier count; its current phase has this
     * parity. */
    bool (*has_come)(void *context, const uint8_t *mbarrier, uint32_t parity);
    void *context;
};

static inline void copies_move(const struct engine *e, enum copy_kind kind, uint64_t address, uint64_t bytes)
{
    if (e->copies)
        e->copies->moves(e->copies->context, kind, address, bytes);
}

static inline void copies_end(const struct engine *e, int lane)
{
    if (e->copies)
        e->copies->ends(e->copies->context, e->row->number, lane);
}

#endif
