/* The table of what compaction gains and costs per branch (branch_profit.h): fading sums, and finding, replacing and
 * checking accounts. What follows from the numbers is the user's decision. */
#include "div/parts/branch_profit.h"

#include "base/arena.h"
#include "base/diag.h"

#include <stdlib.h>

void faded_halve(struct faded *f)
{
    while (f->count >= FADED_MOST_TERMS) {
        f->sum /= 2;
        f->count /= 2;
    }
}

void branch_profit_init(struct branch_profit *l, unsigned size, unsigned ways, unsigned branches)
{
    l->ways = size == 0 ? 1 : ways < size ? ways : size;
    l->sets = size == 0 ? branches + !branches : size / l->ways;
    l->clock = l->hits = l->misses = l->evictions = 0;
    l->accounts = xcalloc((size_t)l->sets * l->ways, sizeof *l->accounts);
    l->of_branch = xcalloc((size_t)branches + !branches, sizeof(struct account *));
}

void branch_profit_free(struct branch_profit *l)
{
    free(l->accounts);
    free(l->of_branch);
}

static struct account *replace(struct branch_profit *l, int32_t branch)
{
    struct account *set = &l->accounts[(unsigned)branch % l->sets * l->ways], *oldest = set;
    for (unsigned i = 1; i < l->ways && oldest->valid; i++)
        if (!set[i].valid || set[i].used < oldest->used)
            oldest = &set[i];
    l->evictions += oldest->valid;
    if (oldest->valid)
        l->of_branch[oldest->branch] = NULL;
    *oldest = (struct account){.valid = true, .branch = branch};
    return l->of_branch[branch] = oldest;
}

struct account *branch_profit_open(struct branch_profit *l, int32_t branch)
{
    struct account *a = branch_profit_find(l, branch);
    *(a ? &l->hits : &l->misses) += 1;
    if (!a)
        a = replace(l, branch);
    a->used = ++l->clock;
    return a;
}

static void check_terms(const struct account *a, const struct faded *f)
{
    if (f->count >= FADED_MOST_TERMS || (!f->count && f->sum))
        panic("a sum of branch %d has %u terms", (int)a->branch, (unsigned)f->count);
}

static void check_effects(const struct account *a, const struct effects *e)
{
    check_terms(a, &e->saved);
    check_terms(a, &e->members);
    check_terms(a, &e->waited);
}

void branch_profit_check(const struct branch_profit *l)
{
    for (unsigned i = 0; i < l->sets * l->ways; i++) {
        const struct account *a = &l->accounts[i];
        if (!a->valid)
            continue;
        if (branch_profit_find(l, a->branch) != a)
            panic("the account of branch %d is not found", (int)a->branch);
        if ((unsigned)a->branch % l->sets != i / l->ways)
            panic("the account of branch %d is in the set of another", (int)a->branch);
        if (a->used > l->clock)
            panic("the account of branch %d was used in the future", (int)a->branch);
        check_terms(a, &a->alone);
        check_terms(a, &a->side);
        check_terms(a, &a->visit);
        check_terms(a, &a->yield);
        check_terms(a, &a->extra);
        check_effects(a, &a->hope);
        for (int k = 0; k < BRANCH_PROFIT_SETTINGS; k++)
            check_effects(a, &a->setting[k]);
    }
}
