/*
 * Traits: what few machines or mechanisms have, found once when a multiprocessor is created.
 *
 * Hot functions take the traits by value and are compiled several times: once for no traits at all, so that the common
 * machine pays for none of them, and once for any traits.
 */
#ifndef HEDDLE_SM_TRAITS_H
#define HEDDLE_SM_TRAITS_H

#include <stdbool.h>

struct sm_traits {
    bool is_plain;        /* none of the others, heeds_idle apart; only where a function is compiled for that case */
    bool every_commit;    /* the mechanism is called after every instruction (DIV_EVERY_INSTRUCTION) */
    bool mixes_blocks;    /* a strand may hold threads of several blocks (DIV_MIXES_BLOCKS) */
    bool ideal;           /* the number of lanes is the only limit of issue (DIV_IDEAL_LANES) */
    bool least_time;      /* with `ideal`: no limit at all delays an issue; limits are counted apart (DIV_LEAST_TIME) */
    bool is_sliced;       /* strands on disjoint lane slices issue in one cycle */
    bool pairs;           /* at most two strands issue per port and cycle, on disjoint lanes (sm/pair.h) */
    bool has_lanes;       /* every lane runs warps over time, and issues on its own (sm/warp_lanes.h) */
    bool has_pools;       /* strands are in pools of the scheduler: has_gangs or has_lanes */
    bool has_gangs;       /* every slice issues on its own; strands on several slices are gangs */
    bool merges_accesses; /* accesses of one cycle's issue group go to memory as one access */
    bool fetches;         /* instructions come through instruction caches */
    bool is_traced;       /* a trace is written, or issues have an observer */
    bool is_taped;        /* instructions are recorded or replayed (exec/taping.h) */
    bool heeds_idle;      /* the mechanism is called in cycles that issue nothing */
    bool syncs;           /* strands may issue operations of the mechanism on convergence barriers or stacks */
    bool spills;          /* entries of the mechanism's stacks go to memory */
    bool sets_cost;       /* the mechanism says how many passes an instruction takes */
    bool has_async;       /* the program has work that goes on behind its instructions (sm/async/async.h) */
    bool checks_scalar;   /* threads that issue a scalar instruction are compared */
    bool is_swift;        /* see sm_shortcuts.is_swift; only where a function is compiled for that case */
};

/* The traits of a machine whose slices issue by themselves, under a mechanism that has no other trait: only those that
 * are copied are not known when the caller is compiled. */
static inline struct sm_traits sm_traits_of_gangs(const struct sm_traits *t)
{
    return (struct sm_traits){.is_sliced = true,
                              .has_pools = true,
                              .has_gangs = true,
                              .merges_accesses = true,
                              .fetches = t->fetches,
                              .heeds_idle = t->heeds_idle,
                              .syncs = t->syncs};
}

/* As sm_traits_of_gangs(), for mechanisms that issue two strands on disjoint lanes. */
static inline struct sm_traits sm_traits_of_pairs(const struct sm_traits *t)
{
    return (struct sm_traits){.is_sliced = true,
                              .pairs = true,
                              .merges_accesses = true,
                              .fetches = t->fetches,
                              .heeds_idle = t->heeds_idle,
                              .syncs = t->syncs};
}

/* As sm_traits_of_gangs(), for lanes that run warps over time. */
static inline struct sm_traits sm_traits_of_lanes(const struct sm_traits *t)
{
    return (struct sm_traits){.has_lanes = true, .has_pools = true, .fetches = t->fetches, .syncs = t->syncs};
}

/* As sm_traits_of_gangs(), for ideal lanes. */
static inline struct sm_traits sm_traits_of_ideal(void)
{
    return (struct sm_traits){.ideal = true, .merges_accesses = true};
}

/* As sm_traits_of_gangs(), for strands that take all lanes of their port. */
static inline struct sm_traits sm_traits_of_whole(const struct sm_traits *t)
{
    return (struct sm_traits){.fetches = t->fetches, .heeds_idle = t->heeds_idle, .syncs = t->syncs};
}

/* These traits, where the multiprocessor has shortcuts.is_swift. */
static inline struct sm_traits sm_traits_as_swift(struct sm_traits t)
{
    t.is_swift = true;
    t.fetches = t.syncs = false;
    return t;
}

/* Conclusions from the traits, the mechanism and the scheduling policy that hot functions ask for. */
struct sm_shortcuts {
    bool plain_cycle;   /* the machine has none of the traits that the cycle asks for */
    bool idle_only;     /* of the traits that the cycle asks for, the machine has heeds_idle alone */
    bool gangs_only;    /* the traits are those of sm_traits_of_gangs() */
    bool pairs_only;    /* the traits are those of sm_traits_of_pairs() */
    bool lanes_only;    /* the traits are those of sm_traits_of_lanes() */
    bool ideal_only;    /* the traits are those of sm_traits_of_ideal() */
    bool whole_only;    /* the traits that the cycle asks for are those of sm_traits_of_whole() */
    bool plain_issue;   /* the machine has none of the traits that the issue asks for */
    bool commits_issue; /* every_commit is the only such trait, apart from mixes_blocks, which then has no effect */
    bool stays_ready;   /* a strand that issues a straight instruction stays ready until it is evaluated again */
    bool issues_simple; /* simple instructions issue as sm/simple.h says */
    bool defers_lanes;  /* lane handlers of instructions that are issued by issue_strand() wait in a backlog, too */
    bool wakes_as_bits; /* the order of wake-ups within a cycle has no effect: see sm/wheel.h */
    bool waits_for_registers; /* stays_ready, and nothing but registers of the exact scoreboard makes a strand wait */
    bool awaits_code;   /* with traits.ideal: instruction lines take time when they are fetched for the first time */
    bool lists_ready;   /* ready strands are counted by pool and listed by id: traits.has_pools or traits.pairs */
    bool awaits_more;   /* awaits_code, or traits.has_async: a strand may wait for more than its registers */
    bool fetches_syncs; /* operations of the mechanism are fetched as instructions are */
    bool has_lone;      /* a strand that alone can issue may do so in the loop of sm/lone.h */
    bool never_alone;   /* instructions come through the memory system: the multiprocessor never runs ahead of it */
    bool tells_parts;   /* the mechanism is called when a load's data is back for some lanes and not for others */
    bool tells_ready;   /* the mechanism is called when some members of a gang are ready, and others wait for memory */
    bool counts_iterations; /* static lines depend on the iterations of some loop */
    /* A strand waits for nothing but registers of the exact scoreboard, if that is not off, and wakes_as_bits; the
     * scheduler lets the pipeline set its bits (sched_ops.order), and ready strands are not listed. */
    bool evaluates_swiftly;
    bool passes_branches; /* evaluates_swiftly, the scoreboard is not off, and the mechanism may have `pass` called */
    /* The most frequent cases: plain_cycle or idle_only, or gangs, pairs or lanes alone, without fetches and syncs;
     * issues_simple, waits_for_registers or every_commit, wakes_as_bits, a scheduler that lets the pipeline set its
     * bits and pick (sched_ops.order and greed), and not awaits_more. The cycles that are compiled for these cases ask
     * for none of these but every_commit. */
    bool is_swift;
};

#endif
