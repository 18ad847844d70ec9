/* What a launch needs of its code: see prepared.h. */
#include "gpu/prepared.h"

#include "base/arena.h"
#include "flow/origins.h"
#include "recon/place_barriers.h"
#include "sm/plan.h"

#include <stdlib.h>
#include <string.h>

static void destroy(void *kept)
{
    struct prepared *p = kept;
    free(p->shared);
    origins_destroy(p->origins);
    plans_destroy(p->plans);
    scalar_facts_free(&p->scalar);
    barrier_plan_destroy(p->placed);
    free(p);
}

static struct prepared *create(const struct gpu_run *run, const struct code *code)
{
    struct prepared *p = xcalloc(1, sizeof *p);
    p->config = run->machine->sm;
    p->flags = run->mechanism->flags;
    p->given = run->barriers;
    p->plain = program_plain(code_program(code));
    p->program = p->config.reconvergence == SM_MEET_POST_DOMINATORS ? &p->plain : code_program(code);
    if (p->flags & DIV_BARRIERS && !p->given)
        p->placed = barriers_place(p->program);
    p->barriers = p->placed ? p->placed : p->given;
    p->scalar = scalar_of_launch(run, p->program, p->barriers);
    p->plans = plans_create(code, &p->config, p->scalar.is_scalar, p->flags & DIV_LEAST_TIME);
    return p;
}

/* Barriers that the run brings are its own: when the kernel is launched again, others may be at the same address. */
struct prepared *prepared_take(const struct gpu_run *run, const struct code *code)
{
    struct prepared *p = code_kept(code);
    if (run->barriers)
        return create(run, code);
    if (p && p->flags == run->mechanism->flags && !memcmp(&p->config, &run->machine->sm, sizeof p->config))
        return p;
    p = create(run, code);
    code_keep(code, p, destroy);
    return p;
}

const struct origins *prepared_origins(struct prepared *p)
{
    if (!p->origins)
        p->origins = origins_find(p->program);
    return p->origins;
}

bool prepared_share(struct prepared *p, const bool *is_shared)
{
    const struct origins *o = prepared_origins(p);
    const size_t bytes = (size_t)o->access_count * sizeof *is_shared;
    const int32_t count = p->program->insn_count;
    if (p->shared && !memcmp(p->shared, is_shared, bytes)) /* as in most launches of a kernel */
        return true;
    free(p->shared);
    p->shared = xcalloc((size_t)o->access_count + 1, sizeof *p->shared);
    memcpy(p->shared, is_shared, bytes);
    bool *by_pc = xcalloc((size_t)count + 1, sizeof *by_pc);
    for (int32_t pc = 0; pc < count; pc++)
        by_pc[pc] = o->access_at[pc] >= 0 && is_shared[o->access_at[pc]];
    bool fits = plans_share(p->plans, by_pc);
    free(by_pc);
    if (!fits) {
        free(p->shared);
        p->shared = NULL;
    }
    return fits;
}

void prepared_leave(struct prepared *p)
{
    if (p && p->given)
        destroy(p);
}
