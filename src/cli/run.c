/*
 * heddle run: one kernel of a PTX file, launched once with typed arguments; its buffers are printed, written or hashed
 * after the run. Or a built-in workload, which is a program of its own (run_workload.h).
 */
#include "base/diag.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/page_option.h"
#include "cli/program.h"
#include "cli/run_figures.h"
#include "cli/run_workload.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/vec.h"
#include "exec/code.h"
#include "report/report.h"
#include "report/source.h"
#include "report/verification.h"
#include "run/output.h"
#include "run/prepare.h"
#include "run/recording.h"
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--kernel", "NAME",
     "Kernel to run; may be left out if the file has only one. Of a workload: kernels to time, as in heddle exec.",
     NULL},
    {"--grid", "X[,Y[,Z]]", "Blocks of the grid, in up to three dimensions.", "1"},
    {"--block", "X[,Y[,Z]]", "Threads of a block, in up to three dimensions.", "32"},
    {"--shared", "BYTES", "Dynamic shared memory of a block, in bytes.", "0"},
    {"--cooperative", NULL, "Runs all blocks at the same time, so that kernels may use a barrier of the whole grid.",
     NULL},
    {"--arg", "VALUE", "Next argument of the kernel, in the order of its parameters; see Arguments.", NULL},
    {"--print", "N[:COUNT]", "Prints the buffer of argument N (from 0) after the run, or its first COUNT elements.",
     NULL},
    {"--write", "N=FILE", "Writes the bytes of the buffer of argument N to a file after the run.", NULL},
    {"--hash", NULL, "Prints a hash of each buffer after the run.", NULL},
    {"--quiet", NULL, "Prints no figures, as --stats none does.", NULL},
    {"--report", "FILE.html", "Writes a page with figures, source lines, flow graph and lanes; see heddle report.",
     NULL},
    {"--size", "test|small|paper", "Size of a workload: test and small take seconds, paper has the published work.",
     "small"},
    {"--ptx", "nvcc|plain",
     "Kernels of a workload: as nvcc compiles them, or as clang does with every branch kept as written.", "nvcc"},
    {"--hints", NULL, "Kernels of a workload with hints where threads should reconverge, if it has them.", NULL},
    {NULL, NULL, NULL, NULL},
};

static void write_groups(struct text *out)
{
    struct text groups = {0};
    report_describe_groups(&groups);
    text_printf(out, "--stats takes these groups; 'heddle list stats' says what each figure means.\n");
    for (const char *at = groups.data; *at; at += strcspn(at, "\n"), at += *at == '\n')
        text_printf(out, "%.*s\n", (int)strcspn(at, "\n"), at);
    text_printf(out,
                "\nbranches and lines are known without a machine, too. Lines are those of the source if the PTX\n"
                "has a line table (nvcc -lineinfo, heddle cc), else those of the PTX. The text of a source line is\n"
                "shown if its file is where it was compiled, beside the PTX or the program, or in a folder of\n"
                "HEDDLE_SOURCE.\n");
    text_free(&groups);
}

static const struct cli_section section_table[] = {
    {"Figures of a run", NULL, write_groups},
    {"Tables (--csv FILE)",
     "Each table has a file of its own: counters, branches, lines or intervals. If --stats asks for one\n"
     "table, FILE is its file; if for several, each has its name before the extension: out.csv becomes\n"
     "out.counters.csv and out.branches.csv. Launches are appended; a heading stands only at the top of\n"
     "a file. On stdout (-) an empty line separates tables. Fields are quoted as RFC 4180 says.\n",
     NULL},
    {"Arguments",
     "5, -1, 1.5                  a number of the type of the kernel's parameter\n"
     "u32:5, f64:1.5, s8:-1       a number of this type\n"
     "bytes:00ff8040              bytes, lowest first, for a parameter that is a structure\n"
     "buf:f32[1024]               a buffer of 1024 zeros; the kernel gets its address\n"
     "buf:u32[256]=iota           0, 1, 2, ...\n"
     "buf:f32[64]=fill(1.5)       64 times 1.5\n"
     "buf:f32[64]=random(7)       random from seed 7: integers of any value, floats in [0,1)\n"
     "buf:s32[64]=random(7,-9,9)  random integers from -9 to 9, or floats in [-9,9)\n"
     "buf:u8=file(PATH)           the bytes of a file\n"
     "buf:u8[64]=file(PATH)       64 bytes of a file; a pipe or a device needs the number\n"
     "buf:u32[4]=1,2,3,4          these values; zeros for those that are left out\n",
     NULL},
    {"Names",
     "--gpu, --mech and --set take names that these commands print:\n"
     "heddle list machines, heddle list mechanisms, heddle list schedulers, heddle list knobs\n",
     NULL},
    {"Signals",
     "Ctrl-C, SIGTERM or SIGHUP stops a run on a machine, which then prints what is known so far. A\n"
     "second signal ends it at once.\n",
     NULL},
    {NULL, NULL, NULL},
};

/* What happens to a buffer after the run. */
struct run_output {
    int argument;     /* whose buffer it is, from 0 */
    uint64_t count;   /* elements to print; UINT64_MAX: all */
    const char *path; /* the file to write the buffer to; NULL: the buffer is printed */
};

/* What the command line asks for. */
struct run_command_line {
    const char *command;                      /* that messages name: run, or one that runs others */
    const char *path;                         /* of a PTX file, or the name of a workload */
    const char *kernel;                       /* value of --kernel; NULL: not given */
    uint32_t grid[3], block[3];               /* blocks of the grid, and threads of a block, by dimension */
    uint32_t shared_bytes;                    /* dynamic shared memory of a block */
    struct vec_of(const char *) words;        /* values of --arg */
    struct vec_of(struct run_output) outputs; /* of --print and --write */
    bool is_cooperative;                      /* --cooperative: all blocks run at the same time */
    bool wants_hash;                          /* --hash: print a hash of each buffer after the run */
    struct run_request run;                   /* the options of run/options.h, and what they name; owned */
    const char *report_path;                  /* --report: file of a page; NULL: none */
    const char *size, *ptx;                   /* of a workload; NULL: not given */
    bool wants_hints;                         /* --hints: the workload's kernels with hints */
    const char *only_of_workloads;            /* an option that a file has no use for; NULL: none was given */
    const char *only_of_files;                /* an option that a workload has no use for; NULL: none was given */
    struct vec_of(char *) passed;             /* options for the launches of a workload */
};

/* What lives as long as a kernel of a file runs. */
struct run_stage {
    struct ptx_module *module;  /* the PTX file */
    struct memory *memory;      /* device memory */
    struct image *image;        /* the module's variables in that memory */
    struct code *code;          /* the kernel, decoded */
    uint8_t *parameters;        /* the kernel's parameter block */
    struct argument *arguments; /* by parameter: the value of --arg */
};

static bool parse_count(const char *word, uint64_t most, uint64_t *value, char end)
{
    char *stop;
    errno = 0;
    *value = *word >= '0' && *word <= '9' ? strtoull(word, &stop, 0) : UINT64_MAX;
    return *word >= '0' && *word <= '9' && !errno && *stop == end && *value <= most;
}

static bool parse_shape(const char *word, uint32_t shape[3])
{
    shape[1] = shape[2] = 1;
    for (int i = 0; i < 3; i++) {
        char *comma = strchr(word, ',');
        uint64_t n;
        if (!parse_count(word, UINT32_MAX, &n, comma ? ',' : '\0') || !n)
            return false;
        shape[i] = (uint32_t)n;
        if (!comma)
            return true;
        word = comma + 1;
    }
    return false;
}

static int take_print(struct run_command_line *r, const char *value)
{
    struct run_output o = {.count = UINT64_MAX};
    const char *colon = strchr(value, ':');
    uint64_t n;
    if (!parse_count(value, 1000, &n, colon ? ':' : '\0') ||
        (colon && (!parse_count(colon + 1, UINT64_MAX - 1, &o.count, '\0'))))
        return cli_misuse(r->command, "--print takes the number of an argument, from 0, and perhaps a count: 2:16");
    o.argument = (int)n;
    vec_push(&r->outputs, o);
    return STATUS_OK;
}

static int take_write(struct run_command_line *r, const char *value)
{
    const char *equals = strchr(value, '=');
    uint64_t n;
    if (!equals || !equals[1] || !parse_count(value, 1000, &n, '='))
        return cli_misuse(r->command, "--write takes the number of an argument, from 0, and a file: 0=out.bin");
    vec_push(&r->outputs, (struct run_output){.argument = (int)n, .path = equals + 1});
    return STATUS_OK;
}

static int take_option(struct run_command_line *r, const char *name, const char *value)
{
    uint64_t n;
    bool is_of_workloads = !strcmp(name, "--size") || !strcmp(name, "--ptx") || !strcmp(name, "--hints");
    if (is_of_workloads)
        r->only_of_workloads = name;
    else if (strcmp(name, "--quiet") && strcmp(name, "--kernel") && strcmp(name, "--report"))
        r->only_of_files = name;
    if (!strcmp(name, "--kernel")) {
        r->kernel = value;
        vec_push(&r->passed, "--kernel");
        vec_push(&r->passed, (char *)value);
    } else if (!strcmp(name, "--grid") || !strcmp(name, "--block")) {
        if (!parse_shape(value, name[2] == 'g' ? r->grid : r->block))
            return cli_misuse(r->command, "%s takes one to three numbers from 1 on: 4 or 4,2 or 4,2,1, not '%s'", name,
                              value);
    } else if (!strcmp(name, "--shared")) {
        if (!parse_count(value, LAUNCH_MAX_SHARED_BYTES, &n, '\0'))
            return cli_misuse(r->command, "--shared takes bytes, up to %d, not '%s'", LAUNCH_MAX_SHARED_BYTES, value);
        r->shared_bytes = (uint32_t)n;
    } else if (!strcmp(name, "--cooperative")) {
        r->is_cooperative = true;
    } else if (!strcmp(name, "--arg")) {
        vec_push(&r->words, value);
    } else if (!strcmp(name, "--print")) {
        return take_print(r, value);
    } else if (!strcmp(name, "--write")) {
        return take_write(r, value);
    } else if (!strcmp(name, "--hash")) {
        r->wants_hash = true;
    } else if (!strcmp(name, "--size")) {
        return cli_take_size(r->command, value, &r->size);
    } else if (!strcmp(name, "--ptx")) {
        return cli_take_ptx(r->command, value, &r->ptx);
    } else if (!strcmp(name, "--hints")) {
        r->wants_hints = true;
    } else if (!strcmp(name, "--report")) {
        r->report_path = value;
    } else {
        r->run.options.is_quiet = true;
    }
    return STATUS_OK;
}

static int read_command_line(struct run_command_line *r, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        const char *word = argv[i], *value = NULL;
        if (!strcmp(word, "--"))
            return cli_misuse(r->command, "a program behind -- is for heddle exec, compare, explain, step and sweep");
        if (word[0] != '-') {
            if (r->path)
                return program_is(r->path)
                           ? cli_misuse(r->command, "heddle exec %s runs a program with arguments", r->path)
                           : cli_misuse(r->command, "one file at a time: %s, then %s", r->path, word);
            r->path = argv[i++];
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (o && o->value && !value)
            return cli_misuse(r->command, "%s needs a value: %s %s", o->name, o->name, o->value);
        if (o) {
            int status = take_option(r, o->name, value);
            if (status)
                return status;
            continue;
        }
        char *error = NULL;
        int first = i, taken = options_take(&r->run.options, argc, argv, &i, &error);
        if (taken < 0) {
            cli_misuse(r->command, "%s", error);
            free(error);
            return STATUS_USAGE;
        }
        if (!taken)
            return cli_unknown_run_option(r->command, option_table, word);
        while (first < i)
            vec_push(&r->passed, argv[first++]);
    }
    return r->path ? STATUS_OK : cli_misuse(r->command, "no PTX file and no workload was given");
}

/* The workload that the command line names; NULL: it names a file. A file goes before a workload of its name. */
static const struct workload *workload_meant(const struct run_command_line *r)
{
    return access(r->path, F_OK) ? workload_find(r->path) : NULL;
}

/* Says what is wrong with the request as far as that is known before the PTX is read. */
static int check_request(const struct run_command_line *r)
{
    const struct workload *workload = workload_meant(r);
    if (!workload && r->only_of_workloads)
        return cli_misuse(r->command, "%s is for workloads; there is no workload '%s'", r->only_of_workloads, r->path);
    if (!workload && !cli_may_be_file(r->path))
        return cli_misuse(r->command, "there is no file and no workload '%s'; see heddle list workloads", r->path);
    if (workload && r->only_of_files)
        return cli_misuse(r->command, "%s is for PTX files; the workload %s launches its kernels itself",
                          r->only_of_files, workload->name);
    if (!workload && r->run.options.launches)
        return cli_misuse(r->command,
                          "--launch is for programs and workloads; a kernel of a PTX file is launched once");
    if (r->run.options.profile && access(r->run.options.profile, R_OK))
        return cli_misuse(r->command, "cannot read the profile %s: %s", r->run.options.profile, strerror(errno));
    return STATUS_OK;
}

/* Appends the kernel's parameters, "0: u64, 1: f32", for a message. */
static void describe_parameters(const struct ptx_function *k, struct text *out)
{
    for (int i = 0; i < ptx_given_parameters(k); i++) {
        const struct ptx_variable *p = k->parameters[i];
        text_printf(out, "%s%d: %s", i ? ", " : "", i, type_table[p->type].text);
        if (p->is_array)
            text_printf(out, "[%" PRIu64 " bytes]", p->size_bytes);
        else if (p->is_pointer)
            text_printf(out, " (pointer)");
    }
}

static int read_arguments(struct run_stage *s, const struct run_command_line *r, const struct ptx_function *k,
                          const struct layout *layout)
{
    int count = ptx_given_parameters(k);
    if (r->words.count != count) {
        struct text wanted = {0};
        describe_parameters(k, &wanted);
        cli_misuse(r->command, "kernel %s takes %d arguments (%s), %d were given", k->name, count,
                   wanted.data ? wanted.data : "none", r->words.count);
        text_free(&wanted);
        return STATUS_USAGE;
    }
    s->parameters = xcalloc(1, layout->parameter_bytes);
    s->arguments = xcalloc((size_t)count, sizeof *s->arguments);
    for (int i = 0; i < count; i++) {
        char *error = NULL;
        uint8_t *into = s->parameters + layout->frame[k->index].formal_offset[i];
        if (!argument_read(&s->arguments[i], r->words.data[i], k->parameters[i], s->memory, into, &error)) {
            cli_misuse(r->command, "argument %d, '%s': %s", i, r->words.data[i], error);
            free(error);
            return STATUS_USAGE;
        }
    }
    for (int i = 0; i < r->outputs.count; i++) {
        int n = r->outputs.data[i].argument;
        if (n >= count || !s->arguments[n].is_buffer)
            return cli_misuse(r->command, "argument %d is no buffer; it cannot be printed or written", n);
    }
    return STATUS_OK;
}

static int write_file(const char *path, const void *data, uint64_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, bytes, file) == bytes;
    if (fclose(file) || !ok)
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    return STATUS_OK;
}

static int check_outputs(const struct run_command_line *r)
{
    char *error = NULL;
    if (!output_check(&r->run, &error)) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    int status = STATUS_OK;
    for (int i = 0; i < r->outputs.count && !status; i++)
        if (r->outputs.data[i].path)
            status = cli_check_writable(r->outputs.data[i].path);
    return status;
}

static int start_workload(const struct run_command_line *r, const struct workload *workload)
{
    const struct run_options *o = &r->run.options;
    int status = check_outputs(r);
    if (status)
        return status;
    return run_workload(
        &(struct workload_request){.workload = workload,
                                   .size = r->size,
                                   .ptx = r->ptx,
                                   .wants_hints = r->wants_hints,
                                   .words = r->passed.data,
                                   .word_count = r->passed.count,
                                   .gpu = r->run.gpu,
                                   .record_path = o->record_path,
                                   .wants_check = o->check && !o->json_path,
                                   .wants_figures = !r->run.options.is_quiet && !o->json_path && !o->stats});
}

static int write_outputs(const struct run_stage *s, const struct run_command_line *r, int argument_count)
{
    int status = STATUS_OK;
    for (int i = 0; i < r->outputs.count; i++) {
        const struct run_output *o = &r->outputs.data[i];
        const struct argument *a = &s->arguments[o->argument];
        const uint8_t *data = memory_host(s->memory, a->address, a->bytes);
        if (o->path) {
            if (write_file(o->path, data, a->bytes))
                status = STATUS_INPUT;
            continue;
        }
        uint64_t count = o->count < a->count ? o->count : a->count;
        printf("argument %d: %s[%" PRIu64 "]\n", o->argument, type_table[a->type].text, a->count);
        if (count)
            argument_print((enum type)a->type, data, count, stdout);
    }
    for (int i = 0; i < argument_count && r->wants_hash; i++) {
        const struct argument *a = &s->arguments[i];
        if (a->is_buffer)
            printf("argument %d: %s[%" PRIu64 "] hash %016" PRIx64 "\n", i, type_table[a->type].text, a->count,
                   bits_hash(BITS_HASH_SEED, memory_host(s->memory, a->address, a->bytes), a->bytes));
    }
    return status;
}

static void print_kernel_output(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
}

static int launch(struct run_stage *s, struct run_command_line *r, const struct ptx_function *k)
{
    const struct layout *layout = code_program(s->code)->layout;
    int status = read_arguments(s, r, k, layout);
    if (!status)
        status = check_outputs(r);
    if (status)
        return status;
    struct launch l = {
        .kernel = k,
        .image = s->image,
        .grid = {r->grid[0], r->grid[1], r->grid[2]},
        .block = {r->block[0], r->block[1], r->block[2]},
        .dynamic_shared_bytes = r->shared_bytes,
        .is_cooperative = r->is_cooperative,
        .parameters = s->parameters,
        .parameter_bytes = layout->parameter_bytes,
        .print = {print_kernel_output, NULL},
        .grid_id = 1,
    };
    launch_coarsen(&l, layout, s->parameters);
    struct run_outcome outcome;
    struct text report = {0};
    bool recorded = run_launch(&r->run, &l, s->code, &outcome, &report);
    struct fault fault = outcome.result.launch.fault;
    status = write_outputs(s, r, ptx_given_parameters(k));
    if (!r->run.options.is_quiet && fault.kind != FAULT_LAUNCH)
        run_print_figures(&r->run, &l, &outcome.result.launch, &report);
    text_free(&report);
    if (!recorded)
        status = STATUS_INPUT;
    char explanation[2048];
    if (fault.kind != FAULT_NONE)
        fprintf(diag_stream(), "heddle: %s%s", fault_describe(&fault, explanation, sizeof explanation),
                outcome.result.deadlock ? outcome.result.deadlock : "");
    bool has_races = outcome.races > 0;
    if (outcome.race_text)
        fprintf(diag_stream(), "heddle: %s", outcome.race_text);
    run_print_memory(&r->run, &outcome);
    run_add_notes(&r->run, &l, &outcome.result.launch);
    run_print_notes(&r->run);
    bool is_wrong = outcome.memory && verify_is_doubtful(outcome.memory->verdict);
    run_outcome_free(&outcome);
    if (fault.kind == FAULT_NONE)
        return status ? status : has_races || is_wrong ? STATUS_FAULT : STATUS_OK;
    if (fault.kind == FAULT_STOPPED)
        return STATUS_SIGNAL + *r->run.stop;
    return fault.kind == FAULT_LAUNCH ? STATUS_USAGE : STATUS_FAULT;
}

static int load_and_launch(struct run_stage *s, struct run_command_line *r)
{
    s->module = cli_load(r->path);
    if (!s->module)
        return STATUS_INPUT;
    sources_add_folder_of(r->path);
    int status = STATUS_OK;
    const struct ptx_function *k = cli_find_kernel(s->module, r->kernel, r->command, &status);
    if (!k)
        return status;
    prepare_module(&r->run.options, s->module, s->module->functions[k->index]);
    char *error = NULL;
    s->memory = memory_create(r->run.options.memory_bytes);
    s->image = image_load(s->module, s->memory, &error);
    if (s->image)
        s->code = code_create(k, s->image, &error);
    if (!s->code) {
        cli_fail("%s: kernel %s cannot run: %s", r->path, k->name, error);
        free(error);
        return STATUS_INPUT;
    }
    return launch(s, r, k);
}

static void close_stage(struct run_stage *s)
{
    free(s->parameters);
    free(s->arguments);
    if (s->code)
        code_destroy(s->code);
    if (s->image)
        image_unload(s->image);
    memory_destroy(s->memory);
    if (s->module)
        ptx_destroy(s->module);
}

static int open_request(struct run_command_line *r, const char *command, int argc, char **argv)
{
    char *error = NULL;
    int status = STATUS_OK;
    *r = (struct run_command_line){.command = command, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    request_open(&r->run);
    if (!options_take_environment(&r->run.options, &error)) {
        status = cli_misuse(r->command, "HEDDLE_OPTS: %s", error);
        free(error);
    }
    if (!status)
        status = read_command_line(r, argc, argv);
    if (!status)
        status = page_option_begin("run", r->report_path, &r->run.options);
    if (!status && r->report_path) {
        vec_push(&r->passed, "--report-data");
        vec_push(&r->passed, r->run.options.report_data);
    }
    if (!status && !request_settle(&r->run, &error)) {
        status = cli_misuse(r->command, "%s", error);
        free(error);
    }
    return status ? status : check_request(r);
}

static void close_request(struct run_command_line *r)
{
    request_close(&r->run);
    vec_free(&r->words);
    vec_free(&r->outputs);
    vec_free(&r->passed);
}

int run_check(const char *command, int argc, char **argv)
{
    struct run_command_line r;
    int status = open_request(&r, command, argc, argv);
    close_request(&r);
    return status;
}

static int run(int argc, char **argv)
{
    struct run_command_line r;
    struct run_stage s = {0};
    int status = open_request(&r, argv[0], argc, argv);
    const struct workload *workload = status ? NULL : workload_meant(&r);
    if (workload) {
        status = start_workload(&r, workload);
    } else if (!status) {
        r.run.lists_lines = true;
        r.run.shows_progress = !r.run.options.is_quiet;
        r.run.stop = r.run.gpu ? interrupt_catch() : NULL;
        status = load_and_launch(&s, &r);
        if ((!status || r.run.recording) && !recording_finish(&r.run) && !status)
            status = STATUS_INPUT;
    }
    close_stage(&s);
    const char *size = !workload ? NULL : r.size ? r.size : "small";
    int written = page_option_end(r.report_path, &r.run.options, r.path, size, argc, argv);
    close_request(&r);
    return status ? status : written;
}

const struct command run_command = {
    .name = "run",
    .summary = "run a kernel of a PTX file with typed arguments, or a built-in workload",
    .usage = "heddle run FILE.ptx|FILE.cu [OPTIONS]\nheddle run WORKLOAD [--size SIZE] [OPTIONS]",
    .description =
        "Runs a kernel to its end. A built-in workload (heddle list workloads) launches its own kernels and verifies "
        "its result. Without --gpu the kernel is only computed; with --gpu it runs cycle by cycle on a machine. "
        "Options of the kernel, its shape, its arguments and its buffers are for files only; --size is for workloads "
        "only; options from --executor on are for both. The file may also be a fat binary or a program that nvcc "
        "made, whose PTX is taken; heddle exec runs the whole program.",
    .options = option_table,
    .has_run_options = true,
    .sections = section_table,
    .examples = "heddle run saxpy.ptx --grid 4 --block 256 --arg 2.0 --arg 'buf:f32[1024]=iota' \\\n"
                "    --arg 'buf:f32[1024]=random(1)' --arg 1024 --print 2:16\n"
                "heddle run sort.ptx --kernel bitonic --block 512 --arg 'buf:u32=file(keys.bin)' \\\n"
                "    --write 0=sorted.bin --json result.json --limit 100M\n"
                "heddle run sort.ptx --kernel bitonic --block 512 --arg 'buf:u32[512]=random(1)' \\\n"
                "    --gpu fermi --mech pdom --stats cycles,branches --interval 1000 --csv out.csv\n"
                "heddle run walk.ptx --block 4 --gpu tiny --trace\n"
                "heddle run bfs2 --size small --gpu fx5800 --mech tbc\n",
    .fault_meaning =
        "The kernel faulted, reached a limit, or its threads can never end; --check found a race or reliance on "
        "lock-step; --verify found a wrong memory; or the workload found its result wrong.",
    .can_be_stopped = true,
    .run = run,
};
