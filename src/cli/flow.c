/* heddle flow: what the analyses of control flow (flow/) found in each kernel. */
#include "cli/cli.h"

#include "flow/print.h"
#include "flow/print_svg.h"
#include "lower/lower.h"
#include "recon/place_barriers.h"
#include "run/heat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--kernel", "NAME", "Kernel to analyse.", "all kernels of the file"},
    {"--dot", NULL, "Prints graphs for Graphviz.", NULL},
    {"--svg", "FILE", "Draws the graphs as SVG, without Graphviz; - is stdout.", NULL},
    {"--heat", "RESULTS.json", "Colours the picture by what runs of the kernel counted (heddle run --json).", NULL},
    {"--json", NULL, "Prints one JSON object per kernel, each on a line of its own.", NULL},
    {"--barriers", NULL, "Prints only the convergence barriers that follow from post-dominators.", NULL},
    {"--lower", "none|ptxas", "Changes branches first as NVIDIA's ptxas does.", "none"},
    {NULL, NULL, NULL, NULL},
};

static void print_barriers(const struct program *program, struct text *out)
{
    struct barrier_plan *plan = barriers_place(program);
    barrier_print(plan, out);
    barrier_plan_destroy(plan);
}

/* What is asked for. */
struct flow_request {
    const char *path, *kernel;
    const char *form;      /* --dot, --json, --barriers or --svg; NULL: text */
    const char *svg_path;  /* NULL: no picture */
    const char *heat_path; /* NULL: a picture without counts */
    bool lowers;
    void (*print)(const struct program *, struct text *);
    struct flow_picture picture;
};

/* Adds a program to the picture, with the counts of the runs if a file has them. */
static bool draw(struct flow_request *r, const struct program *program)
{
    char *error = NULL;
    struct flow_heat *heat = r->heat_path ? heat_read(r->heat_path, program, &error) : NULL;
    if (error) {
        cli_fail("kernel %s: %s", program->kernel->name, error);
        free(error);
        return false;
    }
    flow_picture_add(&r->picture, program, heat);
    heat_destroy(heat);
    return true;
}

static bool report(const struct ptx_function *kernel, struct flow_request *r)
{
    char *error = NULL;
    struct program *program = program_create(kernel, &error);
    if (!program) {
        cli_fail("kernel %s: %s", kernel->name, error);
        free(error);
        return false;
    }
    struct text out = {0};
    bool ok = true;
    if (r->svg_path)
        ok = draw(r, program);
    else
        r->print(program, &out);
    if (out.length)
        fwrite(out.data, 1, out.length, stdout);
    text_free(&out);
    program_destroy(program);
    return ok;
}

static int report_all(const struct ptx_module *module, struct flow_request *r)
{
    int status = STATUS_OK, count = 0;
    if (r->kernel) {
        const struct ptx_function *kernel = cli_find_kernel(module, r->kernel, "flow", &status);
        return !kernel ? status : report(kernel, r) ? STATUS_OK : STATUS_INPUT;
    }
    for (int i = 0; i < module->function_count; i++)
        if (cli_is_kernel(module->functions[i])) {
            count++;
            if (!report(module->functions[i], r))
                status = STATUS_INPUT;
        }
    return count ? status : cli_fail("%s holds no kernel", module->source.path);
}

static int write_picture(struct flow_request *r)
{
    struct text out = {0};
    flow_picture_end(&r->picture, &out);
    FILE *file = strcmp(r->svg_path, "-") ? fopen(r->svg_path, "w") : stdout;
    bool ok = file && fwrite(out.data, 1, out.length, file) == out.length && !fflush(file);
    int reason = errno;
    if (file && file != stdout && fclose(file) && ok) {
        ok = false;
        reason = errno;
    }
    text_free(&out);
    return ok ? STATUS_OK : cli_fail("cannot write %s: %s", r->svg_path, strerror(reason));
}

static int take_option(struct flow_request *r, const char *name, const char *value)
{
    if (!strcmp(name, "--kernel"))
        r->kernel = value;
    else if (!strcmp(name, "--heat"))
        r->heat_path = value;
    else if (!strcmp(name, "--lower")) {
        if (strcmp(value, "ptxas") && strcmp(value, "none"))
            return cli_misuse("flow", "--lower is none or ptxas, not '%s'", value);
        r->lowers = !strcmp(value, "ptxas");
    } else if (r->form && strcmp(r->form, name)) {
        return cli_misuse("flow", "%s and %s exclude each other", r->form, name);
    } else {
        r->form = name;
        r->svg_path = !strcmp(name, "--svg") ? value : NULL;
        r->print = !strcmp(name, "--dot")    ? program_print_dot
                   : !strcmp(name, "--json") ? program_print_json
                                             : print_barriers;
    }
    return STATUS_OK;
}

static int read_words(struct flow_request *r, int argc, char **argv)
{
    const char *value;
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        if (word[0] != '-' || !word[1]) {
            if (r->path)
                return cli_misuse("flow", "one file at a time: %s, then %s", r->path, word);
            r->path = argv[i++];
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (!o)
            return cli_unknown_option("flow", option_table, word);
        if (o->value && !value)
            return cli_misuse("flow", "%s needs a value: %s %s", o->name, o->name, o->value);
        int status = take_option(r, o->name, value);
        if (status)
            return status;
    }
    if (!r->path)
        return cli_misuse("flow", "no PTX file was given");
    return r->heat_path && !r->svg_path ? cli_misuse("flow", "--heat colours a picture: it needs --svg FILE")
                                        : STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct flow_request r = {.print = program_print_text};
    int status = read_words(&r, argc, argv);
    if (!status && r.svg_path)
        status = cli_check_writable(r.svg_path);
    if (status)
        return status;
    struct ptx_module *module = cli_load(r.path);
    if (!module)
        return STATUS_INPUT;
    if (r.lowers)
        lower_module(module);
    status = report_all(module, &r);
    if (r.svg_path && !status)
        status = write_picture(&r);
    text_free(&r.picture.body);
    ptx_destroy(module);
    return status;
}

const struct command flow_command = {
    .name = "flow",
    .summary = "print the control flow of kernels: basic blocks, loops, branches",
    .usage = "heddle flow FILE.ptx [--kernel NAME] [--svg FILE | --dot | --json | --barriers] [OPTIONS]",
    .description =
        "Prints what the analyses of control flow found in each kernel: basic blocks, dominators, "
        "post-dominators, loops, registers, and for each branch where its threads reconverge, whether it was "
        "proved uniform, and whether its sides could issue side by side (interleavable) and why. The file may also be "
        "a fat binary or a program that nvcc made, whose PTX is taken.",
    .options = option_table,
    .examples = "heddle flow saxpy.ptx\n"
                "heddle flow saxpy.ptx --svg saxpy.svg\n"
                "heddle flow saxpy.ptx --svg saxpy.svg --heat results.json\n",
    .run = run,
};
