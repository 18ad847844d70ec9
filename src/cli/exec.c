/*
 * heddle exec: runs a CUDA program that was compiled for a real GPU, unchanged.
 *
 * The program is a process of its own that finds heddle's libraries through the environment, and so do the processes
 * that it starts. Options of the run travel in HEDDLE_OPTS. All of them are checked here first, so that a mistake is a
 * message of heddle and no error code that the program gets from cuInit().
 */
#define _GNU_SOURCE
#include "base/diag.h"
#include "base/temporary.h"
#include "cli/cli.h"
#include "cli/exec_sum.h"
#include "cli/help.h"
#include "cli/page_option.h"
#include "cli/program.h"
#include "run/output.h"
#include "run/request.h"
#include "study/installed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--launches", NULL, "Lists every launch before the table of kernels.", NULL},
    {"--report", "FILE",
     "Writes the table to this file instead of stderr. FILE.html becomes a page with figures, source lines, flow graph "
     "and lanes, beside the table on stderr; see heddle report.",
     NULL},
    {"--quiet", NULL, "Prints no table and no other figures.", NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct cli_section section_table[] = {
    {"Program",
     "The program is looked for as shells do: in PATH, unless its name has a slash. Options of heddle\n"
     "stand before it; -- may stand between. What the program reads and writes, its exit status and\n"
     "signals pass through heddle unchanged. Scripts and the processes that a program starts get\n"
     "heddle's libraries, too. What --check and --verify find is printed on stderr, and changes no exit\n"
     "status.\n",
     NULL},
    {"Launches (--kernel, --launch)",
     "Cycles take time. These options choose launches that run on the machine of --gpu and are checked,\n"
     "traced and reported; all other launches are only computed. --kernel takes names as the module has\n"
     "them, C++ names with or without parameters, template arguments and namespaces, and patterns with\n"
     "* and ?. --launch takes numbers: 3, 2:5, 7: (from 7 on), or several with commas between them. A\n"
     "launch must satisfy both options. Each process counts its launches from 1 on.\n",
     NULL},
    {"Table",
     "When the program has ended, heddle prints one row per kernel and one for all, on stderr. C++ names\n"
     "are shown without parameters.\n"
     "  launches     of the kernel, in all processes that the program started\n"
     "  warp instr.  warp instructions\n"
     "  SIMD         SIMD efficiency: threads that issued, in percent of the lanes of all issues\n"
     "  cycles       on the machine of --gpu\n"
     "  time         simulated: cycles divided by the clock of the machine\n"
     "  share        of the cycles of all kernels; without --gpu, of their warp instructions\n"
     "With --json FILE the last line of the file is {\"total\":...}, with the same figures.\n",
     NULL},
    {"Figures and tables of --stats and --csv",
     "Without --stats, no figures of single launches are printed. See heddle help run for what both\n"
     "options take.\n",
     NULL},
    {"Environment of the program",
     "LD_LIBRARY_PATH  The folder of heddle's libraries stands first.\n"
     "LD_AUDIT         Names heddle's audit library, if it is built.\n"
     "HEDDLE_OPTS      Holds the options of the environment and the command line, with absolute paths.\n"
     "HEDDLE_TOTALS    Names a temporary file to which each launch adds its figures.\n",
     NULL},
    {NULL, NULL, NULL},
};

struct exec_request {
    const char *command;     /* that messages name: exec, or one that runs others */
    struct run_request run;  /* the options of run/options.h, and what they name; owned */
    char **words;            /* the program and its arguments, ended by NULL */
    char *program;           /* path of the program; owned */
    const char *report_path; /* --report, of a text; NULL: stderr */
    const char *page_path;   /* --report, of a page; NULL: none */
    bool lists_launches;     /* --launches */
    bool wants_help;
};

static int misuse(const char *command, char *error)
{
    cli_misuse(command, "%s", error);
    free(error);
    return STATUS_USAGE;
}

static void take_option(struct exec_request *r, const char *name, const char *value)
{
    r->run.options.is_quiet |= !strcmp(name, "--quiet");
    r->lists_launches |= !strcmp(name, "--launches");
    if (!strcmp(name, "--report")) {
        r->page_path = page_option_is_page(value) ? value : NULL;
        r->report_path = r->page_path ? NULL : value;
    }
}

/* Reads options up to the program's name. */
static int read_command_line(struct exec_request *r, int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--")) {
        const char *word = argv[i], *value = NULL;
        char *error = NULL;
        r->wants_help = !strcmp(word, "--help") || !strcmp(word, "-h");
        if (r->wants_help)
            return STATUS_OK;
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (o && o->value && !value)
            return cli_misuse(r->command, "%s needs a value: %s %s", o->name, o->name, o->value);
        if (o)
            take_option(r, o->name, value);
        int taken = o ? 1 : options_take(&r->run.options, argc, argv, &i, &error);
        if (taken < 0)
            return misuse(r->command, error);
        if (!taken)
            return cli_unknown_run_option(r->command, option_table, word);
    }
    i += i < argc && !strcmp(argv[i], "--");
    if (i == argc && argc > 2 && !strcmp(argv[argc - 2], "--trace"))
        return cli_misuse(r->command,
                          "no program was given: '%s' was taken for the views of --trace; put -- before the program",
                          argv[argc - 1]);
    if (i == argc)
        return cli_misuse(r->command, "no program was given");
    r->words = argv + i;
    return STATUS_OK;
}

/* Takes the options of the environment and of the command line, and says what is wrong with them. */
static int open_request(struct exec_request *r, const char *command, int argc, char **argv)
{
    char *error = NULL;
    *r = (struct exec_request){.command = command};
    request_open(&r->run);
    if (!options_take_environment(&r->run.options, &error)) {
        cli_misuse(r->command, "HEDDLE_OPTS: %s", error);
        free(error);
        return STATUS_USAGE;
    }
    int status = read_command_line(r, argc, argv);
    if (status || r->wants_help)
        return status;
    status = page_option_begin("exec", r->page_path, &r->run.options);
    if (status)
        return status;
    if (!options_make_absolute(&r->run.options, &error) || !request_settle(&r->run, &error))
        return misuse(r->command, error);
    r->program = program_find(r->words[0], r->command, &status);
    return r->program ? STATUS_OK : status;
}

static void close_request(struct exec_request *r)
{
    request_close(&r->run);
    free(r->program);
}

/* Puts a path before the list that an environment variable holds. */
static void put_first(const char *variable, const char *path)
{
    const char *before = getenv(variable);
    struct text list = {0};
    text_printf(&list, "%s%s%s", path, before && *before ? ":" : "", before ? before : "");
    setenv(variable, list.data, 1);
    text_free(&list);
}

/* The folder of heddle's libraries, as LD_LIBRARY_PATH can hold it; owned by the caller. NULL: it was said why not. */
static char *library_folder(void)
{
    char *folder = installed_path("libcuda", NULL);
    if (!folder) {
        cli_fail("heddle's libcuda.so.1 is neither in lib/ beside heddle nor in ../lib/heddle; make builds it");
    } else if (strpbrk(folder, ":;")) {
        cli_fail("LD_LIBRARY_PATH cannot name %s, which has heddle's libraries: its name has a colon or a semicolon",
                 folder);
        free(folder);
        folder = NULL;
    }
    return folder;
}

static int set_environment(const struct exec_request *r)
{
    char *folder = library_folder(), *audit = installed_path("libcuda", "libheddle-audit.so");
    if (folder) {
        struct text options = {0};
        options_print(&r->run.options, &options);
        setenv("HEDDLE_OPTS", options.data ? options.data : "", 1);
        text_free(&options);
        put_first("LD_LIBRARY_PATH", folder);
        if (audit)
            put_first("LD_AUDIT", audit);
    }
    int status = folder ? STATUS_OK : STATUS_INPUT;
    free(audit);
    free(folder);
    return status;
}

/* Prints the table, on stderr or into the file of --report. False, having said why, if it could not be written. */
static bool write_report(const struct exec_request *r, const struct text *table)
{
    FILE *file = r->report_path ? fopen(r->report_path, "w") : diag_stream();
    bool ok = file && fwrite(table->data, 1, table->length, file) == table->length;
    if (file && r->report_path)
        ok = !fclose(file) && ok;
    if (!ok && r->report_path)
        cli_fail("cannot write %s: %s", r->report_path, strerror(errno));
    return ok;
}

/* Writes the table and the last line of JSON. False, having said why, if one of them could not be written. */
static bool sum_up(const struct exec_request *r, const char *totals, int status)
{
    struct exec_sum sum = {.lists_launches = r->lists_launches, .has_machine = r->run.gpu};
    struct text table = {0}, line = {0}, notes = {0};
    char *error = NULL;
    bool ok = exec_sum_read(&sum, totals, &error);
    if (!ok)
        cli_fail("%s", error);
    notes_print(sum.notes, &notes);
    if (notes.data)
        fputs(notes.data, diag_stream());
    if (!r->run.options.is_quiet) {
        exec_sum_print(&sum, r->words[0], status, &table);
        ok = write_report(r, &table) && ok;
    }
    if (r->run.options.json_path) {
        exec_sum_json(&sum, r->words[0], status, &line);
        ok = output_append(r->run.options.json_path, &line) && ok;
    }
    free(error);
    text_free(&notes);
    text_free(&table);
    text_free(&line);
    exec_sum_free(&sum);
    return ok;
}

static int check_outputs(const struct exec_request *r)
{
    char *error = NULL;
    if (output_check(&r->run, &error))
        return r->report_path ? cli_check_writable(r->report_path) : STATUS_OK;
    cli_fail("%s", error);
    free(error);
    return STATUS_INPUT;
}

/* Runs the program and sums it up. A sum that cannot be written changes the exit status only if the program had
 * success. */
static int execute(const struct exec_request *r)
{
    int status = check_outputs(r);
    if (!status)
        status = set_environment(r);
    if (status)
        return status;
    char *error = NULL, *totals = temporary_file("", 0, &error);
    if (!totals) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    setenv(total_variable, totals, 1);
    bool was_run;
    status = program_run(r->program, r->words, "exec", &was_run);
    if (was_run && status > STATUS_SIGNAL)
        cli_say_unrecorded(r->run.options.record_path);
    bool ok = !was_run || sum_up(r, totals, status);
    temporary_remove(totals);
    return status || ok ? status : STATUS_INPUT;
}

static int run(int argc, char **argv)
{
    struct exec_request r;
    int status = open_request(&r, "exec", argc, argv);
    if (r.wants_help)
        help_print_command(&exec_command, stdout);
    else if (!status)
        status = execute(&r);
    int written = page_option_end(r.page_path, &r.run.options, r.words ? r.words[0] : NULL, NULL, argc, argv);
    close_request(&r);
    return status ? status : written;
}

int exec_check(const char *command, int argc, char **argv)
{
    struct exec_request r;
    int status = open_request(&r, command, argc, argv);
    close_request(&r);
    return status;
}

const struct command exec_command = {
    .name = "exec",
    .summary = "run a CUDA program, unchanged",
    .usage = "heddle exec [OPTIONS] [--] PROGRAM [ARGUMENTS]",
    .description =
        "Runs a program that was compiled for a real GPU. Its kernels run on heddle: without --gpu they are only "
        "computed, with --gpu they run cycle by cycle on a machine.",
    .options = option_table,
    .has_run_options = true,
    .reads_help_itself = true,
    .sections = section_table,
    .examples = "heddle exec ./app input.txt\n"
                "heddle exec --gpu fermi --mech tbc --json out.json -- ./app --size 100\n"
                "heddle exec --gpu volta --mech volta --kernel 'sort*' --launch 1:3 -- ./app\n",
    .has_program_status = true,
    .run = run,
};
