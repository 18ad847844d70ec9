/* Texts that are cut into words at blanks; quotes of either kind keep blanks in a word, and are removed. */
#ifndef HEDDLE_BASE_WORDS_H
#define HEDDLE_BASE_WORDS_H

#include <stdbool.h>

/* Cuts the next word off, in place, and moves *at behind it; *word is NULL if there is none. False: a quote is not
 * closed. */
bool words_next(char **at, char **word);

#endif
