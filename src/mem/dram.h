/*
 * A DRAM channel: a finite queue of requests, banks with one open row each, one command per cycle, one data bus. In
 * cycles of the memory clock.
 *
 * One or several L2 slices (clients) share a channel: its queue, its commands and its bus. Banks are shared out: client
 * i of n has the banks i, n + i, 2n + i and so on, since the number of the client is the lowest bits of the bank's
 * number (GPGPU-Sim 3, addrdec.cc). So a client's request never closes another client's row.
 *
 * A request needs its row open in its bank: precharge (if another row is open), activate, column command, then data on
 * the bus. Timing: tRCD from activate to column command, tRAS from activate to precharge, tRP from precharge to
 * activate, tRC from activate to activate of one bank, tRRD from activate to activate of any two banks, tCL from
 * column command to data. First ready, first come, first served (FR-FCFS): a bank serves the oldest request for its
 * open row first, else its oldest request; of the banks that can take a command in a cycle, column commands go before
 * row commands, older requests before newer.
 *
 * Alternative (dram = fixed): a fixed bandwidth and latency, in order of arrival.
 *
 * Not modelled: refresh, the turnaround of the bus between reads and writes, bank groups, power states, command
 * encoding.
 */
#ifndef HEDDLE_MEM_DRAM_H
#define HEDDLE_MEM_DRAM_H

#include "base/storage.h"
#include "mem/clock.h"
#include "mem/config.h"
#include "mem/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* The order matters: row commands come behind the column command, as in the ranks of dram.c. */
enum dram_command { DRAM_COLUMN, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

struct dram_request {
    uint64_t row;              /* row in the bank */
    uint64_t age;              /* order of arrival; smaller is older */
    uint32_t token;            /* the caller's number for the request, which comes back with the data of a read */
    uint32_t bytes;            /* size of the data */
    int32_t next;              /* next request of the bank, in order of arrival; or next of those given back */
    uint16_t bank;             /* number in the channel */
    uint16_t client;           /* whose request this is */
    bool is_write, opened_row; /* opened_row: a row command was issued for the request */
};

struct dram_bank {
    uint64_t open_row;           /* UINT64_MAX: no row is open */
    uint64_t may[DRAM_COMMANDS]; /* [command] first cycle that the bank's own timing allows */
    int32_t first, last;         /* the bank's oldest and newest request; first = -1: none */
    int32_t chosen;              /* request that the next command is for */
    uint32_t command;            /* enum dram_command: the bank's next command */
    uint64_t rank;               /* rank of the next command among those of one cycle: smaller goes first */
    uint64_t bit;                /* this bank's bit in sets of banks */
};

/* The banks whose next command is of one kind, and the first of them to go. Kinds are kept apart since a command
 * changes the times of its own kind only (bus, tRRD): the first bank of another kind stays the first. */
struct dram_kind {
    uint64_t banks; /* banks of the kind, as bits */
    uint64_t may;   /* first cycle that the shared bus and tRRD allow */
    uint64_t time;  /* cycle of the kind's first command, after d->now; DRAM_IDLE if there is none */
    uint64_t rank;  /* rank of the kind's first command */
};

#define DRAM_IDLE (UINT64_MAX / 2) /* never; half the range, so that latencies can be added to it */

/* A read that has finished. */
struct dram_done {
    uint64_t cycle; /* memory cycle at which the data is ready */
    uint32_t token; /* the request's */
};

/* What a channel keeps for one L2 slice. */
struct dram_client {
    uint64_t queued;        /* requests of the client in the queue */
    struct dram_done *done; /* finished reads, in order of time: a ring */
    uint32_t done_mask, done_head, done_count;
};

struct dram {
    const struct mem_config *config;
    struct dram_stats *stats; /* shared by all channels */
    uint64_t now;             /* all commands up to this cycle have been issued */
    /* cycle of the next command or (dram = fixed) at which a queue entry becomes free; DRAM_IDLE: never */
    uint64_t next;
    uint32_t next_command; /* enum dram_command */
    uint32_t capacity;     /* of the queue, in requests */
    uint64_t next_room;    /* no queue entry becomes free before this cycle; DRAM_IDLE or later if the queue is empty */
    uint64_t age, queued;  /* age of the next request; requests in the queue */
    uint64_t finished;     /* finished reads that no client has taken */
    struct dram_kind kind[DRAM_COMMANDS];
    /* [command] least number of cycles from the command to the column command of its request */
    uint64_t to_column[DRAM_COMMANDS];
    uint64_t read_latency;  /* tCL and dram_latency: what a read takes from its column command on besides its burst */
    uint64_t bus_free;      /* dram = fixed: when the bus is free, as bytes that it can carry since cycle 0 */
    struct dram_bank *bank; /* [dram_banks] */
    struct dram_request *request; /* [dram_queue] */
    int32_t free_request;         /* element of `request` that was given back last; -1: none */
    int32_t new_request;          /* from this element on, none was ever used */
    struct dram_client *client;   /* [slices_per_channel] */
    uint64_t *leaving;            /* dram = fixed: cycles at which queue entries become free, a ring */
    uint16_t *leaving_client;     /* dram = fixed: whose requests they are; a ring like `leaving` */
    uint32_t leaving_head, leaving_count;
    unsigned row_shift;                    /* a row has 2^row_shift bytes */
    struct divider by_banks, by_bus_bytes; /* by_banks: the banks of one client */
};

/* What it keeps is in `storage`, which was never started anew, and is freed with it. */
void dram_open(struct dram *d, const struct mem_config *config, struct dram_stats *stats, struct storage *storage);

static inline uint32_t dram_room(const struct dram *d)
{
    return d->capacity - (uint32_t)d->queued;
}

/* Whether the channel has no request, and no finished read that its client has not taken. */
static inline bool dram_is_idle(const struct dram *d)
{
    return !(d->queued | d->finished);
}

/* Adds a request of the client, which takes part from the cycle after d->now on. The queue must have room. The address
 * is the client's own: the bytes of all its banks, without those of other clients. A read comes back in `done`. */
void dram_push(struct dram *d, uint32_t client, uint64_t address, uint32_t bytes, bool is_write, uint32_t token);
/* Does everything up to the cycle; there must be something to do: d->next <= cycle. */
void dram_run(struct dram *d, uint64_t cycle);

/* Does everything up to and including the cycle. */
static inline void dram_advance(struct dram *d, uint64_t cycle)
{
    if (d->next <= cycle)
        dram_run(d, cycle);
    d->now = clock_later(d->now, cycle);
}

/* The next cycle at which to advance the channel for a client that waits for room in the queue, or else has requests
 * but no finished read: nothing that the client can see happens earlier. Requests that other clients add later do not
 * make that cycle wrong: they have banks of their own, so they can only delay this client's requests; and they free no
 * room, since a client that waits for room finds the queue full, and nobody can add to it. */
static inline uint64_t dram_due(const struct dram *d, bool waits_for_room)
{
    uint64_t room = d->next_room;
    if (room >= DRAM_IDLE)
        return CLOCK_NEVER;
    if (waits_for_room || d->config->dram_model == DRAM_FIXED)
        return room;
    return room + d->read_latency;
}

/* The client's first finished read. There must be one: done_count > 0. */
static inline const struct dram_done *dram_first_done(const struct dram_client *c)
{
    return &c->done[c->done_head];
}

static inline void dram_pop_done(struct dram *d, struct dram_client *c)
{
    d->finished--;
    c->done_head = (c->done_head + 1) & c->done_mask;
    c->done_count--;
}

#endif
