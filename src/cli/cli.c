/* What commands share: options, messages, loading of programs. */
#include "cli/cli.h"

#include "base/demangle.h"
#include "base/diag.h"
#include "base/temporary.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/cuda_compiler.h"
#include "cli/program.h"
#include "ptx/load.h"
#include "run/options.h"
#include "run/selection.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_needs_value(const struct cli_option *o)
{
    return o->value && *o->value != '[';
}

/* Whether the word behind an option is the option's value. */
static bool is_value(const struct cli_option *o, const char *word)
{
    return cli_needs_value(o) || (o->value && strncmp(word, "--", 2) && !cli_may_be_file(word));
}

const struct cli_option *cli_take(const struct cli_option *table, int argc, char **argv, int *index, const char **value)
{
    const char *word = argv[*index];
    size_t length = strcspn(word, "=");
    for (const struct cli_option *o = table; o->name; o++) {
        if (strlen(o->name) != length || memcmp(o->name, word, length) || (!o->value && word[length]))
            continue;
        *value = NULL;
        if (o->value && word[length])
            *value = word + length + 1;
        else if (*index + 1 < argc && is_value(o, argv[*index + 1]))
            *value = argv[++*index];
        ++*index;
        return o;
    }
    return NULL;
}

/* Whether an option of heddle run stands without a value behind it. Unknown options are refused by run_check(). */
static bool passes_no_value(const char *word)
{
    return strchr(word, '=') || !strcmp(word, "--hash") || options_take_no_value(word);
}

/* Takes the option at argv[*i] with its value. */
static int read_option(const struct cli_reader *r, void *request, int argc, char **argv, int *i)
{
    const char *value = NULL;
    const struct cli_option *o = cli_take(r->options, argc, argv, i, &value);
    if (o && o->value && !value)
        return cli_misuse(r->command, "%s needs a value: %s %s", o->name, o->name, o->value);
    if (o)
        return r->take_option(request, o->name, value);
    bool has_value = !passes_no_value(argv[*i]) && *i + 1 < argc;
    int status = r->pass_on(request, argv[(*i)++]);
    return status || !has_value ? status : r->pass_on(request, argv[(*i)++]);
}

int cli_read(const struct cli_reader *r, void *request, int argc, char **argv, char ***program)
{
    *program = NULL;
    for (int i = 1; i < argc;) {
        if (!strcmp(argv[i], "--")) {
            *program = argv + i + 1;
            return **program ? STATUS_OK : cli_misuse(r->command, "there is no program behind --");
        }
        int status = argv[i][0] == '-' ? read_option(r, request, argc, argv, &i) : r->take_target(request, argv[i++]);
        if (status)
            return status;
    }
    return STATUS_OK;
}

const char *cli_nearest(const struct cli_option *table, const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *best = table->name;
    for (const struct cli_option *o = table; o->name; o++)
        if (text_distance(name, o->name) < text_distance(name, best))
            best = o->name;
    return best;
}

int cli_unknown_option(const char *command, const struct cli_option *table, const char *word)
{
    char hint[TEXT_HINT];
    return cli_misuse(command, "unknown option '%s'%s", word, text_hint(word, cli_nearest(table, word), hint));
}

int cli_unknown_run_option(const char *command, const struct cli_option *table, const char *word)
{
    char name[64], hint[TEXT_HINT];
    snprintf(name, sizeof name, "--%s", options_nearest(word));
    const char *own = cli_nearest(table, word);
    const char *best = text_distance(word, own) <= text_distance(word, name) ? own : name;
    return cli_misuse(command, "unknown option '%s'%s", word, text_hint(word, best, hint));
}

int cli_take_jobs(const char *command, const char *value, int *jobs)
{
    enum { MOST_JOBS = 1024 };
    char *end;
    long number = strtol(value, &end, 10);
    if (*end || number < 1 || number > MOST_JOBS)
        return cli_misuse(command, "--jobs takes a number of runs from 1 to %d, not '%s'", MOST_JOBS, value);
    *jobs = (int)number;
    return STATUS_OK;
}

int cli_take_size(const char *command, const char *value, const char **size)
{
    if (strcmp(value, "test") && strcmp(value, "small") && strcmp(value, "paper"))
        return cli_misuse(command, "--size takes test, small or paper, not '%s'", value);
    *size = value;
    return STATUS_OK;
}

int cli_take_ptx(const char *command, const char *value, const char **ptx)
{
    if (strcmp(value, "nvcc") && strcmp(value, "plain"))
        return cli_misuse(command, "--ptx takes nvcc or plain, not '%s'", value);
    *ptx = value;
    return STATUS_OK;
}

/* Appends words, broken into lines of `width` columns. */
static void wrap(struct text *out, int column, int indent, int width, const char *words)
{
    for (const char *at = words + strspn(words, " "); *at; at += strspn(at, " ")) {
        int n = (int)strcspn(at, " ");
        if (column > indent && column + 1 + n > width) {
            text_printf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            text_append(out, " ", 1);
            column++;
        }
        text_append(out, at, (size_t)n);
        column += n;
        at += n;
    }
    text_append(out, "\n", 1);
}

void cli_wrap(struct text *out, int column, int indent, const char *words)
{
    wrap(out, column, indent, terminal_text_columns(), words);
}

/* A message is broken into lines on a terminal only: programs that read it find it on one line. */
static void complain(const char *command, const char *format, va_list args)
{
    struct text message = {0}, lines = {0};
    int columns = terminal_columns_at(STDERR_FILENO);
    text_printf(&message, "heddle%s%s: ", command ? " " : "", command ? command : "");
    text_vprintf(&message, format, args);
    if (columns && (int)message.length > columns && !strchr(message.data, '\n'))
        wrap(&lines, 0, 4, columns, message.data);
    else
        text_printf(&lines, "%s\n", message.data);
    fputs(lines.data, diag_stream());
    text_free(&message);
    text_free(&lines);
}

int cli_misuse(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(command, format, args);
    va_end(args);
    fprintf(diag_stream(), "Try 'heddle %s%s--help'.\n", command ? command : "", command ? " " : "");
    return STATUS_USAGE;
}

int cli_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(NULL, format, args);
    va_end(args);
    return STATUS_INPUT;
}

int cli_check_writable(const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "ab") : stdout;
    if (!file)
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    if (file != stdout)
        fclose(file);
    return STATUS_OK;
}

void cli_say_unrecorded(const char *path)
{
    if (path)
        fprintf(diag_stream(), "heddle: the program ended before its recording %s was complete, so it has left none\n",
                path);
}

bool cli_may_be_file(const char *word)
{
    static const char ending[] = ".ptx";
    size_t length = strlen(word), tail = sizeof ending - 1;
    return !access(word, F_OK) || strchr(word, '/') || cuda_compiler_takes(word) ||
           (length >= tail && !strcmp(word + length - tail, ending));
}

/* Loads a file, which messages call by this name. */
static struct ptx_module *load(const char *path, const char *name)
{
    enum { CAPABILITY = 90 }; /* of the device that programs see, so that both take the same PTX of a fat binary */
    struct ptx_failure failure = {0};
    size_t length;
    char *data = ptx_read_file(path, &length, &failure);
    struct ptx_module *module = data ? ptx_load_bytes(name, data, length, CAPABILITY, &failure) : NULL;
    if (!module)
        fputs(failure.text.data, diag_stream());
    free(data);
    text_free(&failure.text);
    return module;
}

struct ptx_module *cli_load(const char *path)
{
    if (!cuda_compiler_takes(path) || access(path, R_OK))
        return load(path, path);
    char *error = NULL, *ptx = cuda_compiler_make_ptx(path, &error);
    struct text name = {0};
    text_printf(&name, "%s (compiled to PTX)", path);
    struct ptx_module *module = ptx ? load(ptx, name.data) : NULL;
    if (!ptx)
        cli_fail("error: %s", error);
    free(error);
    text_free(&name);
    temporary_remove(ptx);
    return module;
}

bool cli_is_kernel(const struct ptx_function *function)
{
    return function->is_entry && function->is_defined;
}

/* Appends the names of the first kernels that `chosen` takes (NULL: of all), "a, b, c", and how many more there are.
 * Names are shown as C++ has them, or, where only that tells kernels apart, as the module has them. */
static void list_names(const struct ptx_module *module, struct selection *chosen, struct text *out)
{
    enum { SHOWN = 8 };
    int count = 0;
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *f = module->functions[i];
        if (!cli_is_kernel(f) || !selection_takes(chosen, f->name, 1) || ++count > SHOWN)
            continue;
        char *name = chosen ? NULL : demangle_short(f->name);
        text_printf(out, "%s%s", count > 1 ? ", " : "", name ? name : f->name);
        free(name);
    }
    if (count > SHOWN)
        text_printf(out, " and %d more", count - SHOWN);
}

/* How far the name is from that of a kernel: as the module has it, or as C++ has it without namespaces and template
 * arguments. */
static int distance(const char *name, const struct ptx_function *kernel)
{
    char *shown = demangle_short(kernel->name);
    char *last = shown + demangle_qualifier(shown);
    last[strcspn(last, "<")] = '\0';
    int mangled = text_distance(name, kernel->name), plain = text_distance(name, last);
    free(shown);
    return mangled < plain ? mangled : plain;
}

static int complain_of_name(const struct ptx_module *module, const char *name, const char *command)
{
    const struct ptx_function *nearest = NULL;
    int least = INT_MAX;
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *f = module->functions[i];
        int d = cli_is_kernel(f) ? distance(name, f) : INT_MAX;
        nearest = d < least ? f : nearest;
        least = d < least ? d : least;
    }
    char *shown = demangle_short(nearest->name), hint[TEXT_HINT];
    char *last = shown + demangle_qualifier(shown);
    struct text names = {0};
    text_hint(name, nearest->name, hint);
    last[strcspn(last, "<")] = '\0';
    if (!*hint && *text_hint(name, last, hint)) {
        free(shown);
        shown = demangle_short(nearest->name);
        snprintf(hint, sizeof hint, "; did you mean %s?", shown);
    }
    list_names(module, NULL, &names);
    int status =
        cli_misuse(command, "there is no kernel '%s'%s%s", name, *hint ? hint : "; there is ", *hint ? "" : names.data);
    text_free(&names);
    free(shown);
    return status;
}

static int complain_of_many(const struct ptx_module *module, struct selection *chosen, int count, const char *name,
                            const char *command)
{
    struct text names = {0};
    list_names(module, chosen, &names);
    if (program_is(module->source.path))
        text_printf(&names, "; heddle exec %s runs the whole program", module->source.path);
    int status =
        name ? cli_misuse(command, "%d kernels match '%s'; choose one with --kernel: %s", count, name, names.data)
             : cli_misuse(command, "the file holds %d kernels; choose one with --kernel: %s", count, names.data);
    text_free(&names);
    return status;
}

/* A kernel whose name in the module is that name is taken before kernels whose C++ name matches. */
const struct ptx_function *cli_find_kernel(const struct ptx_module *module, const char *name, const char *command,
                                           int *status)
{
    const struct ptx_function *exact = NULL, *found = NULL;
    char *error = NULL;
    struct selection *chosen = name ? selection_create(name, NULL, &error) : NULL;
    int kernels = 0, matches = 0;
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *f = module->functions[i];
        if (!cli_is_kernel(f))
            continue;
        kernels++;
        if (name && !strcmp(name, f->name))
            exact = f;
        if (name && !chosen)
            continue;
        bool is_match = selection_takes(chosen, f->name, 1);
        matches += is_match;
        found = is_match ? f : found;
    }
    found = exact ? exact : matches == 1 ? found : NULL;
    if (!kernels)
        *status = cli_fail("%s holds no kernel", module->source.path);
    else if (!found)
        *status = matches ? complain_of_many(module, chosen, matches, name, command)
                          : complain_of_name(module, name, command);
    free(error);
    selection_destroy(chosen);
    return found;
}
