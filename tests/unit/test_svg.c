/* Pictures of lanes by time as SVG: what is drawn where, the window, escapes, well-formed XML, joined documents. */
#include "trace/svg.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void issue(struct trace *t, uint64_t cycle, int sm, int strand, int pc, uint64_t slots, uint32_t cycles)
{
    uint32_t threads = (uint32_t)__builtin_popcountll(slots);
    trace_issue(t, &(struct trace_issue){cycle, sm, 0, strand, pc, slots, threads, cycles});
}

/* Two instructions per basic block; the name of the last block needs escaping. */
static const char *block(void *context, int32_t pc)
{
    static const char *const names[] = {"A", "B", "C", "<&\">"};
    (void)context;
    return names[pc / 2];
}

static void describe(void *context, int32_t pc, struct text *out)
{
    text_printf(out, "%s%d", (const char *)context, (int)pc);
}

static const struct trace_names names = {"pc ", block, describe, NULL, NULL};

static struct trace_view view_of(uint64_t first, uint64_t last)
{
    return (struct trace_view){.first_cycle = first, .last_cycle = last, .width = 4, .names = names};
}

/* if (lane 0) B else C; D: as a stack runs it. One issue is another multiprocessor's. */
static struct trace *diamond(void)
{
    struct trace *t = trace_create(&(struct trace_options){.sm = -1, .last_cycle = UINT64_MAX});
    issue(t, 0, 0, 5, 0, 0xf, 1);
    issue(t, 1, 0, 5, 1, 0xf, 1);
    issue(t, 5, 0, 5, 2, 0x1, 2);
    issue(t, 8, 1, 6, 2, 0xf, 1);
    issue(t, 7, 0, 5, 4, 0xe, 1);
    issue(t, 11, 0, 5, 6, 0xf, 1);
    return t;
}

static char *draw(const struct trace *t, const struct trace_view *view, const char *title)
{
    struct text out = {0};
    trace_print_svg(t, view, title, &out);
    return text_take(&out);
}

/* ---- well-formed XML, as far as these documents use it ---- */

/* The end of an element's tag, behind its attributes; NULL if one is not NAME="value". */
static const char *skip_attributes(const char *at)
{
    while (*at == ' ') {
        at++;
        const char *name = at;
        while (isalnum((unsigned char)*at) || *at == '-')
            at++;
        if (at == name || at[0] != '=' || at[1] != '"')
            return NULL;
        for (at += 2; *at && *at != '"' && *at != '<'; at++)
            ;
        if (*at++ != '"')
            return NULL;
    }
    return at;
}

static bool is_well_formed(const char *at)
{
    char open[16][16];
    int depth = 0;
    for (bool has_root = false; *at;) {
        if (*at == '&' && (at[1] != '#' || !isdigit((unsigned char)at[2])))
            return false;
        if (*at != '<') {
            if (has_root && !depth && !isspace((unsigned char)*at))
                return false;
            at++;
            continue;
        }
        if (!strncmp(at, "<!-- ", 5)) {
            at = strstr(at, "-->");
            if (!at)
                return false;
            at += 3;
            continue;
        }
        bool is_end = at[1] == '/';
        const char *name = at + 1 + is_end;
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
        if (!length || length > 15 || depth == 16)
            return false;
        at = skip_attributes(name + length);
        if (!at || (is_end && (!depth || strncmp(open[depth - 1], name, length) || open[depth - 1][length])))
            return false;
        bool is_empty = !strncmp(at, "/>", 2);
        if (!is_empty && *at != '>')
            return false;
        if (is_end) {
            depth--;
        } else if (!is_empty) {
            snprintf(open[depth++], sizeof *open, "%.*s", (int)length, name);
            has_root = true;
        }
        at += is_empty ? 2 : 1;
    }
    return !depth;
}

static void test_checker(void **state)
{
    (void)state;
    assert_true(is_well_formed("<g a=\"1\"><p/>x&#60;</g>\n"));
    assert_false(is_well_formed("<g><p></g></p>"));
    assert_false(is_well_formed("<g>&x</g>"));
    assert_false(is_well_formed("<g a=1></g>"));
    assert_false(is_well_formed("<g>"));
}

/* ---- pictures ---- */

static void test_picture(void **state)
{
    (void)state;
    struct trace *t = diamond();
    struct trace_view view = view_of(0, 59);
    char *svg = draw(t, &view, "kernel <k>");
    assert_true(is_well_formed(svg));
    /* 60 cycles have 16 pixels each; lanes have 12, and begin at 56, 40. Block A: cycles 0 and 1, all four lanes. */
    assert_non_null(strstr(svg, "<path fill=\"#4e79a7\" d=\"M56 40h31v47h-31z\"/>"));
    /* Block B: cycles 5 and 6, lane 0; the three other lanes are idle, as lane 0 is beside block C in cycle 7. */
    assert_non_null(strstr(svg, "<path fill=\"#f28e2b\" d=\"M136 40h31v11h-31z\"/>"));
    assert_non_null(strstr(svg, "<path class=\"idle\" d=\"M136 52h31v35h-31zM168 40h15v11h-15z\"/>"));
    assert_non_null(strstr(svg, "<path fill=\"#59a14f\" d=\"M168 52h15v35h-15z\"/>"));
    assert_non_null(strstr(svg, "kernel &#60;k&#62;"));
    assert_non_null(strstr(svg, ">A: pc 0<"));
    assert_non_null(strstr(svg, ">&#60;&#38;&#34;&#62;: pc 6<"));
    assert_non_null(strstr(svg, "issues: 5; of the lanes held, 71 % have a thread"));
    free(svg);
    trace_destroy(t);
}

static void test_window(void **state)
{
    (void)state;
    struct trace *t = diamond();
    struct trace_view view = view_of(6, 7);
    char *svg = draw(t, &view, NULL);
    assert_true(is_well_formed(svg));
    assert_null(strstr(svg, ">A: "));
    assert_non_null(strstr(svg, ">B: "));                  /* though its issue began before the window */
    assert_non_null(strstr(svg, "M56 18h15v11h-15z\"/>")); /* of block B only cycle 6 is in view */
    assert_non_null(strstr(svg, "M72 30h15v35h-15z\"/>")); /* block C in cycle 7 */
    assert_null(strstr(svg, "M88 "));
    assert_non_null(strstr(svg, "issues: 1; of the lanes held, 50 % have a thread"));
    free(svg);
    view = view_of(2, 4);
    svg = draw(t, &view, NULL);
    assert_true(is_well_formed(svg));
    assert_non_null(strstr(svg, "nothing issued on multiprocessor 0 in these cycles"));
    free(svg);
    trace_destroy(t);
}

/* Cycles beyond 240 stand in a band below, at 4 pixels each; an issue may reach from one band into the next. */
static void test_bands(void **state)
{
    (void)state;
    struct trace *t = trace_create(&(struct trace_options){.sm = -1, .last_cycle = UINT64_MAX});
    issue(t, 238, 0, 1, 0, 0xf, 4);
    struct trace_view view = view_of(0, 1999);
    char *svg = draw(t, &view, NULL);
    assert_non_null(strstr(svg, "M1008 18h7v47h-7z"));
    assert_non_null(strstr(svg, "M56 113h7v47h-7z"));
    assert_non_null(strstr(svg, ">240</text>"));
    free(svg);
    trace_destroy(t);
}

/* A strand takes over from another in one block: two rectangles, and two bars. */
static void test_strands(void **state)
{
    (void)state;
    struct trace *t = trace_create(&(struct trace_options){.sm = -1, .last_cycle = UINT64_MAX});
    issue(t, 0, 0, 1, 0, 0xf, 2);
    issue(t, 2, 0, 9, 0, 0xf, 2);
    struct trace_view view = view_of(0, 59);
    char *svg = draw(t, &view, NULL);
    assert_non_null(strstr(svg, "M56 18h31v47h-31zM88 18h31v47h-31z"));
    assert_non_null(strstr(svg, ">1</text>"));
    assert_non_null(strstr(svg, ">9</text>"));
    free(svg);
    trace_destroy(t);
}

/* Colours are those of the program's blocks, whatever a picture shows of them. */
static void test_colours(void **state)
{
    (void)state;
    struct trace *t = trace_create(&(struct trace_options){.sm = -1, .last_cycle = UINT64_MAX});
    issue(t, 0, 0, 1, 4, 0xf, 1);
    struct trace_view view = view_of(0, 59);
    char *svg = draw(t, &view, NULL);
    assert_non_null(strstr(svg, "fill=\"#59a14f\""));
    assert_null(strstr(svg, "#4e79a7"));
    view.names = (struct trace_names){NULL, NULL, NULL, NULL, NULL}; /* then each PC is a block of its own */
    free(svg);
    svg = draw(t, &view, NULL);
    assert_true(is_well_formed(svg));
    assert_non_null(strstr(svg, "fill=\"#b07aa1\""));
    assert_non_null(strstr(svg, ">E: pc 4<"));
    free(svg);
    trace_destroy(t);
}

/* Two ports have a strip each, one below the other. */
static void test_ports(void **state)
{
    (void)state;
    struct trace *t = trace_create(&(struct trace_options){.sm = -1, .last_cycle = UINT64_MAX});
    issue(t, 0, 0, 1, 0, 0xf, 1);
    trace_issue(t, &(struct trace_issue){0, 0, 1, 2, 0, 0xf, 4, 1});
    struct trace_view view = view_of(0, 59);
    char *svg = draw(t, &view, NULL);
    assert_non_null(strstr(svg, "M56 18h15v47h-15z"));
    assert_non_null(strstr(svg, "M56 87h15v47h-15z"));
    free(svg);
    trace_destroy(t);
}

static void test_join(void **state)
{
    (void)state;
    struct trace *t = diamond();
    struct trace_view view = view_of(0, 59), shorter = view_of(0, 1);
    char *documents[] = {draw(t, &view, "one"), draw(t, &view, "two"), draw(t, &shorter, "three")};
    struct text out = {0};
    assert_true(trace_join_svg(documents, 3, &out));
    assert_true(is_well_formed(out.data));
    int panels = 0, legends = 0;
    for (const char *at = out.data; (at = strstr(at, "<!-- panel ")); at++)
        panels++;
    for (const char *at = out.data; (at = strstr(at, "<!-- legend ")); at++)
        legends++;
    assert_int_equal(panels, 3);
    assert_int_equal(legends, 2); /* the first two pictures share a legend */
    const char *one = strstr(out.data, ">one<"), *two = strstr(out.data, ">two<"), *three = strstr(out.data, ">three<");
    assert_true(one && two && three && one < two && two < three);
    text_free(&out);

    char *wrong[] = {documents[0], (char *)"no picture"};
    assert_false(trace_join_svg(wrong, 2, &out));
    text_free(&out);
    for (int i = 0; i < 3; i++)
        free(documents[i]);
    trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checker), cmocka_unit_test(test_picture), cmocka_unit_test(test_window),
        cmocka_unit_test(test_bands),   cmocka_unit_test(test_strands), cmocka_unit_test(test_colours),
        cmocka_unit_test(test_ports),   cmocka_unit_test(test_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
