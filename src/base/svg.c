/* What all pictures in SVG share: see svg.h. */
#include "base/svg.h"

const char *const svg_colours[SVG_COLOURS] = {
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#9c755f", "#3fa7a0", "#d4a017", "#d37295", "#79706e",
    "#86a9cc", "#f7bd83", "#94c68c", "#ef9fa0", "#d0afc7", "#c4a995", "#86cbc6", "#e8cb76", "#e6aabf", "#aaa3a1",
};

void svg_escape(const char *s, struct text *out)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '<' || c == '>' || c == '&' || c == '"')
            text_printf(out, "&#%d;", c);
        else
            text_append(out, c < ' ' || c >= 0x7f ? "?" : s, 1);
    }
}
