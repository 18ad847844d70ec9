/* Where the stepper's commands go: targets and goals. See session.h and journal.h. */
#define _GNU_SOURCE
#include "base/diag.h"
#include "step/goal.h"
#include "step/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The issue that a stop is compared with: the last one before it that the reader looks at; 0: none. */
static uint64_t find_reference(const struct stepper *s, uint64_t issue)
{
    struct journal_goal any = {.warps = s->focus, .count = 1};
    return journal_find_back(&s->journal, &any, issue);
}

void move_aim(struct stepper *s, uint64_t target)
{
    s->target = target;
    s->reference = target == UINT64_MAX ? 0 : find_reference(s, target);
    if (s->reference && s->reference == s->state_at && s->before_at != s->reference) {
        s->before.length = 0;
        text_append(&s->before, s->state.data, s->state.length);
        s->before_at = s->state_at;
    }
}

void move_seek(struct stepper *s, struct journal_goal goal, uint64_t from)
{
    uint64_t found = journal_find(&s->journal, &goal, from);
    s->goal = goal;
    s->from = from;
    s->target = 0;
    if (found)
        move_aim(s, found);
    else if (s->journal.is_complete)
        move_aim(s, UINT64_MAX);
}

/* Where the stop is, or one behind the last issue if the launch has ended. */
static uint64_t position(const struct stepper *s)
{
    return s->scene.sm ? s->scene.issue : journal_count(&s->journal) + 1;
}

/* The goal of a command that goes to a kind of issue; false: it was said why there is none. */
static bool make_goal(struct stepper *s, const struct step_command *c, struct journal_goal *goal)
{
    char *error = NULL;
    *goal = (struct journal_goal){.warps = s->focus, .count = 1};
    if (c->verb == STEP_DIVERGE)
        goal->flags = JOURNAL_DIVERGED;
    if (c->verb == STEP_MEET)
        goal->flags = JOURNAL_MET;
    if (c->verb != STEP_LINE && c->verb != STEP_BLOCK && c->verb != STEP_BARRIER)
        return true;
    bool *pcs = goal_find_pcs(s->scene.program, c, &error);
    if (!pcs)
        return prompt_complain(s, error);
    free(s->pcs);
    goal->pcs = s->pcs = pcs;
    return true;
}

/* Goes back by the goal's count; to the first issue that the reader looks at if there are not so many. */
static bool go_back(struct stepper *s, struct journal_goal goal, bool may_be_first)
{
    struct journal_goal first = {.warps = s->focus, .count = 1};
    uint64_t found = journal_find_back(&s->journal, &goal, position(s));
    if (!found && may_be_first) {
        found = journal_find(&s->journal, &first, 0);
        if (found >= position(s))
            found = 0;
    }
    if (!found) {
        prompt_tell(s, "note", may_be_first ? "this is the first issue" : "there is none before this issue");
        return false;
    }
    move_aim(s, found);
    return true;
}

/* Goes to the goal's issue, counted from the start of the launch. */
static bool go_to(struct stepper *s, struct journal_goal goal)
{
    struct journal_goal probe = goal;
    char *error = NULL;
    if (s->journal.is_complete && !journal_find(&s->journal, &probe, 0)) {
        diag_fail(&error, "the launch ends before: it has %" PRIu64 " issues", journal_count(&s->journal));
        return prompt_complain(s, error);
    }
    move_seek(s, goal, 0);
    return true;
}

bool move_take(struct stepper *s, const struct step_command *c)
{
    struct journal_goal goal = {.warps = s->focus, .count = 1};
    bool is_at_end = !s->scene.sm;
    switch (c->verb) {
    case STEP_BACK:
        goal.count = c->number;
        return go_back(s, goal, true);
    case STEP_RESTART:
        move_seek(s, goal, 0);
        return true;
    case STEP_GOTO:
        if (!c->number)
            return prompt_complain(s, strdup("issues are numbered from 1 on"));
        return go_to(s, (struct journal_goal){.warps = UINT64_MAX, .count = c->number});
    case STEP_CYCLE:
        goal.least_cycle = c->number;
        return go_to(s, goal);
    case STEP_RUN:
    case STEP_STEP:
        if (is_at_end) {
            prompt_tell(s, "note", "the launch has ended");
            return false;
        }
        goal.count = c->number;
        if (c->verb == STEP_RUN)
            move_aim(s, UINT64_MAX);
        else
            move_seek(s, goal, position(s));
        return true;
    default:
        if (!make_goal(s, c, &goal))
            return false;
        if (c->is_back)
            return go_back(s, goal, false);
        if (is_at_end) {
            prompt_tell(s, "note", "the launch has ended");
            return false;
        }
        move_seek(s, goal, position(s));
        return true;
    }
}
