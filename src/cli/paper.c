/* heddle paper: runs a paper's experiments, and prints what comes out beside what was published. */
#include "cli/cli.h"

#include "base/arena.h"
#include "base/json.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "stat/stat.h"
#include "study/verdict.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--size", "test|small|paper", "Size of the programs; paper has the published instruction counts.", "paper"},
    {"--claim", "ID,...", "Claims to check, with the runs that they need.", "all"},
    {"--jobs", "N", "Number of runs at a time.", "the number of cores"},
    {"--details", NULL, "Prints the values of each claim program by program, too.", NULL},
    {"--json", NULL, "Prints one JSON object per claim, each on a line of its own.", NULL},
    {"--csv", NULL, "Prints one table of comma-separated values (RFC 4180) with a heading.", NULL},
    {NULL, NULL, NULL, NULL},
};

static void write_papers(struct text *out)
{
    struct paper_text text;
    for (int i = 0; paper_built_in(i, &text); i++)
        text_printf(out, "%s\n", text.name);
    text_printf(out,
                "\nAny other paper is two files that you write: NAME.ini has its programs (built-in workloads) and\n"
                "the runs that its figures compare, NAME.csv beside it has its claims. 'heddle list folders' says\n"
                "where the built-in ones are, to start from. All that claims and runs name is checked before the\n"
                "first run.\n");
}

static const struct cli_section section_table[] = {
    {"Verdicts",
     "holds      Sign and order are as published; a published number of 5 percentage points or more is\n"
     "           met within a factor of two, a smaller number within 2 points.\n"
     "direction  Only sign and order are as published.\n"
     "fails      Sign or order differ.\n"
     "unknown    A run that the claim needs failed, or its result is wrong.\n",
     NULL},
    {"Papers", NULL, write_papers},
    {"Signals", "Ctrl-C, SIGTERM or SIGHUP ends all runs; then there are no verdicts.\n", NULL},
    {NULL, NULL, NULL},
};

enum paper_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct paper_request {
    const char *paper;  /* name, or path of an .ini */
    const char *size;   /* of the programs */
    const char *claims; /* ids, separated by commas; NULL: all */
    int jobs;           /* runs at a time; 0: one per core */
    bool wants_details;
    enum paper_format format;
};

static int take_option(struct paper_request *r, const char *name, const char *value)
{
    enum paper_format format = !strcmp(name, "--json")  ? FORMAT_JSON
                               : !strcmp(name, "--csv") ? FORMAT_CSV
                                                        : FORMAT_TEXT;
    if (!strcmp(name, "--size"))
        return cli_take_size("paper", value, &r->size);
    if (!strcmp(name, "--jobs"))
        return cli_take_jobs("paper", value, &r->jobs);
    if (!strcmp(name, "--claim"))
        r->claims = value;
    r->wants_details |= !strcmp(name, "--details");
    if (format && r->format && format != r->format)
        return cli_misuse("paper", "--json and --csv exclude each other");
    r->format = format ? format : r->format;
    return STATUS_OK;
}

static int read_command_line(struct paper_request *r, int argc, char **argv)
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
    return r->paper ? STATUS_OK : cli_misuse("paper", "no paper was given; see heddle list papers");
}

/* Whether a list of names, separated by commas, has the name. */
static bool has_name(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
        if (strcspn(at, ",") == length && !memcmp(at, name, length))
            return true;
    return false;
}

static bool is_asked(const struct paper_request *r, const struct claim *c)
{
    return !r->claims || has_name(r->claims, c->id);
}

static bool all_claims_exist(const struct paper_request *r, const struct paper *p)
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

/* Gives words to each trial that an asked claim needs; the other trials stay without words, and are not run. */
static void plan(const struct paper_request *r, const struct paper *p, struct trial *trials)
{
    for (int i = 0; i < p->claim_count; i++) {
        const struct claim *c = &p->claims[i];
        for (int k = 0; is_asked(r, c) && k < 2 * c->run_count; k++) {
            int run = k % 2 ? c->runs[k / 2].under : c->runs[k / 2].over;
            for (int program = 0; run >= 0 && program < p->program_count; program++) {
                struct trial *t = &trials[program * p->run_count + run];
                if (t->words.count || !claim_needs(c, &p->programs[program]))
                    continue;
                trial_add_word(t, p->programs[program].workload->name);
                trial_add_verify(t);
                t->verifies_itself = true;
                trial_add_words(t, p->runs[run].words);
                trial_add_words(t, p->programs[program].words);
                trial_add_word(t, "--gpu");
                trial_add_word(t, p->gpu);
                trial_add_word(t, "--size");
                trial_add_word(t, r->size);
            }
        }
    }
}

/* Runs the trials that have words. */
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

static void print_claim(const struct paper_request *r, const struct claim *c, const struct judgement *j)
{
    printf("%-5s %-9s %-18s %-26s %s\n", c->id, verdict_names[j->verdict], c->published,
           j->measured.data ? j->measured.data : "-", c->source);
    printf("      %s: %s\n", c->programs, c->text);
    if (r->wants_details && j->details.data)
        printf("      %s\n", j->details.data);
}

/* One record of JSON or CSV. */
static void print_record(enum paper_format format, const struct claim *c, const struct judgement *j)
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
        const char *value = pairs[i + 1];
        if (format == FORMAT_CSV) {
            text_printf(&out, "%s", i ? "," : "");
            stat_csv_field(value ? value : "", &out);
            continue;
        }
        text_printf(&out, "%s\"%s\":", i ? "," : "{", pairs[i]);
        json_print_string(&out, value);
    }
    printf("%s%s\n", out.data, format == FORMAT_JSON ? "}" : "");
    text_free(&out);
}

static void print_heading(const struct paper_request *r, const struct paper *p)
{
    if (r->format == FORMAT_TEXT)
        printf("%s, on %s, size %s\n\n%-5s %-9s %-18s %-26s %s\n", p->title, p->gpu, r->size, "claim", "verdict",
               "published", "measured", "where");
    else if (r->format == FORMAT_CSV)
        puts("id,kind,source,programs,claim,published,measured,verdict,details");
}

static void print_verdicts(const struct paper_request *r, const struct evidence *e)
{
    const struct paper *p = e->paper;
    int counts[VERDICT_UNKNOWN + 1] = {0}, asked = 0;
    print_heading(r, p);
    for (int i = 0; i < p->claim_count; i++) {
        struct judgement j;
        if (!is_asked(r, &p->claims[i]))
            continue;
        judge(e, &p->claims[i], &j);
        counts[j.verdict]++;
        asked++;
        if (r->format == FORMAT_TEXT)
            print_claim(r, &p->claims[i], &j);
        else
            print_record(r->format, &p->claims[i], &j);
        judgement_free(&j);
    }
    if (r->format == FORMAT_TEXT)
        printf("\n%d claims: %d hold, %d in direction only, %d fail, %d unknown\n", asked, counts[VERDICT_HOLDS],
               counts[VERDICT_DIRECTION], counts[VERDICT_FAILS], counts[VERDICT_UNKNOWN]);
}

/* Names the runs that went wrong, also those of which a claim expects it. */
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

/* How many needed runs were stopped before their end, or never began. */
static int missing_runs(const struct trial *trials, int count)
{
    int missing = 0;
    for (int i = 0; i < count; i++)
        missing += trials[i].words.count && trials[i].status == TRIAL_NOT_RUN;
    return missing;
}

static int check_paper(const struct paper_request *r, const struct paper *p)
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
    struct paper_request r = {.size = "paper"};
    char *error = NULL;
    int status = read_command_line(&r, argc, argv);
    if (status)
        return status;
    struct paper *p = paper_load(r.paper, &error);
    if (!p || !paper_check_runs(p, &error))
        status = cli_misuse("paper", "%s", error);
    else
        status = all_claims_exist(&r, p) ? check_paper(&r, p) : STATUS_USAGE;
    free(error);
    paper_free(p);
    return status;
}

const struct command paper_command = {
    .name = "paper",
    .summary = "check the claims of a paper against what heddle measures",
    .usage = "heddle paper NAME|FILE.ini [OPTIONS]",
    .description =
        "Runs the experiments of a paper, as far as heddle has the programs, and prints for each of its claims "
        "what was published, what was measured, and a verdict. Each program verifies its own result; besides, "
        "the memory that each launch leaves is compared with what the functional engine leaves.",
    .options = option_table,
    .sections = section_table,
    .examples = "heddle paper tbc --size small --details\n"
                "heddle paper tbc --claim T01,T12 --json\n"
                "heddle paper my-paper.ini --size test --csv\n",
    .can_be_stopped = true,
    .run = run,
};
