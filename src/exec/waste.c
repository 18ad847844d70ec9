/* Counting waste: see waste.h. */
#include "exec/waste.h"

#include "base/arena.h"
#include "base/bits.h"
#include "device/memory.h"
#include "exec/access.h"
#include "exec/engine.h"

#include <stdlib.h>

enum { LEAST_TOUCHED = 64 }; /* entries of the first hash table */

struct waste *waste_create(const struct program *program)
{
    size_t count = (size_t)program->insn_count + 1;
    struct waste *w = xcalloc(1, sizeof *w);
    w->parted = xcalloc(count, sizeof *w->parted);
    w->lost = xcalloc(count, sizeof *w->lost);
    w->sectors = xcalloc(count, sizeof *w->sectors);
    w->bytes = xcalloc(count, sizeof *w->bytes);
    return w;
}

void waste_destroy(struct waste *w)
{
    if (!w)
        return;
    free(w->parted);
    free(w->lost);
    free(w->sectors);
    free(w->bytes);
    free(w->threads);
    free(w->touched);
    free(w);
}

/* The counters of the thread in a lane of the row at work. */
static struct waste_thread *thread_of(const struct engine *e, int lane)
{
    const uint32_t *n = e->launch->block;
    uint64_t threads = (uint64_t)n[0] * n[1] * n[2];
    return &e->waste->threads[e->block->number * threads + e->row->first_thread + (uint32_t)lane];
}

void waste_issue(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, uint32_t active)
{
    struct waste *w = e->waste;
    if (++e->row->issued > w->longest)
        w->longest = e->row->issued;
    for (uint32_t empty = ~mask; empty; empty &= empty - 1) {
        int32_t parted = e->row->parted_at[bits_lowest(empty)];
        if (parted >= 0)
            w->lost[parted]++;
    }
    if (!w->chosen || !w->chosen[pc])
        return;
    for (uint32_t left = mask; left; left &= left - 1)
        thread_of(e, bits_lowest(left))->executed++;
    for (uint32_t left = in->kind == BOUND_INDEXED ? 0 : active; left; left &= left - 1)
        thread_of(e, bits_lowest(left))->taken++;
}

void waste_parting(struct engine *e, const struct bound *in, const struct cohort *here)
{
    const struct waste *w = e->waste;
    const struct row *row = e->row;
    uint32_t together = 0, first = here->mask & -here->mask;
    for (int g = 0; g < row->cohort_count; g++) {
        const struct cohort *c = &row->cohort[g];
        if (c->mask & first)
            together = c->mask & here->mask;
        for (uint32_t left = w->chosen && w->chosen[here->pc] && in->kind == BOUND_INDEXED ? c->mask & here->mask : 0;
             left; left &= left - 1)
            thread_of(e, bits_lowest(left))->taken += (uint32_t)(c->pc - here->pc);
    }
    uint32_t ended = here->mask & ~row->live;
    if (in->insn->branch < 0 || together == here->mask || ended == here->mask)
        return;
    w->parted[here->pc]++;
    for (uint32_t left = here->mask; left; left &= left - 1)
        e->row->parted_at[bits_lowest(left)] = here->pc;
}

/* The entry of a sector in the hash table, or the free one where it belongs. */
static uint64_t *find_touched(uint64_t *table, uint64_t room, uint64_t sector)
{
    uint64_t at = sector * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (room - 1);
    while (table[at] && table[at] >> WASTE_SECTOR_WORDS != sector + 1)
        at = (at + 1) & (room - 1);
    return &table[at];
}

/* Marks words of a sector as touched. */
static void touch(struct waste *w, uint64_t sector, uint64_t words)
{
    if (2 * w->distinct >= w->touched_room) {
        uint64_t room = w->touched_room ? 2 * w->touched_room : LEAST_TOUCHED;
        uint64_t *table = xcalloc(room, sizeof *table);
        for (uint64_t i = 0; i < w->touched_room; i++)
            if (w->touched[i])
                *find_touched(table, room, (w->touched[i] >> WASTE_SECTOR_WORDS) - 1) = w->touched[i];
        free(w->touched);
        w->touched = table;
        w->touched_room = room;
    }
    uint64_t *entry = find_touched(w->touched, w->touched_room, sector);
    w->distinct += !*entry;
    w->words += (uint64_t)__builtin_popcountll(words & ~*entry);
    *entry = (sector + 1) << WASTE_SECTOR_WORDS | (*entry & WASTE_ALL_WORDS) | words;
}

void waste_access(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask)
{
    uint64_t seen[ROW_LANES], bytes = (uint64_t)in->width * in->elements;
    int count = 0;
    if (in->space != IN_GLOBAL && in->space != IN_GENERIC)
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t at = address[bits_lowest(left)];
        if (!access_is_global(in, at))
            continue;
        e->waste->bytes[pc] += bytes;
        /* An access of at most 32 bytes that is aligned lies in one sector. */
        uint64_t sector = at / WASTE_SECTOR_BYTES, first = at % WASTE_SECTOR_BYTES / 4, last = first + (bytes - 1) / 4;
        touch(e->waste, sector, WASTE_ALL_WORDS & ((UINT64_C(2) << last) - (UINT64_C(1) << first)));
        int i = count;
        while (i > 0 && seen[i - 1] != sector)
            i--;
        if (!i)
            seen[count++] = sector;
    }
    e->waste->sectors[pc] += (uint64_t)count;
}
