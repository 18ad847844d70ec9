/*
 * Traffic for the memory system alone: multiprocessors that issue whenever their port takes an access and
 * they wait for fewer tickets than they may (a closed loop). They run one after the other for a quantum, as a
 * simulator would let them; then the memory system is brought up to there.
 *
 * The same patterns are measured by bench/memory.c and held to recorded counters by test_mem_recorded.c.
 */
#ifndef HEDDLE_TESTS_MEM_TRAFFIC_H
#define HEDDLE_TESTS_MEM_TRAFFIC_H

#include "base/random.h"
#include "mem/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum traffic_kind {
    TRAFFIC_GATHER_FAR,  /* 32 lanes, each anywhere in 64 MB: DRAM, most rows closed */
    TRAFFIC_GATHER_NEAR, /* 32 lanes, each anywhere in 256 KB: the L2 */
    TRAFFIC_STREAM,      /* 32 lanes of 16 bytes in a row: all multiprocessors together read once through memory */
    TRAFFIC_COPY,        /* the same, and each piece is written elsewhere */
    TRAFFIC_L1,          /* 32 lanes of 4 bytes in a row, in 8 KB */
    TRAFFIC_MIXED,       /* every kind of access, in parts and past the cache too, conflicts of all sorts */
    TRAFFIC_KINDS
};

static const char *const traffic_name[TRAFFIC_KINDS] = {"gather 64 MB", "gather 256 KB", "stream",
                                                        "copy",         "L1 hits",       "mixed"};

struct traffic_sm {
    struct random random;
    uint32_t issued, out; /* accesses: so far, and not yet answered */
    struct mem_access access;
};

struct traffic {
    struct mem *m;
    enum traffic_kind kind;
    int sms;
    uint32_t accesses, most_out; /* of each multiprocessor */
    uint64_t transactions;
    uint64_t replies; /* a sum over ticket, lanes and cycle of every reply: any change shows */
    struct traffic_sm *sm;
};

static inline void traffic_lanes(struct mem_access *a, int count, unsigned bytes, uint64_t base, uint64_t stride)
{
    a->count = count;
    a->bytes = (uint16_t)bytes;
    for (int i = 0; i < count; i++)
        a->address[i] = base + (uint64_t)i * stride;
}

static inline void traffic_gather(struct mem_access *a, struct random *r, int count, unsigned bytes, uint64_t range)
{
    a->count = count;
    a->bytes = (uint16_t)bytes;
    for (int i = 0; i < count; i += 2) {
        uint64_t bits = random_u64(r);
        a->address[i] = (bits & (range - 1)) / bytes * bytes;
        a->address[i + 1] = (bits >> 32 & (range - 1)) / bytes * bytes;
    }
}

static inline void traffic_mix(struct mem_access *a, struct random *r)
{
    static const enum mem_kind kinds[16] = {
        MEM_LOAD,  MEM_LOAD,  MEM_LOAD,   MEM_LOAD,   MEM_LOAD,     MEM_LOAD,     MEM_LOAD,    MEM_STORE,
        MEM_STORE, MEM_STORE, MEM_ATOMIC, MEM_ATOMIC, MEM_CONSTANT, MEM_CONSTANT, MEM_TEXTURE, MEM_INSTRUCTION};
    uint64_t bits = random_u64(r);
    a->kind = kinds[bits & 15];
    a->wants_reply = a->kind != MEM_STORE || (bits & 16);
    a->wants_parts = bits & 32;
    a->bypasses_l1 = a->kind == MEM_ATOMIC || !(bits & 0x1c0);
    unsigned bytes = 4u << (bits >> 12 & 1);
    uint64_t range = UINT64_C(4096) << (bits >> 16 & 15);
    if (a->kind == MEM_INSTRUCTION)
        traffic_lanes(a, 1, 8, (bits >> 20 & 0x7fff) * 8, 0);
    else if (bits & 0x200)
        traffic_gather(a, r, 2 + 2 * (int)(bits >> 36 & 15), bytes, range);
    else
        traffic_lanes(a, 32, bytes, (bits >> 20 & 0xffff) * 4, bits & 0x400 ? bytes : 2 * bytes);
}

static inline void traffic_next(const struct traffic *t, int sm)
{
    struct traffic_sm *s = &t->sm[sm];
    struct mem_access *a = &s->access;
    uint64_t piece = ((uint64_t)s->issued * (uint64_t)t->sms + (uint64_t)sm) * 512;
    *a = (struct mem_access){.kind = MEM_LOAD, .sm = sm, .ticket = s->issued, .wants_reply = true};
    switch (t->kind) {
    case TRAFFIC_GATHER_FAR:
        traffic_gather(a, &s->random, 32, 4, 64 << 20);
        break;
    case TRAFFIC_GATHER_NEAR:
        traffic_gather(a, &s->random, 32, 4, 256 << 10);
        break;
    case TRAFFIC_STREAM:
        traffic_lanes(a, 32, 16, piece, 16);
        break;
    case TRAFFIC_COPY:
        a->kind = s->issued & 1 ? MEM_STORE : MEM_LOAD;
        a->wants_reply = a->kind == MEM_LOAD;
        piece = ((uint64_t)(s->issued / 2) * (uint64_t)t->sms + (uint64_t)sm) * 512;
        traffic_lanes(a, 32, 16, piece + (a->kind == MEM_STORE ? 1u << 30 : 0), 16);
        break;
    case TRAFFIC_L1:
        traffic_lanes(a, 32, 4, (uint64_t)(s->issued * 37 & 63) * 128, 4);
        break;
    default:
        traffic_mix(a, &s->random);
    }
}

static inline void traffic_open(struct traffic *t, const struct mem_config *config, enum traffic_kind kind, int sms,
                                uint32_t accesses, uint32_t most_out)
{
    *t = (struct traffic){.m = mem_create(config, sms),
                          .kind = kind,
                          .sms = sms,
                          .accesses = accesses,
                          .most_out = most_out,
                          .sm = calloc((size_t)sms, sizeof *t->sm)};
    for (int i = 0; i < sms; i++) {
        t->sm[i].random.state = (uint64_t)i * 1000003;
        traffic_next(t, i);
    }
}

static inline void traffic_close(struct traffic *t)
{
    mem_destroy(t->m);
    free(t->sm);
}

static inline void traffic_take_replies(struct traffic *t, int sm, uint64_t now)
{
    struct mem_reply r;
    while (mem_take_reply(t->m, sm, now, &r)) {
        t->sm[sm].out -= r.is_last;
        t->replies += (r.lanes ^ (uint64_t)r.ticket << 20 ^ r.cycle << 1 ^ r.is_hit) * 0x9e3779b97f4a7c15u;
    }
}

/* The first cycle from `from` on at which the multiprocessor can do anything, by what is known now. */
static inline uint64_t traffic_next_cycle(const struct traffic *t, int sm, uint64_t from)
{
    const struct traffic_sm *s = &t->sm[sm];
    uint64_t next = mem_next_reply(t->m, sm);
    if (s->issued < t->accesses && s->out < t->most_out) {
        uint64_t free = mem_kind_free(t->m, sm, s->access.kind, from);
        next = free < next ? free : next;
    }
    return next > from ? next : from;
}

/* What the multiprocessor does before cycle `end`. False if it will do nothing more. */
static inline bool traffic_run_sm(struct traffic *t, int sm, uint64_t begin, uint64_t end)
{
    struct traffic_sm *s = &t->sm[sm];
    for (uint64_t now = begin; (now = traffic_next_cycle(t, sm, now)) < end; now++) {
        traffic_take_replies(t, sm, now);
        if (s->issued == t->accesses || s->out == t->most_out || !mem_can_take(t->m, sm, s->access.kind, now))
            continue;
        int transactions;
        mem_issue(t->m, now, &s->access, &transactions);
        t->transactions += (uint64_t)transactions;
        s->out += s->access.wants_reply;
        s->issued++;
        traffic_next(t, sm);
    }
    return s->issued < t->accesses || s->out;
}

/* All of it. Gives the cycles. */
static inline uint64_t traffic_run(struct traffic *t)
{
    uint64_t quantum = mem_quantum(t->m);
    for (uint64_t end = quantum;; end += quantum) {
        bool busy = false;
        for (int sm = 0; sm < t->sms; sm++)
            busy |= traffic_run_sm(t, sm, end - quantum, end);
        mem_advance(t->m, end - 1);
        if (!busy && mem_next_event(t->m) == UINT64_MAX)
            return end;
    }
}

#endif
