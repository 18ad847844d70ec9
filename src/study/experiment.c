/* Experiments: see experiment.h. */
#include "study/experiment.h"

#include <stdlib.h>
#include <string.h>

bool claim_is_listed(const char *claims, const struct claim *c)
{
    size_t length = strlen(c->id);
    for (const char *at = claims; at; at = strchr(at, ','), at += at != NULL)
        if (strcspn(at, ",") == length && !memcmp(at, c->id, length))
            return true;
    return !claims;
}

static int trials_per_variant(const struct paper *p)
{
    return p->program_count * p->run_count;
}

static int trial_count(const struct experiment *e)
{
    return e->variant_count * trials_per_variant(e->paper);
}

static void plan_trial(const struct experiment *e, int variant, int program, int run,
                       const struct experiment_scope *scope)
{
    const struct paper *p = e->paper;
    struct trial *t = &e->evidence[variant].trials[program * p->run_count + run];
    struct text words = {0};
    const struct paper_program *which = &p->programs[program];
    trial_add_word(t, which->file ? which->file : which->workload->name);
    trial_add_verify(t);
    t->verifies_itself = which->workload;
    /* What holds for all runs comes first, so that a run or a variant can say otherwise. */
    text_printf(&words, "--gpu %s ", p->gpu);
    if (which->workload)
        text_printf(&words, "--size %s --ptx %s ", scope->size, scope->ptx ? scope->ptx : p->ptx);
    paper_print_words(&p->runs[run], which, e->sweep ? &e->sweep->variants[variant] : NULL, &words);
    trial_add_words(t, words.data);
    text_free(&words);
}

/* Gives words to each trial that the claim needs; other trials stay without words, and are not run. */
static void plan_claim(const struct experiment *e, const struct claim *c, const struct experiment_scope *scope)
{
    const struct paper *p = e->paper;
    for (int variant = 0; variant < e->variant_count; variant++)
        for (int k = 0; k < 2 * c->run_count; k++) {
            int run = k % 2 ? c->runs[k / 2].under : c->runs[k / 2].over;
            for (int program = 0; run >= 0 && program < p->program_count; program++)
                if (!e->evidence[variant].trials[program * p->run_count + run].words.count &&
                    claim_needs(c, &p->programs[program]))
                    plan_trial(e, variant, program, run, scope);
        }
}

/* What a bar needs does not depend on the part: all parts are counted in one run. */
static void plan_figure(const struct experiment *e, const struct figure *f, const struct experiment_scope *scope)
{
    for (int g = 0; g < f->group_count; g++)
        for (int s = 0; s < f->series_count; s++) {
            struct claim c = figure_claim(f, g, s, 0);
            plan_claim(e, &c, scope);
        }
}

static bool is_same(const struct trial *a, const struct trial *b)
{
    bool same = a->words.count == b->words.count;
    for (int i = 0; same && i < a->words.count; i++)
        same = !strcmp(a->words.data[i], b->words.data[i]);
    return same;
}

/* Finds trials with equal words. */
static void find_same(struct experiment *e)
{
    for (int i = 0; i < trial_count(e); i++) {
        e->same_as[i] = -1;
        for (int k = 0; k < i && e->same_as[i] < 0; k++)
            if (e->trials[i].words.count && e->same_as[k] < 0 && is_same(&e->trials[i], &e->trials[k]))
                e->same_as[i] = k;
    }
}

void experiment_plan(struct experiment *e, const struct paper *paper, const struct paper_sweep *sweep,
                     const struct experiment_scope *scope)
{
    *e = (struct experiment){.paper = paper, .sweep = sweep, .variant_count = sweep ? sweep->variant_count : 1};
    e->trials = xcalloc((size_t)trial_count(e) + 1, sizeof *e->trials);
    e->same_as = xcalloc((size_t)trial_count(e) + 1, sizeof *e->same_as);
    e->evidence = xcalloc((size_t)e->variant_count, sizeof *e->evidence);
    for (int v = 0; v < e->variant_count; v++)
        e->evidence[v] = (struct evidence){paper, e->trials + v * trials_per_variant(paper)};
    for (int i = 0; scope->figures && i < scope->figures->count; i++)
        if (figure_is_listed(scope->listed, &scope->figures->data[i]))
            plan_figure(e, &scope->figures->data[i], scope);
    for (int i = 0; !scope->figures && i < paper->claim_count; i++)
        if (claim_is_listed(scope->claims, &paper->claims[i]))
            plan_claim(e, &paper->claims[i], scope);
    find_same(e);
}

static bool is_own(const struct experiment *e, int trial)
{
    return e->trials[trial].words.count && e->same_as[trial] < 0;
}

bool experiment_run(struct experiment *e, int at_once, const struct trial_watch *watch, char **error)
{
    int count = trial_count(e), at = 0;
    struct trial *needed = xcalloc((size_t)count + 1, sizeof *needed);
    for (int i = 0; i < count; i++)
        if (is_own(e, i))
            needed[at++] = e->trials[i];
    bool ok = trials_run(needed, at, at_once, watch, error);
    at = 0;
    for (int i = 0; i < count; i++) {
        if (is_own(e, i)) {
            e->trials[i] = needed[at++];
        } else if (e->same_as[i] >= 0) {
            trial_free(&e->trials[i]);
            e->trials[i] = e->trials[e->same_as[i]];
        }
    }
    e->has_run = true;
    free(needed);
    return ok;
}

void experiment_free(struct experiment *e)
{
    for (int i = 0; i < trial_count(e); i++)
        if (e->same_as[i] < 0 || !e->has_run)
            trial_free(&e->trials[i]);
    free(e->trials);
    free(e->same_as);
    free(e->evidence);
    *e = (struct experiment){0};
}

int experiment_missing(const struct experiment *e)
{
    int missing = 0;
    for (int i = 0; i < trial_count(e); i++)
        missing += is_own(e, i) && e->trials[i].status == TRIAL_NOT_RUN;
    return missing;
}
