/*
 * Writers: a cheap look at whether blocks of one launch write different values to one word, with nothing that orders
 * them. Such a program depends on the order of blocks, and the functional engine runs blocks in one order only, so its
 * result may be one of several.
 *
 * A table remembers, for lines of 128 bytes, which block wrote which words last, by plain stores of words (no atomics,
 * no .volatile, no memory order, no bytes). A store is a conflict if
 *   - another block wrote the word in this launch,
 *   - the store changes the word's value, and
 *   - the storing block did nothing since the first write to the line by which blocks agree on an order: no atomic, no
 *     load with .volatile or a memory order, no fence.
 * So locks, queues and "the last block sums up" are no conflicts, and every conflict is one that --check races reports.
 * The table has room for few lines, and later lines replace earlier ones. Looking takes at most about 2 % of the time
 * of a launch: where stores are many, only some of them are looked at. So conflicts may be missed, but none is made up.
 */
#ifndef HEDDLE_EXEC_WRITERS_H
#define HEDDLE_EXEC_WRITERS_H

#include "exec/engine.h"

/* Looking is paid for by warp instructions: so many for a lane, for a whole line. Every block begins with credit of its
 * own, the first with most, so that what is looked at does not depend on other blocks. */
enum { WRITERS_LANE_PRICE = 16, WRITERS_LINE_PRICE = 32, WRITERS_CREDIT = 16 * 1024 };

/* Whether the next store is to be looked at. */
static inline bool writers_have_time(const struct engine *e)
{
    return e->now + WRITERS_CREDIT >= e->writers_at;
}

/* The table serves one launch after the other; entries of earlier launches do not count. */
struct writers *writers_create(void);
void writers_destroy(struct writers *w);
/* Makes the engine look at the stores of its launch. */
void writers_begin(struct writers *w, struct engine *e);

/* To be called when a block begins. */
static inline void writers_start_block(struct engine *e, uint64_t number)
{
    if (e->writers)
        e->writers_at = e->now + WRITERS_CREDIT - WRITERS_CREDIT / (number + 1);
}

/* Looks of blocks that run before their turn (draft.h), which wait until then. `*log` is NULL until there are any. */
struct writers_log;
void writers_log_reset(struct writers_log **log);
void writers_log_free(struct writers_log *log); /* NULL is allowed */
/* Does what waits, with times that begin `elapsed` after the start of the launch. False, with nothing done: there may
 * be a conflict, but nobody can tell now. */
bool writers_replay(struct writers_log *log, uint64_t elapsed);

/* Before a plain store of the row at work: on the host, a lane's value is at `origin` plus its address. `is_row`: all
 * 32 lanes store, side by side. */
void writers_note(struct engine *e, const struct bound *in, uintptr_t origin, const uint64_t *address, uint32_t mask,
                  bool is_row);

#endif
