/*
 * The mechanism contract: what the pipeline of an SM (streaming multiprocessor) tells a divergence mechanism, and what
 * the mechanism may ask of the pipeline.
 *
 * A strand is a set of threads at one PC that the pipeline issues together: a warp, a warp split or a compacted warp.
 * The mechanism decides which strands exist and which threads are in each. The pipeline owns the strands, executes
 * their instructions and keeps time. Between two calls the mechanism costs nothing: the pipeline advances the PC of a
 * strand along straight-line code by itself.
 *
 * A mechanism is one `const struct div_ops`, listed in div/table.c. It keeps the bookkeeping of divergence (stacks,
 * tables, barriers), and creates, changes and retires strands only through `host->calls`. It never sees the pipeline,
 * and knows time only as `host->now`, in cycles. Every live thread is in exactly one place: in a strand, or with the
 * mechanism (on a stack, in a table, at a barrier). `create` moves threads from the mechanism into a strand; `assign`
 * and `retire` move threads back.
 *
 * The pipeline calls in the order of cycles, and within a cycle in the order of SMs and strands. A call that a
 * mechanism leaves out (NULL) has the default named below, or does nothing. `create`, `destroy`, `launch` and `exit`
 * are required, and `branch` or `commit`.
 *
 *   prepare    Once per kernel, before the first launch. The mechanism marks the PCs at which it wants `arrive`.
 *   launch     A block has got its rows. The mechanism creates the block's first strands.
 *   branch     A control instruction of the strand has resolved: its class's latency after it issued. The outcomes say
 *              where the strand's live threads go, as one or more (pc, depth); together they are all threads of the
 *              strand. The strand has not issued since. The mechanism assigns the strand its next threads and PC, or
 *              retires it, and may create others. `branch` also follows an instruction that is no branch if some
 *              threads of the strand did not pass it together with the rest.
 *   part       `branch` for a direct branch of a strand no two of whose threads share a lane, on a machine with
 *              facts.slots_are_lanes: the threads with lanes `taken` go to `target`, the others to the next PC.
 *              Default: `branch`, for which the threads are listed row by row.
 *   pass       `part` for a strand all of whose threads go to `pc`, called when the branch issues. True: the mechanism
 *              is not called again for this branch. When it resolves, the pipeline moves the strand to `pc`, with the
 *              threads that it has. False, and nothing has changed: `part` follows when the branch resolves. Never
 *              called in runs with `sync`. Default: false.
 *   arrive     The strand has come to a marked PC by straight-line advance; called once per arrival. For branch
 *              targets, and for PCs that the mechanism itself gives to a strand, the mechanism looks by itself.
 *   exit       Threads of the strand have ended, and are in it no more. `branch` or `commit` follows if threads are
 *              left in the strand; if none are, the mechanism retires the strand or assigns it other threads.
 *   barrier    Threads of the strand wait at a block barrier (id 0) or at a rendezvous of a warp-level operation (id
 *              -1). `block` is the resident block of the strand's first thread. A block barrier opens when all live
 *              threads of the block have arrived, or as many as its count says; it counts threads, never warps.
 *              Default: the strand is held until all its threads are released. A mechanism that runs one path of a warp
 *              at a time must let the warp's other paths arrive too, so it retires a strand that is not the whole warp
 *              (div/parts/held.h). If threads of a strand that the mechanism retires have passed the barrier already,
 *              `released` for them follows at once.
 *   released   Threads that the mechanism took over in `barrier` go on at (pc, depth). The call names only threads that
 *              are in no strand, and all threads that one instruction releases to that place.
 *   sync       The strand has issued one of the operations that `calls.set_syncs` placed before the instruction at its
 *              PC (on a convergence barrier or a stack). The mechanism carries the operation out. It may assign or
 *              retire the strand.
 *   memory     Some lines of a load have returned and others have not. `hit`: threads of the strand whose data came now
 *              (lines that the first-level cache held come after its latency). `miss`: threads that still wait. The
 *              strand may have issued more instructions since the load. A mechanism that splits the strand moves `hit`
 *              or `miss` to another one. With `ready_parts`: some slices of a gang have the registers of its next
 *              instruction (`hit`), and others wait for memory (`miss`), whether or not data came in this cycle.
 *   loaded     Only with `wants.hears_loads`: data of a load has returned for these lanes of a row. Their threads may
 *              be in a strand or with the mechanism.
 *   commit     Only with DIV_EVERY_INSTRUCTION, where `commit` takes the place of `branch`: an instruction of the
 *              strand is done (results written, accesses answered, branch resolved, barrier passed). The strand could
 *              not issue since that instruction issued. The outcomes say where all its live threads go. The mechanism
 *              assigns or retires the strand.
 *   advance    Only with DIV_EVERY_INSTRUCTION: `commit` for a straight instruction or a direct branch after which all
 *              threads of the strand go to `pc` at the call depth that they have. (Where threads of a strand share a
 *              lane, `commit` may follow such a branch all the same.) True: the strand keeps its threads, and the
 *              pipeline moves it to `pc` as `calls.assign` does. False: the mechanism has assigned, parked or retired
 *              the strand. Default: `commit` with one outcome, for which the strand's threads are copied.
 *   idle       Nothing issues in this cycle. Called in the first cycle of such a span, and in each later cycle of the
 *              span in which the pipeline made another call.
 *   resume     Something has issued in this cycle, the first one after a span for which `idle` was called.
 *   drained    All instructions of a strand for which `calls.drain` returned false are done.
 *   spilled    Only with `wants.spills`: a move that the mechanism asked for with `calls.spill` has gone to memory as
 *              `lines` lines, or (`is_done`) is done. For an entry that moves out the two are one call: the memory
 *              port has taken the store. For an entry that moves back a second call, with 0 lines, brings the data.
 *   tick       The cycle has come that the mechanism asked for with `calls.tick_at`. Nothing has issued in it yet.
 *   issue_cost Cycles for which an instruction of the class, issued by the strand, occupies the lanes. 0: the machine's
 *              own rule. `working`: home slots of the threads that execute the instruction. Threads that its guard
 *              turns off do not; at a control instruction all threads of the strand work, since each must learn where
 *              it goes.
 *   unit_cost  With `issue_cost`, for instructions for which that is not 0: cycles for which the instruction holds its
 *              unit, a copy of which takes p threads in `interval` cycles. 0, or no call: issue_cost times `interval`.
 *   check      For tests: panics unless every live thread is in exactly one strand or one waiting set of the mechanism.
 *   comes      For the livelock detector, when all running threads only repeat themselves: whether this thread, which
 *              is in no strand or in a parked one, may still run. True if time alone can bring that about, or if the
 *              mechanism has decided something since cycle `since` that it may decide otherwise another time. Default:
 *              true if the mechanism has `tick`, `idle`, `memory`, DIV_EVERY_INSTRUCTION or DIV_BARRIERS.
 *   why        Says why a parked strand does not run ("waits for ..."), for deadlock reports.
 *   where      The PC at which a thread that is in no strand will go on, for reports. PC_NONE: not known.
 *   cost       What the mechanism takes in hardware on a machine, for `heddle list area`; see div/contract/cost.h.
 *              Every mechanism of div/table.c has it. A bound that no hardware could have says so (cost_ideal()).
 *   dump       Prints the mechanism's state, for deadlock reports and the trace, without changing it. One paragraph per
 *              warp or table: its first line starts at the margin, the others with a blank. PCs as program_print_pc()
 *              names them.
 */
#ifndef HEDDLE_DIV_CONTRACT_DIV_H
#define HEDDLE_DIV_CONTRACT_DIV_H

#include "base/knob.h"
#include "base/text.h"
#include "exec/strand.h"
#include "flow/program.h"
#include "stat/stat.h"

enum div_flag {
    DIV_EVERY_INSTRUCTION = 1, /* the mechanism wants `commit` after each instruction */
    DIV_MIXES_BLOCKS = 2,      /* a strand may hold threads of several blocks */
    DIV_IDEAL_LANES = 4,       /* the lanes take any W ready threads per cycle, whatever their PCs */
    DIV_IN_STEP = 8,   /* threads of a static warp execute together unless a branch split them: div_is_in_step() */
    DIV_LIKELY = 16,   /* the mechanism uses likely-convergence points */
    DIV_BARRIERS = 32, /* the mechanism executes a plan of convergence barriers */
    /* with DIV_IDEAL_LANES: every instruction takes its least time, and limits are counted apart */
    DIV_LEAST_TIME = 64,
    /* Strands hold threads of one static warp. Threads that diverge at a branch wait for each other at its
     * reconvergence point, so that all threads of a strand have come to its PC the same number of times. */
    DIV_ONE_ITERATION = 128
};

/* Which strand may issue beside another one of its port, in the same cycle and on lanes that the other leaves free. */
enum div_pairing {
    DIV_PAIR_NONE,       /* none */
    DIV_PAIR_SAME_WARP,  /* a strand of the same lineage */
    DIV_PAIR_OTHER_WARP, /* a strand of another lineage */
    DIV_PAIR_ANY         /* a strand of the same lineage or, if none fits, of another one */
};

/* Strands that issued as the second of a pair. */
struct div_pairs {
    uint64_t same_warp, other_warp, threads;
};

/* Which lane a thread has: its place in its warp (i of W), changed by the number of its warp on the SM (w). */
enum div_lane_map {
    DIV_LANES_MACHINE,     /* as the machine says: i, or (i + w) mod W with sm.lane_swizzle */
    DIV_LANES_MIRROR_ODD,  /* W - 1 - i in warps with an odd number */
    DIV_LANES_MIRROR_HALF, /* W - 1 - i in the second half of the warps that fit on the SM */
    DIV_LANES_XOR,         /* i xor w, modulo W */
    DIV_LANES_XOR_REVERSED /* i xor the bits of w in reverse order, modulo W */
};

/* Which instructions of an ISA-controlled call-return stack a program has (div/parts/stack_code.h): none; sync
 * instructions at reconvergence points; or pushes ahead of branches, too. */
enum div_stack_syncs { DIV_NO_STACK_SYNCS, DIV_STACK_SYNCS, DIV_STACK_PUSHES };

struct barrier_plan;
struct cost;
struct div_host;
/* The handle of a mechanism's state for one SM. Nobody defines this structure: each mechanism has a structure under its
 * own name (`struct pdom`), whose pointer `create` returns as a handle, and one function that turns the handle back
 * (`pdom_of`). */
struct div;

/* Facts that stay constant for a launch. The SM fills them in before `create`; a mechanism only reads them. */
struct div_facts {
    const struct program *program;
    int width;                        /* W: threads of a static warp */
    int simd_width;                   /* p: lanes of the datapath; divides W */
    bool slots_are_lanes;             /* a thread's home slot is its lane: W is 32, and lanes are not swizzled */
    int schedulers;                   /* issue ports of the SM */
    bool orders_by_key;               /* the scheduler orders strands by their keys; else only a key's sign counts */
    enum div_stack_syncs stack_syncs; /* of the machine's instruction set */
    /* With DIV_BARRIERS: the launch's plan, or one barrier for each post-dominator. Else NULL. */
    const struct barrier_plan *barriers;
    /* With DIV_IDEAL_LANES: a strand may have several threads of a row, each of which counts as a strand of its own.
     * The pipeline splits and joins such strands (sm/bundles/bundles.h). Threads that `split` takes from a strand may
     * issue at once, as if they had been alone. */
    bool bundles;
    const int32_t *likely; /* by branch: the profile's likely-convergence point, or PC_NONE. NULL: use the analysis's */
};

/* An entry of a reconvergence stack that moves to memory or back. */
struct div_spill {
    int32_t stack, entry; /* numbers of the stack on its SM, from 0 on, and of the entry in it */
    int32_t bytes;        /* of an entry; a multiple of 8, up to 512 */
    bool is_out;          /* the entry moves to memory */
};

/* What a mechanism may ask of its SM. */
struct div_calls {
    /* Makes a strand of threads that are in no other strand. It may issue from the next cycle on. `lineage`: number of
     * the static warp or pool slot that the strand descends from, for schedulers. */
    struct strand *(*create)(struct div_host *host, int32_t pc, int32_t depth, const struct threads *threads,
                             int32_t lineage);
    /* `create`, with the lineage of `from`, for threads that the last `assign` took from `from`: each slice of the
     * lanes has an instruction buffer, so the threads keep the instructions that `from` had decoded or fetched. */
    struct strand *(*split)(struct div_host *host, const struct strand *from, int32_t pc, int32_t depth,
                            const struct threads *threads);
    /* The strand continues at (pc, depth) with these threads. Threads that the strand loses become the mechanism's. */
    void (*assign)(struct div_host *host, struct strand *strand, int32_t pc, int32_t depth,
                   const struct threads *threads);
    /* Ends `from`, and `strand`, which is at the same point, goes on with `threads`: its own and those of `from`. The
     * strand keeps a decoded instruction only if both had it. */
    void (*merge)(struct div_host *host, struct strand *strand, struct strand *from, const struct threads *threads);
    /* Ends the strand. Its threads become the mechanism's, unless they have ended. */
    void (*retire)(struct div_host *host, struct strand *strand);
    /* The strand issues `count` operations of the mechanism before the instruction at its PC; `sync` follows for each.
     * `create` and `assign` set the count to 0. */
    void (*set_syncs)(struct div_host *host, struct strand *strand, int count);
    /* The strand does not issue before this cycle. UINT64_MAX: not before `let_go`. */
    void (*hold)(struct div_host *host, struct strand *strand, uint64_t cycle);
    void (*let_go)(struct div_host *host, struct strand *strand); /* ends a hold: the strand may issue from now on */
    void (*park)(struct div_host *host, struct strand *strand);   /* keeps the strand from issuing */
    void (*unpark)(struct div_host *host, struct strand *strand); /* lets a parked strand issue again */
    /* True: all instructions of the strand are done, and memory has answered. False: the strand is parked, `drained`
     * follows when they are done, and the mechanism leaves the strand alone until then. */
    bool (*drain)(struct div_host *host, struct strand *strand);
    /* Rows of a resident block: the first row and the number of rows. The rows of a block are consecutive. */
    void (*block_rows)(struct div_host *host, int32_t block, int32_t *first, int32_t *count);
    int32_t (*row_block)(struct div_host *host, int32_t row);    /* the resident block that has the row */
    uint32_t (*row_live)(struct div_host *host, int32_t row);    /* lanes whose thread has not ended */
    uint32_t (*row_running)(struct div_host *host, int32_t row); /* lanes whose thread is in an unparked strand */
    uint32_t (*row_waiting)(struct div_host *host, int32_t row); /* lanes whose thread is at a barrier or rendezvous */
    /* Whether threads `lanes` of a row, which are at a rendezvous, wait for a thread of `goal`: they name it, or they
     * name a thread at another rendezvous that waits for a thread of `goal` in turn. */
    bool (*waits_for)(struct div_host *host, int32_t row, uint32_t lanes, uint32_t goal);
    /* Whether the instruction at `pc` needs a register that a load of these threads has still to write. */
    bool (*awaits_load)(struct div_host *host, int32_t pc, const struct threads *threads);
    /* Home slots of a row's lanes, one bit per slot. No two threads of a strand may share a home slot. */
    uint64_t (*slots)(struct div_host *host, int32_t row, uint32_t lanes);
    /* Thread instructions that the SM has issued in this launch, for mechanisms that measure their own performance. */
    uint64_t (*thread_instructions)(struct div_host *host);
    /* Strands of the SM whose next instruction lacks nothing but, at most, a free unit or memory port. */
    int (*ready)(struct div_host *host);
    /* Asks for `tick` at a cycle after `now`. Of several requests the earliest stands until its cycle has come. */
    void (*tick_at)(struct div_host *host, uint64_t cycle);
    /* Moves a stack entry to memory or back, as an access of its own at the data cache port; `spilled` follows. Needs
     * `wants.spills`. */
    void (*spill)(struct div_host *host, const struct div_spill *move);
    /* Dual scoreboard, for the static warps that have these lanes: their paths diverge (`fork`), or one path ends
     * (`join`). Registers that are pending now block both sides until they are written (the shadow bits); registers of
     * later instructions block only their own side. */
    void (*fork)(struct div_host *host, int32_t row, uint32_t lanes);
    void (*join)(struct div_host *host, int32_t row, uint32_t lanes);
};

/* The SM as its mechanism sees it. */
struct div_host {
    struct div_facts facts;
    struct div_calls calls;
    uint64_t now; /* the current cycle */
    void *sm;     /* the SM itself; mechanisms do not look inside */
};

/* What a mechanism wants of the SM in this run. The caller of `create` passes the structure zeroed; a mechanism that
 * wants nothing special leaves it as it is. */
struct div_wants {
    /* Lanes of the SM to which threads are bound: lane = home slot modulo `home_lanes`. Each lane then has several
     * slots, and a thread takes any free one of them. Divides W. 0: a thread is bound to its home slot itself. */
    int home_lanes;
    bool whole_loads; /* no `memory` calls in this run, though `memory` is not NULL */
    bool hears_loads; /* `loaded` is called */
    bool ready_parts; /* `memory` tells which members of a gang are ready, not which data have returned; with slices */
    bool spills;      /* `calls.spill` may be called, and `spilled` is */
    bool never_idle;  /* no `idle` calls in this run, though `idle` is not NULL */
    bool never_syncs; /* no `set_syncs` in this run, though `sync` is not NULL */
    /* By PC: operations of `set_syncs` that stand ahead of the instruction in the code, and are fetched as instructions
     * are. The mechanism's own, and constant. NULL: operations are not fetched. */
    const uint16_t *code_syncs;
    /* Lanes per slice. Each slice has its own fetch, decode, issue and scoreboard, and strands on disjoint slices issue
     * in one cycle. 0: as the machine is configured. */
    int slice_lanes;
    /* With slice_lanes: gangs, which are strands on several slices, are fetched and issued before strands on one slice,
     * and at most this many gangs issue per port and cycle. 0: strands of any size take turns, and as many issue as
     * fit. */
    int gangs;
    int fetch_ports; /* with slice_lanes: ports of the L1 instruction cache. 0: as the machine is configured */
    /* At most two strands issue per port and cycle, on disjoint lanes; the scheduler picks the first one, and the
     * second is, among those that `pairing` allows and that fit, the one with most threads. */
    enum div_pairing pairing;
    int pair_sets; /* with pairing: sets that a port's warps are dealt to; only warps of one set pair; 0: all */
    struct div_pairs *pairs;    /* with pairing: where the pipeline counts second strands */
    enum div_lane_map lane_map; /* home slots of threads */
    /* Each warp runs on one lane, so many of its threads at a time, and every lane issues on its own (sm/warp_lanes.h).
     * 0: the threads of a warp have a lane each. */
    int lane_threads;
};

/* A branch's likely-convergence point, or PC_NONE. Without a profile it is the first PC of the block that ends with the
 * loop's backward branch: every thread that comes to the backward branch enters its block there. */
static inline int32_t div_likely_point(const struct div_host *host, int32_t branch)
{
    const struct program *p = host->facts.program;
    if (host->facts.likely)
        return host->facts.likely[branch];
    int32_t latch = p->branches[branch].likely;
    return latch == PC_NONE ? PC_NONE : p->blocks[p->insns[latch].block].first;
}

struct div_ops {
    const char *name;               /* as --mech takes it */
    const char *summary;            /* one or more whole sentences, for lists */
    const char *paper;              /* where the mechanism is described */
    unsigned flags;                 /* enum div_flag */
    const struct knob_table *knobs; /* NULL: the mechanism has none */
    const struct stat_owner *stats; /* NULL: the mechanism counts nothing */
    const char *compaction_knob;    /* the knob whose `no` keeps threads in their static warps; NULL: there is none */
    bool (*in_step)(const void *knob_values); /* with DIV_IN_STEP: whether it holds with these knobs. NULL: always */
    struct div *(*create)(struct div_host *host, const void *knob_values, struct div_wants *wants);
    void (*destroy)(struct div *div);
    void *(*counters)(struct div *div); /* the structure that `stats` describes */

    void (*prepare)(struct div *div, uint8_t *marks); /* marks: by PC */
    void (*launch)(struct div *div, int32_t block);
    void (*branch)(struct div *div, struct strand *s, const struct outcome *outcomes, int count);
    void (*part)(struct div *div, struct strand *s, int32_t target, uint32_t taken);
    bool (*pass)(struct div *div, struct strand *s, int32_t pc);
    void (*arrive)(struct div *div, struct strand *s);
    void (*exit)(struct div *div, struct strand *s, const struct threads *ended);
    void (*barrier)(struct div *div, struct strand *s, int32_t block, int id);
    void (*released)(struct div *div, int32_t pc, int32_t depth, const struct threads *threads);
    void (*sync)(struct div *div, struct strand *s);
    void (*memory)(struct div *div, struct strand *s, const struct threads *hit, const struct threads *miss);
    void (*loaded)(struct div *div, int32_t row, uint32_t lanes);
    void (*commit)(struct div *div, struct strand *s, const struct outcome *outcomes, int count);
    bool (*advance)(struct div *div, struct strand *s, int32_t pc);
    void (*idle)(struct div *div);
    void (*resume)(struct div *div);
    void (*drained)(struct div *div, struct strand *s);
    void (*spilled)(struct div *div, int32_t stack, int lines, bool is_done);
    void (*tick)(struct div *div);
    unsigned (*issue_cost)(struct div *div, uint64_t working, enum op_class class);
    unsigned (*unit_cost)(struct div *div, uint64_t working, unsigned interval);
    void (*check)(struct div *div);
    bool (*comes)(struct div *div, int32_t row, int lane, uint64_t since);
    void (*why)(struct div *div, const struct strand *s, struct text *out);
    int32_t (*where)(struct div *div, int32_t row, int lane);
    void (*dump)(struct div *div, struct text *out);
    void (*cost)(struct cost *cost);
};

/* Whether, with the knobs of this run, threads of a static warp execute together unless a branch split them. */
static inline bool div_is_in_step(const struct div_ops *ops, const void *knob_values)
{
    return ops->flags & DIV_IN_STEP && (!ops->in_step || ops->in_step(knob_values));
}

#endif
