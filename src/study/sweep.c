/* Sweeps: their parts and their product. See sweep.h. */
#define _GNU_SOURCE
#include "study/sweep.h"

#include "base/diag.h"
#include "base/words.h"
#include "div/table.h"
#include "study/comparison.h"
#include "study/workload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const sweep_axis_names[SWEEP_AXES] = {"gpu", "mech", "size", "ptx", "hints"};

/* ---- lists ---- */

static void free_list(struct sweep_list *l)
{
    for (int i = 0; i < l->values.count; i++)
        free(l->values.data[i]);
    vec_free(&l->values);
}

static bool has_value(const struct sweep_list *l, const char *value)
{
    for (int i = 0; i < l->values.count; i++)
        if (!strcmp(l->values.data[i], value))
            return true;
    return false;
}

/* Adds the values of a list, which commas and blanks separate; `all` mechanisms are those that are not there yet. */
static bool add_values(struct sweep_list *l, const char *name, const char *list, char **error)
{
    for (const char *at = list;; at++) {
        at += strspn(at, " \t");
        size_t length = strcspn(at, ",");
        const char *next = at + length;
        while (length && strchr(" \t", at[length - 1]))
            length--;
        char *value = strndup(at, length);
        if (!length || has_value(l, value)) {
            diag_fail(error, length ? "%s has the value %s twice" : "%s has an empty value", name, value);
            free(value);
            return false;
        }
        vec_push(&l->values, value);
        at = next;
        if (!*at)
            return true;
    }
}

static bool add_all_mechanisms(struct sweep_list *l)
{
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if (!has_value(l, (*m)->name))
            vec_push(&l->values, strdup((*m)->name));
    return true;
}

bool sweep_set_axis(struct sweep *s, enum sweep_axis axis, const char *list, int line, char **error)
{
    struct sweep_list *l = &s->axes[axis];
    if (line && l->values.count)
        return diag_fail(error, "%s is there twice", sweep_axis_names[axis]);
    free_list(l);
    l->line = line;
    if (axis == SWEEP_MECH && !strcmp(list, "all"))
        return add_all_mechanisms(l);
    return add_values(l, sweep_axis_names[axis], list, error);
}

bool sweep_add_knob(struct sweep *s, const char *name, const char *list, int line, char **error)
{
    struct sweep_knob *knob = NULL;
    for (int i = 0; i < s->knobs.count; i++)
        if (!strcmp(s->knobs.data[i].name, name))
            knob = &s->knobs.data[i];
    if (knob && (line || !knob->list.line))
        return diag_fail(error, "the knob %s is there twice", name);
    if (!knob) {
        vec_push(&s->knobs, (struct sweep_knob){.name = strdup(name)});
        knob = &s->knobs.data[s->knobs.count - 1];
    }
    free_list(&knob->list);
    knob->list.line = line;
    return add_values(&knob->list, name, list, error);
}

/* ---- programs ---- */

static void free_program(struct sweep_program *p)
{
    free(p->target);
    for (int i = 0; i < p->words.count; i++)
        free(p->words.data[i]);
    for (int i = 0; i < p->program.count; i++)
        free(p->program.data[i]);
    vec_free(&p->words);
    vec_free(&p->program);
}

/* Takes words: options, and behind -- a program with its arguments. */
static bool take_words(struct sweep_program *p, const char *words, char **error)
{
    char *copy = strdup(words), *at = copy, *word;
    bool ok = true, is_program = false;
    while ((ok = words_next(&at, &word)) && word) {
        if (is_program)
            vec_push(&p->program, strdup(word));
        else if (!strcmp(word, "--") && !p->target)
            is_program = true;
        else if (!p->target && *word != '-' && !p->words.count)
            p->target = strdup(word);
        else
            vec_push(&p->words, strdup(word));
    }
    free(copy);
    if (p->program.count)
        vec_push(&p->program, NULL);
    if (!ok)
        return diag_fail(error, "a quote is not closed: %s", words);
    return p->target || p->program.count || diag_fail(error, "there is no program in '%s'", words);
}

/* Whether two programs are the same with the same options. */
static bool is_same_program(const struct sweep_program *a, const struct sweep_program *b)
{
    bool same = !a->target == !b->target && (!a->target || !strcmp(a->target, b->target)) &&
                a->words.count == b->words.count && a->program.count == b->program.count;
    for (int i = 0; same && i < a->words.count; i++)
        same = !strcmp(a->words.data[i], b->words.data[i]);
    for (int i = 0; same && i + 1 < a->program.count; i++)
        same = !strcmp(a->program.data[i], b->program.data[i]);
    return same;
}

bool sweep_add_program(struct sweep *s, const char *words, int line, char **error)
{
    struct sweep_program p = {.line = line};
    bool ok = take_words(&p, words, error);
    if (ok && p.target && access(p.target, R_OK)) {
        const struct workload *w = workload_find(p.target);
        p.is_workload = w;
        ok = w || diag_fail(error, "there is no file and no workload '%s'; see heddle list workloads", p.target);
        if (w) {
            free(p.target);
            p.target = strdup(w->name);
        }
    }
    for (int i = 0; ok && i < s->programs.count; i++)
        if (is_same_program(&s->programs.data[i], &p))
            ok = diag_fail(error, "the program %s is there twice", words);
    if (ok)
        vec_push(&s->programs, p);
    else
        free_program(&p);
    return ok;
}

/* ---- limits ---- */

bool sweep_set_time_limit(struct sweep *s, const char *word, char **error)
{
    char *end;
    double number = strtod(word, &end), unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : 1;
    end += *end == 's' || *end == 'm' || *end == 'h';
    if (end == word || *end || !(number * unit >= 0.01 && number * unit <= 1e9))
        return diag_fail(error, "a time limit is a number of seconds, or of minutes or hours with m or h, not '%s'",
                         word);
    s->time_limit_seconds = number * unit;
    return true;
}

bool sweep_set_memory_limit(struct sweep *s, const char *word, char **error)
{
    static const char letters[] = "KMG";
    char *end;
    double number = strtod(word, &end), unit = 1;
    const char *letter = *end ? strchr(letters, *end) : NULL;
    for (int i = letter ? (int)(letter - letters) : -1; i >= 0; i--)
        unit *= 1024;
    end += letter != NULL;
    if (end == word || *end || !(number * unit >= 1 && number * unit <= 1e18))
        return diag_fail(error, "a memory limit is a number of bytes, perhaps with K, M or G, not '%s'", word);
    s->memory_limit_bytes = (uint64_t)(number * unit);
    return true;
}

void sweep_free(struct sweep *s)
{
    for (int i = 0; i < s->programs.count; i++)
        free_program(&s->programs.data[i]);
    for (int i = 0; i < SWEEP_AXES; i++)
        free_list(&s->axes[i]);
    for (int i = 0; i < s->knobs.count; i++) {
        free(s->knobs.data[i].name);
        free_list(&s->knobs.data[i].list);
    }
    for (int i = 0; i < s->words.count; i++)
        free(s->words.data[i]);
    vec_free(&s->programs);
    vec_free(&s->knobs);
    vec_free(&s->words);
    free(s->path);
    *s = (struct sweep){0};
}

/* ---- the product ---- */

struct sweep_planning {
    const struct sweep *sweep;
    struct vec_of(struct trial) trials;
    struct vec_of(struct sweep_run) runs;
};

/* Whether the knob is of another mechanism than this one, which may have passes behind its name. */
static bool is_of_another(const char *knob, const char *mechanism)
{
    size_t length = strcspn(knob, "."), own = (size_t)comparison_name_length(mechanism);
    if (length == own && !memcmp(knob, mechanism, own))
        return false;
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if (strlen((*m)->name) == length && !memcmp((*m)->name, knob, length))
            return true;
    return false;
}

static void add_option(struct trial *t, const char *name, const char *value)
{
    trial_add_word(t, name);
    trial_add_word(t, value);
}

static void add_mechanism(struct trial *t, const char *mechanism)
{
    struct text passes = {0};
    char *name = strndup(mechanism, (size_t)comparison_name_length(mechanism));
    add_option(t, "--mech", name);
    comparison_passes(mechanism, &passes);
    if (passes.length)
        add_option(t, "--rewrite", passes.data);
    text_free(&passes);
    free(name);
}

static void add_run(struct sweep_planning *plan, const struct sweep_run *what)
{
    struct trial t = {.program = what->program->program.data};
    struct sweep_run run = *what;
    if (run.program->target)
        trial_add_word(&t, run.program->target);
    trial_add_verify(&t);
    t.verifies_itself = t.program || run.program->is_workload;
    for (int i = 0; i < plan->sweep->words.count; i++)
        trial_add_word(&t, plan->sweep->words.data[i]);
    for (int i = 0; i < run.program->words.count; i++)
        trial_add_word(&t, run.program->words.data[i]);
    for (const char *at = run.settings; *at; at += strcspn(at, " "), at += *at == ' ') {
        char *setting = strndup(at, strcspn(at, " "));
        add_option(&t, "--set", setting);
        free(setting);
    }
    add_option(&t, "--gpu", run.values[SWEEP_GPU]);
    add_mechanism(&t, run.values[SWEEP_MECH]);
    if (run.program->is_workload) {
        add_option(&t, "--size", run.values[SWEEP_SIZE]);
        add_option(&t, "--ptx", run.values[SWEEP_PTX]);
        if (!strcmp(run.values[SWEEP_HINTS], "yes"))
            trial_add_word(&t, "--hints");
    }
    run.settings = strdup(run.settings);
    vec_push(&plan->trials, t);
    vec_push(&plan->runs, run);
}

/* Adds the runs for all values of the knobs from this one on. */
static void plan_knobs(struct sweep_planning *plan, struct sweep_run *run, int knob)
{
    const struct sweep *s = plan->sweep;
    while (knob < s->knobs.count && is_of_another(s->knobs.data[knob].name, run->values[SWEEP_MECH]))
        knob++;
    if (knob == s->knobs.count) {
        add_run(plan, run);
        return;
    }
    const struct sweep_knob *k = &s->knobs.data[knob];
    char *before = run->settings;
    for (int i = 0; i < k->list.values.count; i++) {
        struct text settings = {0};
        text_printf(&settings, "%s%s%s=%s", before, *before ? " " : "", k->name, k->list.values.data[i]);
        run->settings = settings.data;
        plan_knobs(plan, run, knob + 1);
        text_free(&settings);
    }
    run->settings = before;
}

/* Adds the runs for all values of the axes from this one on. */
static void plan_axes(struct sweep_planning *plan, struct sweep_run *run, int axis)
{
    if (axis == SWEEP_AXES) {
        plan_knobs(plan, run, 0);
        return;
    }
    if (axis >= SWEEP_SIZE && !run->program->is_workload) {
        run->values[axis] = NULL;
        plan_axes(plan, run, axis + 1);
        return;
    }
    const struct sweep_list *l = &plan->sweep->axes[axis];
    for (int i = 0; i < l->values.count; i++) {
        run->values[axis] = l->values.data[i];
        plan_axes(plan, run, axis + 1);
    }
}

void sweep_plan(const struct sweep *s, struct trial **trials, struct sweep_run **runs, int *count)
{
    struct sweep_planning plan = {.sweep = s};
    for (int i = 0; i < s->programs.count; i++) {
        struct sweep_run run = {.program = &s->programs.data[i], .settings = ""};
        plan_axes(&plan, &run, 0);
    }
    *trials = plan.trials.data;
    *runs = plan.runs.data;
    *count = plan.trials.count;
}

void sweep_free_plan(struct trial *trials, struct sweep_run *runs, int count)
{
    for (int i = 0; i < count; i++) {
        trial_free(&trials[i]);
        free(runs[i].settings);
    }
    free(trials);
    free(runs);
}
