/* heddle compare: programs under several mechanisms, in one table. */
#include "cli/cli.h"

#include "base/vec.h"
#include "cli/compare_svg.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "div/table.h"
#include "study/comparison.h"
#include "study/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--mech", "A,B,...|all", "mechanisms; the first is the baseline (default all, pdom first)"},
    {"--gpu", "NAME|FILE,...", "machines (default fermi)"},
    {"--jobs", "N", "runs at a time (default: one a core)"},
    {"--json", NULL, "an object a line, on stdout"},
    {"--csv", NULL, "a table for spreadsheets, on stdout"},
    {"--trace-svg", "FILE", "draw lanes by time of every run, one above the other"},
    {NULL, NULL, NULL},
};

static void help(FILE *out)
{
    fputs("heddle compare WORKLOAD|FILE.ptx ... [OPTIONS] [OPTIONS OF heddle run]\n\n"
          "Runs each program under each mechanism and prints one table a program: cycles, speedup over\n"
          "the baseline, SIMD efficiency, cycles of mimd (the bound) over its own, traffic between\n"
          "multiprocessors and L2 by the baseline's, and the branch that leaves most lanes empty, with\n"
          "its share of all lanes. A run that fails or whose result is wrong is said to be so.\n\n"
          "The memory that each launch leaves is compared with what the functional engine (no --gpu) leaves\n"
          "from the same start. Below the table stand the launch, buffer, word and values of the first\n"
          "difference. The row is marked\n"
          "  ~  if it may differ: the kernel uses the order of atomics, %clock, activemask and the like; or\n"
          "     it has a race, but the program has verified its result itself, as workloads do\n"
          "  !  otherwise: there is a race, or the result is wrong. Such a row is no baseline and no bound,\n"
          "     is left out of means, and the exit status is 3\n"
          "--verify none leaves this out.\n\n",
          out);
    cli_help_options(option_table, out);
    fputs("\nOther options are those of heddle run, for every run: --size of workloads; --grid, --block,\n"
          "--arg and --kernel of files; --set, --limit and so on of both. --set of a mechanism's knob is for\n"
          "the runs under it.\n"
          "\nExamples:\n"
          "  heddle compare bfs2 lps --size small --mech pdom,tbc,dwf-wb --gpu fx5800,fermi\n"
          "  heddle compare examples/trips.ptx --grid 60 --block 128 --arg 'buf:u32[7680]'\n"
          "\nCtrl-C, SIGTERM or SIGHUP ends what runs; rows of runs that had come to their end have figures.\n"
          "Exit status: 0 all right, 2 wrong command line, 3 if a run failed or was wrong, 130 stopped by\n"
          "Ctrl-C, 143 by SIGTERM, 129 by SIGHUP.\n",
          out);
}

struct request {
    struct vec_of(const char *) targets, gpus, mechanisms;
    struct vec_of(char *) words;
    struct vec_of(char *) copies; /* of the lists, cut into names */
    int jobs;
    bool as_json, as_csv;
    const char *svg_path; /* --trace-svg; NULL: no picture */
};

/* Cuts a list at its commas. */
static bool take_names(struct request *r, const char *list, bool (*take)(struct request *r, const char *name))
{
    char *copy = strdup(list), *rest = copy;
    vec_push(&r->copies, copy);
    for (char *name; (name = strsep(&rest, ","));)
        if (!take(r, name))
            return false;
    return true;
}

static bool take_gpu(struct request *r, const char *name)
{
    vec_push(&r->gpus, name);
    return true;
}

static bool has_mechanism(const struct request *r, const char *name)
{
    for (int i = 0; i < r->mechanisms.count; i++)
        if (!strcmp(r->mechanisms.data[i], name))
            return true;
    return false;
}

static void take_all_mechanisms(struct request *r)
{
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if (!has_mechanism(r, (*m)->name))
            vec_push(&r->mechanisms, (*m)->name);
}

static bool take_mechanism(struct request *r, const char *name)
{
    if (!strcmp(name, "all")) {
        take_all_mechanisms(r);
    } else if (!div_find(name)) {
        const char *best = (*div_all())->name;
        for (const struct div_ops *const *m = div_all(); *m; m++)
            if (text_distance(name, (*m)->name) < text_distance(name, best))
                best = (*m)->name;
        cli_misuse("compare", "there is no mechanism '%s'; did you mean %s?", name, best);
        return false;
    } else if (!has_mechanism(r, name)) {
        vec_push(&r->mechanisms, name);
    }
    return true;
}

static int take_option(struct request *r, const char *name, const char *value)
{
    char *end;
    if (!strcmp(name, "--mech"))
        return take_names(r, value, take_mechanism) ? STATUS_OK : STATUS_USAGE;
    if (!strcmp(name, "--gpu"))
        return take_names(r, value, take_gpu) ? STATUS_OK : STATUS_USAGE;
    if (!strcmp(name, "--jobs")) {
        long jobs = strtol(value, &end, 10);
        if (*end || jobs < 1 || jobs > 1024)
            return cli_misuse("compare", "--jobs takes a number from 1 to 1024, not '%s'", value);
        r->jobs = (int)jobs;
    }
    if (!strcmp(name, "--trace-svg"))
        r->svg_path = value;
    r->as_json |= !strcmp(name, "--json");
    r->as_csv |= !strcmp(name, "--csv");
    return STATUS_OK;
}

/* An option of `heddle run` takes a value, but for these; it says itself what it does not know. */
static bool takes_no_value(const char *word)
{
    return strchr(word, '=') || !strcmp(word, "--hash") || !strcmp(word, "--quiet");
}

static int read_command_line(struct request *r, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        const char *value = NULL;
        if (argv[i][0] != '-') {
            vec_push(&r->targets, argv[i++]);
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (o && o->value && !value)
            return cli_misuse("compare", "%s needs a value: %s %s", o->name, o->name, o->value);
        int status = o ? take_option(r, o->name, value) : STATUS_OK;
        if (status)
            return status;
        if (o)
            continue;
        bool is_single = takes_no_value(argv[i]);
        vec_push(&r->words, argv[i++]);
        if (!is_single && i < argc)
            vec_push(&r->words, argv[i++]);
    }
    if (r->as_json && r->as_csv)
        return cli_misuse("compare", "--json and --csv exclude each other");
    if (!r->targets.count)
        return cli_misuse("compare", "no workload and no PTX file was given");
    for (int i = 0; i < r->targets.count; i++) {
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

static void print(const struct request *r, const struct comparison *c)
{
    struct text out = {0};
    if (r->as_json)
        comparison_print_json(c, &out);
    else if (r->as_csv)
        comparison_print_csv(c, &out);
    else
        comparison_print_text(c, &out);
    fputs(out.data ? out.data : "", stdout);
    text_free(&out);
}

/* Messages that the table has no room for: each once. What is wrong with a memory stands below the table already; the
 * first such row of a program has the races at length. */
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
        fprintf(stderr, "%s on %s under %s, status %d:\n%s", c->rows[i].target, c->rows[i].gpu, c->rows[i].mechanism,
                t->status, t->output);
        before = t->output;
    }
}

/* Whatever heddle run would refuse is said before the first run, which may take hours. The bound that nobody asked for may
 * be refused: what other mechanisms can be told may mean nothing to it. */
static int check_runs(const struct comparison *c)
{
    int status = STATUS_OK;
    for (int i = 0; i < c->count && !status; i++) {
        const struct trial *t = &c->rows[i].trial;
        struct vec_of(char *) words = {0};
        vec_push(&words, "run");
        for (int k = 0; k < t->words.count; k++)
            vec_push(&words, t->words.data[k]);
        if (c->rows[i].is_shown)
            status = run_check(words.count, words.data);
        vec_free(&words);
    }
    return status;
}

/* What a run found wrong with its command line only once it had read the program is wrong with this one. */
static int sum_up(const struct comparison *c, int signal_number)
{
    int missing = 0, refused = 0;
    for (int i = 0; i < c->count; i++) {
        missing += c->rows[i].trial.status == TRIAL_NOT_RUN;
        refused += c->rows[i].trial.status == STATUS_USAGE && c->rows[i].is_shown;
    }
    if (missing) {
        cli_fail("stopped: %d of %d runs are missing", missing, c->count);
        return STATUS_SIGNAL + signal_number;
    }
    return refused ? STATUS_USAGE : comparison_failures(c) ? STATUS_FAULT : STATUS_OK;
}

static int run_all(const struct request *r, struct comparison *c)
{
    char *error = NULL;
    struct trial_watch watch = {.progress = progress_line_show, .stop = interrupt_catch()};
    bool ok = comparison_run(c, r->jobs ? r->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN), &watch, &error);
    progress_line_clear();
    if (!ok) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    print(r, c);
    print_complaints(c);
    return sum_up(c, *watch.stop);
}

static int compare(const struct request *r)
{
    struct comparison c = {0};
    comparison_plan(&c, &(struct comparison_request){.targets = r->targets.data,
                                                     .target_count = r->targets.count,
                                                     .gpus = r->gpus.data,
                                                     .gpu_count = r->gpus.count,
                                                     .mechanisms = r->mechanisms.data,
                                                     .mechanism_count = r->mechanisms.count,
                                                     .words = r->words.data,
                                                     .word_count = r->words.count});
    char *error = NULL, **pictures = r->svg_path ? compare_svg_begin(&c, &error) : NULL;
    int status = error ? cli_fail("%s", error) : r->svg_path ? cli_check_writable(r->svg_path) : STATUS_OK;
    if (!status)
        status = check_runs(&c);
    if (!status)
        status = run_all(r, &c);
    if (pictures) {
        int drawn = compare_svg_end(&c, pictures, r->svg_path);
        status = status ? status : drawn;
    }
    free(error);
    comparison_free(&c);
    return status;
}

static int run(int argc, char **argv)
{
    struct request r = {0};
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
    return status;
}

const struct command compare_command = {"compare", "runs programs under several mechanisms: one table", run, help};
