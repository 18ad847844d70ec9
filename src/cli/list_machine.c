/* heddle list machines, mechanisms, schedulers, knobs: from the tables of gpu/, div/, sched/, sm/ and mem/. */
#include "cli/cli.h"
#include "cli/list.h"

#include "base/json.h"
#include "base/text.h"
#include "div/table.h"
#include "gpu/machine.h"
#include "mem/mem.h"
#include "sched/sched.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 14, KNOB_WIDTH = 25, VALUE_WIDTH = 11 };

int list_machines(const struct list_request *r)
{
    for (const struct machine_builtin *b = machine_builtins; b->name; b++) {
        char *error = NULL;
        struct text t = {0};
        if (r->format == LIST_NAMES) {
            puts(b->name);
            continue;
        }
        struct machine *m = machine_load(b->name, &error);
        if (!m) {
            cli_fail("%s", error);
            free(error);
            return STATUS_INPUT;
        }
        if (r->format == LIST_JSON) {
            machine_print_json(m, &t);
            printf("%s\n", t.data);
        } else {
            text_printf(&t, "%s (%u multiprocessors of %u threads, warps of %u, %u lanes)", m->description,
                        m->gpu.sm_count, m->sm.max_threads, m->sm.warp_width, m->sm.simd_width);
            list_entry(m->name, NAME_WIDTH, t.data);
        }
        text_free(&t);
        machine_free(m);
    }
    return STATUS_OK;
}

/* A mechanism or a scheduler. `scheduler`: that of a mechanism's paper; "": none; NULL: no
 * mechanism. */
static void list_policy(enum list_format format, const char *name, const char *summary, const char *source,
                        const char *scheduler)
{
    struct text t = {0};
    if (format == LIST_NAMES) {
        puts(name);
    } else if (format == LIST_JSON) {
        list_object((const char *const[]){"name", name, "summary", summary, "source", source,
                                          scheduler ? "scheduler" : NULL, scheduler, NULL});
    } else {
        text_printf(&t, "%s", summary);
        if (source && *source)
            text_printf(&t, " [%s]", source);
        if (scheduler && *scheduler)
            text_printf(&t, " (scheduler of the paper: %s)", scheduler);
        list_entry(name, NAME_WIDTH, t.data);
    }
    text_free(&t);
}

int list_mechanisms(const struct list_request *r)
{
    for (const struct div_ops *const *m = div_all(); *m; m++)
        list_policy(r->format, (*m)->name, (*m)->summary, (*m)->paper, div_paper_scheduler(*m));
    return STATUS_OK;
}

int list_schedulers(const struct list_request *r)
{
    for (const struct sched_ops *const *s = sched_all(); *s; s++)
        list_policy(r->format, (*s)->name, (*s)->summary, (*s)->source, NULL);
    return STATUS_OK;
}

/* ---- knobs ---- */

static void knob_json(const char *path, const struct knob *k, const void *values)
{
    static const char *const kinds[] = {
        [KNOB_COUNT] = "count", [KNOB_REAL] = "real", [KNOB_BOOL] = "bool", [KNOB_CHOICE] = "choice"};
    struct text t = {0}, word = {0};
    text_printf(&t, "{\"name\":");
    json_print_string(&t, path);
    text_printf(&t, ",\"kind\":\"%s\",\"default\":", kinds[k->kind]);
    knob_print_value(k, NULL, &word);
    json_print_string(&t, word.data);
    text_free(&word);
    if (values) {
        text_printf(&t, ",\"value\":");
        knob_print_value(k, values, &word);
        json_print_string(&t, word.data);
        text_free(&word);
    }
    if (k->kind == KNOB_COUNT || k->kind == KNOB_REAL)
        text_printf(&t, ",\"low\":%.15g,\"high\":%.15g", k->low, k->high);
    for (int i = 0; k->kind == KNOB_CHOICE && k->choices[i]; i++) {
        text_printf(&t, i ? "," : ",\"choices\":[");
        json_print_string(&t, k->choices[i]);
        text_printf(&t, k->choices[i + 1] ? "" : "]");
    }
    text_printf(&t, ",\"unit\":");
    json_print_string(&t, k->unit);
    text_printf(&t, ",\"meaning\":");
    json_print_string(&t, k->meaning);
    printf("%s}\n", t.data);
    text_free(&t);
}

/* Prints the knob's name and value (of the machine, or the default) in columns, then its meaning and range. */
static void knob_text(const char *path, const struct knob *k, const void *values)
{
    struct text value = {0}, left = {0}, words = {0};
    knob_print_value(k, values, &value);
    text_printf(&left, "%-*s %-*s", KNOB_WIDTH, path, VALUE_WIDTH, value.data);
    knob_print_meaning(k, &words);
    list_entry(left.data, KNOB_WIDTH + 1 + VALUE_WIDTH, words.data);
    text_free(&value);
    text_free(&left);
    text_free(&words);
}

static void list_table(const struct list_request *r, const struct knob_table *table, const void *values)
{
    for (int i = 0; i < table->count; i++) {
        struct text path = {0};
        text_printf(&path, "%s.%s", table->section, table->knobs[i].name);
        if (r->format == LIST_NAMES)
            puts(path.data);
        else if (r->format == LIST_JSON)
            knob_json(path.data, &table->knobs[i], values);
        else
            knob_text(path.data, &table->knobs[i], values);
        text_free(&path);
    }
}

/* Names that set several knobs of the machine at once. */
static void list_groups(const struct list_request *r)
{
    for (const struct machine_group *g = machine_groups; g->name; g++) {
        struct text path = {0}, left = {0};
        text_printf(&path, "%s.%s", g->section, g->name);
        text_printf(&left, "%-*s %-*s", KNOB_WIDTH, path.data, VALUE_WIDTH, "");
        if (r->format == LIST_NAMES)
            puts(path.data);
        else if (r->format == LIST_JSON)
            list_object((const char *const[]){"name", path.data, "kind", "group", "meaning", g->meaning, NULL});
        else
            list_entry(left.data, KNOB_WIDTH + 1 + VALUE_WIDTH, g->meaning);
        text_free(&path);
        text_free(&left);
    }
}

/* The machine that --gpu names, with the settings of --set. NULL: it was said why there is none. */
static struct machine *load_machine(const struct list_request *r)
{
    char *error = NULL;
    struct machine *m = machine_load(r->gpu, &error);
    bool ok = m;
    for (int i = 0; ok && i < r->setting_count; i++)
        ok = machine_set(m, r->settings[i], &error);
    if (ok && machine_check(m, &error))
        return m;
    cli_misuse("list", "%s", error);
    free(error);
    machine_free(m);
    return NULL;
}

int list_knobs(const struct list_request *r)
{
    struct machine *m = r->gpu ? load_machine(r) : NULL;
    if (r->gpu && !m)
        return STATUS_USAGE;
    if (r->setting_count && !r->gpu)
        return cli_misuse("list", "--set changes a machine: --gpu NAME --set %s", r->settings[0]);
    list_table(r, &gpu_knobs, m ? &m->gpu : NULL);
    list_table(r, &sm_knobs, m ? &m->sm : NULL);
    list_table(r, &mem_knobs, m ? &m->mem : NULL);
    list_groups(r);
    for (const struct div_ops *const *d = div_all(); *d; d++)
        if ((*d)->knobs)
            list_table(r, (*d)->knobs, NULL);
    machine_free(m);
    return STATUS_OK;
}
