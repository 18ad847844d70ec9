/*
 * Help from the tables that commands are made of: as text, as manual pages, and as scripts by which shells complete
 * words.
 */
#ifndef HEDDLE_CLI_HELP_H
#define HEDDLE_CLI_HELP_H

#include "cli/cli.h"
#include "run/options.h"

/* heddle --help: the commands, and what holds for all of them. */
void help_print_overview(FILE *out);
/* heddle COMMAND --help. */
void help_print_command(const struct command *command, FILE *out);
/* The options of run/options.h that a command has (NULL: all of them), one by one from index 0 on, but for those that
 * the command refuses or has in its own table under the same name; false: there are no more. */
bool help_describe_run_option(const struct command *command, int index, struct options_about *about);
/* These options as text, in the form of other options. */
void help_append_run_options(const struct command *command, struct text *out);

/* What holds for every command, as sections of the overview. */
extern const struct cli_section help_sections[];
extern const char help_description[];

/* One exit status of a command. */
struct help_status {
    int status;
    const char *meaning;
};
/* The exit statuses of a command (NULL: of all commands), one by one from index 0 on; false: there are no more. */
bool help_describe_status(const struct command *command, int index, struct help_status *into);

/* A manual page in roff: of a command, or of heddle itself if the command is NULL. */
void help_write_man(const struct command *command, struct text *out);
/* A script that completes commands, options and names, asking `heddle list ... --names`. False: heddle knows no such
 * shell. */
bool help_write_completion(const char *shell, struct text *out);

#endif
