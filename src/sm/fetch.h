/*
 * Instruction supply through caches: a strand whose next instruction is not in its instruction buffer asks for it, and
 * is not ready until the instruction is decoded. Only machines with sm.fetch = icache have it; fetch.c says how it
 * works.
 */
#ifndef HEDDLE_SM_FETCH_H
#define HEDDLE_SM_FETCH_H

#include <stdbool.h>
#include <stdint.h>

struct sm;
struct strand;
struct fetch_unit;

enum { FETCH_TICKET = 1 << 30 }; /* memory tickets from here on belong to instruction fetches */

/* The instruction buffer of one strand; part of its strand_state. Each slice of a gang has a buffer of its own, with
 * the same instructions as the others (Rogers et al., ISCA 2015, section 4.3): one structure stands for all of them. */
struct fetch_buffer {
    int32_t place;    /* in the code, of the first instruction in the buffer, or of the fetch in flight */
    uint8_t decoded;  /* instructions from `place` on that are decoded */
    uint8_t arriving; /* instructions from `place` on that will be decoded when the fetch in flight is done */
    bool is_fetching; /* a request waits in a queue, or is in flight */
    bool is_served;   /* with is_fetching: the request has left the queue */
    uint32_t line_of; /* ticket of the miss that brings the line, if a strand that this one split from missed; else 0 */
    uint64_t due;     /* with is_served: cycle at which decoding is done; 0: the line is on its way */
};

/* In the instruction caches, of the instruction at a place in the code: its PC, unless operations of the mechanism
 * stand between instructions. */
uint64_t fetch_address(const struct sm *sm, int32_t place);
struct fetch_unit *fetch_create(struct sm *sm);
void fetch_destroy(struct fetch_unit *f);
bool fetch_has(struct sm *sm, struct strand *s);  /* whether the next instruction is decoded; asks for it if not */
void fetch_used(struct sm *sm, struct strand *s); /* the strand issued the first instruction of its buffer */
/* A strand is given other threads or another PC: fetch_split() of threads that it loses looks at what it had. */
void fetch_note_assign(struct sm *sm, const struct strand *s);
/* The new strand's threads were in `from` until its last assignment, and keep what its buffer held or awaited. */
void fetch_split(struct sm *sm, const struct strand *s, const struct strand *from);
/* The strand takes the threads of `from` over, at the same PC. */
void fetch_merge(struct sm *sm, const struct strand *s, const struct strand *from);
void fetch_done(struct sm *sm, int32_t strand, uint32_t generation); /* instructions for the strand are decoded */
void fetch_reply(struct sm *sm, uint32_t ticket);                    /* the memory system has brought a line */
void fetch_cycle(struct sm *sm);                                     /* serves the requests of one cycle */
uint64_t fetch_next(const struct sm *sm); /* next cycle at which a request can be served; SM_NEVER: none by itself */
bool fetch_waits(const struct sm *sm); /* requests wait until the L1 instruction cache takes a miss or brings a line */

#endif
