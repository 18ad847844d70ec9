/* heddle paper: runs a paper's experiments, and prints what comes out beside what was published. */
#include "base/diag.h"
#include "cli/cli.h"

#include "cli/interrupt.h"
#include "cli/paper_figure.h"
#include "cli/paper_page.h"
#include "cli/paper_print.h"
#include "cli/progress_line.h"
#include "cli/store_option.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--size", "test|small|paper", "Size of the programs; paper has the published instruction counts.", "paper"},
    {"--ptx", "nvcc|plain",
     "Kernels of the programs: as nvcc compiles them, or as clang does with every branch kept as written.",
     "as the paper's file says"},
    {"--claim", "ID,...", "Claims to check, with the runs that they need.", "all"},
    {"--sweep", "NAME", "Judges the claims once per variant of a sweep, side by side; see Sweeps.", NULL},
    {"--list-sweeps", NULL, "Prints the sweeps of the paper, with the options of their variants, and runs nothing.",
     NULL},
    {"--figure", "N,...",
     "Draws figures of the paper instead of judging claims, with the runs that they need: 12, or 13 for 13a and "
     "13b, or all; see Figures.",
     NULL},
    {"--report", "FILE.html", "Writes a page with the claims and the runs that measured them; see heddle report.",
     NULL},
    {"--svg", "FILE", "Draws the figures into a picture; without it, they are printed as tables.", NULL},
    {"--list-figures", NULL, "Prints the figures of the paper, and runs nothing.", NULL},
    {"--jobs", "N", "Number of runs at a time.", "the number of cores"},
    {"--store", "FILE", "Takes results from this store, and puts new ones into it; see heddle sweep.", "$HEDDLE_STORE"},
    {"--details", NULL, "Prints the values of each claim program by program, too.", NULL},
    {"--json", NULL,
     "Prints one JSON object per claim, each on a line of its own: numbers has the mean of each run in percent (of a "
     "ratio less one), values has each program's.",
     NULL},
    {"--csv", NULL,
     "Prints one table of comma-separated values (RFC 4180) with a heading; numbers as in --json, with semicolons.",
     NULL},
    {"--latex", NULL, "Prints figures as a LaTeX document that pgfplots draws.", NULL},
    {NULL, NULL, NULL, NULL},
};

/* The name of a built-in paper, and those of its sweeps. */
static void write_paper(const struct paper_text *text, struct text *out)
{
    char *error = NULL;
    struct paper *p = paper_read(text, &error);
    text_printf(out, "%s", text->name);
    for (int i = 0; p && i < p->sweep_count; i++)
        text_printf(out, "%s %s", i ? "," : ", with the sweeps", p->sweeps[i].name);
    text_printf(out, "\n");
    free(error);
    paper_free(p);
}

static void write_papers(struct text *out)
{
    struct paper_text text;
    for (int i = 0; paper_built_in(i, &text); i++)
        write_paper(&text, out);
    text_printf(out,
                "\nAny other paper is two files that you write: NAME.ini has its programs (workloads, or PTX\n"
                "files) and the runs that its figures compare, NAME.csv beside it has its claims. 'heddle list\n"
                "folders' says where the built-in ones are, to start from. All that claims and runs name is checked\n"
                "before the first run.\n");
}

static const struct cli_section section_table[] = {
    {"Verdicts",
     "holds      Sign and order are as published; a published number of 5 percentage points or more is\n"
     "           met within a factor of two, a smaller number within 2 points.\n"
     "direction  Only sign and order are as published.\n"
     "fails      Sign or order differ.\n"
     "unknown    A run that the claim needs failed, or its result is wrong.\n",
     NULL},
    {"Sweeps",
     "A value that no source settles is a sweep: NAME.ini has a section [sweep NAME] with one line per\n"
     "variant, whose options go behind those of every run. --sweep prints the measured value of each\n"
     "claim in each variant with a letter for its verdict, and names the claims whose verdict changes.\n"
     "A --set of a mechanism's own knob holds for runs under that mechanism; runs that are the same in\n"
     "several variants are run once.\n",
     NULL},
    {"Figures",
     "NAME.ini has a section [figure N] for each figure: what is drawn, of which programs and runs,\n"
     "and the values that the paper's text gives, which stand in the picture as diamonds. Bars of\n"
     "programs whose run failed are crosses. --csv and --json have one record per bar, also beside\n"
     "--svg: value and published are in the unit of the y axis, a speedup of 22 % as 1.22. Means of\n"
     "speedups are harmonic.\n",
     NULL},
    {"Papers", NULL, write_papers},
    {"Signals", "Ctrl-C, SIGTERM or SIGHUP ends all runs; then there are no verdicts.\n", NULL},
    {NULL, NULL, NULL},
};

static int take_option(struct paper_request *r, const char *name, const char *value)
{
    enum paper_format format = !strcmp(name, "--json")    ? FORMAT_JSON
                               : !strcmp(name, "--csv")   ? FORMAT_CSV
                               : !strcmp(name, "--latex") ? FORMAT_LATEX
                                                          : FORMAT_TEXT;
    if (!strcmp(name, "--size"))
        return cli_take_size("paper", value, &r->size);
    if (!strcmp(name, "--ptx"))
        return cli_take_ptx("paper", value, &r->ptx);
    if (!strcmp(name, "--jobs"))
        return cli_take_jobs("paper", value, &r->jobs);
    if (!strcmp(name, "--claim"))
        r->claims = value;
    if (!strcmp(name, "--sweep"))
        r->sweep = value;
    if (!strcmp(name, "--store"))
        r->store = value;
    if (!strcmp(name, "--figure"))
        r->figures = value;
    if (!strcmp(name, "--svg"))
        r->svg = value;
    if (!strcmp(name, "--report"))
        r->page = value;
    r->lists_figures |= !strcmp(name, "--list-figures");
    r->wants_details |= !strcmp(name, "--details");
    r->lists_sweeps |= !strcmp(name, "--list-sweeps");
    if (format && r->format && format != r->format)
        return cli_misuse("paper", "--json, --csv and --latex exclude each other");
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
            return cli_unknown_option("paper", option_table, word);
        if (o->value && !value)
            return cli_misuse("paper", "%s needs a value: %s %s", o->name, o->name, o->value);
        int status = take_option(r, o->name, value);
        if (status)
            return status;
    }
    if ((r->lists_sweeps || r->lists_figures) && r->format)
        return cli_misuse("paper", "%s prints text; it takes neither --json nor --csv",
                          r->lists_sweeps ? "--list-sweeps" : "--list-figures");
    return r->paper ? STATUS_OK : cli_misuse("paper", "no paper was given; see heddle list papers");
}

static bool all_claims_exist(const struct paper_request *r, const struct paper *p)
{
    for (const char *at = r->claims; at; at = strchr(at, ','), at += at != NULL) {
        bool is_known = false;
        for (int i = 0; i < p->claim_count; i++)
            is_known |= strcspn(at, ",") == strlen(p->claims[i].id) && !memcmp(p->claims[i].id, at, strcspn(at, ","));
        if (!is_known) {
            struct text ids = {0};
            for (int i = 0; i < p->claim_count; i++)
                text_printf(&ids, "%s%s", i ? ", " : "", p->claims[i].id);
            cli_misuse("paper", "%s has no claim '%.*s'; there is %s", p->name, (int)strcspn(at, ","), at, ids.data);
            text_free(&ids);
            return false;
        }
    }
    return true;
}

/* Names the runs that went wrong, also those of which a claim expects it. A run that variants share is named once. */
static void print_failures(const struct experiment *e)
{
    const struct paper *p = e->paper;
    int count = p->program_count * p->run_count;
    for (int i = 0; i < e->variant_count * count; i++) {
        const struct trial *t = &e->trials[i];
        if (!t->words.count || t->status == 0 || e->same_as[i] >= 0)
            continue;
        char *why = trial_complaint(t);
        if (e->sweep)
            fprintf(diag_stream(), "%s %s, ", e->sweep->name, e->sweep->variants[i / count].name);
        fprintf(diag_stream(), "%s, %s: status %d: %s\n", p->programs[i % count / p->run_count].label,
                p->runs[i % p->run_count].name, t->status, why);
        free(why);
    }
}

/* Prints what the runs were for; returns an exit status. */
static int print_results(const struct paper_request *r, const struct experiment *e, const struct figures *figures)
{
    int status = STATUS_OK;
    if (r->figures)
        status = paper_print_figures(r, e, figures);
    else if (e->sweep)
        paper_print_sweep(r, e);
    else
        paper_print_verdicts(r, e);
    print_failures(e);
    return status;
}

static int check_paper(const struct paper_request *r, const struct paper *p, const struct figures *figures)
{
    char *error = NULL;
    struct experiment e;
    struct keeper keeper;
    struct trial_watch watch = {.progress = progress_line_show, .stop = interrupt_catch()};
    int status = r->page ? cli_check_writable(r->page) : STATUS_OK;
    if (!status)
        status = store_option_open(r->store, &keeper, &watch.keeper);
    if (status)
        return status;
    experiment_plan(&e, p, r->sweep ? paper_find_sweep(p, r->sweep) : NULL,
                    &(struct experiment_scope){r->claims, r->size, r->ptx, r->figures ? figures : NULL, r->figures});
    bool ok = experiment_run(&e, r->jobs ? r->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN), &watch, &error);
    progress_line_clear();
    if (watch.keeper)
        keeper_close(&keeper);
    status = ok ? STATUS_OK : cli_fail("%s", error);
    int missing = ok ? experiment_missing(&e) : 0;
    if (missing) {
        cli_fail("stopped, without %s: %d runs are missing", r->figures ? "figures" : "verdicts", missing);
        status = STATUS_SIGNAL + *watch.stop;
    } else if (ok) {
        status = print_results(r, &e, figures);
        int written = paper_page_write(r, &e, r->argc, r->argv);
        status = status ? status : written;
    }
    if (status)
        paper_drop_picture(r);
    free(error);
    experiment_free(&e);
    return status;
}

static bool sweep_exists(const struct paper_request *r, const struct paper *p)
{
    struct text names = {0};
    if (!r->sweep || paper_find_sweep(p, r->sweep))
        return true;
    for (int i = 0; i < p->sweep_count; i++)
        text_printf(&names, "%s%s", i ? ", " : "", p->sweeps[i].name);
    cli_misuse("paper", "%s has no sweep '%s'; there is %s", p->name, r->sweep, names.length ? names.data : "none");
    text_free(&names);
    return false;
}

static int carry_out(const struct paper_request *r, const struct paper *p, const struct figures *figures)
{
    if (!all_claims_exist(r, p) || !sweep_exists(r, p))
        return STATUS_USAGE;
    int status = paper_check_figures(r, p, figures);
    if (status)
        return status;
    if (r->lists_figures)
        paper_list_figures(p, figures);
    else if (r->lists_sweeps)
        paper_print_sweeps(p);
    else
        status = check_paper(r, p, figures);
    return status;
}

static int run(int argc, char **argv)
{
    struct paper_request r = {.size = "paper", .argc = argc, .argv = argv};
    struct figures figures = {0};
    char *error = NULL;
    int status = read_command_line(&r, argc, argv);
    if (status)
        return status;
    struct paper *p = paper_load(r.paper, &error);
    if (!p || !paper_check_runs(p, &error) || !figures_read(&figures, p, &error))
        status = cli_misuse("paper", "%s", error);
    else
        status = carry_out(&r, p, &figures);
    free(error);
    figures_free(&figures);
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
                "heddle paper tbc --size small --sweep latency\n"
                "heddle paper tbc --size small --figure 12 --svg figure12.svg\n"
                "heddle paper my-paper.ini --size test --csv\n",
    .can_be_stopped = true,
    .run = run,
};
