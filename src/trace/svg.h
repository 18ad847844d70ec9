/*
 * Lanes by time as a picture in SVG, for pages and slides.
 *
 * A picture shows one multiprocessor. Each issue port has a strip with one row per lane and one column per cycle. A
 * cell has the colour of the basic block that its thread executes; the cell is pale where an issue holds the lane
 * without a thread, and empty where no issue holds the lane. A bar below the strip names the strand that issues.
 * Colours follow the place of a block in the program, so pictures of one program under several mechanisms agree. The
 * scale depends on the window alone, so pictures with equal windows can be compared by eye. Text is grey and the
 * background is transparent, which reads well on light and on dark pages.
 */
#ifndef HEDDLE_TRACE_SVG_H
#define HEDDLE_TRACE_SVG_H

#include "trace/trace.h"

#include <stdbool.h>

/* One picture as a whole document. Of the view, `columns`, `is_compressed` and `is_merged` do not matter: every cycle
 * of the window has its column. `title` stands above the lanes; NULL: none. */
void trace_print_svg(const struct trace *t, const struct trace_view *view, const char *title, struct text *out);

/* One document with the pictures of several documents of trace_print_svg(), the first at the top. A legend that is also
 * the next picture's stands once, below the last of these pictures. False if a text is no such document. */
bool trace_join_svg(char *const *documents, int count, struct text *out);

#endif
