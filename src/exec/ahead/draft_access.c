/*
 * Accesses to global memory before their turn: see draft.h.
 *
 * An access that the draft cannot represent (a load of bytes that an own atomic, still waiting, will change; a store
 * over such bytes; a draft that has become too large) waits for its turn and is then done in memory.
 */
#include "exec/ahead/draft_page.h"

#include "base/bits.h"
#include "exec/code.h"

#include <string.h>

/* A stretch of bytes within one page. */
struct span {
    uintptr_t page;     /* number */
    unsigned at, bytes; /* offset in the page; length */
    uint32_t units;     /* that the bytes lie in */
};

static struct span first_span(const struct draft *d, int area, uintptr_t host, uint64_t bytes)
{
    uintptr_t place = host + d->board->areas[area].shift;
    struct span s = {.page = place >> DRAFT_PAGE_SHIFT, .at = (unsigned)(place & (DRAFT_PAGE_BYTES - 1))};
    s.bytes = bytes < DRAFT_PAGE_BYTES - s.at ? (unsigned)bytes : DRAFT_PAGE_BYTES - s.at;
    unsigned first = s.at >> DRAFT_UNIT_SHIFT, last = (s.at + s.bytes - 1) >> DRAFT_UNIT_SHIFT;
    s.units = (uint32_t)(UINT64_C(2) << last) - (1u << first);
    return s;
}

static int find_area(const struct draft_board *b, uintptr_t host)
{
    int low = 0, high = b->area_count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (b->areas[middle].first <= host)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The area of the bytes that the instruction accesses. */
static int area_of(const struct engine *e, const struct draft *d, const struct bound *in, uintptr_t host)
{
    int32_t *recent = &d->recent[in - e->code->bound];
    const struct draft_area *a = &d->board->areas[*recent];
    if (host < a->first || host >= a->end)
        *recent = find_area(d->board, host);
    return *recent;
}

/* Where the lowest lane's access begins. */
static uintptr_t lowest_of(uintptr_t origin, const struct lane_set *set)
{
    return origin + set->address[bits_lowest(set->mask)];
}

/* ---- whose turn it is ---- */

bool draft_take_turn(struct engine *e)
{
    struct draft *d = draft_of(e);
    if (d->is_abandoned)
        return false;
    if (d->has_turn)
        return true;
    d->is_abandoned = !d->await(d->context);
    if (d->is_abandoned) {
        e->limit = 0; /* other rows of the block end soon, too */
        return false;
    }
    d->has_turn = true;
    e->posted->count = 0; /* loads need not look at the draft any more */
    return true;
}

/* Whether the instruction may write global memory without a note. */
static bool writes_unnoted(const struct engine *e, const struct bound *in)
{
    if (in->kind == BOUND_BUILTIN)
        return strcmp(e->program->calls[in->insn->call].builtin->name, "vprintf") != 0;
    return in->kind == BOUND_SURFACE || in->kind == BOUND_ASYNC;
}

/* Copies to shared memory read global memory by draft_read(). */
static bool is_copy_to_shared(const struct insn *insn)
{
    return insn->op == OP_CP_ASYNC || insn->op == OP_CP_ASYNC_IGNORE || insn->op == OP_BULK_LOAD ||
           insn->op == OP_BULK_MULTICAST || insn->op == OP_BULK_PEER || insn->op == OP_BULK_REDUCE_PEER ||
           insn->op == OP_ST_ASYNC || insn->op == OP_RED_ASYNC;
}

bool draft_admits(struct engine *e, const struct bound *in)
{
    struct draft *d = draft_of(e);
    if (in->kind == BOUND_TEXTURE) {
        d->reads_textures = true;
        return true;
    }
    if (in->kind == BOUND_ASYNC && is_copy_to_shared(in->insn))
        return true;
    if (!draft_take_turn(e))
        return false;
    d->board->is_cut |= writes_unnoted(e, in);
    return true;
}

/* Notes a write to memory by the stretch whose turn it is. */
static void note_write(struct draft *d, int area, uintptr_t host, uint64_t bytes)
{
    d->board->areas[area].is_written = true;
    for (uint64_t done = 0; done < bytes;) {
        struct span s = first_span(d, area, host + done, bytes - done);
        draft_page_of(&d->board->written, s.page)->written |= s.units;
        done += s.bytes;
    }
}

/* ---- reading ---- */

static bool is_hot(const struct draft *d, int area)
{
    return d->board->areas[area].is_hot;
}

static void mark_read(struct draft *d, int area, uintptr_t host, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes;) {
        struct span s = first_span(d, area, host + done, bytes - done);
        draft_page_of(&d->map, s.page)->read |= s.units;
        done += s.bytes;
    }
}

static void note_read(struct draft *d, int area, uintptr_t host, uint64_t bytes)
{
    if (is_hot(d, area))
        mark_read(d, area, host, bytes);
    else
        d->use[area] |= AREA_READ;
}

/* Whether the stretch has written all the bytes itself. */
static bool owns_all(const struct draft_page *p, struct span s)
{
    const uint8_t *mask = p->bytes + DRAFT_PAGE_BYTES;
    for (unsigned at = s.at; at < s.at + s.bytes; at++)
        if (!(mask[at / 8] >> at % 8 & 1))
            return false;
    return true;
}

/* Copies bytes as the stretch sees them. False: an atomic that waits changes some of them. */
static bool copy_seen(struct draft *d, int area, uintptr_t host, uint8_t *into, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes;) {
        struct span s = first_span(d, area, host + done, bytes - done);
        const struct draft_page *p = draft_find(&d->map, s.page);
        const uint8_t *from = (const uint8_t *)(host + done);
        if (p && p->deferred & s.units)
            return false;
        bool has_own = p && p->written & s.units, has_all = has_own && owns_all(p, s);
        if (has_all)
            from = p->bytes + s.at;
        memcpy(into + done, from, s.bytes);
        for (unsigned i = 0; has_own && !has_all && i < s.bytes; i++)
            if (p->bytes[DRAFT_PAGE_BYTES + (s.at + i) / 8] >> (s.at + i) % 8 & 1)
                into[done + i] = p->bytes[s.at + i];
        if (!has_all)
            note_read(d, area, host + done, s.bytes); /* may move the pages */
        done += s.bytes;
    }
    return true;
}

/* Bytes that lanes of an even set with small strides span; 0: another set. */
static uint64_t range_of(const struct lane_set *set, uint64_t bytes)
{
    return set->is_even && set->stride <= 2 * bytes ? set->address[ROW_LANES - 1] - set->address[0] + bytes : 0;
}

/* Whether the stretch has written, or will change, units of the range. */
static bool has_own(const struct draft *d, int area, uintptr_t host, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes;) {
        struct span s = first_span(d, area, host + done, bytes - done);
        const struct draft_page *p = draft_find(&d->map, s.page);
        if (p && (p->written | p->deferred) & s.units)
            return true;
        done += s.bytes;
    }
    return false;
}

/* The range, if it lies in one page and the stretch has written all of it; else NULL. */
static const uint8_t *own_range(const struct draft *d, int area, uintptr_t host, uint64_t bytes)
{
    struct span s = first_span(d, area, host, bytes);
    const struct draft_page *p = s.bytes == bytes ? draft_find(&d->map, s.page) : NULL;
    return p && p->bytes && !(p->deferred & s.units) && owns_all(p, s) ? p->bytes + s.at : NULL;
}

/* Loads lane by lane what the stretch sees. */
static bool load_lanes(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set, int area)
{
    struct draft *d = draft_of(e);
    for (uint32_t left = set->mask; left; left &= left - 1) {
        _Alignas(16) uint8_t copy[BOUND_MAX_OPERANDS * 8];
        int i = bits_lowest(left);
        if (!copy_seen(d, area, origin + set->address[i], copy, (uint64_t)in->width * in->elements))
            return false;
        for (unsigned k = 0; k < in->elements; k++)
            if (in->dest_bits[k])
                transfer_in(e->row->planes + in->dest[k], in->dest_bits[k], in->width, in->is_signed,
                            (uintptr_t)(copy + k * in->width) - set->address[i], set->address, 1u << i);
    }
    return true;
}

static void note_lanes(struct draft *d, int area, uintptr_t origin, const struct lane_set *set, uint64_t bytes)
{
    uint64_t range = range_of(set, bytes);
    if (!is_hot(d, area))
        d->use[area] |= AREA_READ;
    else if (range)
        mark_read(d, area, origin + set->address[0], range);
    else
        for (uint32_t left = set->mask; left; left &= left - 1)
            mark_read(d, area, origin + set->address[bits_lowest(left)], bytes);
}

/* Loads through the draft. False: the load has to wait for its turn. */
static bool load(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    struct draft *d = draft_of(e);
    int area = area_of(e, d, in, lowest_of(origin, set));
    if (!(d->use[area] & AREA_WRITTEN) && !is_hot(d, area)) { /* most loads */
        d->use[area] |= AREA_READ;
        transfer_load(e, in, origin, set);
        return true;
    }
    uint64_t bytes = (uint64_t)in->width * in->elements, range = range_of(set, bytes);
    uintptr_t first = origin + set->address[0];
    if (d->map.count >= DRAFT_MOST_PAGES)
        return false;
    if (!(d->use[area] & AREA_WRITTEN) || (range && !has_own(d, area, first, range))) {
        note_lanes(d, area, origin, set, bytes);
        transfer_load(e, in, origin, set);
        return true;
    }
    const uint8_t *own = range ? own_range(d, area, first, range) : NULL;
    if (!own)
        return load_lanes(e, in, origin, set, area);
    transfer_load(e, in, (uintptr_t)own - set->address[0], set);
    return true;
}

bool draft_lets_load(const struct engine *e, const struct bound *in, const struct segment *s)
{
    const struct draft *d = draft_of(e);
    if (!d || in->kind != BOUND_LOAD || d->has_turn || !s->host)
        return d && in->kind == BOUND_LOAD && d->has_turn;
    int area = area_of(e, d, in, (uintptr_t)s->host);
    if (is_hot(d, area) || d->use[area] & AREA_WRITTEN)
        return false;
    d->use[area] |= AREA_READ;
    return true;
}

bool draft_load(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    if (!draft_of(e)->has_turn && load(e, in, origin, set))
        return true;
    if (!draft_take_turn(e))
        return false;
    transfer_load(e, in, origin, set);
    return true;
}

bool draft_read(struct engine *e, const struct bound *in, const uint8_t *host, void *into, uint64_t bytes)
{
    struct draft *d = draft_of(e);
    if (!d->has_turn && d->map.count < DRAFT_MOST_PAGES &&
        copy_seen(d, area_of(e, d, in, (uintptr_t)host), (uintptr_t)host, into, bytes))
        return true;
    if (!draft_take_turn(e))
        return false;
    memcpy(into, host, bytes);
    return true;
}

/* ---- writing ---- */

/* Sets bits of the mask from `at` on. */
static void set_mask(uint8_t *mask, unsigned at, unsigned bytes)
{
    if (!(at % 8) && !(bytes % 8)) {
        memset(mask + at / 8, 0xff, bytes / 8);
        return;
    }
    for (unsigned i = at; i < at + bytes; i++)
        mask[i / 8] = (uint8_t)(mask[i / 8] | 1u << i % 8);
}

/* Keeps written bytes. False: an atomic that waits is to change some of them first. */
static bool keep(struct draft *d, int area, uintptr_t host, const uint8_t *from, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes;) {
        struct span s = first_span(d, area, host + done, bytes - done);
        struct draft_page *p = draft_page_of(&d->map, s.page);
        if (p->deferred & s.units)
            return false;
        if (!p->bytes) {
            p->home = (uint8_t *)(host + done - s.at);
            p->bytes = draft_chunk(d);
        }
        memcpy(p->bytes + s.at, from + done, s.bytes);
        set_mask(p->bytes + DRAFT_PAGE_BYTES, s.at, s.bytes);
        p->written |= s.units;
        done += s.bytes;
    }
    return true;
}

/* Stores into the draft. False: the store has to wait for its turn. */
static bool store(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    struct draft *d = draft_of(e);
    uint64_t bytes = (uint64_t)in->width * in->elements;
    _Alignas(16) uint8_t copy[ROW_LANES * BOUND_MAX_OPERANDS * 8];
    if (d->map.count >= DRAFT_MOST_PAGES)
        return false;
    int area = area_of(e, d, in, lowest_of(origin, set));
    d->use[area] |= AREA_WRITTEN;
    if (in->moves_rows && lane_set_is_side_by_side(in, set)) {
        transfer_store(e, in, (uintptr_t)copy - set->address[0], set);
        return keep(d, area, origin + set->address[0], copy, bytes * ROW_LANES);
    }
    uint64_t place[ROW_LANES];
    for (unsigned i = 0; i < ROW_LANES; i++)
        place[i] = i * bytes;
    struct lane_set copied = {.address = place, .mask = set->mask};
    transfer_store(e, in, (uintptr_t)copy, &copied);
    for (uint32_t left = set->mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        if (!keep(d, area, origin + set->address[i], copy + place[i], bytes))
            return false;
    }
    return true;
}

bool draft_store(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    struct draft *d = draft_of(e);
    uint64_t bytes = (uint64_t)in->width * in->elements, range = range_of(set, bytes);
    if (!d->has_turn && store(e, in, origin, set))
        return true;
    if (!draft_take_turn(e))
        return false;
    int area = area_of(e, d, in, lowest_of(origin, set));
    if (range)
        note_write(d, area, origin + set->address[0], range);
    for (uint32_t left = range ? 0 : set->mask; left; left &= left - 1)
        note_write(d, area, origin + set->address[bits_lowest(left)], bytes);
    transfer_store(e, in, origin, set);
    return true;
}

bool draft_reach(struct engine *e, const struct bound *in, uint8_t *host, uint64_t bytes, bool is_write)
{
    struct draft *d = draft_of(e);
    int area = area_of(e, d, in, (uintptr_t)host);
    if (!d->has_turn && !is_write && !has_own(d, area, (uintptr_t)host, bytes)) {
        note_read(d, area, (uintptr_t)host, bytes);
        return true;
    }
    if (!draft_take_turn(e))
        return false;
    if (is_write)
        note_write(d, area, (uintptr_t)host, bytes);
    return true;
}

bool draft_defer(struct engine *e, const struct bound *in, uint8_t *host, const uint64_t *operands, int count)
{
    struct draft *d = draft_of(e);
    uint64_t bytes = (uint64_t)in->width * in->elements;
    int area = area_of(e, d, in, (uintptr_t)host);
    struct span s = first_span(d, area, (uintptr_t)host, bytes);
    if (d->has_turn || s.bytes != bytes || d->map.count >= DRAFT_MOST_PAGES || d->log.count >= DRAFT_MOST_ATOMICS)
        return false;
    struct draft_page *p = draft_page_of(&d->map, s.page);
    p->deferred |= s.units;
    d->use[area] |= AREA_WRITTEN;
    posted_atomic(&d->log, 0, in, host, operands, count, (struct posted_result){.planes = NULL});
    return true;
}
