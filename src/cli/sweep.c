/* heddle sweep: a product of programs, machines, mechanisms and knobs, whose results go into a store. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include "base/diag.h"
#include "cli/interrupt.h"
#include "cli/page_option.h"
#include "cli/program.h"
#include "cli/progress_line.h"
#include "cli/store_option.h"
#include "cli/sweep_farm.h"
#include "cli/sweep_progress.h"
#include "farm/folder.h"
#include "farm/ranks.h"
#include "run/options.h"
#include "study/identity.h"
#include "study/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--programs", "A,B,...", "Programs without options: workloads, and files with PTX.", NULL},
    {"--program", "'A OPTIONS'",
     "One program with options of heddle run: 'a.ptx --grid 4'. May be given several times.", NULL},
    {"--mech", "A,B,...|all", "Mechanisms. A+PASS runs A with kernels rewritten, as in heddle compare.", "pdom"},
    {"--gpu", "NAME|FILE,...", "Machines.", "fermi"},
    {"--set", "KNOB=A,B,...", "Values of a knob. May be given several times.", NULL},
    {"--size", "test,small,paper", "Sizes of workloads.", "small"},
    {"--ptx", "nvcc,plain", "Kernels of workloads: as nvcc compiles them, or with every branch kept as written.",
     "nvcc"},
    {"--hints", "no,yes", "Kernels of workloads without or with hints where threads should reconverge.", "no"},
    {"--store", "FILE", "Store for the results; see Store.", NULL},
    {"--report", "FILE.html", "Writes a page with the table and charts of all runs; see heddle report.", NULL},
    {"--jobs", "N", "Number of runs at a time.", "the number of cores"},
    {"--time-limit", "TIME", "Ends a run that takes longer, and records it as failed: seconds, or 10m, or 2h.", "none"},
    {"--memory-limit", "BYTES", "Kills a run that takes more memory, and records it as failed: 800M, 4G.", "none"},
    {"--retry", NULL, "Runs again what failed before by a limit, a signal or an error.", NULL},
    {"--folder", "DIR", "Gives the runs to workers that share this folder; see Many machines.", NULL},
    {"--worker", NULL, "Works for the sweep of --folder until it is over.", NULL},
    {"--lost-after", "TIME", "Gives the run of a worker that is silent for so long to another.", "2m"},
    {"--dry-run", NULL, "Lists the runs, and which of them are stored, and runs nothing.", NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct cli_section section_table[] = {
    {"Study files",
     "[programs]                       One program per line.\n"
     "bfs2 =                           A workload; options of heddle run may stand behind the =.\n"
     "trips = @trips.ptx --grid 4      A file, with options of heddle run.\n"
     "app = -- ./app input.txt         A CUDA program and its arguments.\n"
     "[sweep]                          Lists; what is left out has one value, the default above.\n"
     "gpu = fermi, fx5800\n"
     "mech = pdom, tbc, pdom+merge-loops\n"
     "size = test, small               ptx and hints likewise.\n"
     "options = --limit 50M            Options of heddle run, for every run.\n"
     "time-limit = 10m\n"
     "memory-limit = 4G\n"
     "[knobs]                          One knob per line.\n"
     "sm.scheduler = lrr, gto\n"
     "tbc.compaction = yes, no         A knob of one mechanism multiplies the runs of that one only.\n"
     "\n"
     "A line that begins with ; or # is a comment. Paths are those from the folder of the study file,\n"
     "and its runs are started there. Lists of the command line replace those of the file. Everything\n"
     "is checked before the first run: a mistake is reported with file and line.\n",
     NULL},
    {"Store",
     "Results go into an SQLite file: that of --store, or of HEDDLE_STORE, or else NAME.db beside\n"
     "NAME.ini, or study.db. heddle query reads it. A run whose result is stored is not run again, so\n"
     "the same command goes on where it was stopped: by Ctrl-C, kill -9, a full disk or a loss of\n"
     "power, at most the runs that were under way are lost. A run is known by its program, input and\n"
     "configuration, and by the build of heddle: another build does not take its results. heddle\n"
     "compare and heddle paper use the same store with --store.\n",
     NULL},
    {"Many machines",
     "'heddle sweep STUDY.ini --folder DIR' runs nothing itself: it lays tasks into the folder and\n"
     "stores the results that workers leave there. 'heddle sweep --worker --folder DIR', on any\n"
     "machine that sees DIR and the files of the study by the same paths, does --jobs runs at a time\n"
     "until the sweep is over. Workers may come and go, and may wait in a new folder for the sweep to\n"
     "begin; all need the same build of heddle. Only the sweep itself opens the store. If the sweep is\n"
     "stopped, workers go on with the tasks in the folder, and the same command takes their results.\n"
     "Under mpirun or srun no folder is needed: the first process has the store, and each of the\n"
     "others does one run at a time.\n",
     NULL},
    {"Failures",
     "A run that fails is stored with the reason, and stops no other: error (its exit status), wrong\n"
     "(its result), time, memory, and killed (three times, not by heddle). 'heddle query STORE\n"
     "failures' lists them, --retry runs them again. A wrong result is not run again: it would be the\n"
     "same.\n",
     NULL},
    {"Options of heddle run", "All other options are those of heddle run, and hold for every run.\n", NULL},
    {"Programs (-- PROGRAM)",
     "A CUDA program and its arguments, which runs as heddle exec runs it. What it prints is kept.\n", NULL},
    {"Signals", "Ctrl-C, SIGTERM or SIGHUP ends all runs; what had ended before is stored.\n", NULL},
    {NULL, NULL, NULL},
};

/* An option that is carried out once the study file was read. */
struct sweep_option {
    const char *name, *value; /* name: without dashes */
};

struct sweep_request {
    struct sweep sweep;
    const char *study;       /* path of the study file; NULL: none */
    char *store;             /* absolute path; owned */
    const char *given_store; /* --store; NULL: not given */
    char *page;              /* --report, as an absolute path; NULL: no page. Owned */
    int argc;                /* the command line, for the page */
    char **argv;
    struct sweep_option *options; /* in the order of the command line; owned */
    int option_count;
    char **program; /* behind --; NULL: none */
    struct vec_of(char *) words;
    int jobs;
    char *folder;                  /* absolute path of the folder that workers share; NULL: none. Owned */
    double lost_seconds;           /* --lost-after */
    const struct transport *ranks; /* processes that mpirun or srun started with this one; NULL: none */
    bool retries, is_dry, is_worker;
    bool has_run;     /* runs were begun: other processes know how it ends */
    bool is_deserted; /* other processes are gone, or do not know that they are to stop */
};

static int misuse(char *error)
{
    cli_misuse("sweep", "%s", error);
    free(error);
    return STATUS_USAGE;
}

/* ---- the command line ---- */

static int take_lost_after(struct sweep_request *r, const char *value)
{
    struct sweep s = {0};
    char *error = NULL;
    if (!sweep_set_time_limit(&s, value, &error))
        return misuse(error);
    r->lost_seconds = s.time_limit_seconds;
    if (r->lost_seconds < 2)
        return cli_misuse("sweep", "--lost-after takes 2 seconds or more: workers give a sign of life every second");
    return STATUS_OK;
}

/* Notes an option, which is carried out once the study file was read. */
static int take_option(void *request, const char *name, const char *value)
{
    struct sweep_request *r = request;
    if (!strcmp(name, "--jobs"))
        return cli_take_jobs("sweep", value, &r->jobs);
    if (!strcmp(name, "--lost-after"))
        return take_lost_after(r, value);
    if (!strcmp(name, "--store")) {
        r->given_store = value;
    } else if (!strcmp(name, "--report")) {
        free(r->page);
        r->page = sweep_farm_absolute(value);
        return cli_check_writable(r->page);
    } else if (!strcmp(name, "--folder")) {
        free(r->folder);
        r->folder = sweep_farm_absolute(value);
    } else if (!strcmp(name, "--worker")) {
        r->is_worker = true;
    } else if (!strcmp(name, "--retry")) {
        r->retries = true;
    } else if (!strcmp(name, "--dry-run")) {
        r->is_dry = true;
    } else {
        r->options[r->option_count++] = (struct sweep_option){name + 2, value};
    }
    return STATUS_OK;
}

static int take_study(void *request, char *word)
{
    struct sweep_request *r = request;
    if (r->study)
        return cli_misuse("sweep", "one study file at a time: %s, then %s", r->study, word);
    r->study = word;
    return STATUS_OK;
}

static int pass_on(void *request, char *word)
{
    struct sweep_request *r = request;
    vec_push(&r->words, word);
    return STATUS_OK;
}

static int read_command_line(struct sweep_request *r, int argc, char **argv)
{
    static const struct cli_reader reader = {"sweep", option_table, take_option, take_study, pass_on};
    r->options = xcalloc((size_t)argc, sizeof *r->options);
    return cli_read(&reader, r, argc, argv, &r->program);
}

static bool add_programs(struct sweep *s, const char *list, char **error)
{
    char *copy = strdup(list), *rest = copy;
    bool ok = true;
    for (char *name; ok && (name = strsep(&rest, ","));)
        ok = sweep_add_program(s, name, 0, error);
    free(copy);
    return ok;
}

/* "KNOB=A,B" */
static bool add_knob(struct sweep *s, const char *text, char **error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return diag_fail(error, "--set takes KNOB=VALUE,VALUE,..., not '%s'", text);
    char *name = strndup(text, (size_t)(equals - text));
    bool ok = sweep_add_knob(s, name, equals + 1, 0, error);
    free(name);
    return ok;
}

static bool carry_out_option(struct sweep *s, const struct sweep_option *o, char **error)
{
    for (int axis = 0; axis < SWEEP_AXES; axis++)
        if (!strcmp(o->name, sweep_axis_names[axis]))
            return sweep_set_axis(s, (enum sweep_axis)axis, o->value, 0, error);
    if (!strcmp(o->name, "programs"))
        return add_programs(s, o->value, error);
    if (!strcmp(o->name, "program"))
        return sweep_add_program(s, o->value, 0, error);
    if (!strcmp(o->name, "set"))
        return add_knob(s, o->value, error);
    if (!strcmp(o->name, "time-limit"))
        return sweep_set_time_limit(s, o->value, error);
    return sweep_set_memory_limit(s, o->value, error);
}

/* Adds the program behind --, whose words stay as they are. */
static void add_program(struct sweep_request *r)
{
    struct sweep_program p = {0};
    for (int i = 0; r->program && r->program[i]; i++)
        vec_push(&p.program, strdup(r->program[i]));
    if (!p.program.count)
        return;
    vec_push(&p.program, NULL);
    vec_push(&r->sweep.programs, p);
}

/* Where results go, as an absolute path: the current folder may change. */
static void choose_store(struct sweep_request *r)
{
    struct text path = {0};
    const char *named = r->given_store ? r->given_store : getenv("HEDDLE_STORE");
    size_t length = r->study ? strlen(r->study) : 0;
    char *here = getcwd(NULL, 0);
    if (length > 4 && !strcmp(r->study + length - 4, ".ini"))
        length -= 4;
    if (named && *named)
        text_printf(&path, "%s%s%s", *named == '/' || !here ? "" : here, *named == '/' || !here ? "" : "/", named);
    else if (r->study)
        text_printf(&path, "%s%s%.*s.db", *r->study == '/' || !here ? "" : here, *r->study == '/' || !here ? "" : "/",
                    (int)length, r->study);
    else
        text_printf(&path, "%s%sstudy.db", here ? here : "", here ? "/" : "");
    free(here);
    r->store = text_take(&path);
}

/* Reads the study file, and goes to its folder. */
static int read_study(struct sweep_request *r)
{
    char *error = NULL;
    FILE *file = fopen(r->study, "re");
    if (!file)
        return cli_fail("cannot read %s: %s", r->study, strerror(errno));
    const char *slash = strrchr(r->study, '/');
    char *folder = slash ? strndup(r->study, (size_t)(slash - r->study) + 1) : strdup(".");
    int status = chdir(folder) ? cli_fail("cannot go to the folder %s: %s", folder, strerror(errno)) : STATUS_OK;
    free(folder);
    if (!status && !sweep_read(&r->sweep, file, r->study, &error))
        status = misuse(error);
    fclose(file);
    return status;
}

static int make_sweep(struct sweep_request *r)
{
    char *error = NULL;
    choose_store(r);
    int status = r->study ? read_study(r) : STATUS_OK;
    for (int i = 0; !status && i < r->option_count; i++)
        if (!carry_out_option(&r->sweep, &r->options[i], &error))
            status = misuse(error);
    for (int i = 0; i < r->words.count; i++)
        vec_push(&r->sweep.words, strdup(r->words.data[i]));
    add_program(r);
    if (!status && !sweep_check(&r->sweep, &error))
        status = misuse(error);
    return status;
}

/* ---- runs ---- */

/* What is swept: the trials, what each is, and where results go. */
struct sweep_stage {
    const struct sweep_request *request;
    struct trial *trials;
    struct sweep_run *runs;
    int count;
    struct keeper storage, *keeper; /* NULL: there is no store yet, and nothing is to be run */
    bool is_deserted;
};

static void print_program(const struct sweep_run *r, struct text *out)
{
    text_printf(out, "%s", r->program->target ? r->program->target : "");
    for (int i = 0; i + 1 < r->program->program.count; i++)
        text_printf(out, "%s%s", i ? " " : "", r->program->program.data[i]);
    for (int i = 0; i < r->program->words.count; i++)
        text_printf(out, " %s", r->program->words.data[i]);
}

static void print_run(const struct sweep_stage *s, int index, struct text *out)
{
    const struct sweep_run *r = &s->runs[index];
    print_program(r, out);
    text_printf(out, " on %s under %s", r->values[SWEEP_GPU], r->values[SWEEP_MECH]);
    if (r->program->is_workload)
        text_printf(out, ", %s, %s%s", r->values[SWEEP_SIZE], r->values[SWEEP_PTX],
                    strcmp(r->values[SWEEP_HINTS], "yes") ? "" : ", hints");
    for (const char *at = r->settings; *at; at += strcspn(at, " "), at += *at == ' ')
        text_printf(out, ", %.*s", (int)strcspn(at, " "), at);
}

/* Checks the first run of each program as heddle run or heddle exec would, and that results can be known again. */
static int check_program(const struct sweep_stage *s, int index, struct identity *identity)
{
    const struct trial *t = &s->trials[index];
    struct vec_of(char *) words = {0};
    struct task task = {0};
    char *error = NULL;
    vec_push(&words, t->program ? "exec" : "run");
    for (int i = 0; i < t->words.count; i++)
        vec_push(&words, t->words.data[i]);
    if (t->program) {
        vec_push(&words, "--");
        vec_push(&words, t->program[0]);
    }
    int status =
        t->program ? exec_check("sweep", words.count, words.data) : run_check("sweep", words.count, words.data);
    vec_free(&words);
    if (!status && !identity_make_task(identity, t, &task, &error))
        status = cli_fail("%s", error);
    free(error);
    task_free(&task);
    int line = s->runs[index].program->line;
    if (status && line)
        fprintf(diag_stream(), "heddle: %s:%d: the message above is about this program\n", s->request->study, line);
    return status == PROGRAM_NOT_FOUND || status == PROGRAM_CANNOT_RUN ? STATUS_INPUT : status;
}

static int check_programs(const struct sweep_stage *s)
{
    char *error = NULL;
    struct identity *identity = identity_open(&error);
    int status = identity ? STATUS_OK : cli_fail("%s", error);
    for (int i = 0; !status && i < s->count; i++)
        if (!i || s->runs[i].program != s->runs[i - 1].program)
            status = check_program(s, i, identity);
    identity_close(identity);
    free(error);
    return status;
}

/* Lists the runs and what the store has of them. */
static int list_runs(struct sweep_stage *s)
{
    int to_run = 0, status = STATUS_OK;
    for (int i = 0; !status && i < s->count; i++) {
        struct task task = {0};
        struct text line = {0};
        bool is_found = false;
        char *error = NULL;
        if (s->keeper && !keeper_find(s->keeper, &s->trials[i], &task, &is_found, &error))
            status = cli_fail("%s", error);
        print_run(s, i, &line);
        printf("%-8s %s\n", !is_found ? "to run" : s->trials[i].has_failed ? "failed" : "stored", line.data);
        to_run += !is_found;
        text_free(&line);
        task_free(&task);
        free(error);
    }
    if (!status)
        printf("%d runs, %d of them to run\n", s->count, to_run);
    return status;
}

/* Says what came of it, and returns the exit status. */
static int sum_up(const struct sweep_stage *s, int signal_number)
{
    int stored = 0, ran = 0, failed = 0, missing = 0;
    for (int i = 0; i < s->count; i++) {
        const struct trial *t = &s->trials[i];
        missing += t->status == TRIAL_NOT_RUN;
        stored += t->status != TRIAL_NOT_RUN && t->was_stored;
        ran += t->status != TRIAL_NOT_RUN && !t->was_stored;
        failed += t->has_failed;
    }
    printf("%d runs: %d stored before, %d run now, %d failed\n", s->count, stored, ran, failed);
    printf("heddle query %s%s\n", s->request->store, failed ? " failures" : "");
    fflush(stdout);
    if (missing) {
        cli_fail("stopped: %d of %d runs are missing; the same command goes on from here", missing, s->count);
        return STATUS_SIGNAL + signal_number;
    }
    return failed ? STATUS_FAULT : STATUS_OK;
}

/* Writes the page of all runs that have ended. */
static int write_page(const struct sweep_stage *s)
{
    const struct sweep_request *r = s->request;
    struct page *p = page_option_create(r->study ? r->study : "sweep", r->argc, r->argv);
    for (int i = 0; i < s->count; i++) {
        const struct sweep_run *run = &s->runs[i];
        struct text name = {0};
        print_program(run, &name);
        if (s->trials[i].status != TRIAL_NOT_RUN)
            page_add_trial(p,
                           &(struct page_run){.name = name.data,
                                              .gpu = run->values[SWEEP_GPU],
                                              .mechanism = run->values[SWEEP_MECH],
                                              .size = run->values[SWEEP_SIZE],
                                              .settings = run->settings},
                           &s->trials[i]);
        text_free(&name);
    }
    page_option_add_published(p);
    return page_option_write(p, r->page);
}

static int jobs_of(const struct sweep_request *r)
{
    return r->jobs ? r->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static int run_all(struct sweep_stage *s)
{
    char *error = NULL;
    const struct sweep_request *r = s->request;
    struct sweep_progress progress;
    sweep_progress_begin(&progress, s->trials);
    struct trial_watch watch = {.progress = sweep_progress_show,
                                .context = &progress,
                                .stop = interrupt_catch(),
                                .keeper = s->keeper,
                                .time_limit_seconds = r->sweep.time_limit_seconds,
                                .memory_limit_bytes = r->sweep.memory_limit_bytes};
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is then an error of the write, as a full disk is */
    bool ok = r->ranks    ? ranks_own(r->ranks, s->trials, s->count, &watch, &s->is_deserted, &error)
              : r->folder ? folder_own(r->folder, s->trials, s->count, r->lost_seconds, &watch, &error)
                          : trials_run(s->trials, s->count, jobs_of(r), &watch, &error);
    progress_line_clear();
    int status = ok ? sum_up(s, *watch.stop) : cli_fail("%s", error);
    int written = ok && r->page ? write_page(s) : STATUS_OK;
    free(error);
    return status ? status : written;
}

static int carry_out(struct sweep_request *r)
{
    struct sweep_stage s = {.request = r};
    sweep_plan(&r->sweep, &s.trials, &s.runs, &s.count);
    int status = check_programs(&s);
    if (!status && (!r->is_dry || !access(r->store, F_OK)))
        status = store_option_open(r->store, &s.storage, &s.keeper);
    if (s.keeper) {
        s.keeper->takes_failures = !r->retries;
        s.keeper->forgets = true;
    }
    r->has_run = !status && !r->is_dry;
    if (!status)
        status = r->is_dry ? list_runs(&s) : run_all(&s);
    r->is_deserted = s.is_deserted;
    if (s.keeper)
        keeper_close(s.keeper);
    sweep_free_plan(s.trials, s.runs, s.count);
    return status;
}

static int make_and_carry_out(struct sweep_request *r)
{
    if (!r->study && !r->option_count && !r->program)
        return cli_misuse("sweep", "no study file and no program was given");
    if (r->folder && r->jobs)
        return cli_misuse("sweep", "--jobs with --folder belongs to the workers: the sweep itself runs nothing");
    int status = make_sweep(r);
    return status ? status : carry_out(r);
}

/* What is run comes from the folder, so nothing else may be said. */
static int work(const struct sweep_request *r)
{
    if (!r->folder)
        return cli_misuse("sweep", "--worker needs the folder of the sweep: --folder DIR");
    if (r->study || r->option_count || r->program || r->words.count || r->given_store || r->retries || r->is_dry)
        return cli_misuse("sweep", "--worker takes --folder and --jobs alone: the sweep says what is run");
    return sweep_farm_work(r->folder, jobs_of(r));
}

/* One of several processes that mpirun or srun started: the first owns the sweep, the others work for it. */
static int run_as_rank(struct sweep_request *r)
{
    char *error = NULL;
    if (r->folder || r->jobs)
        return cli_misuse("sweep", "--folder and --jobs are not for processes that mpirun or srun started");
    r->ranks = transport_open(&error);
    int status = STATUS_OK;
    if (!r->ranks)
        status = cli_fail("%s", error);
    else if (!r->ranks->rank)
        status = make_and_carry_out(r);
    else if (!ranks_work(r->ranks, interrupt_catch(), &error))
        status = cli_fail("%s", error);
    if (r->ranks && !r->ranks->rank && !r->has_run)
        ranks_dismiss(r->ranks);
    if (r->ranks && r->is_deserted)
        r->ranks->abandon(status);
    else if (r->ranks)
        r->ranks->finish();
    free(error);
    return status;
}

static int run(int argc, char **argv)
{
    struct sweep_request r = {.lost_seconds = 120, .argc = argc, .argv = argv};
    int status = read_command_line(&r, argc, argv);
    if (!status)
        status = r.is_worker ? work(&r) : transport_expected() > 1 ? run_as_rank(&r) : make_and_carry_out(&r);
    sweep_free(&r.sweep);
    vec_free(&r.words);
    free(r.options);
    free(r.store);
    free(r.page);
    free(r.folder);
    return status;
}

const struct command sweep_command = {
    .name = "sweep",
    .summary = "run a product of programs, machines, mechanisms and knobs, and store the results",
    .usage = "heddle sweep STUDY.ini [OPTIONS] [OPTIONS OF heddle run]\n"
             "heddle sweep --programs A,B [OPTIONS] [OPTIONS OF heddle run] [-- PROGRAM ARGUMENTS]\n"
             "heddle sweep --worker --folder DIR [--jobs N]",
    .description =
        "Runs every program on every machine under every mechanism with every value of every knob, several runs at a "
        "time, and stores what each counted. What is stored is not run again: the same command finishes a sweep that "
        "was stopped.",
    .options = option_table,
    .passes_run_options = true,
    .sections = section_table,
    .examples = "heddle sweep study.ini --jobs 8 --time-limit 10m\n"
                "heddle sweep --programs bfs2,lps --mech pdom,tbc --set sm.scheduler=lrr,gto \\\n"
                "    --set mem.l2_bytes=128K,1M --size test --dry-run\n"
                "heddle sweep --program 'examples/trips.ptx --grid 4 --block 128 --arg buf:u32[512]' --mech all\n",
    .fault_meaning = "A run failed, now or before.",
    .can_be_stopped = true,
    .run = run,
};
