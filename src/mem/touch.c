/* Touches: see touch.h. */
#include "mem/touch.h"

#include "base/bits.h"
#include "mem/coalesce.h"

/* The sectors of a line in which the touched thirty-seconds lie, as a mask, in pieces of `piece` sectors. */
static unsigned sectors_of(uint32_t touched, unsigned count, unsigned piece)
{
    unsigned sectors = 0;
    for (unsigned at = 0; at < count; at += piece)
        if (touched >> at * 32 / count & bits_below(piece * 32 / count))
            sectors |= bits_below(piece) << at;
    return sectors;
}

/* Gives whether the slice's cache did not hold the line at the address, which is in the slice's own address space. */
static bool touch_line(struct mem_slice *s, uint64_t address, uint32_t touched, bool is_write)
{
    const uint64_t line = address >> s->line_shift;
    const unsigned count = 1u << (s->line_shift - s->sector_shift);
    const unsigned fetched = is_write ? 1 : s->config->l2_fetch_bytes >> s->sector_shift; /* by a miss, in sectors */
    const unsigned sectors = sectors_of(touched, count, fetched > 1 ? fetched : 1);
    const bool is_new = s->cache.sets && cache_find(&s->cache, line) == CACHE_NOWHERE;
    uint64_t victim;
    unsigned victim_dirty;
    cache_fill(&s->cache, line, sectors, is_write, &victim, &victim_dirty);
    return is_new;
}

int touch_slices(struct mem_slice *slices, const struct mem_access *access)
{
    const struct crossbar *x = slices->crossbar;
    const unsigned shift = slices->line_shift;
    struct transaction transaction[COALESCE_MAX];
    int brought = 0, count = coalesce(access, shift, shift, slices->sector_shift < shift, transaction);
    for (int i = 0; i < count; i++) {
        const struct transaction *t = &transaction[i];
        const struct crossbar_place place = crossbar_place_of(x, t->line << shift);
        brought += touch_line(&slices[place.slice], place.address, t->touched, access->kind != MEM_LOAD);
    }
    return brought;
}
