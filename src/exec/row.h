/*
 * A row: the 32 threads of a block with consecutive ids, with their registers, call stacks and local memory.
 *
 * Every register, stack and local word has its place by row and lane, and keeps that place for the thread's life,
 * whatever strand executes the thread. The row also lists its cohorts: the functional engine keeps all live threads
 * there, the timed machine only those that wait at a barrier or a rendezvous.
 */
#ifndef HEDDLE_EXEC_ROW_H
#define HEDDLE_EXEC_ROW_H

#include "lanes/lanes.h"

enum cohort_state { COHORT_READY, COHORT_AT_BARRIER, COHORT_AT_RENDEZVOUS, COHORT_AT_CLUSTER };

/* Threads of one row at one PC. */
struct cohort {
    int32_t pc;
    int32_t depth;   /* nesting depth of calls; 0 in the kernel */
    uint32_t mask;   /* lanes of the threads */
    uint8_t state;   /* enum cohort_state */
    uint8_t barrier; /* number of the named barrier, while COHORT_AT_BARRIER */
};

/* Where a thread goes on when its current function returns. */
struct return_record {
    int32_t pc;
    uint32_t frame; /* the caller's frame pointer */
    uint32_t taken; /* the caller's row.taken */
    int32_t call;   /* index in the program's calls: says which results to copy and which registers to restore */
};

/* How the functional engine finds out that threads wait: see poll.h. */
struct poll {
    uint64_t writes;   /* engine.writes when the row began to watch the access below */
    uint64_t address;  /* of the lowest lane of the watched access */
    int32_t pc;        /* of the watched access */
    uint32_t seen;     /* other polling accesses since the watched one */
    uint32_t patience; /* of these, how many are seen before another access is watched */
    bool is_waiting;   /* the last access of the row only repeated the watched one */
};

struct row {
    uint8_t *planes;           /* registers: plane_count * PLANE_BYTES */
    uint8_t *local;            /* local memory as [word][lane], 4-byte words: one offset in all lanes is one plane */
    uint32_t live;             /* lanes whose thread has not ended */
    uint32_t first_thread;     /* linear id, in the block, of lane 0's thread */
    int32_t number;            /* index of the row on its multiprocessor; set and used by the timed machine only */
    uint32_t frame[ROW_LANES]; /* frame pointer by lane: byte offset in local memory */
    uint32_t taken[ROW_LANES]; /* bytes that alloca took above the current frame, with gaps for alignment (stack.c) */
    /* By lane: PC of the last branch at which the thread parted from other threads of its row; -1: it never did. Kept
     * only while waste is counted (exec/waste.h). */
    int32_t parted_at[ROW_LANES];
    uint64_t issued; /* warp instructions of the row; kept only while waste is counted */
    /* Turns of the functional engine (cohort.c). Times are in warp instructions. */
    uint64_t last_turn[ROW_LANES]; /* when the thread's last turn ended */
    uint64_t diverged_time;        /* time since the row last was one cohort, or since turns last changed */
    bool had_turns;                /* last_turn is not 0 for all lanes */
    bool by_turn;                  /* the cohort that waited longest runs, not the one with the lowest PC */
    struct poll poll;              /* what the row may be waiting for */
    int cohort_count;
    struct cohort cohort[ROW_LANES];
    struct return_record *returns; /* [depth][lane] */
    int return_capacity;           /* depths that `returns` has room for */
    uint32_t *saved;               /* [word][lane]: registers saved across recursive calls */
    uint32_t saved_capacity;       /* words per lane that `saved` has room for */
    uint32_t saved_top[ROW_LANES]; /* words that each lane has saved */
};

/* Adds ready threads at (pc, depth) to the row's cohorts; joins the ready cohort that is there, if any. */
void row_add_cohort(struct row *row, int32_t pc, int32_t depth, uint32_t mask);

#endif
