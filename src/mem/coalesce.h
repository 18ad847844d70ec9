/*
 * The coalescer: the lanes' addresses of an access become transactions, one for each line that any of them
 * touches (TBC section 2), in the order in which lanes first touch them. An access that straddles lines is
 * part of both. Not modelled: the half- and quarter-warp rules by which hardware takes wide accesses in
 * several turns.
 */
#ifndef HEDDLE_MEM_COALESCE_H
#define HEDDLE_MEM_COALESCE_H

#include "mem/mem.h"

enum { COALESCE_MAX = 128 }; /* transactions: two lines for each of 64 lanes */

struct transaction {
    uint64_t line;    /* address divided by the line's size */
    uint64_t lanes;   /* that need it */
    uint32_t touched; /* thirty-seconds of the line that are read or written */
    uint32_t passes;  /* lanes that fall on one address, at most; atomics alone */
};

/* Lines of 2^line_shift bytes; lanes share a transaction within a unit of 2^unit_shift bytes, no larger than
 * a line. Gives the number of transactions; -1 if there would be more than COALESCE_MAX. */
int coalesce(const struct mem_access *access, unsigned line_shift, unsigned unit_shift, bool wants_parts,
             struct transaction *out);

#endif
