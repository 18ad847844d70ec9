/*
 * The memory system: time of accesses, from a multiprocessor's port to DRAM and back. Values are exec/'s.
 *
 * A multiprocessor hands over the lanes' addresses of one issue group; the memory system coalesces them into
 * line-sized transactions, and answers later, ticket by ticket, when the last of them is back (or, for
 * mechanisms that split on misses, as lanes come back). It refuses when a queue is full; the multiprocessor
 * tries again in a later cycle. Everything runs on event times: no cycle is visited in which nothing happens.
 * All times are core cycles; slower clock domains (interconnect, memory) are ratios of the core clock,
 * computed exactly in integers.
 *
 * Modelled: coalescer (line 32 to 128 bytes, sectors), shared-memory banks with broadcast, L1 data cache
 * (write-through, no write-allocate by default), constant and texture caches, MSHRs with merging, crossbar
 * with latency and bandwidth each way, L2 slices, DRAM channels with banks, row buffers and tCL tRP tRC tRAS
 * tRCD tRRD under FR-FCFS, or a DRAM of fixed bandwidth and latency; finite queues and back-pressure all the
 * way; atomics serialised at the L2. Not modelled: coherence between L1 caches (values are exact anyway),
 * virtual memory, ECC.
 */
#ifndef HEDDLE_MEM_MEM_H
#define HEDDLE_MEM_MEM_H

#include "base/knob.h"
#include "stat/stat.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEM_MAX_LANES = 64 };

enum mem_kind { MEM_LOAD, MEM_STORE, MEM_ATOMIC, MEM_CONSTANT, MEM_TEXTURE, MEM_INSTRUCTION };

/* One instruction's accesses (or those of an issue group that coalesce together). */
struct mem_access {
    enum mem_kind kind;
    int sm;
    uint32_t ticket;  /* comes back in the reply */
    bool wants_reply; /* stores and reductions may not */
    bool wants_parts; /* a reply for each line's lanes as it comes back, instead of one at the end; not stores
                       */
    bool bypasses_l1; /* ld.cg, volatile, atomics */
    int count;        /* lanes */
    uint16_t bytes;   /* of each lane's access */
    uint64_t address[MEM_MAX_LANES];
};

struct mem_reply {
    uint32_t ticket;
    uint64_t cycle; /* when the data is there */
    uint64_t lanes; /* bits of the access's lanes that this reply brings */
    bool is_last;   /* nothing more will come for the ticket */
    bool is_hit;    /* the part was found in the first cache; of a single reply: all parts were */
};

struct mem_config; /* knobs: see mem/config.h */
struct mem;

extern const struct knob_table mem_knobs;

/* The configuration must have passed mem_config_check(). */
struct mem *mem_create(const struct mem_config *config, int sm_count);
void mem_destroy(struct mem *m);

/* How far, in core cycles, multiprocessors may run one after the other between two calls of mem_advance() and
 * still see exactly what they would see in step: the latency of the crossbar. */
uint64_t mem_quantum(const struct mem *m);

/* Takes the access at cycle `now`, or refuses (false). An access's transactions enter the first cache one a
 * cycle; one that finds no miss register or queue entry stays at the port, and those behind it wait. While
 * the port holds an access it refuses others; mem_port_state() says why. `transactions`, if not NULL, gets
 * how many lines it made. Loads, stores and atomics share a port; constants, textures and instructions have
 * one each. */
bool mem_issue(struct mem *m, uint64_t now, const struct mem_access *access, int *transactions);
/* Whether mem_issue() of an access of this kind at `now` would take it. Nothing else is ever a reason to
 * refuse: an access without lanes, or of more lines than there can be (two for each lane), is the caller's
 * mistake and ends the program. Brings the multiprocessor's side up to `now`, as mem_issue() does. */
bool mem_can_take(struct mem *m, int sm, enum mem_kind kind, uint64_t now);

enum mem_stall {
    MEM_NO_STALL,      /* free */
    MEM_BUSY,          /* an access's transactions are going in, one a cycle */
    MEM_NO_MSHR,       /* all miss registers are taken */
    MEM_NO_MERGE,      /* the line's miss register has all the targets it can hold */
    MEM_NO_MISS_QUEUE, /* the queue of misses to the crossbar is full */
    MEM_NO_WRITE_QUEUE /* the queue of writes and atomics to the crossbar is full */
};
enum mem_stall mem_port_state(const struct mem *m, int sm, enum mem_kind kind, uint64_t now);
/* The first cycle from `now` on at which it is worth trying to issue an access of this kind: exact while the
 * port is free or busy; while it is stalled, when it would be free if the next event at the multiprocessor
 * let all its transactions go on; UINT64_MAX if that event is not known before mem_advance() was called
 * again. mem_port_free() is about the port of loads, stores and atomics. */
uint64_t mem_kind_free(const struct mem *m, int sm, enum mem_kind kind, uint64_t now);
uint64_t mem_port_free(const struct mem *m, int sm, uint64_t now);

/* Brings everything up to and including cycle `now`. All accesses before `now` must have been issued; those
 * at `now` may follow. */
void mem_advance(struct mem *m, uint64_t now);
/* The next reply for the multiprocessor that is due at or before `now`, in order of cycle; false if there is
 * none. */
bool mem_take_reply(struct mem *m, int sm, uint64_t now, struct mem_reply *reply);
/* The next cycle at which something happens inside or a reply is due; UINT64_MAX if all is quiet. */
uint64_t mem_next_event(const struct mem *m);
/* The same of the L2 and beyond alone. */
uint64_t mem_next_in_slices(const struct mem *m);
/* The same by multiprocessor, of its side alone. */
struct mem_times {
    uint64_t next;  /* nothing happens before, except that packets leave */
    uint64_t reply; /* of the first one that was made; others are not due before `next` */
};
const struct mem_times *mem_times(const struct mem *m);
/* No reply for the multiprocessor is due before this cycle, by what is known now; UINT64_MAX if none is
 * known. */
uint64_t mem_next_reply(const struct mem *m, int sm);

/* The first cycle after `now` at which a multiprocessor that waits for memory finds news at its side: a reply, if it
 * wants `replies`, or a port that takes accesses of one of the kinds (as bits). Exact if it is not after `until`; if it
 * is, there are none up to there. That side is brought on as far, so nothing may be issued before the news. `until` is
 * no further than multiprocessors may run between two calls of mem_advance(). */
uint64_t mem_next_wakeup(struct mem *m, int sm, bool replies, uint32_t kinds, uint64_t now, uint64_t until);
/* The same of all that one may wait for: replies, and ports whose lookups are not done. */
uint64_t mem_next_any_wakeup(struct mem *m, int sm, uint64_t until);

/* The core cycle at which the last write or atomic that has come to an L2 slice was done there: others see it
 * from then on. */
uint64_t mem_last_written(const struct mem *m);

/* Looks for the address's line in the first cache of the kind, without taking its port: if it is there,
 * counts a hit and returns true. For instruction fetch, whose ports are the multiprocessor's. */
bool mem_probe(struct mem *m, int sm, enum mem_kind kind, uint64_t address);
uint32_t mem_line_bytes(const struct mem *m, enum mem_kind kind);
uint32_t mem_latency(const struct mem *m, enum mem_kind kind); /* of a hit in the first cache, in core cycles */

/* Shared memory: how many passes the banks need for these lanes (1 without conflict; same word: broadcast).
 */
unsigned mem_shared_passes(const struct mem_config *config, int count, const uint64_t *address, unsigned bytes);
unsigned mem_shared_passes_of(const struct mem *m, int count, const uint64_t *address, unsigned bytes);

/* Between kernels: caches keep or lose their contents (knobs). Lines lost dirty are counted, and cost no
 * time. */
void mem_flush(struct mem *m);

/* Counters, by owner: l1d, constant, texture, instruction, crossbar, l2, dram. The values stay the memory
 * system's and go on counting, but all of them are up to date only at this call. `count` gets how many there
 * are; no more than `capacity` are written. */
enum { MEM_OWNERS = 7 };
void mem_stats(const struct mem *m, struct stat_value *into, int capacity, int *count);
/* Why it is stuck, in words. */
struct text;
void mem_dump(const struct mem *m, struct text *out);

#endif
