/* heddle flow: what the analyses of control flow (flow/) found in each kernel. */
#include "cli/cli.h"

#include "flow/print.h"
#include "lower/lower.h"
#include "recon/place_barriers.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--kernel", "NAME", "Kernel to analyse.", "all kernels of the file"},
    {"--dot", NULL, "Prints graphs for Graphviz.", NULL},
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

static bool report(const struct ptx_function *kernel, void (*print)(const struct program *, struct text *))
{
    char *error = NULL;
    struct program *program = program_create(kernel, &error);
    if (!program) {
        cli_fail("kernel %s: %s", kernel->name, error);
        free(error);
        return false;
    }
    struct text out = {0};
    print(program, &out);
    fwrite(out.data, 1, out.length, stdout);
    text_free(&out);
    program_destroy(program);
    return true;
}

static int report_all(const struct ptx_module *module, const char *name,
                      void (*print)(const struct program *, struct text *))
{
    int status = STATUS_OK, count = 0;
    if (name) {
        const struct ptx_function *kernel = cli_find_kernel(module, name, "flow", &status);
        return !kernel ? status : report(kernel, print) ? STATUS_OK : STATUS_INPUT;
    }
    for (int i = 0; i < module->function_count; i++)
        if (cli_is_kernel(module->functions[i])) {
            count++;
            if (!report(module->functions[i], print))
                status = STATUS_INPUT;
        }
    return count ? status : cli_fail("%s holds no kernel", module->source.path);
}

static int run(int argc, char **argv)
{
    const char *path = NULL, *kernel = NULL, *form = NULL, *value;
    bool lowers = false;
    void (*print)(const struct program *, struct text *) = program_print_text;
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        if (word[0] != '-' || !word[1]) {
            if (path)
                return cli_misuse("flow", "one file at a time: %s, then %s", path, word);
            path = argv[i++];
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (!o)
            return cli_misuse("flow", "unknown option '%s'; did you mean %s?", word, cli_nearest(option_table, word));
        if (o->value && !value)
            return cli_misuse("flow", "%s needs a value: %s %s", o->name, o->name, o->value);
        if (!strcmp(o->name, "--kernel"))
            kernel = value;
        else if (!strcmp(o->name, "--lower")) {
            if (strcmp(value, "ptxas") && strcmp(value, "none"))
                return cli_misuse("flow", "--lower is none or ptxas, not '%s'", value);
            lowers = !strcmp(value, "ptxas");
        } else if (form && strcmp(form, o->name))
            return cli_misuse("flow", "%s and %s exclude each other", form, o->name);
        else
            print = !strcmp(o->name, "--dot")    ? program_print_dot
                    : !strcmp(o->name, "--json") ? program_print_json
                                                 : print_barriers;
        form = o->value ? form : o->name;
    }
    if (!path)
        return cli_misuse("flow", "no PTX file was given");
    struct ptx_module *module = cli_load(path);
    if (!module)
        return STATUS_INPUT;
    if (lowers)
        lower_module(module);
    int status = report_all(module, kernel, print);
    ptx_destroy(module);
    return status;
}

const struct command flow_command = {
    .name = "flow",
    .summary = "print the control flow of kernels: basic blocks, loops, branches",
    .usage = "heddle flow FILE.ptx [--kernel NAME] [--dot | --json | --barriers] [--lower ptxas]",
    .description =
        "Prints what the analyses of control flow found in each kernel: basic blocks, dominators, "
        "post-dominators, loops, registers, and for each branch where its threads reconverge, whether it was "
        "proved uniform, and whether its sides could issue side by side (interleavable) and why. The file may also be "
        "a fat binary or a program that nvcc made, whose PTX is taken.",
    .options = option_table,
    .examples = "heddle flow saxpy.ptx\n"
                "heddle flow saxpy.ptx --dot | dot -Tsvg > saxpy.svg\n",
    .run = run,
};
