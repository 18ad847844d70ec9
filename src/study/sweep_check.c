/*
 * Checks of sweeps, before the first of hours of runs: see sweep.h. Names and values are checked one by one first, so
 * that a mistake is reported at its own line; then every combination.
 */
#define _GNU_SOURCE
#include "study/sweep.h"

#include "base/diag.h"
#include "div/table.h"
#include "gpu/machine.h"
#include "run/request.h"
#include "study/comparison.h"

#include <stdlib.h>
#include <string.h>

/* Puts the file and the line of a mistake before its text. */
static bool fail_at(const struct sweep *s, int line, char *why, char **error)
{
    if (line)
        diag_fail(error, "%s:%d: %s", s->path, line, why);
    else
        diag_fail(error, "%s", why);
    free(why);
    return false;
}

/* Whether a run takes a machine, a mechanism with passes, options and settings. Words that are no options of a run are
 * left to the command that runs them. */
static bool is_accepted(const char *gpu, const char *mechanism, char *const *words, int word_count,
                        const char *settings, char **why)
{
    struct trial t = {0};
    struct run_request request;
    struct text passes = {0}, name = {0};
    bool ok = true;
    request_open(&request);
    for (int i = 0; i < word_count; i++)
        trial_add_word(&t, words[i]);
    for (const char *at = settings; *at; at += strcspn(at, " "), at += *at == ' ') {
        char *setting = strndup(at, strcspn(at, " "));
        trial_add_word(&t, "--set");
        trial_add_word(&t, setting);
        free(setting);
    }
    text_printf(&name, "%.*s", comparison_name_length(mechanism), mechanism);
    comparison_passes(mechanism, &passes);
    const char *const own[] = {"--gpu", gpu, "--mech", name.data, "--rewrite", passes.data};
    for (int i = 0; i < (passes.length ? 6 : 4); i++)
        trial_add_word(&t, own[i]);
    for (int i = 0; ok && i < t.words.count;) {
        int taken = options_take(&request.options, t.words.count, t.words.data, &i, why);
        ok = taken >= 0;
        i += taken == 0;
    }
    ok = ok && request_settle(&request, why);
    request_close(&request);
    trial_free(&t);
    text_free(&passes);
    text_free(&name);
    return ok;
}

static bool check_words(const struct sweep *s, char **error)
{
    static const char *const allowed[SWEEP_AXES][4] = {
        [SWEEP_SIZE] = {"test", "small", "paper"}, [SWEEP_PTX] = {"nvcc", "plain"}, [SWEEP_HINTS] = {"no", "yes"}};
    for (int axis = SWEEP_SIZE; axis < SWEEP_AXES; axis++)
        for (int i = 0; i < s->axes[axis].values.count; i++) {
            const char *value = s->axes[axis].values.data[i];
            bool is_known = false;
            for (int k = 0; allowed[axis][k]; k++)
                is_known |= !strcmp(value, allowed[axis][k]);
            char *why = NULL;
            if (is_known)
                continue;
            diag_fail(&why, "%s takes %s, %s%s%s, not '%s'", sweep_axis_names[axis], allowed[axis][0], allowed[axis][1],
                      allowed[axis][2] ? ", " : "", allowed[axis][2] ? allowed[axis][2] : "", value);
            return fail_at(s, s->axes[axis].line, why, error);
        }
    return true;
}

/* Machines and mechanisms, one by one. */
static bool check_names(const struct sweep *s, char **error)
{
    const struct sweep_list *gpus = &s->axes[SWEEP_GPU], *mechanisms = &s->axes[SWEEP_MECH];
    char *why = NULL;
    for (int i = 0; i < gpus->values.count; i++) {
        if (!strcmp(gpus->values.data[i], "none"))
            diag_fail(&why, "a sweep needs machines, and 'none' is none");
        if (why || !is_accepted(gpus->values.data[i], "pdom", NULL, 0, "", &why))
            return fail_at(s, gpus->line, why, error);
    }
    for (int i = 0; i < mechanisms->values.count; i++)
        if (!is_accepted(gpus->values.data[0], mechanisms->values.data[i], NULL, 0, "", &why))
            return fail_at(s, mechanisms->line, why, error);
    return true;
}

/* The mechanism whose name the knob's begins with; NULL: the knob is of the machine. */
static const struct div_ops *owner_of(const char *knob)
{
    size_t length = strcspn(knob, ".");
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if (strlen((*m)->name) == length && !memcmp((*m)->name, knob, length))
            return *m;
    return NULL;
}

static bool is_swept(const struct sweep *s, const struct div_ops *mechanism)
{
    const struct sweep_list *l = &s->axes[SWEEP_MECH];
    for (int i = 0; i < l->values.count; i++) {
        size_t length = (size_t)comparison_name_length(l->values.data[i]);
        if (strlen(mechanism->name) == length && !memcmp(mechanism->name, l->values.data[i], length))
            return true;
    }
    return false;
}

/* Whether the machine, or the mechanism that owns the knob, takes the value. What values mean together is not looked
 * at: 7 ways may need another size of the cache, which is swept, too. */
static bool takes_value(const char *gpu, const struct div_ops *owner, const char *knob, const char *value, char **why)
{
    if (owner) {
        void *knobs = xcalloc(REQUEST_KNOB_WORDS, sizeof(uint64_t));
        bool ok = owner->knobs ? knob_set(owner->knobs, knobs, strchr(knob, '.') + 1, value, why)
                               : diag_fail(why, "the mechanism %s has no knobs", owner->name);
        free(knobs);
        return ok;
    }
    struct text setting = {0};
    struct machine *machine = machine_load(gpu, why);
    text_printf(&setting, "%s=%s", knob, value);
    bool ok = machine && machine_set(machine, setting.data, why);
    text_free(&setting);
    machine_free(machine);
    return ok;
}

/* Each value of each knob by itself, on each machine. */
static bool check_knobs(const struct sweep *s, char **error)
{
    for (int k = 0; k < s->knobs.count; k++) {
        const struct sweep_knob *knob = &s->knobs.data[k];
        const struct div_ops *owner = owner_of(knob->name);
        char *why = NULL;
        if (owner && !is_swept(s, owner)) {
            diag_fail(&why, "%s is a knob of the mechanism %s, which is not swept", knob->name, owner->name);
            return fail_at(s, knob->list.line, why, error);
        }
        for (int i = 0; i < knob->list.values.count * s->axes[SWEEP_GPU].values.count; i++) {
            const char *gpu = s->axes[SWEEP_GPU].values.data[i / knob->list.values.count];
            if (!takes_value(gpu, owner, knob->name, knob->list.values.data[i % knob->list.values.count], &why))
                return fail_at(s, knob->list.line, why, error);
        }
    }
    return true;
}

/* Whether all runs are accepted as they are. A combination of values that is refused has no line of its own: the line
 * is that of the last knob. */
static bool check_runs(const struct sweep *s, char **error)
{
    struct trial *trials;
    struct sweep_run *runs;
    int count;
    bool ok = true;
    sweep_plan(s, &trials, &runs, &count);
    for (int i = 0; ok && i < count; i++) {
        const struct sweep_run *r = &runs[i];
        const char *gpu = r->values[SWEEP_GPU], *mechanism = r->values[SWEEP_MECH];
        bool is_first = r->program == s->programs.data; /* what is the same for all programs is checked with one */
        char *why = NULL;
        if (is_first && !is_accepted(gpu, mechanism, s->words.data, s->words.count, "", &why)) {
            ok = fail_at(s, s->words_line, why, error);
        } else if (r->program->words.count &&
                   !is_accepted(gpu, mechanism, r->program->words.data, r->program->words.count, "", &why)) {
            ok = fail_at(s, r->program->line, why, error);
        } else if (is_first && !is_accepted(gpu, mechanism, s->words.data, s->words.count, r->settings, &why)) {
            char *all = NULL;
            diag_fail(&all, "on %s under %s, %s: %s", gpu, mechanism, r->settings, why);
            free(why);
            ok = fail_at(s, s->knobs.count ? s->knobs.data[s->knobs.count - 1].list.line : s->words_line, all, error);
        }
    }
    sweep_free_plan(trials, runs, count);
    return ok;
}

bool sweep_check(struct sweep *s, char **error)
{
    static const char *const defaults[SWEEP_AXES] = {"fermi", "pdom", "small", "nvcc", "no"};
    for (int axis = 0; axis < SWEEP_AXES; axis++)
        if (!s->axes[axis].values.count)
            sweep_set_axis(s, (enum sweep_axis)axis, defaults[axis], 0, error);
    if (!s->programs.count)
        return diag_fail(error, s->path ? "%s: there is no program in it" : "no program was given%s",
                         s->path ? s->path : "");
    return check_words(s, error) && check_names(s, error) && check_knobs(s, error) && check_runs(s, error);
}
