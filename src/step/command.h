/*
 * Commands of the stepper: one line of text each, as users type them and scripts hold them.
 *
 * A command is a word, perhaps with an argument. The word may be cut short as long as one command alone begins with it;
 * each command also has a letter, which goes before such beginnings. `back` in front of a goal looks backwards. A line
 * that begins with # is a remark.
 */
#ifndef HEDDLE_STEP_COMMAND_H
#define HEDDLE_STEP_COMMAND_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum step_verb {
    STEP_NOTHING, /* a remark */
    STEP_REPEAT,  /* an empty line: the last command again */
    /* goals: where to go */
    STEP_STEP,
    STEP_BACK,
    STEP_GOTO,
    STEP_CYCLE,
    STEP_LINE,
    STEP_BLOCK,
    STEP_DIVERGE,
    STEP_MEET,
    STEP_BARRIER,
    STEP_RUN,
    STEP_RESTART,
    /* what to look at */
    STEP_WARP,
    STEP_WHERE,
    STEP_SOURCE,
    STEP_LANES,
    STEP_STATE,
    STEP_REGS,
    STEP_PRINT,
    /* the session */
    STEP_HELP,
    STEP_NEXT,
    STEP_QUIT,
    STEP_VERBS
};

enum { STEP_WORD = 128 }; /* longest argument, with its end */

struct step_command {
    enum step_verb verb;
    bool is_back;         /* of a goal: look backwards */
    bool has_number;      /* the argument is a number, or has one */
    uint64_t number;      /* 1 for goals that may be given without a number */
    char word[STEP_WORD]; /* the argument, or what stands before the number: a file, a block, a register; "": none */
};

/* Reads a line, which may end with a newline. False and an error text (freed by the caller). */
bool step_read_command(const char *line, struct step_command *command, char **error);
/* Appends a table of all commands: word, letter, argument and meaning, in lines of at most 100 columns. */
void step_describe_commands(struct text *out);

#endif
