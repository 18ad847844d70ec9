/* Shared by parse_variable.c and parse_initialiser.c. */
#ifndef HEDDLE_PTX_PARSE_VARIABLE_H
#define HEDDLE_PTX_PARSE_VARIABLE_H

#include "ptx/parse.h"

/* Parses the initialiser behind the `=`. An array without a size gets the size of its initialiser. */
bool parse_initialiser(struct parser *p, struct ptx_variable *v);

#endif
