/*
 * Races: two threads access the same bytes, at least one of them writes, and nothing orders the two accesses.
 *
 * Only synchronisation that the program states orders threads; executing in lock-step does not. So a warp-synchronous
 * program, which relies on threads of a row executing together, is reported whether or not the mechanism keeps them
 * together.
 *
 * What orders threads of a block:
 *   - a block barrier. A barrier with a count orders the threads that arrived before the threads that it released
 *   - a warp-level operation with .sync, among the threads of its member mask
 *   - atomics: two accesses count as ordered if both threads (of different blocks: both blocks) have executed an atomic
 *     since the earlier access, whatever its address. So locks and hand-over through atomics are not reported, and a
 *     race that hides behind unrelated atomics is missed.
 * Threads of different blocks are ordered by atomics alone, and races between blocks are counted separately.
 *
 * Atomics, and stores with .relaxed or .release, do not race with each other, but do race with plain accesses. Volatile
 * accesses are plain. Stores of one instruction that write the value already in memory do not race with each other.
 * Global and shared memory are checked; texture fetches, printf and malloc are not.
 *
 * The lock-step check (race_create_lockstep()) is the same search with rules of its own: it names the places where
 * threads of one row, PTX's warp, communicate through memory in an order that only lock-step gives. It differs so:
 *   - accesses of different rows are left alone
 *   - atomics order threads through their word alone: a thread that has read a word by an atomic, or by a load with
 *     .relaxed or .acquire, comes after the threads of its row that had written the word by an atomic, or by a store
 *     with .relaxed or .release. Fences are not asked for: a missing fence is a fault of another kind
 *   - a store of the value that is already there conflicts with no earlier access, whichever instruction it is of. A
 *     thread that has stored the value itself may read it
 *   - stores that one instruction executes together do not conflict: lock-step does not say either which of them wins
 *   - a plain load that only tests a word before an atomic (exec/race/lockstep.c) does not conflict with atomics
 */
#ifndef HEDDLE_EXEC_RACE_RACE_H
#define HEDDLE_EXEC_RACE_RACE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct bound;
struct engine;
struct race;
struct row;

enum race_kind {
    RACE_IN_ROW,   /* two threads of one row */
    RACE_IN_BLOCK, /* threads of two rows of one block */
    RACE_OF_BLOCKS /* threads of two blocks */
};

enum race_flow { RACE_STORE_TO_LOAD, RACE_LOAD_TO_STORE, RACE_STORE_TO_STORE };

enum { RACE_MAX_KEPT = 10 }; /* races that are described; more are only counted */

/* The race check of one launch; struct launch points to it. */
struct race *race_create(void);
struct race *race_create_lockstep(void);
void race_destroy(struct race *race);

/* The number of pairs of instructions that race; and of one kind. */
int race_count(const struct race *race);
int race_count_kind(const struct race *race, enum race_kind kind);
/* Of the lock-step check: how many pairs, by what the earlier and the later access do. Atomics count as stores. */
int race_count_flow(const struct race *race, enum race_flow flow);
bool race_is_lockstep(const struct race *race);
/* The PCs of the pair that was found first. False: no pair races. */
bool race_first(const struct race *race, int32_t *low_pc, int32_t *high_pc);
/* Appends a description of the first races and a summary; nothing if there are none. `mechanism` is the mechanism's
 * name for the text; `in_step` says that it keeps threads of a row together as long as they have not diverged. */
void race_print(const struct race *race, const char *mechanism, bool in_step, struct text *out);

/* ---- what the engine calls ---- */

/* A load, store or atomic of the row at work is about to be executed. `address`: by lane, in the instruction's
 * space. */
void race_access(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask);
/* Threads of a row execute a warp-level operation with .sync together. */
void race_warp_sync(struct engine *e, const struct row *row, uint32_t mask);
/* Events of a barrier with a count. race_arrive(): threads of the row at work arrive. race_pass(): the barrier, which
 * opens, releases threads of a row. race_open(): all have been released, and the barrier's next use begins. */
void race_arrive(struct engine *e, uint32_t barrier, uint32_t mask);
void race_pass(struct engine *e, const struct row *row, uint32_t barrier, uint32_t mask);
void race_open(struct engine *e, uint32_t barrier);
/* A barrier without a count opens: it orders all threads of the block. */
void race_open_all(struct engine *e);
/* The barrier of the cluster opens: it orders all threads of the block at work, and the block among others. */
void race_open_cluster(struct engine *e);
/* Threads of the row at work arrive at an mbarrier or ask for it: as far as order goes, that is an atomic. `address`:
 * by lane, in shared memory. */
void race_synchronise(struct engine *e, const uint64_t *address, uint32_t mask);

#endif
