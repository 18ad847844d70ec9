/* What all pictures in LaTeX share. */
#ifndef HEDDLE_BASE_TEX_H
#define HEDDLE_BASE_TEX_H

#include "base/text.h"

/* Appends words with TeX's own characters escaped. Bytes that are not printable ASCII become question marks, since they
 * need not be UTF-8. */
void tex_escape(const char *words, struct text *out);

#endif
