/*
 * The mechanism contract: who decides which threads travel together.
 *
 * A mechanism is one file with one `const struct div_ops`, listed in div/table.c. It owns the bookkeeping of divergence
 * (stacks, tables, frames, barriers) and creates, changes and retires strands through `struct div_host` and in no
 * other way; it never sees the pipeline, and knows time only as `host->now`. The pipeline owns strands, executes
 * their instructions, and calls the mechanism at these points, ordered by cycle, multiprocessor, strand:
 *
 *   prepare    once per kernel: may mark PCs at which it wants `arrive`
 *   launch     a block got its rows: make the first strands
 *   branch     a control instruction of a strand resolved (issue plus class latency); its live threads leave for one
 *              or more (pc, depth); until then the strand did not issue. Sums to the strand's threads, less those that
 *              ended. The mechanism gives the strand its next threads and PC, or retires it, and makes others.
 *              Also for a straight instruction that some threads of the strand did not pass together.
 *   arrive     straight-line advance brought the strand to a marked PC; once. Targets of branch, and PCs the mechanism
 *              itself gives to strands, are tested by the mechanism.
 *   exit       threads of the strand ended. Called before `branch` for the rest, if any are left in the strand; if none
 *              are, the mechanism retires the strand or gives it other threads.
 *   barrier    the strand's threads wait at a block barrier (or at a rendezvous, id -1); `block` is its first thread's.
 *              A block barrier opens when all live threads of the block have come, or as many as its count says; it never
 *              counts warps. Default: the strand is held until all its threads are released. A mechanism that runs one
 *              path of a warp at a time must let the others come too, so it retires a strand that is not the whole warp
 *              (div/parts/held.h). For threads of a retired strand that have passed already, `released` follows at once.
 *   released   threads it took over in `barrier` may go on at (pc, depth). Only for threads that are in no strand; all
 *              that one instruction lets go to that place, together.
 *   sync       the strand issued the next of the operations that the mechanism has it issue before the instruction at its PC
 *              (`host->calls.set_syncs`), on convergence barriers or a stack: the mechanism does it. It may assign the strand,
 *              or retire it.
 *   memory     some lines of a load are back and others are not: `hit` are the strand's threads whose data came now
 *              (in the first cache's latency for those it held), `miss` those that still wait. The strand may have gone
 *              on since; a mechanism that splits on it leaves `hit` or `miss` to another strand.
 *   commit     only with DIV_EVERY_INSTRUCTION, and then instead of `branch`: the strand left the pool at issue, and its
 *              instruction is done (results written, accesses answered, branch resolved, barrier passed). The outcomes
 *              say where all its live threads go; the mechanism assigns the strand anew or retires it. `exit` comes
 *              before it.
 *   idle       a cycle in which nothing issues: the first of a span, and those in which another call was made
 *   drained    the instructions of a strand that it asked `host->calls.drain` for are done
 *   tick       a cycle that it asked for with `host->calls.tick_at`; before the cycle's issue
 *   issue_cost cycles that a strand holds the lanes for an instruction of a class; 0: the machine's own rule
 *   check      panics if a live thread is not in exactly one strand or waiting set of the mechanism
 *   comes      whether a thread that is in no strand or in a parked one may yet run although all threads that run only
 *              repeat themselves: by time alone, or since the mechanism has decided anything from cycle `since` on that
 *              it may decide otherwise another time. Default: true, if it has `tick`, `idle`, `memory` or `commit`
 *   why        why a parked strand does not run, as the end of a sentence, for explanations
 *   where      PC at which a thread that is in no strand will go on, for explanations; PC_NONE: it cannot say
 *   dump       its state in words, for a deadlock report and the trace: paragraphs (a warp, a table), of which the lines
 *              but the first start with a blank; PCs as program_print_pc() names them
 *
 * An absent call has the default named here, or none. Between control points a mechanism without
 * DIV_EVERY_INSTRUCTION costs nothing: the pipeline advances the PC itself.
 */
#ifndef HEDDLE_DIV_CONTRACT_DIV_H
#define HEDDLE_DIV_CONTRACT_DIV_H

#include "base/knob.h"
#include "base/text.h"
#include "exec/strand.h"
#include "flow/program.h"
#include "stat/stat.h"

enum div_flag {
    DIV_EVERY_INSTRUCTION = 1, /* wants `commit` after each instruction */
    DIV_MIXES_BLOCKS = 2,      /* strands may hold threads of several blocks */
    DIV_IDEAL_LANES = 4,       /* the bound: W ready threads a cycle whatever their PC */
    DIV_IN_STEP = 8,  /* threads of a static warp execute together unless a branch parted them: div_is_in_step() */
    DIV_LIKELY = 16,  /* uses likely-convergence points */
    DIV_BARRIERS = 32 /* executes a plan of convergence barriers */
};

struct barrier_plan;
struct div_host;
/* The handle of a mechanism's state for one SM. Nobody defines this structure: each mechanism has a structure under its own
 * name (`struct pdom`), whose pointer `create` returns as a handle, and one function that turns the handle back (`pdom_of`). */
struct div;

/* Facts that stay constant for a launch. The SM fills them in before `create`. */
struct div_facts {
    const struct program *program;
    int width;                           /* W: threads of a static warp */
    int simd_width;                      /* p: lanes of the datapath; divides W */
    bool slots_are_lanes;                /* a thread's home slot is its lane: W is a row, and lanes are not swizzled */
    int schedulers;                      /* issue ports */
    const struct barrier_plan *barriers; /* with DIV_BARRIERS: the launch's, or those of post-dominators; else NULL */
    const int32_t
        *likely; /* by branch: likely-convergence points of a profile, or PC_NONE; NULL: the analysis has them */
};

/* What a mechanism may ask of the SM that it serves. */
struct div_calls {
    /* A new strand that may issue from the next cycle on. Its threads must be in no other strand. */
    struct strand *(*create)(struct div_host *host, int32_t pc, int32_t depth, const struct threads *threads,
                             int32_t lineage);
    /* The strand goes on with other threads, elsewhere. Threads it had and no longer has are the mechanism's. */
    void (*assign)(struct div_host *host, struct strand *strand, int32_t pc, int32_t depth,
                   const struct threads *threads);
    /* The strand is no more. Its threads are the mechanism's, or ended. */
    void (*retire)(struct div_host *host, struct strand *strand);
    /* The strand issues so many operations of the mechanism's own before the instruction at its PC; `sync` follows for
     * each. None after `create` and `assign`. */
    void (*set_syncs)(struct div_host *host, struct strand *strand, int count);
    /* Keeps a strand from issuing, and lets it issue again. */
    void (*park)(struct div_host *host, struct strand *strand);
    void (*unpark)(struct div_host *host, struct strand *strand);
    /* True: all instructions of the strand are done, memory has answered. Else it is parked, and `drained` follows when they
     * are; until then the strand is left as it is. */
    bool (*drain)(struct div_host *host, struct strand *strand);
    /* Rows of a resident block: first row and how many; rows of a block are consecutive. */
    void (*block_rows)(struct div_host *host, int32_t block, int32_t *first, int32_t *count);
    int32_t (*row_block)(struct div_host *host, int32_t row);
    uint32_t (*row_live)(struct div_host *host, int32_t row);    /* lanes whose thread has not ended */
    uint32_t (*row_running)(struct div_host *host, int32_t row); /* lanes in strands that are not parked */
    uint32_t (*row_waiting)(struct div_host *host,
                            int32_t row); /* lanes whose thread waits at a barrier or rendezvous */
    /* Whether threads `lanes` of a row, which are at a rendezvous, wait for one of `goal`: they name it, or they name a
     * thread at another rendezvous that waits for one of `goal` in turn. */
    bool (*waits_for)(struct div_host *host, int32_t row, uint32_t lanes, uint32_t goal);
    /* Home slots, one bit each, of a row's lanes. Threads of a strand must not share one. */
    uint64_t (*slots)(struct div_host *host, int32_t row, uint32_t lanes);
    /* Asks for `tick` at a cycle after `now`. The earliest one asked for counts until it has come. */
    void (*tick_at)(struct div_host *host, uint64_t cycle);
    /* Dual scoreboard: paths of the static warps that have these lanes part, or one ends. What is pending for them now is
     * seen by both sides until it is written (the shadow bits); what is issued from here on by its own side alone. */
    void (*fork)(struct div_host *host, int32_t row, uint32_t lanes);
    void (*join)(struct div_host *host, int32_t row, uint32_t lanes);
};

/* The SM as a mechanism sees it. */
struct div_host {
    struct div_facts facts;
    struct div_calls calls;
    uint64_t now; /* cycle */
    void *sm;     /* the SM; opaque to mechanisms */
};

/* What a mechanism wants of the SM in this run. The caller of `create` passes it zeroed; a mechanism that wants nothing
 * special leaves it as it is. */
struct div_wants {
    /* A thread is bound to its home slot modulo this, which is a lane with several slots, and takes any free one of them.
     * 0: to its home slot itself. Divides W. */
    int home_lanes;
    bool whole_loads; /* no `memory` calls in this run, though the mechanism has one */
    bool never_idle;  /* no `idle` calls in this run, though the mechanism has one */
    /* The lanes are cut into slices of so many, each with fetch, decode, issue and a scoreboard of its own, and strands on
     * disjoint slices issue in one cycle. 0: as the machine says. */
    int slice_lanes;
    /* Beside slice_lanes: strands of several slices, gangs, are fetched and issued before those of one, and at most so many
     * of them issue in a port's cycle. 0: strands of any size take turns, and as many as fit. */
    int gangs;
    int fetch_ports; /* beside slice_lanes: ports of the L1 instruction cache; 0: as the machine says */
};

/* A branch's likely-convergence point: the profile's or, of the analysis, the block that the backward branch ends, since
 * whoever comes to that comes in there; or PC_NONE. */
static inline int32_t div_likely_point(const struct div_host *host, int32_t branch)
{
    const struct program *p = host->facts.program;
    if (host->facts.likely)
        return host->facts.likely[branch];
    int32_t latch = p->branches[branch].likely;
    return latch == PC_NONE ? PC_NONE : p->blocks[p->insns[latch].block].first;
}

struct div_ops {
    const char *name;    /* as after --mech */
    const char *summary; /* one line */
    const char *paper;
    unsigned flags;                 /* enum div_flag */
    const struct knob_table *knobs; /* may be NULL */
    const struct stat_owner *stats; /* may be NULL */
    bool (*in_step)(
        const void *knob_values); /* beside DIV_IN_STEP: whether it holds with these knobs; NULL: with all */
    struct div *(*create)(struct div_host *host, const void *knob_values, struct div_wants *wants);
    void (*destroy)(struct div *div);
    void *(*counters)(struct div *div); /* the structure `stats` describes */

    void (*prepare)(struct div *div, uint8_t *marks); /* by PC */
    void (*launch)(struct div *div, int32_t block);
    void (*branch)(struct div *div, struct strand *s, const struct outcome *outcomes, int count);
    void (*arrive)(struct div *div, struct strand *s);
    void (*exit)(struct div *div, struct strand *s, const struct threads *ended);
    void (*barrier)(struct div *div, struct strand *s, int32_t block, int id);
    void (*released)(struct div *div, int32_t pc, int32_t depth, const struct threads *threads);
    void (*sync)(struct div *div, struct strand *s);
    void (*memory)(struct div *div, struct strand *s, const struct threads *hit, const struct threads *miss);
    void (*commit)(struct div *div, struct strand *s, const struct outcome *outcomes, int count);
    void (*idle)(struct div *div);
    void (*drained)(struct div *div, struct strand *s);
    void (*tick)(struct div *div);
    unsigned (*issue_cost)(struct div *div, const struct strand *s, enum op_class class);
    void (*check)(struct div *div);
    bool (*comes)(struct div *div, int32_t row, int lane, uint64_t since);
    void (*why)(struct div *div, const struct strand *s, struct text *out);
    int32_t (*where)(struct div *div, int32_t row, int lane);
    void (*dump)(struct div *div, struct text *out);
};

/* Whether threads of a static warp execute together unless a branch parted them, with the knobs of this run. */
static inline bool div_is_in_step(const struct div_ops *ops, const void *knob_values)
{
    return ops->flags & DIV_IN_STEP && (!ops->in_step || ops->in_step(knob_values));
}

#endif
