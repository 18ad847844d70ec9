/*
 * Launches one after the other: what is used again from an earlier launch (storage of multiprocessors and blocks, plans
 * of the code, sets of caches) is as if it were new, on every machine, under every mechanism and scheduler.
 */
#include "base/storage.h"
#include "div/table.h"
#include "timed_bench.h"

enum { LAUNCHES = 4, USED_BYTES = 3 << 20 };

/* Kernel k: a loop whose iterations differ by thread, a barrier around shared memory, and a call. Kernel l: more blocks
 * of another shape, with local memory, loads, atomics and more registers. */
static const char both_kernels[] =
    HEADER ".func (.reg .u32 %y) twice(.reg .u32 %x)\n{\nadd.u32 %y, %x, %x;\nret;\n}\n"
           ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %t, %n, %r<8>; .reg .b64 %a<4>;\n"
           ".shared .b32 s[96];\n"
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %r0, %ctaid.x;\n"
           "mad.lo.u32 %r0, %r0, %n, %t; mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a1, %a0;\n"
           "and.b32 %r2, %t, 7; mov.u32 %r1, %r0;\n"
           "LOOP: setp.eq.u32 %p0, %r2, 0; @%p0 bra DONE;\nand.b32 %r3, %r2, 1; setp.eq.u32 %p1, %r3, 0;\n"
           "@%p1 bra EVEN;\nmad.lo.u32 %r1, %r1, 3, %r2; bra NEXT;\nEVEN: xor.b32 %r1, %r1, %t;\n"
           "NEXT: sub.u32 %r2, %r2, 1; bra LOOP;\nDONE: call (%r1), twice, (%r1);\n"
           "mov.u64 %a2, s; mul.wide.u32 %a3, %t, 4; add.u64 %a2, %a2, %a3; st.shared.u32 [%a2], %r1;\n"
           "bar.sync 0;\nsetp.eq.u32 %p2, %t, 0; @%p2 bra OUT;\nld.shared.u32 %r4, [%a2+-4]; add.u32 %r1, %r1, %r4;\n"
           "OUT: st.global.u32 [%a1], %r1;\nret;\n}\n"
           ".visible .entry l(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %t, %n, %r<40>; .reg .b64 %a<6>;\n"
           ".local .b32 own[4];\n"
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %r0, %ctaid.x;\n"
           "mad.lo.u32 %r0, %r0, %n, %t; mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a1, %a0;\n"
           "ld.local.u32 %r9, [own+4];\nst.local.u32 [own+4], %r0;\nld.global.u32 %r1, [%a1];\n"
           "and.b32 %r2, %r1, 3; setp.lt.u32 %p0, %r2, 2; @%p0 bra SKIP;\n"
           "mul.wide.u32 %a2, %r2, 128; add.u64 %a2, %a2, %a0; ld.global.u32 %r3, [%a2+4096];\n"
           "atom.global.add.u32 %r4, [%a2+4096], 5;\nadd.u32 %r1, %r1, %r3;\n"
           "SKIP: ld.local.u32 %r5, [own+4]; sub.u32 %r5, %r5, %r0; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r9;\n"
           "st.global.u32 [%a1], %r1;\nret;\n}\n";

/* What a launch left behind. */
struct left {
    struct gpu_result result;
    uint8_t out[OUT_BYTES];
};

struct sequence {
    struct bench bench;
    const struct ptx_function *kernel[2];
    struct code *code[2];
    struct gpu_kept kept;
    struct left left[LAUNCHES];
};

static void make_codes(struct sequence *s)
{
    char *error = NULL;
    for (int i = 0; i < 2; i++) {
        code_destroy(s->code[i]);
        s->code[i] = code_create(s->kernel[i], s->bench.image, &error);
        if (!s->code[i])
            fail_msg("%s", error);
    }
}

/* As if launches of other kernels had left their bytes everywhere. */
static void use_storage(struct storage *s)
{
    memset(storage_alloc(s, USED_BYTES), 0xa5, USED_BYTES);
    storage_restart(s);
}

static void open_sequence(struct sequence *s)
{
    memset(s, 0, sizeof *s);
    open_bench(&s->bench, both_kernels);
    s->kernel[0] = s->bench.launch.kernel;
    s->kernel[1] = ptx_find_function(s->bench.module, "l");
    make_codes(s);
    memset(out(&s->bench), 0, OUT_BYTES);
}

/* Launches kernel `which` as number `i` of the sequence. */
static void launch(struct sequence *s, int i, int which, const struct gpu_run *how)
{
    struct gpu_run run = *how;
    struct left *left = &s->left[i];
    run.kept = &s->kept;
    s->bench.launch.kernel = s->kernel[which];
    s->bench.launch.grid[0] = which ? 9 : 3;
    s->bench.launch.block[0] = which ? 48 : 96;
    gpu_launch(&run, &s->bench.launch, s->code[which], &left->result);
    if (left->result.launch.fault.kind)
        fail_msg("%s on %s: %s", run.mechanism->name, run.machine->name, fault_text[left->result.launch.fault.kind]);
    memcpy(left->out, out(&s->bench), OUT_BYTES);
}

static void close_sequence(struct sequence *s)
{
    for (int i = 0; i < LAUNCHES; i++)
        gpu_result_free(&s->left[i].result);
    for (int i = 0; i < 2; i++)
        code_destroy(s->code[i]);
    gpu_kept_free(&s->kept);
    close_bench(&s->bench);
}

static void expect_equal(const struct left *a, const struct left *b, const struct gpu_run *run, int number)
{
    bool same = a->result.cycles == b->result.cycles && a->result.drain_cycles == b->result.drain_cycles &&
                a->result.part_count == b->result.part_count && a->result.site_count == b->result.site_count &&
                !memcmp(a->out, b->out, OUT_BYTES);
    for (int i = 0; same && i < a->result.part_count; i++)
        same = !memcmp(a->result.parts[i].values, b->result.parts[i].values, a->result.parts[i].owner->bytes);
    same = same && !memcmp(a->result.sites, b->result.sites, sizeof *a->result.sites * (size_t)a->result.site_count);
    if (!same)
        fail_msg("launch %d under %s on %s with scheduler %s is another one where earlier launches left something",
                 number, run->mechanism->name, run->machine->name, sm_scheduler_names[run->machine->sm.scheduler]);
}

/* Kernels k, l, l and k: with everything made anew for each launch, and with all that earlier launches left. */
static void compare_sequences(const struct gpu_run *run)
{
    static const int order[LAUNCHES] = {0, 1, 1, 0};
    static struct sequence fresh, used;
    open_sequence(&fresh);
    open_sequence(&used);
    for (int i = 0; i < LAUNCHES; i++) {
        make_codes(&fresh);
        storage_free(&fresh.kept.storage);
        launch(&fresh, i, order[i], run);
        use_storage(&used.kept.storage);
        launch(&used, i, order[i], run);
        expect_equal(&fresh.left[i], &used.left[i], run, i);
    }
    close_sequence(&fresh);
    close_sequence(&used);
}

static void compare_on(const char *machine, const char *settings, const struct div_ops *mechanism)
{
    const struct timed_case c = {.machine = machine, .settings = settings, .mechanism = mechanism};
    union timed_knobs knobs;
    struct machine *m = timed_machine(&c);
    timed_set_knobs(&c, &knobs);
    compare_sequences(&(struct gpu_run){.machine = m, .mechanism = mechanism, .mechanism_knobs = &knobs});
    machine_free(m);
}

static void every_machine_and_mechanism(void **state)
{
    (void)state;
    for (const char *const *machine = machine_names(); *machine; machine++)
        for (const struct div_ops *const *mechanism = div_all(); *mechanism; mechanism++)
            compare_on(*machine, NULL, *mechanism);
}

static void every_scheduler(void **state)
{
    (void)state;
    for (const char *const *name = sm_scheduler_names; *name; name++)
        for (const struct div_ops *const *mechanism = div_all(); *mechanism; mechanism++) {
            char setting[64];
            snprintf(setting, sizeof setting, "sm.scheduler=%s", *name);
            compare_on("tiny", setting, *mechanism);
        }
}

/* A code that was launched under another mechanism, or on a machine with another knob, is prepared anew. */
static void a_code_moves_to_another_machine(void **state)
{
    (void)state;
    static const struct timed_case cases[] = {{.machine = "tiny"},
                                              {.machine = "tiny", .settings = "sm.int_latency=23"},
                                              {.machine = "fermi"},
                                              {.machine = "tiny", .settings = "sm.scalar=yes"},
                                              {.machine = "tiny", .settings = "sm.reconvergence=post-dominators"}};
    static const char *const mechanisms[] = {"pdom", "volta", "bound"};
    static struct sequence moving, fresh;
    open_sequence(&moving);
    for (size_t i = 0; i < 2 * COUNTOF(cases) * COUNTOF(mechanisms); i++) {
        /* from one launch to the next either the machine or the mechanism changes */
        struct timed_case c = cases[i / 2 % COUNTOF(cases)];
        c.mechanism = div_find(mechanisms[(i + 1) / 2 % COUNTOF(mechanisms)]);
        union timed_knobs knobs;
        struct machine *m = timed_machine(&c);
        const struct gpu_run run = {.machine = m, .mechanism = c.mechanism, .mechanism_knobs = &knobs};
        timed_set_knobs(&c, &knobs);
        open_sequence(&fresh);
        gpu_kept_free(&moving.kept);
        memset(out(&moving.bench), 0, OUT_BYTES);
        launch(&fresh, 0, 0, &run);
        launch(&moving, 0, 0, &run);
        if (fresh.left[0].result.sm.idle_cycles != moving.left[0].result.sm.idle_cycles ||
            fresh.left[0].result.cycles != moving.left[0].result.cycles ||
            fresh.left[0].result.sm.scalar_instructions != moving.left[0].result.sm.scalar_instructions)
            fail_msg("case %zu under %s depends on launches before it", i / 2 % COUNTOF(cases), c.mechanism->name);
        gpu_result_free(&moving.left[0].result);
        close_sequence(&fresh);
        machine_free(m);
    }
    close_sequence(&moving);
}

/* Blocks lie at lines of the host and do not overlap; after a restart, storage that fits is used again. */
static void storage_is_used_again(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 64, 65, 5000, 3 << 20, 7, 100000};
    struct storage s = {0};
    uint8_t *first = NULL;
    for (int round = 0; round < 4; round++) {
        uint8_t *block[COUNTOF(sizes)];
        for (size_t i = 0; i < COUNTOF(sizes); i++) {
            block[i] = i % 2 ? storage_alloc(&s, sizes[i]) : storage_calloc(&s, sizes[i], 1);
            assert_int_equal((uintptr_t)block[i] % 64, 0);
            for (size_t k = 0; i % 2 == 0 && k < sizes[i]; k++)
                assert_int_equal(block[i][k], 0);
            memset(block[i], (int)i + 1, sizes[i]);
        }
        for (size_t i = 0; i < COUNTOF(sizes); i++)
            for (size_t k = 0; k < sizes[i]; k++)
                if (block[i][k] != i + 1)
                    fail_msg("byte %zu of block %zu was overwritten", k, i);
        if (round >= 2)
            assert_ptr_equal(block[1], first);
        first = block[1];
        storage_restart(&s);
    }
    storage_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_and_mechanism),
        cmocka_unit_test(every_scheduler),
        cmocka_unit_test(a_code_moves_to_another_machine),
        cmocka_unit_test(storage_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
