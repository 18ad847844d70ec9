/* Address conversion: cvta, cvta.to and isspacep. */
#ifndef HEDDLE_EXEC_ADDRESS_H
#define HEDDLE_EXEC_ADDRESS_H

#include "exec/engine.h"

/* Converts the addresses of the threads `mask` of the row at work. No address faults here, only when it is accessed. */
void address_execute(struct engine *e, const struct bound *in, uint32_t mask);

#endif
