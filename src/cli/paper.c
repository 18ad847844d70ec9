/* heddle paper: runs a paper's experiments and puts what comes out beside what was published. */
#include "cli/cli.h"

#include "base/arena.h"
#include "base/json.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "study/verdict.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--size", "test|small|paper", "of the programs (default paper: the published instruction counts)"},
    {"--claim", "ID,...", "only these claims, and the runs that they need"},
    {"--jobs", "N", "runs at a time (default: one a core)"},
    {"--details", NULL, "each claim program by program"},
    {"--json", NULL, "an object a claim, on stdout"},
    {NULL, NULL, NULL},
};

static void help(FILE *out)
{
    fputs("heddle paper NAME [OPTIONS]\n\n"
          "Runs the experiments of a paper that heddle has the programs for, and prints for each of its\n"
          "claims what was published, what was measured, and a verdict:\n"
          "  holds      same sign and order; numbers of 5 points or more within a factor of two, smaller\n"
          "             ones within 2 points\n"
          "  direction  same sign and order only\n"
          "  fails      otherwise\n"
          "  unknown    a run that the claim needs failed, or its result is wrong\n\n"
          "Each run verifies its own result; besides, the memory that each of its launches leaves is compared\n"
          "with what the functional engine leaves.\n\n",
          out);
    cli_help_options(option_table, out);
    fputs("\nPapers:", out);
    for (int i = 0; paper_names[i]; i++)
        fprintf(out, " %s", paper_names[i]);
    fputs("\n\nExamples:\n"
          "  heddle paper tbc --size small --details\n"
          "  heddle paper tbc --claim T01,T12 --json\n"
          "\nCtrl-C, SIGTERM or SIGHUP ends what runs; then there are no verdicts.\n",
          out);
}

struct request {
    const char *paper, *size, *claims;
    int jobs;
    bool wants_details, as_json;
};

static int take_option(struct request *r, const char *name, const char *value)
{
    char *end;
    if (!strcmp(name, "--size")) {
        if (strcmp(value, "test") && strcmp(value, "small") && strcmp(value, "paper"))
            return cli_misuse("paper", "--size takes test, small or paper, not '%s'", value);
        r->size = value;
    } else if (!strcmp(name, "--claim")) {
        r->claims = value;
    } else if (!strcmp(name, "--jobs")) {
        long jobs = strtol(value, &end, 10);
        if (*end || jobs < 1 || jobs > 1024)
            return cli_misuse("paper", "--jobs takes a number from 1 to 1024, not '%s'", value);
        r->jobs = (int)jobs;
    } else {
        r->wants_details |= !strcmp(name, "--details");
        r->as_json |= !strcmp(name, "--json");
    }
    return STATUS_OK;
}

static int read_command_line(struct request *r, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        const char *value = NULL, *word = argv[i];
        if (word[0] != '-') {
            if (r->paper)
                return cli_misuse("paper", "one paper at a time: %s, then %s", r->paper, word);
            r->paper = argv[i++];
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (!o)
            return cli_misuse("paper", "unknown option '%s'; did you mean %s?", word, cli_nearest(option_table, word));
        if (o->value && !value)
            return cli_misuse("paper", "%s needs a value: %s %s", o->name, o->name, o->value);
        int status = take_option(r, o->name, value);
        if (status)
            return status;
    }
    return r->paper ? STATUS_OK : cli_misuse("paper", "no paper was given");
}

/* Whether the list of names, at its commas, has the name. */
static bool has_name(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
        if (strcspn(at, ",") == length && !memcmp(at, name, length))
            return true;
    return false;
}

static bool is_asked(const struct request *r, const struct claim *c)
{
    return !r->claims || has_name(r->claims, c->id);
}

static bool all_claims_exist(const struct request *r, const struct paper *p)
{
    for (const char *at = r->claims; at; at = strchr(at, ','), at += at != NULL) {
        bool is_known = false;
        for (int i = 0; i < p->claim_count; i++)
            is_known |= strcspn(at, ",") == strlen(p->claims[i].id) && !memcmp(p->claims[i].id, at, strcspn(at, ","));
        if (!is_known) {
            cli_misuse("paper", "%s has no claim '%.*s'", p->name, (int)strcspn(at, ","), at);
            return false;
        }
    }
    return true;
}

/* A claim on the top of a set needs all of the set. */
static bool needs(const struct claim *c, const struct paper_program *program)
{
    static const char top[] = "top ";
    return claim_names(c, program) ||
           (!strncmp(c->rule, top, sizeof top - 1) && !strcmp(c->rule + sizeof top - 1, program->set));
}

/* Each trial that a claim needs gets its words; the others stay empty. */
static void plan(const struct request *r, const struct paper *p, struct trial *trials)
{
    for (int i = 0; i < p->claim_count; i++) {
        const struct claim *c = &p->claims[i];
        for (int k = 0; is_asked(r, c) && k < 2 * c->run_count; k++) {
            int run = k % 2 ? c->runs[k / 2].under : c->runs[k / 2].over;
            for (int program = 0; run >= 0 && program < p->program_count; program++) {
                struct trial *t = &trials[program * p->run_count + run];
                if (t->words.count || !needs(c, &p->programs[program]))
                    continue;
                trial_add_word(t, p->programs[program].workload->name);
                trial_add_verify(t);
                t->verifies_itself = true;
                trial_add_words(t, p->runs[run].words);
                trial_add_words(t, p->programs[program].words);
                trial_add_word(t, "--gpu");
                trial_add_word(t, p->gpu);
                trial_add_word(t, "--size");
                trial_add_word(t, r->size ? r->size : "paper");
            }
        }
    }
}

/* Those that have words, and back again. */
static bool run_needed(struct trial *trials, int count, int jobs, const struct trial_watch *watch, char **error)
{
    struct trial *needed = xcalloc((size_t)count + 1, sizeof *needed);
    int at = 0;
    for (int i = 0; i < count; i++)
        if (trials[i].words.count)
            needed[at++] = trials[i];
    bool ok = trials_run(needed, at, jobs, watch, error);
    at = 0;
    for (int i = 0; i < count; i++)
        if (trials[i].words.count)
            trials[i] = needed[at++];
    free(needed);
    return ok;
}

static void print_claim(const struct request *r, const struct claim *c, const struct judgement *j)
{
    enum { LEFT = 61, PAGE = 100 };
    printf("%-5s %-9s %-18s %-26s %s\n", c->id, verdict_names[j->verdict], c->published,
           j->measured.data ? j->measured.data : "-", c->source);
    printf("      %s: %s\n", c->programs, c->text);
    if (r->wants_details && j->details.data)
        printf("      %s\n", j->details.data);
}

static void print_json(const struct claim *c, const struct judgement *j)
{
    const char *pairs[] = {"id",        c->id,
                           "kind",      c->kind,
                           "source",    c->source,
                           "programs",  c->programs,
                           "claim",     c->text,
                           "published", c->published,
                           "measured",  j->measured.data,
                           "verdict",   verdict_names[j->verdict],
                           "details",   j->details.data};
    struct text out = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i += 2) {
        text_printf(&out, "%s\"%s\":", i ? "," : "{", pairs[i]);
        json_print_string(&out, pairs[i + 1]);
    }
    printf("%s}\n", out.data);
    text_free(&out);
}

static void print_verdicts(const struct request *r, const struct evidence *e)
{
    const struct paper *p = e->paper;
    int counts[VERDICT_UNKNOWN + 1] = {0}, asked = 0;
    if (!r->as_json)
        printf("%s, on %s, size %s\n\n%-5s %-9s %-18s %-26s %s\n", p->title, p->gpu, r->size ? r->size : "paper",
               "claim", "verdict", "published", "measured", "where");
    for (int i = 0; i < p->claim_count; i++) {
        struct judgement j;
        if (!is_asked(r, &p->claims[i]))
            continue;
        judge(e, &p->claims[i], &j);
        counts[j.verdict]++;
        asked++;
        if (r->as_json)
            print_json(&p->claims[i], &j);
        else
            print_claim(r, &p->claims[i], &j);
        judgement_free(&j);
    }
    if (!r->as_json)
        printf("\n%d claims: %d hold, %d in direction only, %d fail, %d unknown\n", asked, counts[VERDICT_HOLDS],
               counts[VERDICT_DIRECTION], counts[VERDICT_FAILS], counts[VERDICT_UNKNOWN]);
}

/* Runs that went wrong, whether a claim expects it or not. */
static void print_failures(const struct evidence *e)
{
    const struct paper *p = e->paper;
    for (int i = 0; i < p->program_count * p->run_count; i++) {
        const struct trial *t = &e->trials[i];
        if (!t->words.count || t->status == 0)
            continue;
        char *why = trial_complaint(t);
        fprintf(stderr, "%s, %s: status %d: %s\n", p->programs[i / p->run_count].label, p->runs[i % p->run_count].name,
                t->status, why);
        free(why);
    }
}

/* Those that were stopped before their end, or never began. */
static int missing_runs(const struct trial *trials, int count)
{
    int missing = 0;
    for (int i = 0; i < count; i++)
        missing += trials[i].words.count && trials[i].status == TRIAL_NOT_RUN;
    return missing;
}

static int check_paper(const struct request *r, const struct paper *p)
{
    char *error = NULL;
    int count = p->program_count * p->run_count;
    struct evidence e = {p, xcalloc((size_t)count + 1, sizeof(struct trial))};
    struct trial_watch watch = {.progress = progress_line_show, .stop = interrupt_catch()};
    plan(r, p, e.trials);
    bool ok = run_needed(e.trials, count, r->jobs ? r->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN), &watch, &error);
    progress_line_clear();
    int status = ok ? STATUS_OK : cli_fail("%s", error);
    int missing = ok ? missing_runs(e.trials, count) : 0;
    if (missing) {
        cli_fail("stopped, without verdicts: %d runs are missing", missing);
        status = STATUS_SIGNAL + *watch.stop;
    } else if (ok) {
        print_verdicts(r, &e);
        print_failures(&e);
    }
    free(error);
    for (int i = 0; i < count; i++)
        trial_free(&e.trials[i]);
    free(e.trials);
    return status;
}

static int run(int argc, char **argv)
{
    struct request r = {0};
    char *error = NULL;
    int status = read_command_line(&r, argc, argv);
    if (status)
        return status;
    struct paper *p = paper_load(r.paper, &error);
    if (!p) {
        status = cli_misuse("paper", "%s", error);
        free(error);
        return status;
    }
    status = all_claims_exist(&r, p) ? check_paper(&r, p) : STATUS_USAGE;
    paper_free(p);
    return status;
}

const struct command paper_command = {"paper", "puts a paper's claims beside what heddle measures", run, help};
