/* heddle, the command: finds the command that was asked for, and fails if what was printed could not be written. */
#include "base/diag.h"
#include "cli/ample_stack.h"
#include "cli/cli.h"
#include "cli/help.h"

#include <errno.h>
#include <string.h>

static int unknown_command(const char *name)
{
    const char *best = command_table[0]->name;
    for (const struct command *const *c = command_table; *c; c++)
        if (text_distance(name, (*c)->name) < text_distance(name, best))
            best = (*c)->name;
    struct text names = {0};
    char hint[TEXT_HINT];
    for (const struct command *const *c = command_table; *c; c++)
        text_printf(&names, "%s%s", c == command_table ? "" : ", ", (*c)->name);
    int status =
        cli_misuse(NULL, "there is no command '%s'%s; there is %s", name, text_hint(name, best, hint), names.data);
    text_free(&names);
    return status;
}

static bool asks_for_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        help_print_overview(diag_stream());
        return STATUS_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version")) {
        puts("heddle " HEDDLE_VERSION);
        return STATUS_OK;
    }
    if (asks_for_help(name)) {
        help_print_overview(stdout);
        return STATUS_OK;
    }
    const struct command *command = command_find(name);
    if (!command)
        return unknown_command(name);
    for (int i = 2; i < argc && !command->reads_help_itself && strcmp(argv[i], "--"); i++)
        if (asks_for_help(argv[i])) {
            help_print_command(command, stdout);
            return STATUS_OK;
        }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status = ample_stack_run(dispatch, argc, argv);
    int reason = fflush(stdout) ? errno : 0;
    if (status == STATUS_OK && (reason || ferror(stdout))) /* else it was said what went wrong, perhaps this */
        return cli_fail("error: cannot write the output%s%s", reason ? ": " : "", reason ? strerror(reason) : "");
    return status;
}
