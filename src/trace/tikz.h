/*
 * Lanes by time as a TikZ picture, for papers.
 *
 * The picture shows what trace_print_svg() shows, in the same colours: one strip of lanes per issue port, one
 * column per cycle, the letter of the basic block where there is room, bars with the strands, and a legend. It is a
 * document of its own (class standalone), so that pdflatex makes a PDF of it; a paper can also take the tikzpicture
 * alone, with the colours defined above it.
 */
#ifndef HEDDLE_TRACE_TIKZ_H
#define HEDDLE_TRACE_TIKZ_H

#include "trace/trace.h"

/* Of the view, `columns`, `is_coloured`, `is_compressed` and `is_merged` do not matter. `title` stands above the lanes;
 * NULL: none. */
void trace_print_tikz(const struct trace *t, const struct trace_view *view, const char *title, struct text *out);

#endif
