/* Sorting the threads of a launch: see ordering.h. */
#include "run/ordering.h"

#include "base/arena.h"
#include "base/diag.h"
#include "exec/bound.h"
#include "exec/site.h"
#include "exec/waste.h"
#include "run/rehearsal.h"
#include "run/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sorting numbers threads by 32 bits. */
#define MOST_THREADS (UINT64_C(1) << 31)

static uint64_t volume(const uint32_t n[3])
{
    return (uint64_t)n[0] * n[1] * n[2];
}

/* The branch at the end of the block that the option names. -1: there is none, and `why` says so, or stays as it was if
 * the option is about another kernel. */
static int32_t find_branch(const char *word, const struct program *p, const char **why)
{
    const char *colon = strrchr(word, ':'), *name = colon ? colon + 1 : word;
    size_t length = colon ? (size_t)(colon - word) : 0;
    if (colon && (strlen(p->kernel->name) != length || memcmp(p->kernel->name, word, length) != 0))
        return -1;
    *why = "there is no basic block of that name; see heddle flow";
    for (int b = 0; b < p->block_count; b++)
        if (!strcmp(p->blocks[b].name, name)) {
            *why = "no branch stands at the end of the block";
            return p->insns[p->blocks[b].last].branch;
        }
    return -1;
}

static bool is_same_place(const struct program *p, int32_t a, int32_t b)
{
    struct ptx_place x = program_place(p, a), y = program_place(p, b);
    return a == b || (x.path && y.path && x.line == y.line && x.column == y.column && !strcmp(x.path, y.path));
}

/* Why threads must stay where they are; NULL: they need not. `by_block` is set if they must stay in their blocks. */
static const char *find_refusal(const struct launch *launch, const struct code *code, bool *by_block)
{
    const struct program *p = code->program;
    *by_block = launch_has_cluster(launch) || p->layout->dynamic_shared_offset || launch->dynamic_shared_bytes;
    if (launch->is_cooperative)
        return "the launch is cooperative";
    if (volume(launch->grid) * volume(launch->block) > MOST_THREADS)
        return "the grid has too many threads";
    static const enum sreg lanes[] = {SREG_LANEID,      SREG_WARPID,      SREG_LANEMASK_EQ, SREG_LANEMASK_LE,
                                      SREG_LANEMASK_LT, SREG_LANEMASK_GE, SREG_LANEMASK_GT};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (p->sreg_plane[lanes[i]] >= 0)
            return "the kernel asks for the lane or the warp of a thread";
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        enum bound_kind kind = (enum bound_kind)code->bound[pc].kind;
        if (kind == BOUND_TOGETHER || kind == BOUND_RENDEZVOUS)
            return "the kernel has warp-level operations";
        *by_block |= kind == BOUND_BARRIER || kind == BOUND_CLUSTER || kind == BOUND_MBARRIER;
    }
    return NULL;
}

/* A thread by what it did; equal threads stay in their order. */
struct ordered {
    struct waste_thread did;
    uint32_t number;
};

static int by_deeds(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->did.executed != y->did.executed)
        return x->did.executed < y->did.executed ? -1 : 1;
    if (x->did.taken != y->did.taken)
        return x->did.taken < y->did.taken ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static uint32_t *sort_threads(const struct waste_thread *threads, uint64_t count, uint64_t at_once)
{
    struct ordered *all = xmalloc(sizeof *all * (count + 1));
    uint32_t *order = xmalloc(sizeof *order * (count + 1));
    for (uint64_t i = 0; i < count; i++)
        all[i] = (struct ordered){threads[i], (uint32_t)i};
    for (uint64_t first = 0; first < count; first += at_once)
        qsort(all + first, at_once, sizeof *all, by_deeds);
    for (uint64_t i = 0; i < count; i++)
        order[i] = all[i].number;
    free(all);
    return order;
}

/* What each thread does at the branch, from a rehearsal; NULL: there is no room, or the rehearsal faults. */
static struct waste *rehearse_threads(const struct launch *launch, const struct code *code, int32_t branch)
{
    const struct program *p = code->program;
    struct memory *copy = memory_clone(launch->image->memory);
    if (!copy)
        return NULL;
    bool *chosen = xcalloc((size_t)p->insn_count + 1, sizeof *chosen);
    for (int i = 0; i < p->branch_count; i++)
        chosen[p->branches[i].pc] = is_same_place(p, p->branches[i].pc, p->branches[branch].pc);
    struct waste *waste = waste_create(p);
    waste->chosen = chosen;
    waste->threads = xcalloc(volume(launch->grid) * volume(launch->block) + 1, sizeof *waste->threads);
    struct launch counted = *launch;
    counted.sites = xcalloc((size_t)p->insn_count + 1, sizeof *counted.sites);
    counted.waste = waste;
    struct launch_result result;
    rehearse(copy, &counted, code, NULL, &result);
    memory_destroy(copy);
    free(counted.sites);
    free(chosen);
    waste->chosen = NULL;
    if (result.fault.kind == FAULT_NONE)
        return waste;
    waste_destroy(waste);
    return NULL;
}

void ordering_begin(struct run_request *request, struct launch *launch, const struct code *code)
{
    const char *word = request->options.sort_threads, *why = NULL;
    if (!word)
        return;
    bool by_block = false;
    int32_t branch = find_branch(word, code->program, &why);
    if (branch < 0 && !why)
        return;
    why = branch < 0 ? why : find_refusal(launch, code, &by_block);
    struct waste *waste = why ? NULL : rehearse_threads(launch, code, branch);
    if (!why && !waste)
        why = "the rehearsal faulted, or there is no memory for it";
    if (why && !request->told_of_order)
        fprintf(diag_stream(), "heddle: --sort-threads %s: threads stay where they are: %s\n", word, why);
    request->told_of_order |= why != NULL;
    if (!waste)
        return;
    uint64_t count = volume(launch->grid) * volume(launch->block);
    launch->order = sort_threads(waste->threads, count, by_block ? volume(launch->block) : count);
    waste_destroy(waste);
}

void ordering_end(struct launch *launch)
{
    free((uint32_t *)launch->order);
    launch->order = NULL;
}
