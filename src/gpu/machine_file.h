/* What machine.c offers to machine_file.c alone. */
#ifndef HEDDLE_GPU_MACHINE_FILE_H
#define HEDDLE_GPU_MACHINE_FILE_H

#include "gpu/machine.h"

struct machine *machine_create(const char *name); /* every knob at its default */
/* Sets a knob of a section: "sm", "warp_width", "16". On failure false and an error text, which the caller frees. */
bool machine_set_knob(struct machine *m, const char *section, const char *knob, const char *value, char **error);

#endif
