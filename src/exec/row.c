/* The list of a row's cohorts. */
#include "exec/row.h"

void row_add_cohort(struct row *row, int32_t pc, int32_t depth, uint32_t mask)
{
    for (int g = 0; g < row->cohort_count; g++) {
        struct cohort *other = &row->cohort[g];
        if (other->pc == pc && other->depth == depth && other->state == COHORT_READY) {
            other->mask |= mask;
            return;
        }
    }
    row->cohort[row->cohort_count++] = (struct cohort){.pc = pc, .depth = depth, .mask = mask};
}
