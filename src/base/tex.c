/* What all pictures in LaTeX share: see tex.h. */
#include "base/tex.h"

#include <string.h>

void tex_escape(const char *words, struct text *out)
{
    for (; *words; words++) {
        unsigned char c = (unsigned char)*words;
        if (strchr("#$%&_{}", c))
            text_printf(out, "\\%c", c);
        else if (c == '\\')
            text_printf(out, "\\textbackslash{}");
        else if (c == '^' || c == '~')
            text_printf(out, "\\%c{}", c);
        else if (c == '<' || c == '>' || c == '|')
            text_printf(out, "$%c$", c);
        else
            text_append(out, c < ' ' || c >= 0x7f ? "?" : words, 1);
    }
}
