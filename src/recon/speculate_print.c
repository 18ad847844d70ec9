/* Prints what became of predictions, with the reasons: as text, as a Graphviz graph, as JSON. */
#include "base/demangle.h"
#include "base/json.h"
#include "flow/print.h"
#include "recon/speculate.h"

#include <string.h>

static void print_place(const struct program *p, struct barrier_place place, struct text *out)
{
    text_printf(out, place.from == PC_NONE ? "before " : "on the edge from ");
    program_print_pc(p, place.from == PC_NONE ? place.pc : place.from, out);
    if (place.from != PC_NONE) {
        text_printf(out, " to ");
        program_print_pc(p, place.pc, out);
    }
}

/* ---- text ---- */

static void print_start(const struct speculated *d, struct text *out)
{
    const struct program *p = d->region.program;
    text_printf(out, "    region   begins ");
    for (int i = 0; i < d->region.place_count; i++) {
        text_printf(out, i ? ", " : "");
        print_place(p, d->region.places[i], out);
    }
    if (d->region.hoisted >= 0)
        text_printf(out, ": before the loop at %s, across its iterations",
                    p->blocks[p->loops[d->region.hoisted].header].name);
    text_printf(out, "\n");
}

static void print_point(const struct speculated *d, struct text *out)
{
    const struct program *p = d->region.program;
    char where[256];
    text_printf(out, "    point    ");
    program_print_pc(p, d->prediction->label, out);
    if (d->prediction->callee >= 0)
        text_printf(out, ", the entry of %s, called at %d place%s", p->functions[d->prediction->callee].source->name,
                    d->region.site_count, d->region.site_count == 1 ? "" : "s");
    else
        text_printf(out, ", %s", program_where(p, d->prediction->label, where, sizeof where));
    if (d->threshold == BARRIER_ADAPTIVE)
        text_printf(out, "; threads wait when waiting pays");
    else if (d->threshold)
        text_printf(out, "; once %d threads wait, they wait for no more", d->threshold);
    text_printf(out, "\n");
}

static const char *why_of(const struct barrier_op *op)
{
    switch ((enum barrier_kind)op->kind) {
    case BARRIER_JOIN:
        return "the region begins";
    case BARRIER_REJOIN:
        return "threads have just waited, and can come to the point again";
    case BARRIER_CANCEL:
        return "the point cannot be reached any more";
    default:
        return "the point";
    }
}

static void print_operations(const struct speculation *s, const struct speculated *d, struct text *out)
{
    for (int i = 0; i < s->plan->entries.count; i++) {
        const struct barrier_entry *e = &s->plan->entries.data[i];
        if (e->op.barrier != d->barrier)
            continue;
        text_printf(out, "    %-8s ", e->op.kind == BARRIER_SOFT_WAIT ? "wait" : barrier_kind_text[e->op.kind]);
        print_place(s->program, e->place, out);
        text_printf(out, ": %s\n", why_of(&e->op));
    }
}

static void print_exit(const struct speculation *s, const struct speculated *d, struct text *out)
{
    if (d->exit_barrier == BARRIER_NONE) {
        text_printf(out, "    exit     none: threads that leave the region do not reconverge\n");
        return;
    }
    int at = barrier_find(s->plan, BARRIER_WAIT, d->exit_barrier);
    text_printf(out, "    exit     b%d", (int)d->exit_barrier);
    if (at >= 0) {
        text_printf(out, " waits ");
        print_place(s->program, s->plan->entries.data[at].place, out);
    }
    text_printf(out, d->exit_is_own ? ": all threads of the region reconverge there\n"
                                    : ": a barrier that exists without the prediction\n");
}

static void print_conflicts(const struct speculation *s, int index, struct text *out)
{
    for (int i = 0; i < s->conflicts.count; i++) {
        const struct conflict *c = &s->conflicts.data[i];
        if (c->speculated != index)
            continue;
        text_printf(out, "    conflict b%d, %s: ", (int)c->other, s->plan->barriers.data[c->other].why);
        if (c->is_removed)
            text_printf(out, "taken out\n");
        else if (s->list.data[index].threshold)
            text_printf(out, "threads that must wait cancel it, and rejoin it behind the wait\n");
        else
            text_printf(out, "threads cancel it before they wait%s\n",
                        c->with >= 0 ? ", and rejoin it behind the wait" : "");
    }
}

static void print_unusable(const struct predictions *predictions, struct text *out)
{
    for (int i = 0; i < predictions->unusable.count; i++) {
        const struct unpredicted *u = &predictions->unusable.data[i];
        text_printf(out, "  prediction %s, %s\n    refused  %s\n", u->name, u->origin, u->why);
    }
}

void speculation_print(const struct speculation *s, const struct predictions *predictions, struct text *out)
{
    text_printf(out, "predictions of ");
    demangle_print(s->program->kernel->name, out);
    text_printf(out, ": %d\n", predictions->list.count + predictions->unusable.count);
    for (int i = 0; i < s->list.count; i++) {
        const struct speculated *d = &s->list.data[i];
        text_printf(out, "  prediction %s, %s", d->prediction->name, d->prediction->origin);
        if (d->refusal) {
            text_printf(out, "\n    refused  %s\n", d->refusal);
            continue;
        }
        text_printf(out, ": b%d%s\n", (int)d->barrier,
                    s->plan->barriers.data[d->barrier].is_dropped ? ", taken out because no barrier register is left"
                                                                  : "");
        print_start(d, out);
        print_point(d, out);
        if (d->prediction->note)
            text_printf(out, "    copies   %s\n", d->prediction->note);
        print_operations(s, d, out);
        print_exit(s, d, out);
        print_conflicts(s, i, out);
    }
    print_unusable(predictions, out);
    barrier_print(s->plan, out);
}

/* ---- graph ---- */

/* Prints the operations of a block as lines of its label, within double quotes. */
static void put_operations(const struct barrier_plan *plan, const struct flow_block *b, struct text *out)
{
    for (int i = 0; i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        if (e->place.from != PC_NONE || e->place.pc < b->first || e->place.pc > b->last)
            continue;
        text_printf(out, "\\l+%d: ", (int)(e->place.pc - b->first));
        barrier_print_op(&e->op, out);
    }
}

static void put_edge(const struct barrier_plan *plan, int32_t from, int32_t to, struct text *out)
{
    struct barrier_range r = barrier_at(plan, barrier_between(plan->program, from, to));
    text_printf(out, "  n%d -> n%d", (int)from, (int)to);
    for (int i = 0; i < r.count; i++) {
        text_printf(out, i ? "\\n" : " [label=\"");
        barrier_print_op(&plan->entries.data[r.first + i].op, out);
    }
    text_printf(out, r.count ? "\"];\n" : ";\n");
}

static bool is_point(const struct speculation *s, const struct flow_block *b)
{
    for (int i = 0; i < s->list.count; i++) {
        const struct speculated *d = &s->list.data[i];
        if (!d->refusal && d->prediction->label >= b->first && d->prediction->label <= b->last)
            return true;
    }
    return false;
}

void speculation_print_dot(const struct speculation *s, struct text *out)
{
    const struct program *p = s->program;
    text_printf(out, "digraph recon {\n  node [shape=box, fontname=\"monospace\", fontsize=9];\n");
    for (int32_t i = 0; i < p->block_count; i++) {
        const struct flow_block *b = &p->blocks[i];
        if (!b->reachable)
            continue;
        text_printf(out, "  n%d [%slabel=\"%s  %d-%d", (int)i,
                    is_point(s, b) ? "style=filled, fillcolor=\"#f6d58e\", " : "", b->name, (int)b->first,
                    (int)b->last);
        put_operations(s->plan, b, out);
        text_printf(out, "\\l\"];\n");
        for (int k = 0; k < b->successor_count; k++)
            put_edge(s->plan, i, b->successors[k], out);
    }
    text_printf(out, "}\n");
}

/* ---- JSON ---- */

static void put_member(struct text *out, const char *name, const char *string)
{
    text_printf(out, "\"%s\":", name);
    json_print_string(out, string);
}

static void put_prediction(const struct speculation *s, int index, struct text *out)
{
    const struct speculated *d = &s->list.data[index];
    text_printf(out, "%s{", index ? "," : "");
    put_member(out, "name", d->prediction->name);
    text_printf(out, ",");
    put_member(out, "origin", d->prediction->origin);
    text_printf(out, ",\"label\":%d,\"threshold\":%d", (int)d->prediction->label, d->threshold);
    if (d->prediction->note) {
        text_printf(out, ",");
        put_member(out, "copies", d->prediction->note);
    }
    if (d->refusal) {
        text_printf(out, ",");
        put_member(out, "refused", d->refusal);
    } else {
        text_printf(out, ",\"barrier\":%d,\"exit_barrier\":%d,\"conflicts\":[", (int)d->barrier, (int)d->exit_barrier);
        for (int i = 0, first = 1; i < s->conflicts.count; i++)
            if (s->conflicts.data[i].speculated == index) {
                text_printf(out, "%s%d", first ? "" : ",", (int)s->conflicts.data[i].other);
                first = 0;
            }
        text_printf(out, "]");
    }
    text_printf(out, "}");
}

static void put_entries(const struct barrier_plan *plan, struct text *out)
{
    for (int i = 0; i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        text_printf(out, "%s{\"block\":%d,\"pc\":%d,\"from\":%d,", i ? "," : "",
                    (int)plan->program->insns[e->place.pc].block, (int)e->place.pc, (int)e->place.from);
        put_member(out, "operation", barrier_kind_text[e->op.kind]);
        text_printf(out, ",\"barrier\":%d,\"threshold\":%d}", (int)e->op.barrier, e->op.threshold);
    }
}

static void put_unusable(const struct predictions *predictions, bool is_first, struct text *out)
{
    for (int i = 0; i < predictions->unusable.count; i++) {
        const struct unpredicted *u = &predictions->unusable.data[i];
        text_printf(out, "%s{", i || !is_first ? "," : "");
        put_member(out, "name", u->name);
        text_printf(out, ",");
        put_member(out, "origin", u->origin);
        text_printf(out, ",");
        put_member(out, "refused", u->why);
        text_printf(out, "}");
    }
}

void speculation_print_json(const struct speculation *s, const struct predictions *predictions, struct text *out)
{
    text_printf(out, "{");
    put_member(out, "kernel", s->program->kernel->name);
    text_printf(out, ",\"predictions\":[");
    for (int i = 0; i < s->list.count; i++)
        put_prediction(s, i, out);
    put_unusable(predictions, !s->list.count, out);
    text_printf(out, "],\"barriers\":[");
    for (int i = 0; i < s->plan->barriers.count; i++) {
        text_printf(out, "%s{\"register\":%d,", i ? "," : "", (int)s->plan->barriers.data[i].reg);
        put_member(out, "why", s->plan->barriers.data[i].why);
        text_printf(out, "}");
    }
    text_printf(out, "],\"operations\":[");
    put_entries(s->plan, out);
    text_printf(out, "]}\n");
}
