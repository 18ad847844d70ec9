/* Dominators, post-dominators and loops of random graphs, against their definitions worked out the slow way.
 */
#include "base/random.h"
#include "flow/dominator.h"
#include "flow/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NODES_MOST = 12, ROUNDS = 3000 };

struct sample {
    struct arena arena;
    struct graph graph;
    int node_count;
    bool edge[NODES_MOST][NODES_MOST];
    bool ends[NODES_MOST];
};

static void make_sample(struct sample *s, struct random *r)
{
    struct graph_edge edges[NODES_MOST * 3];
    int count = 0;
    *s = (struct sample){.node_count = 1 + (int)(random_u64(r) % NODES_MOST)};
    for (int i = 0; i < s->node_count; i++) {
        int out = (int)(random_u64(r) % 4); /* more often 0 to 2 different ones */
        for (int k = 0; k < out && k < 3; k++) {
            int to = (int)(random_u64(r) % (uint64_t)s->node_count);
            if (s->edge[i][to])
                continue;
            s->edge[i][to] = true;
            edges[count++] = (struct graph_edge){i, to};
        }
        s->ends[i] = out == 0 || random_u64(r) % 8 == 0;
    }
    s->graph = graph_create(&s->arena, s->node_count, edges, count);
}

/* Nodes that can be reached from `from` without entering `without` (-1: no such node) or leaving `within`. */
static void reach(const struct sample *s, int from, int without, const bool *within, bool *seen)
{
    int stack[NODES_MOST], depth = 0;
    memset(seen, 0, NODES_MOST);
    if (from == without)
        return;
    seen[from] = true;
    stack[depth++] = from;
    while (depth) {
        int node = stack[--depth];
        for (int to = 0; to < s->node_count; to++)
            if (s->edge[node][to] && to != without && !seen[to] && (!within || within[to])) {
                seen[to] = true;
                stack[depth++] = to;
            }
    }
}

static bool dominates(const struct sample *s, int d, int node)
{
    bool all[NODES_MOST], rest[NODES_MOST];
    reach(s, 0, -1, NULL, all);
    reach(s, 0, d, NULL, rest);
    return all[node] && (d == node || !rest[node]);
}

static bool can_end(const struct sample *s, int node, int without)
{
    bool seen[NODES_MOST];
    reach(s, node, without, NULL, seen);
    for (int i = 0; i < s->node_count; i++)
        if (seen[i] && s->ends[i])
            return true;
    return false;
}

static void dominators_match_their_definition(void **state)
{
    (void)state;
    struct random r = {1};
    for (int round = 0; round < ROUNDS; round++) {
        struct sample s;
        int32_t tree[NODES_MOST];
        make_sample(&s, &r);
        dominator_tree(&s.arena, &s.graph, 0, tree);
        for (int node = 0; node < s.node_count; node++) {
            if (node == 0 || !dominates(&s, node, node)) {
                assert_int_equal(tree[node], -1);
                continue;
            }
            /* The immediate dominator is dominated by every other strict one. */
            assert_true(tree[node] >= 0 && tree[node] != node && dominates(&s, tree[node], node));
            for (int d = 0; d < s.node_count; d++)
                if (d != node && dominates(&s, d, node))
                    assert_true(dominates(&s, d, tree[node]));
        }
        arena_free(&s.arena);
    }
}

static void post_dominators_match_their_definition(void **state)
{
    (void)state;
    struct random r = {2};
    for (int round = 0; round < ROUNDS; round++) {
        struct sample s;
        int32_t tree[NODES_MOST], meeting[NODES_MOST];
        make_sample(&s, &r);
        post_dominator_tree(&s.arena, &s.graph, 0, s.ends, tree, meeting);
        for (int node = 0; node < s.node_count; node++) {
            bool all_end = true, seen[NODES_MOST];
            reach(&s, node, -1, NULL, seen);
            for (int i = 0; i < s.node_count; i++)
                all_end &= !seen[i] || can_end(&s, i, -1);
            if (!all_end)
                continue; /* an endless loop: where it ends is imagined */
            int immediate = -1;
            for (int d = 0; d < s.node_count; d++)
                if (d != node && !can_end(&s, node, d) && (immediate < 0 || !can_end(&s, d, immediate)))
                    immediate = immediate < 0 || can_end(&s, immediate, d) ? d : immediate;
            /* Of two strict post-dominators the nearer one is post-dominated by the other. */
            for (int d = 0; d < s.node_count && immediate >= 0; d++)
                if (d != node && d != immediate && !can_end(&s, node, d) && can_end(&s, immediate, d))
                    immediate = d;
            assert_int_equal(tree[node], immediate);
            assert_int_equal(meeting[node], immediate);
        }
        arena_free(&s.arena);
    }
}

static void every_node_has_a_post_dominator_in_an_endless_loop(void **state)
{
    (void)state;
    /* 0 -> 1; 1 -> 2 or 3; 2 -> 4; 3 -> 4; 4 -> 1 or 5; 5 -> 1: nothing ends. */
    struct graph_edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}, {5, 1}};
    struct arena arena = {0};
    struct graph g = graph_create(&arena, 6, edges, 8);
    bool ends[6] = {0};
    int32_t tree[6], meeting[6];
    post_dominator_tree(&arena, &g, 0, ends, tree, meeting);
    int32_t wanted_tree[6] = {1, 4, 4, 4, -1, -1}, wanted_meeting[6] = {1, 4, 4, 4, 1, 1};
    assert_memory_equal(tree, wanted_tree, sizeof tree);
    assert_memory_equal(meeting, wanted_meeting, sizeof meeting);
    arena_free(&arena);
}

/* The loops directly inside a set of nodes are its strong components once the header is taken away. */
static void check_loops_inside(const struct sample *s, const struct loop_forest *f, int parent, const bool *within)
{
    for (int node = 0; node < s->node_count; node++) {
        bool forth[NODES_MOST], inside[NODES_MOST] = {0};
        int size = 0;
        if (!within[node])
            continue;
        reach(s, node, -1, within, forth);
        for (int i = 0; i < s->node_count; i++) {
            bool back[NODES_MOST];
            reach(s, i, -1, within, back);
            inside[i] = within[i] && forth[i] && back[node];
            size += inside[i];
        }
        int loop = f->innermost[node];
        while (loop >= 0 && f->loops[loop].parent != parent)
            loop = f->loops[loop].parent;
        if (size == 1 && !s->edge[node][node]) {
            assert_int_equal(loop, -1);
            continue;
        }
        assert_true(loop >= 0);
        assert_int_equal(f->loops[loop].node_count, size);
        for (int i = 0; i < size; i++)
            assert_true(inside[f->loops[loop].nodes[i]]);
        assert_int_equal(f->loops[loop].depth, parent < 0 ? 1 : f->loops[parent].depth + 1);
        if (f->loops[loop].header == node) {
            inside[node] = false;
            check_loops_inside(s, f, loop, inside);
        }
    }
}

static void loops_match_their_definition(void **state)
{
    (void)state;
    struct random r = {3};
    for (int round = 0; round < ROUNDS; round++) {
        struct sample s;
        bool all[NODES_MOST];
        make_sample(&s, &r);
        struct loop_forest f = loop_find(&s.arena, &s.graph, 0);
        reach(&s, 0, -1, NULL, all);
        check_loops_inside(&s, &f, -1, all);
        for (int i = 0; i < f.count; i++) {
            const struct loop *l = &f.loops[i];
            bool entered_elsewhere = false;
            for (int k = 0; k < l->node_count; k++)
                entered_elsewhere |= !dominates(&s, l->header, l->nodes[k]);
            assert_int_equal(l->irreducible, entered_elsewhere);
            assert_int_equal(l->nodes[0], l->header);
        }
        arena_free(&s.arena);
    }
}

static void components_are_numbered_against_the_edges(void **state)
{
    (void)state;
    struct random r = {4};
    for (int round = 0; round < ROUNDS; round++) {
        struct sample s;
        int32_t component[NODES_MOST];
        make_sample(&s, &r);
        graph_components(&s.arena, &s.graph, component);
        for (int i = 0; i < s.node_count; i++) {
            bool from_i[NODES_MOST];
            reach(&s, i, -1, NULL, from_i);
            for (int k = 0; k < s.node_count; k++) {
                bool from_k[NODES_MOST];
                reach(&s, k, -1, NULL, from_k);
                assert_int_equal(component[i] == component[k], from_i[k] && from_k[i]);
                if (from_i[k])
                    assert_true(component[i] >= component[k]);
            }
        }
        arena_free(&s.arena);
    }
}

/* Depth and width that would break recursion or a quadratic method. */
static void long_graphs_are_no_trouble(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    struct arena arena = {0};
    struct graph_edge *edges = arena_array(&arena, struct graph_edge, 2 * COUNT);
    int count = 0;
    for (int i = 0; i + 1 < COUNT; i++) {
        edges[count++] = (struct graph_edge){i, i + 1};
        edges[count++] = (struct graph_edge){i, i < COUNT / 2 ? COUNT - 1 : COUNT - 1 - i};
    }
    struct graph g = graph_create(&arena, COUNT, edges, count);
    int32_t *tree = arena_array(&arena, int32_t, COUNT);
    bool *ends = arena_array(&arena, bool, COUNT);
    ends[COUNT - 1] = true;
    dominator_tree(&arena, &g, 0, tree);
    assert_int_equal(tree[COUNT - 1], 0);
    assert_int_equal(tree[COUNT / 2], COUNT / 2 - 1);
    post_dominator_tree(&arena, &g, 0, ends, tree, arena_array(&arena, int32_t, COUNT));
    assert_int_equal(tree[0], COUNT - 1);
    struct loop_forest f = loop_find(&arena, &g, 0);
    assert_int_equal(f.count, COUNT / 2 - 1); /* one inside the other */
    assert_int_equal(f.loops[f.count - 1].depth, COUNT / 2 - 1);
    assert_int_equal(f.loops[0].header, 1);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominators_match_their_definition),
        cmocka_unit_test(post_dominators_match_their_definition),
        cmocka_unit_test(every_node_has_a_post_dominator_in_an_endless_loop),
        cmocka_unit_test(loops_match_their_definition),
        cmocka_unit_test(components_are_numbered_against_the_edges),
        cmocka_unit_test(long_graphs_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
