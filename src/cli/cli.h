/* The command line: what its subcommands share. Each is one file and one row of the table in main.c. */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include "ptx/module.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of every subcommand. */
enum {
    STATUS_OK = 0,
    STATUS_INPUT = 1,
    STATUS_USAGE = 2,
    STATUS_FAULT = 3,
    STATUS_SIGNAL = 128, /* and the number of the signal that stopped it, as shells count */
};

struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
    void (*help)(FILE *out);
};

extern const struct command run_command, compare_command, paper_command, flow_command, recon_command, list_command;

/* What heddle run has against a command line, said, as an exit status; STATUS_OK: nothing, as far as can be known before
 * the PTX is read. For commands that run others. argv[0] is not looked at. */
int run_check(int argc, char **argv);

/* An option of one subcommand; `value` is what stands for its value in the help, NULL if it takes none. */
struct cli_option {
    const char *name; /* with the dashes */
    const char *value;
    const char *meaning;
};

/* The row that argv[*index] names, its value, and *index moved behind both; NULL if it is none of them. A
 * value that is missing is returned as NULL. Accepts `--name value` and `--name=value`. */
const struct cli_option *cli_take(const struct cli_option *table, int argc, char **argv, int *index,
                                  const char **value);
void cli_help_options(const struct cli_option *table, FILE *out);
/* The name nearest to a word; tables end with a NULL name. */
const char *cli_nearest(const struct cli_option *table, const char *word);

/* Says what is wrong with the command line; returns STATUS_USAGE. */
int cli_misuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says what is wrong with an input or output; returns STATUS_INPUT. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What cannot be written is said before a run, not after hours of it; returns STATUS_INPUT then. "-" is stdout. */
int cli_check_writable(const char *path);
/* Whether a word can be meant as a file: there is one, or it looks like the path of one. */
bool cli_may_be_file(const char *word);
/* Parses a file; NULL, having printed the diagnostics. */
struct ptx_module *cli_load(const char *path);
/* The kernel of that name, or the only one if the name is NULL; NULL and an exit status, having said why. */
const struct ptx_function *cli_find_kernel(const struct ptx_module *module, const char *name, const char *command,
                                           int *status);
bool cli_is_kernel(const struct ptx_function *function);

#endif
