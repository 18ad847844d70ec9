/*
 * The command line: what its commands share.
 *
 * A command is one file with one `struct command`, listed in command_table.c. Help texts, manual pages and shell
 * completion are all written from these structures (help.h), so a command describes itself in one place.
 */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include "base/text.h"
#include "ptx/module.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of all commands. */
enum {
    STATUS_OK = 0,
    STATUS_INPUT = 1,    /* an input cannot be read or is wrong, or an output cannot be written */
    STATUS_USAGE = 2,    /* the command line is wrong */
    STATUS_FAULT = 3,    /* a kernel did wrong: it faulted, raced, or left a wrong result */
    STATUS_SIGNAL = 128, /* plus the number of the signal that stopped the command, as shells count */
};

/* An option of one command. */
struct cli_option {
    const char *name;    /* with its dashes */
    const char *value;   /* stands for the value in help texts, in [] if it may be left out; NULL: there is none */
    const char *meaning; /* one or more whole sentences */
    const char *initial; /* the default value, for help texts; NULL: there is none to name */
};

/* A part of a command's help: a title, and lines of at most 100 columns, which are printed as they are, or broken anew
 * for a narrower terminal. */
struct cli_section {
    const char *title;
    const char *text;
    void (*write)(struct text *out); /* appends the lines, where these come from a table; NULL: `text` has them */
};

struct command {
    const char *name;
    const char *summary;                /* a verb and its objects, in a phrase: "run a kernel ..." */
    const char *usage;                  /* command lines, one per line */
    const char *description;            /* one paragraph, filled by who prints it */
    const struct cli_option *options;   /* ends with a NULL name */
    bool has_run_options;               /* the options of run/options.h are options of this command, too */
    const char *const *refused_options; /* but for these, by name with dashes, ended by NULL; NULL: none */
    bool passes_run_options;            /* options that the command does not have are passed on to heddle run */
    const struct cli_section *sections; /* ends with a NULL title; NULL: none */
    const char *examples;               /* command lines, at least two; a long one goes on behind a backslash */
    const char *fault_meaning;          /* what exit status 3 means; NULL: the command does not have it */
    bool can_be_stopped;                /* a signal ends it with an exit status of its own */
    bool has_program_status;            /* its exit status is that of the program that it runs */
    bool reads_help_itself;            /* --help behind the program's name is the program's, so main() looks for none */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
};

extern const struct command run_command, exec_command, step_command, replay_command, compare_command, explain_command,
    sweep_command, query_command, report_command, cc_command, paper_command, flow_command, recon_command, list_command,
    help_command;
/* All commands, ended by NULL. */
extern const struct command *const command_table[];
const struct command *command_find(const char *name); /* NULL: there is none */

/* Checks a command line of heddle run without running it, as far as that is possible before the PTX is read. Says
 * what is wrong with it, and returns the exit status that heddle run would have. For commands that run others;
 * argv[0] is not looked at. Messages begin with the name of that command. */
int run_check(const char *command, int argc, char **argv);
/* Likewise for a command line of heddle exec. */
int exec_check(const char *command, int argc, char **argv);

/* Finds the option that argv[*index] names, and moves *index behind the option and its value. NULL: the table does not
 * have the option. A missing value is returned as NULL. Accepts `--name value` and `--name=value`. A word that is an
 * option or may be a file is no value of an option whose value may be left out. */
const struct cli_option *cli_take(const struct cli_option *table, int argc, char **argv, int *index,
                                  const char **value);
/* Takes the words of a command that passes the options which it does not have on to heddle run. Each function is given
 * the request and returns an exit status; a status other than 0 ends the reading. */
struct cli_reader {
    const char *command;
    const struct cli_option *options;
    int (*take_option)(void *request, const char *name, const char *value); /* an option of the command */
    int (*take_target)(void *request, char *word);                          /* a word that is no option */
    int (*pass_on)(void *request, char *word);                              /* an option of heddle run, or its value */
};
/* Reads all words of a command line up to `--`; *program is what stands behind it, NULL: there is no `--`. */
int cli_read(const struct cli_reader *reader, void *request, int argc, char **argv, char ***program);
/* Whether the option must have a value. */
bool cli_needs_value(const struct cli_option *option);
/* The name in the table that is nearest to the word. */
const char *cli_nearest(const struct cli_option *table, const char *word);
/* Says that the command has no such option, and which one may be meant; returns STATUS_USAGE. */
int cli_unknown_option(const char *command, const struct cli_option *table, const char *word);
/* The same for a command that has the options of run/options.h, too. */
int cli_unknown_run_option(const char *command, const struct cli_option *table, const char *word);
/* Read the values of --jobs (a number of runs at a time), --size (test, small or paper) and --ptx (nvcc or plain).
 * Return an exit status, having said what is wrong if the value is. */
int cli_take_jobs(const char *command, const char *value, int *jobs);
int cli_take_size(const char *command, const char *value, const char **size);
int cli_take_ptx(const char *command, const char *value, const char **ptx);

/* Appends words, broken into lines that fit the terminal (base/terminal.h). The first line goes on at `column`; the
 * others are indented. */
void cli_wrap(struct text *out, int column, int indent, const char *words);

/* Says what is wrong with the command line of a command (NULL: of heddle itself); returns STATUS_USAGE. */
int cli_misuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says what is wrong with an input or output; returns STATUS_INPUT. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Finds out before a long run, not after it, whether the file can be written. Returns STATUS_INPUT, having said so,
 * if it cannot. "-" is stdout. */
int cli_check_writable(const char *path);
/* Says that a program which a signal ended left no recording (--record PATH; NULL: none was asked for). */
void cli_say_unrecorded(const char *path);
/* Whether a word may stand for a file: there is such a file, or the word looks like the path of a PTX file. */
bool cli_may_be_file(const char *word);
/* The module of a file: of PTX text, of a CUDA source, which is compiled, of a fat binary, or of a program with fat
 * binaries. NULL: it was said why. */
struct ptx_module *cli_load(const char *path);
/* The kernel of this name, as the module or as C++ has it (see selection.h), or the only kernel if the name is NULL.
 * NULL: it was said why, and *status is the exit status to end with. */
const struct ptx_function *cli_find_kernel(const struct ptx_module *module, const char *name, const char *command,
                                           int *status);
bool cli_is_kernel(const struct ptx_function *function);

#endif
