/* Verifying a launch against the functional engine. See verify.h. */
#define _GNU_SOURCE
#include "run/verify.h"

#include "base/arena.h"
#include "base/json.h"
#include "exec/race/race.h"
#include "flow/unordered.h"
#include "gpu/gpu.h"
#include "run/rehearsal.h"

#include <stdlib.h>
#include <string.h>

struct verify_start {
    struct memory *memory; /* a copy, for the functional run */
    struct memory *spare;  /* a second copy, for the run that looks for races */
};

static void end_start(struct verify_start *start)
{
    memory_destroy(start->memory);
    memory_destroy(start->spare);
    free(start);
}

struct verify_start *verify_begin(const struct launch *launch)
{
    struct verify_start *start = xcalloc(1, sizeof *start);
    start->memory = memory_clone(launch->image->memory);
    start->spare = start->memory ? memory_clone(launch->image->memory) : NULL;
    if (start->spare)
        return start;
    end_start(start);
    return NULL;
}

/* Finds the parameter that points into the allocation with the difference, or that is a structure with such a
 * pointer. */
static void find_argument(struct verification *v, const struct launch *launch, const struct layout *layout)
{
    const struct ptx_function *k = launch->kernel;
    const struct difference *d = &v->difference;
    for (int i = 0; i < k->parameter_count; i++) {
        const uint8_t *bytes = (const uint8_t *)launch->parameters + layout->frame[k->index].formal_offset[i];
        uint64_t address;
        for (uint64_t at = 0; at + sizeof address <= k->parameters[i]->size_bytes; at += sizeof address) {
            memcpy(&address, bytes + at, sizeof address);
            if (address - d->start >= d->bytes)
                continue;
            v->argument = i;
            v->parameter = strdup(k->parameters[i]->name);
            return;
        }
    }
}

/* "PTX line 12 and PTX line 15, the first of 2 pairs". */
static char *name_race(const struct race *race, const struct program *p)
{
    struct text t = {0};
    char where[160];
    int32_t low, high;
    if (!race_first(race, &low, &high))
        return NULL;
    text_printf(&t, "%s", program_where(p, low, where, sizeof where));
    if (high != low)
        text_printf(&t, " and %s", program_where(p, high, where, sizeof where));
    else
        text_printf(&t, " with itself");
    if (race_count(race) > 1)
        text_printf(&t, ", the first of %d pairs", race_count(race));
    return text_take(&t);
}

/* Whether threads of the launch race: known from an earlier launch, found by --check races, or looked for in one more
 * run. --check lockstep does not find all races, so what it found does not count. Sets v->why and v->races. */
static bool find_races(struct verification *v, struct verify_start *start, const struct gpu_run *run,
                       const struct launch *launch, const struct code *code, struct known_races *known)
{
    struct launch_result result;
    uint64_t hash = code_program(code)->hash;
    if (known->where && known->program_hash == hash) {
        v->why = strdup(known->where);
        return true;
    }
    bool is_checked = launch->race && !race_is_lockstep(launch->race);
    struct race *own = is_checked ? NULL : race_create(), *race = own ? own : launch->race;
    if (own)
        rehearse(start->spare, launch, code, own, &result);
    bool found = race_count(race) > 0;
    if (found) {
        struct text t = {0};
        v->why = name_race(race, code_program(code));
        if (own) /* races that --check looks for are reported by run.c */
            races_print(race, run, &t);
        v->races = t.data;
    }
    if (found) {
        free(known->where);
        *known = (struct known_races){hash, strdup(v->why)};
    }
    if (own)
        race_destroy(own);
    return found;
}

/* Whether the launch executed instructions that lawfully give one result or another; v->why names them. */
static bool find_unordered(struct verification *v, const struct code *code, const struct gpu_result *timed)
{
    const struct program *p = code_program(code);
    bool *executed = xcalloc((size_t)p->insn_count + 1, sizeof *executed);
    for (int pc = 0; pc < p->insn_count; pc++)
        executed[pc] = !timed->sites || pc >= timed->site_count || timed->sites[pc].threads;
    struct text why = {0};
    bool found = unordered_describe(p, executed, &why);
    free(executed);
    v->why = why.data;
    return found;
}

/* Runs the launch functionally from its start, compares the two memories, and looks for the cause of a difference. */
static void judge(struct verification *v, struct verify_start *start, const struct gpu_run *run,
                  const struct launch *launch, const struct code *code, const struct gpu_result *timed,
                  struct known_races *known)
{
    struct launch_result result;
    rehearse(start->memory, launch, code, NULL, &result);
    if (result.fault.kind != FAULT_NONE) {
        char text[2048];
        fault_describe(&result.fault, text, sizeof text);
        v->why = strndup(text, strcspn(text, "\n"));
        v->verdict = VERIFY_UNKNOWN;
        return;
    }
    v->verdict = VERIFY_SAME;
    if (!difference_find(&v->difference, launch->image->memory, start->memory))
        return;
    find_argument(v, launch, code_program(code)->layout);
    v->verdict = find_races(v, start, run, launch, code, known) ? VERIFY_RACE
                 : find_unordered(v, code, timed)               ? VERIFY_UNORDERED
                                                                : VERIFY_WRONG;
}

struct verification *verify_end(struct verify_start *start, const struct gpu_run *run, const struct launch *launch,
                                const struct code *code, const struct gpu_result *timed, struct known_races *known)
{
    struct verification *v = NULL;
    if (timed->launch.fault.kind == FAULT_NONE) {
        v = xcalloc(1, sizeof *v);
        v->launch = launch->grid_id;
        v->kernel = strdup(launch->kernel->name);
        v->argument = -1;
        if (start) {
            judge(v, start, run, launch, code, timed, known);
        } else {
            v->verdict = VERIFY_UNKNOWN;
            v->why = strdup("there is no room for copies of the memory");
        }
    }
    if (start)
        end_start(start);
    return v;
}
