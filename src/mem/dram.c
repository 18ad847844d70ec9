/* DRAM channels: see dram.h. */
#include "mem/dram.h"

#include "base/arena.h"
#include "mem/clock.h"

#include <stdlib.h>

#define NO_ROW UINT64_MAX

/* Order of commands, in one number so that a scan of the banks takes no branches: cycles from now, then
 * column commands before others, then age, then the bank, by which the choice is known. 2^39 requests a
 * channel are days of simulation. */
enum { RANK_BANK_BITS = 6, RANK_CLASS_BIT = 45, RANK_TIME_BIT = 46 };

void dram_open(struct dram *d, const struct mem_config *config, struct dram_stats *stats)
{
    *d = (struct dram){.config = config, .stats = stats, .next = CLOCK_NEVER, .room = CLOCK_NEVER};
    d->bank = xcalloc(config->dram_banks, sizeof *d->bank);
    d->request = xcalloc(config->dram_queue, sizeof *d->request);
    d->leaving = xcalloc(config->dram_queue, sizeof *d->leaving);
    for (uint32_t i = 0; i < config->dram_banks; i++) {
        d->bank[i].open_row = NO_ROW;
        d->bank[i].first = -1;
    }
    for (uint32_t i = 0; i < config->dram_queue; i++)
        d->request[i].next = i + 1 < config->dram_queue ? (int32_t)i + 1 : -1;
    uint32_t size = 4;
    while (size < config->l2_mshrs) /* each read has a miss register */
        size *= 2;
    d->done = xcalloc(size, sizeof *d->done);
    d->done_mask = size - 1;
    d->row_shift = (unsigned)__builtin_ctz(config->dram_row_bytes);
}

void dram_close(struct dram *d)
{
    free(d->bank);
    free(d->request);
    free(d->leaving);
    free(d->done);
}

static void finish_read(struct dram *d, uint64_t cycle, uint32_t token)
{
    d->done[(d->done_head + d->done_count++) & d->done_mask] = (struct dram_done){cycle, token};
}

static void count_request(struct dram *d, uint32_t bytes, bool is_write)
{
    d->stats->reads += !is_write;
    d->stats->writes += is_write;
    d->stats->bytes += bytes;
}

/* ---- banks ---- */

/* What the bank does next, for which request. */
static void choose_request(struct dram *d, struct dram_bank *b)
{
    int32_t i = b->first;
    while (i >= 0 && d->request[i].row != b->open_row)
        i = d->request[i].next;
    if (i >= 0) {
        b->chosen = i;
        b->command = DRAM_COLUMN;
    } else {
        b->chosen = b->first;
        b->command = b->open_row == NO_ROW ? DRAM_ACTIVATE : DRAM_PRECHARGE;
    }
    uint64_t is_row_command = b->command != DRAM_COLUMN;
    b->rank = is_row_command << RANK_CLASS_BIT | d->request[b->chosen].age << RANK_BANK_BITS |
              (uint64_t)(b - d->bank);
}

static void take_request(struct dram *d, uint32_t bank)
{
    struct dram_bank *b = &d->bank[bank];
    int32_t *link = &b->first, before = -1;
    while (*link != b->chosen) {
        before = *link;
        link = &d->request[*link].next;
    }
    struct dram_request *r = &d->request[b->chosen];
    *link = r->next;
    if (b->last == b->chosen)
        b->last = before;
    r->next = d->free_request;
    d->free_request = b->chosen;
    d->queued--;
    if (b->first < 0)
        d->waiting &= ~(UINT64_C(1) << bank);
}

static void issue_column(struct dram *d, uint32_t bank, uint64_t t)
{
    const struct mem_config *c = d->config;
    const struct dram_request *r = &d->request[d->bank[bank].chosen];
    uint64_t burst = (r->bytes + c->dram_bytes_per_cycle - 1) / c->dram_bytes_per_cycle;
    uint64_t end = t + c->t_cl + burst;
    d->may[DRAM_COLUMN] = t + burst; /* the next data starts when these have ended */
    d->stats->bus_cycles += burst;
    d->stats->row_hits += !r->opened_row;
    d->stats->row_misses += r->opened_row;
    count_request(d, r->bytes, r->is_write);
    if (!r->is_write)
        finish_read(d, end + c->dram_latency, r->token);
    take_request(d, bank);
}

static void issue_command(struct dram *d, uint32_t bank, uint64_t t)
{
    const struct mem_config *c = d->config;
    struct dram_bank *b = &d->bank[bank];
    struct dram_request *r = &d->request[b->chosen];
    switch (b->command) {
    case DRAM_COLUMN:
        issue_column(d, bank, t);
        break;
    case DRAM_ACTIVATE:
        b->open_row = r->row;
        r->opened_row = true;
        b->may[DRAM_COLUMN] = t + c->t_rcd;
        b->may[DRAM_PRECHARGE] = t + c->t_ras;
        b->may[DRAM_ACTIVATE] = t + c->t_rc;
        d->may[DRAM_ACTIVATE] = t + c->t_rrd;
        d->stats->activates++;
        break;
    default:
        b->open_row = NO_ROW;
        r->opened_row = true;
        b->may[DRAM_ACTIVATE] = clock_later(b->may[DRAM_ACTIVATE], t + c->t_rp);
        d->stats->precharges++;
    }
    if (b->first >= 0)
        choose_request(d, b);
}

/* The bank that goes next, and when: after d->now. */
static void choose_bank(struct dram *d)
{
    const uint64_t to_column[DRAM_COMMANDS] = {0, d->config->t_rcd,
                                               (uint64_t)d->config->t_rp + d->config->t_rcd};
    uint64_t from = d->now + 1, best = UINT64_MAX, room = UINT64_MAX;
    if (!d->waiting) {
        d->next = d->room = CLOCK_NEVER;
        return;
    }
    for (uint64_t left = d->waiting; left; left &= left - 1) {
        const struct dram_bank *b = &d->bank[__builtin_ctzll(left)];
        uint64_t t = clock_later(clock_later(b->may[b->command], d->may[b->command]), from) - from;
        best = clock_earlier(best, t << RANK_TIME_BIT | b->rank);
        room = clock_earlier(room, t + to_column[b->command]);
    }
    d->next_bank = (uint32_t)best & ((1u << RANK_BANK_BITS) - 1);
    d->next = from + (best >> RANK_TIME_BIT);
    d->room = from + room;
}

static void advance_banks(struct dram *d, uint64_t cycle)
{
    while (d->next <= cycle) {
        d->now = d->next;
        issue_command(d, d->next_bank, d->now);
        choose_bank(d);
    }
}

static void push_bank(struct dram *d, uint64_t address, uint32_t bytes, bool is_write, uint32_t token)
{
    uint64_t rows = address >> d->row_shift;
    int32_t i = d->free_request;
    struct dram_request *r = &d->request[i];
    d->free_request = r->next;
    *r = (struct dram_request){.row = rows / d->config->dram_banks,
                               .age = d->age++,
                               .token = token,
                               .bytes = bytes,
                               .next = -1,
                               .bank = (uint16_t)(rows % d->config->dram_banks),
                               .is_write = is_write};
    struct dram_bank *b = &d->bank[r->bank];
    if (b->first < 0)
        b->first = i;
    else
        d->request[b->last].next = i;
    b->last = i;
    d->waiting |= UINT64_C(1) << r->bank;
    choose_request(d, b);
    choose_bank(d);
}

/* ---- fixed bandwidth ---- */

/* The bus is counted in bytes, so that a bandwidth that does not divide a line loses nothing to rounding. */
static void push_fixed(struct dram *d, uint32_t bytes, bool is_write, uint32_t token)
{
    const struct mem_config *c = d->config;
    uint64_t rate = c->dram_bytes_per_cycle;
    uint64_t begin = clock_later(d->bus_free, (d->now + 1) * rate);
    uint64_t end = (begin + bytes + rate - 1) / rate;
    d->bus_free = begin + bytes;
    d->stats->bus_cycles += end - begin / rate;
    count_request(d, bytes, is_write);
    if (!is_write)
        finish_read(d, end + c->dram_latency, token);
    d->leaving[(d->leaving_head + d->leaving_count++) % c->dram_queue] = end;
    d->next = d->room = d->leaving[d->leaving_head];
}

static void advance_fixed(struct dram *d, uint64_t cycle)
{
    while (d->next <= cycle) {
        d->leaving_head = (d->leaving_head + 1) % d->config->dram_queue;
        d->leaving_count--;
        d->queued--;
        d->next = d->room = d->leaving_count ? d->leaving[d->leaving_head] : CLOCK_NEVER;
    }
}

void dram_push(struct dram *d, uint64_t address, uint32_t bytes, bool is_write, uint32_t token)
{
    d->queued++;
    if (d->queued > d->stats->deepest_queue)
        d->stats->deepest_queue = d->queued;
    if (d->config->dram_model == DRAM_FIXED)
        push_fixed(d, bytes, is_write, token);
    else
        push_bank(d, address, bytes, is_write, token);
}

void dram_advance(struct dram *d, uint64_t cycle)
{
    if (d->config->dram_model == DRAM_FIXED)
        advance_fixed(d, cycle);
    else
        advance_banks(d, cycle);
    d->now = clock_later(d->now, cycle);
}

uint64_t dram_due(const struct dram *d, bool waits_for_room)
{
    if (waits_for_room || d->room == CLOCK_NEVER)
        return d->room;
    if (d->done_count) /* reads finish in order: the first is known */
        return CLOCK_NEVER;
    return d->config->dram_model == DRAM_FIXED ? d->room
                                               : d->room + d->config->t_cl + d->config->dram_latency;
}
