/* Profiles of a running program: see running_profile.h. */
#include "run/running_profile.h"

#include "base/arena.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <uthash.h>

struct running_profile {
    uint64_t program; /* the program's hash */
    int branch_count;
    int launches;
    struct branch_use *use; /* by branch */
    UT_hash_handle hh;
};

/* NULL also if another program has the same hash. */
static struct running_profile *find(const struct running_profile *profile, const struct program *program)
{
    struct running_profile *p;
    HASH_FIND(hh, profile, &program->hash, sizeof program->hash, p);
    return p && p->branch_count == program->branch_count ? p : NULL;
}

void running_profile_add(struct running_profile **profile, const struct program *program,
                         const struct gpu_result *result)
{
    struct running_profile *p = find(*profile, program);
    if (!p) {
        p = xcalloc(1, sizeof *p);
        p->program = program->hash;
        p->branch_count = program->branch_count;
        p->use = xcalloc((size_t)program->branch_count + 1, sizeof *p->use);
        HASH_ADD(hh, *profile, program, sizeof p->program, p);
    }
    p->launches++;
    for (int i = 0; i < program->branch_count; i++) {
        const struct site *site = &result->sites[program->branches[i].pc];
        p->use[i].threads += site->threads;
        p->use[i].taken += site->taken;
        p->use[i].issues += site->issues;
    }
}

const struct branch_use *running_profile_find(const struct running_profile *profile, const struct program *program,
                                              int *launches)
{
    const struct running_profile *p = find(profile, program);
    *launches = p ? p->launches : 0;
    return p ? p->use : NULL;
}

void running_profile_free(struct running_profile **profile)
{
    struct running_profile *p, *next;
    HASH_ITER(hh, *profile, p, next)
    {
        HASH_DEL(*profile, p);
        free(p->use);
        free(p);
    }
}
