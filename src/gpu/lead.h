/*
 * The lead: how far multiprocessors (SMs) may run past the window at work with all that they do, accesses to memory
 * included.
 *
 * A reply of the L2 is known long before it reaches its SM (mem_reach()), so an SM knows many windows ahead what memory
 * will bring. What other SMs write to memory it would see at the ends of windows. Most reads cannot see what another
 * SM writes, as the launch's arguments show (device/apart.h), so that an SM need not wait for the others. Host threads
 * meet less often then, and an SM's state stays in the host's cache.
 *
 * An SM that leads stops where it needs others: before a read of what another SM may write (sm/plan.h, shared classes),
 * before an instruction that wants a turn of its own, where it can take a block, where a request waits for a place in
 * the crossbar, and at a fault. What it wrote becomes visible window by window as the machine's clock gets there, so
 * that memory is written in the same order as without a lead.
 *
 * An atomic with a result does not stop an SM in such a launch: it is posted (exec/posted.h). What an SM writes from
 * there on in the window is late. It becomes visible in the second part of the window, where the SM would have had a
 * turn of its own: so atomics, too, are done in the order that they have without a lead.
 */
#ifndef HEDDLE_GPU_LEAD_H
#define HEDDLE_GPU_LEAD_H

#include "gpu/internal.h"

/* Opens the lead of a launch whose SM count, memory and prepared code are known. */
void lead_open(struct gpu *g, const struct launch *launch);
void lead_close(struct gpu *g);

/* The last cycle to which SMs may run in the window that ends with cycle `last`. All SMs stop at the same cycle, so
 * that they have something to do in the same window. */
uint64_t lead_end(const struct gpu *g, uint64_t last);

/* Makes visible what SMs wrote up to the end of the window, `last`: window by window, and in each in order of their
 * numbers, first what is not late. */
void lead_publish(struct gpu *g, uint64_t last);
/* As lead_publish(), up to the window before the one that ends with cycle `last`, if there is one. */
void lead_publish_before(struct gpu *g, uint64_t last);
/* As lead_publish(), but of the last window only what is not late, up to the SM that made a fault. */
void lead_publish_first_part(struct gpu *g, uint64_t last, int fault_sm);
/* Whether the SM wrote anything late in the window that ends with cycle `last`, and others do not see it yet. */
bool lead_has_late(const struct gpu *g, int sm, uint64_t last);
/* Makes it visible. */
void lead_publish_late(struct gpu *g, int sm, uint64_t last);

/* The SM, which runs past the window, made a fault at the cycle. Others may make theirs before, so the fault waits for
 * its window. */
void lead_keep_fault(struct gpu *g, int sm, struct fault *fault, uint64_t cycle);

#endif
