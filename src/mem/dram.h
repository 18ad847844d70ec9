/*
 * A DRAM channel: a finite queue of requests, banks with one open row each, one command a cycle, one data
 * bus.
 *
 * A request needs its row open in its bank: precharge (if another row is open), activate, column command,
 * then data on the bus. Timing, in cycles of the memory clock: tRCD activate to column command    tRAS
 * activate to precharge       tRP precharge to activate tRC  activate to activate, a bank  tRRD activate to
 * activate, any   tCL column command to data First ready, first come, first served (FR-FCFS): a bank turns
 * first to the oldest request for its open row, else to its oldest; of the banks that can take a command in a
 * cycle, column commands go before others, older before newer. Alternative: a fixed bandwidth and latency, in
 * order of arrival. Not modelled: refresh, the turn of the bus between reads and writes, bank groups, power
 * states, command encoding.
 */
#ifndef HEDDLE_MEM_DRAM_H
#define HEDDLE_MEM_DRAM_H

#include "mem/config.h"
#include "mem/stats.h"

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
};

struct dram_done {
    uint64_t cycle;
    uint32_t token;
};

struct dram {
    const struct mem_config *config;
    struct dram_stats *stats;
    uint64_t now;  /* all commands up to here are out */
    uint64_t next; /* of the next command, or of a queue entry that becomes free; CLOCK_NEVER */
    uint64_t room; /* no queue entry becomes free before */
    uint64_t age, queued;
    uint64_t waiting;            /* banks that have requests */
    uint32_t next_bank;          /* that takes the next command */
    uint64_t may[DRAM_COMMANDS]; /* by what banks share: bus and tRRD */
    uint64_t bus_free;           /* fixed bandwidth: in bytes since cycle 0 */
    struct dram_bank *bank;
    struct dram_request *request;
    int32_t free_request;
    struct dram_done *done; /* reads, in order of time */
    uint32_t done_mask, done_head, done_count;
    uint64_t *leaving; /* fixed bandwidth: when queue entries become free */
    uint32_t leaving_head, leaving_count;
    unsigned row_shift;
};

void dram_open(struct dram *d, const struct mem_config *config, struct dram_stats *stats);
void dram_close(struct dram *d);

static inline uint32_t dram_room(const struct dram *d)
{
    return d->config->dram_queue - (uint32_t)d->queued;
}

/* A request that counts from the cycle after `d->now` on; there must be room. Reads come back in `done`. */
void dram_push(struct dram *d, uint64_t address, uint32_t bytes, bool is_write, uint32_t token);
/* All that happens up to and including the cycle. */
void dram_advance(struct dram *d, uint64_t cycle);
/* When to look again: nothing that can be seen from outside happens before. Whether the queue has room is
 * seen by those who wait for it alone. */
uint64_t dram_due(const struct dram *d, bool waits_for_room);

static inline const struct dram_done *dram_first_done(const struct dram *d)
{
    return d->done_count ? &d->done[d->done_head] : NULL;
}

static inline void dram_pop_done(struct dram *d)
{
    d->done_head = (d->done_head + 1) & d->done_mask;
    d->done_count--;
}

#endif
