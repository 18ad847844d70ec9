/*
 * heddle explain: which branches cost most, why, and what can be done. The judgement is in explain/; here are the
 * command line and the runs: one without a machine that counts, one per variant that heddle can make by itself, and,
 * with --gpu, the same on the machine, under the bound and under several mechanisms.
 */
#include "base/diag.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/program.h"
#include "cli/progress_line.h"

#include "base/temporary.h"
#include "base/terminal.h"
#include "div/table.h"
#include "explain/print.h"
#include "study/trial.h"
#include "study/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FINDINGS = 5 };
/* A variant that saves less than this in issues and sectors is not run on the machine. */
#define LEAST_TIMED_GAIN 1.02

static const struct cli_option option_table[] = {
    {"--most", "N", "Explains at most this many branches.", "5"},
    {"--gpu", "NAME|FILE", "Measures gains in cycles on this machine, too.", "none"},
    {"--mech", "A,B,...", "Mechanisms that are tried with --gpu; volta with --recon auto.",
     "tbc-lcp,dws,dpe,vws,volta,reed"},
    {"--set", "KNOB=VALUE", "Changes a knob of the machine. May be given several times.", NULL},
    {"--jobs", "N", "Number of runs at a time.", "the number of cores"},
    {"--json", NULL, "Prints one JSON object instead of text.", NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct cli_section section_table[] = {
    {"Kinds",
     "loop trips           threads leave a loop in different iterations\n"
     "condition in a loop  threads of a warp take both sides, again and again\n"
     "condition            the same, outside loops\n"
     "common call or tail  both sides do the same, but each at its own place\n"
     "boundary             only warps at an edge diverge: nothing to gain\n"
     "early end            some threads end while the others have much to do\n"
     "memory               accesses of a warp are scattered; no branch is to blame\n",
     NULL},
    {"Gains",
     "A gain is promised (GAIN) only if heddle has made the change to the PTX itself, or has run the\n"
     "threads in another order, and the changed kernel was a fifth faster or more: in cycles with --gpu,\n"
     "otherwise by its warp instructions and sectors of memory. Without --gpu, the launch must be large\n"
     "enough to fill a GPU; the text says from how many blocks on. --lower ptxas is set unless --lower\n"
     "is given, since short branches are none on a GPU.\n",
     NULL},
    {"Options of heddle run",
     "All other options are those of heddle run, or of heddle exec for programs, and hold for every run:\n"
     "--size of workloads; --grid, --block, --arg and --kernel of files; --limit and so on of both.\n",
     NULL},
    {NULL, NULL, NULL},
};

struct explain_request {
    const char *target;          /* a file or a workload; NULL: a program */
    char **program;              /* a program and its arguments, ended by NULL */
    char *alone[2];              /* a program that was named without -- */
    struct vec_of(char *) words; /* options of heddle run, for every run */
    struct vec_of(char *) timed; /* for runs on the machine: --set */
    const char *gpu, *mechanisms;
    int most, jobs;
    bool as_json, sets_lower;
};

static int take_option(void *request, const char *name, const char *value)
{
    struct explain_request *r = request;
    if (!strcmp(name, "--gpu"))
        r->gpu = strcmp(value, "none") ? value : NULL;
    else if (!strcmp(name, "--mech"))
        r->mechanisms = value;
    else if (!strcmp(name, "--jobs"))
        return cli_take_jobs("explain", value, &r->jobs);
    else if (!strcmp(name, "--json"))
        r->as_json = true;
    if (!strcmp(name, "--set")) {
        vec_push(&r->timed, "--set");
        vec_push(&r->timed, (char *)value);
    }
    if (!strcmp(name, "--most")) {
        char *end;
        long most = strtol(value, &end, 10);
        if (end == value || *end || most < 1 || most > 1000)
            return cli_misuse("explain", "--most takes a number from 1 to 1000, not '%s'", value);
        r->most = (int)most;
    }
    return STATUS_OK;
}

static int take_target(void *request, char *word)
{
    struct explain_request *r = request;
    if (r->target)
        return cli_misuse("explain", "one program at a time: %s, then %s", r->target, word);
    r->target = word;
    return STATUS_OK;
}

static int pass_on(void *request, char *word)
{
    static const char *const refused[] = {"--record", "--evidence", "--rewrite",  "--sort-threads", "--executor",
                                          "--trace",  "--verify",   "--interval", "--csv",          "--stats"};
    struct explain_request *r = request;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!strncmp(word, refused[i], strlen(refused[i])))
            return cli_misuse("explain", "%s is for one run: heddle run or heddle exec", refused[i]);
    r->sets_lower |= !strncmp(word, "--lower", 7);
    vec_push(&r->words, word);
    return STATUS_OK;
}

static int check_mechanisms(const char *list)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (!div_find(name))
            return cli_misuse("explain", "there is no mechanism '%s'; see heddle list mechanisms", name);
    }
    return STATUS_OK;
}

static int read_command_line(struct explain_request *r, int argc, char **argv)
{
    static const struct cli_reader reader = {"explain", option_table, take_option, take_target, pass_on};
    int status = cli_read(&reader, r, argc, argv, &r->program);
    if (status)
        return status;
    if (r->program && r->target)
        return cli_misuse("explain", "either a workload or a file, or a program behind --, not both: %s and %s",
                          r->target, r->program[0]);
    if (!r->program && !r->target)
        return cli_misuse("explain", "no workload, no PTX file and no program was given");
    if (r->target && program_is(r->target)) {
        r->alone[0] = (char *)r->target;
        r->program = r->alone;
        r->target = NULL;
    }
    if (r->target && access(r->target, R_OK) && !workload_find(r->target))
        return cli_may_be_file(r->target)
                   ? cli_fail("cannot read %s: %s", r->target, strerror(errno))
                   : cli_misuse("explain", "there is no file and no workload '%s'; see heddle list workloads",
                                r->target);
    if (r->mechanisms && !r->gpu)
        return cli_misuse("explain", "--mech needs a machine: --gpu NAME");
    if (!r->mechanisms)
        r->mechanisms = "tbc-lcp,dws,dpe,vws,volta,reed";
    if (r->timed.count && !r->gpu)
        return cli_misuse("explain", "--set needs a machine: --gpu NAME");
    return check_mechanisms(r->mechanisms);
}

/* ---- runs ---- */

/* Runs that go side by side, each with a file for its evidence. */
struct explain_runs {
    struct vec_of(struct trial) trials;
    struct vec_of(char *) files; /* by trial; owned */
};

/* Adds a run. NULL: there is no room for its file, which is said. */
static struct trial *add_run(struct explain_runs *runs, const struct explain_request *r, bool is_timed)
{
    char *error = NULL, *file = temporary_file("", 0, &error);
    if (!file) {
        cli_fail("%s", error);
        free(error);
        return NULL;
    }
    vec_push(&runs->files, file);
    vec_push(&runs->trials, ((struct trial){.program = r->program, .verifies_itself = true}));
    struct trial *t = &runs->trials.data[runs->trials.count - 1];
    if (r->target)
        trial_add_word(t, r->target);
    for (int i = 0; i < r->words.count; i++)
        trial_add_word(t, r->words.data[i]);
    if (!r->sets_lower)
        trial_add_words(t, "--lower ptxas");
    trial_add_word(t, "--evidence");
    trial_add_word(t, file);
    for (int i = 0; is_timed && i < r->timed.count; i++)
        trial_add_word(t, r->timed.data[i]);
    if (is_timed) {
        trial_add_word(t, "--gpu");
        trial_add_word(t, r->gpu);
    }
    return t;
}

static void close_runs(struct explain_runs *runs)
{
    for (int i = 0; i < runs->trials.count; i++) {
        trial_free(&runs->trials.data[i]);
        temporary_remove(runs->files.data[i]);
    }
    vec_free(&runs->trials);
    vec_free(&runs->files);
}

static int run_all(const struct explain_request *r, struct explain_runs *runs)
{
    char *error = NULL;
    const struct trial_watch watch = {.progress = progress_line_show, .stop = interrupt_catch()};
    int at_once = r->jobs ? r->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
    bool ok = trials_run(runs->trials.data, runs->trials.count, at_once, &watch, &error);
    progress_line_clear();
    if (!ok) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    if (*watch.stop) {
        cli_fail("stopped");
        return STATUS_SIGNAL + *watch.stop;
    }
    return STATUS_OK;
}

/* The evidence of a run; false: it failed. */
static bool read_run(const struct explain_runs *runs, int index, struct evidence *into)
{
    char *error = NULL;
    bool ok = !runs->trials.data[index].status && evidence_read(into, runs->files.data[index], &error);
    free(error);
    return ok;
}

/* The run that counts. Its failure is the command's. */
static int count(const struct explain_request *r, struct evidence *evidence)
{
    struct explain_runs runs = {0};
    int status = add_run(&runs, r, false) ? run_all(r, &runs) : STATUS_INPUT;
    const struct trial *t = runs.trials.data;
    if (!status && t->status) {
        fprintf(diag_stream(), "%s", t->output ? t->output : "");
        status = t->status == STATUS_USAGE || t->status == STATUS_INPUT ? t->status : STATUS_FAULT;
    } else if (!status && !read_run(&runs, 0, evidence)) {
        status = cli_fail("the run left no evidence");
    } else if (!status && !evidence->kernels.count) {
        status = cli_fail("no kernel was launched");
    }
    close_runs(&runs);
    evidence_join(evidence);
    return status;
}

static int run_variants(const struct explain_request *r, struct findings *f)
{
    struct explain_runs runs = {0};
    int status = STATUS_OK;
    for (int i = 0; i < f->variants.count && !status; i++) {
        struct trial *t = add_run(&runs, r, false);
        if (t) {
            trial_add_word(t, f->variants.data[i].option);
            trial_add_word(t, f->variants.data[i].value);
        }
        status = t ? STATUS_OK : STATUS_INPUT;
    }
    status = status || !runs.trials.count ? status : run_all(r, &runs);
    for (int i = 0; i < runs.trials.count && !status; i++) {
        struct finding_variant *v = &f->variants.data[i];
        v->has_run = read_run(&runs, i, &v->result);
        v->said = runs.trials.data[i].output ? strdup(runs.trials.data[i].output) : NULL;
    }
    close_runs(&runs);
    return status;
}

/* Whether the variant is worth a run on the machine: it saves something in a kernel with a finding. */
static bool is_worth_timing(const struct findings *f, const struct finding_variant *v)
{
    for (int i = 0; i < f->list.count && v->has_run; i++) {
        const struct evidence_kernel *before = &f->evidence->kernels.data[f->list.data[i].kernel];
        const struct evidence_kernel *after = evidence_find(&v->result, before->name);
        if (after && (double)before->issues >= LEAST_TIMED_GAIN * (double)after->issues)
            return true;
    }
    return false;
}

/* What runs on the machine gave. */
struct explain_timed {
    struct evidence plain, bound;
    struct vec_of(struct explain_mechanism) mechanisms;
    char *names; /* of the mechanisms; owned */
};

/* Convergence barriers help where a compiler places them: volta runs with those of heddle recon. */
static const char volta[] = "volta", volta_with_recon[] = "volta with --recon auto";

static bool add_mechanism(struct explain_runs *runs, const struct explain_request *r, const char *name)
{
    struct trial *t = add_run(runs, r, true);
    if (!t)
        return false;
    trial_add_word(t, "--mech");
    trial_add_word(t, name);
    if (!strcmp(name, volta))
        trial_add_words(t, "--recon auto");
    return true;
}

static void free_timed(struct explain_timed *timed)
{
    evidence_free(&timed->plain);
    evidence_free(&timed->bound);
    for (int i = 0; i < timed->mechanisms.count; i++)
        evidence_free(&timed->mechanisms.data[i].result);
    vec_free(&timed->mechanisms);
    free(timed->names);
}

static int time_all(const struct explain_request *r, struct findings *f, struct explain_timed *timed)
{
    struct explain_runs runs = {0};
    struct vec_of(int) variants = {0};
    bool ok = add_mechanism(&runs, r, "pdom") && add_mechanism(&runs, r, "bound");
    timed->names = strdup(r->mechanisms);
    for (char *rest = timed->names, *name; ok && (name = strsep(&rest, ","));) {
        const char *shown = strcmp(name, volta) ? name : volta_with_recon;
        vec_push(&timed->mechanisms, ((struct explain_mechanism){.name = shown}));
        ok = add_mechanism(&runs, r, name);
    }
    for (int i = 0; ok && i < f->variants.count; i++) {
        if (!is_worth_timing(f, &f->variants.data[i]))
            continue;
        struct trial *t = add_run(&runs, r, true);
        ok = t != NULL;
        if (t) {
            trial_add_word(t, f->variants.data[i].option);
            trial_add_word(t, f->variants.data[i].value);
            vec_push(&variants, i);
        }
    }
    int status = ok ? run_all(r, &runs) : STATUS_INPUT;
    if (!status && !read_run(&runs, 0, &timed->plain)) {
        fprintf(diag_stream(), "%s", runs.trials.data[0].output ? runs.trials.data[0].output : "");
        status = runs.trials.data[0].status == STATUS_USAGE ? STATUS_USAGE : STATUS_FAULT;
    }
    for (int i = 1; !status && i < runs.trials.count; i++) {
        int first = 2 + timed->mechanisms.count;
        if (i == 1)
            read_run(&runs, i, &timed->bound);
        else if (i < first)
            read_run(&runs, i, &timed->mechanisms.data[i - 2].result);
        else
            f->variants.data[variants.data[i - first]].has_run_timed =
                read_run(&runs, i, &f->variants.data[variants.data[i - first]].timed);
    }
    vec_free(&variants);
    close_runs(&runs);
    return status;
}

static int explain(const struct explain_request *r)
{
    struct evidence evidence = {0};
    struct findings findings = {0};
    struct explain_timed timed = {0};
    int status = count(r, &evidence);
    if (!status) {
        findings_open(&findings, &evidence, r->most);
        findings_plan(&findings);
        status = run_variants(r, &findings);
    }
    if (!status && r->gpu)
        status = time_all(r, &findings, &timed);
    if (!status) {
        struct text out = {0};
        findings_judge(&findings, r->gpu ? &timed.plain : NULL, r->gpu ? &timed.bound : NULL);
        const struct explanation e = {.findings = &findings,
                                      .target = r->target ? r->target : r->program[0],
                                      .gpu = r->gpu,
                                      .mechanisms = timed.mechanisms.data,
                                      .mechanism_count = timed.mechanisms.count,
                                      .columns = terminal_text_columns()};
        (r->as_json ? explanation_print_json : explanation_print)(&e, &out);
        fputs(out.data ? out.data : "", stdout);
        text_free(&out);
    }
    free_timed(&timed);
    findings_close(&findings);
    evidence_free(&evidence);
    return status;
}

static int run(int argc, char **argv)
{
    struct explain_request r = {.most = MOST_FINDINGS};
    int status = read_command_line(&r, argc, argv);
    if (!status)
        status = explain(&r);
    vec_free(&r.words);
    vec_free(&r.timed);
    return status;
}

const struct command explain_command = {
    .name = "explain",
    .summary = "say which branches cost most, why, and what can be done in CUDA",
    .usage = "heddle explain WORKLOAD|FILE.ptx [OPTIONS] [OPTIONS OF heddle run]\n"
             "heddle explain [OPTIONS] [OPTIONS OF heddle exec] -- PROGRAM [ARGUMENTS]",
    .description =
        "Runs a kernel, a workload or a CUDA program, finds the branches that leave most lanes empty, and says of each "
        "what kind of divergence it is, what it costs now and at the bound, what can be done about it in CUDA, and "
        "which mechanism of the literature would help. Changes that heddle can make by itself are simulated, and their "
        "gains stand beside the advice. Launches of one kernel are added up. Says so where nothing can be gained.",
    .options = option_table,
    .passes_run_options = true,
    .sections = section_table,
    .examples = "heddle explain examples/trips.ptx --grid 8 --block 128 --arg 'buf:u32[1024]'\n"
                "heddle explain bfs2 --size test --gpu h200\n"
                "heddle explain --kernel expand --json -- ./app input.txt\n",
    .fault_meaning = "A run failed, as heddle run would say.",
    .can_be_stopped = true,
    .run = run,
};
