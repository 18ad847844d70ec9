/* Layered drawings: ranks, edges back, order without crossings, places apart, and graphs of odd shapes. */
#include "flow/layered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 4000 };

struct sketch {
    struct layered graph;
    struct layered_node nodes[MOST];
    struct layered_edge edges[MOST];
};

/* A graph of boxes of 50 x 20 with these edges, pairs of nodes. */
static struct sketch *place(int node_count, const int *pairs, int edge_count)
{
    struct sketch *s = calloc(1, sizeof *s);
    s->graph = (struct layered){s->nodes, s->edges, node_count, edge_count, 0, 0};
    for (int i = 0; i < node_count; i++)
        s->nodes[i] = (struct layered_node){.width = 50, .height = 20};
    for (int i = 0; i < edge_count; i++)
        s->edges[i] = (struct layered_edge){.from = pairs[2 * i], .to = pairs[2 * i + 1]};
    layered_place(&s->graph);
    for (int a = 0; a < node_count; a++)
        for (int b = 0; b < a; b++)
            assert_true(s->nodes[a].rank != s->nodes[b].rank || s->nodes[a].x >= s->nodes[b].x + 50 ||
                        s->nodes[b].x >= s->nodes[a].x + 50);
    return s;
}

static void discard(struct sketch *s)
{
    layered_free(&s->graph);
    free(s);
}

static void test_diamond(void **state)
{
    (void)state;
    struct sketch *s = place(4, (const int[]){0, 1, 0, 2, 1, 3, 2, 3}, 4);
    assert_int_equal(s->nodes[0].rank, 0);
    assert_int_equal(s->nodes[1].rank, 1);
    assert_int_equal(s->nodes[2].rank, 1);
    assert_int_equal(s->nodes[3].rank, 2);
    assert_int_equal(s->nodes[0].x, s->nodes[3].x); /* in the middle of both sides */
    assert_int_equal(2 * s->nodes[0].x, s->nodes[1].x + s->nodes[2].x);
    assert_int_equal(s->edges[0].points.count, 3);
    assert_int_equal(s->edges[0].points.data[0].y, 20);
    assert_int_equal(s->edges[0].points.data[2].y, s->nodes[1].y);
    discard(s);
}

/* An edge over several ranks has a pair of points in each, beside the nodes there. */
static void test_long_edge(void **state)
{
    (void)state;
    struct sketch *s = place(4, (const int[]){0, 1, 1, 2, 2, 3, 0, 3}, 4);
    const struct layered_points *p = (const void *)&s->edges[3].points;
    assert_int_equal(p->count, 7);
    for (int i = 2; i < 6; i++)
        assert_true(p->data[i].x < s->nodes[i / 2].x || p->data[i].x > s->nodes[i / 2].x + 50);
    assert_int_equal(p->data[2].x, p->data[3].x);
    discard(s);
}

/* Loops, one of them of a single node: the edges back are at the right of all nodes, on lanes of their own. */
static void test_back_edges(void **state)
{
    (void)state;
    struct sketch *s = place(3, (const int[]){0, 1, 1, 1, 1, 2, 2, 0}, 4);
    assert_true(s->edges[1].is_back && s->edges[3].is_back);
    assert_false(s->edges[0].is_back || s->edges[2].is_back);
    assert_int_equal(s->edges[1].points.count, 6);
    int inner = s->edges[1].points.data[2].x, outer = s->edges[3].points.data[2].x;
    assert_true(inner > 50 && outer > inner);
    assert_int_equal(s->graph.width, outer);
    discard(s);
}

/* Two sides whose nodes were given crosswise are put in the order of their edges. */
static void test_crossings(void **state)
{
    (void)state;
    struct sketch *s = place(7, (const int[]){0, 1, 0, 2, 1, 4, 2, 3, 4, 5, 3, 6}, 6);
    assert_true((s->nodes[1].x < s->nodes[2].x) == (s->nodes[4].x < s->nodes[3].x));
    assert_true((s->nodes[1].x < s->nodes[2].x) == (s->nodes[5].x < s->nodes[6].x));
    discard(s);
}

static void test_odd_graphs(void **state)
{
    (void)state;
    discard(place(0, NULL, 0));
    struct sketch *s = place(3, (const int[]){1, 2}, 1); /* nodes that nothing leads to */
    assert_int_equal(s->nodes[1].rank, 0);
    assert_int_equal(s->nodes[2].rank, 1);
    discard(s);
    static int chain[2 * (MOST - 1)];
    for (int i = 0; i + 1 < MOST; i++) {
        chain[2 * i] = i;
        chain[2 * i + 1] = i + 1;
    }
    s = place(MOST, chain, MOST - 1);
    assert_int_equal(s->nodes[MOST - 1].rank, MOST - 1);
    assert_int_equal(s->graph.width, 50);
    discard(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_diamond), cmocka_unit_test(test_long_edge),
                                       cmocka_unit_test(test_back_edges), cmocka_unit_test(test_crossings),
                                       cmocka_unit_test(test_odd_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
