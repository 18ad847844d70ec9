/*
 * The memory system: the time of accesses, from a multiprocessor's (SM's) cache ports to DRAM and back. Values are not
 * here: src/exec computes them.
 *
 * An SM hands over the addresses of the lanes of one issue group. The memory system coalesces them into transactions,
 * one per line, and replies later, by ticket, when the last transaction is done; or, for mechanisms that split warps
 * on misses, as lanes come back. The memory system refuses an access while its cache port is taken; the SM tries again
 * in a later cycle. SMs may call at the same time, each for itself, the functions that name an SM, as long as none of
 * them is further than mem_reach() from the last mem_advance().
 *
 * Everything runs on event times: no cycle is visited in which nothing happens. All times here are core cycles; the
 * slower clock domains (crossbar, memory) are ratios of the core clock, computed exactly in integers.
 *
 * Modelled: the coalescer (lines of 32 to 128 bytes, sectors); shared-memory banks with broadcast; the L1 data cache
 * (write-through, no write-allocate); constant, texture and instruction caches; miss registers (MSHRs) with merging;
 * the crossbar with latency and bandwidth each way; L2 slices; DRAM channels with banks, row buffers and tCL tRP tRC
 * tRAS tRCD tRRD under FR-FCFS, or a DRAM of fixed bandwidth and latency; finite queues and back-pressure throughout;
 * atomics serialised at the L2. Not modelled: coherence between L1 caches (values are exact regardless), virtual
 * memory, ECC.
 */
#ifndef HEDDLE_MEM_MEM_H
#define HEDDLE_MEM_MEM_H

#include "base/knob.h"
#include "stat/stat.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEM_MAX_LANES = 64, MEM_MAX_PARTS = 16 };

enum mem_kind { MEM_LOAD, MEM_STORE, MEM_ATOMIC, MEM_CONSTANT, MEM_TEXTURE, MEM_INSTRUCTION, MEM_KINDS };

/* The accesses of one instruction, or of several instructions of an issue group that coalesce together. */
struct mem_access {
    enum mem_kind kind;
    int sm;
    uint32_t ticket;  /* the issuer's; comes back in each reply */
    bool wants_reply; /* loads and atomics with a result do; stores and reductions may not */
    /* one reply per line, as it comes back, with the line's lanes, instead of one reply at the end; not for stores */
    bool wants_parts;
    bool bypasses_l1; /* the access leaves the first-level cache aside: ld.cg, volatile, atomics */
    int count;        /* number of lanes */
    uint16_t bytes;   /* bytes that each lane accesses; with has_sizes, the most that any lane accesses */
    bool has_sizes;   /* lanes access different numbers of bytes, those in `size` */
    uint8_t size[MEM_MAX_LANES];
    uint64_t address[MEM_MAX_LANES];
};

struct mem_reply {
    uint32_t ticket;
    uint64_t cycle; /* core cycle at which the data is ready */
    uint64_t lanes; /* lanes of the access whose data this reply brings, as bits */
    bool is_last;   /* no further reply follows for the ticket */
    bool is_hit;    /* the lanes hit the first-level cache; in a reply for the whole access: all its lines did */
};

struct mem_config; /* see mem/config.h */
struct mem;

extern const struct knob_table mem_knobs;

/* The configuration must have passed mem_config_check(). */
struct mem *mem_create(const struct mem_config *config, int sm_count);
/* As mem_create(), but no SM has a side yet: before SM number i is named in any call, mem_open_sms() must have been
 * called for more than i SMs. Most launches of a large machine that are small leave most SMs without a block, and an
 * SM's side has many parts. */
struct mem *mem_create_closed(const struct mem_config *config, int sm_count);
/* Gives the SMs below `sm_count` their sides, if they have none. */
void mem_open_sms(struct mem *m, int sm_count);
void mem_destroy(struct mem *m);

/* How far, in core cycles, all SMs may run one after the other between two calls of mem_advance() and still see exactly
 * what they would see in lockstep: the latency of the crossbar. */
uint64_t mem_quantum(const struct mem *m);
/* How far an SM may run that way on its own: replies leave a slice long after it has taken the request, so the SM knows
 * sooner what reaches it. Not further than mem_times.reach, which may fall while the SM runs. */
uint64_t mem_reach(const struct mem *m);

/* Takes the access at cycle `now`, or refuses (false). The access's transactions are looked up in the first-level
 * cache one per cycle, or several where the data cache has banks (mem/banked.h). A transaction that finds no miss
 * register or queue entry stays at the cache port, and those behind it wait. While a cache port holds an access, the
 * port refuses others; mem_port_state() says why. Writes the number of transactions to `transactions`, unless that is
 * NULL. Loads, stores and atomics share one cache port; constants, textures and instructions have one each. */
bool mem_issue(struct mem *m, uint64_t now, const struct mem_access *access, int *transactions);
bool mem_share_port(enum mem_kind a, enum mem_kind b); /* whether accesses of both kinds go through one cache port */
/* mem_issue() for several accesses of one SM that go through one cache port as a single access: those of strands on
 * different lane slices that load, store or do atomics in one cycle. Lanes of one access coalesce; lines of different
 * accesses are looked up one after the other, in the order of the accesses. At most MEM_MAX_PARTS accesses, with
 * MEM_MAX_LANES lanes in all. `transactions`: one number for each access. */
bool mem_issue_together(struct mem *m, uint64_t now, const struct mem_access *const *access, int count,
                        int *transactions);
/* Whether mem_issue() would take an access of this kind at `now`. A taken cache port is the only reason to refuse:
 * an access without lanes, or of more than two lines per lane, is a mistake of the caller and ends the program.
 * Advances the SM's side to `now`, as mem_issue() does. */
bool mem_can_take(struct mem *m, int sm, enum mem_kind kind, uint64_t now);

enum mem_stall {
    MEM_NO_STALL,      /* the cache port is free */
    MEM_BUSY,          /* the transactions of an access are being looked up */
    MEM_NO_MSHR,       /* all miss registers are taken */
    MEM_NO_MERGE,      /* the line's miss register has as many targets as it can hold */
    MEM_NO_MISS_QUEUE, /* the queue of reads to the crossbar is full */
    MEM_NO_WRITE_QUEUE /* the queue of writes and atomics to the crossbar is full */
};
enum mem_stall mem_port_state(const struct mem *m, int sm, enum mem_kind kind, uint64_t now);
/* The first cycle from `now` on at which it is worth trying to issue an access of this kind. Exact while the cache
 * port is free or busy, unless the data cache has several banks: then perhaps too early. While the port is stalled:
 * the cycle at which it would be free if the next event at the SM's side let all its transactions go on; UINT64_MAX if
 * that event is not known before the next mem_advance(). mem_port_free() asks for the port of loads, stores and
 * atomics. */
uint64_t mem_kind_free(const struct mem *m, int sm, enum mem_kind kind, uint64_t now);
uint64_t mem_port_free(const struct mem *m, int sm, uint64_t now);

/* Advances everything to the end of cycle `now`. All accesses before `now` must have been issued; accesses at `now`
 * may follow. */
void mem_advance(struct mem *m, uint64_t now);
/* Advances the side of one SM, which has issued all its accesses up to `now`: mem_advance() need not do that then. */
void mem_advance_sm(struct mem *m, int sm, uint64_t now);
/* Takes the SM's next reply that is due at or before `now`, in order of cycle; false if there is none. */
bool mem_take_reply(struct mem *m, int sm, uint64_t now, struct mem_reply *reply);
/* The next cycle at which something happens in the memory system or a reply is due; UINT64_MAX if nothing is in
 * flight. */
uint64_t mem_next_event(const struct mem *m);
/* The same, the L2 slices and DRAM left aside. */
uint64_t mem_next_at_sms(const struct mem *m);
/* The next cycle at which something happens in the L2 slices or DRAM; UINT64_MAX. */
uint64_t mem_next_in_slices(const struct mem *m);
/* Whether something happens in the L2 slices or DRAM by the cycle. */
bool mem_slices_are_due(const struct mem *m, uint64_t cycle);
/* What is known of the next events at one SM's side of the memory system. */
struct mem_times {
    uint64_t next;  /* core cycle before which nothing happens, except that requests leave */
    uint64_t reply; /* core cycle of the first reply made so far; replies yet to be made are not due before `next` */
    /* last core cycle for which the SM's side is known before the next mem_advance(), if its transactions may need
     * places in the crossbar of which it is not known when they are free; else UINT64_MAX: as far as mem_reach() */
    uint64_t reach;
};
const struct mem_times *mem_times(const struct mem *m);
/* A cycle before which no reply for the SM is due, by what is known now; UINT64_MAX if none is known. */
uint64_t mem_next_reply(const struct mem *m, int sm);

/* The first wake-up after `now` for an SM that waits for memory: the cycle of a reply, if it wants `replies`, or of
 * a cache port that can take an access of one of the kinds (as bits). Exact if the cycle is at most `until`; a
 * later cycle only says that there is no wake-up up to `until`. The SM's side is advanced that far, so the SM may
 * not issue an access before the wake-up. `until` must be no further than SMs may run between two calls of
 * mem_advance(). */
uint64_t mem_next_wakeup(struct mem *m, int sm, bool replies, uint32_t kinds, uint64_t now, uint64_t until);
/* The first wake-up of any kind: a reply, or the end of the lookups of a cache port that is taken now. `until` as
 * above. */
uint64_t mem_next_any_wakeup(struct mem *m, int sm, uint64_t until);

/* The core cycle at which the last write or atomic that has reached an L2 slice was done there, and so became
 * visible to other SMs. */
uint64_t mem_last_written(const struct mem *m);

/* Looks for the address's line in the first-level cache of the kind, without taking the cache port. If the line is
 * there, counts a hit and gives true. For instruction fetch, whose ports are modelled in the SM. */
bool mem_probe(struct mem *m, int sm, enum mem_kind kind, uint64_t address);
uint32_t mem_line_bytes(const struct mem *m, enum mem_kind kind);
uint32_t mem_latency(const struct mem *m, enum mem_kind kind); /* of a hit in the first-level cache, in core cycles */

/* Shared memory: how many passes the banks need for these lanes. 1 without a conflict; lanes that want one word
 * share it. */
unsigned mem_shared_passes(const struct mem_config *config, int count, const uint64_t *address, unsigned bytes);
/* The same for an atomic where every lane needs a pass of its own in its bank, also lanes that want one word. */
unsigned mem_shared_atomic_passes(const struct mem_config *config, int count, const uint64_t *address);
/* The passes of an access on this machine: shared_atomics_apart decides how atomics count. */
unsigned mem_shared_passes_of(const struct mem *m, int count, const uint64_t *address, unsigned bytes, bool is_atomic);
/* What a lane does to its word of shared memory. A bank gives a word to all lanes that load it in one pass; a store to
 * the same word is another pass. */
enum mem_shared_kind { MEM_SHARED_LOAD, MEM_SHARED_STORE, MEM_SHARED_ATOMIC };
struct mem_shared_lane {
    uint64_t address;
    uint8_t bytes, kind; /* enum mem_shared_kind */
};
/* The passes of lanes that do different things, or access different numbers of bytes. */
unsigned mem_shared_mixed(const struct mem_config *config, int count, const struct mem_shared_lane *lanes);
unsigned mem_shared_mixed_of(const struct mem *m, int count, const struct mem_shared_lane *lanes);
uint32_t mem_shared_banks(const struct mem *m);

/* Between kernels: leaves in the L2 what a load, store or atomic would leave there, at once and without counting, as if
 * no first-level cache had the lines. Gives the number of lines that the L2 did not hold before. */
int mem_touch(struct mem *m, const struct mem_access *access);

/* Between kernels: empties the caches that the knobs flush_l1 and flush_l2 name. Lines lost dirty are counted, and
 * cost no time. */
void mem_flush(struct mem *m);

/* Lists the counters by owner: l1d, constant, texture, instruction, crossbar, l2, dram. The values stay the memory
 * system's and go on counting, but they are all up to date only at this call. Writes at most `capacity` of them,
 * and their number to `count`. */
enum { MEM_OWNERS = 7 };
void mem_stats(const struct mem *m, struct stat_value *into, int capacity, int *count);
/* Describes in words what each part waits for. */
struct text;
void mem_dump(const struct mem *m, struct text *out);

/* Lines that the multiprocessor's data, constant and texture caches wait for. A cache port looks up its transactions
 * ahead of the multiprocessor's clock, so a line may count some cycles early. */
uint32_t mem_misses(const struct mem *m, int sm);

#endif
