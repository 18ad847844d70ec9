/* The journal of a launch's issues, and goals in it. See journal.h. */
#include "step/journal.h"

bool journal_matches(const struct journal_goal *goal, const struct journal_entry *entry)
{
    return (goal->warps == UINT64_MAX || entry->warps & goal->warps) && entry->cycle >= goal->least_cycle &&
           (entry->flags & goal->flags) == goal->flags && (!goal->pcs || goal->pcs[entry->pc]);
}

uint64_t journal_find(const struct journal *j, struct journal_goal *goal, uint64_t from)
{
    for (uint64_t issue = from + 1; issue <= journal_count(j); issue++)
        if (journal_matches(goal, journal_at(j, issue)) && !--goal->count)
            return issue;
    return 0;
}

uint64_t journal_find_back(const struct journal *j, struct journal_goal *goal, uint64_t from)
{
    if (from > journal_count(j) + 1)
        from = journal_count(j) + 1;
    for (uint64_t issue = from - 1; issue >= 1 && from; issue--)
        if (journal_matches(goal, journal_at(j, issue)) && !--goal->count)
            return issue;
    return 0;
}
