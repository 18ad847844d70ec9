/* Steps of a strand: accesses that are noted first and executed then. */
#include "exec/step.h"
#include "kernel_bench.h"

#define LOADS                                                                                                 \
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<3>; .reg .b64 %d<3>;\n"                       \
           "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d1, %d0;\n" \
           "ld.global.u32 %r1, [%d1]; add.s64 %d1, %d1, 128; st.global.u32 [%d1], %r1; ret;\n}\n"

enum { LOAD = 4, ADD, STORE }; /* PCs */

struct machine {
    struct bench bench;
    struct code *code;
    struct engine *engine;
    struct block *block;
    struct row *row;
    struct step step;
    struct strand strand; /* the block's one row */
};

static void execute(struct machine *m, int32_t pc)
{
    m->strand.pc = pc;
    assert_true(step_execute(&m->step, &m->strand, 0));
}

/* Up to the load. The buffer holds its own word numbers. */
static struct machine *open_machine(void)
{
    struct machine *m = calloc(1, sizeof *m);
    char *error = NULL;
    open_bench(&m->bench, LOADS);
    m->code = code_create(m->bench.launch.kernel, m->bench.image, &error);
    assert_non_null(m->code);
    m->engine = engine_open(&m->bench.launch, m->code, &m->bench.result);
    assert_non_null(m->engine);
    m->block = block_create(&m->bench.launch, m->code->program, m->engine->local_bytes);
    block_start(m->block, &m->bench.launch, m->code->program, 0);
    m->row = &m->block->rows[0];
    m->step.rows = &m->row;
    m->step.row_blocks = &m->block;
    step_init(&m->step, m->engine);
    m->strand.threads = (struct threads){1, {{0, UINT32_MAX}}};
    for (uint32_t i = 0; i < OUT_BYTES / 4; i++)
        ((uint32_t *)out(&m->bench))[i] = i;
    for (int32_t pc = 0; pc < LOAD; pc++)
        execute(m, pc);
    m->strand.pc = LOAD;
    return m;
}

static void close_machine(struct machine *m)
{
    block_destroy(m->block);
    engine_close(m->engine);
    code_destroy(m->code);
    close_bench(&m->bench);
    free(m);
}

/* What the load brought, by what the store leaves. */
static void expect_loaded(struct machine *m, uint32_t first)
{
    execute(m, STORE);
    for (uint32_t i = 0; i < ROW_LANES; i++)
        assert_int_equal(((uint32_t *)out(&m->bench))[32 + i], first + i);
}

static void test_what_is_noted_is_loaded(void **state)
{
    (void)state;
    struct machine *m = open_machine();
    step_note_accesses(&m->step, &m->strand);
    assert_int_equal(m->step.access_count, 1);
    assert_int_equal(m->step.access[0].count, ROW_LANES);
    for (uint32_t i = 0; i < ROW_LANES; i++)
        assert_int_equal(m->step.access[0].address[i], m->bench.out + 4 * i);
    execute(m, LOAD);
    execute(m, ADD);
    expect_loaded(m, 0);
    close_machine(m);
}

/* Memory may refuse what was noted, and the strand may come back with other registers. */
static void test_a_note_ends_with_the_next_instruction(void **state)
{
    (void)state;
    struct machine *m = open_machine();
    step_note_accesses(&m->step, &m->strand);
    execute(m, ADD);
    execute(m, LOAD);
    expect_loaded(m, 32);
    close_machine(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_noted_is_loaded),
        cmocka_unit_test(test_a_note_ends_with_the_next_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
