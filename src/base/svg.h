/* What all pictures in SVG share: escaped text, and the colours of things that must be told apart. */
#ifndef HEDDLE_BASE_SVG_H
#define HEDDLE_BASE_SVG_H

#include "base/text.h"

enum { SVG_COLOURS = 20 };
/* Ten colours that differ for most eyes, then paler ones of the same hues. */
extern const char *const svg_colours[SVG_COLOURS];

/* Appends a text as the content of an element or of an attribute in double quotes. Bytes that are not printable ASCII
 * become question marks, since they need not be UTF-8. */
void svg_escape(const char *s, struct text *out);

#endif
