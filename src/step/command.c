/* Commands of the stepper, from one table: reading and help. See command.h. */
#include "step/command.h"

#include "base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum argument_kind {
    NO_ARGUMENT,
    MAYBE_COUNT, /* a number from 1 on, which may be left out */
    NUMBER,      /* a number from 0 on */
    MAYBE_NUMBER,
    MAYBE_NUMBER_OR_ALL,
    LINE, /* N or FILE:N */
    WORD
};

struct command_row {
    enum step_verb verb;
    const char *name;
    char letter;
    bool is_goal; /* may stand behind `back` */
    enum argument_kind argument;
    const char *shown; /* the argument in help texts */
    const char *meaning;
};

static const struct command_row table[] = {
    {STEP_STEP, "step", 's', false, MAYBE_COUNT, "[N]", "goes N issues forward"},
    {STEP_BACK, "back", 'b', false, MAYBE_COUNT, "[N]",
     "goes N issues back; back GOAL: to the last issue of that kind"},
    {STEP_GOTO, "goto", 'g', false, NUMBER, "N", "goes to issue N, forward or back"},
    {STEP_CYCLE, "cycle", 'c', false, NUMBER, "N", "goes to the first issue in cycle N or later, forward or back"},
    {STEP_LINE, "line", 'l', true, LINE, "[FILE:]N", "to where line N begins, of the source or else of the PTX; ptx:N"},
    {STEP_BLOCK, "block", 'k', true, WORD, "NAME", "to where a basic block begins, by name or label"},
    {STEP_DIVERGE, "diverge", 'd', true, NO_ARGUMENT, "", "to the branch at which threads of an issue part"},
    {STEP_MEET, "meet", 'm', true, NO_ARGUMENT, "", "to where threads of a warp that were apart issue together again"},
    {STEP_BARRIER, "barrier", 'a', true, NO_ARGUMENT, "", "to an instruction at which threads wait for their block"},
    {STEP_RUN, "run", 'r', false, NO_ARGUMENT, "", "to the end of the launch"},
    {STEP_RESTART, "restart", 't', false, NO_ARGUMENT, "", "to the first issue"},
    {STEP_WARP, "warp", 'f', false, MAYBE_NUMBER_OR_ALL, "[W|all]", "stops only at issues of warp W, or of all warps"},
    {STEP_WHERE, "where", 'w', false, NO_ARGUMENT, "", "shows this stop again"},
    {STEP_SOURCE, "source", 'o', false, NO_ARGUMENT, "", "shows the lines around this one"},
    {STEP_LANES, "lanes", 'n', false, MAYBE_NUMBER, "[W]", "shows where each thread of the warp is"},
    {STEP_STATE, "state", 'x', false, NO_ARGUMENT, "", "shows the mechanism's stacks and tables of all warps"},
    {STEP_REGS, "regs", 'v', false, MAYBE_NUMBER, "[LANE]", "shows the registers of the thread in a lane"},
    {STEP_PRINT, "print", 'p', false, WORD, "REG", "shows a register in all lanes of this issue: print %r5"},
    {STEP_HELP, "help", 'h', false, NO_ARGUMENT, "", "shows this table"},
    {STEP_NEXT, "next", 'e', false, NO_ARGUMENT, "", "leaves this launch; a program goes on to its next one"},
    {STEP_QUIT, "quit", 'q', false, NO_ARGUMENT, "", "ends; a program goes on without stops"},
};

enum { ROWS = sizeof table / sizeof *table };

/* Cuts the next word off the line. The word may be empty. */
static void take_word(const char **at, char word[STEP_WORD])
{
    *at += strspn(*at, " \t\r\n");
    size_t length = strcspn(*at, " \t\r\n");
    snprintf(word, STEP_WORD, "%.*s", (int)(length < STEP_WORD ? length : STEP_WORD - 1), *at);
    *at += length;
}

static const struct command_row *nearest(const char *word)
{
    const struct command_row *best = &table[0];
    for (int i = 1; i < ROWS; i++)
        if (text_distance(word, table[i].name) < text_distance(word, best->name))
            best = &table[i];
    return best;
}

/* The command that a word means: by its letter, its name, or the beginning of its name. NULL and an error text. */
static const struct command_row *find(const char *word, char **error)
{
    const struct command_row *found = NULL;
    size_t length = strlen(word);
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(word, table[i].name) || (length == 1 && *word == table[i].letter))
            return &table[i];
    for (int i = 0; i < ROWS; i++) {
        if (strncmp(word, table[i].name, length))
            continue;
        if (found) {
            diag_fail(error, "'%s' may be %s or %s", word, found->name, table[i].name);
            return NULL;
        }
        found = &table[i];
    }
    char hint[TEXT_HINT];
    if (!found)
        diag_fail(error, "there is no command '%s'%s; help lists them", word,
                  text_hint(word, nearest(word)->name, hint));
    return found;
}

static bool read_number(const char *word, uint64_t *number)
{
    char *end;
    if (*word < '0' || *word > '9')
        return false;
    errno = 0;
    *number = strtoull(word, &end, 10);
    return !*end && !errno;
}

static bool read_line_argument(struct step_command *c, const char *word)
{
    const char *colon = strrchr(word, ':');
    snprintf(c->word, sizeof c->word, "%.*s", colon ? (int)(colon - word) : 0, word);
    return (!colon || colon > word) && read_number(colon ? colon + 1 : word, &c->number) && c->number;
}

static bool read_argument(const struct command_row *row, struct step_command *c, const char *word)
{
    switch (row->argument) {
    case NO_ARGUMENT:
        return !*word;
    case MAYBE_COUNT:
        c->has_number = *word;
        return !*word || (read_number(word, &c->number) && c->number);
    case NUMBER:
        c->has_number = true;
        return read_number(word, &c->number);
    case MAYBE_NUMBER_OR_ALL:
        c->has_number = *word && strcmp(word, "all");
        return !c->has_number || read_number(word, &c->number);
    case MAYBE_NUMBER:
        c->has_number = *word;
        return !*word || read_number(word, &c->number);
    case LINE:
        c->has_number = true;
        return read_line_argument(c, word);
    case WORD:
        snprintf(c->word, sizeof c->word, "%s", word);
        return *word;
    }
    return false;
}

bool step_read_command(const char *line, struct step_command *command, char **error)
{
    char word[STEP_WORD], argument[STEP_WORD], more[STEP_WORD];
    *command = (struct step_command){.verb = STEP_NOTHING, .number = 1};
    take_word(&line, word);
    if (*word == '#')
        return true;
    if (!*word) {
        command->verb = STEP_REPEAT;
        return true;
    }
    const struct command_row *row = find(word, error);
    if (!row)
        return false;
    take_word(&line, argument);
    uint64_t count;
    if (row->verb == STEP_BACK && *argument && !read_number(argument, &count)) {
        row = find(argument, error);
        if (!row)
            return false;
        if (!row->is_goal)
            return diag_fail(error, "back takes a number or a goal: line, block, diverge, meet or barrier, not %s",
                             row->name);
        command->is_back = true;
        take_word(&line, argument);
    }
    take_word(&line, more);
    command->verb = row->verb;
    if (*more || !read_argument(row, command, argument))
        return diag_fail(error, "%s takes %s, not '%s%s%s'", row->name, *row->shown ? row->shown : "no argument",
                         argument, *more ? " " : "", more);
    return true;
}

void step_describe_commands(struct text *out)
{
    for (int i = 0; i < ROWS; i++) {
        char words[32];
        snprintf(words, sizeof words, "%s %s", table[i].name, table[i].shown);
        text_printf(out, "%-16s %c  %s\n", words, table[i].letter, table[i].meaning);
    }
    text_printf(out, "An empty line repeats the last command. A line that begins with # is a remark.\n");
}
