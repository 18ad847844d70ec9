/*
 * Pages: see page.h.
 *
 * The assembler reads the bundle of web/dist, by paths from the repository's root, as it reads papers
 * (study/paper_built_in.c); `make web` makes the bundle anew.
 */
#include "page/internal.h"

#include "base/diag.h"
#include "study/measurement.h"
#include "study/trial.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__asm__(".pushsection .rodata\n"
        ".globl page_script\n"
        ".hidden page_script\n"
        "page_script:\n.incbin \"web/dist/report.js\"\n.byte 0\n"
        ".globl page_style\n"
        ".hidden page_style\n"
        "page_style:\n.incbin \"web/dist/report.css\"\n.byte 0\n"
        ".popsection\n");
extern const char page_script[] __attribute__((visibility("hidden")));
extern const char page_style[] __attribute__((visibility("hidden")));

struct page *page_create(const char *title, const char *command)
{
    struct page *p = xcalloc(1, sizeof *p);
    p->title = strdup(title);
    p->command = strdup(command);
    p->programs = cJSON_CreateObject();
    return p;
}

void page_destroy(struct page *p)
{
    if (!p)
        return;
    runs_free(&p->runs);
    details_free(p);
    text_free(&p->claims);
    text_free(&p->published);
    free(p->title);
    free(p->command);
    free(p);
}

int page_add_run(struct page *p, const struct page_run *texts, const struct result *result)
{
    int run = runs_add(&p->runs, texts);
    for (int i = 0; i < result->values.count; i++)
        runs_add_figure(&p->runs, run, result->values.data[i].path, result->values.data[i].sum);
    return run;
}

/* Options that say where results go and what a trace shows, which change no figure; their values follow. */
static bool is_plumbing(const char *word)
{
    static const char *const options[] = {"--json", "--report-data", "--trace-sm", "--trace-window"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(word, options[i]))
            return true;
    return false;
}

static void print_command(const struct trial *t, struct text *out)
{
    struct vec_of(char *) words = {0};
    vec_push(&words, "heddle");
    vec_push(&words, t->program ? "exec" : "run");
    for (int i = 0; i < t->words.count; i++)
        if (is_plumbing(t->words.data[i]))
            i++;
        else
            vec_push(&words, t->words.data[i]);
    if (t->program)
        vec_push(&words, "--");
    for (int i = 0; t->program && t->program[i]; i++)
        vec_push(&words, t->program[i]);
    page_print_words(words.data, words.count, out);
    vec_free(&words);
}

int page_add_trial(struct page *p, const struct page_run *texts, const struct trial *t)
{
    struct page_run run = *texts;
    struct result result = {0};
    struct text command = {0};
    print_command(t, &command);
    run.command = command.data;
    char *why = t->status ? trial_complaint(t) : NULL;
    run.failure = !t->status ? NULL : t->status == TRIAL_NOT_RUN ? "not run" : why && *why ? why : "failed";
    run.scheduler = run.scheduler ? run.scheduler : t->measurement.scheduler;
    measurement_save(&t->measurement, &result);
    int number = page_add_run(p, &run, &result);
    result_free(&result);
    text_free(&command);
    free(why);
    return number;
}

static bool read_lines(const char *path, char **error, bool (*take)(void *context, char *line, char **error),
                       void *context)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    if (!file)
        return diag_fail(error, "cannot read %s: %s", path, strerror(errno));
    while (ok && getline(&line, &room, file) > 0)
        ok = take(context, line, error);
    free(line);
    fclose(file);
    return ok;
}

static bool is_detail(const char *line)
{
    return !strncmp(line, "{\"detail\":", 10);
}

struct detail_reader {
    struct page *page;
    int run;
};

static bool take_detail(void *context, char *line, char **error)
{
    struct detail_reader *r = context;
    cJSON *json = is_detail(line) ? json_read(line, error) : NULL;
    if (json)
        details_add(r->page, r->run, json);
    return json || !is_detail(line);
}

bool page_add_details(struct page *p, int run, const char *path, char **error)
{
    return read_lines(path, error, take_detail, &(struct detail_reader){p, run});
}

struct data_reader {
    struct measurement measurement;
    char *gpu, *mechanism; /* of the first launch */
};

static bool take_result(void *context, char *line, char **error)
{
    struct data_reader *r = context;
    if (is_detail(line))
        return true;
    if (!r->mechanism) {
        cJSON *json = json_read(line, error);
        const cJSON *gpu = cJSON_GetObjectItem(json, "gpu"), *mechanism = cJSON_GetObjectItem(json, "mechanism");
        r->gpu = cJSON_IsString(gpu) ? strdup(gpu->valuestring) : NULL;
        r->mechanism = strdup(cJSON_IsString(mechanism) ? mechanism->valuestring : "");
        bool ok = json;
        cJSON_Delete(json);
        if (!ok)
            return false;
    }
    return measurement_add_line(&r->measurement, line, error);
}

bool page_add_data(struct page *p, const struct page_run *texts, const char *path, char **error)
{
    struct data_reader reader = {0};
    struct result result = {0};
    bool ok = read_lines(path, error, take_result, &reader);
    if (ok) {
        struct page_run run = *texts;
        run.gpu = run.gpu ? run.gpu : reader.gpu;
        run.mechanism = run.mechanism ? run.mechanism : reader.mechanism;
        run.scheduler = run.scheduler ? run.scheduler : reader.measurement.scheduler;
        measurement_save(&reader.measurement, &result);
        ok = page_add_details(p, page_add_run(p, &run, &result), path, error);
    }
    result_free(&result);
    measurement_free(&reader.measurement);
    free(reader.gpu);
    free(reader.mechanism);
    return ok;
}

void page_add_claim(struct page *p, const char *json)
{
    text_printf(&p->claims, "%s%s", p->claims.length ? "," : "", json);
}

/* A word that a shell takes as it stands. */
static bool is_plain(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-+=./,:@%^", *c))
            return false;
    return *word;
}

void page_print_words(char *const *words, int count, struct text *out)
{
    for (int i = 0; i < count; i++) {
        text_printf(out, "%s", i ? " " : "");
        if (is_plain(words[i])) {
            text_printf(out, "%s", words[i]);
            continue;
        }
        text_printf(out, "'");
        for (const char *c = words[i]; *c; c++)
            text_printf(out, *c == '\'' ? "'\\''" : "%c", *c);
        text_printf(out, "'");
    }
}

static void print_data(const struct page *p, struct text *out)
{
    text_printf(out, "{\"format\":1,\"version\":\"%s\",\"title\":", HEDDLE_VERSION);
    json_print_string(out, p->title);
    text_printf(out, ",\"command\":");
    json_print_string(out, p->command);
    text_printf(out, ",\"runs\":");
    runs_print(&p->runs, out);
    text_printf(out, ",\"claims\":[%s],\"published\":[%s],", p->claims.data ? p->claims.data : "",
                p->published.data ? p->published.data : "");
    details_print(p, out);
    text_printf(out, "}");
}

/* Within HTML, a text must not end the element that it stands in. In JSON every < stands in a string. */
static void append_escaped(struct text *out, const char *text, const char *instead)
{
    for (size_t n; *text; text += n) {
        n = strcspn(text, "<");
        text_append(out, text, n);
        if (text[n]) {
            text_printf(out, "%s", instead);
            n++;
        }
    }
}

void page_print(const struct page *p, struct text *out)
{
    struct text data = {0};
    print_data(p, &data);
    text_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n<title>");
    append_escaped(out, p->title, "&lt;");
    text_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_style);
    text_printf(out, "<noscript>This page shows its figures with JavaScript, which is switched off.</noscript>\n"
                     "<script type=\"application/json\" id=\"data\">");
    append_escaped(out, data.data, "\\u003c");
    text_printf(out, "</script>\n<script>\n%s</script>\n</body>\n</html>\n", page_script);
    text_free(&data);
}
