/* Scaling the counters of a launch: see scale.h. */
#include "sample/scale.h"

#include "base/arena.h"

#include <string.h>

static uint64_t scaled(uint64_t count, double factor)
{
    return (uint64_t)((double)count * factor + 0.5);
}

static void scale_owner(const struct stat_owner *owner, void *values, double by_cycles, double by_work)
{
    for (int i = 0; i < owner->count; i++) {
        const struct stat_counter *c = &owner->counters[i];
        uint64_t *counter = (uint64_t *)((char *)values + c->offset);
        if (c->combine == STAT_SUM)
            *counter = scaled(*counter, strstr(c->unit, "cycles") ? by_cycles : by_work);
    }
}

void scale_counters(struct gpu_result *r, double by_cycles, double by_work)
{
    for (int i = 0; i < r->part_count; i++) /* the parts point into the result */
        scale_owner(r->parts[i].owner, (void *)r->parts[i].values, by_cycles, by_work);
    for (int pc = 0; pc < r->site_count; pc++) {
        struct site *s = &r->sites[pc];
        *s = (struct site){scaled(s->issues, by_work), scaled(s->threads, by_work), scaled(s->diverged, by_work),
                           scaled(s->taken, by_work), scaled(s->transactions, by_work)};
    }
}

void scale_set_exact(struct gpu_result *r, const struct launch_result *exact, uint64_t blocks, bool has_warps)
{
    r->sm.blocks = blocks;
    r->sm.thread_instructions = exact->thread_instructions;
    if (has_warps) {
        r->sm.warp_instructions = exact->warp_instructions;
        r->sm.branches = exact->branches;
        r->sm.divergent_branches = exact->divergent_branches;
    }
    r->launch.thread_instructions = r->sm.thread_instructions;
    r->launch.warp_instructions = r->sm.warp_instructions;
    r->launch.branches = r->sm.branches;
    r->launch.divergent_branches = r->sm.divergent_branches;
}

static void *copy_of(const void *from, size_t bytes)
{
    return from ? memcpy(xmalloc(bytes), from, bytes) : NULL;
}

void scale_copy(struct gpu_result *into, const struct gpu_result *from)
{
    *into = *from;
    into->deadlock = NULL;
    into->sites = copy_of(from->sites, sizeof *from->sites * ((size_t)from->site_count + 1));
    for (int i = 0; i < from->part_count; i++) {
        const struct stat_value *part = &from->parts[i];
        if (part->values == &from->sm) {
            into->parts[i].values = &into->sm;
        } else if (part->values == from->mechanism) {
            into->mechanism = copy_of(from->mechanism, part->owner->bytes);
            into->parts[i].values = into->mechanism;
        }
        for (int m = 0; m < MEM_OWNERS; m++)
            if (part->values == from->memory_counters[m]) {
                into->memory_counters[m] = copy_of(from->memory_counters[m], part->owner->bytes);
                into->parts[i].values = into->memory_counters[m];
            }
    }
}
