/*
 * Barrier plans: makes, searches and prints the list of barrier operations, which is sorted by place: by PC, operations
 * on edges to the PC before operations at the PC. A position is an index into the list. No function here checks whether
 * a plan is sound (barrier_colour.c does).
 */
#include "recon/barrier.h"

#include "base/demangle.h"

#include <stdarg.h>

const char *const barrier_kind_text[] = {
    [BARRIER_JOIN] = "join",           [BARRIER_REJOIN] = "rejoin", [BARRIER_WAIT] = "wait",
    [BARRIER_SOFT_WAIT] = "soft wait", [BARRIER_CANCEL] = "cancel", [BARRIER_YIELD] = "yield"};

struct barrier_plan *barrier_plan_create(const struct program *program)
{
    struct barrier_plan *plan = xcalloc(1, sizeof *plan);
    plan->program = program;
    return plan;
}

void barrier_plan_destroy(struct barrier_plan *plan)
{
    if (!plan)
        return;
    vec_free(&plan->barriers);
    vec_free(&plan->entries);
    arena_free(&plan->arena);
    free(plan);
}

/* ---- making ---- */

int32_t barrier_add(struct barrier_plan *plan, int32_t branch, bool spans_calls, const char *why, ...)
{
    struct text text = {0};
    va_list args;
    va_start(args, why);
    text_vprintf(&text, why, args);
    va_end(args);
    vec_push(&plan->barriers, (struct barrier){.why = arena_copy_string(&plan->arena, text.data, text.length),
                                               .branch = branch,
                                               .reg = BARRIER_NONE,
                                               .spans_calls = spans_calls});
    text_free(&text);
    return plan->barriers.count - 1;
}

struct barrier_place barrier_between(const struct program *program, int32_t from_block, int32_t to_block)
{
    return (struct barrier_place){program->blocks[from_block].last, program->blocks[to_block].first};
}

/* The order of places: negative, zero or positive. */
static int compare(struct barrier_place a, struct barrier_place b)
{
    if (a.pc != b.pc)
        return a.pc < b.pc ? -1 : 1;
    if (a.from == b.from)
        return 0;
    if (a.from == PC_NONE || b.from == PC_NONE)
        return a.from == PC_NONE ? 1 : -1;
    return a.from < b.from ? -1 : 1;
}

/* Position of the first entry at or behind the place; with `behind`, of the first entry behind the place. */
static int find_position(const struct barrier_plan *plan, struct barrier_place place, bool behind)
{
    int low = 0, high = plan->entries.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = compare(plan->entries.data[middle].place, place);
        if (order < 0 || (behind && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void barrier_insert(struct barrier_plan *plan, int position, struct barrier_entry entry)
{
    vec_push(&plan->entries, entry);
    struct barrier_entry *at = &plan->entries.data[position];
    memmove(at + 1, at, sizeof *at * (size_t)(plan->entries.count - 1 - position));
    *at = entry;
}

void barrier_append(struct barrier_plan *plan, struct barrier_place place, struct barrier_op op)
{
    barrier_insert(plan, find_position(plan, place, true), (struct barrier_entry){place, op});
}

void barrier_prepend(struct barrier_plan *plan, struct barrier_place place, struct barrier_op op)
{
    barrier_insert(plan, find_position(plan, place, false), (struct barrier_entry){place, op});
}

void barrier_remove(struct barrier_plan *plan, int position)
{
    struct barrier_entry *at = &plan->entries.data[position];
    memmove(at, at + 1, sizeof *at * (size_t)(plan->entries.count - 1 - position));
    plan->entries.count--;
}

void barrier_remove_all(struct barrier_plan *plan, int32_t barrier)
{
    int kept = 0;
    for (int i = 0; i < plan->entries.count; i++)
        if (plan->entries.data[i].op.barrier != barrier)
            plan->entries.data[kept++] = plan->entries.data[i];
    plan->entries.count = kept;
}

/* ---- reading ---- */

struct barrier_range barrier_at(const struct barrier_plan *plan, struct barrier_place place)
{
    int first = find_position(plan, place, false);
    return (struct barrier_range){first, find_position(plan, place, true) - first};
}

int barrier_find(const struct barrier_plan *plan, enum barrier_kind kind, int32_t barrier)
{
    for (int i = 0; i < plan->entries.count; i++)
        if (plan->entries.data[i].op.kind == kind && plan->entries.data[i].op.barrier == barrier)
            return i;
    return -1;
}

/* ---- for people ---- */

void barrier_print_op(const struct barrier_op *op, struct text *out)
{
    text_printf(out, "%s", barrier_kind_text[op->kind]);
    if (op->kind != BARRIER_YIELD)
        text_printf(out, " b%d", (int)op->barrier);
    bool adapts = op->threshold == BARRIER_ADAPTIVE;
    if (op->kind == BARRIER_SOFT_WAIT)
        text_printf(out, adapts ? " adaptively" : " at %d", op->threshold);
    if (op->kind == BARRIER_CANCEL && op->threshold)
        text_printf(out, adapts ? " if they wait" : " below %d", op->threshold);
}

static void print_barriers(const struct barrier_plan *plan, struct text *out)
{
    uint32_t used = 0;
    int count = 0;
    for (int i = 0; i < plan->barriers.count; i++) {
        const struct barrier *b = &plan->barriers.data[i];
        count += b->reg >= 0;
        used |= b->reg >= 0 ? 1u << b->reg : 0;
    }
    text_printf(out, "barriers of ");
    demangle_print(plan->program->kernel->name, out);
    text_printf(out, ": %d, in %d registers", count, __builtin_popcount(used));
    if (plan->dropped)
        text_printf(out, "; %d more found none", plan->dropped);
    text_printf(out, "\n");
    for (int i = 0; i < plan->barriers.count; i++) {
        const struct barrier *b = &plan->barriers.data[i];
        if (b->reg < 0 && !b->is_dropped)
            continue;
        text_printf(out, "  b%d  ", i);
        if (b->is_dropped)
            text_printf(out, "no register");
        else
            text_printf(out, "B%d", (int)b->reg);
        text_printf(out, "  %s%s\n", b->why, b->spans_calls ? "; spans calls" : "");
    }
}

static void print_entry(const struct barrier_plan *plan, const struct barrier_entry *e, struct text *out)
{
    const struct program *p = plan->program;
    text_printf(out, "    ");
    if (e->place.from != PC_NONE) {
        text_printf(out, "from ");
        program_print_pc(p, e->place.from, out);
    } else {
        text_printf(out, "before ");
        program_print_pc(p, e->place.pc, out);
    }
    text_printf(out, ": ");
    barrier_print_op(&e->op, out);
    text_printf(out, "\n");
}

void barrier_print(const struct barrier_plan *plan, struct text *out)
{
    const struct program *p = plan->program;
    int32_t last_block = -1;
    print_barriers(plan, out);
    for (int i = 0; i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        int32_t block = p->insns[e->place.pc].block;
        if (block != last_block)
            text_printf(out, "  block %s  PCs %d-%d\n", p->blocks[block].name, (int)p->blocks[block].first,
                        (int)p->blocks[block].last);
        last_block = block;
        print_entry(plan, e, out);
    }
}
