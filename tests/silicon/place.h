/* A few bytes of each thread's own in some state space, to load from, store to, and take the address of. */
#ifndef HEDDLE_TESTS_PLACE_H
#define HEDDLE_TESTS_PLACE_H

#include "base/random.h"
#include "emit.h"

struct place {
    enum mod space; /* MOD_NONE: addressed generically, and global in truth */
    unsigned bytes; /* a power of two, up to 16 */
    int arg;        /* the argument that first held the bytes, or -1: they are in the module's text */
    uint8_t *data;  /* that argument's; a thread's bytes follow each other, except in param and const space */
};

/*
 * Makes the place with random contents; %place becomes its address, in the space's own terms. A place that
 * is `kept` is compared after the launch where it lies in global memory; elsewhere place_keep() copies it.
 */
struct place place_make(struct emitter *e, enum mod space, unsigned bytes, bool kept, struct random *random);
void place_keep(struct emitter *e, const struct place *place);

#endif
