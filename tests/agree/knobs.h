/* Machines nobody would build: knobs drawn at random, to show that none of them changes what a program computes. */
#ifndef HEDDLE_TESTS_KNOBS_H
#define HEDDLE_TESTS_KNOBS_H

#include "base/random.h"
#include "base/text.h"
#include "gpu/machine.h"

/* Sets some knobs of the machine and of the mechanism (`table` may be NULL) to values within their ranges; what was set
 * goes to `drawn`. The machine passes machine_check() after, and has room for what had room before. */
void knobs_draw(struct random *random, struct machine *machine, const struct knob_table *table, void *values,
                struct text *drawn);

#endif
