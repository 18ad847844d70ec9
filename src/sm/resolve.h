/*
 * What follows from an instruction that is done: a control instruction resolves, a mechanism that is called after every
 * instruction hears of a straight one, and a block whose threads have ended leaves the multiprocessor.
 */
#ifndef HEDDLE_SM_RESOLVE_H
#define HEDDLE_SM_RESOLVE_H

struct resident;
struct sm;
struct strand;

/* The strand's control instruction resolves: the mechanism hears where its threads go. */
void resolve_control(struct sm *sm, struct strand *s);
/* The strand's straight instruction is done. Only for mechanisms that are called after every instruction. */
void resolve_straight(struct sm *sm, struct strand *s);
/* The block's threads have ended, and its bulk copies are done. */
void resolve_block_end(struct sm *sm, struct resident *r);

#endif
