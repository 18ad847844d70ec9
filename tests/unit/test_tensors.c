/*
 * Copies of tensors in the functional engine and in the oracle: interleaved tensors, units that are partly behind the
 * end, four rows at a time, mbarriers of a pair of blocks, and fields that a kernel replaces.
 *
 * The tensor is 4096 words, each of them its own number, and one word more. Places in it are counted in units of 16
 * bytes.
 */
#include "device/tensor_map.h"
#include "kernel_bench.h"

enum { WORDS = 4096, TILE_WORDS = 1024, UNTOUCHED = 0xcdcdcdcd };

/* One thread runs `body`, with the tile's address in %r0, that of the mbarrier in %r1 and that of the map in %a2. What
 * the tile holds in the end goes to `out`. */
#define KERNEL(before, body)                                                                                   \
    ".version 8.6\n.target sm_100a\n.address_size 64\n"                                                        \
    ".visible .entry k(.param .u64 out, .param .u64 map)\n" before "{\n"                                       \
    ".shared .align 1024 .b32 tile[1024]; .shared .align 8 .b64 bar;\n"                                        \
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b16 %h<4>; .reg .b64 %a<8>;\n"                                  \
    "ld.param.u64 %a0, [out]; ld.param.u64 %a2, [map]; mov.u32 %r0, tile; mov.u32 %r1, bar; mov.u32 %r2, 0;\n" \
    "mov.u32 %r3, %cluster_ctarank; mul.wide.u32 %a1, %r3, 4096; add.u64 %a0, %a0, %a1; mov.u32 %r4, %r0;\n"   \
    "MARK: st.shared.u32 [%r4], 0xcdcdcdcd; add.u32 %r4, %r4, 4; add.u32 %r2, %r2, 1;\n"                       \
    "setp.lt.u32 %p0, %r2, 1024; @%p0 bra MARK; mbarrier.init.shared::cta.b64 [%r1], 1;\n" body                \
    "mov.u32 %r2, 0; mov.u32 %r4, %r0;\n"                                                                      \
    "SHOW: ld.shared.u32 %r5, [%r4]; st.global.u32 [%a0], %r5; add.u32 %r4, %r4, 4; add.u64 %a0, %a0, 4;\n"    \
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 1024; @%p0 bra SHOW;\nret;\n}\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], " bytes ";\n"
#define WAIT          "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0; @!%p1 bra WAIT;\n"
#define LOAD(dim, mode, at, bytes)                                                                           \
    EXPECT(bytes)                                                                                            \
    "cp.async.bulk.tensor." dim ".shared::cta.global." mode ".mbarrier::complete_tx::bytes [%r0], [%a2, " at \
    "], [%r1];\n" WAIT
/* The tile's words become 5000, 5001, ... before the instruction. */
#define STORE(instruction)                                                                              \
    "mov.u32 %r2, 0; mov.u32 %r4, %r0; mov.u32 %r5, 5000;\n"                                            \
    "COUNT: st.shared.u32 [%r4], %r5; add.u32 %r4, %r4, 4; add.u32 %r5, %r5, 1; add.u32 %r2, %r2, 1;\n" \
    "setp.lt.u32 %p0, %r2, 1024; @%p0 bra COUNT; fence.proxy.async;\n" instruction                      \
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"

struct tensors {
    struct bench b;
    uint64_t tensor;
    struct tensor_map *map;
};

static uint32_t *words(struct tensors *t)
{
    return memory_host(t->b.memory, t->tensor, (uint64_t)4 * WORDS + 4);
}

static void fill(struct tensors *t)
{
    memset(out(&t->b), 0, OUT_BYTES);
    for (uint32_t i = 0; i <= WORDS; i++)
        words(t)[i] = i;
}

static void open_tensors(struct tensors *t, const char *text, struct tensor_map map)
{
    open_bench(&t->b, text);
    t->tensor = memory_alloc(t->b.memory, (uint64_t)4 * WORDS + 4, "tensor");
    t->b.parameters[1] = memory_alloc(t->b.memory, TENSOR_MAP_BYTES, "map");
    t->b.launch.parameter_bytes = 16;
    t->b.launch.block[0] = 1;
    t->map = memory_host(t->b.memory, t->b.parameters[1], TENSOR_MAP_BYTES);
    map.magic = TENSOR_MAP_MAGIC;
    map.address += t->tensor;
    *t->map = map;
}

/* Runs the kernel on the engine, then on the oracle, and lets `check` look after each. */
static void run_both(const char *text, struct tensor_map map, void (*check)(struct tensors *t))
{
    struct tensors t;
    char report[2048];
    for (int oracle = 0; oracle < 2; oracle++) {
        open_tensors(&t, text, map);
        if (strstr(text, ".reqnctapercluster"))
            t.b.launch.grid[0] = 2;
        fill(&t);
        if (oracle)
            oracle_launch(&t.b.launch, &t.b.result);
        else
            run_on_engine(&t.b);
        if (t.b.result.fault.kind)
            fail_msg("%s", fault_describe(&t.b.result.fault, report, sizeof report));
        check(&t);
        close_bench(&t.b);
    }
}

/* The tile's unit is the tensor's; a place below 0 is outside the tensor, and gives 0. */
static void check_unit(struct tensors *t, int unit, int place)
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(((const uint32_t *)out(&t->b))[4 * unit + i], place < 0 ? 0 : 4 * place + i);
}

/* The tensor's unit has what the tile's unit had; below 0: what it had before. */
static void check_stored(struct tensors *t, int place, int unit)
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(words(t)[4 * place + i], unit < 0 ? 4 * place + i : 5000 + 4 * unit + i);
}

/* ---- interleaved tensors ---- */

/* Lines of 6 pixels, images of 5 lines, 3 slices, 2 images; a line is 8 units apart from the next, and so on. */
static struct tensor_map sliced(uint8_t interleave)
{
    const uint64_t pitch = interleave == TENSOR_INTERLEAVE_16 ? 128 : 256;
    return (struct tensor_map){.rank = 4,
                               .type = TENSOR_U16,
                               .interleave = interleave,
                               .step = {1, 1, 1, 1},
                               .stride = {pitch, 5 * pitch, 15 * pitch},
                               .size = {6, 5, 3, 2},
                               .box = {8, 2, 2, 2}};
}

/* From pixel 2 of line 3 in slice 1 of image 0: four pixels of a line are inside, two lines, one slice, two images. */
static void check_slices_of_16(struct tensors *t)
{
    for (int unit = 0; unit < 32; unit++) {
        int pixel = unit % 8 + 2, line = unit / 8 % 2 + 3, image = unit / 16;
        check_unit(t, unit, pixel < 6 ? pixel + 8 * (line + 5 * 1 + 15 * image) : -1);
    }
    assert_int_equal(((const uint32_t *)out(&t->b))[128], UNTOUCHED);
}

static void check_slices_of_32(struct tensors *t)
{
    for (int unit = 0; unit < 64; unit++) {
        int pixel = unit / 2 % 8 + 2, line = unit / 16 % 2 + 3, image = unit / 32;
        check_unit(t, unit, pixel < 6 ? 2 * pixel + unit % 2 + 16 * (line + 5 * 1 + 15 * image) : -1);
    }
    assert_int_equal(((const uint32_t *)out(&t->b))[256], UNTOUCHED);
}

static void slices_of_channels_are_copied(void **state)
{
    (void)state;
    run_both(KERNEL("", LOAD("4d", "tile", "{2, 3, 1, 0}", "512")), sliced(TENSOR_INTERLEAVE_16), check_slices_of_16);
    run_both(KERNEL("", LOAD("4d", "tile", "{2, 3, 1, 0}", "1024")), sliced(TENSOR_INTERLEAVE_32), check_slices_of_32);
}

/* With a step of 3 in a line: pixels 1 and 4, then 7, which is outside. In the second 128 bytes, units trade places. */
static void check_swizzled_steps(struct tensors *t)
{
    static const int from[] = {1, 4, -1, 9, 12, -1, 121, 124};
    for (int unit = 0; unit < 8; unit++)
        check_unit(t, unit, from[unit]);
    check_unit(t, 9, -1);
    check_unit(t, 8, 129);
    check_unit(t, 11, 132);
    check_unit(t, 10, -1);
}

static void slices_have_steps_and_swizzles(void **state)
{
    struct tensor_map map = sliced(TENSOR_INTERLEAVE_16);
    (void)state;
    map.step[0] = 3;
    map.swizzle = TENSOR_SWIZZLE_32;
    run_both(KERNEL("", LOAD("4d", "tile", "{1, 0, 0, 0}", "192")), map, check_swizzled_steps);
}

/* Pixels 4 and 5 of line 1, then all of line 2, 3, ...; the box of pixels ends a pixel before the line's end. */
static void check_pixels(struct tensors *t)
{
    int pixel = 3, line = 1, image = 0;
    for (int unit = 0; unit < 24; unit++) {
        check_unit(t, unit, image < 2 ? pixel + 1 + 8 * (line + 10 + 15 * image) : -1);
        if (++pixel <= 4)
            continue;
        pixel = 0;
        if (++line > 4) {
            line = 0;
            image++;
        }
    }
}

static void pixels_of_slices_are_counted(void **state)
{
    struct tensor_map map = sliced(TENSOR_INTERLEAVE_16);
    (void)state;
    map.is_im2col = 1;
    map.channels = 8;
    map.pixels = 24;
    map.upper[0] = -1;
    run_both(KERNEL("", EXPECT("384") "mov.u16 %h0, 1; mov.u16 %h1, 0;\n"
                                      "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes "
                                      "[%r0], [%a2, {3, "
                                      "1, 2, 0}], [%r1], {%h0, %h1};\n" WAIT),
             map, check_pixels);
}

/* ---- ends of rows ---- */

static struct tensor_map matrix(uint8_t type, uint32_t columns, uint32_t rows, uint16_t width, uint16_t height)
{
    return (struct tensor_map){
        .rank = 2, .type = type, .step = {1, 1}, .stride = {64}, .size = {columns, rows}, .box = {width, height}};
}

/* Nine halves: the second unit is written as a whole, the third not at all. */
static void check_whole_units(struct tensors *t)
{
    for (int row = 0; row < 2; row++)
        for (int unit = 0; unit < 4; unit++)
            check_stored(t, 4 * row + unit, unit < 2 ? 3 * row + unit : -1);
    check_stored(t, 8, -1);
}

static void stores_write_whole_units(void **state)
{
    (void)state;
    run_both(KERNEL("", STORE("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%a2, {0, 0}], [%r0];\n")),
             matrix(TENSOR_U16, 9, 2, 24, 3), check_whole_units);
}

/* Of the row's last unit one word is in the tensor. */
static void check_last_unit(struct tensors *t)
{
    assert_int_equal(words(t)[WORDS - 4], WORDS - 4 + 5000);
    assert_int_equal(words(t)[WORDS - 1], WORDS - 1 + 5003);
}

static void reductions_write_whole_units(void **state)
{
    struct tensor_map map = matrix(TENSOR_U32, 1021, 4, 4, 1);
    (void)state;
    map.stride[0] = 4096;
    run_both(KERNEL("", STORE("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%a2, {1020, 3}], "
                              "[%r0];\n")),
             map, check_last_unit);
}

/* A row of five words begins four words before the last one. Behind that there is no memory. */
static void check_end(struct tensors *t)
{
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(words(t)[WORDS - 4 + i], 5000 + i);
}

static void stores_end_with_memory(void **state)
{
    struct tensor_map map = matrix(TENSOR_U32, 5, 1, 8, 1);
    (void)state;
    map.address = (uint64_t)4 * (WORDS - 4);
    run_both(KERNEL("", STORE("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%a2, {0, 0}], [%r0];\n")),
             map, check_end);
}

/* ---- four rows ---- */

static void check_gathered(struct tensors *t)
{
    static const int rows[] = {9, 0, -1, 5};
    for (int row = 0; row < 4; row++)
        for (int unit = 0; unit < 2; unit++) /* lines of 128 bytes; in the second, units trade places in pairs, ... */
            check_unit(t, 8 * row + (unit ^ row), rows[row] < 0 ? -1 : 4 * rows[row] + 1 + unit);
}

static void four_rows_are_gathered(void **state)
{
    struct tensor_map map = matrix(TENSOR_U32, 16, 10, 8, 1);
    (void)state;
    map.swizzle = TENSOR_SWIZZLE_128;
    run_both(KERNEL("", LOAD("2d", "tile::gather4", "{4, 9, 0, 10, 5}", "128")), map, check_gathered);
}

static void check_scattered(struct tensors *t)
{
    static const int unit_of[10] = {-1, 4, 0, -1, -1, -1, -1, 2, -1, 6};
    for (int row = 0; row < 10; row++) {
        check_stored(t, 4 * row, -1);
        check_stored(t, 4 * row + 1, unit_of[row]);
        check_stored(t, 4 * row + 2, unit_of[row] < 0 ? -1 : unit_of[row] + 1);
        check_stored(t, 4 * row + 3, -1);
    }
}

static void four_rows_are_scattered(void **state)
{
    (void)state;
    run_both(
        KERNEL("", STORE("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%a2, {4, 2, 7, 1, 9}], "
                         "[%r0];\n")),
        matrix(TENSOR_U32, 16, 10, 8, 1), check_scattered);
}

/* ---- pairs of blocks ---- */

/* Block 0 copies to both blocks. The mbarrier of the block `teller` hears of both copies. */
#define PAIR(teller)                                                                                                   \
    KERNEL(".reqnctapercluster 2\n",                                                                                   \
           "barrier.cluster.arrive; barrier.cluster.wait; setp.ne.u32 %p2, %r3, " teller "; @%p2 bra OTHER;\n" EXPECT( \
               "256") "OTHER: barrier.cluster.arrive; barrier.cluster.wait; setp.ne.u32 %p3, %r3, 0;\n"                \
                      "mapa.shared::cluster.u32 %r6, %r1, " teller "; mov.u16 %h0, 3; @%p3 bra COPIED;\n"              \
                      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::"   \
                      "cluster"                                                                                        \
                      ".cta_group::2 [%r0], [%a2, {4, 1}], [%r6], %h0;\n"                                              \
                      "COPIED: @%p2 bra TOLD;\n" WAIT "TOLD: barrier.cluster.arrive; barrier.cluster.wait;\n")

static void check_pair(struct tensors *t)
{
    for (int block = 0; block < 2; block++)
        for (int unit = 0; unit < 8; unit++)
            check_unit(t, 256 * block + unit, 4 * (unit / 2 + 1) + 1 + unit % 2);
}

static void one_mbarrier_of_a_pair_is_told(void **state)
{
    (void)state;
    run_both(PAIR("0"), matrix(TENSOR_U32, 16, 10, 8, 4), check_pair);
    run_both(PAIR("1"), matrix(TENSOR_U32, 16, 10, 8, 4), check_pair);
}

/* ---- fields ---- */

static void check_fields(struct tensors *t)
{
    assert_int_equal(t->map->type, TENSOR_BF16);
    assert_int_equal(t->map->interleave, TENSOR_INTERLEAVE_32);
    assert_int_equal(t->map->swizzle, TENSOR_SWIZZLE_64);
    assert_int_equal(t->map->fills_nan, 1);
    assert_int_equal(t->map->rank, 3);
    assert_int_equal(t->map->address, 0x12340);
    assert_int_equal(t->map->box[1], 17);
    assert_int_equal(t->map->size[4], 99);
    assert_int_equal(t->map->stride[2], 0x560);
    assert_int_equal(t->map->step[3], 7);
}

#define REPLACE(field, type, value) "tensormap.replace.tile." field ".global.b1024." type " [%a2], " value ";\n"

static void fields_are_replaced(void **state)
{
    (void)state;
    run_both(KERNEL("", REPLACE("elemtype", "b32", "10") REPLACE("interleave_layout", "b32", "2")
                            REPLACE("swizzle_mode", "b32", "2") REPLACE("fill_mode", "b32", "1")
                                REPLACE("rank", "b32", "2") "mov.u64 %a3, 0x12340; mov.u64 %a4, 0x560;\n" REPLACE(
                                    "global_address", "b64", "%a3") REPLACE("box_dim", "b32", "1, 17")
                                    REPLACE("global_dim", "b32", "4, 99") REPLACE("global_stride", "b64", "2, %a4")
                                        REPLACE("element_stride", "b32", "3, 7")),
             matrix(TENSOR_U32, 16, 10, 8, 4), check_fields);
}

/* PTX numbers f32.ftz, f64 and bf16 otherwise than CUDA. */
static void types_have_codes_of_their_own(void **state)
{
    static const uint8_t type_of[13] = {TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
                                        TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
                                        TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};
    (void)state;
    for (unsigned code = 0; code < COUNTOF(type_of); code++)
        assert_int_equal(tensor_type_of_code(code), type_of[code]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_of_channels_are_copied),  cmocka_unit_test(slices_have_steps_and_swizzles),
        cmocka_unit_test(pixels_of_slices_are_counted),   cmocka_unit_test(stores_write_whole_units),
        cmocka_unit_test(reductions_write_whole_units),   cmocka_unit_test(stores_end_with_memory),
        cmocka_unit_test(four_rows_are_gathered),         cmocka_unit_test(four_rows_are_scattered),
        cmocka_unit_test(one_mbarrier_of_a_pair_is_told), cmocka_unit_test(fields_are_replaced),
        cmocka_unit_test(types_have_codes_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
