/* The runs of a page: texts and figures, column by column. */
#include "page/internal.h"

#include "base/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

static const struct text_column {
    const char *name;
    size_t offset; /* in struct page_run */
} text_columns[PAGE_TEXTS] = {
    {"name", offsetof(struct page_run, name)},           {"gpu", offsetof(struct page_run, gpu)},
    {"mechanism", offsetof(struct page_run, mechanism)}, {"size", offsetof(struct page_run, size)},
    {"settings", offsetof(struct page_run, settings)},   {"scheduler", offsetof(struct page_run, scheduler)},
    {"failure", offsetof(struct page_run, failure)},     {"command", offsetof(struct page_run, command)},
};

struct page_figure {
    char *path;
    struct vec_of(double) values; /* by run; NAN: the run has none; runs behind the last have none either */
    UT_hash_handle hh;
};

int runs_add(struct page_runs *runs, const struct page_run *texts)
{
    for (int i = 0; i < PAGE_TEXTS; i++) {
        const char *text = *(const char *const *)((const char *)texts + text_columns[i].offset);
        vec_push(&runs->texts[i], text ? strdup(text) : NULL);
    }
    return runs->count++;
}

/* Figures that other figures give, that describe the machine or the launch, or that mean nothing as a sum. */
static bool is_left_out(const char *path)
{
    static const char *const left_out[] = {"derived.",   "gpgpusim.", "nsight.",   "machine.",        "options.",
                                           "intervals.", "program.",  "launch.",   "peak.warp_width", "peak.core_mhz",
                                           "occupancy.", "memory.",   "simd_effi", "replay."};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (!strncmp(path, left_out[i], strlen(left_out[i])))
            return true;
    return false;
}

void runs_add_figure(struct page_runs *runs, int run, const char *path, double value)
{
    struct page_figure *f = NULL;
    if (is_left_out(path))
        return;
    HASH_FIND_STR(runs->figures, path, f);
    if (!f) {
        f = xcalloc(1, sizeof *f);
        f->path = strdup(path);
        HASH_ADD_KEYPTR(hh, runs->figures, f->path, strlen(f->path), f);
    }
    while (f->values.count <= run)
        vec_push(&f->values, NAN);
    f->values.data[run] = value;
}

/* Numbers each distinct text in the order of first occurrence. A page has few distinct ones, except commands, which
 * are all different: no search is worth it for those. */
static void print_texts(const struct page_runs *runs, int column, struct text *out)
{
    const char *const name = text_columns[column].name;
    bool is_distinct = !strcmp(name, "command");
    struct vec_of(const char *) known = {0};
    double *at = xcalloc((size_t)runs->count + 1, sizeof *at);
    text_printf(out, "%s\"%s\":{\"values\":[", column ? "," : "", name);
    for (int i = 0; i < runs->count; i++) {
        const char *text = runs->texts[column].data[i];
        int k = is_distinct ? known.count : 0;
        while (text && k < known.count && strcmp(known.data[k], text))
            k++;
        at[i] = text ? k : NAN;
        if (!text || k < known.count)
            continue;
        text_printf(out, "%s", k ? "," : "");
        json_print_string(out, text);
        vec_push(&known, text);
    }
    text_printf(out, "],\"at\":");
    pack_numbers(at, (size_t)runs->count, out);
    text_printf(out, "}");
    vec_free(&known);
    free(at);
}

static int by_path(const struct page_figure *a, const struct page_figure *b)
{
    return strcmp(a->path, b->path);
}

static bool is_all_zero(const struct page_figure *f)
{
    for (int i = 0; i < f->values.count; i++)
        if (f->values.data[i] != 0 && !isnan(f->values.data[i]))
            return false;
    return true;
}

void runs_print(const struct page_runs *runs, struct text *out)
{
    struct page_figure *sorted = runs->figures;
    bool is_first = true;
    text_printf(out, "{\"count\":%d,\"texts\":{", runs->count);
    for (int i = 0; i < PAGE_TEXTS; i++)
        print_texts(runs, i, out);
    text_printf(out, "},\"figures\":{");
    HASH_SORT(sorted, by_path);
    for (struct page_figure *f = sorted; f; f = f->hh.next) {
        if (is_all_zero(f))
            continue;
        text_printf(out, "%s", is_first ? "" : ",");
        json_print_string(out, f->path);
        text_printf(out, ":");
        pack_numbers(f->values.data, (size_t)f->values.count, out);
        is_first = false;
    }
    text_printf(out, "}}");
}

void runs_free(struct page_runs *runs)
{
    struct page_figure *f, *next;
    HASH_ITER(hh, runs->figures, f, next)
    {
        HASH_DEL(runs->figures, f);
        vec_free(&f->values);
        free(f->path);
        free(f);
    }
    for (int i = 0; i < PAGE_TEXTS; i++) {
        for (int k = 0; k < runs->texts[i].count; k++)
            free(runs->texts[i].data[k]);
        vec_free(&runs->texts[i]);
    }
}
