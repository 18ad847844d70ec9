/*
 * Findings: the branches of all kernels that cost most, what they are, and what would be gained by which remedy.
 *
 * Cost. A branch costs the lanes that stayed empty because threads parted there (exec/waste.h); divided by the lanes of
 * all issues of its kernel this is its share. At the bound all lanes are packed: the kernel issues as many warp
 * instructions as it has thread instructions, divided by 32.
 *
 * Time. Without a machine, time is the largest of three terms, in issue slots of a multiprocessor of an H200:
 *     warp instructions;
 *     sectors of global memory that accesses touch: FINDING_L1_ISSUES each for loads, which the L1 cache has to look
 *     up, and FINDING_L2_ISSUES for stores and atomics, which go to the L2 cache;
 *     sectors that are touched at all, which come from DRAM: FINDING_DRAM_ISSUES each.
 *
 * Gain. Every remedy that fits is simulated as a variant of the run (remedy.h). On a machine its gain is that in
 * cycles, otherwise that of the time above. It is promised if it is FINDING_PROMISE or more, and so large also if
 * memory and issue do not overlap at all, that is by the sum of issues and the larger term of memory. The launch must
 * have enough warps that the longest one is not the last thing that runs, which is said as the least number of blocks
 * (struct finding_gain).
 *
 * Memory. A kernel that moves at least FINDING_SECTOR_EXCESS times the bytes that its threads asked for, and whose
 * accesses take longer than its issues, has a finding at the access with the most sectors in excess. The finding costs
 * the time that would be saved without the excess. No remedy of it is simulated.
 *
 * Nothing to gain. A kernel whose time at the bound, with full warps and no sector in excess, is not FINDING_LEAST_GAIN
 * times shorter, by the time above or on the machine; or which only diverges at edges.
 */
#ifndef HEDDLE_EXPLAIN_FINDING_H
#define HEDDLE_EXPLAIN_FINDING_H

#include "explain/remedy.h"

/* A kernel that leaves fewer lanes empty than this has nothing to gain: the remedies cost about as much. */
#define FINDING_LEAST_LOSS 0.05
/* A branch below this share of its kernel's lanes is not worth a finding. */
#define FINDING_LEAST_SHARE 0.01
/* Gains below the first are not worth a change; those below the second are within what the model may be wrong by. */
#define FINDING_LEAST_GAIN 1.1
#define FINDING_PROMISE    1.2
/* Sectors moved over sectors needed, from which on accesses are scattered: a stride of two is not yet. */
#define FINDING_SECTOR_EXCESS 2.5

enum {
    /* Issue slots of a multiprocessor, which has four per cycle, in the time of one sector: its L1 cache gives 128
     * bytes per cycle; its link to the L2 cache takes 64; its share of DRAM is 4.8 TB/s over 132 multiprocessors at
     * 1.7 GHz, 21 bytes per cycle. */
    FINDING_L1_ISSUES = 1,
    FINDING_L2_ISSUES = 2,
    FINDING_DRAM_ISSUES = 6,
    FINDING_SCHEDULERS = 528,     /* of an H200: 132 multiprocessors with four each */
    FINDING_DEPENDENT_CYCLES = 4, /* from an instruction to the next of the same warp that needs its result */
};

/* One variant of the run. */
struct finding_variant {
    const struct remedy *remedy;
    int kernel;                  /* whose threads are sorted; -1: a pass over all kernels */
    const char *block;           /* by whose branch they are sorted; NULL: a pass */
    char *option, *value;        /* of heddle run. Owned */
    bool has_run, has_run_timed; /* the results below are there */
    struct evidence result, timed;
    char *said; /* what the run printed: why passes left places alone. Owned */
};

/* What a remedy gains a finding's kernel. */
struct finding_gain {
    const struct remedy *remedy;
    const struct finding_variant *variant; /* the best one; NULL: none changed the kernel */
    double issues;                         /* warp instructions before over after */
    double sectors;                        /* sectors before over after; 1 if there are none */
    double time;                           /* time before over after */
    double apart;                          /* likewise, if memory and issue do not overlap */
    double cycles;                         /* cycles before over after; 0: there is no machine */
    uint64_t least_blocks; /* blocks that a launch needs for the gain, if it is not simulated on a machine */
    bool is_promised;
    char *refusal; /* why no variant changed the kernel; NULL: one did. Owned */
};

struct finding {
    enum explain_kind kind;
    int kernel;                           /* index into the evidence */
    const struct evidence_branch *branch; /* NULL: the finding is an access to memory */
    const struct evidence_access *access;
    double share;     /* of the kernel's lanes that are lost; of a memory finding, of its sectors that are in excess */
    double of_launch; /* the same share of all kernels' time, by which findings are sorted */
    bool
        is_minor; /* not the branch that costs its kernel most, and too small to gain FINDING_LEAST_GAIN: no remedies */
    int gain_count;
    struct finding_gain gains[REMEDY_COUNT]; /* best first */
};

/* A kernel as a whole. */
struct finding_kernel {
    double loss;   /* share of its lanes that are empty */
    double bound;  /* times as many issues as at the bound */
    double excess; /* sectors moved over sectors needed; 0: none */

    double best;                 /* its time over that at the bound */
    double cycles, bound_cycles; /* on the machine; 0: there is none */
    bool has_promise;
};

struct findings {
    const struct evidence *evidence;
    struct vec_of(struct finding) list;
    struct finding_kernel *kernels; /* by kernel of the evidence */
    struct vec_of(struct finding_variant) variants;
    int most;
};

/* Finds what costs most, at most `most` branches; evidence must be joined and outlive the findings. */
void findings_open(struct findings *f, const struct evidence *evidence, int most);
void findings_close(struct findings *f);
/* Plans the variants that are to be run for the findings: `variants`, without results. */
void findings_plan(struct findings *f);
/* Judges gains from the variants that have run. `timed` is the evidence of the plain run on the machine, and `bound` of
 * that under the mechanism bound; NULL: there is no machine. */
void findings_judge(struct findings *f, const struct evidence *timed, const struct evidence *bound);

/* Whether nothing can be gained in the kernel; `why` then gets the reason, which needs no freeing. */
bool findings_are_none(const struct findings *f, int kernel, const char **why);

#endif
