/*
 * Faults of guest threads that the engine executes: which thread of the row at work, at which instruction, at which
 * address.
 *
 * Every function fills the fault in `engine->result` and returns false, so that a caller can return the call's value.
 */
#ifndef HEDDLE_EXEC_ENGINE_FAULT_H
#define HEDDLE_EXEC_ENGINE_FAULT_H

#include "exec/engine.h"

/* A fault of the first thread of the mask; `format` gives the detail. */
bool engine_fault(struct engine *e, const struct bound *in, uint32_t mask, enum fault_kind kind, const char *format,
                  ...) __attribute__((format(printf, 5, 6)));
/* A fault of one lane's access; `address` is in `space`. */
bool engine_fault_address(struct engine *e, const struct bound *in, int lane, enum fault_kind kind, enum space space,
                          uint64_t address, bool is_write);
/* Every live thread of the block at work waits. */
bool engine_fault_deadlock(struct engine *e);
/* All blocks only poll memory that nobody writes. */
bool engine_fault_polling(struct engine *e);
/* The row at work has reached the launch's limit of warp instructions. */
bool engine_fault_limit(struct engine *e);

/* Where a thread of the block is in the block's three dimensions. */
void engine_thread_index(const struct engine *e, int lane, uint32_t thread[3]);
/* Notes the instruction and an address as the place where something happened first. */
void engine_place(const struct engine *e, const struct bound *in, uint64_t address, struct launch_place *place);

#endif
