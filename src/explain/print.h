/* What was found, for people and as JSON. */
#ifndef HEDDLE_EXPLAIN_PRINT_H
#define HEDDLE_EXPLAIN_PRINT_H

#include "explain/finding.h"

/* A mechanism that ran on the machine. */
struct explain_mechanism {
    const char *name;
    struct evidence result;
};

struct explanation {
    const struct findings *findings;
    const char *target, *gpu; /* gpu: NULL if there is none */
    const struct explain_mechanism *mechanisms;
    int mechanism_count;
    int columns; /* width of the text */
};

void explanation_print(const struct explanation *e, struct text *out);
void explanation_print_json(const struct explanation *e, struct text *out);
/* The mechanism with the fewest cycles for the kernel; NULL: none is faster than the plain run. */
const struct explain_mechanism *explanation_best(const struct explanation *e, int kernel, double *gain);

#endif
