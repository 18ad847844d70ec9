/* Cache tags: see cache.h. */
#include "mem/cache.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways)
{
    *c = (struct cache){.sets = bytes / (line_bytes * ways), .ways = ways};
    if (!(c->sets & (c->sets - 1)))
        c->set_mask = (uint64_t)c->sets - 1;
    size_t lines = (size_t)c->sets * ways;
    c->tag = xmalloc(sizeof *c->tag * (lines + 1));
    c->age = xcalloc(lines + 1, sizeof *c->age);
    c->sectors = xcalloc(lines + 1, 1);
    c->dirty = xcalloc(lines + 1, 1);
    cache_clear(c);
}

void cache_close(struct cache *c)
{
    free(c->tag);
    free(c->age);
    free(c->sectors);
    free(c->dirty);
}

static size_t first_way(const struct cache *c, uint64_t line)
{
    uint64_t set = c->set_mask || c->sets == 1 ? line & c->set_mask : line % c->sets;
    return (size_t)set * c->ways;
}

/* Where the line is; -1 if it is not there. */
static int64_t find(const struct cache *c, uint64_t line)
{
    if (!c->sets)
        return -1;
    size_t first = first_way(c, line);
    for (size_t i = first; i < first + c->ways; i++)
        if (c->tag[i] == line)
            return (int64_t)i;
    return -1;
}

/* Ages are compared, not subtracted: when the clock wraps, start all of them anew in the same order as far as
 * known. */
static uint32_t next_age(struct cache *c)
{
    if (++c->clock == UINT32_MAX) {
        for (size_t i = 0; i < (size_t)c->sets * c->ways; i++)
            c->age[i] = c->age[i] / 2 + (c->age[i] == 1);
        c->clock = UINT32_MAX / 2 + 1;
    }
    return c->clock;
}

/* Where the line is, or where it would go: an empty way, or the one used longest ago. */
static size_t place_of(const struct cache *c, uint64_t line)
{
    size_t first = first_way(c, line), place = first;
    uint32_t place_age = UINT32_MAX; /* an empty way's age is 0, and no other's is */
    for (size_t i = first; i < first + c->ways; i++) {
        if (c->tag[i] == line)
            return i;
        if (c->age[i] < place_age) {
            place = i;
            place_age = c->age[i];
        }
    }
    return place;
}

unsigned cache_use(struct cache *c, uint64_t line)
{
    int64_t i = find(c, line);
    if (i < 0)
        return 0;
    c->age[i] = next_age(c);
    return c->sectors[i];
}

bool cache_fill(struct cache *c, uint64_t line, unsigned sectors, bool dirty, uint64_t *victim,
                unsigned *victim_dirty)
{
    if (!c->sets)
        return false;
    size_t i = place_of(c, line);
    bool evicts = c->tag[i] != line && c->dirty[i];
    if (c->tag[i] != line) {
        *victim = c->tag[i];
        *victim_dirty = c->dirty[i];
        c->tag[i] = line;
        c->sectors[i] = c->dirty[i] = 0;
    }
    c->sectors[i] |= (uint8_t)sectors;
    c->dirty[i] |= dirty ? (uint8_t)sectors : 0;
    c->age[i] = next_age(c);
    return evicts;
}

bool cache_evicts_dirty(const struct cache *c, uint64_t line)
{
    if (!c->sets)
        return false;
    size_t i = place_of(c, line);
    return c->tag[i] != line && c->dirty[i];
}

void cache_mark_dirty(struct cache *c, uint64_t line, unsigned sectors)
{
    int64_t i = find(c, line);
    if (i >= 0)
        c->dirty[i] |= (uint8_t)sectors;
}

void cache_drop(struct cache *c, uint64_t line)
{
    int64_t i = find(c, line);
    if (i >= 0) {
        c->tag[i] = CACHE_EMPTY;
        c->age[i] = 0;
        c->sectors[i] = c->dirty[i] = 0;
    }
}

uint64_t cache_clear(struct cache *c)
{
    uint64_t lost = 0;
    size_t lines = (size_t)c->sets * c->ways;
    for (size_t i = 0; i < lines; i++) {
        lost += c->dirty[i] != 0;
        c->tag[i] = CACHE_EMPTY;
        c->age[i] = 0;
        c->sectors[i] = c->dirty[i] = 0;
    }
    c->clock = 0;
    return lost;
}
