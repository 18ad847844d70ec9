/*
 * Livelocks: finds, with certainty, launches in which no thread will ever do anything new.
 *
 * The argument: while no memory changes, what a thread does depends on its own registers alone. If a thread returns to
 * a PC with all registers unchanged, and no memory changed in between, the thread repeats itself for as long as no
 * memory changes. If that holds for every thread that runs, none of them will ever change memory. Threads in no strand
 * are held back by the mechanism, which does not run them while the running threads only repeat themselves. Mechanisms
 * that decide by time (tick, idle, memory, limits at barriers) or by instruction may run them; such a mechanism says
 * which threads can still run (`comes` of div.h), and a livelock is certain only if none can.
 *
 * What a thread learns of an mbarrier also depends on the time at which bulk copies are done, so none may be under way.
 *
 * Not found, and left to the limit of instructions: loops that count, read a clock, call functions, store (even an
 * unchanged value) or wait at barriers.
 *
 * The cost is one comparison every few thousand cycles. Only a launch that has written nothing for long gets a close
 * look, of bounded length and ever more rarely.
 */
#ifndef HEDDLE_GPU_LIVELOCK_H
#define HEDDLE_GPU_LIVELOCK_H

#include "exec/site.h"
#include "gpu/deadlock.h"

struct livelock {
    bool is_watching; /* a close look is in progress: livelock_observe() and livelock_is_certain() must be called */
    const struct deadlock_scene *scene;
    const struct site *sites; /* [PC] counters by instruction */
    /* warp instructions issued, and writes of the engine, when memory was last seen to change */
    uint64_t issued, writes;
    int looks;         /* close looks so far, modulo 7: chooses the next scout */
    uint64_t patience; /* warp instructions without a write before the next close look */
    struct livelock_watch *watch;
};

void livelock_start(struct livelock *l, const struct deadlock_scene *scene, const struct site *sites);
void livelock_end(struct livelock *l);
/* Whether livelock_check() would begin a close look: the counters by instruction must be up to date then. */
bool livelock_is_due(const struct livelock *l, uint64_t issued);
/* To be called now and then, with the warp instructions issued so far: may begin a close look. */
void livelock_check(struct livelock *l, uint64_t issued);
/* Whether livelock_observe() looks at the multiprocessor. */
bool livelock_observes(const struct livelock *l, int sm);
/* How many cycles a multiprocessor that is looked at may run before the next livelock_observe(). */
uint64_t livelock_stride(const struct livelock *l);
/* To be called during a close look, whenever a multiprocessor that is looked at has run so far. Multiprocessors
 * need not be at one cycle. */
void livelock_observe(struct livelock *l, int sm);
/* Whether livelock_observe() looks at every multiprocessor: then no two may run at the same time. Else it looks at
 * one. */
bool livelock_is_wide(const struct livelock *l);
/* To be called after every multiprocessor had its turn. True: nothing will ever change again. */
bool livelock_is_certain(struct livelock *l);

#endif
