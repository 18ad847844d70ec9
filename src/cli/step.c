/*
 * heddle step: runs a kernel with stops, at which commands from stdin go forward and back and show what is there.
 *
 * The kernel, workload or program is run as heddle run and heddle exec run it. The environment variable HEDDLE_STEP
 * tells the launches of this process, or of the program, to stop (step/session.h); how the session went comes back in
 * a file.
 */
#define _GNU_SOURCE
#include "base/temporary.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "run/options.h"
#include "step/command.h"
#include "step/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--sm", "N", "Multiprocessor whose issues are looked at.", "0"},
    {"--json", NULL, "Prints one JSON object per stop and per answer, each on a line of its own.", NULL},
    {NULL, NULL, NULL, NULL},
};

/* Options of heddle run that have no meaning for a launch that is looked at and not measured. */
static const char *const refused[] = {
    "--executor",     "--check",      "--verify",     "--record",         "--stats",
    "--csv",          "--interval",   "--trace",      "--trace-sm",       "--trace-svg",
    "--trace-window", "--trace-file", "--trace-tikz", "--trace-perfetto", "--report",
    "--report-data",  "--print",      "--write",      "--hash",           NULL};

static void write_commands(struct text *out)
{
    step_describe_commands(out);
}

static const struct cli_section section_table[] = {
    {"Commands", NULL, write_commands},
    {"Stops",
     "A stop stands before an issue: the machine has chosen the instruction and has not executed it.\n"
     "Issues of the multiprocessor are numbered from 1 on. A stop shows number and cycle, place, source\n"
     "line and PTX instruction, the lanes that hold a thread, and what has changed in the mechanism's\n"
     "stacks and tables since the issue before (of the same warp, if one warp is looked at).\n"
     "Going back runs the launch again up to the issue that is wanted; every run takes the same way.\n",
     NULL},
    {"Scripts",
     "Commands may come from a pipe or a file. They are printed behind '>' then, and a wrong command\n"
     "makes the exit status 1. The end of the input ends the session.\n",
     NULL},
    {"Programs",
     "Each launch that --kernel and --launch choose is stepped. When a launch is left, its result is\n"
     "computed without a machine, so that the program can go on; what its threads print is shown only\n"
     "while it is stepped. Each launch starts with empty caches.\n",
     NULL},
    {NULL, NULL, NULL},
};

struct step_request {
    char *target; /* file or workload; NULL: a program */
    const char *sm;
    bool as_json;
    struct vec_of(char *) words; /* for heddle run or heddle exec */
};

static int take_option(void *request, const char *name, const char *value)
{
    struct step_request *r = request;
    if (!strcmp(name, "--json")) {
        r->as_json = true;
        return STATUS_OK;
    }
    if (!*value || strspn(value, "0123456789") != strlen(value) || strlen(value) > 6)
        return cli_misuse("step", "--sm takes the number of a multiprocessor, from 0 on, not '%s'", value);
    r->sm = value;
    return STATUS_OK;
}

static int take_target(void *request, char *word)
{
    struct step_request *r = request;
    if (r->target)
        return cli_misuse("step", "one file or workload at a time: %s, then %s", r->target, word);
    r->target = word;
    return STATUS_OK;
}

static int pass_on(void *request, char *word)
{
    struct step_request *r = request;
    size_t length = strcspn(word, "=");
    for (const char *const *name = refused; *name; name++)
        if (strlen(*name) == length && !memcmp(*name, word, length))
            return cli_misuse("step", "%s is for heddle run and heddle exec: a launch that is stepped is not measured",
                              *name);
    vec_push(&r->words, word);
    return STATUS_OK;
}

/* Whether the words or HEDDLE_OPTS name a machine. */
static bool has_machine(const struct step_request *r)
{
    struct run_options options;
    char *error = NULL;
    options_default(&options);
    bool has = options_take_environment(&options, &error) && options.gpu;
    for (int i = 0; i < r->words.count; i++)
        has |= !strcmp(r->words.data[i], "--gpu") || !strncmp(r->words.data[i], "--gpu=", 6);
    options_free(&options);
    free(error);
    return has;
}

/* Says what the file of the session tells. */
static int judge(const char *path)
{
    char *lines = text_read_file(path);
    int status = STATUS_OK;
    if (strstr(lines, "wrong"))
        status = STATUS_INPUT;
    else if (!strstr(lines, "launch"))
        status = cli_fail("nothing was launched that could be stepped");
    free(lines);
    return status;
}

/* Runs the words of heddle run or heddle exec with HEDDLE_STEP set. */
static int run_stepped(struct step_request *r, bool is_program)
{
    char *error = NULL, *path = temporary_file("", 0, &error);
    if (!path) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    struct text value = {0};
    text_printf(&value, "%s %s %s", r->sm, r->as_json ? "json" : "text", path);
    setenv(step_variable, value.data, 1);
    text_free(&value);
    const struct command *command = is_program ? &exec_command : &run_command;
    int (*check)(const char *, int, char **) = is_program ? exec_check : run_check;
    int count = r->words.count;
    vec_push(&r->words, NULL);
    int status = check("step", count, r->words.data);
    if (!status) {
        status = command->run(count, r->words.data);
        status = status ? status : judge(path);
    }
    temporary_remove(path);
    unsetenv(step_variable);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct cli_reader reader = {"step", option_table, take_option, take_target, pass_on};
    struct step_request r = {.sm = "0"};
    char **program = NULL;
    vec_push(&r.words, "step");
    int status = cli_read(&reader, &r, argc, argv, &program);
    if (!status && program && r.target)
        status = cli_misuse("step", "either a file or workload, or a program behind --, not both: %s and %s", r.target,
                            program[0]);
    else if (!status && !program && !r.target)
        status = cli_misuse("step", "no PTX file, no workload and no program was given");
    if (!status && !has_machine(&r)) {
        vec_push(&r.words, "--gpu");
        vec_push(&r.words, "fermi");
    }
    vec_push(&r.words, "--quiet");
    if (r.target)
        vec_push(&r.words, r.target);
    else
        vec_push(&r.words, "--");
    for (char **word = program; word && *word; word++)
        vec_push(&r.words, *word);
    if (!status)
        status = run_stepped(&r, program != NULL);
    vec_free(&r.words);
    return status;
}

const struct command step_command = {
    .name = "step",
    .summary = "run a kernel with stops, forward and back, and look at lanes, stacks and registers",
    .usage = "heddle step FILE.ptx|FILE.cu [OPTIONS]\nheddle step WORKLOAD [--size SIZE] [OPTIONS]\n"
             "heddle step [OPTIONS] -- PROGRAM [ARGUMENTS]",
    .description =
        "Runs a kernel on a machine issue by issue, as commands from stdin say: to an issue, a source line, a "
        "branch that diverges, the point where threads meet again, a barrier; forward or back. Options are "
        "those of heddle run, or of heddle exec for a program. Without --gpu the machine is fermi, with "
        "warps of 32 threads; tiny has warps of four, as papers draw them.",
    .options = option_table,
    .passes_run_options = true,
    .sections = section_table,
    .examples = "heddle step examples/nested.ptx --block 4 --gpu tiny --mech pdom\n"
                "printf 'diverge\\nstep\\nstate\\n' | heddle step examples/nested.ptx --block 4 --gpu tiny\n"
                "heddle step bfs2 --size test --kernel expand --launch 3 --mech tbc\n"
                "heddle step --kernel 'sort*' -- ./app\n",
    .has_program_status = true,
    .run = run,
};
