/* Drafts: what a stretch of blocks read and wrote before its turn. See draft.h; how loads and stores use a draft is in
 * draft_access.c. */
#include "exec/ahead/draft_page.h"

#include "base/arena.h"
#include "base/bits.h"
#include "exec/atomic.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_SLOTS = 64 };

static uint32_t hash(const struct draft_map *m, uintptr_t number)
{
    return (uint32_t)((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (m->slot_count - 1);
}

struct draft_page *draft_find(const struct draft_map *m, uintptr_t number)
{
    for (uint32_t i = m->slot_count ? hash(m, number) : 0; m->slot_count && m->slot[i];
         i = (i + 1) & (m->slot_count - 1))
        if (m->pages[m->slot[i] - 1].number == number)
            return &m->pages[m->slot[i] - 1];
    return NULL;
}

static void put_slot(struct draft_map *m, uint32_t index)
{
    uint32_t i = hash(m, m->pages[index].number);
    while (m->slot[i])
        i = (i + 1) & (m->slot_count - 1);
    m->slot[i] = index + 1;
}

/* Doubles the table, which is at most half full. */
static void grow(struct draft_map *m)
{
    free(m->slot);
    m->slot_count = m->slot_count ? 2 * m->slot_count : LEAST_SLOTS;
    m->slot = xcalloc(m->slot_count, sizeof *m->slot);
    for (uint32_t i = 0; i < m->count; i++)
        put_slot(m, i);
}

struct draft_page *draft_page_of(struct draft_map *m, uintptr_t number)
{
    struct draft_page *p = draft_find(m, number);
    if (p)
        return p;
    if (2 * (m->count + 1) > m->slot_count)
        grow(m);
    if (m->count == m->page_capacity) {
        m->page_capacity = m->page_capacity ? 2 * m->page_capacity : LEAST_SLOTS;
        m->pages = xrealloc(m->pages, m->page_capacity * sizeof *m->pages);
    }
    m->pages[m->count] = (struct draft_page){.number = number};
    put_slot(m, m->count);
    return &m->pages[m->count++];
}

static void empty(struct draft_map *m)
{
    if (m->slot_count)
        memset(m->slot, 0, m->slot_count * sizeof *m->slot);
    m->count = 0;
}

static void free_map(struct draft_map *m)
{
    free(m->pages);
    free(m->slot);
    *m = (struct draft_map){0};
}

/* ---- the board ---- */

static bool holds_texels(const struct launch *l, const struct allocation *a)
{
    bool holds = false;
    for (int i = 0; i < l->texture_count && !holds; i++)
        for (int k = 0; k < (int)l->textures[i].level_count && !holds; k++)
            holds = l->textures[i].level[k].address - a->address < a->bytes;
    return holds;
}

static int compare_areas(const void *a, const void *b)
{
    const struct draft_area *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Makes one area of areas that share bytes: host memory can be mapped at several addresses. */
static void join_areas(struct draft_board *b)
{
    int count = 0;
    qsort(b->areas, (size_t)b->area_count, sizeof *b->areas, compare_areas);
    for (int i = 0; i < b->area_count; i++) {
        struct draft_area *last = count ? &b->areas[count - 1] : NULL, *a = &b->areas[i];
        if (last && a->first < last->end) {
            last->end = a->end > last->end ? a->end : last->end;
            last->is_texture |= a->is_texture;
        } else {
            b->areas[count++] = *a;
        }
    }
    b->area_count = count;
    uintptr_t place = DRAFT_PAGE_BYTES;
    for (struct draft_area *a = b->areas; a < b->areas + count; a++) {
        a->shift = place - a->first;
        place += bits_align_up(a->end - a->first, DRAFT_PAGE_BYTES);
    }
}

void draft_board_open(struct draft_board *b, const struct launch *launch)
{
    const struct memory *m = launch->image->memory;
    *b = (struct draft_board){.areas = xcalloc((size_t)m->count + 1, sizeof *b->areas)};
    for (int i = 0; i < m->count; i++) {
        const struct allocation *a = &m->allocation[i];
        if (!a->is_freed)
            b->areas[b->area_count++] = (struct draft_area){.first = (uintptr_t)a->host,
                                                            .end = (uintptr_t)a->host + a->bytes,
                                                            .is_texture = holds_texels(launch, a)};
    }
    join_areas(b);
}

void draft_board_reset(struct draft_board *b)
{
    for (int i = 0; i < b->area_count; i++) {
        b->areas[i].is_hot |= b->areas[i].is_written;
        b->areas[i].is_written = false;
    }
    empty(&b->written);
    b->is_cut = false;
}

void draft_board_close(struct draft_board *b)
{
    free(b->areas);
    free_map(&b->written);
}

/* ---- drafts ---- */

void draft_reset(struct draft *d, struct draft_board *board)
{
    empty(&d->map);
    d->board = board;
    d->use = xrealloc(d->use, (size_t)board->area_count + 1);
    memset(d->use, 0, (size_t)board->area_count + 1);
    d->chunks = 0;
    d->log.count = d->log.used = 0;
    d->earlier = 0;
    writers_log_reset(&d->looks);
    d->reads_textures = d->has_turn = d->is_abandoned = false;
}

void draft_close(struct draft *d)
{
    free_map(&d->map);
    free(d->use);
    for (int i = 0; i < d->slab_count; i++)
        free(d->slabs[i]);
    free(d->slabs);
    posted_close(&d->log);
    writers_log_free(d->looks);
}

uint8_t *draft_chunk(struct draft *d)
{
    uint32_t slab = d->chunks / SLAB_CHUNKS;
    if (slab == (uint32_t)d->slab_count) {
        d->slabs = xrealloc(d->slabs, ((size_t)slab + 1) * sizeof *d->slabs);
        d->slabs[d->slab_count++] = xmalloc_lines((size_t)SLAB_CHUNKS * CHUNK_BYTES);
    }
    uint8_t *chunk = d->slabs[slab] + (size_t)(d->chunks++ % SLAB_CHUNKS) * CHUNK_BYTES;
    memset(chunk + DRAFT_PAGE_BYTES, 0, CHUNK_BYTES - DRAFT_PAGE_BYTES);
    return chunk;
}

bool draft_is_good(const struct draft *d)
{
    const struct draft_board *b = d->board;
    for (int i = 0; i < b->area_count; i++) {
        const struct draft_area *a = &b->areas[i];
        if (a->is_written && (d->use[i] & AREA_READ || (d->reads_textures && a->is_texture)))
            return false;
        if (d->use[i] & AREA_WRITTEN && d->reads_textures && a->is_texture)
            return false; /* its fetches have not seen its own stores */
    }
    for (const struct draft_page *p = d->map.pages, *end = p + d->map.count; p < end; p++) {
        const struct draft_page *w = p->read ? draft_find(&b->written, p->number) : NULL;
        if (w && w->written & p->read)
            return false;
    }
    return true;
}

/* Copies the bytes of a page that the mask names to memory. */
static void write_page(const struct draft_page *p)
{
    uint8_t *to = p->home;
    const uint8_t *mask = p->bytes + DRAFT_PAGE_BYTES;
    for (unsigned at = 0; at < DRAFT_PAGE_BYTES; at += 64) {
        uint64_t word;
        memcpy(&word, mask + at / 8, sizeof word);
        if (word == UINT64_MAX) {
            memcpy(to + at, p->bytes + at, 64);
            continue;
        }
        for (; word; word &= word - 1)
            to[at + (unsigned)__builtin_ctzll(word)] = p->bytes[at + (unsigned)__builtin_ctzll(word)];
    }
}

/* Carries out the atomics that waited, and gives the number of those that changed memory. */
static uint64_t apply_atomics(struct draft *d)
{
    uint64_t changed = 0;
    struct posted *log = &d->log;
    d->changed_earlier = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        changed += posted_carry_out(log, &log->writes[i]);
        if (i < d->earlier)
            d->changed_earlier = changed;
    }
    d->log.count = d->log.used = d->earlier = 0;
    return changed;
}

uint64_t draft_commit(struct draft *d)
{
    struct draft_board *b = d->board;
    for (int i = 0; i < b->area_count; i++)
        b->areas[i].is_written |= (d->use[i] & AREA_WRITTEN) != 0;
    for (const struct draft_page *p = d->map.pages, *end = p + d->map.count; p < end; p++) {
        if (p->bytes)
            write_page(p);
        if (p->written | p->deferred)
            draft_page_of(&b->written, p->number)->written |= p->written | p->deferred;
    }
    uint64_t changed = apply_atomics(d);
    empty(&d->map);
    d->chunks = 0;
    return changed;
}
