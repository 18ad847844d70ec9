/* Papers: the options of their runs, and whether heddle run takes them, known before the first of hours of runs. See
 * paper.h. */
#define _GNU_SOURCE
#include "study/paper.h"

#include "div/table.h"
#include "run/request.h"

#include <stdlib.h>
#include <string.h>

/* The mechanism that options name; the last --mech counts, and `otherwise` without one. */
static const char *mechanism_of(const char *words, const char *otherwise, size_t *length)
{
    static const char option[] = "--mech";
    const char *found = otherwise;
    for (const char *at = words; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        if (strncmp(at, option, sizeof option - 1) || !strchr(" =", at[sizeof option - 1]))
            continue;
        found = at + sizeof option - 1;
        found += strspn(found, " =");
        *length = strcspn(found, " ");
    }
    return found;
}

/* Whether the setting of a variant is of a knob of a mechanism other than the run's, which the variant may change. */
static bool is_for_another(const char *setting, const struct paper_run *run, const struct paper_variant *variant)
{
    size_t length = strcspn(setting, ".= "), own_length = strlen("pdom");
    const char *own = mechanism_of(run->words, "pdom", &own_length);
    own = mechanism_of(variant->words, own, &own_length);
    if (setting[length] != '.' || (length == own_length && !memcmp(setting, own, length)))
        return false;
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if (strlen((*m)->name) == length && !memcmp((*m)->name, setting, length))
            return true;
    return false;
}

/* Appends the options of the run, the program and the variant. */
static void print_all_words(const struct paper_run *run, const struct paper_program *program,
                            const struct paper_variant *variant, struct text *out)
{
    static const char option[] = "--set";
    text_printf(out, "%s %s", run->words, program->words);
    for (const char *at = variant ? variant->words : ""; *(at += strspn(at, " "));) {
        size_t length = strcspn(at, " ");
        bool is_set = !strncmp(at, option, sizeof option - 1) && strchr(" =", at[sizeof option - 1]);
        if (is_set) {
            const char *setting = at + sizeof option - 1;
            setting += strspn(setting, " =");
            length = (size_t)(setting - at) + strcspn(setting, " ");
            if (is_for_another(setting, run, variant)) {
                at += length;
                continue;
            }
        }
        text_printf(out, " %.*s", (int)length, at);
        at += length;
    }
}

/* Options of heddle run that are no options of a launch: those for workloads alone, and those for files alone. */
static const struct apart_option {
    const char *name;
    bool is_for_files;
    bool has_value;
    const char *values[4]; /* those that there are; none: any value */
} apart_options[] = {{"--size", false, true, {"test", "small", "paper"}},
                     {"--ptx", false, true, {"nvcc", "plain"}},
                     {"--hints", false, false, {NULL}},
                     {"--grid", true, true, {NULL}},
                     {"--block", true, true, {NULL}},
                     {"--shared", true, true, {NULL}},
                     {"--arg", true, true, {NULL}},
                     {"--cooperative", true, false, {NULL}}};

static const struct apart_option *find_apart(const char *word, bool is_for_files)
{
    for (size_t i = 0; i < sizeof apart_options / sizeof *apart_options; i++)
        if (apart_options[i].is_for_files == is_for_files && !strcmp(word, apart_options[i].name))
            return &apart_options[i];
    return NULL;
}

static void check_value(const struct apart_option *o, const char *value, struct text *why)
{
    bool is_known = !o->values[0];
    for (int k = 0; k < 4 && o->values[k]; k++)
        is_known |= !strcmp(value, o->values[k]);
    if (!is_known)
        text_printf(why, "'%s' is no value of %s", value, o->name);
}

/* Takes options that are for workloads alone, or for files alone, out of the words, and says what is wrong with their
 * values. The rest is owned by the caller. */
static char *without_apart(const char *words, bool is_for_files, struct text *why)
{
    struct text rest = {0}, copy = {0};
    char *state = NULL;
    text_printf(&copy, "%s", words);
    text_printf(&rest, "%s", "");
    for (char *at = strtok_r(copy.data, " ", &state); at; at = strtok_r(NULL, " ", &state)) {
        const struct apart_option *o = find_apart(at, is_for_files);
        if (!o) {
            text_printf(&rest, "%s ", at);
        } else if (o->has_value) {
            const char *value = strtok_r(NULL, " ", &state);
            check_value(o, value ? value : "", why);
        }
    }
    text_free(&copy);
    return text_take(&rest);
}

void paper_print_words(const struct paper_run *run, const struct paper_program *program,
                       const struct paper_variant *variant, struct text *out)
{
    struct text all = {0}, why = {0};
    print_all_words(run, program, variant, &all);
    char *rest = program->file ? without_apart(all.data, false, &why) : NULL;
    text_printf(out, "%s", rest ? rest : all.data);
    free(rest);
    text_free(&all);
    text_free(&why);
}

/* The options in the order in which a trial has them. */
static bool are_accepted(const struct paper *p, const struct paper_run *run, const struct paper_program *program,
                         const struct paper_variant *variant, char **why)
{
    struct run_request request;
    struct text words = {0}, wrong = {0};
    request_open(&request);
    text_printf(&words, "--gpu %s ", p->gpu);
    paper_print_words(run, program, variant, &words);
    char *launch = without_apart(words.data, program->file, &wrong);
    bool ok = !wrong.length && options_take_text(&request.options, launch, why) && request_settle(&request, why);
    if (wrong.length)
        *why = text_take(&wrong);
    free(launch);
    text_free(&words);
    request_close(&request);
    return ok;
}

/* The line to blame: that of the program if the run is accepted without the program's own options. */
static int line_to_blame(const struct paper *p, const struct paper_run *run, const struct paper_program *program)
{
    char *why = NULL;
    struct paper_program plain = *program;
    plain.words = "";
    bool is_program = are_accepted(p, run, &plain, NULL, &why);
    free(why);
    return is_program ? program->line : run->line;
}

/* Checks all runs, as they are or in a variant. */
static bool check_runs(const struct paper *p, const struct paper_sweep *sweep, const struct paper_variant *variant,
                       char **error)
{
    for (int r = 0; r < p->run_count; r++)
        for (int i = 0; i < p->program_count; i++) {
            char *why = NULL;
            struct text message = {0};
            if (are_accepted(p, &p->runs[r], &p->programs[i], variant, &why))
                continue;
            text_printf(&message, "%s:%d: the run %s of %s", p->ini_path,
                        variant ? variant->line : line_to_blame(p, &p->runs[r], &p->programs[i]), p->runs[r].name,
                        p->programs[i].label);
            if (variant)
                text_printf(&message, " in the variant %s of the sweep %s", variant->name, sweep->name);
            text_printf(&message, ": %s", why);
            free(why);
            *error = text_take(&message);
            return false;
        }
    return true;
}

bool paper_check_runs(const struct paper *p, char **error)
{
    bool ok = check_runs(p, NULL, NULL, error);
    for (int s = 0; s < p->sweep_count; s++)
        for (int v = 0; v < p->sweeps[s].variant_count; v++)
            ok = ok && check_runs(p, &p->sweeps[s], &p->sweeps[s].variants[v], error);
    return ok;
}

const struct paper_sweep *paper_find_sweep(const struct paper *p, const char *name)
{
    for (int s = 0; s < p->sweep_count; s++)
        if (!strcmp(p->sweeps[s].name, name))
            return &p->sweeps[s];
    return NULL;
}
