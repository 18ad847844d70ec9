/* Words of a text: see words.h. */
#include "base/words.h"

#include <stddef.h>
#include <string.h>

bool words_next(char **at, char **word)
{
    char *from = *at, *to;
    while (*from == ' ' || *from == '\t' || *from == '\n')
        from++;
    *word = to = from;
    if (!*from) {
        *word = NULL;
        *at = from;
        return true;
    }
    char quote = 0;
    for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
        if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = quote ? 0 : *from;
        else
            *to++ = *from;
    }
    *at = *from ? from + 1 : from;
    *to = '\0';
    return !quote;
}
