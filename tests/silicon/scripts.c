/* The scripts: control flow, barriers, fences, and operations among the threads of a row. */
#include "script.h"

#define TILE ".shared .align 4 .b32 tile[256];\n"

/* tile[t] = x */
#define PUT                         \
    "mov.u32 %r8, tile;\n"          \
    "mad.lo.u32 %r8, %t, 4, %r8;\n" \
    "st.shared.u32 [%r8], %x;\n"

/* out = tile[t ^ flip] */
#define GET(out, flip)               \
    "xor.b32 %r9, %t, " flip ";\n"   \
    "mov.u32 %r8, tile;\n"           \
    "mad.lo.u32 %r8, %r9, 4, %r8;\n" \
    "ld.shared.u32 " out ", [%r8];\n"

/* p0: any; p1: true; p2: false; p3: the same within a row */
#define PREDICATES                 \
    "and.b32 %r0, %x, 1;\n"        \
    "setp.eq.u32 %p0, %r0, 1;\n"   \
    "setp.lt.u32 %p1, %t, 1024;\n" \
    "setp.gt.u32 %p2, %t, 1024;\n" \
    "and.b32 %r0, %t, 32;\n"       \
    "setp.ne.u32 %p3, %r0, 0;\n"

#define BIT(out, p) "selp.u32 " out ", 1, 0, " p ";\n"

/* Lanes 0..15 run the first text, 16..31 the second. */
#define HALVES(low, high)                    \
    "and.b32 %r0, %t, 16;\n"                 \
    "setp.ne.u32 %p5, %r0, 0;\n"             \
    "@%p5 bra HIGH;\n" low "bra TOGETHER;\n" \
    "HIGH:\n" high "TOGETHER:\n"

#define SHARED_COUNT "shr.u32 %r1, %t, 6;\nadd.u32 %r1, %r1, 1;\nmov.u32 %r2, 64;\n"

#define FUNCTIONS                                                                                        \
    ".func (.param .b32 result) twice(.param .b32 a)\n"                                                  \
    "{\n.reg .b32 %f;\nld.param.b32 %f, [a];\nshl.b32 %f, %f, 1;\nst.param.b32 [result], %f;\nret;\n}\n" \
    ".func (.param .b32 result) thrice(.param .b32 a)\n"                                                 \
    "{\n.reg .b32 %f;\nld.param.b32 %f, [a];\nmul.lo.u32 %f, %f, 3;\nst.param.b32 [result], %f;\nret;\n}\n"

/* The parameter space of one call of a function from word to word. */
#define CALL_WORD(instruction, argument, out) \
    "{\n.param .b32 in;\n.param .b32 back;\n" \
    "st.param.b32 [in], " argument ";\n" instruction "\nld.param.b32 " out ", [back];\n}\n"

/* A line of 128 bytes per thread, with its address in %rd0. */
#define LINES ".global .align 128 .b8 lines[32768];\n"
#define LINE  "mov.u64 %rd0, lines;\nmul.wide.u32 %rd1, %i, 128;\nadd.u64 %rd0, %rd0, %rd1;\n"

#define WORDS(wide) "mov.b64 {%o0, %o1}, " wide ";\n"

const struct script script_table[] = {
    /* Control flow */
    {OP_BRA, "loop", "rs", 1, 128, SCRIPT_DIVERGENT, "",
     "mov.u32 %o0, %x;\n"
     "LOOP:\nsetp.eq.u32 %p0, %y, 0;\n@%p0 $ DONE;\n"
     "mad.lo.u32 %o0, %o0, 5, 7;\nsub.u32 %y, %y, 1;\n$ LOOP;\nDONE:\n"},
    {OP_BRA, "if_else", "r", 1, 128, SCRIPT_DIVERGENT, "",
     "and.b32 %r0, %x, 1;\nsetp.eq.u32 %p0, %r0, 0;\n@!%p0 $ ODD;\n"
     "add.u32 %o0, %x, 1000;\n$ JOIN;\nODD:\nmul.lo.u32 %o0, %x, 3;\nJOIN:\nadd.u32 %o0, %o0, 1;\n"},
    {OP_BRA, "nested", "rs", 2, 128, SCRIPT_DIVERGENT, "",
     "OUTER:\nsetp.gt.u32 %p0, %o1, %y;\n@%p0 $ END;\nmov.u32 %r1, 0;\n"
     "INNER:\nand.b32 %r2, %x, 3;\nsetp.ge.u32 %p1, %r1, %r2;\n@%p1 $ NEXT;\n"
     "mad.lo.u32 %o0, %o0, 3, %r1;\nadd.u32 %r1, %r1, 1;\n"
     "xor.b32 %r3, %o0, %x;\nand.b32 %r3, %r3, 4;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 $ INNER;\n"
     "add.u32 %o0, %o0, 100;\n$ INNER;\nNEXT:\nadd.u32 %o1, %o1, 1;\n$ OUTER;\nEND:\n"},
    {OP_BRA, "uniform", "r", 1, 128, 0, "",
     "mov.u32 %r0, %ctaid.x;\nadd.u32 %r0, %r0, 2;\nmov.u32 %o0, %x;\n"
     "LOOP:\nmad.lo.u32 %o0, %o0, 5, 7;\nsub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 $ LOOP;\n"
     "$ OVER;\nmov.u32 %o0, 0;\nOVER:\n"},
    {OP_BRX, "each", "r", 1, 128, SCRIPT_DIVERGENT, "",
     "and.b32 %r0, %x, 3;\nTARGETS: .branchtargets L0, L1, L2, L1;\n$ %r0, TARGETS;\n"
     "L0:\nadd.u32 %o0, %x, 10;\nbra OUT;\nL1:\nmul.lo.u32 %o0, %x, 3;\nL2:\nxor.b32 %o0, %o0, "
     "0x55;\nOUT:\n"},
    {OP_BRX, "uniform", "r", 1, 128, 0, "",
     "mov.u32 %r0, %ctaid.x;\nadd.u32 %r0, %r0, 1;\nTARGETS: .branchtargets L0, L1, L2;\n$ %r0, TARGETS;\n"
     "L0:\nadd.u32 %o0, %x, 10;\nbra OUT;\nL1:\nmul.lo.u32 %o0, %x, 3;\nL2:\nxor.b32 %o0, %o0, "
     "0x55;\nOUT:\n"},
    {OP_CALL, "word", "r", 1, 128, 0, FUNCTIONS, CALL_WORD("$ (back), thrice, (in);", "%x", "%o0")},
    {OP_CALL, "predicated", "rs", 1, 128, SCRIPT_DIVERGENT, FUNCTIONS,
     "setp.lt.u32 %p0, %y, 3;\nmov.u32 %o0, 5;\n"
     "{\n.param .b32 in;\n.param .b32 back;\nst.param.b32 [in], %x;\n@!%p0 bra SKIP;\n$ (back), twice, "
     "(in);\n"
     "ld.param.b32 %o0, [back];\nSKIP:\n}\n"},
    {OP_CALL, "pointer", "rs", 1, 128, SCRIPT_DIVERGENT, FUNCTIONS,
     "mov.u64 %rd0, twice;\nmov.u64 %rd1, thrice;\nand.b32 %r0, %y, 1;\nsetp.eq.u32 %p0, %r0, 0;\n"
     "selp.b64 %rd0, %rd0, %rd1, %p0;\n"
     "SHAPE: .callprototype (.param .b32 _) _ (.param .b32 _);\n" //
     CALL_WORD("$ (back), %rd0, (in), SHAPE;", "%x", "%o0")},
    {OP_CALL, "uniform_pointer", "r", 1, 128, 0, FUNCTIONS,
     "mov.u64 %rd0, twice;\nmov.u64 %rd1, thrice;\nmov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 0;\n"
     "selp.b64 %rd0, %rd0, %rd1, %p0;\n"
     "SHAPE: .callprototype (.param .b32 _) _ (.param .b32 _);\n" //
     CALL_WORD("$ (back), %rd0, (in), SHAPE;", "%x", "%o0")},
    {OP_CALL, "table", "rs", 1, 128, SCRIPT_DIVERGENT,
     FUNCTIONS ".global .align 8 .u64 functions[2] = {twice, thrice};\n",
     "and.b32 %r0, %y, 1;\nmul.wide.u32 %rd0, %r0, 8;\nmov.u64 %rd1, functions;\nadd.u64 %rd1, %rd1, %rd0;\n"
     "ld.global.u64 %rd0, [%rd1];\n"
     "SHAPE: .callprototype (.param .b32 _) _ (.param .b32 _);\n" //
     CALL_WORD("$ (back), %rd0, (in), SHAPE;", "%x", "%o0")},
    {OP_CALL, "many", "rs", 2, 128, 0,
     ".func (.param .align 8 .b8 result[8]) mix(.param .b32 a, .param .b64 b, .param .align 8 .b8 c[16])\n"
     "{\n.reg .b32 %f<4>;\n.reg .b64 %g<3>;\nld.param.b32 %f0, [a];\nld.param.b64 %g0, [b];\n"
     "ld.param.b64 %g1, [c];\nld.param.b32 %f1, [c+8];\nld.param.b32 %f2, [c+12];\n"
     "add.u64 %g0, %g0, %g1;\ncvt.u32.u64 %f3, %g0;\nadd.u32 %f0, %f0, %f1;\nxor.b32 %f3, %f3, %f2;\n"
     "st.param.b32 [result], %f0;\nst.param.b32 [result+4], %f3;\nret;\n}\n",
     "mul.wide.u32 %rd0, %x, 3;\nmul.wide.u32 %rd1, %y, 7;\n"
     "{\n.param .b32 a;\n.param .b64 b;\n.param .align 8 .b8 c[16];\n.param .align 8 .b8 back[8];\n"
     "st.param.b32 [a], %x;\nst.param.b64 [b], %rd0;\nst.param.b64 [c], %rd1;\nst.param.b32 [c+8], %y;\n"
     "st.param.b32 [c+12], %i;\n$ (back), mix, (a, b, c);\n"
     "ld.param.b32 %o0, [back];\nld.param.b32 %o1, [back+4];\n}\n"},
    {OP_CALL, "nothing", "r", 1, 128, 0,
     TILE ".func mark()\n{\n.reg .b32 %f<3>;\nmov.u32 %f0, %tid.x;\nmov.u32 %f1, tile;\n"
          "mad.lo.u32 %f1, %f0, 4, %f1;\nmul.lo.u32 %f2, %f0, 11;\nst.shared.u32 [%f1], %f2;\nret;\n}\n",
     "$ mark;\n" GET("%o0", "0")},
    {OP_CALL, "recursive", "rs", 1, 128, SCRIPT_DIVERGENT,
     ".func (.param .b32 result) down(.param .b32 a);\n"
     ".func (.param .b32 result) down(.param .b32 a)\n"
     "{\n.reg .b32 %f<4>;\n.reg .pred %q;\nld.param.b32 %f0, [a];\nmov.u32 %f1, 1;\n"
     "setp.eq.u32 %q, %f0, 0;\n@%q bra BOTTOM;\nsub.u32 %f2, %f0, 1;\n"
     "{\n.param .b32 in;\n.param .b32 back;\nst.param.b32 [in], %f2;\n$ (back), down, (in);\n"
     "ld.param.b32 %f3, [back];\n}\nmad.lo.u32 %f1, %f3, %f0, 3;\n"
     "BOTTOM:\nst.param.b32 [result], %f1;\nret;\n}\n",
     CALL_WORD("call (back), down, (in);", "%y", "%o0")},
    {OP_RET, "kernel", "rs", 1, 128, SCRIPT_DIVERGENT, "", "setp.lt.u32 %p0, %y, 3;\nadd.u32 %o0, %x, 1;\n@%p0 $;\n"},
    {OP_RET, "uniform", "r", 1, 128, 0, "",
     "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 1;\nadd.u32 %o0, %x, 1;\n@%p0 $;\n"},
    {OP_RET, "function", "rs", 1, 128, SCRIPT_DIVERGENT,
     ".func (.param .b32 result) pick(.param .b32 a)\n"
     "{\n.reg .b32 %f;\n.reg .pred %q;\nld.param.b32 %f, [a];\nsetp.gt.u32 %q, %f, 4;\n"
     "st.param.b32 [result], 77;\n@%q $;\nadd.u32 %f, %f, 5;\nst.param.b32 [result], %f;\n$;\n}\n",
     CALL_WORD("call (back), pick, (in);", "%y", "%o0") "add.u32 %o0, %o0, %x;\n"},
    {OP_RET, "uniform_function", "r", 1, 128, 0,
     ".func (.param .b32 result) next(.param .b32 a)\n"
     "{\n.reg .b32 %f;\nld.param.b32 %f, [a];\nadd.u32 %f, %f, 5;\nst.param.b32 [result], %f;\n$;\n}\n",
     CALL_WORD("call (back), next, (in);", "%x", "%o0")},
    {OP_EXIT, "some", "rs", 1, 128, SCRIPT_DIVERGENT, "", "setp.lt.u32 %p0, %y, 3;\nadd.u32 %o0, %x, 1;\n@%p0 $;\n"},
    {OP_EXIT, "loop", "rs", 1, 128, SCRIPT_DIVERGENT, "",
     "and.b32 %r0, %x, 7;\nLOOP:\nadd.u32 %o0, %o0, 9;\nsetp.gt.u32 %p1, %r0, 6;\n@%p1 $;\n"
     "sub.u32 %y, %y, 1;\nsetp.lt.s32 %p0, %y, 0;\n@!%p0 bra LOOP;\n"},
    {OP_EXIT, "function", "rs", 1, 128, SCRIPT_DIVERGENT,
     ".func (.param .b32 result) leave(.param .b32 a)\n"
     "{\n.reg .b32 %f;\n.reg .pred %q;\nld.param.b32 %f, [a];\nsetp.gt.u32 %q, %f, 4;\n@%q $;\n"
     "add.u32 %f, %f, 5;\nst.param.b32 [result], %f;\nret;\n}\n",
     CALL_WORD("call (back), leave, (in);", "%y", "%o0")},
    {OP_EXIT, "before_barrier", "r", 1, 128, 0, TILE, /* whole rows go; the barrier does not wait for them */
     PUT "setp.ge.u32 %p0, %t, 96;\n@%p0 $;\nbar.sync 0;\n" GET("%o0", "64")},
    {OP_TRAP, "never", "s", 1, 128, SCRIPT_DIVERGENT, "", "add.u32 %o0, %x, 1;\nsetp.eq.u32 %p0, %x, 99;\n@%p0 $;\n"},
    {OP_BRKPT, "never", "s", 1, 128, SCRIPT_DIVERGENT, "", "add.u32 %o0, %x, 1;\nsetp.eq.u32 %p0, %x, 99;\n@%p0 $;\n"},
    {OP_NANOSLEEP, "register", "rs", 1, 128, 0, "", "mul.lo.u32 %r0, %y, 10;\n$ %r0;\nadd.u32 %o0, %x, 1;\n"},
    {OP_NANOSLEEP, "immediate", "r", 1, 128, 0, "", "$ 20;\nadd.u32 %o0, %x, 1;\n"},
    {OP_GRIDDEP_LAUNCH, "", "r", 1, 128, 0, "", "$;\nadd.u32 %o0, %x, 1;\n"},
    {OP_GRIDDEP_WAIT, "", "r", 1, 128, 0, "", "$;\nadd.u32 %o0, %x, 1;\n"},
    {OP_PMEVENT, "", "r", 1, 128, 0, "", "$ 7;\nadd.u32 %o0, %x, 1;\n"},
    {OP_PMEVENT_MASK, "", "r", 1, 128, 0, "", "$ 0x85;\nadd.u32 %o0, %x, 1;\n"},
    {OP_SETMAXNREG_INC, "", "r", 1, 128, SCRIPT_SM_90A, "", "$ 64;\nadd.u32 %o0, %x, 1;\n"},
    {OP_SETMAXNREG_DEC, "", "r", 1, 128, SCRIPT_SM_90A, "", "$ 24;\nadd.u32 %o0, %x, 1;\n"},

    /* The stack that grows at run time: what is kept does not depend on where it lies. */
    {OP_ALLOCA, "grow", "rs", 2, 128, SCRIPT_DIVERGENT, "",
     "and.b32 %r3, %y, 3;\nLOOP:\n$ %w, %n;\nst.local.u32 [%w], %x;\nst.local.u32 [%w+4], %r3;\n"
     "ld.local.u32 %r4, [%w];\nmad.lo.u32 %o0, %o0, 5, %r4;\nadd.u32 %x, %x, 7;\nsub.u32 %r3, %r3, 1;\n"
     "setp.ge.s32 %p0, %r3, 0;\n@%p0 bra LOOP;\nld.local.u32 %o1, [%w+4];\n"},
    {OP_ALLOCA, "align", "rs", 3, 128, 0, "",
     "$ %w, 8;\nst.local.u32 [%w], %x;\n$ %w2, %n, 64;\nst.local.u32 [%w2], %y;\nrem.^ %w2, %w2, 64;\n"
     "cvt.u32.^ %o2, %w2;\nld.local.u32 %o0, [%w];\n$ %w2, 24, 16;\nst.local.v4.u32 [%w2], {%x, %y, %x, %y};\n"
     "ld.local.u32 %o1, [%w2+12];\n"},
    {OP_ALLOCA, "call", "rs", 2, 128, 0,
     ".func (.param .b32 result) deep(.param .b32 a)\n"
     "{\n.reg .b32 %f<3>;\n.reg .b64 %g;\nld.param.b32 %f0, [a];\nalloca.u64 %g, 24;\nst.local.u32 [%g+20], %f0;\n"
     "ld.local.u32 %f1, [%g+20];\nadd.u32 %f1, %f1, 3;\nst.param.b32 [result], %f1;\nret;\n}\n",
     "$ %w, %n;\nst.local.u32 [%w], %x;\n" CALL_WORD("call (back), deep, (in);", "%y", "%o0") //
     "ld.local.u32 %o1, [%w];\n"},
    {OP_STACKSAVE, "", "rs", 2, 128, 0, "",
     "alloca.^ %w, 16;\nst.local.u32 [%w], %x;\n$ %w2;\nalloca.^ %n, 40;\nst.local.u32 [%n], %y;\n"
     "stackrestore.^ %w2;\nalloca.^ %w2, 40;\nst.local.u32 [%w2+36], %y;\nld.local.u32 %o0, [%w2+36];\n"
     "ld.local.u32 %o1, [%w];\n"},
    {OP_STACKRESTORE, "", "rs", 2, 128, 0, "",
     "stacksave.^ %w;\nmov.u32 %r0, 0;\nLOOP:\nalloca.^ %n, 64;\nst.local.u32 [%n+60], %x;\n"
     "ld.local.u32 %r1, [%n+60];\nadd.u32 %o0, %o0, %r1;\n$ %w;\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 1000;\n"
     "@%p0 bra LOOP;\nadd.u32 %o1, %o0, %y;\n"},

    /* Policies and hints of the L2 */
    {OP_POLICY_FRACTION, "register", "g", 2, 128, 0, "", "$ %rd0, %x;\n" WORDS("%rd0")},
    {OP_POLICY_FRACTION, "whole", "r", 2, 128, 0, "", "$ %rd0;\n" WORDS("%rd0")},
    {OP_POLICY_FRACTION, "constant", "r", 2, 128, 0, "", "$ %rd0, 0.3125;\n" WORDS("%rd0")},
    {OP_POLICY_RANGE, "words", "rrr", 4, 128, 0, "",
     "cvt.u64.u32 %rd0, %z;\n$ %rd1, [%rd0+4095], %x, %y;\n" WORDS(
         "%rd1") "and.b32 %r0, %x, 0x1fffff;\n"
                 "and.b32 %r1, %y, 0x1fffff;\nmax.u32 %r1, %r0, %r1;\n$ %rd1, [%rd0], %r0, %r1;\nmov.b64 {%o2, %o3}, "
                 "%rd1;\n"},
    {OP_POLICY_CVT, "", "rr", 2, 128, 0, "", "mov.b64 %rd0, {%x, %y};\n$ %rd0, %rd0;\n" WORDS("%rd0")},
    {OP_APPLYPRIORITY, "", "r", 1, 128, 0, LINES,
     LINE "st.global.u32 [%rd0], %x;\n$ [%rd0], 128;\nld.global.u32 %o0, [%rd0];\n"},
    {OP_DISCARD, "", "r", 1, 128, 0, LINES,
     LINE "$ [%rd0], 128;\nst.global.u32 [%rd0], %x;\nld.global.u32 %o0, [%rd0];\n"},
    {OP_ST_BULK, "", "rs", 2, 128, SCRIPT_SM_100, ".shared .align 16 .b8 tile[8192];\n",
     "mov.u64 %rd0, tile;\nmul.wide.u32 %rd1, %t, 64;\nadd.u64 %rd0, %rd0, %rd1;\nst.shared.u32 [%rd0+12], %x;\n"
     "st.shared.u32 [%rd0+40], %x;\nmul.wide.u32 %rd2, %y, 8;\nst.bulk.weak.shared::cta [%rd0], %rd2, 0;\n"
     "ld.shared.u32 %o0, [%rd0+12];\nld.shared.u32 %o1, [%rd0+40];\n"},

    /* Memory order: what was put before the fence and the barrier is there after */
    {OP_MEMBAR, "", "r", 1, 128, 0, TILE, PUT "$;\nbar.sync 0;\n" GET("%o0", "85")},
    {OP_FENCE, "", "r", 1, 128, 0, TILE, PUT "$;\nbar.sync 0;\n" GET("%o0", "85")},

    /* Barriers of the block */
    {OP_BAR_SYNC, "all", "r", 1, 128, 0, TILE, PUT "$ 0;\n" GET("%o0", "85")},
    {OP_BAR_SYNC, "register", "r", 1, 128, 0, TILE, "mov.u32 %r0, 3;\n" PUT "$ %r0;\n" GET("%o0", "85")},
    {OP_BAR_SYNC, "some", "r", 1, 128, 0, TILE, SHARED_COUNT PUT "$ %r1, %r2;\n" GET("%o0", "37")},
    {OP_BAR_SYNC, "again", "r", 2, 128, 0, TILE,
     PUT "$ 5, 128;\n" GET("%o0", "85") "$ 5, 128;\nadd.u32 %x, %x, %o0;\n" PUT "$ 5;\n" GET("%o1", "42")},
    {OP_BAR_SYNC, "short_row", "r", 1, 84, 0, TILE, PUT "$ 0;\n" GET("%o0", "3")},
    {OP_BARRIER_SYNC, "all", "r", 1, 128, 0, TILE, PUT "$ 0;\n" GET("%o0", "85")},
    {OP_BARRIER_SYNC, "some", "r", 1, 128, 0, TILE, SHARED_COUNT PUT "$ %r1, %r2;\n" GET("%o0", "37")},
    {OP_BARRIER_SYNC, "two_places", "r", 1, 128, SCRIPT_DIVERGENT, TILE,
     PUT "and.b32 %r0, %x, 1;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra EVEN;\n$ 0;\nbra MET;\nEVEN:\n$ 0;\nMET:\n" GET(
         "%o0", "85")},
    {OP_BAR_ARRIVE, "producer", "r", 1, 128, 0, TILE,
     "setp.ge.u32 %p0, %t, 64;\n@%p0 bra CONSUMER;\n" PUT "$ 1, 128;\nbra OUT;\n"
     "CONSUMER:\nbar.sync 1, 128;\n" GET("%o0", "64") "OUT:\n"},
    {OP_BAR_ARRIVE, "register", "r", 1, 128, 0, TILE,
     "mov.u32 %r1, 2;\nmov.u32 %r2, 128;\n"
     "setp.ge.u32 %p0, %t, 32;\n@%p0 bra CONSUMER;\n" PUT "$ %r1, %r2;\nbra OUT;\n"
     "CONSUMER:\nbar.sync %r1, %r2;\nand.b32 %r3, %t, 96;\nxor.b32 %r3, %r3, 7;\n" GET("%o0", "%r3") "OUT:\n"},
    {OP_BARRIER_ARRIVE, "producer", "r", 1, 128, 0, TILE,
     "setp.ge.u32 %p0, %t, 64;\n@%p0 bra CONSUMER;\n" PUT "$ 1, 128;\nbra OUT;\n"
     "CONSUMER:\nbarrier.sync 1, 128;\n" GET("%o0", "64") "OUT:\n"},
    {OP_BAR_RED_POPC, "all", "r", 4, 128, 0, "",
     PREDICATES "$ %o0, 0, %p0;\n$ %o1, 0, !%p0;\n$ %o2, 0, %p1;\n$ %o3, 1, %p2;\n"},
    {OP_BAR_RED_POPC, "some", "r", 2, 128, 0, "", //
     PREDICATES SHARED_COUNT "$ %o0, %r1, %r2, %p0;\n$ %o1, %r1, %r2, !%p3;\n"},
    {OP_BARRIER_RED_POPC, "all", "r", 4, 128, 0, "",
     PREDICATES "$ %o0, 0, %p0;\n$ %o1, 0, !%p0;\n$ %o2, 0, %p1;\n$ %o3, 1, %p2;\n"},
    {OP_BARRIER_RED_POPC, "some", "r", 2, 128, 0, "", //
     PREDICATES SHARED_COUNT "$ %o0, %r1, %r2, %p0;\n$ %o1, %r1, %r2, !%p3;\n"},
    {OP_BAR_RED, "all", "r", 4, 128, 0, "",
     PREDICATES "$ %p4, 0, %p0;\n" BIT("%o0", "%p4") "$ %p4, 0, %p1;\n" BIT("%o1", "%p4") //
     "$ %p4, 0, %p2;\n" BIT("%o2", "%p4") "$ %p4, 0, !%p2;\n" BIT("%o3", "%p4")},
    {OP_BAR_RED, "some", "r", 2, 128, 0, "",
     PREDICATES SHARED_COUNT "setp.lt.u32 %p3, %t, 65;\n$ %p4, %r1, %r2, %p3;\n" BIT(
         "%o0", "%p4") "$ %p4, %r1, %r2, !%p3;\n" BIT("%o1", "%p4")},
    {OP_BARRIER_RED, "all", "r", 4, 128, 0, "",
     PREDICATES "$ %p4, 0, %p0;\n" BIT("%o0", "%p4") "$ %p4, 0, %p1;\n" BIT("%o1", "%p4") //
     "$ %p4, 0, %p2;\n" BIT("%o2", "%p4") "$ %p4, 0, !%p2;\n" BIT("%o3", "%p4")},
    {OP_BARRIER_RED, "some", "r", 2, 128, 0, "",
     PREDICATES SHARED_COUNT "setp.lt.u32 %p3, %t, 65;\n$ %p4, %r1, %r2, %p3;\n" BIT(
         "%o0", "%p4") "$ %p4, %r1, %r2, !%p3;\n" BIT("%o1", "%p4")},

    /* Among the threads of a row */
    {OP_BAR_WARP, "all", "r", 1, 128, 0, TILE, PUT "$ -1;\n" GET("%o0", "21")},
    {OP_BAR_WARP, "halves", "r", 1, 128, 0, TILE,
     HALVES(PUT "$ 0x0000ffff;\n" GET("%o0", "5"), PUT "mov.u32 %r1, 0xffff0000;\n$ %r1;\n" GET("%o0", "10"))},
    {OP_SHFL_SYNC, "any", "rmc", 2, 128, 0, "", "$ %o0|%p0, %x, %y, %z, -1;\n" BIT("%o1", "%p0")},
    {OP_SHFL_SYNC, "row", "rl", 2, 128, 0, "", "$ %o0|%p0, %x, %y, ~, -1;\n" BIT("%o1", "%p0")},
    {OP_SHFL_SYNC, "alone", "r", 2, 128, 0, "", "$ %o0, %x, 1, ~, -1;\n$ %o1, %o0, 16, ~, -1;\n"},
    {OP_SHFL_SYNC, "halves", "rs", 2, 128, 0, "",
     HALVES("$ %o0|%p0, %x, %y, #, 0x0000ffff;\n", "$ %o0|%p0, %x, %y, #, 0xffff0000;\n") BIT("%o1", "%p0")},
    {OP_SHFL, "any", "rmc", 2, 128, SCRIPT_OLD, "", "$ %o0|%p0, %x, %y, %z;\n" BIT("%o1", "%p0")},
    {OP_SHFL, "row", "rl", 2, 128, SCRIPT_OLD, "", "$ %o0|%p0, %x, %y, ~;\n" BIT("%o1", "%p0")},
    {OP_SHFL, "alone", "r", 2, 128, SCRIPT_OLD, "", "$ %o0, %x, 1, ~;\n$ %o1, %o0, 16, ~;\n"},
    {OP_VOTE_SYNC, "all", "r", 4, 128, 0, "",
     PREDICATES "$ %p4, %p0, -1;\n" BIT("%o0", "%p4") "$ %p4, %p1, -1;\n" BIT("%o1", "%p4") //
     "$ %p4, %p2, -1;\n" BIT("%o2", "%p4") "$ %p4, !%p3, -1;\n" BIT("%o3", "%p4")},
    {OP_VOTE_SYNC, "halves", "r", 2, 128, 0, "",
     PREDICATES HALVES("setp.lt.u32 %p3, %t, 40;\n$ %p4, %p3, 0x0000ffff;\n",                     //
                       "setp.lt.u32 %p3, %t, 50;\nmov.u32 %r1, 0xffff0000;\n$ %p4, !%p3, %r1;\n") //
     BIT("%o0", "%p4") BIT("%o1", "!%p4")},
    {OP_VOTE, "all", "r", 4, 128, SCRIPT_OLD, "",
     PREDICATES "$ %p4, %p0;\n" BIT("%o0", "%p4") "$ %p4, %p1;\n" BIT("%o1", "%p4") //
     "$ %p4, %p2;\n" BIT("%o2", "%p4") "$ %p4, !%p3;\n" BIT("%o3", "%p4")},
    {OP_BALLOT_SYNC, "all", "r", 4, 128, 0, "",
     PREDICATES "$ %o0, %p0, -1;\n$ %o1, %p1, -1;\n$ %o2, %p2, -1;\n$ %o3, !%p0, -1;\n"},
    {OP_BALLOT_SYNC, "halves", "r", 1, 128, 0, "",
     PREDICATES HALVES("$ %o0, %p0, 0x0000ffff;\n", "mov.u32 %r1, 0xffff0000;\n$ %o0, !%p0, %r1;\n")},
    {OP_BALLOT_SYNC, "short_row", "r", 1, 84, 0, "",
     PREDICATES "setp.ge.u32 %p5, %t, 64;\nselp.b32 %r1, 0x000fffff, 0xffffffff, %p5;\n$ %o0, %p0, %r1;\n"},
    {OP_BALLOT, "all", "r", 4, 128, SCRIPT_OLD, "", PREDICATES "$ %o0, %p0;\n$ %o1, %p1;\n$ %o2, %p2;\n$ %o3, !%p0;\n"},
    {OP_MATCH_ANY, "all", "rs", 1, 128, 0, "", "$ %o0, %v, -1;\n"},
    {OP_MATCH_ANY, "halves", "rs", 1, 128, 0, "", HALVES("$ %o0, %v, 0x0000ffff;\n", "$ %o0, %v, 0xffff0000;\n")},
    {OP_MATCH_ALL, "differ", "rs", 2, 128, 0, "", "$ %o0|%p0, %v, -1;\n" BIT("%o1", "%p0")},
    {OP_MATCH_ALL, "agree", "rw", 2, 128, 0, "", "$ %o0|%p0, %v, -1;\n" BIT("%o1", "%p0")},
    {OP_MATCH_ALL, "alone", "rw", 1, 128, 0, "", "$ %o0, %v, -1;\n"},
    {OP_MATCH_ALL, "halves", "rw", 2, 128, 0, "",
     HALVES("$ %o0|%p0, %v, 0x0000ffff;\n", "$ %o0|%p0, %v, 0xffff0000;\n") BIT("%o1", "%p0")},
    {OP_REDUX, "all", "rs", 2, 128, 0, "", "$ %o0, %x, -1;\n$ %o1, %y, -1;\n"},
    {OP_REDUX, "halves", "r", 1, 128, 0, "",
     HALVES("$ %o0, %x, 0x0000ffff;\n", "mov.u32 %r1, 0xffff0000;\n$ %o0, %x, %r1;\n")},
    {OP_WGMMA_FENCE, "all", "r", 1, 128, SCRIPT_SM_90A, "", "$;\nmov.b32 %o0, %x;\n"},
    {OP_WGMMA_COMMIT, "all", "r", 1, 128, SCRIPT_SM_90A, "", "$;\nmov.b32 %o0, %x;\n"},
    {OP_WGMMA_WAIT, "all", "r", 1, 128, SCRIPT_SM_90A, "", "$ 0;\nmov.b32 %o0, %x;\n"},
    {OP_REDUX_F, "all", "ff", 2, 128, SCRIPT_SM_100, "",
     "$ %o0, %x, -1;\nand.b32 %y, %y, 0xff8fffff;\n$ %o1, %y, -1;\n"},
    {OP_REDUX_F, "halves", "f", 1, 128, SCRIPT_SM_100, "",
     HALVES("$ %o0, %x, 0x0000ffff;\n", "mov.u32 %r1, 0xffff0000;\n$ %o0, 0f7FC00000, %r1;\n")},
    {OP_ACTIVEMASK, "whole", "r", 1, 128, 0, "", "$ %o0;\n"},
    {OP_ACTIVEMASK, "short_row", "r", 1, 84, 0, "", "$ %o0;\n"},
};

const int script_count = sizeof script_table / sizeof *script_table;
