/* Loads and stores of the row at work, in every address space; and the lookups that other instructions need. */
#ifndef HEDDLE_EXEC_ACCESS_H
#define HEDDLE_EXEC_ACCESS_H

#include "exec/engine.h"

/* Whether the address of an access to global memory, or to a generic address, is in global memory. */
static inline bool access_is_global(const struct bound *in, uint64_t address)
{
    return in->space == IN_GLOBAL ||
           (address - MEMORY_SHARED_BASE >= MEMORY_SHARED_SIZE && address - MEMORY_LOCAL_BASE >= MEMORY_WINDOW_SIZE);
}

/* Executes a load or store. `known`: the lanes' addresses, if the caller has them from access_addresses(); else
 * NULL. */
bool access_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, const uint64_t *known);

/* Executes a load or store of all 32 lanes (bound.reach is not REACH_LANES) that lies in one segment, where neither
 * races nor waste are looked for. False, with nothing done, if it may not: access_execute() does it then. */
bool access_row(struct engine *e, const struct bound *in, int32_t pc);

/* The lanes' addresses of a load, store or atomic, in the instruction's address space. */
void access_addresses(struct engine *e, const struct bound *in, uint64_t address[ROW_LANES]);
/* access_addresses() for one lane at least. */
void access_address(struct engine *e, const struct bound *in, int lane, uint64_t address[ROW_LANES]);
/* Host pointer to the bytes at one lane's address in shared or global memory; NULL after a fault. Not for local
 * memory. */
void *access_resolve(struct engine *e, const struct bound *in, int32_t pc, int lane, uint64_t address, bool is_write);
/* Finds the lanes' places of an atomic in shared or global memory in one step: the bytes of lane i are on the host at
 * the result plus at[i]. NULL: they have to be resolved one by one, for faults too. */
uint8_t *access_find(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, uint64_t at[ROW_LANES]);
/* Copies guest bytes at a generic address, as one lane sees them. False, and no fault, if they do not exist. */
bool access_read_generic(struct engine *e, int lane, uint64_t address, void *into, uint32_t bytes);

#endif
