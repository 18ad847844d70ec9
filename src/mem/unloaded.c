/* Measures the least time of each kind of access (unloaded.h). */
#include "mem/unloaded.h"

#include "base/diag.h"
#include "mem/clock.h"

#include <string.h>

/* Measurements of each time, at different phases of the clocks. More of them find no shorter time on the machines of
 * gpus/ (tests/unit/test_ideal_memory.c). */
enum { PHASES = 24, ROW_LINES = 4, MERGE_STEPS = 64, SMS = 2 };

struct probe {
    struct mem *mem;
    uint64_t now;  /* the next access is issued at this core cycle */
    uint64_t line; /* the next line that nobody has accessed */
    uint32_t line_bytes;
};

/* Lets everything in flight finish. Gives the cycle of the last reply to the multiprocessor; 0 if there was none. */
static uint64_t finish(struct probe *p, int sm)
{
    struct mem_reply reply;
    uint64_t replied = 0, now = p->now;
    for (uint64_t next; (next = mem_next_event(p->mem)) != CLOCK_NEVER;) {
        now = clock_later(next, now + 1);
        mem_advance(p->mem, now);
        for (int i = 0; i < SMS; i++)
            while (mem_take_reply(p->mem, i, now, &reply))
                replied = i == sm ? reply.cycle : replied;
    }
    p->now = now + 1;
    return replied;
}

/* Issues an access of one lane at cycle p->now. */
static void issue(struct probe *p, enum mem_kind kind, int sm, uint64_t address, bool bypasses, bool replies)
{
    struct mem_access a = {.kind = kind,
                           .sm = sm,
                           .wants_reply = replies,
                           .bypasses_l1 = bypasses,
                           .count = 1,
                           .bytes = 4,
                           .address = {address}};
    mem_advance(p->mem, p->now - 1);
    if (!mem_issue(p->mem, p->now, &a, NULL))
        panic("an idle memory system refuses an access");
}

/* Issues an access to an idle memory system. Gives the cycles until its data was ready; 0 for an access without
 * reply. */
static uint32_t access_once(struct probe *p, enum mem_kind kind, int sm, uint64_t address, bool bypasses, bool replies)
{
    uint64_t issued = p->now;
    issue(p, kind, sm, address, bypasses, replies);
    uint64_t replied = finish(p, sm);
    return replied > issued ? (uint32_t)(replied - issued) : 0;
}

static void shorten(uint32_t *least, uint32_t cycles)
{
    if (!*least || cycles < *least)
        *least = cycles;
}

/* One measurement of a kind of read: lines of one row from DRAM, then the first of them from the L2, for another
 * multiprocessor, and from the first-level cache. */
static void measure_read(struct probe *p, struct unloaded_time *t, enum mem_kind kind, bool bypasses)
{
    uint64_t first = p->line;
    p->line += (uint64_t)ROW_LINES * p->line_bytes;
    for (int i = 0; i < ROW_LINES; i++)
        shorten(&t->dram, access_once(p, kind, 0, first + (uint64_t)i * p->line_bytes, bypasses, true));
    shorten(&t->l2, t->dram);
    shorten(&t->l2, access_once(p, kind, 1, first, bypasses, true));
    shorten(&t->first_level, access_once(p, kind, 1, first, bypasses, true));
}

/* One measurement of an access whose line another multiprocessor asked for `ahead` cycles earlier. */
static void measure_merged(struct probe *p, struct unloaded_time *t, enum mem_kind kind, uint32_t ahead)
{
    uint64_t address = p->line;
    p->line += p->line_bytes;
    issue(p, kind, 0, address, kind == MEM_ATOMIC, true);
    p->now += ahead;
    uint64_t issued = p->now;
    issue(p, kind, 1, address, kind == MEM_ATOMIC, true);
    uint64_t replied = finish(p, 1);
    shorten(&t->merged, replied > issued ? (uint32_t)(replied - issued) : 1);
}

/* One measurement of a write to a line that the L2 holds. */
static void measure_write(struct probe *p, uint32_t *least, enum mem_kind kind)
{
    uint64_t issued = p->now;
    access_once(p, kind, 0, 0, kind == MEM_ATOMIC, false);
    uint64_t written = mem_last_written(p->mem);
    shorten(least, written > issued ? (uint32_t)(written - issued) : 1);
}

/* Core cycles for which the L2 holds the reply of a miss longer than it would hold that of a hit. */
static uint32_t longer_fill(const struct mem_config *config)
{
    if (config->l2_fill_latency <= config->l2_latency)
        return 0;
    uint64_t cycles = config->l2_fill_latency - config->l2_latency;
    return (uint32_t)((cycles * config->core_mhz + config->crossbar_mhz - 1) / config->crossbar_mhz) + 1;
}

void unloaded_measure(struct unloaded *u, const struct mem_config *config)
{
    static const enum mem_kind kinds[] = {MEM_LOAD, MEM_ATOMIC, MEM_CONSTANT, MEM_TEXTURE, MEM_INSTRUCTION};
    struct mem_config alone = *config;
    struct probe p = {mem_create(&alone, SMS), 1, 0, config->l2_line_bytes};
    memset(u, 0, sizeof *u);
    access_once(&p, MEM_LOAD, 0, 0, false, true);
    p.line = p.line_bytes;
    for (int i = 0; i < PHASES; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            measure_read(&p, &u->read[kinds[k]], kinds[k], kinds[k] == MEM_ATOMIC);
        measure_read(&p, &u->read[UNLOADED_BYPASS], MEM_LOAD, true);
        measure_write(&p, &u->written[0], MEM_STORE);
        measure_write(&p, &u->written[1], MEM_ATOMIC);
        p.now += (uint64_t)i; /* another phase */
    }
    struct unloaded_time *load = &u->read[MEM_LOAD];
    for (uint32_t i = 0; i < MERGE_STEPS; i++)
        measure_merged(&p, load, MEM_LOAD, load->dram * i / MERGE_STEPS);
    for (int k = 0; k < UNLOADED_KINDS; k++)
        u->read[k].merged = load->merged < u->read[k].l2 ? load->merged : u->read[k].l2;
    for (int k = 0; k < UNLOADED_KINDS; k++)
        if (u->read[k].dram > u->read[k].l2 + longer_fill(config))
            u->read[k].dram -= longer_fill(config);
        else
            u->read[k].dram = u->read[k].l2;
    mem_destroy(p.mem);
}
