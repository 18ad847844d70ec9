/* What runs counted at the blocks and branches of a program, for its picture: from the JSON lines (--json) of the
 * runs. */
#ifndef HEDDLE_RUN_HEAT_H
#define HEDDLE_RUN_HEAT_H

#include "flow/print_svg.h"

/* The counts of all lines of the file that are about this program, added up. A block's active lanes are those of the
 * source line of its first instruction if the lines have the table of source lines (--stats lines), else those of the
 * branch that ends the block. NULL and an error text (freed by the caller) if the file cannot be read or has no line
 * about this program. */
struct flow_heat *heat_read(const char *path, const struct program *program, char **error);
void heat_destroy(struct flow_heat *heat);

#endif
