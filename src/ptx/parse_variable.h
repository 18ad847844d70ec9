/* What the two files about variables share. */
#ifndef HEDDLE_PTX_PARSE_VARIABLE_H
#define HEDDLE_PTX_PARSE_VARIABLE_H

#include "ptx/parse.h"

/* What is behind the `=`; sizes an unsized array. */
bool parse_initialiser(struct parser *p, struct ptx_variable *v);

#endif
