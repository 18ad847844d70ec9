/*
 * Exits: threads that branch to a lone `ret` return at once.
 *
 * ptxas writes `@P0 EXIT` (in a function `@P0 RET`) where PTX has a guarded branch to a block that holds nothing but
 * `ret`, and ends each of several paths to such a block with an EXIT of its own. So there is no place in the function
 * at which those threads reconverge; those of a function reconverge behind its call.
 */
#include "lower/body.h"

void body_end_threads(struct body *body)
{
    for (int i = 0; i < body->count; i++) {
        int32_t target = body_target(body, i);
        if (target < 0 || target >= body->count)
            continue;
        const struct ptx_instruction *end = &body->at[target];
        struct ptx_instruction *branch = &body->at[i];
        if ((end->op != OP_RET && end->op != OP_EXIT) || end->guard >= 0)
            continue;
        body->references[target]--;
        branch->op = end->op;
        branch->suffixes = (struct suffixes){.flags = branch->suffixes.flags & UINT64_C(1) << FLAG_UNI};
        branch->operand_count = 0;
    }
}
