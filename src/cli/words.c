/* The glossary as text and as docs/glossary.md. */
#include "cli/words.h"

#include "cli/cli.h"

#include <strings.h>

enum { WORD_WIDTH = 25, WORD_FIELD = 0, WORD_OURS = 1 };

const struct word word_table[] = {
#define WORD(kind, name, meaning, elsewhere) {name, meaning, elsewhere, WORD_##kind},
#include "cli/words.def"
#undef WORD
    {NULL, NULL, NULL, false},
};

const struct word *word_find(const char *name)
{
    for (const struct word *w = word_table; w->name; w++)
        if (!strcasecmp(w->name, name))
            return w;
    return NULL;
}

void word_append_text(const struct word *word, struct text *out)
{
    struct text words = {0};
    text_printf(&words, "%s%s%s%s", word->meaning, word->is_ours ? " A word of heddle's own." : "",
                *word->elsewhere ? " " : "", word->elsewhere);
    text_printf(out, "%-*s ", WORD_WIDTH, word->name);
    cli_wrap(out, WORD_WIDTH + 1, WORD_WIDTH + 1, words.data);
    text_free(&words);
}

void words_append_text(struct text *out)
{
    for (const struct word *w = word_table; w->name; w++)
        word_append_text(w, out);
}

void words_append_markdown(struct text *out)
{
    text_printf(
        out, "# Glossary\n\n"
             "The words of heddle and of the literature that it uses. This page is written by\n"
             "`heddle list words --markdown` from `src/cli/words.def`; edit that. A word in *italics* is heddle's own: "
             "the field\nhas none for the thing.\n\n"
             "| word | meaning | elsewhere |\n|---|---|---|\n");
    for (const struct word *w = word_table; w->name; w++) {
        const char *mark = w->is_ours ? "*" : "";
        text_printf(out, "| %s%s%s | %s | %s |\n", mark, w->name, mark, w->meaning, w->elsewhere);
    }
}
