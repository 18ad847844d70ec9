/*
 * How many paths of a warp could issue side by side: AvgPath of Rhu and Erez, HPCA 2013, section 6.1.
 *
 * Counted are issues of warps that had k paths then. `path_issues` sums k over issues, so that path_issues / issues
 * is the average over issues. If the paths of a warp took turns, k issues would be a round: issues / rounds is the
 * average over rounds, in which the paper's example has 7 / 5 and over issues 11 / 7.
 *
 * A mechanism hears of no single issue. It says where a strand has come whenever that, or the number of paths, changes
 * otherwise than by straight-line advance.
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
    uint64_t rest[PATHS_MOST + 1]; /* by paths: issues that do not make a round yet */
    struct vec_of(int32_t) next;   /* by strand id: the PC up to which its issues are counted */
};

#define PATH_COUNTER(type, field) .name = #field, .offset = offsetof(type, paths.field)
#define PATH_COUNTERS(type)                                                                                   \
    {PATH_COUNTER(type, issues), .unit = "issues", .meaning = "issues of warps"},                             \
        {PATH_COUNTER(type, path_issues), .unit = "paths",                                                    \
         .meaning = "sum over issues of the paths that the warp could issue from"},                           \
        {PATH_COUNTER(type, rounds), .unit = "rounds",                                                        \
         .meaning = "issues, those of a warp with k paths as a k-th each"},                                   \
    {                                                                                                         \
        PATH_COUNTER(type, max_paths), .unit = "paths", .meaning = "most paths that a warp could issue from", \
                                       .combine = STAT_MAX                                                    \
    }

static inline void paths_close(struct paths *p)
{
    vec_free(&p->next);
}

/* The strand is at `pc` by the mechanism's doing. */
static inline void paths_start(struct paths *p, const struct strand *s, int32_t pc)
{
    vec_extend(&p->next, s->id + 1);
    p->next.data[s->id] = pc;
}

static inline void paths_add(struct paths *p, int count, uint64_t issues)
{
    p->counters.issues += issues;
    if (count <= 1) { /* also of a path that the mechanism keeps from issuing: it issued before that */
        p->counters.path_issues += issues;
        p->counters.rounds += issues;
        return;
    }
    p->counters.path_issues += (uint64_t)count * issues;
    p->rest[count] += issues;
    p->counters.rounds += p->rest[count] / (uint64_t)count;
    p->rest[count] %= (uint64_t)count;
}

/* One of the warp's `count` paths has issued all before `pc`. */
static inline void paths_passed(struct paths *p, const struct strand *s, int32_t pc, int count)
{
    int32_t *next = &p->next.data[s->id];
    paths_add(p, count, (uint64_t)(pc - *next));
    *next = pc;
}

/* The same for a strand that nothing happened to: one whose instruction is under way has issued that too. */
static inline void paths_look(struct paths *p, const struct strand *s, int count)
{
    paths_passed(p, s, s->pc + (s->busy || s->held), count);
}

/* The same for all strands of a list but one: how many paths there are changes. NULLs are passed over. */
static inline void paths_look_all(struct paths *p, struct strand *const *strands, int listed, const struct strand *but,
                                  int count)
{
    for (int i = 0; i < listed; i++)
        if (strands[i] && strands[i] != but)
            paths_look(p, strands[i], count);
}

static inline void paths_most(struct paths *p, int count)
{
    if ((uint64_t)count > p->counters.max_paths)
        p->counters.max_paths = (uint64_t)count;
}

#endif
