/* Accesses to the memory system: strands of one cycle's issue group join an access, the access is sent, replies
 * come. */
#ifndef HEDDLE_SM_ACCESS_H
#define HEDDLE_SM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct sm;
struct step_access;
struct strand;

/* The strand's accesses `a`, which step_note_accesses() found, join the cycle's access. False: `a` differs from the
 * cycle's access in kind or size, or has too many lanes for it. */
bool access_join(struct sm *sm, struct strand *s, const struct plan *p, const struct step_access *a, bool wants_reply);
void access_send(struct sm *sm); /* sends the cycle's access, if there is one */
void access_take_replies(struct sm *sm);
void access_take_ideal_reply(struct sm *sm, int32_t ticket); /* ideal memory has answered the access */

#endif
