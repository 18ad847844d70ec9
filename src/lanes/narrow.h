/* The control constants of instructions with more forms than there are handlers: see lanes_control(). */
#ifndef HEDDLE_LANES_NARROW_H
#define HEDDLE_LANES_NARROW_H

#include "flow/program.h"

/* Whether the instruction is one of the file's, and if so its form as a constant. */
bool narrow_control(const struct insn *insn, uint64_t *control); /* narrow.c */
bool video_control(const struct insn *insn, uint64_t *control);  /* video.c */

#endif
