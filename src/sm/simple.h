/*
 * Issue of simple instructions: those that a lane handler computes, and direct branches. They access no memory and wait
 * for no other thread.
 *
 * Most instructions are simple, so this file does for them what issue.c does for all, without what only others need.
 * Only machines with shortcuts.issues_simple come here: those whose issue has no traits, with the exact scoreboard and
 * a scheduler whose strands stay ready in place, under mechanisms that keep the threads of a warp together.
 */
#ifndef HEDDLE_SM_SIMPLE_H
#define HEDDLE_SM_SIMPLE_H

struct plan;
struct sm;
struct strand;

/* Issues the strand's next instruction, which is simple and has the plan `p`. */
void simple_issue(struct sm *sm, struct strand *s, const struct plan *p, int port);

#endif
