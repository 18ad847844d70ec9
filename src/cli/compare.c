/* heddle compare: programs under several mechanisms, one table per program and machine. */
#include "base/diag.h"
#include "cli/cli.h"

#include "base/temporary.h"
#include "base/vec.h"
#include "cli/compare_lockstep.h"
#include "cli/compare_page.h"
#include "cli/compare_svg.h"
#include "cli/interrupt.h"
#include "cli/program.h"
#include "cli/progress_line.h"
#include "cli/store_option.h"
#include "div/table.h"
#include "run/options.h"
#include "run/prepare.h"
#include "study/comparison.h"
#include "study/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--mech", "A,B,...|all",
     "Mechanisms to compare; the first is the baseline. A+PASS runs A with kernels rewritten; see Passes.",
     "all, pdom first"},
    {"--gpu", "NAME|FILE,...", "Machines to run on.", "fermi"},
    {"--vary", "KNOB=A,B,...",
     "Repeats the comparison for each value of the knob, and prints one row per value; see Sweeps. May be given twice.",
     NULL},
    {"--jobs", "N", "Number of runs at a time.", "the number of cores"},
    {"--store", "FILE", "Takes results from this store, and puts new ones into it; see heddle sweep.", "$HEDDLE_STORE"},
    {"--json", NULL, "Prints one JSON object per row, each on a line of its own.", NULL},
    {"--csv", NULL, "Prints one table of comma-separated values (RFC 4180) with a heading.", NULL},
    {"--report", "FILE.html",
     "Writes a page with the table, charts, source lines, flow graph and lanes of all runs; see heddle report.", NULL},
    {"--trace-svg", "FILE", "Draws the lanes of every run by time as SVG, one run above the other.", NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct cli_section section_table[] = {
    {"Columns",
     "scheduler         with --paper-schedulers, and where rows of one machine differ in it\n"
     "cycles            of all launches together\n"
     "speedup           cycles of the baseline, divided by the row's\n"
     "SIMD              SIMD efficiency: threads that issued, in percent of the lanes of all issues\n"
     "of bound          cycles of bound, the fewest possible for any mechanism, in percent of the row's\n"
     "traffic           bytes between multiprocessors and L2, divided by the baseline's; left out on a\n"
     "                  terminal of fewer than 100 columns\n"
     "loses most lanes  the branch with the most issues lost (empty lanes, as a share of all lanes)\n",
     NULL},
    {"Results",
     "The memory that each launch leaves is compared with what the functional engine (no --gpu) leaves\n"
     "from the same start; --verify none leaves the comparison out. Below the table stand the launch,\n"
     "buffer, word and values of the first difference. Rows are marked:\n"
     "  ~  The row may differ: the kernel uses the order of atomics, %clock, activemask or the like; or\n"
     "     its threads race, but the program has verified its result itself, as workloads do.\n"
     "  !  The row is wrong, or its threads race. Such a row is neither baseline nor bound, counts in no\n"
     "     mean, and makes the exit status 3.\n"
     "  ^  The program relies on warps in lock-step, as nvrt does or --check lockstep has found, and the\n"
     "     mechanism does not keep it: with other inputs the result may be wrong. What --check lockstep\n"
     "     finds makes the exit status 3.\n",
     NULL},
    {"Options of heddle run",
     "All other options are those of heddle run, and hold for every run: --size of workloads; --grid,\n"
     "--block, --arg and --kernel of files; --set, --limit and so on of both. A --set of a knob of one\n"
     "mechanism (tbc.compaction=no) holds for the runs under that mechanism.\n",
     NULL},
    {"Passes (--mech A+PASS)",
     "Behind a mechanism may stand passes that change the program's kernels first, each behind a +, as\n"
     "in pdom+merge-loops or volta+coarsen=4+delay; 'heddle recon --help' lists them. So software stands\n"
     "beside hardware in one table. What a pass changed and what it refused is printed below the table.\n"
     "The bound is that of the program as it was.\n",
     NULL},
    {"Sweeps (--vary)",
     "--vary mem.l1d_latency=10,20 compares all mechanisms with the knob at 10, and with the knob at 20.\n"
     "Each value is a row of the table, each mechanism has columns with its cycles and with its speedup\n"
     "over the first mechanism at the same value. Two --vary give every pair of values. A knob of one\n"
     "mechanism (tbc.compaction) varies the runs under that mechanism only; the others are run once.\n"
     "sm.class_latency sets the latency of all classes of instructions together. The bound is not run\n"
     "unless --mech names it. A knob that --set names, too, has the values of --vary. 'heddle paper NAME\n"
     "--sweep' repeats the claims of a paper.\n",
     NULL},
    {"Programs (-- PROGRAM)",
     "A CUDA program runs under each mechanism as heddle exec runs it. Its exit status says whether its\n"
     "result is right: not 0 is a failure. What it prints is shown if it fails. --kernel and --launch\n"
     "choose the launches that are compared. Several runs go side by side; a program that cannot bear\n"
     "that needs --jobs 1.\n",
     NULL},
    {"Signals", "Ctrl-C, SIGTERM or SIGHUP ends all runs; rows of runs that had ended before have figures.\n", NULL},
    {NULL, NULL, NULL},
};

struct compare_request {
    struct vec_of(const char *) targets, gpus, mechanisms; /* targets: workloads and PTX files */
    char **program;               /* what stands behind --: a program and its arguments, ended by NULL; NULL: nothing */
    struct vec_of(char *) words;  /* options of heddle run, for every run */
    struct vec_of(char *) copies; /* lists that were cut into names; owned */
    int jobs;                     /* runs at a time; 0: one per core */
    struct variation variation;   /* --vary */
    bool as_json, as_csv;
    const char *svg_path;  /* --trace-svg; NULL: no picture */
    const char *page_path; /* --report; NULL: no page */
    const char *store;     /* --store; NULL: that of the environment */
    int argc;              /* the command line, for the page */
    char **argv;
};

/* Cuts a list at its commas. */
static bool take_names(struct compare_request *r, const char *list,
                       bool (*take)(struct compare_request *r, const char *name))
{
    char *copy = strdup(list), *rest = copy;
    vec_push(&r->copies, copy);
    for (char *name; (name = strsep(&rest, ","));)
        if (!take(r, name))
            return false;
    return true;
}

static bool take_gpu(struct compare_request *r, const char *name)
{
    vec_push(&r->gpus, name);
    return true;
}

static bool has_mechanism(const struct compare_request *r, const char *name)
{
    for (int i = 0; i < r->mechanisms.count; i++)
        if (!strcmp(r->mechanisms.data[i], name))
            return true;
    return false;
}

static void take_all_mechanisms(struct compare_request *r)
{
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if (!has_mechanism(r, (*m)->name))
            vec_push(&r->mechanisms, (*m)->name);
}

static bool find_mechanism(const char *name, int length)
{
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if ((int)strlen((*m)->name) == length && !strncmp((*m)->name, name, (size_t)length))
            return true;
    return false;
}

/* Whether what stands behind a mechanism's name are passes that rewrite kernels. */
static bool take_passes(const char *name)
{
    struct text passes = {0};
    char *error = NULL;
    comparison_passes(name, &passes);
    bool ok = prepare_check(passes.data ? passes.data : "", &error);
    if (!ok)
        cli_misuse("compare", "%s: %s", name, error);
    free(error);
    text_free(&passes);
    return ok;
}

static bool take_mechanism(struct compare_request *r, const char *name)
{
    int length = comparison_name_length(name);
    if (!strcmp(name, "all")) {
        take_all_mechanisms(r);
    } else if (name[length] && !take_passes(name)) {
        return false;
    } else if (!find_mechanism(name, length)) {
        struct text own = {0};
        text_printf(&own, "%.*s", length, name);
        const char *best = (*div_all())->name;
        for (const struct div_ops *const *m = div_all(); *m; m++)
            if (text_distance(own.data, (*m)->name) < text_distance(own.data, best))
                best = (*m)->name;
        struct text names = {0};
        char hint[TEXT_HINT];
        for (const struct div_ops *const *m = div_all(); *m; m++)
            text_printf(&names, " %s", (*m)->name);
        cli_misuse("compare", "there is no mechanism '%s'%s; there are%s", own.data, text_hint(own.data, best, hint),
                   names.data);
        text_free(&names);
        text_free(&own);
        return false;
    } else if (!has_mechanism(r, name)) {
        vec_push(&r->mechanisms, name);
    }
    return true;
}

static int take_variation(struct compare_request *r, const char *value)
{
    char *error = NULL;
    if (variation_add(&r->variation, value, &error))
        return STATUS_OK;
    int status = cli_misuse("compare", "%s", error);
    free(error);
    return status;
}

static int take_option(void *request, const char *name, const char *value)
{
    struct compare_request *r = request;
    if (!strcmp(name, "--mech"))
        return take_names(r, value, take_mechanism) ? STATUS_OK : STATUS_USAGE;
    if (!strcmp(name, "--gpu"))
        return take_names(r, value, take_gpu) ? STATUS_OK : STATUS_USAGE;
    if (!strcmp(name, "--jobs"))
        return cli_take_jobs("compare", value, &r->jobs);
    if (!strcmp(name, "--vary"))
        return take_variation(r, value);
    if (!strcmp(name, "--trace-svg"))
        r->svg_path = value;
    if (!strcmp(name, "--report"))
        r->page_path = value;
    if (!strcmp(name, "--store"))
        r->store = value;
    r->as_json |= !strcmp(name, "--json");
    r->as_csv |= !strcmp(name, "--csv");
    return STATUS_OK;
}

static int take_target(void *request, char *word)
{
    struct compare_request *r = request;
    vec_push(&r->targets, word);
    return STATUS_OK;
}

static int pass_on(void *request, char *word)
{
    struct compare_request *r = request;
    if (!strncmp(word, "--record", 8))
        return cli_misuse("compare", "--record is for one run: heddle run or heddle exec");
    if (!strcmp(word, "--sample")) /* the table has no room for errors, and a speedup of two estimates needs them */
        return cli_misuse("compare", "--sample is for one run: heddle run or heddle exec");
    vec_push(&r->words, word);
    return STATUS_OK;
}

static int read_command_line(struct compare_request *r, int argc, char **argv)
{
    static const struct cli_reader reader = {"compare", option_table, take_option, take_target, pass_on};
    int status = cli_read(&reader, r, argc, argv, &r->program);
    if (status)
        return status;
    if (r->as_json && r->as_csv)
        return cli_misuse("compare", "--json and --csv exclude each other");
    if (r->svg_path && r->variation.count)
        return cli_misuse("compare",
                          "--vary and --trace-svg exclude each other: a picture has one panel per mechanism");
    if (r->program && r->targets.count)
        return cli_misuse("compare", "either workloads and files, or a program behind --, not both: %s and %s",
                          r->targets.data[0], r->program[0]);
    if (r->program)
        vec_push(&r->targets, r->program[0]);
    else if (!r->targets.count)
        return cli_misuse("compare", "no workload, no PTX file and no program was given");
    for (int i = 0; i < r->targets.count && !r->program; i++) {
        const char *target = r->targets.data[i];
        if (!access(target, R_OK) || workload_find(target))
            continue;
        return cli_may_be_file(target)
                   ? cli_fail("cannot read %s: %s", target, strerror(errno))
                   : cli_misuse("compare", "there is no file and no workload '%s'; see heddle list workloads", target);
    }
    if (!r->gpus.count)
        vec_push(&r->gpus, "fermi");
    if (!r->mechanisms.count)
        take_all_mechanisms(r);
    return STATUS_OK;
}

static void print(const struct compare_request *r, const struct comparison *c)
{
    struct text out = {0};
    if (r->as_json)
        comparison_print_json(c, &out);
    else if (r->as_csv)
        comparison_print_csv(c, &out);
    else if (r->variation.count)
        comparison_print_variation(c, &out);
    else
        comparison_print_text(c, &out);
    fputs(out.data ? out.data : "", stdout);
    text_free(&out);
}

/* Prints messages of runs that the table has no room for, each message once. The table already says where memory is
 * wrong, so of such rows only the first of each program is printed here, because it describes the races at length. */
static void print_complaints(const struct comparison *c)
{
    const char *before = "", *told = "";
    for (int i = 0; i < c->count; i++) {
        const struct trial *t = &c->rows[i].trial;
        if (!c->rows[i].is_shown || t->status <= 0 || !t->output || !strcmp(t->output, before))
            continue;
        if (comparison_is_measured(&c->rows[i])) {
            if (!strcmp(told, c->rows[i].target))
                continue;
            told = c->rows[i].target;
        }
        fprintf(diag_stream(), "%s on %s under %s", c->rows[i].target, c->rows[i].gpu, c->rows[i].mechanism);
        for (int k = 0; k < c->variation->count; k++)
            fprintf(diag_stream(), ", %s=%s", c->variation->knobs[k].name,
                    variation_value(c->variation, c->rows[i].point, k));
        fprintf(diag_stream(), ", status %d:\n%s", t->status, t->output);
        before = t->output;
    }
}

/* Whether the line stands in what an earlier run printed, or earlier in what this run printed. */
static bool was_printed(const struct comparison *c, int row, const char *line, size_t length)
{
    for (int i = 0; i <= row; i++) {
        const char *text = c->rows[i].is_shown && c->rows[i].trial.output ? c->rows[i].trial.output : "";
        for (const char *at = text; *at && at != line; at += strcspn(at, "\n"), at += *at == '\n')
            if (strcspn(at, "\n") == length && !memcmp(at, line, length))
                return true;
    }
    return false;
}

/* Prints what passes changed and what they refused, each line once. */
static void print_passes(const struct comparison *c)
{
    for (int i = 0; i < c->count; i++) {
        const char *text = c->rows[i].is_shown && c->rows[i].trial.output ? c->rows[i].trial.output : "";
        for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
            size_t length = strcspn(at, "\n");
            if (!strncmp(at, prepare_word, strlen(prepare_word)) && !was_printed(c, i, at, length))
                fprintf(diag_stream(), "%.*s\n", (int)length, at);
        }
    }
}

/* Refuses what heddle run would refuse, before the first run, as runs may take hours. A bound that nobody asked for
 * is not checked: options for other mechanisms may mean nothing to it, and then there is no bound. */
static int check_runs(const struct comparison *c)
{
    int status = STATUS_OK;
    for (int i = 0; i < c->count && !status; i++) {
        const struct trial *t = &c->rows[i].trial;
        struct vec_of(char *) words = {0};
        vec_push(&words, t->program ? "exec" : "run");
        for (int k = 0; k < t->words.count; k++)
            vec_push(&words, t->words.data[k]);
        if (t->program) {
            vec_push(&words, "--");
            vec_push(&words, t->program[0]);
        }
        if (c->rows[i].is_shown)
            status = t->program ? exec_check("compare", words.count, words.data)
                                : run_check("compare", words.count, words.data);
        vec_free(&words);
    }
    return status == PROGRAM_NOT_FOUND || status == PROGRAM_CANNOT_RUN ? STATUS_INPUT : status;
}

/* The exit status. A run may find only after reading its program that its command line is wrong; then this command line
 * is wrong, too. */
static int sum_up(const struct comparison *c, int signal_number)
{
    int missing = 0, refused = 0, runs = 0;
    for (int i = 0; i < c->count; i++) {
        bool is_own = c->rows[i].same_as < 0; /* rows that share a run count as one */
        runs += is_own;
        missing += is_own && c->rows[i].trial.status == TRIAL_NOT_RUN;
        refused += c->rows[i].trial.status == STATUS_USAGE && c->rows[i].is_shown;
    }
    if (missing) {
        cli_fail("stopped: %d of %d runs are missing", missing, runs);
        return STATUS_SIGNAL + signal_number;
    }
    return refused ? STATUS_USAGE : comparison_failures(c) ? STATUS_FAULT : STATUS_OK;
}

static int run_all(const struct compare_request *r, struct comparison *c)
{
    char *error = NULL;
    struct keeper keeper;
    struct trial_watch watch = {.progress = progress_line_show, .stop = interrupt_catch()};
    int status = store_option_open(r->store, &keeper, &watch.keeper);
    if (status)
        return status;
    bool ok = comparison_run(c, r->jobs ? r->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN), &watch, &error);
    progress_line_clear();
    if (watch.keeper)
        keeper_close(&keeper);
    if (!ok) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    print(r, c);
    print_passes(c);
    print_complaints(c);
    return sum_up(c, *watch.stop);
}

/* Lets runs leave what pictures and pages are made of, if these are asked for. Returns an exit status. */
static int begin_outputs(const struct compare_request *r, struct comparison *c, char **pictures, char **details)
{
    char *error = NULL;
    int status = r->svg_path ? cli_check_writable(r->svg_path) : STATUS_OK;
    if (!status && r->page_path)
        status = cli_check_writable(r->page_path);
    if (!status && r->svg_path && !(*pictures = compare_svg_begin(c, &error)))
        status = cli_fail("%s", error);
    if (!status && r->page_path && !(*details = compare_page_begin(c, &error)))
        status = cli_fail("%s", error);
    free(error);
    return status;
}

static int compare(const struct compare_request *r)
{
    struct comparison c = {0};
    comparison_plan(&c, &(struct comparison_request){.targets = r->targets.data,
                                                     .target_count = r->targets.count,
                                                     .gpus = r->gpus.data,
                                                     .gpu_count = r->gpus.count,
                                                     .mechanisms = r->mechanisms.data,
                                                     .mechanism_count = r->mechanisms.count,
                                                     .words = r->words.data,
                                                     .word_count = r->words.count,
                                                     .program = r->program,
                                                     .variation = &r->variation});
    char *pictures = NULL, *details = NULL;
    int status = begin_outputs(r, &c, &pictures, &details);
    if (!status)
        status = check_runs(&c);
    if (!status) {
        compare_lockstep(&c);
        status = run_all(r, &c);
    }
    if (pictures) {
        int drawn = compare_svg_end(&c, pictures, r->svg_path);
        status = status ? status : drawn;
    }
    if (details && c.has_run) {
        int written = compare_page_end(&c, details, r->page_path, r->argc, r->argv);
        status = status ? status : written;
    } else {
        temporary_remove_folder(details);
    }
    comparison_free(&c);
    return status;
}

static int run(int argc, char **argv)
{
    struct compare_request r = {.argc = argc, .argv = argv};
    int status = read_command_line(&r, argc, argv);
    if (!status)
        status = compare(&r);
    for (int i = 0; i < r.copies.count; i++)
        free(r.copies.data[i]);
    vec_free(&r.copies);
    vec_free(&r.targets);
    vec_free(&r.gpus);
    vec_free(&r.mechanisms);
    vec_free(&r.words);
    variation_free(&r.variation);
    return status;
}

const struct command compare_command = {
    .name = "compare",
    .summary = "run programs under several mechanisms, and print one table per program",
    .usage = "heddle compare WORKLOAD|FILE.ptx ... [OPTIONS] [OPTIONS OF heddle run]\n"
             "heddle compare [OPTIONS] [OPTIONS OF heddle exec] -- PROGRAM [ARGUMENTS]",
    .description =
        "Runs each program under each mechanism on each machine, several runs at a time, and prints one table "
        "per program and machine with a row per mechanism. A run that fails or whose result is wrong is named "
        "as such.",
    .options = option_table,
    .passes_run_options = true,
    .sections = section_table,
    .examples = "heddle compare bfs2 lps --size small --mech pdom,tbc,dwf-wb --gpu fx5800,fermi\n"
                "heddle compare lps --size test --mech pdom,tbc --vary sm.class_latency=7,13,21\n"
                "heddle compare examples/trips.ptx --grid 60 --block 128 --arg 'buf:u32[7680]'\n"
                "heddle compare --mech pdom,tbc --kernel 'sort*' -- ./app input.txt\n",
    .fault_meaning = "A run failed, or its result is wrong or doubtful.",
    .can_be_stopped = true,
    .run = run,
};
