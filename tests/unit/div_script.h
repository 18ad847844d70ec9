/* Knobs and ways of threads in words, for tests on the bench. */
#ifndef HEDDLE_TESTS_DIV_SCRIPT_H
#define HEDDLE_TESTS_DIV_SCRIPT_H

#include "div_bench.h"

/* ---- knobs ---- */

struct knob_words {
    uint64_t word[64];
};

/* "name=value ..."; NULL: defaults. */
static inline void set_knobs(struct knob_words *values, const struct knob_table *table, const char *settings)
{
    char words[512], *rest = words, *error = NULL;
    if (table)
        knob_defaults(table, values);
    snprintf(words, sizeof words, "%s", settings ? settings : "");
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        assert_non_null(table); /* of a mechanism without knobs it is NULL */
        *equals = '\0';
        if (!knob_set(table, values, word, equals + 1, &error))
            fail_msg("%s", error);
    }
}

static inline void draw_knobs(struct random *r, const struct knob_table *table, struct knob_words *values)
{
    set_knobs(values, table, NULL);
    for (int i = 0; table && i < table->count; i++) {
        const struct knob *k = &table->knobs[i];
        char value[32], *error = NULL;
        double most = k->high < 20 ? k->high : 20;
        int drawn = (int)k->low + (int)(random_u64(r) % (uint64_t)(most - k->low + 1));
        if (k->kind == KNOB_CHOICE)
            snprintf(value, sizeof value, "%s", k->choices[drawn]);
        else if (k->kind == KNOB_BOOL)
            snprintf(value, sizeof value, "%s", drawn ? "yes" : "no");
        else
            snprintf(value, sizeof value, "%d", drawn);
        if (!knob_set(table, values, k->name, value, &error))
            fail_msg("%s", error);
    }
}

/* ---- ways ---- */

/* The n-th time that a thread is at the branch behind `label`, it takes the way that the label's n-th line
 * gives it; the last line goes on for ever. */
struct line {
    const char *label, *way;
};

static inline int script_way(struct bench *b, const struct line *script, int thread, int32_t pc, int ways)
{
    const char *label = bench_label(b, pc, true), *way = NULL;
    int32_t branch = b->program->insns[pc].branch; /* a guarded barrier has none */
    int visit = branch < 0 ? 0 : b->thread[thread].visits[branch];
    for (const struct line *l = script; l->label; l++)
        if (!strcmp(l->label, label) && (!way || visit-- > 0))
            way = l->way;
    if (!way)
        fail_msg("nothing says where threads go from %s", label);
    assert_in_range(thread, 0, strlen(way) - 1);
    assert_in_range(way[thread] - '0', 0, ways - 1);
    return way[thread] - '0';
}

#endif
