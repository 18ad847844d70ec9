/* Comparisons: planning, running, figures. See comparison.h. */
#include "study/comparison.h"

#include "base/arena.h"
#include "study/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char bound[] = "bound";

/* Whether the setting is for rows of another mechanism: "tbc.compaction=no" is for those of tbc, if tbc is compared. */
static bool is_for_another(const struct comparison_request *r, const char *setting, const char *mechanism)
{
    int length = (int)strcspn(setting, ".");
    for (int m = 0; m < r->mechanism_count; m++)
        if (comparison_name_length(r->mechanisms[m]) == length && !memcmp(r->mechanisms[m], setting, (size_t)length))
            return comparison_name_length(mechanism) != length || memcmp(mechanism, setting, (size_t)length);
    return false;
}

void comparison_passes(const char *mechanism, struct text *out)
{
    for (const char *at = mechanism + comparison_name_length(mechanism); *at; at += 1 + strcspn(at + 1, "+"))
        text_printf(out, "%s%.*s", out->length ? "," : "", (int)strcspn(at + 1, "+"), at + 1);
}

/* Adds the mechanism, and the passes behind it. */
static void add_mechanism(struct trial *t, const char *mechanism)
{
    struct text name = {0}, passes = {0};
    text_printf(&name, "%.*s", comparison_name_length(mechanism), mechanism);
    trial_add_word(t, "--mech");
    trial_add_word(t, name.data);
    comparison_passes(mechanism, &passes);
    if (passes.length) {
        trial_add_word(t, "--rewrite");
        trial_add_word(t, passes.data);
    }
    text_free(&name);
    text_free(&passes);
}

/* Adds the options of the request to a trial, but for settings of knobs of other mechanisms. */
static void add_words(struct trial *t, const struct comparison_request *r, const char *mechanism)
{
    for (int i = 0; i < r->word_count; i++) {
        const char *word = r->words[i], *joined = strncmp(word, "--set=", 6) ? NULL : word + 6;
        const char *apart = !strcmp(word, "--set") && i + 1 < r->word_count ? r->words[i + 1] : NULL;
        if (!is_for_another(r, joined ? joined : apart ? apart : "", mechanism))
            trial_add_word(t, word);
        else if (apart)
            i++;
    }
}

/* Sets the knobs of the point, but for knobs of other mechanisms. */
static void add_point(struct trial *t, const struct comparison_request *r, const struct variation *v,
                      const char *mechanism, int point)
{
    for (int k = 0; k < v->count; k++) {
        struct text setting = {0};
        text_printf(&setting, "%s=%s", v->knobs[k].name, variation_value(v, point, k));
        if (!is_for_another(r, setting.data, mechanism)) {
            trial_add_word(t, "--set");
            trial_add_word(t, setting.data);
        }
        text_free(&setting);
    }
}

static bool is_same_run(const struct trial *a, const struct trial *b)
{
    bool is_same = a->program == b->program && a->words.count == b->words.count;
    for (int i = 0; is_same && i < a->words.count; i++)
        is_same = !strcmp(a->words.data[i], b->words.data[i]);
    return is_same;
}

/* An earlier row with the run of the last row; -1: there is none. */
static int find_same(const struct comparison *c)
{
    for (int i = 0; i < c->count - 1; i++)
        if (c->rows[i].same_as < 0 && is_same_run(&c->rows[i].trial, &c->rows[c->count - 1].trial))
            return i;
    return -1;
}

static void add_row(struct comparison *c, const struct comparison_request *r, struct comparison_row plan)
{
    if (c->count == c->capacity) {
        c->capacity = 2 * c->capacity + 16;
        c->rows = xrealloc(c->rows, sizeof *c->rows * (size_t)c->capacity);
    }
    struct comparison_row *row = &c->rows[c->count++];
    *row = plan;
    row->trial.program = r->program;
    if (!r->program)
        trial_add_word(&row->trial, row->target);
    trial_add_verify(&row->trial);
    row->trial.verifies_itself = r->program || (workload_find(row->target) && access(row->target, R_OK));
    add_words(&row->trial, r, row->mechanism);
    add_point(&row->trial, r, c->variation, row->mechanism, row->point);
    trial_add_word(&row->trial, "--gpu");
    trial_add_word(&row->trial, row->gpu);
    add_mechanism(&row->trial, row->mechanism);
    row->same_as = find_same(c);
}

/* Adds the rows of a target on a machine at a point: one per mechanism, and, if nothing varies, a hidden one for the
 * bound unless it is asked for. */
static void plan_group(struct comparison *c, const struct comparison_request *r, struct comparison_row plan)
{
    bool has_bound = c->variation->count > 0;
    plan.is_shown = true;
    for (int m = 0; m < r->mechanism_count; m++) {
        plan.mechanism = r->mechanisms[m];
        add_row(c, r, plan);
        has_bound |= !strcmp(r->mechanisms[m], bound);
    }
    plan.mechanism = bound;
    plan.is_shown = false;
    if (!has_bound)
        add_row(c, r, plan);
}

void comparison_plan(struct comparison *c, const struct comparison_request *r)
{
    for (int i = 0; i < r->word_count; i++)
        c->names_schedulers |= !strcmp(r->words[i], "--paper-schedulers");
    static const struct variation none;
    c->variation = r->variation ? r->variation : &none;
    struct comparison_row plan = {0};
    for (int t = 0; t < r->target_count; t++)
        for (int g = 0; g < r->gpu_count; g++)
            for (plan.point = 0; plan.point < variation_points(c->variation); plan.point++, plan.group++) {
                plan.target = r->targets[t];
                plan.gpu = r->gpus[g];
                plan_group(c, r, plan);
            }
}

/* Gives a row the results of the run that it shares. The row of that run stays their owner. */
static void share(struct comparison_row *row, const struct comparison_row *owner)
{
    trial_free(&row->trial);
    row->trial = owner->trial;
}

bool comparison_run(struct comparison *c, int at_once, const struct trial_watch *watch, char **error)
{
    struct trial *trials = xcalloc((size_t)c->count + 1, sizeof *trials);
    int count = 0;
    for (int i = 0; i < c->count; i++)
        if (c->rows[i].same_as < 0)
            trials[count++] = c->rows[i].trial;
    bool ok = trials_run(trials, count, at_once, watch, error);
    count = 0;
    for (int i = 0; i < c->count; i++)
        if (c->rows[i].same_as < 0)
            c->rows[i].trial = trials[count++];
        else
            share(&c->rows[i], &c->rows[c->rows[i].same_as]);
    c->has_run = true;
    free(trials);
    return ok;
}

void comparison_free(struct comparison *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->rows[i].same_as < 0 || !c->has_run)
            trial_free(&c->rows[i].trial);
    free(c->rows);
    *c = (struct comparison){0};
}

bool comparison_is_one_group(const struct comparison_row *a, const struct comparison_row *b)
{
    return a->group == b->group;
}

static bool is_right(const struct comparison_row *row)
{
    return row->trial.status == 0 && row->trial.measurement.launches > 0;
}

bool comparison_is_measured(const struct comparison_row *row)
{
    const struct trial *t = &row->trial;
    return is_right(row) ||
           (t->status == TRIAL_WRONG && t->measurement.wrong + t->measurement.racing && !t->measurement.faults);
}

const char *comparison_scheduler(const struct comparison_row *row)
{
    const char *name = row->trial.measurement.scheduler;
    return name ? name : "";
}

/* The baseline of a row: the first row of the same target, machine and point; NULL: that row is not right. */
static const struct measurement *baseline_of(const struct comparison *c, int row)
{
    while (row > 0 && comparison_is_one_group(&c->rows[row - 1], &c->rows[row]))
        row--;
    return is_right(&c->rows[row]) ? &c->rows[row].trial.measurement : NULL;
}

static const struct measurement *bound_of(const struct comparison *c, int row)
{
    for (int i = 0; i < c->count; i++)
        if (comparison_is_one_group(&c->rows[i], &c->rows[row]) && !strcmp(c->rows[i].mechanism, bound) &&
            is_right(&c->rows[i]))
            return &c->rows[i].trial.measurement;
    return NULL;
}

static double ratio(double over, double under)
{
    return under > 0 ? over / under : NAN;
}

struct comparison_figures comparison_figures(const struct comparison *c, int index)
{
    const struct comparison_row *row = &c->rows[index];
    const struct measurement *s = &row->trial.measurement, *base = baseline_of(c, index), *best = bound_of(c, index);
    struct comparison_figures f = {NAN, NAN, NAN, NAN, NAN, NULL, NAN, is_right(row)};
    if (!comparison_is_measured(row))
        return f;
    f.cycles = measurement_sum(s, "cycles");
    f.simd_efficiency = measurement_efficiency(s);
    if (base) {
        f.speedup = ratio(measurement_sum(base, "cycles"), f.cycles);
        if (strcmp(row->mechanism, bound) != 0) /* the bound's accesses do not go through the memory system */
            f.traffic = ratio(measurement_traffic(s), measurement_traffic(base));
    }
    if (best)
        f.of_bound = ratio(measurement_sum(best, "cycles"), f.cycles);
    f.worst = measurement_worst_branch(s);
    if (f.worst)
        f.worst_share = ratio(f.worst->lost_issues, measurement_sum(s, "sm.warp_instructions"));
    return f;
}

static bool was_found_to_rely(const struct comparison_row *row)
{
    return measurement_sum(&row->trial.measurement, "lockstep") > 0;
}

bool comparison_relies_on_lockstep(const struct comparison_row *row)
{
    const struct workload *w = row->trial.program || !access(row->target, R_OK) ? NULL : workload_find(row->target);
    return (w && w->synced) || was_found_to_rely(row);
}

int comparison_failures(const struct comparison *c)
{
    int count = 0;
    for (int i = 0; i < c->count; i++)
        count += c->rows[i].is_shown && (!is_right(&c->rows[i]) || was_found_to_rely(&c->rows[i]));
    return count;
}
