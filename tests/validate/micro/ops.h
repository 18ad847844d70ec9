/*
 * The instructions whose latency and issue interval are measured, one row each:
 *
 *   MICRO(name, c_type, constraint, steps, instructions, ptx)    with `steps` repetitions of `ptx` in a row
 *
 * %0 is read and written, so that repetitions depend on each other; %1 and %2 are values that the compiler does not
 * know. `instructions` is how many instructions of the measured kind one `ptx` has. Each text is such that ptxas folds
 * no two repetitions into one: add alternates with xor, and rounding forbids what algebra would allow.
 */
MICRO(int_add_xor, unsigned, "r", 64, 2, "add.u32 %0, %0, %1; xor.b32 %0, %0, %2;")
MICRO(int_shift, unsigned, "r", 64, 1, "shf.l.wrap.b32 %0, %0, %1, %0;")
MICRO(int_compare_select, unsigned, "r", 64, 2, "{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %2, %0, p; }")
MICRO(int_popc, unsigned, "r", 64, 2, "popc.b32 %0, %0; xor.b32 %0, %0, %1;")
MICRO(int_add_xor_64, unsigned long long, "l", 64, 2, "add.u64 %0, %0, %1; xor.b64 %0, %0, %2;")
MICRO(imul_mad, unsigned, "r", 64, 1, "mad.lo.u32 %0, %0, %1, %2;")
MICRO(imul_hi, unsigned, "r", 64, 1, "mul.hi.u32 %0, %0, %1;")
MICRO(imul_mad_64, unsigned long long, "l", 64, 1, "mad.lo.u64 %0, %0, %1, %2;")
MICRO(imul_dp4a, unsigned, "r", 64, 1, "dp4a.u32.u32 %0, %0, %1, %2;")
MICRO(idiv_u32, unsigned, "r", 16, 1, "div.u32 %0, %1, %0;")
MICRO(idiv_s32, int, "r", 16, 1, "div.s32 %0, %1, %0;")
MICRO(idiv_rem_u32, unsigned, "r", 16, 1, "rem.u32 %0, %1, %0;")
MICRO(idiv_s64, long long, "l", 16, 1, "div.s64 %0, %1, %0;")
MICRO(fp32_fma, float, "f", 64, 1, "fma.rn.f32 %0, %0, %1, %2;")
MICRO(fp32_add, float, "f", 64, 1, "add.rn.f32 %0, %0, %1;")
MICRO(fp32_mul, float, "f", 64, 1, "mul.rn.f32 %0, %0, %1;")
MICRO(fp32_min_max, float, "f", 64, 2, "min.f32 %0, %0, %1; max.f32 %0, %0, %2;")
MICRO(fdiv_div, float, "f", 16, 1, "div.rn.f32 %0, %1, %0;")
MICRO(fdiv_rcp, float, "f", 16, 1, "rcp.rn.f32 %0, %0;")
MICRO(fdiv_sqrt, float, "f", 16, 1, "sqrt.rn.f32 %0, %0;")
MICRO(fp64_fma, double, "d", 64, 1, "fma.rn.f64 %0, %0, %1, %2;")
MICRO(fp64_add, double, "d", 64, 1, "add.rn.f64 %0, %0, %1;")
MICRO(ddiv_div, double, "d", 16, 1, "div.rn.f64 %0, %1, %0;")
MICRO(ddiv_sqrt, double, "d", 16, 1, "sqrt.rn.f64 %0, %0;")
MICRO(sfu_ex2, float, "f", 64, 1, "ex2.approx.ftz.f32 %0, %0;")
MICRO(sfu_lg2, float, "f", 64, 1, "lg2.approx.ftz.f32 %0, %0;")
MICRO(sfu_sin, float, "f", 64, 1, "sin.approx.ftz.f32 %0, %0;")
MICRO(sfu_rsqrt, float, "f", 64, 1, "rsqrt.approx.ftz.f32 %0, %0;")
MICRO(sfu_tanh, float, "f", 64, 1, "tanh.approx.f32 %0, %0;")
MICRO(sfu_div, float, "f", 64, 1, "div.approx.ftz.f32 %0, %1, %0;")
MICRO(cvt_s32_f32, int, "r", 64, 2, "{ .reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t; }")
MICRO(cvt_s32_f64, int, "r", 64, 2, "{ .reg .f64 t; cvt.rn.f64.s32 t, %0; cvt.rzi.s32.f64 %0, t; }")
MICRO(cvt_f32_f16, float, "f", 64, 2, "{ .reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t; }")
MICRO(cvt_s32_s16, unsigned, "r", 64, 3, "{ .reg .s16 t; cvt.s16.s32 t, %0; cvt.s32.s16 %0, t; add.u32 %0, %0, %1; }")
MICRO(warp_shuffle, unsigned, "r", 64, 2, "shfl.sync.bfly.b32 %0, %0, %1, 31, -1; add.u32 %0, %0, %2;")
MICRO(warp_ballot, unsigned, "r", 64, 2, "{ .reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1; }")
MICRO(warp_match_any, unsigned, "r", 16, 1, "match.any.sync.b32 %0, %0, -1;")
MICRO(warp_redux, unsigned, "r", 16, 1, "redux.sync.add.u32 %0, %0, -1;")
#undef MICRO
