/*
 * How many paths of a warp could issue: AvgPath of Rhu and Erez, HPCA 2013, section 6.1.
 *
 * Every issue counts with k, the number of paths that the warp had at that time. `path_issues` sums k over issues, so
 * path_issues / issues is the average over issues. If the k paths of a warp take turns, k issues are one round, and
 * issues / rounds is the average over rounds. The paper's example has 7 / 5 over rounds and 11 / 7 over issues.
 *
 * The pipeline does not tell a mechanism about single issues. So the mechanism calls paths_start() and paths_passed()
 * whenever a strand jumps or the number of paths changes, and the issues of the straight line between are counted then.
 */
#ifndef HEDDLE_DIV_PARTS_PATHS_H
#define HEDDLE_DIV_PARTS_PATHS_H

#include "base/vec.h"
#include "div/contract/div.h"

enum { PATHS_MOST = 64 };

struct path_counters {
    uint64_t issues, path_issues, rounds, max_paths;
};

struct paths {
    struct path_counters counters;
    uint64_t rest[PATHS_MOST + 1]; /* by number of paths: issues that do not yet make a whole round */
    struct vec_of(int32_t) next;   /* by strand id: issues before this PC are counted */
};

#define PATH_COUNTER(type, field) .name = #field, .offset = offsetof(type, paths.field)
#define PATH_COUNTERS(type)                                                                                    \
    {PATH_COUNTER(type, issues), .unit = "issues", .meaning = "Issues of warps."},                             \
        {PATH_COUNTER(type, path_issues), .unit = "paths",                                                     \
         .meaning = "Sum, over issues, of the paths that the warp could issue from."},                         \
        {PATH_COUNTER(type, rounds), .unit = "rounds",                                                         \
         .meaning = "Rounds of turns: an issue of a warp with k paths is a k-th of a round."},                 \
    {                                                                                                          \
        PATH_COUNTER(type, max_paths), .unit = "paths", .meaning = "Most paths that a warp could issue from.", \
                                       .combine = STAT_MAX                                                     \
    }

static inline void paths_close(struct paths *p)
{
    vec_free(&p->next);
}

/* The mechanism has put the strand at `pc`: counting starts there. */
static inline void paths_start(struct paths *p, const struct strand *s, int32_t pc)
{
    vec_extend(&p->next, s->id + 1);
    p->next.data[s->id] = pc;
}

/* Counts issues of a warp that had `count` paths. */
static inline void paths_add(struct paths *p, int count, uint64_t issues)
{
    p->counters.issues += issues;
    if (count <= 1) { /* 0: the last path was parked after these issues */
        p->counters.path_issues += issues;
        p->counters.rounds += issues;
        return;
    }
    p->counters.path_issues += (uint64_t)count * issues;
    p->rest[count] += issues;
    p->counters.rounds += p->rest[count] / (uint64_t)count;
    p->rest[count] %= (uint64_t)count;
}

/* The strand, one of the warp's `count` paths, has issued every instruction before `pc`. */
static inline void paths_passed(struct paths *p, const struct strand *s, int32_t pc, int count)
{
    int32_t *next = &p->next.data[s->id];
    paths_add(p, count, (uint64_t)(pc - *next));
    *next = pc;
}

/* Counts a strand's issues up to now. An instruction in flight has issued although the strand's PC still points to
 * it. */
static inline void paths_look(struct paths *p, const struct strand *s, int count)
{
    paths_passed(p, s, s->pc + (s->busy || s->held), count);
}

/* Counts the issues of all strands of a list except `but`, because the number of paths changes. NULLs are skipped. */
static inline void paths_look_all(struct paths *p, struct strand *const *strands, int listed, const struct strand *but,
                                  int count)
{
    for (int i = 0; i < listed; i++)
        if (strands[i] && strands[i] != but)
            paths_look(p, strands[i], count);
}

/* The warp now has `count` paths. */
static inline void paths_most(struct paths *p, int count)
{
    if ((uint64_t)count > p->counters.max_paths)
        p->counters.max_paths = (uint64_t)count;
}

#endif
