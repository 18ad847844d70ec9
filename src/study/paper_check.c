/* Papers: the options of their runs, and whether heddle run takes them, known before the first of hours of runs. See
 * paper.h. */
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

void paper_print_words(const struct paper_run *run, const struct paper_program *program,
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

/* Whether the word is an option of heddle run for workloads, which has its value, if any, behind it; `why` says what is
 * wrong with that value. */
static bool is_of_workloads(const char *word, const char *value, int *words, struct text *why)
{
    static const struct {
        const char *name, *values[4];
    } options[] = {{"--size", {"test", "small", "paper"}}, {"--ptx", {"nvcc", "plain"}}, {"--hints", {NULL}}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        bool is_known = !options[i].values[0];
        if (strcmp(word, options[i].name))
            continue;
        *words = is_known ? 1 : 2;
        for (int k = 0; options[i].values[k]; k++)
            is_known |= !strcmp(value, options[i].values[k]);
        if (!is_known)
            text_printf(why, "'%s' is no value of %s", value, word);
        return true;
    }
    return false;
}

/* Takes the options of workloads out, which the options of a launch are without. */
static char *without_options_of_workloads(const char *words, struct text *why)
{
    struct text rest = {0}, copy = {0};
    const char *word[256] = {""};
    int count = 0;
    text_printf(&copy, "%s", words);
    for (char *at = strtok(copy.data, " "); at && count < 255; at = strtok(NULL, " "))
        word[count++] = at;
    word[count] = "";
    for (int i = 0, taken; i < count; i += taken) {
        taken = 1;
        if (!is_of_workloads(word[i], word[i + 1], &taken, why))
            text_printf(&rest, "%s ", word[i]);
    }
    text_free(&copy);
    return text_take(&rest);
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
    char *launch = without_options_of_workloads(words.data, &wrong);
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
