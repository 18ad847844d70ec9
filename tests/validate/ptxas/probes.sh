#!/bin/sh
# Prints the probe kernels from which the rule of docs/lowering.md was read: one PTX module, one kernel per probe and size.
#
# usage: tests/validate/ptxas/probes.sh
#
# A kernel is named PROBE__N. Each has a condition %p1 that differs from thread to thread, a branch on it, and N
# instructions of some kind on a side. What a probe varies stands in its line below. In the lines @I stands for N
# multiply-adds that depend on each other, @S for N stores to shared memory, @J for N multiply-adds on a register that
# nobody reads later, and # for a size-dependent register or offset.
set -eu
cat <<'PROBES' | awk '
    function times(text, n,    all, i, one) {
        all = ""
        for (i = 0; i < n; i++) {
            one = text
            gsub(/#4/, 4 * i, one)
            gsub(/#/, 100 + i, one)
            all = all one
        }
        return all
    }
    function kernel(name, n, body,    head) {
        gsub(/@I/, times("mad.lo.s32 %r2,%r2,%r3,%r4; ", n), body)
        gsub(/@J/, times("mad.lo.s32 %r40,%r40,%r3,%r4; ", n), body)
        gsub(/@K/, times("mad.lo.s32 %r2,%r2,%r4,%r3; ", n), body)
        gsub(/@S/, times("st.shared.u32 [%r8+#4],%r3; ", n), body)
        gsub(/@G/, times("st.global.u32 [%rd6+#4],%r3; ", n), body)
        gsub(/@L/, times("ld.global.u32 %r#,[%rd6+#4]; mad.lo.s32 %r2,%r2,%r3,%r#; ", n), body)
        gsub(/@D/, times("ld.shared.u32 %r#,[%r8+#4]; mad.lo.s32 %r2,%r2,%r3,%r#; ", n), body)
        printf ".visible .entry %s__%d(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n", name, n
        print ".reg .pred %p<16>; .reg .b32 %r<200>; .reg .b64 %rd<40>; .reg .f32 %f<8>; .reg .f64 %fd<8>;"
        print "ld.param.u64 %rd1,[a]; ld.param.u64 %rd2,[b]; ld.param.u32 %r9,[n];"
        print "cvta.to.global.u64 %rd3,%rd1; cvta.to.global.u64 %rd4,%rd2;"
        print "mov.u32 %r0,%tid.x; mul.wide.u32 %rd5,%r0,4; add.s64 %rd6,%rd3,%rd5; add.s64 %rd7,%rd4,%rd5;"
        print "shl.b32 %r7,%r0,2; mov.u32 %r8,sh; add.s32 %r8,%r8,%r7;"
        if (name ~ /^cold_/) {
            print "mad.lo.s32 %r3,%r0,%r0,7; mad.lo.s32 %r4,%r0,%r3,%r0; mad.lo.s32 %r2,%r4,%r3,%r0;"
            print "mov.u32 %r1,%r3; setp.gt.s32 %p1,%r3,%r4;"
        } else {
            print "ld.global.u32 %r1,[%rd6]; ld.global.u32 %r2,[%rd7]; ld.global.u32 %r3,[%rd7+4096];"
            print "ld.global.u32 %r4,[%rd7+8192]; setp.ne.s32 %p1,%r1,0;"
        }
        gsub(/; */, ";\n", body)
        gsub(/: */, ":\n", body)
        print body
        if (name !~ /^end_/)
            print "st.global.u32 [%rd7+16],%r2;"
        print "ret;\n}"
    }
    BEGIN {
        print ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 sh[4096];"
        print ".global .align 4 .b8 gt[64];\n.shared .align 4 .b8 other[64];"
    }
    NF {
        name = $1
        first = $2
        last = $3
        sub(/^[^|]*\| */, "")
        for (n = first; n <= last; n++)
            kernel(name, n, $0)
    }'
if_alu 0 12 | @%p1 bra L; @I L:
if_store_shared 1 12 | @%p1 bra L; @S L:
if_store_global 1 12 | @%p1 bra L; @G L:
if_load_shared 1 6 | @%p1 bra L; @D L:
if_uniform 1 10 | setp.ne.s32 %p8,%r9,0; @%p8 bra L; @I L:
if_promised 1 10 | @%p1 bra.uni L; @I L:
if_load_global 1 12 | @%p1 bra L; @L L:
if_load_store 0 22 | @%p1 bra L; ld.global.u32 %r20,[%rd6+64]; st.global.u32 [%rd6+128],%r20; @I L:
if_load_add 0 22 | @%p1 bra L; ld.global.u32 %r20,[%rd6+64]; add.s32 %r2,%r2,%r20; @I L:
cold_load_add 0 8 | @%p1 bra L; ld.global.u32 %r20,[%rd6+64]; add.s32 %r2,%r2,%r20; @I L:
cold_load_store 0 22 | @%p1 bra L; ld.global.u32 %r20,[%rd6+64]; st.global.u32 [%rd6+128],%r20; @I L:
cold_load_tail 0 4 | @%p1 bra L; ld.global.u32 %r20,[%rd6+64]; st.global.u32 [%rd6+128],%r20; L: @I
cold_load_shared 0 4 | @%p1 bra L; ld.global.u32 %r20,[%rd6+64]; st.shared.u32 [%r8],%r20; @I L:
else_same 1 10 | @%p1 bra L; @I bra M; L: @K M:
else_long 1 10 | @%p1 bra L; @I bra M; L: mad.lo.s32 %r2,%r2,%r4,%r3; mad.lo.s32 %r2,%r2,%r4,%r3; mad.lo.s32 %r2,%r2,%r4,%r3; mad.lo.s32 %r2,%r2,%r4,%r3; mad.lo.s32 %r2,%r2,%r4,%r3; mad.lo.s32 %r2,%r2,%r4,%r3; mad.lo.s32 %r2,%r2,%r4,%r3; mad.lo.s32 %r2,%r2,%r4,%r3; mad.lo.s32 %r2,%r2,%r4,%r3; M:
else_short 1 10 | @%p1 bra L; @I bra M; L: mad.lo.s32 %r2,%r2,%r4,%r3; M:
else_over_bra 1 8 | @%p1 bra X; bra Y; X: @I bra Z; Y: @K Z:
elseif 1 4 | setp.ne.s32 %p3,%r1,3; @%p3 bra L; @S bra M; L: setp.ne.s32 %p4,%r2,4; @%p4 bra M; st.shared.u32 [%r8+64],%r2; M:
elseif_over_bra 1 4 | setp.eq.s32 %p3,%r1,3; @%p3 bra X; bra Y; X: @S bra Z; Y: setp.ne.s32 %p4,%r2,4; @%p4 bra Z; st.shared.u32 [%r8+64],%r2; Z:
elseif_else_over_bra 1 4 | setp.eq.s32 %p3,%r1,3; @%p3 bra X; bra Y; X: @S bra Z; Y: setp.ne.s32 %p4,%r2,4; @%p4 bra W; st.shared.u32 [%r8+64],%r2; bra Z; W: st.shared.u32 [%r8+68],%r2; Z:
nested 1 10 | @%p1 bra L; setp.gt.s32 %p2,%r2,%r3; @%p2 bra M; @S M: mad.lo.s32 %r2,%r2,%r4,%r3; L:
two_tests 1 10 | @%p1 bra L; setp.gt.s32 %p2,%r2,%r3; @%p2 bra L; @S L:
two_tests_load 1 10 | @%p1 bra L; ld.shared.u32 %r5,[%r8+64]; setp.gt.s32 %p2,%r5,%r3; @%p2 bra L; @I L:
two_tests_arithmetic 0 8 | @%p1 bra L; mov.u32 %r40,%r2; @J setp.gt.s32 %p2,%r40,%r3; @%p2 bra L; st.shared.u32 [%r8],%r3; st.shared.u32 [%r8+4],%r2; L:
two_tests_live 0 3 | @%p1 bra L; @I setp.gt.s32 %p2,%r2,%r3; @%p2 bra L; st.shared.u32 [%r8],%r3; L:
return_side 0 10 | @%p1 bra L; @S ret; L: mad.lo.s32 %r2,%r2,%r3,%r4;
end_if 1 10 | @%p1 bra L; @S L:
out_of_line 1 10 | @%p1 bra F; B: st.shared.u32 [%r8],%r3; bar.sync 0; bra E; F: @I bra B; E:
atomic 0 1 | @%p1 bra L; red.global.add.u32 [%rd6],%r3; @I L:
atomic_shared 0 1 | @%p1 bra L; atom.shared.add.u32 %r2,[%r8],%r2; @I L:
fence 0 1 | @%p1 bra L; membar.gl; @I L:
shuffle 0 1 | @%p1 bra L; shfl.sync.bfly.b32 %r2,%r2,1,31,-1; @I L:
ballot 0 1 | @%p1 bra L; setp.gt.s32 %p3,%r2,1; vote.sync.ballot.b32 %r2,%p3,-1; @I L:
warp_barrier 0 1 | @%p1 bra L; bar.warp.sync -1; @I L:
block_barrier 0 9 | @%p1 bra L; bar.sync 0; @I L:
divide_int 0 1 | @%p1 bra L; div.u32 %r2,%r2,%r3; @I L:
divide_exact 0 1 | mov.b32 %f1,%r2; mov.b32 %f2,%r3; @%p1 bra L; div.rn.f32 %f1,%f1,%f2; @I L: mov.b32 %r2,%f1;
root_exact 0 1 | mov.b32 %f1,%r2; @%p1 bra L; sqrt.rn.f32 %f1,%f1; @I L: mov.b32 %r2,%f1;
leading_zeros 0 1 | @%p1 bra L; clz.b32 %r2,%r2; @I L:
weigh_wide_product 2 9 | @%p1 bra L; mul.wide.s32 %rd8,%r2,4; add.s64 %rd8,%rd8,%rd3; st.global.u32 [%rd8],%r3; @I L:
weigh_wide_sum 2 9 | @%p1 bra L; add.s64 %rd6,%rd6,%rd5; st.global.u64 [%rd4],%rd6; @I L:
weigh_shift_sum 2 9 | @%p1 bra L; shl.b32 %r30,%r2,2; add.s32 %r2,%r30,%r3; @I L:
weigh_two_sums 2 9 | @%p1 bra L; add.s32 %r2,%r2,%r3; add.s32 %r2,%r2,%r4; @I L:
weigh_fma 2 9 | mov.b32 %f1,%r2; @%p1 bra L; mul.f32 %f2,%f1,%f1; add.f32 %f1,%f2,%f1; mov.b32 %r2,%f1; @I L:
weigh_offset 2 9 | @%p1 bra L; add.s32 %r30,%r8,-4; ld.shared.u32 %r31,[%r30]; add.s32 %r32,%r8,-4; st.shared.u32 [%r32+8],%r31; @I L:
weigh_zero 2 9 | @%p1 bra L; mov.u32 %r30,0; st.shared.u32 [%r8],%r30; @I L:
weigh_constant 2 9 | @%p1 bra L; mov.u32 %r30,7; st.shared.u32 [%r8],%r30; @I L:
weigh_predicates 2 9 | @%p1 bra L; setp.gt.s32 %p5,%r2,%r3; setp.gt.s32 %p6,%r2,%r4; and.pred %p7,%p5,%p6; selp.b32 %r2,%r3,%r2,%p7; @I L:
weigh_special_register 2 9 | @%p1 bra L; mov.u32 %r30,%ctaid.y; add.s32 %r2,%r2,%r30; @I L:
weigh_shared_symbol 1 9 | @%p1 bra L; st.shared.u32 [other],%r3; @I L:
weigh_global_symbol 1 9 | @%p1 bra L; st.global.u32 [gt],%r3; @I L:
weigh_sine 2 9 | mov.b32 %f1,%r2; @%p1 bra L; sin.approx.ftz.f32 %f1,%f1; mov.b32 %r2,%f1; @I L:
weigh_double 2 9 | @%p1 bra L; cvt.rn.f64.s32 %fd1,%r2; fma.rn.f64 %fd1,%fd1,%fd1,%fd1; cvt.rzi.s32.f64 %r2,%fd1; @I L:
loop_if 4 12 | mov.u32 %r5,0; P: .pragma "nounroll"; mad.lo.s32 %r2,%r2,%r4,%r3; setp.gt.s32 %p5,%r2,%r5; @%p5 bra L; @I L: add.s32 %r5,%r5,1; setp.lt.s32 %p2,%r5,%r1; @%p2 bra P;
loop_break 12 12 | mov.u32 %r5,0; P: .pragma "nounroll"; @I and.b32 %r6,%r2,1; setp.eq.s32 %p3,%r6,0; @%p3 bra D; @K add.s32 %r5,%r5,1; setp.lt.s32 %p2,%r5,%r1; @%p2 bra P; D:
loop_break_side 1 4 | mov.u32 %r5,0; P: .pragma "nounroll"; mad.lo.s32 %r2,%r2,%r3,%r4; setp.gt.s32 %p5,%r2,%r5; @%p5 bra L; st.shared.u32 [%r8],%r2; @S bra O; L: add.s32 %r5,%r5,1; setp.lt.s32 %p2,%r5,%r1; @%p2 bra P; O:
loop_if_break 12 12 | mov.u32 %r5,0; P: .pragma "nounroll"; mad.lo.s32 %r2,%r2,%r4,%r3; and.b32 %r6,%r2,1; setp.eq.s32 %p3,%r6,0; @%p3 bra L; @I setp.eq.s32 %p4,%r2,77; @%p4 bra D; @K L: add.s32 %r5,%r5,1; setp.lt.s32 %p2,%r5,%r1; @%p2 bra P; D:
loops_goto 1 1 | mov.u32 %r5,0; P: .pragma "nounroll"; mov.u32 %r6,0; Q: .pragma "nounroll"; @I setp.eq.s32 %p4,%r2,77; @%p4 bra D; add.s32 %r6,%r6,1; setp.lt.s32 %p3,%r6,%r3; @%p3 bra Q; add.s32 %r5,%r5,1; setp.lt.s32 %p2,%r5,%r1; @%p2 bra P; D:
loops 1 1 | mov.u32 %r5,0; P: .pragma "nounroll"; mov.u32 %r6,0; Q: .pragma "nounroll"; @I add.s32 %r6,%r6,1; setp.lt.s32 %p3,%r6,%r2; @%p3 bra Q; add.s32 %r5,%r5,1; setp.lt.s32 %p2,%r5,%r1; @%p2 bra P;
end_loop 2 2 | mov.u32 %r5,0; P: .pragma "nounroll"; @I st.global.u32 [%rd6],%r2; add.s32 %r5,%r5,1; setp.lt.s32 %p2,%r5,%r1; @%p2 bra P;
barrier_if_tail 12 12 | @%p1 bra L; @I L:
barrier_else 12 12 | @%p1 bra L; @I bra M; L: @K M:
barrier_nested 12 12 | @%p1 bra L; @I setp.gt.s32 %p2,%r2,%r3; @%p2 bra M; @K M: @I L:
barrier_same_join 12 12 | @%p1 bra L; @I setp.gt.s32 %p2,%r2,%r3; @%p2 bra L; @K L:
barrier_return 12 12 | @%p1 bra L; @I st.global.u32 [%rd6],%r2; ret; L: @K
barrier_uniform 12 12 | setp.ne.s32 %p8,%r9,0; @%p8 bra L; @I L:
PROBES
