/*
 * Drafts: what blocks that run before their turn have read and written in global memory.
 *
 * With several host threads, the functional engine runs stretches of consecutive blocks side by side (ahead.h). Until a
 * stretch's turn comes, its stores and its atomics without a result are kept in a draft, and the draft notes what the
 * stretch read. When its turn comes, the draft is good if no earlier stretch has meanwhile written what it read; then
 * its writes go to memory. Memory itself does not change while stretches run side by side.
 *
 * Reads are noted in units of 32 bytes, by pages of 1 KB. Of an allocation that no block has written so
 * far, only the fact that it was read is noted, which costs next to nothing.
 *
 * Some instructions cannot be executed before their turn: an atomic with a result, printf, a read of a clock. They wait
 * (draft_take_turn()). From then on the stretch is the only one that runs, and it writes to memory itself; what it
 * writes is still noted, so that drafts of later stretches can be judged.
 */
#ifndef HEDDLE_EXEC_AHEAD_DRAFT_H
#define HEDDLE_EXEC_AHEAD_DRAFT_H

#include "exec/posted.h"
#include "exec/transfer.h"
#include "exec/writers.h"

enum {
    DRAFT_PAGE_SHIFT = 10,
    DRAFT_PAGE_BYTES = 1 << DRAFT_PAGE_SHIFT,
    DRAFT_UNIT_SHIFT = 5,        /* a page has 32 units, one for each bit of a word */
    DRAFT_MOST_PAGES = 4096,     /* of a draft: beyond, its stretch waits for its turn */
    DRAFT_MOST_ATOMICS = 1 << 16 /* likewise */
};

/* Bits of draft.use, by area. */
enum { AREA_READ = 1, AREA_WRITTEN = 2 };

/* The host memory of an allocation, or of several that share some of it. */
struct draft_area {
    uintptr_t first, end;
    uintptr_t shift; /* a byte at `host` has its place in pages at host + shift: the area begins with a page */
    bool is_hot;     /* a block has written it in an earlier round, so its reads are noted unit by unit */
    bool is_written; /* a stretch has written it in this round */
    bool is_texture; /* texture fetches may read it */
};

/* What is known of a page of an area. Words have one bit for each unit. */
struct draft_page {
    uintptr_t number;  /* of the page: place >> DRAFT_PAGE_SHIFT */
    uint32_t read;     /* units that were read before the stretch wrote all bytes of the access itself */
    uint32_t written;  /* units with bytes that were written */
    uint32_t deferred; /* units with atomics that wait for the stretch's turn */
    uint8_t *home;     /* host memory where the page begins; holds only with `bytes` */
    uint8_t *bytes;    /* the written bytes, then a mask with one bit for each byte; NULL: none */
};

/* Pages by number. */
struct draft_map {
    struct draft_page *pages;
    uint32_t *slot; /* open hash table: 1 + index of a page; 0: empty */
    uint32_t count, page_capacity, slot_count;
};

/* What the drafts of a round share. Stretches that run side by side only read it. */
struct draft_board {
    struct draft_area *areas; /* in ascending order */
    int area_count;
    struct draft_map written; /* what stretches whose turn has come have written in this round */
    bool is_cut;              /* memory was written without a note: no later draft of the round can be judged */
};

struct draft {
    struct draft_board *board;
    struct draft_map map;
    uint8_t *use;              /* by area */
    int32_t *recent;           /* by PC: the area that the instruction accessed last; belongs to the host thread */
    uint8_t **slabs;           /* storage of written bytes */
    int slab_count;            /* slabs that exist */
    uint32_t chunks;           /* chunks of the slabs that are in use */
    struct posted log;         /* atomics that wait */
    uint32_t earlier;          /* of these, atomics of blocks before the one at work */
    uint64_t changed_earlier;  /* of those, atomics that changed memory when the draft was committed */
    struct writers_log *looks; /* of the check for blocks that write one word (writers.h) */
    bool reads_textures;
    bool has_turn;     /* the stretch runs alone and writes to memory itself */
    bool is_abandoned; /* the draft is no good: the stretch is to end at once */
    /* Waits for the turn. False: the draft is no good. */
    bool (*await)(void *context);
    void *context;
};

/* Fills the board with the allocations of device memory. */
void draft_board_open(struct draft_board *b, const struct launch *launch);
/* Begins a round. */
void draft_board_reset(struct draft_board *b);
void draft_board_close(struct draft_board *b);

/* Empties the draft for another stretch. */
void draft_reset(struct draft *d, struct draft_board *board);
void draft_close(struct draft *d);
/* Whether nothing that the draft read was written in this round. */
bool draft_is_good(const struct draft *d);
/* Makes the draft's writes visible, and gives the number of atomics that changed memory. */
uint64_t draft_commit(struct draft *d);

/* The draft of the blocks at work; NULL: they write to memory, or to the posted writes of a machine. */
static inline struct draft *draft_of(const struct engine *e)
{
    return e->posted ? e->posted->draft : NULL;
}

/* Waits for the turn of the stretch. False: its draft is no good, and the instruction is not to be executed. */
bool draft_take_turn(struct engine *e);
/* To be called before an instruction with ORDER_TURN. False: as above. */
bool draft_admits(struct engine *e, const struct bound *in);

/* Loads and stores of global memory whose addresses were checked, as transfer_global(). False: as above. */
bool draft_load(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set);
bool draft_store(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set);
/* Whether the instruction is a load that may go to memory itself if it lies in the segment: a draft then needs to know
 * nothing more of it. */
bool draft_lets_load(const struct engine *e, const struct bound *in, const struct segment *s);
/* Copies bytes of global memory as the stretch sees them. False: as above. */
bool draft_read(struct engine *e, const struct bound *in, const uint8_t *host, void *into, uint64_t bytes);
/* Prepares an access of bytes in memory itself, as matrices are accessed, or an atomic with a result. False: as
 * above. */
bool draft_reach(struct engine *e, const struct bound *in, uint8_t *host, uint64_t bytes, bool is_write);
/* Keeps one lane's atomic without a result until the turn comes. False: it cannot be kept. */
bool draft_defer(struct engine *e, const struct bound *in, uint8_t *host, const uint64_t *operands, int count);

#endif
