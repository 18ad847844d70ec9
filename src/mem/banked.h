/*
 * A data cache with several banks, or several ports per bank: lines of one access that lie in different banks are
 * looked up in one cycle (Fung and Aamodt, Thread Block Compaction, HPCA 2011, footnote 4: the L1 caches of their
 * earlier studies had many banks, those of that paper one).
 *
 * The rules are those of the simulator of these papers (GPGPU-Sim, shader.cc, process_memory_access_queue):
 *   - Consecutive lines lie in consecutive banks. A bank looks up `l1d_ports` lines per cycle.
 *   - The lines of an access are put into turns: the first `l1d_ports` lines of every bank are the first turn, the next
 *     `l1d_ports` lines of every bank the second, and so on. A cycle looks up lines of one turn.
 *   - All banks have one way out: of the lines looked up in a cycle, at most one needs anything but a hit. Further
 *     misses, stores, atomics and loads that bypass the cache wait for the next cycle.
 *   - Lines of different accesses are never looked up in one cycle.
 *
 * A cache of one bank with one port does not come here: mem/lookup.h looks its lines up one by one, in the order of the
 * lanes.
 */
#ifndef HEDDLE_MEM_BANKED_H
#define HEDDLE_MEM_BANKED_H

#include "mem/sm_port.h"

/* Puts the transactions of a new access at the port into the order of their turns. */
void banked_order(struct cache_port *port);
/* Does at the port what lookup_run_from() does, from transaction 0 and cycle `now` on, for that cycle alone. */
void banked_begin(struct sm_port *sm_port, struct cache_port *port, uint64_t now);
/* What lookup_run() does: see mem/lookup.h. */
void banked_run(struct sm_port *sm_port, struct cache_port *port, uint64_t cycle, uint64_t last);

#endif
