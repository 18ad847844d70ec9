/* Finds out whether a launch's multiprocessors are apart: see apart.h. */
#include "device/apart.h"

#include "base/vec.h"

#include <string.h>

const char *const apart_text[APART_COUNT] = {
    [APART_YES] = "apart",
    [APART_COOPERATIVE] = "the launch is cooperative",
    [APART_CLUSTER] = "blocks form clusters",
    [APART_ASYNC] = "asynchronous copies",
    [APART_BUILTINS] = "calls of printf, malloc or the like",
    [APART_STRONG] = "volatile accesses, accesses with an order, or fences",
    [APART_RESULTS] = "an atomic gives a result",
    [APART_UNKNOWN_READ] = "a read may be anywhere",
    [APART_UNKNOWN_WRITE] = "a write may be anywhere",
    [APART_MIXED] = "an address is computed from the bits of a pointer",
    [APART_NOWHERE] = "an address comes from no pointer into an allocation",
    [APART_TEXTURE] = "a texture or surface is not there",
    [APART_READ_BACK] = "an allocation is written and read",
};

/* An allocation that the launch accesses. */
struct use {
    const struct allocation *allocation;
    bool reads, writes;
};

struct finder {
    const struct launch *launch;
    const struct origins *origins;
    struct vec_of(struct use) used; /* each allocation once */
};

/* The values of an origin are at multiples of 8 bytes, since others cannot be loaded. */
static uint32_t count_values(const struct origin *o)
{
    if (o->kind == ORIGIN_PLACE)
        return 0;
    return o->bytes ? (o->offset % 8 + o->bytes) / 8 : 1;
}

static uint64_t value_of(const struct launch *l, const struct origin *o, uint32_t i)
{
    uint64_t value = 0, address = o->variable ? image_address(l->image, o->variable) : 0;
    uint64_t offset = o->bytes ? o->offset / 8 * 8 + UINT64_C(8) * i : o->offset;
    const void *from = NULL;
    if (o->kind == ORIGIN_ADDRESS)
        return address;
    if (o->variable)
        from = memory_host(l->image->memory, address + offset, sizeof value);
    else if (offset + sizeof value <= l->parameter_bytes)
        from = (const uint8_t *)l->parameters + offset;
    if (from)
        memcpy(&value, from, sizeof value);
    return value;
}

/* The allocation that a value of the origin points into; NULL: it is a number. */
static const struct allocation *allocation_of(const struct launch *l, const struct origin *o, uint32_t i)
{
    return memory_find(l->image->memory, value_of(l, o, i));
}

static bool has_pointer(const struct finder *f, const struct origin *o)
{
    for (uint32_t i = 0; i < count_values(o); i++)
        if (allocation_of(f->launch, o, i))
            return true;
    return false;
}

static enum apart reason_of_flags(unsigned flags)
{
    static const struct {
        unsigned flag;
        enum apart reason;
    } reasons[] = {{ORIGINS_CLUSTER, APART_CLUSTER},
                   {ORIGINS_ASYNC, APART_ASYNC},
                   {ORIGINS_BUILTINS, APART_BUILTINS},
                   {ORIGINS_STRONG | ORIGINS_FENCES, APART_STRONG},
                   {ORIGINS_RESULTS, APART_RESULTS},
                   {ORIGINS_UNKNOWN_READS, APART_UNKNOWN_READ},
                   {ORIGINS_UNKNOWN_WRITES, APART_UNKNOWN_WRITE}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (flags & reasons[i].flag)
            return reasons[i].reason;
    return APART_YES;
}

/* Whether two allocations may hold the same bytes. A program may map memory to several addresses (cuMemMap); such
 * memory is not owned, and is at several places on the host, too. Other memory of the host keeps its host address. */
static bool may_overlap(const struct allocation *a, const struct allocation *b)
{
    bool are_owned = a->is_owned || b->is_owned;
    return a == b || (!are_owned && a->address != (uintptr_t)a->host && b->address != (uintptr_t)b->host);
}

static void use(struct finder *f, const struct allocation *allocation, const struct origin_access *a)
{
    int i = 0;
    while (i < f->used.count && f->used.data[i].allocation != allocation)
        i++;
    if (i == f->used.count)
        vec_push(&f->used, (struct use){.allocation = allocation});
    f->used.data[i].reads |= a->reads;
    f->used.data[i].writes |= a->writes;
}

static enum apart use_levels(struct finder *f, const struct texture_level *levels, int count,
                             const struct origin_access *a)
{
    for (int i = 0; i < count; i++) {
        const struct allocation *found = memory_find(f->launch->image->memory, levels[i].address);
        if (!found)
            return APART_TEXTURE;
        use(f, found, a);
    }
    return APART_YES;
}

static enum apart use_texture(struct finder *f, uint64_t handle, const struct origin_access *a)
{
    const struct launch *l = f->launch;
    for (int i = 0; i < l->texture_count && a->is_texture; i++)
        if (l->textures[i].handle == handle)
            return use_levels(f, l->textures[i].level, l->textures[i].level_count, a);
    for (int i = 0; i < l->surface_count && a->is_surface; i++)
        if (l->surfaces[i].handle == handle)
            return use_levels(f, &l->surfaces[i].level, 1, a);
    return APART_TEXTURE;
}

static enum apart use_object(struct finder *f, const struct origin *o, const struct origin_access *a)
{
    return o->bytes ? APART_TEXTURE : use_texture(f, value_of(f->launch, o, 0), a);
}

static enum apart use_access(struct finder *f, const struct origin_access *a)
{
    bool is_object = a->is_texture || a->is_surface, is_found = a->address.of & (ORIGIN_WINDOW | ORIGIN_PARAMETERS);
    for (uint64_t left = a->address.mixed; left; left &= left - 1)
        if (has_pointer(f, &f->origins->origin[__builtin_ctzll(left)]))
            return APART_MIXED;
    for (uint64_t left = a->address.of & ORIGIN_NAMED; left; left &= left - 1) {
        const struct origin *o = &f->origins->origin[__builtin_ctzll(left)];
        enum apart found = is_object ? use_object(f, o, a) : APART_YES;
        if (found != APART_YES)
            return found;
        is_found |= is_object;
        for (uint32_t i = 0; i < count_values(o); i++) {
            const struct allocation *to = allocation_of(f->launch, o, i);
            if (to)
                use(f, to, a);
            is_found |= to != NULL;
        }
    }
    return !is_found ? APART_NOWHERE : APART_YES;
}

static bool is_read_back(const struct finder *f)
{
    for (int i = 0; i < f->used.count; i++)
        for (int k = 0; k < f->used.count && f->used.data[i].writes; k++)
            if (f->used.data[k].reads && may_overlap(f->used.data[i].allocation, f->used.data[k].allocation))
                return true;
    return false;
}

enum apart launch_find_apart(const struct launch *launch, const struct origins *origins)
{
    struct finder f = {.launch = launch, .origins = origins};
    enum apart found = launch->is_cooperative       ? APART_COOPERATIVE
                       : launch_has_cluster(launch) ? APART_CLUSTER
                                                    : reason_of_flags(origins->flags);
    for (int i = 0; i < origins->access_count && found == APART_YES; i++)
        found = use_access(&f, &origins->accesses[i]);
    if (found == APART_YES && is_read_back(&f))
        found = APART_READ_BACK;
    vec_free(&f.used);
    return found;
}

/* Whether the access is known to go to the allocations that it is noted for in f->used: to none, if it goes to the
 * block's own memory or to parameters. */
static bool note_uses(struct finder *f, const struct origin_access *a)
{
    return origin_access_is_known(a) && use_access(f, a) == APART_YES;
}

/* Whether anything that the access goes to may be written by the launch; `written` has all that is. */
static bool meets_writes(const struct launch *l, const struct origin_access *a, const struct finder *written)
{
    struct finder own = {.launch = l, .origins = written->origins};
    bool meets = !note_uses(&own, a);
    for (int i = 0; i < own.used.count && !meets; i++)
        for (int k = 0; k < written->used.count && !meets; k++)
            meets = may_overlap(own.used.data[i].allocation, written->used.data[k].allocation);
    vec_free(&own.used);
    return meets;
}

bool launch_find_shared(const struct launch *launch, const struct origins *origins, bool *is_shared)
{
    struct finder written = {.launch = launch, .origins = origins};
    bool writes = false, writes_anywhere = false, any = false;
    for (int i = 0; i < origins->access_count; i++)
        if (origins->accesses[i].writes) {
            writes = true;
            writes_anywhere |= !note_uses(&written, &origins->accesses[i]);
        }
    for (int i = 0; i < origins->access_count; i++) {
        const struct origin_access *a = &origins->accesses[i];
        is_shared[i] = a->reads && writes && (writes_anywhere || meets_writes(launch, a, &written));
        any |= is_shared[i];
    }
    vec_free(&written.used);
    return any;
}
