/* Selection by a predicate (selp) or by a sign (slct). */
#include "lanes/lane_loop.h"

/* The third source is 32 bits wide, whatever the width of the selected values. */
#define SELECT(name, type, chooser, condition)             \
    SIMD_CLONES static void name(const struct lanes *x)    \
    {                                                      \
        type *d = x->dest[0];                              \
        const type *pa = x->source[0], *pb = x->source[1]; \
        LANES_APART(chooser, pc, 2, d);                    \
        EACH_LANE(i)                                       \
        {                                                  \
            const type a = pa[i], b = pb[i];               \
            const chooser c = pc[i];                       \
            d[i] = (condition) ? a : b;                    \
        }                                                  \
    }
#define SELECTS(suffix, type)                         \
    SELECT(selp_##suffix, type, uint32_t, c != 0)     \
    SELECT(slct_s32_##suffix, type, int32_t, c >= 0)  \
    SELECT(slct_f32_##suffix, type, float, c >= 0.0f) \
    SELECT(slct_ftz_##suffix, type, float, flush_f32(c) >= 0.0f)
SELECTS(u16, uint16_t)
SELECTS(u32, uint32_t)
SELECTS(u64, uint64_t)

static lane_fn *const table_selp[TYPE_COUNT] = {BY_WIDTH(selp)};
static lane_fn *const table_slct_s32[TYPE_COUNT] = {BY_WIDTH(slct_s32)};
static lane_fn *const table_slct_f32[TYPE_COUNT] = {BY_WIDTH(slct_f32)};
static lane_fn *const table_slct_ftz[TYPE_COUNT] = {BY_WIDTH(slct_ftz)};

lane_fn *lanes_find_select(const struct insn *insn)
{
    unsigned t = insn->suffixes.type[0];
    if (insn->op == OP_SELP)
        return table_selp[t];
    if (insn->op != OP_SLCT)
        return NULL;
    if (insn->suffixes.type[1] == TYPE_S32)
        return table_slct_s32[t];
    return suffixes_has(&insn->suffixes, FLAG_FTZ) ? table_slct_ftz[t] : table_slct_f32[t];
}
