/* Signatures of launches: see signature.h. */
#include "sample/signature.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { PROJECTED = SIGNATURE_DIMENSIONS - 2 };

/* A launch with twice the instructions is as far away as one that executes another tenth of its instructions in other
 * basic blocks. */
static const double doubling_distance = 0.1;

void signature_of(const struct program *program, const struct site *sites, uint64_t instructions, uint64_t blocks,
                  struct signature *s)
{
    double all = instructions ? (double)instructions : 1;
    memset(s, 0, sizeof *s);
    for (int b = 0; b < program->block_count; b++) {
        uint64_t executed = 0;
        for (int32_t pc = program->blocks[b].first; pc <= program->blocks[b].last; pc++)
            executed += sites[pc].threads;
        struct random random = {(uint64_t)b + 1};
        for (int d = 0; executed && d < PROJECTED; d++) {
            double weight = random_u64(&random) & 1 ? 1 : -1; /* one row of the matrix */
            s->at[d] += weight / sqrt(PROJECTED) * (double)executed / all;
        }
    }
    s->at[PROJECTED] = doubling_distance * log2(all);
    s->at[PROJECTED + 1] = doubling_distance * log2(blocks ? (double)blocks : 1);
}

double signature_distance(const struct signature *a, const struct signature *b)
{
    double sum = 0;
    for (int d = 0; d < SIGNATURE_DIMENSIONS; d++)
        sum += (a->at[d] - b->at[d]) * (a->at[d] - b->at[d]);
    return sqrt(sum);
}
