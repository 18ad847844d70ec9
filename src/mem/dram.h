/*
 * A DRAM channel: a finite queue of requests, banks with one open row each, one command a cycle, one data
 * bus.
 *
 * A request needs its row open in its bank: precharge (if another row is open), activate, column command,
 * then data on the bus. Timing, in cycles of the memory clock: tRCD from activate to column command, tRAS
 * from activate to precharge, tRP from precharge to activate, tRC from activate to activate of a bank, tRRD
 * of any two banks, tCL from column command to data. First ready, first come, first served (FR-FCFS): a bank
 * turns first to the oldest request for its open row, else to its oldest; of the banks that can take a
 * command in a cycle, column commands go before others, older before newer. Alternative: a fixed bandwidth
 * and latency, in order of arrival. Not modelled: refresh, the turn of the bus between reads and writes, bank
 * groups, power states, command encoding.
 */
#ifndef HEDDLE_MEM_DRAM_H
#define HEDDLE_MEM_DRAM_H

#include "mem/clock.h"
#include "mem/config.h"
#include "mem/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* Row commands are the last two: see dram.c on ranks. */
enum dram_command { DRAM_COLUMN, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

struct dram_request {
    uint64_t row, age; /* age: smaller is older */
    uint32_t token, bytes;
    int32_t next; /* of the bank, in order of arrival; or of the free ones */
    uint16_t bank;
    bool is_write, opened_row;
};

struct dram_bank {
    uint64_t open_row;
    uint64_t may[DRAM_COMMANDS]; /* by the bank's own timing: first cycle for each command */
    int32_t first, last;         /* requests, in order of arrival */
    int32_t chosen;              /* request that the next command is for */
    uint32_t command;            /* that is next */
    uint64_t rank;               /* of that command among those of one cycle: smaller goes first */
    uint64_t bit;                /* of this bank, in sets of them */
};

/* The banks whose next command is of one kind, and the first of them. They are kept apart since a command
 * changes the times of its own kind only (bus, tRRD): the others' first stays first. */
struct dram_kind {
    uint64_t banks; /* as bits */
    uint64_t may;   /* by what banks share: bus and tRRD */
    uint64_t time;  /* of the first, after d->now; DRAM_IDLE if there is none */
    uint64_t rank;  /* of the first */
};

#define DRAM_IDLE (UINT64_MAX / 2) /* so that latencies can be added */

struct dram_done {
    uint64_t cycle;
    uint32_t token;
};

struct dram {
    const struct mem_config *config;
    struct dram_stats *stats;
    uint64_t now;  /* all commands up to here are out */
    uint64_t next; /* of the next command, or of a queue entry that becomes free; DRAM_IDLE */
    uint32_t next_command;
    uint64_t age, queued;
    struct dram_kind kind[DRAM_COMMANDS];
    uint64_t to_column[DRAM_COMMANDS]; /* cycles from a command to the column command, at least */
    uint64_t bus_free;                 /* fixed bandwidth: in bytes since cycle 0 */
    struct dram_bank *bank;
    struct dram_request *request;
    int32_t free_request;
    struct dram_done *done; /* reads, in order of time */
    uint32_t done_mask, done_head, done_count;
    uint64_t *leaving; /* fixed bandwidth: when queue entries become free */
    uint32_t leaving_head, leaving_count;
    unsigned row_shift;
    struct divider by_banks, by_bus_bytes;
};

void dram_open(struct dram *d, const struct mem_config *config, struct dram_stats *stats);
void dram_close(struct dram *d);

static inline uint32_t dram_room(const struct dram *d)
{
    return d->config->dram_queue - (uint32_t)d->queued;
}

/* A request that counts from the cycle after `d->now` on; there must be room. Reads come back in `done`. */
void dram_push(struct dram *d, uint64_t address, uint32_t bytes, bool is_write, uint32_t token);
/* What dram_advance() does if there is anything to do. */
void dram_run(struct dram *d, uint64_t cycle);

/* All that happens up to and including the cycle. */
static inline void dram_advance(struct dram *d, uint64_t cycle)
{
    if (d->next <= cycle)
        dram_run(d, cycle);
    d->now = clock_later(d->now, cycle);
}

/* No queue entry becomes free before; DRAM_IDLE or more if none is taken. */
static inline uint64_t dram_next_room(const struct dram *d)
{
    if (d->config->dram_model == DRAM_FIXED)
        return d->next;
    uint64_t by_row = clock_earlier(d->kind[DRAM_ACTIVATE].time + d->to_column[DRAM_ACTIVATE],
                                    d->kind[DRAM_PRECHARGE].time + d->to_column[DRAM_PRECHARGE]);
    return clock_earlier(d->kind[DRAM_COLUMN].time, by_row);
}

/* When to look again: nothing that can be seen from outside happens before. Whether the queue has room is
 * seen by those who wait for it alone. */
static inline uint64_t dram_due(const struct dram *d, bool waits_for_room)
{
    if (d->done_count && !waits_for_room) /* reads finish in order: the first is known */
        return CLOCK_NEVER;
    uint64_t room = dram_next_room(d);
    if (room >= DRAM_IDLE)
        return CLOCK_NEVER;
    if (waits_for_room || d->config->dram_model == DRAM_FIXED)
        return room;
    return room + d->config->t_cl + d->config->dram_latency;
}

/* There must be one: done_count says. */
static inline const struct dram_done *dram_first_done(const struct dram *d)
{
    return &d->done[d->done_head];
}

static inline void dram_pop_done(struct dram *d)
{
    d->done_head = (d->done_head + 1) & d->done_mask;
    d->done_count--;
}

#endif
