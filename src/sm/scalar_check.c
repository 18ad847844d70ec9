/* With sm.scalar=check: compares what the threads of a strand read before it issues a scalar instruction. */
#include "base/diag.h"
#include "sm/internal.h"

#include <string.h>

enum { PREDICATE_BYTES = 4 }; /* of a lane in the plane of a predicate */

/* Panics if the lanes of the strand's threads differ in the plane. `bytes`: of one lane. */
static void check_plane(const struct sm *sm, const struct strand *s, int32_t plane, size_t bytes)
{
    const uint8_t *first = NULL;
    for (int i = 0; i < s->threads.count; i++) {
        const uint8_t *lanes = sm->residents.rows[s->threads.part[i].row]->planes + (size_t)plane * PLANE_BYTES;
        for (uint32_t left = s->threads.part[i].mask; left; left &= left - 1) {
            const uint8_t *lane = lanes + (size_t)bits_lowest(left) * bytes;
            first = first ? first : lane;
            if (memcmp(first, lane, bytes) != 0)
                panic("%s: the scalar instruction at PC %d reads different values of plane %d", sm->ops->name, s->pc,
                      plane);
        }
    }
}

void issue_check_scalar(const struct sm *sm, const struct strand *s)
{
    const struct insn *in = &sm->host.facts.program->insns[s->pc];
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i].kind == REF_PLANE)
            check_plane(sm, s, in->source[i].plane,
                        in->source[i].bits == 1 ? PREDICATE_BYTES : (size_t)in->source[i].bits / 8);
    if (in->guard >= 0)
        check_plane(sm, s, in->guard, PREDICATE_BYTES);
}
