/* The glossary: words of heddle and of the literature, from words.def. */
#ifndef HEDDLE_CLI_WORDS_H
#define HEDDLE_CLI_WORDS_H

#include "base/text.h"

#include <stdbool.h>

struct word {
    const char *name;
    const char *meaning;   /* one sentence */
    const char *elsewhere; /* how papers and vendors say it; "" if they use the word */
    bool is_ours;          /* heddle's own word, which no paper has */
};

/* In alphabetical order; the last has no name. */
extern const struct word word_table[];

const struct word *word_find(const char *name); /* whatever the case of its letters; NULL: there is none */
void word_append_text(const struct word *word, struct text *out);
void words_append_text(struct text *out);
void words_append_markdown(struct text *out); /* docs/glossary.md */

#endif
