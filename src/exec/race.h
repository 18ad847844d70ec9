/*
 * Races: two threads touch the same bytes, one of them writes, and nothing orders them.
 *
 * Values and time do not decide what is found, only what the program says: lock-step is no order. So a program that
 * relies on threads of a row executing together (warp-synchronous) is reported whether or not the mechanism at work
 * keeps them together.
 *
 * What orders threads of a block:
 *   - a block barrier; one with a count orders those that came before those it let go
 *   - an operation with .sync among the threads of a row that it names
 *   - atomics: if both threads (or, of different blocks, both blocks) have done one since the earlier access, the two
 *     are taken as ordered, whatever the address. So locks and hand-over by atomics are not reported, and a race that
 *     hides behind unrelated atomics is not found.
 * Threads of different blocks are ordered by atomics alone; such races are a kind of their own.
 *
 * Atomics, and stores with .relaxed or .release, are no races among each other, but against plain accesses they are.
 * Volatile accesses are plain. Stores of one instruction that write what is there already are no race among each other.
 * Looked at are global and shared memory; not texture fetches, nor what printf and malloc do.
 */
#ifndef HEDDLE_EXEC_RACE_H
#define HEDDLE_EXEC_RACE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct bound;
struct engine;
struct race;
struct row;

enum race_kind { RACE_IN_ROW, RACE_IN_BLOCK, RACE_OF_BLOCKS };

enum { RACE_MAX_KEPT = 10 }; /* races that are described; further ones are counted */

/* For one launch; it is named there. */
struct race *race_create(void);
void race_destroy(struct race *race);

/* Pairs of instructions that race: how many, and how many of a kind. */
int race_count(const struct race *race);
int race_count_kind(const struct race *race, enum race_kind kind);
/* The PCs of the pair that was found first. False if there is none. */
bool race_first(const struct race *race, int32_t *low_pc, int32_t *high_pc);
/* The first of them in words; nothing if there are none. `mechanism`: whose name it runs under; `in_step`: it keeps
 * threads of a row together that have not parted. */
void race_print(const struct race *race, const char *mechanism, bool in_step, struct text *out);

/* ---- what the engine calls ---- */

/* A load, store or atomic of the row at work is about to be executed; addresses are in the instruction's space. */
void race_access(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask);
/* Threads of a row met in an operation with .sync. */
void race_meet(struct engine *e, const struct row *row, uint32_t mask);
/* Threads of the row at work came to a barrier with a count; threads of a row are let go by it; it is done with. */
void race_arrive(struct engine *e, uint32_t barrier, uint32_t mask);
void race_pass(struct engine *e, const struct row *row, uint32_t barrier, uint32_t mask);
void race_open(struct engine *e, uint32_t barrier);
/* All threads of the block met at a barrier. */
void race_open_all(struct engine *e);

#endif
