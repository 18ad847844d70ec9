/* heddle help, and every --help: texts from the tables that commands are made of. */
#include "cli/help.h"

#include "base/terminal.h"
#include "cli/program.h"
#include "cli/words.h"

#include <string.h>

enum { NAME_WIDTH = 8, OPTION_WIDTH = 28 };

const char help_description[] =
    "heddle runs GPU kernels and whole CUDA programs on the machine you have: functionally, or cycle by cycle on the "
    "model "
    "of a GPU under one of some twenty-five divergence mechanisms. It checks every access to memory and says where "
    "threads "
    "diverge, where they reconverge, and where the cycles went.";

const struct cli_section help_sections[] = {
    {"CUDA programs",
     "'heddle exec ./program' runs a CUDA program unchanged, if it has PTX inside and the CUDA runtime\n"
     "as a shared library (nvcc -cudart shared; 'heddle cc' does both). Without heddle exec, a program\n"
     "needs an LD_LIBRARY_PATH with the folder of heddle's libraries (libcuda of heddle list folders),\n"
     "and takes the options of a run from the environment:\n"
     "  LD_LIBRARY_PATH=build/lib HEDDLE_OPTS=\"--json out.json\" ./program\n",
     NULL},
    {"Environment",
     "HEDDLE_OPTS       options of heddle run, for every launch\n"
     "HEDDLE_SOURCE     folders of source files, separated by colons, for the texts of source lines\n"
     "HEDDLE_STORE      the store of heddle sweep, compare and paper, unless --store names another\n"
     "HEDDLE_WORKLOADS  the folder of the built-in workloads, if it is not where heddle looks for them\n"
     "TMPDIR            the folder for temporary files; /tmp if it is not set\n",
     NULL},
    {NULL, NULL, NULL},
};

bool help_describe_status(const struct command *command, int index, struct help_status *into)
{
    const struct help_status table[] = {
        {STATUS_OK, "Done."},
        {STATUS_INPUT, "An input cannot be read or is wrong, or an output cannot be written."},
        {STATUS_USAGE, "The command line is wrong."},
        {STATUS_FAULT, command ? command->fault_meaning
                               : "A kernel did wrong: it faulted, raced (--check races), or left a wrong result."},
        {STATUS_SIGNAL + 1, "SIGHUP stopped the command."},
        {STATUS_SIGNAL + 2, "Ctrl-C (SIGINT) stopped the command."},
        {STATUS_SIGNAL + 15, "SIGTERM stopped the command."},
    };
    static const struct help_status of_program[] = {
        {STATUS_INPUT, "An output cannot be written."},
        {STATUS_USAGE, "The command line is wrong."},
        {PROGRAM_CANNOT_RUN, "The program cannot be executed."},
        {PROGRAM_NOT_FOUND, "The program was not found."},
        {STATUS_SIGNAL, "Plus N: signal N ended the program. Any other status is the program's own."},
    };
    if (command && command->has_program_status) {
        bool exists = index < (int)(sizeof of_program / sizeof *of_program);
        if (exists)
            *into = of_program[index];
        return exists;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool is_possible = table[i].meaning && (!command || table[i].status < STATUS_SIGNAL || command->can_be_stopped);
        if (is_possible && !index--) {
            *into = table[i];
            return true;
        }
    }
    return false;
}

static void append_statuses(const struct command *command, struct text *out)
{
    struct help_status s;
    text_printf(out, "\nExit status:\n");
    for (int i = 0; help_describe_status(command, i, &s); i++) {
        text_printf(out, "  %-3d ", s.status);
        cli_wrap(out, 6, 6, s.meaning);
    }
}

/* Where the words of a line begin that say what stands before a gap of two spaces or more; without one, its first. */
static int find_meaning(const char *line, int length)
{
    int indent = (int)strspn(line, " ");
    for (int i = indent; i + 2 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ') {
            int gap = (int)strspn(line + i, " ");
            return i + gap < length ? i + gap : indent;
        }
    return indent;
}

/* Whether the line `next` goes on with the words of the line before it, which has this length: it begins below them,
 * and, unless the line is a row of a table, its first word had no room there. */
static bool goes_on(int length, bool is_row, int meaning, const char *next)
{
    enum { FULL = 88 };
    int indent = (int)strspn(next, " "), end = (int)strcspn(next, "\n");
    if (end == 0 || indent != meaning || (!is_row && indent) || (!is_row && find_meaning(next, end) != indent))
        return false;
    return is_row || length + 1 + (int)strcspn(next + indent, " \n") > FULL;
}

/* Appends lines of TERMINAL_TEXT_MOST columns to a narrower terminal: those that go on are joined and broken anew. */
static void append_narrow(const char *lines, struct text *out)
{
    for (const char *at = lines; *at;) {
        int length = (int)strcspn(at, "\n"), meaning = find_meaning(at, length);
        struct text words = {0};
        text_printf(out, length ? "  %.*s" : "%.*s", meaning, at);
        text_append(&words, at + meaning, (size_t)(length - meaning));
        const char *next = at + length + (at[length] == '\n');
        const bool is_row = meaning > (int)strspn(at, " ");
        while (*next && goes_on(length, is_row, meaning, next)) {
            int more = (int)strcspn(next, "\n"), indent = (int)strspn(next, " ");
            text_printf(&words, " %.*s", more - indent, next + indent);
            length = more;
            next += more + (next[more] == '\n');
        }
        if (words.length)
            cli_wrap(out, 2 + meaning, 2 + meaning, words.data);
        else
            text_printf(out, "\n");
        text_free(&words);
        at = next;
    }
}

static void append_sections(const struct cli_section *sections, struct text *out)
{
    for (const struct cli_section *s = sections; s && s->title; s++) {
        text_printf(out, "\n%s:\n", s->title);
        struct text lines = {0};
        if (s->write)
            s->write(&lines);
        else
            text_printf(&lines, "%s", s->text);
        if (terminal_text_columns() < TERMINAL_TEXT_MOST) {
            append_narrow(lines.data, out);
            text_free(&lines);
            continue;
        }
        for (const char *at = lines.data; *at; at += strcspn(at, "\n"), at += *at == '\n')
            text_printf(out, "%s%.*s\n", *at == '\n' ? "" : "  ", (int)strcspn(at, "\n"), at);
        text_free(&lines);
    }
}

static void append_option(const struct cli_option *o, struct text *out)
{
    struct text left = {0}, words = {0};
    text_printf(&left, "  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    text_printf(&words, "%s", o->meaning);
    if (o->initial && *o->initial)
        text_printf(&words, " Default: %s.", o->initial);
    if (left.length > OPTION_WIDTH)
        text_printf(out, "%s\n%*s", left.data, OPTION_WIDTH + 1, "");
    else
        text_printf(out, "%-*s ", OPTION_WIDTH, left.data);
    cli_wrap(out, OPTION_WIDTH + 1, OPTION_WIDTH + 1, words.data);
    text_free(&left);
    text_free(&words);
}

bool help_describe_run_option(const struct command *command, int index, struct options_about *about)
{
    for (int i = 0; options_describe(i, about); i++) {
        const struct cli_option *own = command ? command->options : NULL;
        const char *const *refused = command ? command->refused_options : NULL;
        while (own && own->name && strcmp(own->name, about->name))
            own++;
        while (refused && *refused && strcmp(*refused, about->name))
            refused++;
        bool is_left_out = (own && own->name) || (refused && *refused);
        if (!is_left_out && !index--)
            return true;
    }
    return false;
}

void help_append_run_options(const struct command *command, struct text *out)
{
    struct options_about about;
    for (int i = 0; help_describe_run_option(command, i, &about); i++)
        append_option(&(struct cli_option){about.name, about.value, about.meaning, about.initial}, out);
}

static void append_examples(const char *examples, struct text *out)
{
    text_printf(out, "\nExamples:\n");
    for (const char *at = examples; *at; at += strcspn(at, "\n"), at += *at == '\n')
        text_printf(out, "  %.*s\n", (int)strcspn(at, "\n"), at);
}

static void append_usage(const char *usage, struct text *out)
{
    for (const char *at = usage; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        struct text line = {0};
        text_append(&line, at, strcspn(at, "\n"));
        cli_wrap(out, 0, 4, line.data);
        text_free(&line);
    }
    text_printf(out, "\n");
}

void help_print_command(const struct command *command, FILE *out)
{
    struct text t = {0};
    append_usage(command->usage, &t);
    cli_wrap(&t, 0, 0, command->description);
    text_printf(&t, "\nOptions:\n");
    for (const struct cli_option *o = command->options; o->name; o++)
        append_option(o, &t);
    if (command->has_run_options)
        help_append_run_options(command, &t);
    append_option(&(struct cli_option){"--help, -h", NULL, "Prints this text.", NULL}, &t);
    append_sections(command->sections, &t);
    append_examples(command->examples, &t);
    append_statuses(command, &t);
    fputs(t.data, out);
    text_free(&t);
}

void help_print_overview(FILE *out)
{
    struct text t = {0};
    text_printf(&t, "heddle COMMAND [OPTIONS]\n\n");
    cli_wrap(&t, 0, 0, help_description);
    text_printf(&t, "\nCommands:\n");
    for (const struct command *const *c = command_table; *c; c++) {
        text_printf(&t, "  %-*s ", NAME_WIDTH, (*c)->name);
        cli_wrap(&t, NAME_WIDTH + 3, NAME_WIDTH + 3, (*c)->summary);
    }
    text_printf(&t,
                "\nOptions:\n  %-*s Prints this text; behind a command, the help of that command.\n"
                "  %-*s Prints the version.\n",
                NAME_WIDTH + 2, "--help, -h", NAME_WIDTH + 2, "--version");
    append_sections(help_sections, &t);
    append_examples("heddle run examples/trips.ptx --grid 4 --block 128 --arg 'buf:u32[512]' --print 0:8\n"
                    "heddle exec --gpu fermi --mech tbc -- ./program arguments\n"
                    "heddle compare bfs2 --size small --mech pdom,tbc,volta --gpu fermi\n"
                    "heddle help run\n"
                    "heddle help words\n",
                    &t);
    append_statuses(NULL, &t);
    fputs(t.data, out);
    text_free(&t);
}

/* ---- the command ---- */

static const struct cli_option option_table[] = {
    {"--man", "COMMAND", "Writes the manual page of a command in roff, or of heddle itself: --man heddle.", NULL},
    {"--completion", "bash|zsh", "Writes a script by which the shell completes commands, options and names.", NULL},
    {NULL, NULL, NULL, NULL},
};

static int print_man(const char *name)
{
    struct text t = {0};
    const struct command *command = command_find(name);
    if (!command && strcmp(name, "heddle"))
        return cli_misuse("help", "--man takes heddle or a command, not '%s'; see heddle list commands", name);
    help_write_man(command, &t);
    fputs(t.data, stdout);
    text_free(&t);
    return STATUS_OK;
}

static int print_completion(const char *shell)
{
    struct text t = {0};
    if (!help_write_completion(shell, &t))
        return cli_misuse("help", "--completion takes bash or zsh, not '%s'", shell);
    fputs(t.data, stdout);
    text_free(&t);
    return STATUS_OK;
}

static int unknown_name(const char *name)
{
    const char *best = "words";
    for (const struct command *const *c = command_table; *c; c++)
        if (text_distance(name, (*c)->name) < text_distance(name, best))
            best = (*c)->name;
    for (const struct word *w = word_table; w->name; w++)
        if (text_distance(name, w->name) < text_distance(name, best))
            best = w->name;
    char hint[TEXT_HINT];
    return cli_misuse("help", "there is no command and no word '%s'%s; heddle help words prints all words", name,
                      text_hint(name, best, hint));
}

/* The help of a command, the glossary, or one word of the glossary. */
static int print_about(const char *name)
{
    const struct command *command = command_find(name);
    if (command) {
        help_print_command(command, stdout);
        return STATUS_OK;
    }
    const struct word *word = word_find(name);
    if (!word && strcmp(name, "words"))
        return unknown_name(name);
    struct text t = {0};
    if (word)
        word_append_text(word, &t);
    else
        words_append_text(&t);
    fputs(t.data, stdout);
    text_free(&t);
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct text name = {0}; /* a word of the glossary may have several parts: active mask */
    const char *value;
    int status = STATUS_OK;
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        if (word[0] != '-') {
            text_printf(&name, "%s%s", name.length ? " " : "", argv[i++]);
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (!o)
            status = cli_unknown_option("help", option_table, word);
        else if (o == &option_table[0])
            status = print_man(value ? value : "heddle");
        else
            status = value ? print_completion(value) : cli_misuse("help", "%s needs a value: %s", o->name, o->value);
        text_free(&name);
        return status;
    }
    if (name.length)
        status = print_about(name.data);
    else
        help_print_overview(stdout);
    text_free(&name);
    return status;
}

const struct command help_command = {
    .name = "help",
    .summary = "explain a command, or a word that heddle uses",
    .usage = "heddle help [COMMAND | words | WORD]\n"
             "heddle help --man [heddle | COMMAND]\n"
             "heddle help --completion bash|zsh",
    .description =
        "Prints the help of a command, as COMMAND --help does; the glossary (words); or what one word of the "
        "glossary means. Manual pages and scripts for shells are written from the same tables.",
    .options = option_table,
    .examples = "heddle help run\n"
                "heddle help active mask\n"
                "heddle help --man run | man -l -\n"
                "source <(heddle help --completion bash)\n",
    .run = run,
};
