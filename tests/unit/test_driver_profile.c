/*
 * --profile-running: later launches of a kernel have likely-convergence points from what earlier ones counted.
 *
 * tests/cli/rare_break.ptx has a point that only a profile finds. Its warp instructions tell which points a launch had.
 */
#include "driver_check.h"
#include "source_file.h"

enum { THREADS = 64, ANALYSED = 574, PROFILED = 414, MOST_LINES = 8 };

static char json[] = "/tmp/heddle_test_profile_XXXXXX";

struct line {
    long warp_instructions, profiled; /* -1: the line does not have it */
};

static long number(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    return at ? atol(at + strlen(name)) : -1;
}

/* Reads the lines of JSON written so far. Returns their number. */
static int read_lines(struct line *lines)
{
    static char text[1 << 20];
    int count = 0;
    FILE *file = fopen(json, "r");
    assert_non_null(file);
    while (count < MOST_LINES && fgets(text, sizeof text, file))
        lines[count++] = (struct line){number(text, "\"warp_instructions\":"), number(text, "\"profiled_launches\":")};
    fclose(file);
    return count;
}

static void launch(CUfunction function, CUdeviceptr out)
{
    void *parameters[] = {&out};
    OK(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
    OK(cuCtxSynchronize());
}

static CUfunction load(const char *text)
{
    CUmodule module;
    CUfunction function;
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&function, module, "rare_break"));
    return function;
}

static void test_later_launches_use_it(void **state)
{
    (void)state;
    struct line lines[MOST_LINES];
    uint32_t first[THREADS], later[THREADS];
    CUdeviceptr out;
    OK(cuMemAlloc(&out, sizeof first));
    char *text = read_source("tests/cli/rare_break.ptx");
    CUfunction one = load(text);
    char *constant = strstr(text, "%r2, 5;");
    assert_non_null(constant);
    constant[5] = '9'; /* another program of the same name, of which nothing is known */
    CUfunction other = load(text);
    launch(one, out);
    OK(cuMemcpyDtoH(first, out, sizeof first));
    launch(one, out);
    OK(cuMemcpyDtoH(later, out, sizeof later));
    assert_memory_equal(first, later, sizeof first);
    launch(other, out);
    launch(one, out);
    launch(other, out);
    assert_int_equal(read_lines(lines), 5);
    assert_int_equal(lines[0].warp_instructions, ANALYSED);
    assert_int_equal(lines[1].warp_instructions, PROFILED);
    assert_int_equal(lines[2].warp_instructions, ANALYSED);
    assert_int_equal(lines[3].warp_instructions, PROFILED);
    assert_int_equal(lines[4].warp_instructions, PROFILED);
    static const long profiled[] = {-1, 1, -1, 2, 1};
    for (int i = 0; i < 5; i++)
        assert_int_equal(lines[i].profiled, profiled[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_later_launches_use_it, open_context, close_context),
    };
    char options[256];
    int file = mkstemp(json);
    if (file < 0)
        return 1;
    close(file);
    snprintf(options, sizeof options, "--gpu fermi --mech pdom-lcp --profile-running --memory 1G --json %s", json);
    heddle_set_options(options);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(json);
    return failed;
}
