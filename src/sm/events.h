/* Events of the wheel that are due, apart from wake-ups as bits (sm/wheel.h). */
#ifndef HEDDLE_SM_EVENTS_H
#define HEDDLE_SM_EVENTS_H

struct sm;

/* Takes the first list of the wheel; there must be one. A wake-up counts only if the strand still exists and has asked
 * for no other wake-up since. In a file of its own, so that the loop of cycles, which is inline, keeps its
 * registers: most events are wake-ups as bits. */
void events_take(struct sm *sm);

#endif
