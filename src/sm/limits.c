/* Limits of issue (limits.h). */
#include "sm/limits.h"

#include "base/arena.h"
#include "sm/plan.h"

#include <stdlib.h>
#include <string.h>

/* The most lookups of one access: two lines per lane. */
#define STAGE_LOOKUPS UINT64_C(128)

void limits_open(struct limits *l, const struct sm_config *config, int places)
{
    l->issue_cost = METER_CYCLE / ((uint64_t)config->schedulers * config->warp_width);
    for (int u = 0; u < SM_UNIT_COUNT; u++) {
        l->lane_cost[u] = METER_CYCLE / ((uint64_t)config->unit_count[u] * config->simd_width);
        l->slot_cost[u] = METER_CYCLE / ((uint64_t)config->unit_count[u] * config->warp_width);
    }
    /* A mechanism may have the unit of its class execute what a scalar unit could. */
    l->lane_cost[SM_SCALAR] = l->slot_cost[SM_SCALAR] = 0;
    l->passes = sm_passes(config);
    l->is_inline = config->memory_stage == SM_MEMORY_INLINE;
    l->skips_passes = sm_passes(config) > 1;
    l->block = xcalloc((size_t)places, sizeof *l->block);
}

void limits_close(struct limits *l)
{
    free(l->block);
}

void limits_start_block(struct limits *l, int place)
{
    memset(&l->block[place], 0, sizeof l->block[place]);
}

void limits_issue(struct limits *l, int place, const struct plan *p, int threads, int working, uint64_t now)
{
    uint64_t lanes = (uint64_t)(l->skips_passes && !p->is_control && !p->accesses ? working : threads);
    uint64_t used = lanes * p->interval * (l->lane_cost[p->unit] + p->operands * l->slot_cost[p->unit]);
    uint64_t held = (uint64_t)p->interval * (l->passes + p->operands) << METER_BITS;
    struct limits_meters *const both[] = {&l->all, &l->block[place]};
    for (int i = 0; i < 2; i++) {
        meter_add(&both[i]->issue, now, (uint64_t)threads * l->issue_cost);
        meter_add(&both[i]->unit[p->unit], now, used);
        if (l->is_inline && p->unit == SM_ALU && !p->accesses)
            meter_add(&both[i]->stage, now, used);
        both[i]->longest[p->unit] = held > both[i]->longest[p->unit] ? held : both[i]->longest[p->unit];
    }
}

void limits_look_up(struct limits *l, uint64_t time, uint64_t now)
{
    if (l->is_inline)
        meter_add(&l->all.stage, now, time);
}

/* The cycle in which the last of the work begins, if it ends at `end` and is at most `own` long. */
static uint64_t begins(uint64_t end, uint64_t own)
{
    return end > own ? meter_cycles(end - own) : 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t limits_last_issue(const struct limits_meters *m)
{
    uint64_t last = begins(m->issue.free, METER_CYCLE);
    last = later(last, begins(m->stage.free, later(STAGE_LOOKUPS * METER_CYCLE, m->longest[SM_ALU])));
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        last = later(last, begins(m->unit[u].free, m->longest[u]));
    return last;
}

void limits_add_work(struct limits_meters *sum, const struct limits_meters *m)
{
    sum->issue.work += m->issue.work;
    sum->stage.work += m->stage.work;
    for (int u = 0; u < SM_UNIT_COUNT; u++) {
        sum->unit[u].work += m->unit[u].work;
        sum->longest[u] = later(sum->longest[u], m->longest[u]);
    }
}

uint64_t limits_even_last_issue(const struct limits_meters *sum, uint64_t start, uint64_t count)
{
    uint64_t from = (start + 1) << METER_BITS, last = begins(from + sum->issue.work / count, METER_CYCLE);
    last =
        later(last, begins(from + sum->stage.work / count, later(STAGE_LOOKUPS * METER_CYCLE, sum->longest[SM_ALU])));
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        last = later(last, begins(from + sum->unit[u].work / count, sum->longest[u]));
    return last;
}
