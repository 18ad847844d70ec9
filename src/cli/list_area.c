/*
 * heddle list area: what divergence mechanisms cost in hardware, per multiprocessor.
 *
 * Without --mech it prints one row per mechanism: storage in bits, the difference to pdom, the area where a paper gives
 * one, and counted logic. With --mech it prints every term of one mechanism with its formula and source; for vws, Table
 * 2 of its paper (Rogers et al., ISCA 2015) as well, by the width of slices. The formulas stand beside the mechanisms
 * (div/contract/cost.h).
 *
 * --gpu names the machine. Without it the machine is fermi, or for ws and vws that of their paper: a GPU of 15
 * multiprocessors, with two ports of the L1 instruction cache and L0 caches of 256 bytes. --set changes knobs of the
 * machine and of any mechanism; pdom.stack_entries gives the depth of all stacks whose mechanism does not set its own.
 */
#include "cli/list.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "cli/cli.h"
#include "div/cost.h"
#include "div/pdom/pdom.h"
#include "div/table.h"
#include "div/vws/area.h"
#include "div/vws/vws.h"
#include "gpu/machine.h"

#include <stdlib.h>
#include <string.h>

enum {
    STACK_ENTRIES = 32, /* of a reconvergence stack, if no knob says: Zhang et al., 2016, section 4.2.5 */
    WIDTHS = 5,         /* columns of the table of vws */
    AREA_WIDTH = 17,    /* of the column with a paper's area */
    LOGIC_COLUMN = 58,  /* where the last column of the table begins */
    VALUE_COLUMN = 28,  /* where the words about a term begin */
};

static const uint32_t slice_widths[WIDTHS] = {1, 2, 4, 8, 16};

static const struct area_row {
    const char *name;
    size_t offset;
} area_rows[] = {
    {"l1i_ports_mm2", offsetof(struct vws_area, l1i)},
    {"l0_mm2", offsetof(struct vws_area, l0)},
    {"ibuffers_mm2", offsetof(struct vws_area, buffers)},
    {"gang_table_mm2", offsetof(struct vws_area, table)},
    {"scoreboards_mm2", offsetof(struct vws_area, scoreboards)},
    {"control_mm2", offsetof(struct vws_area, control)},
    {"sm_mm2", offsetof(struct vws_area, sm)},
    {"sm_percent", offsetof(struct vws_area, sm_percent)},
    {"gpu_mm2", offsetof(struct vws_area, gpu)},
    {"gpu_percent", offsetof(struct vws_area, gpu_percent)},
};

/* ---- what is asked for ---- */

struct area_design {
    struct machine *machine;
    struct cost_machine facts;
    void **knobs; /* by mechanism of div_all(): values of its knobs; NULL: it has none */
};

static int mechanism_count(void)
{
    int count = 0;
    while (div_all()[count])
        count++;
    return count;
}

static int index_of(const struct div_ops *mechanism)
{
    int i = 0;
    while (div_all()[i] != mechanism)
        i++;
    return i;
}

static void *default_knobs(const struct knob_table *table)
{
    size_t bytes = 0;
    for (int i = 0; table && i < table->count; i++)
        if (table->knobs[i].offset + sizeof(double) > bytes)
            bytes = table->knobs[i].offset + sizeof(double);
    if (!table)
        return NULL;
    void *values = xcalloc(1, bytes);
    knob_defaults(table, values);
    return values;
}

/* A setting of a mechanism's knob, "dws.entries=32", or of the machine. */
static bool set(struct area_design *d, const char *setting, char **error)
{
    size_t name = strcspn(setting, ".="), knob = strcspn(setting, "=");
    for (int i = 0; div_all()[i]; i++) {
        const struct div_ops *m = div_all()[i];
        if (strlen(m->name) != name || strncmp(m->name, setting, name))
            continue;
        if (!m->knobs || setting[name] != '.' || !setting[knob])
            return diag_fail(error, "'%s' is no knob and value of %s", setting, m->name);
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)(knob - name - 1), setting + name + 1);
        return knob_set(m->knobs, d->knobs[i], word, setting + knob + 1, error);
    }
    return machine_set(d->machine, setting, error);
}

static void take_facts(struct area_design *d)
{
    const struct machine *m = d->machine;
    const struct pdom_knobs *pdom = d->knobs[index_of(div_find("pdom"))];
    uint32_t width = m->sm.warp_width;
    d->facts = (struct cost_machine){.threads = m->sm.max_threads,
                                     .warps = (m->sm.max_threads + width - 1) / width,
                                     .warp_width = width,
                                     .simd_width = m->sm.simd_width,
                                     .blocks = m->sm.max_blocks,
                                     .block_warps = (m->gpu.max_block_threads + width - 1) / width,
                                     .stack_entries = pdom->stack.entries ? pdom->stack.entries : STACK_ENTRIES,
                                     .ibuffer_entries = m->sm.ibuffer_entries,
                                     .tracks_registers = m->sm.scoreboard != SM_SCOREBOARD_SINGLE,
                                     .l0_bytes = m->sm.l0_bytes,
                                     .l1i_bytes = m->mem.port[PORT_INSTRUCTION].bytes,
                                     .sm_count = m->gpu.sm_count,
                                     .has_l0 = m->sm.l0_bytes && m->sm.l0_slice_lanes >= width};
}

static bool open_design(struct area_design *d, const struct list_request *r, char **error)
{
    static const char *const paper[] = {"gpu.sm_count=15", "sm.l0_bytes=256", "vws.fetch_ports=2"};
    bool is_sliced = r->mech && (!strcmp(r->mech, "ws") || !strcmp(r->mech, "vws"));
    bool ok = true;
    int count = mechanism_count();
    d->knobs = xcalloc((size_t)count, sizeof *d->knobs);
    for (int i = 0; i < count; i++)
        d->knobs[i] = default_knobs(div_all()[i]->knobs);
    d->machine = machine_load(r->gpu ? r->gpu : is_sliced ? "vws" : "fermi", error);
    if (!d->machine)
        return false;
    for (size_t i = 0; ok && is_sliced && !r->gpu && i < sizeof paper / sizeof *paper; i++)
        ok = set(d, paper[i], error);
    for (int i = 0; ok && i < r->setting_count; i++)
        ok = set(d, r->settings[i], error);
    ok = ok && machine_check(d->machine, error);
    if (ok)
        take_facts(d);
    return ok;
}

static void close_design(struct area_design *d)
{
    for (int i = 0; d->knobs && i < mechanism_count(); i++)
        free(d->knobs[i]);
    free(d->knobs);
    machine_free(d->machine);
}

/* ---- as text ---- */

static void print_machine(const struct area_design *d)
{
    const struct cost_machine *m = &d->facts;
    printf("per multiprocessor of %s: T %u threads, N %u warps, W %u threads per warp, p %u lanes,\n"
           "B %u blocks, S %u warps per block, D %u stack entries\n",
           d->machine->name, m->threads, m->warps, m->warp_width, m->simd_width, m->blocks, m->block_warps,
           m->stack_entries);
}

static void append_area(const struct cost *c, struct text *out)
{
    if (c->has_area && c->area_is_bound)
        text_printf(out, "<< %.3g mm2", c->area_mm2);
    else if (c->has_area)
        text_printf(out, "%.2f mm2", c->area_mm2);
    if (c->has_area && c->area_percent >= 0)
        text_printf(out, ", %.1f %%", c->area_percent);
}

static void append_logic(const struct cost *c, struct text *out)
{
    const char *comma = "";
    for (int i = 0; i < c->count; i++) {
        const struct cost_term *t = &c->terms[i];
        if (t->kind != COST_LOGIC)
            continue;
        const char *plural = t->count == 1 ? "" : t->name[strlen(t->name) - 1] == 's' ? "es" : "s";
        text_printf(out, "%s%.0f %s%s of %.0f", comma, t->count, t->name, plural, t->each);
        comma = ", ";
    }
}

static void print_row(const char *name, const struct cost_sum *sum)
{
    const struct cost *c = &sum->cost;
    struct text line = {0}, area = {0}, logic = {0};
    text_printf(&line, "%-11s", name);
    if (c->none) {
        text_printf(&line, " %9s  %s\n", "-", c->none);
    } else {
        append_area(c, &area);
        append_logic(c, &logic);
        text_printf(&line, " %9.0f %+9.0f %+5.0f %%", sum->bits, sum->bits - sum->baseline,
                    100 * (sum->bits - sum->baseline) / sum->baseline);
        text_printf(&line, "  %-*s", AREA_WIDTH, area.length ? area.data : "-");
        if (logic.length)
            cli_wrap(&line, (int)line.length, LOGIC_COLUMN, logic.data);
        else
            text_printf(&line, "-\n");
    }
    fputs(line.data, stdout);
    text_free(&line);
    text_free(&area);
    text_free(&logic);
}

static void print_term(const struct cost_term *t)
{
    struct text value = {0}, words = {0};
    if (t->kind == COST_STORAGE)
        text_printf(&value, "%10.0f bits", t->count * t->each);
    else if (t->kind == COST_LOGIC)
        text_printf(&value, "%10.0f of %.0f bits", t->count, t->each);
    else
        text_printf(&value, "%10.*f %s", t->count == (double)(long)t->count ? 0 : 1, t->count, t->unit);
    printf("  %-26s %s\n", t->name, value.data);
    if (t->kind == COST_STORAGE)
        text_printf(&words, "%.0f x %.0f: ", t->count, t->each);
    text_printf(&words, "%s [%s]", t->formula, t->source);
    struct text line = {0};
    text_printf(&line, "%*s", VALUE_COLUMN, "");
    cli_wrap(&line, VALUE_COLUMN, VALUE_COLUMN, words.data);
    fputs(line.data, stdout);
    text_free(&line);
    text_free(&value);
    text_free(&words);
}

static void print_kind(const struct cost *c, enum cost_kind kind, const char *title)
{
    bool is_first = true;
    for (int i = 0; i < c->count; i++) {
        if (c->terms[i].kind != kind)
            continue;
        if (is_first)
            printf("%s\n", title);
        is_first = false;
        print_term(&c->terms[i]);
    }
}

static void print_details(const struct div_ops *mechanism, const struct cost_sum *sum)
{
    const struct cost *c = &sum->cost;
    struct text area = {0};
    printf("%s", mechanism->name);
    if (c->none) {
        printf(": none (%s)\n", c->none);
        return;
    }
    printf(": %.0f bits, %+.0f against pdom's %.0f (%+.1f %%)\n", sum->bits, sum->bits - sum->baseline, sum->baseline,
           100 * (sum->bits - sum->baseline) / sum->baseline);
    append_area(c, &area);
    if (area.length)
        printf("area that the paper gives: %s%s\n", area.data, c->area_percent < 0 ? "" : " of a multiprocessor");
    text_free(&area);
    print_kind(c, COST_STORAGE, "storage");
    print_kind(c, COST_LOGIC, "logic");
    print_kind(c, COST_FIGURE, "figures of the paper");
}

/* ---- Table 2 of the paper on variable warp sizing, by the width of slices ---- */

static void slice_areas(const struct area_design *d, struct vws_area *area)
{
    const struct cost_machine *m = &d->facts;
    const struct vws_knobs *knobs = d->knobs[index_of(div_find("vws"))];
    for (int i = 0; i < WIDTHS; i++)
        area[i] = vws_area(&(struct vws_area_of){.lanes = m->warp_width,
                                                 .slice_lanes = slice_widths[i],
                                                 .warps = m->warps,
                                                 .l1i_bytes = m->l1i_bytes,
                                                 .l1i_ports = knobs->fetch_ports,
                                                 .l0_bytes = m->l0_bytes,
                                                 .gangs = knobs->table_sets * knobs->table_ways,
                                                 .sm_count = m->sm_count});
}

/* Whether a warp has slices of this width. */
static bool is_slice(const struct area_design *d, int width)
{
    return slice_widths[width] <= d->facts.warp_width;
}

static double value_of(const struct vws_area *area, const struct area_row *row)
{
    return *(const double *)((const char *)area + row->offset);
}

static void print_slice_areas(const struct area_design *d)
{
    struct vws_area area[WIDTHS];
    slice_areas(d, area);
    printf("\n%-20s", "lanes of a slice");
    for (int i = 0; i < WIDTHS; i++)
        printf(" %10u", slice_widths[i]);
    printf("\n");
    for (size_t k = 0; k < sizeof area_rows / sizeof *area_rows; k++) {
        printf("%-20s", area_rows[k].name);
        for (int i = 0; i < WIDTHS; i++)
            if (is_slice(d, i))
                printf(" %10.3f", value_of(&area[i], &area_rows[k]));
            else
                printf(" %10s", "-");
        printf("\n");
    }
}

static void append_slice_areas(const struct area_design *d, struct text *out)
{
    struct vws_area area[WIDTHS];
    slice_areas(d, area);
    text_printf(out, ",\"by_slice_width\":{");
    for (size_t k = 0; k < sizeof area_rows / sizeof *area_rows; k++) {
        text_printf(out, "%s\"%s\":{", k ? "," : "", area_rows[k].name);
        for (int i = 0; i < WIDTHS && is_slice(d, i); i++)
            text_printf(out, "%s\"%u\":%.4f", i ? "," : "", slice_widths[i], value_of(&area[i], &area_rows[k]));
        text_printf(out, "}");
    }
    text_printf(out, "}");
}

/* ---- as JSON ---- */

static void append_term(const struct cost_term *t, struct text *out)
{
    static const char *const kinds[] = {[COST_STORAGE] = "storage", [COST_LOGIC] = "logic", [COST_FIGURE] = "figure"};
    text_printf(out, "{\"kind\":\"%s\",\"name\":", kinds[t->kind]);
    json_print_string(out, t->name);
    if (t->kind == COST_FIGURE) {
        text_printf(out, ",\"value\":%.15g,\"unit\":", t->count);
        json_print_string(out, t->unit);
    } else {
        text_printf(out, ",\"count\":%.15g,\"bits_each\":%.15g", t->count, t->each);
    }
    text_printf(out, ",\"formula\":");
    json_print_string(out, t->formula);
    text_printf(out, ",\"source\":");
    json_print_string(out, t->source);
    text_printf(out, "}");
}

static void print_json(const struct area_design *d, const struct div_ops *mechanism, const struct cost_sum *sum)
{
    const struct cost *c = &sum->cost;
    struct text t = {0};
    text_printf(&t, "{\"name\":\"%s\",\"machine\":", mechanism->name);
    json_print_string(&t, d->machine->name);
    if (c->none) {
        text_printf(&t, ",\"none\":");
        json_print_string(&t, c->none);
    } else {
        text_printf(&t, ",\"bits\":%.0f,\"added_bits\":%.0f", sum->bits, sum->bits - sum->baseline);
    }
    if (c->has_area)
        text_printf(&t, ",\"%s\":%.4f", c->area_is_bound ? "area_below_mm2" : "area_mm2", c->area_mm2);
    if (c->has_area && c->area_percent >= 0)
        text_printf(&t, ",\"area_percent\":%.4f", c->area_percent);
    text_printf(&t, ",\"terms\":[");
    for (int i = 0; i < c->count; i++) {
        text_printf(&t, i ? "," : "");
        append_term(&c->terms[i], &t);
    }
    text_printf(&t, "]");
    if (!strcmp(mechanism->name, "vws"))
        append_slice_areas(d, &t);
    printf("%s}\n", t.data);
    text_free(&t);
}

/* ---- the topic ---- */

static void print_mechanism(const struct area_design *d, const struct list_request *r, const struct div_ops *mechanism)
{
    struct cost_sum sum;
    if (!cost_sum(mechanism, &d->facts, d->knobs[index_of(mechanism)], &sum))
        sum.cost.none = "not known: the mechanism does not say";
    if (r->format == LIST_JSON)
        print_json(d, mechanism, &sum);
    else if (r->mech)
        print_details(mechanism, &sum);
    else
        print_row(mechanism->name, &sum);
    if (r->format != LIST_JSON && r->mech && !strcmp(mechanism->name, "vws"))
        print_slice_areas(d);
}

int list_area(const struct list_request *r)
{
    struct area_design d = {0};
    char *error = NULL;
    const struct div_ops *one = r->mech ? div_find(r->mech) : NULL;
    if (r->mech && !one)
        return cli_misuse("list", "there is no mechanism '%s'; heddle list mechanisms names all", r->mech);
    bool ok = open_design(&d, r, &error);
    if (!ok)
        cli_misuse("list", "%s", error);
    if (ok && r->format != LIST_JSON)
        print_machine(&d);
    if (ok && r->format != LIST_JSON && !one)
        printf("%-11s %9s %9s %7s  %-*s%s\n", "", "bits", "to pdom", "", AREA_WIDTH, "paper's area",
               "logic: units of so many bits");
    for (const struct div_ops *const *m = div_all(); ok && *m; m++)
        if (!one || *m == one)
            print_mechanism(&d, r, *m);
    free(error);
    close_design(&d);
    return ok ? STATUS_OK : STATUS_USAGE;
}
