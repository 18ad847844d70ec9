/* What mechanisms may ask of the multiprocessor: the calls of struct div_host, which create, change and retire
 * strands. */
#ifndef HEDDLE_SM_HOST_H
#define HEDDLE_SM_HOST_H

#include <stdint.h>

struct sm;
struct strand;

/* Fills in the calls of `sm->host`, and the facts that the machine's configuration gives. sm_create() fills in the
 * facts that the launch gives: the program, barriers and likely points. */
void host_open(struct sm *sm);
/* A new strand, which has no threads yet. */
struct strand *host_make_strand(struct sm *sm, int32_t pc, int32_t depth, int32_t lineage);
/* An instruction of the strand is done. If the mechanism waits for the strand to drain and all its instructions are
 * done, the mechanism is told. */
void host_check_drain(struct sm *sm, struct strand *s);

#endif
