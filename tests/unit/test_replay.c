/*
 * Recording a launch and replaying it: one kernel with every operand that decides something, whose replay must give all
 * counters of its run; and recordings whose bytes were changed behind valid checksums, which must do no harm.
 */
#include "base/random.h"
#include "run/output.h"
#include "run/recording.h"
#include "run/replay.h"
#include "run/run.h"
#include "tape/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Each thread loads its own address from a table, takes one of three labels, calls one of two functions through a
 * pointer, meets some threads of its warp, waits at a barrier that a register names, and fetches a texel. */
static const char kernel_text[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".global .u32 counter;\n.const .u32 fixed[4] = {1, 2, 3, 4};\n"
    ".func (.param .u32 r) once(.param .u32 a)\n{\n.reg .u32 %r<2>;\nld.param.u32 %r0, [a];\nadd.u32 %r0, %r0, 1;\n"
    "st.param.u32 [r], %r0;\nret;\n}\n"
    ".func (.param .u32 r) twice(.param .u32 a)\n{\n.reg .u32 %r<2>;\n.local .u32 kept[4];\nld.param.u32 %r0, [a];\n"
    "st.local.u32 [kept+4], %r0;\nadd.u32 %r0, %r0, %r0;\nld.local.u32 %r1, [kept+4];\nadd.u32 %r0, %r0, %r1;\n"
    "st.param.u32 [r], %r0;\nret;\n}\n"
    ".entry k(.param .u64 table, .param .u64 texture, .param .u32 barrier)\n{\n"
    ".reg .u32 %r<20>;\n.reg .u64 %d<12>;\n.reg .pred %p<6>;\n.shared .u32 sh[256];\n"
    "ld.param.u64 %d0, [table];\nld.param.u64 %d1, [texture];\nld.param.u32 %r10, [barrier];\n"
    "mov.u32 %r0, %tid.x;\nmov.u32 %r11, %ntid.x;\n"
    "mul.wide.u32 %d2, %r0, 4;\nadd.u64 %d2, %d0, %d2;\nld.global.u32 %r1, [%d2];\n" /* an address */
    "and.b32 %r2, %r1, 127;\nmul.wide.u32 %d3, %r2, 4;\nadd.u64 %d3, %d0, %d3;\nld.u32 %r3, [%d3];\n"
    "rem.u32 %r4, %r1, 3;\n"
    "ts: .branchtargets A, B, C;\nbrx.idx %r4, ts;\n" /* an index */
    "A:\nadd.u32 %r3, %r3, 1;\nbra D;\nB:\nadd.u32 %r3, %r3, 2;\nadd.u32 %r3, %r3, 5;\nC:\nadd.u32 %r3, %r3, 3;\nD:\n"
    "and.b32 %r5, %r1, 7;\n"
    "L:\nsetp.eq.u32 %p0, %r5, 0;\n@%p0 bra M;\nsub.u32 %r5, %r5, 1;\nbra L;\nM:\n"
    "setp.lt.u32 %p1, %r4, 2;\nmov.u64 %d4, once;\n@!%p1 mov.u64 %d4, twice;\n"
    "{\n.param .u32 in;\n.param .u32 out;\nst.param.u32 [in], %r3;\n"
    "P: .callprototype (.param .u32 _) _ (.param .u32 _);\ncall (out), %d4, (in), P;\nld.param.u32 %r6, [out];\n}\n"
    "and.b32 %r7, %r0, 31;\nsetp.lt.u32 %p2, %r7, 16;\nselp.b32 %r8, 0x0000ffff, 0xffff0000, %p2;\n"
    "shfl.sync.bfly.b32 %r9, %r6, 1, 31, %r8;\n" /* a member mask */
    "and.b32 %r13, %r9, 255;\nshl.b32 %r14, %r13, 2;\nmov.u32 %r15, sh;\nadd.u32 %r15, %r15, %r14;\n"
    "st.shared.u32 [%r15], %r0;\n"
    "barrier.sync %r10, %r11;\n"                                                           /* a barrier and a count */
    "and.b32 %r16, %r3, 15;\ntex.1d.v4.u32.s32 {%r16, %r17, %r18, %r19}, [%d1, {%r16}];\n" /* a texel */
    "@%p1 red.global.add.u32 [counter], %r16;\n@%p2 st.global.u32 [%d2+512], %r9;\n"
    "and.b32 %r12, %r1, 3;\nmul.wide.u32 %d5, %r12, 4;\nmov.u64 %d6, fixed;\nadd.u64 %d6, %d6, %d5;\n"
    "ld.const.u32 %r12, [%d6];\nexit;\n}\n";

enum { THREADS = 128, BLOCKS = 3, MUTATIONS = 600 };

static char folder[] = "/tmp/heddle-replay-XXXXXX", path[64], changed[64], results[2][64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/recording", folder);
    snprintf(changed, sizeof changed, "%s/changed", folder);
    snprintf(results[0], sizeof results[0], "%s/run", folder);
    snprintf(results[1], sizeof results[1], "%s/replay", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(changed);
    unlink(results[0]);
    unlink(results[1]);
    return rmdir(folder);
}

static void open_request(struct run_request *r, const char *words)
{
    char *error = NULL;
    request_open(r);
    if (!options_take_text(&r->options, words, &error) || !request_settle(r, &error))
        fail_msg("%s", error);
}

/* Runs the kernel with these options. */
static void run_kernel(const char *words)
{
    struct diag diag = {0};
    char *error = NULL;
    struct ptx_module *module = ptx_parse("kernel", kernel_text, sizeof kernel_text - 1, &diag);
    if (!module)
        fail_msg("%s", diag_text(&diag));
    struct memory *memory = memory_create(UINT64_C(1) << 30);
    struct image *image = image_load(module, memory, &error);
    uint64_t table = memory_alloc(memory, 2 * THREADS * 4, "table"), texels = memory_alloc(memory, 64, "texels");
    struct random random = {3};
    for (uint64_t i = 0; i < THREADS; i++)
        *(uint32_t *)memory_host(memory, table + 4 * i, 4) = (uint32_t)random_u64(&random) >> 1;
    struct code *code = code_create(ptx_find_function(module, "k"), image, &error);
    if (!code)
        fail_msg("%s", error);
    struct texture texture = {.handle = 77,
                              .level = {{.address = texels, .width = 16, .row_bytes = 64}},
                              .level_count = 1,
                              .is_linear = true,
                              .channels = 1,
                              .texel_type = TYPE_U32,
                              .address_mode = {TEXTURE_CLAMP, TEXTURE_CLAMP}};
    uint64_t parameters[3] = {table, texture.handle, 5};
    struct launch launch = {.kernel = ptx_find_function(module, "k"),
                            .image = image,
                            .grid = {BLOCKS, 1, 1},
                            .block = {THREADS, 1, 1},
                            .parameters = parameters,
                            .parameter_bytes = code_program(code)->layout->parameter_bytes,
                            .texture_count = 1,
                            .textures = &texture,
                            .grid_id = 1};
    struct run_request request;
    struct run_outcome outcome;
    open_request(&request, words);
    assert_true(run_launch(&request, &launch, code, &outcome, NULL));
    assert_int_equal(outcome.result.launch.fault.kind, FAULT_NONE);
    assert_true(recording_finish(&request));
    run_outcome_free(&outcome);
    request_close(&request);
    code_destroy(code);
    image_unload(image);
    memory_destroy(memory);
    ptx_destroy(module);
    diag_free(&diag);
}

/* Replays a file with these options; gives the fault of the last launch, or FAULT_RECORDING if there is none. */
static enum fault_kind replay_file(const char *file, const char *words)
{
    char *error = NULL;
    enum fault_kind kind = FAULT_RECORDING;
    struct replay *replay = replay_open(file, &error);
    for (uint64_t i = 0; replay && i < replay_count(replay); i++) {
        struct replay_launch ready;
        struct run_request request;
        struct run_outcome outcome;
        if (!replay_begin(replay, i, &ready, &error))
            break;
        open_request(&request, words);
        run_launch(&request, &ready.launch, ready.code, &outcome, NULL);
        kind = outcome.result.launch.fault.kind;
        run_outcome_free(&outcome);
        request_close(&request);
        replay_end(&ready);
    }
    assert_true(replay || error);
    free(error);
    replay_close(replay);
    return kind;
}

/* A result without host time and options, which differ. */
static char *plain_result(const char *file)
{
    char *text = text_read_file(file);
    for (const char *const *name = (const char *const[]){"\"host_seconds\"", "\"options\":{", NULL}; *name; name++) {
        char *from = strstr(text, *name);
        assert_non_null(from);
        char *to = strchr(from, **name == '"' && name[0][1] == 'h' ? ',' : '}');
        memmove(from, to, strlen(to) + 1);
    }
    return text;
}

static void test_replay_gives_the_figures_of_the_run(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "tbc", "dwf", "vws", "volta", "mimd", "bcc", "bound"};
    for (size_t recorded = 0; recorded < 2; recorded++) /* without a machine, and under pdom */
        for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
            char words[256];
            unlink(results[0]);
            unlink(results[1]);
            snprintf(words, sizeof words, "--quiet --record %s%s", path, recorded ? " --gpu fermi" : "");
            run_kernel(words);
            snprintf(words, sizeof words, "--gpu fermi --mech %s --json %s", mechanisms[i], results[0]);
            run_kernel(words);
            snprintf(words, sizeof words, "--gpu fermi --mech %s --json %s", mechanisms[i], results[1]);
            assert_int_equal(replay_file(path, words), FAULT_NONE);
            char *run = plain_result(results[0]), *replay = plain_result(results[1]);
            assert_string_equal(run, replay);
            free(run);
            free(replay);
        }
}

/* Copies the recording with one section changed. Checksums and lengths are right. */
static void change_file(struct random *random)
{
    char *error = NULL;
    struct tape_reader *r = tape_reader_open(path, &error);
    struct tape_writer *w = tape_writer_open(changed, &error);
    assert_true(r && w);
    size_t victim = random_u64(random) % r->count;
    for (size_t i = 0; i < r->count; i++) {
        struct bytes content;
        assert_true(tape_reader_get(r, &r->section[i], &content, &error));
        for (uint64_t n = 1 + random_u64(random) % 4; i == victim && n; n--)
            content.data[random_u64(random) % content.count] ^= (uint8_t)(1u << random_u64(random) % 8);
        if (i == victim && random_u64(random) % 8 == 0)
            content.count = random_u64(random) % content.count;
        uint64_t key = r->section[i].key + (i == victim && random_u64(random) % 16 == 0);
        tape_writer_put(w, r->section[i].kind, key, &content);
        bytes_free(&content);
    }
    assert_true(tape_writer_finish(w, &error));
    tape_reader_close(r);
}

/* Options of a recording are those that change time; one that names a file to write is refused. */
static void test_options_of_a_recording(void **state)
{
    (void)state;
    struct run_options o;
    char *error = NULL, right[] = "--recon none --paper-schedulers", wrong[] = "--recon none --json /tmp/written";
    options_default(&o);
    assert_true(recorded_take_options(&(struct recorded_head){.options = right}, &o, &error));
    assert_int_equal(o.recon, RECON_NONE);
    assert_true(o.paper_schedulers);
    options_free(&o);
    options_default(&o);
    assert_false(recorded_take_options(&(struct recorded_head){.options = wrong}, &o, &error));
    assert_non_null(strstr(error, "options that no recording holds"));
    options_free(&o);
    free(error);
}

static void test_changed_recordings_do_no_harm(void **state)
{
    (void)state;
    struct random random = {11};
    char words[256];
    int refused = 0;
    snprintf(words, sizeof words, "--quiet --record %s", path);
    run_kernel(words);
    for (int i = 0; i < MUTATIONS; i++) {
        change_file(&random);
        refused += replay_file(changed, i & 1 ? "--gpu tiny --mech dwf --limit 20000" : "--gpu fermi --limit 20000") ==
                   FAULT_RECORDING;
    }
    assert_in_range(refused, MUTATIONS / 4, MUTATIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay_gives_the_figures_of_the_run),
        cmocka_unit_test(test_options_of_a_recording),
        cmocka_unit_test(test_changed_recordings_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
