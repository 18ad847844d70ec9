/*
 * Launches that are stopped on their way, under every mechanism: by the limit of instructions at many points, by who
 * watches, and by a deadlock. Each time the report says where the threads are and what the mechanism holds, and writing
 * that report changes nothing of what is simulated.
 */
#include "base/random.h"
#include "div/table.h"
#include "timed_bench.h"
#include "trace/trace.h"

/* Six rounds of: a branch by a coin of the thread, with a loop of zero to three turns on one side, and a barrier behind
 * it. In each round some threads also come to the meeting place over a break. */
#define ROUNDS                                                                                                      \
    "mov.u32 %r1, %r0; mov.u32 %r4, 0;\n"                                                                           \
    "L: mad.lo.u32 %r1, %r1, 1664525, 1013904223; shr.u32 %r2, %r1, 27; and.b32 %r3, %r2, 3;\n"                     \
    "and.b32 %r2, %r2, 4; setp.eq.u32 %p0, %r2, 0; @%p0 bra X;\n"                                                   \
    "M: setp.eq.u32 %p1, %r3, 0; @%p1 bra J; sub.u32 %r3, %r3, 1; mul.lo.u32 %r1, %r1, 5;\n"                        \
    "and.b32 %r5, %r1, 64; setp.ne.u32 %p2, %r5, 0; @%p2 bra J; ld.global.u32 %r6, [%a1]; add.u32 %r1, %r1, %r6;\n" \
    "bra M;\n"                                                                                                      \
    "X: xor.b32 %r1, %r1, 0x55; setp.eq.u32 %p1, %r3, 1; @%p1 bra Y; add.u32 %r1, %r1, 3; bra J;\n"                 \
    "Y: st.global.u32 [%a1], %r1;\n"                                                                                \
    "J: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 6; @%p1 bra L;"

/* The same up to a round in which half of the warps are at one barrier for all, and half at another. */
#define STUCK ROUNDS "and.b32 %r2, %t, 32; setp.eq.u32 %p0, %r2, 0; @%p0 bra P; bar.sync 1; bra Q; P: bar.sync 2; Q:"

static const char *const machines[] = {"tiny", "fermi", "volta"};

struct stage {
    struct bench b;
    struct machine *machine;
    union timed_knobs knobs;
    struct gpu_run run;
    struct code *code;
};

static void set_up(struct stage *s, const char *text, const char *machine, const struct div_ops *mechanism)
{
    struct timed_case c = {.machine = machine, .settings = "gpu.sm_count=2", .mechanism = mechanism};
    char *error = NULL;
    open_bench(&s->b, text);
    s->b.launch.grid[0] = 3;
    s->b.launch.block[0] = 96;
    s->machine = timed_machine(&c);
    timed_set_knobs(&c, &s->knobs);
    s->run = (struct gpu_run){.machine = s->machine, .mechanism = mechanism, .mechanism_knobs = &s->knobs};
    s->code = code_create(s->b.launch.kernel, s->b.image, &error);
    assert_non_null(s->code);
}

static void take_down(struct stage *s)
{
    code_destroy(s->code);
    machine_free(s->machine);
    close_bench(&s->b);
}

/* Runs it up to the limit and expects this end. The report must name places of threads, and the mechanism's state if it
 * can tell that. */
static void play(struct stage *s, uint64_t limit, enum fault_kind kind, struct gpu_result *result)
{
    const struct div_ops *ops = s->run.mechanism;
    memset(out(&s->b), 0, OUT_BYTES);
    memset(result, 0, sizeof *result);
    s->b.launch.instruction_limit = limit;
    gpu_launch(&s->run, &s->b.launch, s->code, result);
    if (result->launch.fault.kind != kind)
        fail_msg("%s with a limit of %llu ends with %s", ops->name, (unsigned long long)limit,
                 fault_text[result->launch.fault.kind]);
    if (!kind)
        return;
    if (!result->deadlock || !strstr(result->deadlock, "threads left:\n  thread"))
        fail_msg("%s does not say where threads are:\n%s", ops->name,
                 result->deadlock ? result->deadlock : "(nothing)");
    if (ops->dump && !strstr(result->deadlock, "state of "))
        fail_msg("%s does not show its state:\n%s", ops->name, result->deadlock);
}

static void every_mechanism_is_stopped_by_a_limit(void **state)
{
    struct random r = {7};
    (void)state;
    for (size_t m = 0; m < COUNTOF(machines); m++)
        for (int i = 0; div_all()[i]; i++) {
            struct stage s;
            struct gpu_result result;
            set_up(&s, KERNEL(ROUNDS), machines[m], div_all()[i]);
            play(&s, 0, FAULT_NONE, &result);
            uint64_t most = result.launch.warp_instructions / 2;
            gpu_result_free(&result);
            for (int stop = 0; stop < 20; stop++) {
                play(&s, 1 + random_u64(&r) % most, FAULT_LIMIT, &result);
                gpu_result_free(&result);
            }
            take_down(&s);
        }
}

static bool stop_at_once(void *context, const struct gpu_progress *so_far)
{
    (void)context, (void)so_far;
    return false;
}

static void every_mechanism_is_stopped_by_who_watches(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNTOF(machines); m++)
        for (int i = 0; div_all()[i]; i++) {
            struct stage s;
            struct gpu_result result;
            set_up(&s, KERNEL(ROUNDS), machines[m], div_all()[i]);
            s.run.watch.progress = stop_at_once;
            play(&s, 0, FAULT_STOPPED, &result);
            gpu_result_free(&result);
            take_down(&s);
        }
}

static void every_mechanism_reports_a_deadlock(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNTOF(machines); m++)
        for (int i = 0; div_all()[i]; i++) {
            struct stage s;
            struct gpu_result result;
            set_up(&s, KERNEL(STUCK), machines[m], div_all()[i]);
            play(&s, 0, FAULT_DEADLOCK, &result);
            gpu_result_free(&result);
            take_down(&s);
        }
}

/* A trace asks the mechanism for its state after every event. */
static void showing_its_state_changes_nothing(void **state)
{
    struct trace_options all = {.sm = -1, .last_cycle = UINT64_MAX};
    (void)state;
    for (size_t m = 0; m < COUNTOF(machines); m++)
        for (int i = 0; div_all()[i]; i++) {
            struct stage s;
            struct gpu_result plain, shown;
            uint8_t memory[OUT_BYTES];
            const struct div_ops *ops = div_all()[i];
            set_up(&s, KERNEL(ROUNDS), machines[m], ops);
            s.b.launch.grid[0] = 1; /* the trace's own comparison of states costs most of this test's time */
            play(&s, 0, FAULT_NONE, &plain);
            memcpy(memory, out(&s.b), OUT_BYTES);
            take_down(&s);
            set_up(&s, KERNEL(ROUNDS), machines[m], ops); /* the same addresses again, on which times depend */
            s.b.launch.grid[0] = 1;
            s.run.trace = trace_create(&all);
            play(&s, 0, FAULT_NONE, &shown);
            if (plain.cycles != shown.cycles)
                fail_msg("%s on %s takes %llu cycles, and %llu when it shows its state", ops->name, machines[m],
                         (unsigned long long)plain.cycles, (unsigned long long)shown.cycles);
            assert_memory_equal(&plain.sm, &shown.sm, sizeof plain.sm);
            if (ops->stats)
                assert_memory_equal(plain.mechanism, shown.mechanism, ops->stats->bytes);
            assert_memory_equal(out(&s.b), memory, OUT_BYTES);
            trace_destroy(s.run.trace);
            gpu_result_free(&plain);
            gpu_result_free(&shown);
            take_down(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mechanism_is_stopped_by_a_limit),
        cmocka_unit_test(every_mechanism_is_stopped_by_who_watches),
        cmocka_unit_test(every_mechanism_reports_a_deadlock),
        cmocka_unit_test(showing_its_state_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
