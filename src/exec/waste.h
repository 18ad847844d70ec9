/*
 * Waste: what the functional engine counts beside sites (exec/site.h) for heddle explain: which branch left a lane
 * empty, how much of memory a warp touches, and what each thread does at chosen branches.
 *
 * A lane is empty in an issue because its thread is somewhere else: it went another way at a branch and the threads
 * have not met again, or it has ended. Each thread remembers the last control instruction at which the threads of its
 * warp parted; while its lane is empty, that instruction is charged. So a thread that has left a loop charges the
 * loop's exit, also while the others diverge again within the loop. Lanes that never had a thread, in a block whose
 * size is no multiple of 32, are charged to nobody.
 *
 * Sectors are those of 32 bytes, in which GPUs read and write global memory: an access of a warp touches each of its
 * sectors once, and a sector that a later access touches again counts again. Beside that, each sector and each word of
 * 4 bytes that the launch touches at all counts once: the sectors must come from or go to DRAM at least, and the words
 * say how many sectors another layout of the data would take. Shared, local and constant memory and textures are not
 * counted. Not modelled: caches.
 */
#ifndef HEDDLE_EXEC_WASTE_H
#define HEDDLE_EXEC_WASTE_H

#include <stdbool.h>
#include <stdint.h>

struct bound;
struct cohort;
struct engine;
struct program;

enum { WASTE_SECTOR_BYTES = 32, WASTE_SECTOR_WORDS = 8, WASTE_ALL_WORDS = (1 << WASTE_SECTOR_WORDS) - 1 };

/* What one thread did at the chosen branches. */
struct waste_thread {
    uint32_t executed; /* how often the thread came there */
    uint32_t taken;    /* how often it took the branch; of an indexed branch, the sum of the distances it went */
};

struct waste {
    uint64_t *parted;             /* [PC]: issues of this branch at which threads went different ways, or some ended */
    uint64_t *lost;               /* [PC]: lanes that were empty because threads parted at this instruction */
    uint64_t *sectors;            /* [PC]: sectors of global memory that accesses touched */
    uint64_t *bytes;              /* [PC]: bytes that the threads of these accesses asked for */
    uint64_t distinct;            /* sectors that the launch touched at all */
    uint64_t words;               /* words of 4 bytes that it touched in them */
    uint64_t longest;             /* issues of the warp with most of them */
    const bool *chosen;           /* [PC]: branches at which threads are counted one by one; NULL: none */
    struct waste_thread *threads; /* [thread of the grid]; NULL unless `chosen` is set */
    uint64_t *touched;            /* hash table of these sectors: number plus 1, and 8 bits for the words; 0: free */
    uint64_t touched_room;        /* a power of two; 0: there is no table yet */
};

struct waste *waste_create(const struct program *program);
void waste_destroy(struct waste *waste); /* `waste` may be NULL; frees `threads`, too */

/* ---- what the engine calls ---- */

/* Threads of the row at work are about to issue an instruction, of which the guard lets `active` execute. */
void waste_issue(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, uint32_t active);
/* A control instruction has sent the threads of `here` on their ways. */
void waste_parting(struct engine *e, const struct bound *in, const struct cohort *here);
/* Threads of the row at work access memory. `address`: by lane, in the instruction's space. */
void waste_access(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask);

#endif
