/*
 * Places: where an instruction comes from, in the one wording that messages, tables and files use.
 *
 * With a line table (nvcc -lineinfo) a place is a line of the source, "kernel.cu:12"; without one, a line of the PTX
 * text, "PTX line 40". Code that was inlined from a header of the CUDA toolkit or of clang stands at the line of the
 * user's file that called it; if no user's file called it, at its own.
 */
#ifndef HEDDLE_PTX_PLACE_H
#define HEDDLE_PTX_PLACE_H

#include "ptx/module.h"

struct ptx_place {
    const char *path; /* of the source file, as the line table has it; NULL: there is no line table */
    int line, column; /* in the source file, or in the PTX text if there is no source file (column 0) */
    int ptx_line;     /* in the PTX text */
};

/* The place of an instruction: its index into the module's locations (-1: none), and its line in the PTX text. */
struct ptx_place ptx_place(const struct ptx_module *module, int32_t location, int32_t ptx_line);

/* Writes "kernel.cu:12" or "PTX line 40" into `buffer`, and returns `buffer`. */
const char *ptx_place_print(const struct ptx_place *place, char *buffer, size_t size);
/* The same with the line of the PTX text beside that of the source: "kernel.cu:12 (PTX line 40)" or "PTX line 40". */
const char *ptx_place_print_both(const struct ptx_place *place, char *buffer, size_t size);

#endif
