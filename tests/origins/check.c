/* Checks origins while a launch runs: see check.h. */
#include "tests/origins/check.h"

#include "base/bits.h"
#include "base/vec.h"
#include "exec/bound.h"
#include "exec/engine.h"
#include "exec/race/race.h"

#include <string.h>

enum { MOST_TOLD = 5 };

/* An allocation that the launch has accessed. */
struct seen {
    uint64_t address;
    bool is_read, is_written;
};

/* The launch at work: the engine's hook has no place for it. */
static struct watch {
    const struct launch *launch;
    const struct program *program;
    const struct origins *origins;
    struct check *check;
    uint64_t parameters; /* address of the parameter block */
    struct vec_of(struct seen) seen;
} watch;

static void tell(int32_t pc, uint64_t address, const char *what)
{
    char where[160], near[200];
    if (watch.check->wrong_count++ >= MOST_TOLD)
        return;
    text_printf(&watch.check->wrong, "%s: PC %d, %s: 0x%llx (%s): %s\n", watch.launch->kernel->name, (int)pc,
                program_where(watch.program, pc, where, sizeof where), (unsigned long long)address,
                memory_describe(watch.launch->image->memory, address, near, sizeof near), what);
}

/* Whether one of the 8 bytes that the origin may stand for points into the allocation; NULL: into any. */
static bool points_to(int origin, const struct allocation *to)
{
    const struct origin *o = &watch.origins->origin[origin];
    const struct image *image = watch.launch->image;
    const uint8_t *block = watch.launch->parameters;
    uint64_t value = o->variable ? image_address(image, o->variable) : 0;
    if (o->variable && o->variable->space == SPACE_CONST)
        block = memory_host(image->memory, value, o->variable->size_bytes);
    for (uint64_t at = o->offset; o->kind != ORIGIN_PLACE && at <= o->offset + (o->bytes ? o->bytes - 8u : 0); at++) {
        if (o->kind == ORIGIN_VALUE)
            memcpy(&value, block + at, sizeof value);
        const struct allocation *a = memory_find(image->memory, value);
        if (a && (!to || a == to))
            return true;
    }
    return false;
}

static void see(const struct allocation *a, bool is_read, bool is_write)
{
    int i = 0;
    while (i < watch.seen.count && watch.seen.data[i].address != a->address)
        i++;
    if (i == watch.seen.count)
        vec_push(&watch.seen, (struct seen){.address = a->address});
    watch.seen.data[i].is_read |= is_read;
    watch.seen.data[i].is_written |= is_write;
}

/* Whether the analysis and the launch's parameters say where the access goes. */
static bool is_known(const struct origin_access *a)
{
    for (uint64_t left = a->address.mixed; left; left &= left - 1)
        if (points_to(__builtin_ctzll(left), NULL))
            return false;
    bool is_found = a->address.of & (ORIGIN_WINDOW | ORIGIN_PARAMETERS);
    for (uint64_t left = a->address.of & ORIGIN_NAMED; left; left &= left - 1)
        is_found |= points_to(__builtin_ctzll(left), NULL);
    return is_found && origin_access_is_known(a);
}

static bool is_allowed(const struct origin_access *a, const struct allocation *to)
{
    if ((to->is_constant && a->address.of & ORIGIN_WINDOW) ||
        (to->address == watch.parameters && a->address.of & ORIGIN_PARAMETERS))
        return true;
    for (uint64_t left = a->address.of & ORIGIN_NAMED; left; left &= left - 1)
        if (points_to(__builtin_ctzll(left), to))
            return true;
    return false;
}

static bool is_in_window(uint64_t address)
{
    return address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE || address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE;
}

static void check_access(const struct bound *in, int32_t pc, uint64_t address)
{
    const struct allocation *to = memory_find(watch.launch->image->memory, address);
    int32_t index = watch.origins->access_at[pc];
    bool is_write = in->kind != BOUND_LOAD, is_read = !is_write || (in->kind == BOUND_ATOMIC && in->insn->dest_count);
    if (!to && !is_in_window(address)) /* a fault, or a read that the launch tolerates */
        return;
    if (index < 0) {
        tell(pc, address, "not known as an access");
        return;
    }
    const struct origin_access *a = &watch.origins->accesses[index];
    watch.check->total += to != NULL;
    if (to && !to->is_constant && to->address != watch.parameters)
        see(to, is_read, is_write);
    if ((is_write && !a->writes) || (is_read && !a->reads))
        tell(pc, address, "not known as such an access");
    if (!is_known(a))
        return;
    watch.check->known += to != NULL;
    if (to ? !is_allowed(a, to) : !(a->address.of & ORIGIN_WINDOW))
        tell(pc, address, "not in an allocation of an origin");
}

void __wrap_race_access(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask);

void __wrap_race_access(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask)
{
    watch.parameters = e->parameter_base;
    for (; mask && (in->space == IN_GENERIC || in->space == IN_GLOBAL); mask &= mask - 1)
        check_access(in, pc, address[bits_lowest(mask)]);
}

void check_launch(const struct launch *launch, const struct code *code, check_executor *execute,
                  struct launch_result *result, struct check *check)
{
    struct launch copy = *launch;
    struct origins *origins = origins_find(code_program(code));
    *check = (struct check){.apart = launch_find_apart(launch, origins)};
    watch = (struct watch){.launch = launch, .program = code_program(code), .origins = origins, .check = check};
    copy.race = race_create();
    copy.team = NULL;
    execute(&copy, code, result);
    for (int i = 0; i < watch.seen.count && check->apart == APART_YES; i++)
        if (watch.seen.data[i].is_read && watch.seen.data[i].is_written)
            tell(0, watch.seen.data[i].address, "read and written by a launch that is apart");
    vec_free(&watch.seen);
    race_destroy(copy.race);
    origins_destroy(origins);
}

void check_free(struct check *check)
{
    text_free(&check->wrong);
}
