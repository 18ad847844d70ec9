/* Finds the handler of an instruction by asking each file of handlers in turn. */
#include "lanes/lane_loop.h"
#include "lanes/narrow.h"

#include <fenv.h>

lane_fn *lanes_find(const struct insn *insn)
{
    static lane_fn *(*const finders[])(const struct insn *) = {
    lanes_find_int, lanes_find_mul, lanes_find_carry, lanes_find_bits, lanes_find_field, lanes_find_compare, lanes_find_compare_half, lanes_find_select, lanes_find_f32, lanes_find_f64, lanes_find_half, lanes_find_sign, lanes_find_math, lanes_find_convert, lanes_find_narrow, lanes_find_any_conversion, lanes_find_move, lanes_find_packed, lanes_find_video,
    };
    lane_fn *found = NULL;
    for (size_t i = 0; i < sizeof finders / sizeof *finders && !found; i++)
        found = finders[i](insn);
    return found;
}

bool lanes_control(const struct insn *insn, uint64_t *control)
{
    return narrow_control(insn, control) || video_control(insn, control);
}

void lanes_run_rounded(enum mod rounding, lane_fn *core, const struct lanes *x)
{
    fesetround(rounding == RND_RZ   ? FE_TOWARDZERO
               : rounding == RND_RM ? FE_DOWNWARD
               : rounding == RND_RP ? FE_UPWARD
                                    : FE_TONEAREST);
    core(x);
    fesetround(FE_TONEAREST);
}
