/* DRAM channels (dram.h): which bank gets the next command, and what each command changes. All cycles are those of the
 * memory clock. A channel knows nothing of the cache before it. */
#include "mem/dram.h"

#define NO_ROW UINT64_MAX

/* The rank of a command in one number, so that a scan over banks takes no branches: cycles from now, then column
 * commands before row commands, then age, then the bank, which also identifies the choice. Ages have room for 2^39
 * requests per channel, which are days of simulation. */
enum { RANK_BANK_BITS = 6, RANK_CLASS_BIT = 45, RANK_TIME_BIT = 46 };

static void open_clients(struct dram *d, const struct mem_config *config, struct storage *storage)
{
    uint32_t size = 4;
    while (size <= config->l2_mshrs) /* a read has a miss register of its slice while it is in flight; one is spare */
        size *= 2;
    d->client = storage_array(storage, struct dram_client, config->slices_per_channel);
    for (uint32_t i = 0; i < config->slices_per_channel; i++)
        d->client[i] =
            (struct dram_client){.done = storage_array(storage, struct dram_done, size), .done_mask = size - 1};
}

void dram_open(struct dram *d, const struct mem_config *config, struct dram_stats *stats, struct storage *storage)
{
    *d = (struct dram){.config = config, .stats = stats, .next = DRAM_IDLE, .next_room = DRAM_IDLE};
    d->bank = storage_array(storage, struct dram_bank, config->dram_banks);
    d->request = storage_array(storage, struct dram_request, config->dram_queue);
    d->leaving = storage_array(storage, uint64_t, config->dram_queue);
    for (uint32_t i = 0; i < config->dram_banks; i++) {
        d->bank[i].open_row = NO_ROW;
        d->bank[i].first = -1;
        d->bank[i].bit = UINT64_C(1) << i;
    }
    d->free_request = -1;
    d->capacity = config->dram_queue;
    d->leaving_client = storage_array(storage, uint16_t, config->dram_queue);
    open_clients(d, config, storage);
    d->row_shift = (unsigned)__builtin_ctz(config->dram_row_bytes);
    d->by_banks = divider_make(config->dram_banks / config->slices_per_channel);
    d->by_bus_bytes = divider_make(config->dram_bytes_per_cycle);
    for (int i = 0; i < DRAM_COMMANDS; i++)
        d->kind[i].time = DRAM_IDLE;
    d->read_latency = (uint64_t)config->t_cl + config->dram_latency;
    d->to_column[DRAM_ACTIVATE] = config->t_rcd;
    d->to_column[DRAM_PRECHARGE] = (uint64_t)config->t_rp + config->t_rcd;
}

/* `count`: 1, or 0 if the request was no read, so that nothing is done. No branch, since the host cannot predict it. */
static void finish_read(struct dram *d, uint32_t client, uint64_t cycle, uint32_t token, uint32_t count)
{
    struct dram_client *c = &d->client[client];
    d->finished += count;
    c->done[(c->done_head + c->done_count) & c->done_mask] = (struct dram_done){cycle, token};
    c->done_count += count;
}

static void leave_queue(struct dram *d, uint32_t client)
{
    d->queued--;
    d->client[client].queued--;
}

/* ---- banks ---- */

/* Chooses the bank's next command and the request that the command is for. No request before request i is for the open
 * row. */
static inline void choose_request_from(struct dram *d, struct dram_bank *b, int32_t i)
{
    while (i >= 0 && d->request[i].row != b->open_row)
        i = d->request[i].next;
    uint64_t is_row_command = i < 0;
    b->chosen = i < 0 ? b->first : i;
    b->command = i >= 0 ? DRAM_COLUMN : b->open_row == NO_ROW ? DRAM_ACTIVATE : DRAM_PRECHARGE;
    b->rank = is_row_command << RANK_CLASS_BIT | d->request[b->chosen].age << RANK_BANK_BITS | (uint64_t)(b - d->bank);
}

static inline void choose_request(struct dram *d, struct dram_bank *b)
{
    choose_request_from(d, b, b->first);
}

/* Takes the chosen request out of the bank's list. Gives the request behind it. */
static inline int32_t take_request(struct dram *d, struct dram_bank *b)
{
    const int32_t chosen = b->chosen;
    struct dram_request *r = &d->request[chosen];
    const int32_t next = r->next;
    if (b->first == chosen) {
        b->first = next;
    } else {
        int32_t before = b->first;
        while (d->request[before].next != chosen)
            before = d->request[before].next;
        d->request[before].next = next;
        if (next < 0)
            b->last = before;
    }
    r->next = d->free_request;
    d->free_request = chosen;
    leave_queue(d, r->client);
    return next;
}

/* ---- the first bank for each kind of command ---- */

/* Searches all banks of the kind for the one that can go first, after d->now. */
static void find_first(struct dram *d, uint32_t command)
{
    struct dram_kind *kind = &d->kind[command];
    uint64_t from = d->now + 1, best = UINT64_MAX, may = clock_later(kind->may, from);
    if (!kind->banks) {
        kind->time = DRAM_IDLE;
        return;
    }
    for (uint64_t left = kind->banks; left; left &= left - 1) {
        const struct dram_bank *b = &d->bank[__builtin_ctzll(left)];
        uint64_t t = clock_later(b->may[command], may) - from;
        best = clock_earlier(best, t << RANK_TIME_BIT | b->rank);
    }
    kind->time = from + (best >> RANK_TIME_BIT);
    kind->rank = best & ((UINT64_C(1) << RANK_TIME_BIT) - 1);
}

/* Adds the bank to the kind of its next command. The first bank of that kind must be known; the new one may come
 * before it. */
static void join_kind(struct dram *d, const struct dram_bank *b)
{
    struct dram_kind *kind = &d->kind[b->command];
    uint64_t t = clock_later(clock_later(b->may[b->command], kind->may), d->now + 1);
    kind->banks |= b->bit;
    if (t < kind->time || (t == kind->time && b->rank < kind->rank)) {
        kind->time = t;
        kind->rank = b->rank;
    }
}

/* A command of the kind could have been issued at d->now, but another was. Now an older command of the kind may be
 * ready in the next cycle too. */
static void find_first_if_late(struct dram *d, uint32_t command)
{
    if (d->kind[command].time <= d->now)
        find_first(d, command);
}

/* Among commands of one cycle, column commands go before row commands, then older before newer. */
static void plan_next(struct dram *d)
{
    const struct dram_kind *activate = &d->kind[DRAM_ACTIVATE], *precharge = &d->kind[DRAM_PRECHARGE];
    const uint64_t column = d->kind[DRAM_COLUMN].time;
    const bool activates =
        (activate->time < precharge->time) | ((activate->time == precharge->time) & (activate->rank < precharge->rank));
    const uint64_t row = clock_earlier(activate->time, precharge->time);
    d->next = clock_earlier(column, row);
    d->next_command = (uint32_t)(DRAM_PRECHARGE - activates) & -(uint32_t)(column > row);
}

static void find_next_room(struct dram *d)
{
    uint64_t by_row = clock_earlier(d->kind[DRAM_ACTIVATE].time + d->to_column[DRAM_ACTIVATE],
                                    d->kind[DRAM_PRECHARGE].time + d->to_column[DRAM_PRECHARGE]);
    d->next_room = clock_earlier(d->kind[DRAM_COLUMN].time, by_row);
}

/* ---- commands, at d->now ---- */

static void issue_column(struct dram *d, struct dram_bank *b)
{
    const struct dram_request *r = &d->request[b->chosen];
    struct dram_stats *stats = d->stats;
    uint64_t burst = divide(d->by_bus_bytes, r->bytes + d->by_bus_bytes.by - 1);
    d->kind[DRAM_COLUMN].may = d->now + burst; /* the next burst starts when this one has ended */
    stats->bus_cycles += burst;
    stats->row_hits += !r->opened_row;
    stats->row_misses += r->opened_row;
    stats->bytes += r->bytes;
    stats->writes += r->is_write;
    stats->reads += !r->is_write;
    finish_read(d, r->client, d->now + d->read_latency + burst, r->token, !r->is_write);
    int32_t behind = take_request(d, b);
    find_first_if_late(d, DRAM_ACTIVATE);
    find_first_if_late(d, DRAM_PRECHARGE);
    if (b->first < 0) {
        d->kind[DRAM_COLUMN].banks &= ~b->bit;
    } else {
        choose_request_from(d, b, behind);
        if (b->command != DRAM_COLUMN) {
            d->kind[DRAM_COLUMN].banks &= ~b->bit;
            join_kind(d, b);
        }
    }
    find_first(d, DRAM_COLUMN);
}

/* The chosen request stays the bank's choice: it was the bank's oldest. No column command of another bank is due at
 * d->now, since it would have gone first. */
static void issue_activate(struct dram *d, struct dram_bank *b)
{
    const struct mem_config *c = d->config;
    struct dram_request *r = &d->request[b->chosen];
    r->opened_row = true;
    b->open_row = r->row;
    b->may[DRAM_COLUMN] = d->now + c->t_rcd;
    b->may[DRAM_PRECHARGE] = d->now + c->t_ras;
    b->may[DRAM_ACTIVATE] = d->now + c->t_rc;
    d->kind[DRAM_ACTIVATE].may = d->now + c->t_rrd;
    d->stats->activates++;
    d->kind[DRAM_ACTIVATE].banks &= ~b->bit;
    b->command = DRAM_COLUMN;
    b->rank &= ~(UINT64_C(1) << RANK_CLASS_BIT);
    join_kind(d, b);
    find_first(d, DRAM_ACTIVATE);
    find_first_if_late(d, DRAM_PRECHARGE);
}

static void issue_precharge(struct dram *d, struct dram_bank *b)
{
    d->request[b->chosen].opened_row = true;
    b->open_row = NO_ROW;
    b->may[DRAM_ACTIVATE] = clock_later(b->may[DRAM_ACTIVATE], d->now + d->config->t_rp);
    d->stats->precharges++;
    d->kind[DRAM_PRECHARGE].banks &= ~b->bit;
    find_first(d, DRAM_PRECHARGE);
    find_first_if_late(d, DRAM_ACTIVATE);
    b->command = DRAM_ACTIVATE;
    join_kind(d, b);
}

static void advance_banks(struct dram *d, uint64_t cycle)
{
    while (d->next <= cycle) {
        struct dram_bank *b = &d->bank[d->kind[d->next_command].rank & ((1u << RANK_BANK_BITS) - 1)];
        d->now = d->next;
        if (d->next_command == DRAM_COLUMN)
            issue_column(d, b);
        else if (d->next_command == DRAM_ACTIVATE)
            issue_activate(d, b);
        else
            issue_precharge(d, b);
        plan_next(d);
    }
    find_next_room(d);
}

/* The bank's open row gets its first request: the next command is for that request now. */
static void turn_to_open_row(struct dram *d, struct dram_bank *b)
{
    uint32_t left = b->command;
    d->kind[left].banks &= ~b->bit;
    if (d->kind[left].rank == b->rank)
        find_first(d, left);
    choose_request(d, b);
    join_kind(d, b);
}

static void push_bank(struct dram *d, uint32_t client, uint64_t address, uint32_t bytes, bool is_write, uint32_t token)
{
    uint64_t rows = address >> d->row_shift, row = divide(d->by_banks, rows), clients = d->config->slices_per_channel;
    int32_t i = d->free_request;
    if (i >= 0)
        d->free_request = d->request[i].next;
    else
        i = d->new_request++;
    struct dram_request *r = &d->request[i];
    *r = (struct dram_request){.row = row,
                               .age = d->age++,
                               .token = token,
                               .bytes = bytes,
                               .next = -1,
                               .bank = (uint16_t)((rows - row * d->by_banks.by) * clients + client),
                               .client = (uint16_t)client,
                               .is_write = is_write};
    struct dram_bank *b = &d->bank[r->bank];
    if (b->first < 0) {
        b->first = b->last = i;
        choose_request(d, b);
        join_kind(d, b);
    } else {
        d->request[b->last].next = i;
        b->last = i;
        if (b->command == DRAM_COLUMN || row != b->open_row)
            return;
        turn_to_open_row(d, b);
    }
    plan_next(d);
    find_next_room(d);
}

/* ---- fixed bandwidth ---- */

/* The bus's time is counted in bytes, so that a bandwidth that does not divide a line loses nothing to rounding. */
static void push_fixed(struct dram *d, uint32_t client, uint32_t bytes, bool is_write, uint32_t token)
{
    const struct mem_config *c = d->config;
    uint64_t rate = c->dram_bytes_per_cycle;
    uint64_t begin = clock_later(d->bus_free, (d->now + 1) * rate);
    uint64_t end = (begin + bytes + rate - 1) / rate;
    d->bus_free = begin + bytes;
    d->stats->bus_cycles += end - begin / rate;
    d->stats->reads += !is_write;
    d->stats->writes += is_write;
    d->stats->bytes += bytes;
    finish_read(d, client, end + c->dram_latency, token, !is_write);
    uint32_t last = (d->leaving_head + d->leaving_count++) % c->dram_queue;
    d->leaving[last] = end;
    d->leaving_client[last] = (uint16_t)client;
    d->next = d->next_room = d->leaving[d->leaving_head];
}

static void advance_fixed(struct dram *d, uint64_t cycle)
{
    while (d->next <= cycle) {
        leave_queue(d, d->leaving_client[d->leaving_head]);
        d->leaving_head = (d->leaving_head + 1) % d->config->dram_queue;
        d->leaving_count--;
        d->next = d->next_room = d->leaving_count ? d->leaving[d->leaving_head] : DRAM_IDLE;
    }
}

void dram_push(struct dram *d, uint32_t client, uint64_t address, uint32_t bytes, bool is_write, uint32_t token)
{
    d->queued++;
    d->client[client].queued++;
    if (d->queued > d->stats->deepest_queue)
        d->stats->deepest_queue = d->queued;
    if (d->config->dram_model == DRAM_FIXED)
        push_fixed(d, client, bytes, is_write, token);
    else
        push_bank(d, client, address, bytes, is_write, token);
}

void dram_run(struct dram *d, uint64_t cycle)
{
    if (d->config->dram_model == DRAM_FIXED)
        advance_fixed(d, cycle);
    else
        advance_banks(d, cycle);
}
