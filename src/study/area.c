/* What divergence mechanisms cost in hardware. See area.h. */
#include "study/area.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "div/pdom/pdom.h"
#include "div/table.h"
#include "div/vws/area.h"
#include "div/vws/vws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_ENTRIES = 32 }; /* of a reconvergence stack, if no knob says: Zhang et al., 2016, section 4.2.5 */

const uint32_t area_widths[AREA_WIDTHS] = {1, 2, 4, 8, 16};

const struct area_row area_rows[] = {
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
    {NULL, 0},
};

/* ---- the design ---- */

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

bool area_open(struct area_design *d, const struct area_request *r, char **error)
{
    static const char *const paper[] = {"gpu.sm_count=15", "sm.l0_bytes=256", "vws.fetch_ports=2"};
    bool is_sliced = r->mech && (!strcmp(r->mech, "ws") || !strcmp(r->mech, "vws"));
    bool ok = true;
    int count = mechanism_count();
    *d = (struct area_design){.knobs = xcalloc((size_t)count, sizeof *d->knobs)};
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

void area_close(struct area_design *d)
{
    for (int i = 0; d->knobs && i < mechanism_count(); i++)
        free(d->knobs[i]);
    free(d->knobs);
    machine_free(d->machine);
}

void area_sum(const struct area_design *d, const struct div_ops *mechanism, struct cost_sum *sum)
{
    if (!cost_sum(mechanism, &d->facts, d->knobs[index_of(mechanism)], sum))
        sum->cost.none = "not known: the mechanism does not say";
}

/* ---- by the lanes of a slice ---- */

bool area_has_width(const struct area_design *d, int width)
{
    return area_widths[width] <= d->facts.warp_width;
}

double area_by_width(const struct area_design *d, const struct area_row *row, int width)
{
    const struct cost_machine *m = &d->facts;
    const struct vws_knobs *knobs = d->knobs[index_of(div_find("vws"))];
    struct vws_area area = vws_area(&(struct vws_area_of){.lanes = m->warp_width,
                                                          .slice_lanes = area_widths[width],
                                                          .warps = m->warps,
                                                          .l1i_bytes = m->l1i_bytes,
                                                          .l1i_ports = knobs->fetch_ports,
                                                          .l0_bytes = m->l0_bytes,
                                                          .gangs = knobs->table_sets * knobs->table_ways,
                                                          .sm_count = m->sm_count});
    return *(const double *)((const char *)&area + row->offset);
}

/* ---- figures by name ---- */

/* Appends the name by which a claim means a term: "wcnt, per stack" is "wcnt-per-stack". */
static void append_word(const char *name, struct text *out)
{
    for (; *name; name++)
        if (*name != ',')
            text_printf(out, "%c", *name == ' ' ? '-' : *name);
}

static double value_of(const struct cost_term *t)
{
    return t->kind == COST_STORAGE ? t->count * t->each : t->count;
}

static double find_term(const struct cost *c, const char *figure)
{
    double value = NAN;
    for (int i = 0; i < c->count && isnan(value); i++) {
        struct text word = {0};
        append_word(c->terms[i].name, &word);
        if (!strcmp(word.data, figure))
            value = value_of(&c->terms[i]);
        text_free(&word);
    }
    return value;
}

/* "sm_percent.4": a row of Table 2 and the lanes of a slice. */
static double find_slice(const struct area_design *d, const char *figure)
{
    for (const struct area_row *row = area_rows; row->name; row++)
        for (int i = 0; i < AREA_WIDTHS && area_has_width(d, i); i++) {
            char word[64];
            snprintf(word, sizeof word, "%s.%u", row->name, area_widths[i]);
            if (!strcmp(word, figure))
                return area_by_width(d, row, i);
        }
    return NAN;
}

static double find_figure(const struct area_design *d, const struct div_ops *mechanism, const char *figure)
{
    struct cost_sum sum;
    double value = NAN;
    area_sum(d, mechanism, &sum);
    if (!sum.cost.none && !strcmp(figure, "bits"))
        value = sum.bits;
    else if (!sum.cost.none && !strcmp(figure, "added"))
        value = sum.bits - sum.baseline;
    else if (!sum.cost.none)
        value = find_term(&sum.cost, figure);
    return isnan(value) && !strcmp(mechanism->name, "vws") ? find_slice(d, figure) : value;
}

/* The figure that the first `length` characters of the name mean. */
static double figure_of(const char *name, size_t length, struct text *why)
{
    size_t dot = strcspn(name, "."), rest = dot < length ? length - dot - 1 : 0;
    const struct div_ops *mechanism = NULL;
    struct area_design d;
    char *error = NULL, figure[64];
    double value = NAN;
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if (strlen((*m)->name) == dot && !memcmp((*m)->name, name, dot))
            mechanism = *m;
    if (!mechanism || !rest || rest >= sizeof figure) {
        text_printf(why, "'%.*s' is not MECHANISM.FIGURE, a figure of a mechanism's hardware", (int)length, name);
        return NAN;
    }
    snprintf(figure, sizeof figure, "%.*s", (int)rest, name + dot + 1);
    if (area_open(&d, &(struct area_request){.mech = mechanism->name}, &error))
        value = find_figure(&d, mechanism, figure);
    if (error)
        text_printf(why, "%s", error);
    else if (isnan(value))
        text_printf(why, "the hardware of %s has no figure '%s'; see heddle list area --mech %s", mechanism->name,
                    figure, mechanism->name);
    area_close(&d);
    free(error);
    return value;
}

double area_figure(const char *name, struct text *why)
{
    size_t over = strcspn(name, "/");
    double value = figure_of(name, over, why);
    if (!name[over] || isnan(value))
        return value;
    return value / figure_of(name + over + 1, strlen(name + over + 1), why);
}
