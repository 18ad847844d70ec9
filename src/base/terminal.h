/* What the terminal can show: its width, and whether it wants colours. */
#ifndef HEDDLE_BASE_TERMINAL_H
#define HEDDLE_BASE_TERMINAL_H

#include <stdbool.h>

enum {
    TERMINAL_LEAST = 40,     /* narrower widths count as this one */
    TERMINAL_MOST = 1000,    /* and wider ones as this one */
    TERMINAL_COLUMNS = 100,  /* the width where there is no terminal and no COLUMNS */
    TERMINAL_TEXT_MOST = 100 /* sentences and tables of words are no wider than this on any terminal */
};

/* The width of lines, in columns: what the variable COLUMNS says, else what the terminal behind stdout says, else
 * TERMINAL_COLUMNS, as in a pipe or a file. */
int terminal_columns(void);
/* Likewise for the terminal behind another file descriptor; 0 if there is none, COLUMNS or not. */
int terminal_columns_at(int fd);
/* The width of sentences and tables of words: terminal_columns(), but no more than TERMINAL_TEXT_MOST. */
int terminal_text_columns(void);
/* Whether the terminal behind the file descriptor shows colours. False for pipes and files, for TERM=dumb, and if the
 * variable NO_COLOR is set to anything but the empty text (no-color.org). */
bool terminal_has_colour(int fd);

#endif
