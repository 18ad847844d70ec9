/* heddle, the command: finds the subcommand and sees that nothing it printed got lost. */
#include "cli/ample_stack.h"
#include "cli/cli.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

static const struct command *const command_table[] = {&run_command,  &compare_command, &paper_command,
                                                      &flow_command, &recon_command,   &list_command};

enum { COMMAND_COUNT = sizeof command_table / sizeof command_table[0] };

static void print_help(FILE *out)
{
    fputs("heddle runs GPU kernels given as PTX, and says what happened inside.\n\n"
          "  heddle COMMAND [OPTIONS]\n\n",
          out);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", command_table[i]->name, command_table[i]->summary);
    fputs("  help     the help of a command: heddle help run\n\n"
          "  --help, --version\n\n"
          "Exit status: 0 done, 1 bad input or output, 2 wrong command line, 3 the kernel did wrong\n"
          "(also if --check found something), 130 stopped by Ctrl-C, 143 by SIGTERM,\n"
          "129 by SIGHUP.\n"
          "Temporary files lie in the folder that TMPDIR names, or in /tmp.\n"
          "Programs that use the CUDA driver API run with LD_LIBRARY_PATH set to the folder of\n"
          "libcuda.so.1, and take the options of a run from the environment:\n"
          "HEDDLE_OPTS=\"--json out.json\" ./program\n",
          out);
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(command_table[i]->name, name))
            return command_table[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *best = command_table[0]->name;
    for (int i = 1; i < COMMAND_COUNT; i++)
        if (text_distance(name, command_table[i]->name) < text_distance(name, best))
            best = command_table[i]->name;
    return cli_misuse(NULL, "there is no command '%s'; did you mean %s?", name, best);
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version")) {
        puts("heddle " HEDDLE_VERSION);
        return STATUS_OK;
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || (!strcmp(name, "help") && argc == 2)) {
        print_help(stdout);
        return STATUS_OK;
    }
    bool wants_help = !strcmp(name, "help");
    if (wants_help)
        name = argv[2];
    const struct command *command = find_command(name);
    if (!command)
        return unknown_command(name);
    if (wants_help || asks_for_help(argc - 1, argv + 1)) {
        command->help(stdout);
        return STATUS_OK;
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status = ample_stack_run(dispatch, argc, argv);
    if ((fflush(stdout) || ferror(stdout)) && status != STATUS_FAULT)
        return cli_fail("error: cannot write the output: %s", strerror(errno));
    return status;
}
