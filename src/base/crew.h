/*
 * A crew: host threads that do one piece of work together, again and again. crew_run() gives every member the same
 * function and returns when all have come back from it. The caller is member 0.
 *
 * Pieces of work may be as short as a microsecond, so members first spin for the next piece, and sleep only when none
 * comes for a while. On a host whose cores are all busy they sleep soon.
 */
#ifndef HEDDLE_BASE_CREW_H
#define HEDDLE_BASE_CREW_H

typedef void crew_fn(void *context, int member);

struct crew;

/* Fewer members than asked for, if the host gives no more threads. NULL: the caller would be the only one. */
struct crew *crew_create(int members);
void crew_destroy(struct crew *crew); /* NULL is allowed */
/* Members, the caller included. 1 of NULL, and after fork() in the child, where the other threads do not exist: the
 * child may only destroy the crew. */
int crew_size(const struct crew *crew);
/* What members wrote before crew_run() or in it is seen by the caller behind it, and by all members in the next. Of
 * NULL: calls the function for member 0. */
void crew_run(struct crew *crew, crew_fn *fn, void *context);

/* Host cores that this process may use, and that no other process keeps busy at this moment; at least 1. */
int crew_idle_cores(void);

#endif
