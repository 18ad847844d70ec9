/*
 * The coalescer: turns the addresses of an access's lanes into transactions, one per line that any lane touches (TBC
 * section 2), in the order in which lanes first touch the lines. A lane that straddles two lines takes part in both
 * transactions. Not modelled: the half- and quarter-warp rules by which hardware splits wide accesses.
 */
#ifndef HEDDLE_MEM_COALESCE_H
#define HEDDLE_MEM_COALESCE_H

#include "mem/mem.h"

enum { COALESCE_MAX = 128 }; /* two lines for each of 64 lanes */

struct transaction {
    uint64_t line;    /* address divided by the size of a line */
    uint64_t lanes;   /* lanes that touch the line, as bits */
    uint32_t touched; /* thirty-seconds of the line that are read or written, as bits */
    uint16_t passes;  /* for atomics: the largest number of lanes that share one address */
    uint8_t turn;     /* where the cache has several banks or ports: see mem/banked.h */
    uint8_t part;     /* of accesses that are issued together: which of them */
};

/* Gives the number of transactions written to `out`; -1 if there would be more than COALESCE_MAX. A line has
 * 2^line_shift bytes. Lanes share a transaction if they lie in one unit of 2^unit_shift bytes, no larger than a
 * line. Without `wants_parts`, `touched` is the whole line. */
int coalesce(const struct mem_access *access, unsigned line_shift, unsigned unit_shift, bool wants_parts,
             struct transaction *out);

#endif
