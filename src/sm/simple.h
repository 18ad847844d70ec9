/*
 * Issue of simple instructions: those that a lane handler computes, and direct branches. They access no memory and wait
 * for no other thread.
 *
 * Most instructions are simple, so this file does for them what issue.c does for all, without what only others need.
 * Only multiprocessors with shortcuts.issues_simple come here: a strand takes all lanes of its port, and the scoreboard
 * is the exact one or off.
 */
#ifndef HEDDLE_SM_SIMPLE_H
#define HEDDLE_SM_SIMPLE_H

struct plan;
struct sm;
struct strand;

/* Issues the strand's next instruction, which is simple and has the plan `p`. */
void simple_issue(struct sm *sm, struct strand *s, const struct plan *p, int port);

#endif
