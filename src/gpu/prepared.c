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

void prepared_leave(struct prepared *p)
{
    if (p && p->given)
        destroy(p);
}
