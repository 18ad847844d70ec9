/* Pictures of lanes by time for LaTeX: what is drawn where, escapes, bands, and the structure of the document. */
#include "trace/tikz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void issue(struct trace *t, uint64_t cycle, int strand, int pc, uint64_t slots, uint32_t cycles)
{
    uint32_t threads = (uint32_t)__builtin_popcountll(slots);
    trace_issue(t, &(struct trace_issue){cycle, 0, 0, strand, pc, slots, threads, cycles});
}

/* Two instructions per basic block; the name of the last block needs escaping. */
static const char *block(void *context, int32_t pc)
{
    static const char *const names[] = {"A", "B", "C", "_$L"};
    (void)context;
    return names[pc / 2];
}

static void describe(void *context, int32_t pc, struct text *out)
{
    text_printf(out, "%s%d", (const char *)context, (int)pc);
}

static const struct trace_names names = {"%r{\\x} #", block, describe, NULL, NULL};

static struct trace *diamond(void)
{
    struct trace *t = trace_create(&(struct trace_options){.sm = -1, .last_cycle = UINT64_MAX});
    issue(t, 0, 5, 0, 0xf, 1);
    issue(t, 1, 5, 1, 0xf, 1);
    issue(t, 5, 5, 2, 0x1, 2);
    issue(t, 7, 5, 4, 0xe, 1);
    issue(t, 11, 5, 6, 0xf, 1);
    return t;
}

static char *draw(const struct trace *t, uint64_t last, const char *title)
{
    struct trace_view view = {.last_cycle = last, .width = 4, .names = names};
    struct text out = {0};
    trace_print_tikz(t, &view, title, &out);
    return text_take(&out);
}

static void expect(const char *document, const char *part)
{
    if (!strstr(document, part))
        fail_msg("missing: %s\nin: %s", part, document);
}

static int count_of(const char *document, const char *part)
{
    int count = 0;
    for (const char *at = strstr(document, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Environments and braces are balanced, and every line of a picture is a whole statement. */
static void check_structure(const char *document)
{
    int depth = 0;
    for (const char *at = document; *at; at++) {
        bool is_escaped = at > document && at[-1] == '\\';
        depth += !is_escaped && *at == '{' ? 1 : !is_escaped && *at == '}' ? -1 : 0;
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(count_of(document, "\\begin{document}\n"), 1);
    assert_int_equal(count_of(document, "\\begin{tikzpicture}["), 1);
    expect(document, "\\end{tikzpicture}\n\\end{document}\n");
    const char *line = strstr(document, "line width=0.2pt}]\n");
    assert_non_null(line);
    for (line = strchr(line, '\n') + 1; strncmp(line, "\\end{tikzpicture}", 17); line = strchr(line, '\n') + 1)
        if (*line != '%' && strchr(line, '\n')[-1] != ';')
            fail_msg("no statement: %.80s", line);
}

static void test_diamond(void **state)
{
    (void)state;
    struct trace *t = diamond();
    char *document = draw(t, 99, "a_b & 100%");
    check_structure(document);
    assert_ptr_equal(strstr(document, "\\documentclass[border=2mm]{standalone}\n\\usepackage{tikz}\n"), document);
    expect(document, "{a\\_b \\& 100\\%};\n");
    /* Columns are 1.6 mm wide, lanes 3 mm high, from 10 mm on: a line of title with its gap, and one of cycles. */
    expect(document, "\\fill[block0] (13,10) rectangle (16.1,21.9);\n");
    expect(document, "\\node[letter] at (14.6,16) {A};\n");
    expect(document, "\\fill[block1] (21,10) rectangle (24.1,12.9);\n");
    expect(document, "\\fill[idle] (21,13) rectangle (24.1,21.9);\n");
    expect(document, "\\fill[block2] (24.2,13) rectangle (25.7,21.9);\n");
    expect(document, "\\fill[block3] (30.6,10) rectangle (32.1,21.9);\n");
    expect(document, "{A: \\%r\\{\\textbackslash{}x\\} \\#0};\n");
    expect(document, "{\\_\\$L: \\%r");
    expect(document, "\\definecolor{block3}{HTML}{E15759}\n");
    assert_int_equal(count_of(document, "\\definecolor"), 4);
    expect(document, "issues: 5; of the lanes held, 71 \\% have a thread");
    free(document);
    trace_destroy(t);
}

/* Later cycles stand in a band below; a picture without an issue says so. */
static void test_bands(void **state)
{
    (void)state;
    struct trace *t = diamond();
    issue(t, 200, 5, 0, 0xf, 1);
    char *document = draw(t, 300, NULL);
    check_structure(document);
    expect(document, "% cycles 0 to 159\n");
    expect(document, "% cycles 160 to 200\n");
    free(document);
    document = draw(t, 150, NULL);
    assert_null(strstr(document, "% cycles 160"));
    free(document);
    trace_destroy(t);
    t = trace_create(&(struct trace_options){.sm = -1, .last_cycle = UINT64_MAX});
    document = draw(t, 50, NULL);
    check_structure(document);
    expect(document, "nothing issued on multiprocessor 0 in these cycles");
    free(document);
    trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_diamond), cmocka_unit_test(test_bands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
