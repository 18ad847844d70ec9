/*
 * heddle list area: what divergence mechanisms cost in hardware, per multiprocessor.
 *
 * Without --mech it prints one row per mechanism: storage in bits, the difference to pdom, the area where a paper gives
 * one, and counted logic. With --mech it prints every term of one mechanism with its formula and source; for vws, Table
 * 2 of its paper (Rogers et al., ISCA 2015) as well, by the width of slices. The formulas stand beside the mechanisms
 * (div/contract/cost.h), and study/area.h has them as numbers.
 *
 * --gpu names the machine. Without it the machine is fermi, or for ws and vws that of their paper: a GPU of 15
 * multiprocessors, with two ports of the L1 instruction cache and L0 caches of 256 bytes. --set changes knobs of the
 * machine and of any mechanism; pdom.stack_entries gives the depth of all stacks whose mechanism does not set its own.
 */
#include "cli/list.h"

#include "base/json.h"
#include "base/terminal.h"
#include "cli/cli.h"
#include "div/table.h"
#include "study/area.h"

#include <stdlib.h>
#include <string.h>

enum {
    AREA_WIDTH = 17,   /* of the column with a paper's area */
    LOGIC_COLUMN = 58, /* where the last column of the table begins */
    VALUE_COLUMN = 28, /* where the words about a term begin */
};

/* ---- as text ---- */

static void print_machine(const struct area_design *d)
{
    const struct cost_machine *m = &d->facts;
    struct text first = {0}, second = {0}, lines = {0};
    text_printf(&first, "per multiprocessor of %s: T %u threads, N %u warps, W %u threads per warp, p %u lanes,",
                d->machine->name, m->threads, m->warps, m->warp_width, m->simd_width);
    text_printf(&second, "B %u blocks, S %u warps per block, D %u stack entries", m->blocks, m->block_warps,
                m->stack_entries);
    if (terminal_text_columns() < TERMINAL_TEXT_MOST)
        text_printf(&first, " %s", second.data);
    cli_wrap(&lines, 0, 0, first.data);
    if (terminal_text_columns() >= TERMINAL_TEXT_MOST)
        text_printf(&lines, "%s\n", second.data);
    fputs(lines.data, stdout);
    text_free(&first);
    text_free(&second);
    text_free(&lines);
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

static void print_columns(void)
{
    struct text line = {0};
    text_printf(&line, "%-11s %9s %9s %7s  %-*s", "", "bits", "to pdom", "", AREA_WIDTH, "paper's area");
    cli_wrap(&line, LOGIC_COLUMN, LOGIC_COLUMN, "logic: units of so many bits");
    fputs(line.data, stdout);
    text_free(&line);
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

static void print_slice_areas(const struct area_design *d)
{
    printf("\n%-20s", "lanes of a slice");
    for (int i = 0; i < AREA_WIDTHS; i++)
        printf(" %10u", area_widths[i]);
    printf("\n");
    for (const struct area_row *row = area_rows; row->name; row++) {
        printf("%-20s", row->name);
        for (int i = 0; i < AREA_WIDTHS; i++)
            if (area_has_width(d, i))
                printf(" %10.3f", area_by_width(d, row, i));
            else
                printf(" %10s", "-");
        printf("\n");
    }
}

static void append_slice_areas(const struct area_design *d, struct text *out)
{
    text_printf(out, ",\"by_slice_width\":{");
    for (const struct area_row *row = area_rows; row->name; row++) {
        text_printf(out, "%s\"%s\":{", row > area_rows ? "," : "", row->name);
        for (int i = 0; i < AREA_WIDTHS && area_has_width(d, i); i++)
            text_printf(out, "%s\"%u\":%.4f", i ? "," : "", area_widths[i], area_by_width(d, row, i));
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
    area_sum(d, mechanism, &sum);
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
    struct area_design d;
    char *error = NULL;
    const struct div_ops *one = r->mech ? div_find(r->mech) : NULL;
    if (r->mech && !one)
        return cli_misuse("list", "there is no mechanism '%s'; heddle list mechanisms names all", r->mech);
    bool ok = area_open(&d, &(struct area_request){r->gpu, r->mech, r->settings, r->setting_count}, &error);
    if (!ok)
        cli_misuse("list", "%s", error);
    if (ok && r->format != LIST_JSON)
        print_machine(&d);
    if (ok && r->format != LIST_JSON && !one)
        print_columns();
    for (const struct div_ops *const *m = div_all(); ok && *m; m++)
        if (!one || *m == one)
            print_mechanism(&d, r, *m);
    free(error);
    area_close(&d);
    return ok ? STATUS_OK : STATUS_USAGE;
}
