/*
 * Scripts of asynchronous copies, barriers in memory, and clusters.
 *
 * Blocks have 128 threads; the two of a script form one cluster where the script says so. The formatter would break
 * these strings behind every macro.
 */
#include "script.h"

/* clang-format off */

/* 128 bytes for each row of each block; and shared memory with an mbarrier. */
#define BIT(out, p) "selp.u32 " out ", 1, 0, " p ";\n"

#define DATA   ".global .align 128 .b32 data[1024];\n"
#define SHARED ".shared .align 128 .b32 tile[1024];\n.shared .align 8 .b64 bar;\n"
#define MEMORY DATA SHARED

/* data[i] = x; rd0 = address of data[i], rd1 = of data[first thread of the block] */
#define FILL                             \
    "mul.wide.u32 %rd0, %i, 4;\n"        \
    "mov.u64 %rd1, data;\n"              \
    "add.u64 %rd0, %rd0, %rd1;\n"        \
    "st.global.u32 [%rd0], %x;\n"        \
    "sub.u32 %r0, %i, %t;\n"             \
    "mul.wide.u32 %rd2, %r0, 4;\n"       \
    "add.u64 %rd1, %rd1, %rd2;\n"        \
    "membar.gl;\nfence.proxy.async;\nbar.sync 0;\n"

/* r9 = address of tile[4 t] */
#define PLACE "mov.u32 %r9, tile;\nmad.lo.u32 %r9, %t, 16, %r9;\n"

/* tile[4 t ...] = z and its neighbours */
#define MARK PLACE "st.shared.v4.b32 [%r9], {%x, %x, %x, %x};\nbar.sync 0;\n"

#define BARRIER "mov.u32 %r8, bar;\ncvt.u64.u32 %rd3, %r8;\ncvta.shared.u64 %rd3, %rd3;\nsetp.eq.u32 %p5, %t, 0;\n"

/* The first thread makes the mbarrier. */
#define INIT(count) \
    BARRIER "@%p5 mbarrier.init.shared.b64 [%r8], " count ";\n@%p5 fence.mbarrier_init.release.cluster;\n" \
     "bar.sync 0;\n"

/* All threads wait for the end of the phase with this parity. */
#define WAIT(parity)                                                        \
    "AGAIN" parity ":\n"                                                    \
    "mbarrier.try_wait.parity.shared.b64 %p4, [%r8], " parity ", 0x989680;\n" \
    "@!%p4 bra AGAIN" parity ";\n"

/* o0 = what lies at place 4 (t ^ 5) of the tile, o1 = what follows */
#define SHOW "xor.b32 %r1, %t, 5;\nmov.u32 %r9, tile;\n" \
    "mad.lo.u32 %r9, %r1, 16, %r9;\nld.shared.v2.u32 {%o0, %o1}, [%r9];\n"
#define SHOW_WORD "xor.b32 %r1, %t, 5;\nmov.u32 %r9, tile;\nmad.lo.u32 %r9, %r1, 4, %r9;\nld.shared.u32 %o0, [%r9];\n"

/* o = whether the phase with this parity is complete */
#define ASK(out, parity) \
    "mbarrier.test_wait.parity.shared.b64 %p3, [%r8], " parity ";\nselp.u32 " out ", 1, 0, %p3;\n"

#define STATE(out, rd) "shr.u64 " rd ", " rd ", 43;\ncvt.u32.u64 " out ", " rd ";\n"

/* r6, r7 = addresses of tile and bar in the other block of the cluster */
#define OTHER                                              \
    "mov.u32 %r5, %cluster_ctarank;\nxor.b32 %r5, %r5, 1;\n" \
    "mov.u32 %r6, tile;\nmapa.shared::cluster.u32 %r6, %r6, %r5;\n" \
    "mapa.shared::cluster.u32 %r7, %r8, %r5;\n"
#define MEET "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

const struct script script_table_async[] = {
    {OP_FENCE_ALIAS, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_ASYNC_CTA, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_ASYNC, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_ASYNC_ACQUIRE, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_ASYNC_RELEASE, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_TENSORMAP, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_TENSORMAP_OF, "", "r", 1, 128, 0, MEMORY, FILL MARK "$ [%rd1], 128;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_BARRIER_INIT, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_ACQUIRE_CLUSTER, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_FENCE_RELEASE_CTA, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_MEMBAR_ALIAS, "", "r", 1, 128, 0, MEMORY, FILL MARK "$;\nbar.sync 0;\n" SHOW},
    {OP_PREFETCH_TENSORMAP, "", "r", 1, 128, 0, MEMORY, FILL "setp.eq.u32 %p0, %x, 0xffffffff;\n"
     "@%p0 $ [%rd1];\nmov.u32 %o0, %x;\n"},

    /* Copies of a thread: 16 bytes from 16 t on */
    {OP_CP_ASYNC, "words", "rl", 2, 128, 0, MEMORY,
     FILL MARK "and.b32 %r2, %t, 31;\nmul.wide.u32 %rd2, %r2, 16;\nadd.u64 %rd2, %rd2, %rd1;\n"
     "$ [%r9], [%rd2], `|;\ncp.async.wait_all;\nbar.sync 0;\n" SHOW},
    {OP_CP_ASYNC, "sizes", "rl", 2, 128, 0, MEMORY,
     FILL MARK "and.b32 %r2, %t, 31;\nmul.wide.u32 %rd2, %r2, 16;\nadd.u64 %rd2, %rd2, %rd1;\nmin.u32 %r3, %y, `;\n"
     "$ [%r9], [%rd2+0], `, %r3|;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n" SHOW},
    {OP_CP_ASYNC_IGNORE, "", "rl", 2, 128, 0, MEMORY,
     FILL MARK "and.b32 %r2, %t, 31;\nmul.wide.u32 %rd2, %r2, 16;\nadd.u64 %rd2, %rd2, %rd1;\n"
     "setp.lt.u32 %p0, %y, 9;\n"
     "$ [%r9], [%rd2], `, %p0|;\ncp.async.wait_all;\nbar.sync 0;\n" SHOW},
    {OP_CP_ASYNC_COMMIT, "", "r", 2, 128, 0, MEMORY,
     FILL MARK "cp.async.ca.shared.global [%r9], [%rd0], 4;\n$;\ncp.async.ca.shared.global [%r9+4], [%rd0], 4;\n$;\n"
     "cp.async.wait_group 0;\nbar.sync 0;\n" SHOW},
    {OP_CP_ASYNC_WAIT, "", "r", 1, 128, 0, MEMORY,
     FILL MARK "cp.async.ca.shared.global [%r9], [%rd0], 4;\ncp.async.commit_group;\n"
     "cp.async.ca.shared.global [%r9+4], [%rd0], 4;\ncp.async.commit_group;\n$ 1;\nbar.sync 0;\n" SHOW},
    {OP_CP_ASYNC_WAIT_ALL, "", "r", 1, 128, 0, MEMORY,
     FILL MARK "cp.async.ca.shared.global [%r9], [%rd0], 4;\n$;\nbar.sync 0;\n" SHOW},
    {OP_CP_ASYNC_ARRIVE, "", "r", 1, 128, 0, MEMORY,
     FILL MARK INIT("128") "cp.async.ca.shared.global [%r9], [%rd0], 4;\n$ [@];\n"
     "mbarrier.arrive.shared.b64 _, [%r8];\n" WAIT("0") SHOW},
    {OP_CP_ASYNC_ARRIVE_NOINC, "", "r", 1, 128, 0, MEMORY,
     FILL MARK INIT("128") "cp.async.ca.shared.global [%r9], [%rd0], 4;\n$ [@];\n" WAIT("0") SHOW},

    /* Bulk copies */
    {OP_BULK_LOAD, "", "r", 1, 128, 0, MEMORY,
     FILL INIT("1") "mov.u32 %r9, tile;\nmov.u32 %r2, 512;\n"
     "@%p5 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], %r2;\n"
     "@%p5 $ [%r9], [%rd1], %r2, [%r8]|;\n" WAIT("0") SHOW_WORD},
    {OP_BULK_MULTICAST, "", "r", 2, 128, SCRIPT_CLUSTER, MEMORY,
     FILL INIT("1") "mov.u32 %r9, tile;\n@%p5 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256;\n" MEET
     "setp.eq.u32 %p0, %t, 0;\nsetp.lt.and.u32 %p0, %i, 128, %p0;\n.reg .b16 %h;\nmov.u16 %h, 3;\n"
     "@%p0 $ [%r9+256], [%rd1+16], 256, [%r8], %h|;\n" WAIT("0") "and.b32 %r1, %t, 63;\nmad.lo.u32 %r9, %r1, 4, %r9;\n"
     "ld.shared.u32 %o0, [%r9+256];\n" MEET},
    {OP_BULK_PEER, "", "r", 1, 128, SCRIPT_CLUSTER, MEMORY,
     FILL MARK INIT("1") OTHER "@%p5 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 2048;\nfence.proxy.async;\n" MEET
     "mov.u32 %r9, tile;\n@%p5 $ [%r6+2048], [%r9], 2048, [%r7];\n" WAIT("0")
     "mad.lo.u32 %r9, %t, 16, %r9;\nld.shared.u32 %o0, [%r9+2048];\n" MEET},
    {OP_BULK_STORE, "", "r", 1, 128, 0, MEMORY,
     FILL MARK "setp.eq.u32 %p5, %t, 0;\nmov.u32 %r9, tile;\nfence.proxy.async;\nbar.sync 0;\n"
     "@%p5 $ [%rd1], [%r9], 512|;\n@%p5 cp.async.bulk.commit_group;\n@%p5 cp.async.bulk.wait_group 0;\n"
     "membar.gl;\nbar.sync 0;\nld.volatile.global.u32 %o0, [%rd0];\n"},
    {OP_BULK_STORE_MASK, "", "r", 1, 128, SCRIPT_NEWER, MEMORY,
     FILL MARK "setp.eq.u32 %p5, %t, 0;\nmov.u32 %r9, tile;\nfence.proxy.async;\nbar.sync 0;\n"
     ".reg .b16 %h;\nmov.u16 %h, 0x5a3c;\n@%p5 $ [%rd1], [%r9], 512|, %h;\n@%p5 cp.async.bulk.commit_group;\n"
     "@%p5 cp.async.bulk.wait_group 0;\nmembar.gl;\nbar.sync 0;\nld.volatile.global.u32 %o0, [%rd0];\n"},
    {OP_BULK_PREFETCH, "", "r", 1, 128, 0, MEMORY, FILL "$ [%rd1], 512|;\nmov.u32 %o0, %x;\n"},
    {OP_BULK_REDUCE_PEER, "", "r", 2, 128, SCRIPT_CLUSTER, MEMORY,
     FILL MARK INIT("1") OTHER "@%p5 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 1024;\n"
     "st.shared.u32 [%r9+4], %t;\n"
     "fence.proxy.async;\n" MEET "mov.u32 %r9, tile;\n@%p5 $ [%r6+1024], [%r9], 1024, [%r7];\n" WAIT("0")
     "mad.lo.u32 %r9, %t, 8, %r9;\nld.shared.v2.u32 {%o0, %o1}, [%r9+1024];\n" MEET},
    {OP_BULK_REDUCE, "", "r", 1, 128, 0, MEMORY,
     FILL MARK "st.shared.u32 [%r9+4], %t;\nsetp.eq.u32 %p5, %t, 0;\nmov.u32 %r9, tile;\nfence.proxy.async;\n"
     "bar.sync 0;\n"
     "@%p5 $ [%rd1], [%r9], 512|;\n@%p5 cp.async.bulk.commit_group;\n@%p5 cp.async.bulk.wait_group 0;\n"
     "membar.gl;\nbar.sync 0;\nld.volatile.global.u32 %o0, [%rd0];\n"},
    {OP_BULK_REDUCE_NOFTZ, "", "r", 1, 128, 0, MEMORY,
     FILL MARK "st.shared.u32 [%r9+4], %t;\nsetp.eq.u32 %p5, %t, 0;\nmov.u32 %r9, tile;\nfence.proxy.async;\n"
     "bar.sync 0;\n"
     "@%p5 $ [%rd1], [%r9], 512|;\n@%p5 cp.async.bulk.commit_group;\n@%p5 cp.async.bulk.wait_group 0;\n"
     "membar.gl;\nbar.sync 0;\nld.volatile.global.u32 %o0, [%rd0];\n"},
    {OP_BULK_COMMIT, "", "r", 1, 128, 0, MEMORY,
     FILL MARK "setp.eq.u32 %p5, %t, 0;\nmov.u32 %r9, tile;\nfence.proxy.async;\nbar.sync 0;\n"
     "@%p5 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r9], 512;\n@%p5 $;\n"
     "@%p5 cp.async.bulk.wait_group 0;\nmembar.gl;\nbar.sync 0;\nld.volatile.global.u32 %o0, [%rd0];\n"},
    {OP_BULK_WAIT, "", "r", 1, 128, 0, MEMORY,
     FILL MARK "setp.eq.u32 %p5, %t, 0;\nmov.u32 %r9, tile;\nfence.proxy.async;\nbar.sync 0;\n"
     "@%p5 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r9], 512;\n@%p5 cp.async.bulk.commit_group;\n"
     "@%p5 $ 0;\nmembar.gl;\nbar.sync 0;\nld.volatile.global.u32 %o0, [%rd0];\n"},
    {OP_BULK_WAIT_READ, "", "r", 1, 128, 0, MEMORY,
     FILL MARK "setp.eq.u32 %p5, %t, 0;\nmov.u32 %r9, tile;\nfence.proxy.async;\nbar.sync 0;\n"
     "@%p5 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r9], 512;\n@%p5 cp.async.bulk.commit_group;\n"
     "@%p5 $ 0;\n@%p5 cp.async.bulk.wait_group 0;\nmembar.gl;\nbar.sync 0;\nld.volatile.global.u32 %o0, [%rd0];\n"},
    {OP_ST_ASYNC, "", "r", 2, 128, SCRIPT_CLUSTER, MEMORY,
     FILL MARK INIT("1") OTHER "mul.lo.u32 %r4, 128, ?;\n"
     "@%p5 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], %r4;\n" MEET
     "mad.lo.u32 %r6, %t, 16, %r6;\n.reg .b64 %w;\nmov.b64 %w, {%x, %t};\n$ [%r6], &, [%r7];\n" WAIT("0")
     "ld.shared.v2.u32 {%o0, %o1}, [%r9];\n" MEET},
    {OP_RED_ASYNC, "", "rs", 2, 128, SCRIPT_CLUSTER, MEMORY,
     FILL MARK INIT("1") OTHER "mul.lo.u32 %r4, 128, ?;\n"
     "@%p5 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], %r4;\n" MEET
     "mad.lo.u32 %r6, %t, 16, %r6;\n.reg .b64 %w;\nmov.b64 %w, {%y, %t};\n$ [%r6], &, [%r7];\n" WAIT("0")
     "ld.shared.v2.u32 {%o0, %o1}, [%r9];\n" MEET},

    /* Barriers in memory */
    {OP_MBARRIER_INIT, "", "r", 2, 128, 0, MEMORY,
     BARRIER "@%p5 $ [@], 128;\nbar.sync 0;\n" ASK("%o0", "0") ASK("%o1", "1")},
    {OP_MBARRIER_INVAL, "", "r", 1, 128, 0, MEMORY, INIT("128") "@%p5 $ [@];\nmov.u32 %o0, %x;\n"},
    {OP_MBARRIER_EXPECT, "", "r", 3, 128, 0, MEMORY,
     INIT("1") "@%p5 $ [@], 48;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8];\nbar.sync 0;\n"
     ASK("%o0", "0") "bar.sync 0;\n"
     "@%p5 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 32;\nbar.sync 0;\n" ASK("%o1", "0") "bar.sync 0;\n"
     "@%p5 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 16;\nbar.sync 0;\n" ASK("%o2", "0")},
    {OP_MBARRIER_COMPLETE, "", "r", 2, 128, 0, MEMORY,
     INIT("1") "@%p5 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256;\nbar.sync 0;\n"
     ASK("%o0", "0") "bar.sync 0;\n"
     "$ [@], 2;\nbar.sync 0;\n" ASK("%o1", "0")},
    {OP_MBARRIER_ARRIVE, "all", "r", 4, 128, 0, MEMORY,
     INIT("128") ASK("%o0", "0") "bar.sync 0;\n$ _, [@];\nbar.sync 0;\n" ASK("%o1", "0") ASK("%o2", "1")
     "bar.sync 0;\n$ _, [@], 1;\nbar.sync 0;\n" ASK("%o3", "1")},
    {OP_MBARRIER_ARRIVE, "state", "r", 2, 128, SCRIPT_STATE, MEMORY,
     INIT("300") "@%p5 $ %rd0, [@];\n@%p5 $ %rd1, [@], 7;\n@%p5 mov.u64 %rd2, 0;\n"
     STATE("%o0", "%rd0") STATE("%o1", "%rd1")
     "@!%p5 mov.u32 %o0, 0;\n@!%p5 mov.u32 %o1, 0;\n"},
    {OP_MBARRIER_ARRIVE_EXPECT, "", "r", 3, 128, 0, MEMORY,
     INIT("128") "$ _, [@], 4;\nbar.sync 0;\n" ASK("%o0", "0") "bar.sync 0;\n"
     "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 4;\nbar.sync 0;\n" ASK("%o1", "0") ASK("%o2", "1")},
    {OP_MBARRIER_ARRIVE_NO_COMPLETE, "", "r", 3, 128, 0, MEMORY,
     INIT("257") "$ %rd0, [@], 2;\nbar.sync 0;\n" ASK("%o0", "0") "bar.sync 0;\n"
     "@%p5 mbarrier.arrive.shared.b64 _, [%r8];\nbar.sync 0;\n" ASK("%o1", "0") ASK("%o2", "1")},
    {OP_MBARRIER_DROP, "", "r", 3, 128, 0, MEMORY,
     INIT("129") "$ _, [@];\nbar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8];\nbar.sync 0;\n" ASK("%o0", "0")
     "bar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8];\nbar.sync 0;\n" ASK("%o1", "0") ASK("%o2", "1")},
    {OP_MBARRIER_DROP, "count", "r", 2, 128, 0, MEMORY,
     INIT("300") "@%p5 $ _, [@], 290;\nbar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8], 10;\nbar.sync 0;\n" ASK(
         "%o0", "0") "bar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8], 10;\nbar.sync 0;\n" ASK("%o1", "1")},
    {OP_MBARRIER_DROP_EXPECT, "", "r", 3, 128, 0, MEMORY,
     INIT("129") "$ _, [@], 8;\nbar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8];\nbar.sync 0;\n" ASK("%o0", "0")
     "bar.sync 0;\nmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 8;\nbar.sync 0;\n" ASK("%o1", "0")
     "bar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8];\nbar.sync 0;\n" ASK("%o2", "1")},
    {OP_MBARRIER_DROP_NO_COMPLETE, "", "r", 2, 128, 0, MEMORY,
     INIT("300") "$ %rd0, [@], 2;\nbar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8], 44;\nbar.sync 0;\n"
     ASK("%o0", "0")
     "bar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8], 44;\nbar.sync 0;\n" ASK("%o1", "1")},
    {OP_MBARRIER_TEST, "", "r", 2, 128, 0, MEMORY,
     INIT("128") "mbarrier.arrive.shared.b64 %rd0, [%r8];\nbar.sync 0;\n$ %p0, [@], %rd0;\n" BIT("%o0", "%p0")
     "bar.sync 0;\nmbarrier.arrive.shared.b64 %rd1, [%r8];\nbar.sync 0;\n$ %p0, [@], %rd0;\n$ %p1, [@], %rd1;\n"
     "selp.u32 %o1, 2, 0, %p1;\n@%p0 add.u32 %o1, %o1, 1;\n"},
    {OP_MBARRIER_TEST_PARITY, "", "r", 4, 128, 0, MEMORY,
     INIT("128") "$ %p0, [@], 0;\n$ %p1, [@], 1;\n" BIT("%o0", "%p0") BIT("%o1", "%p1")
     "bar.sync 0;\nmbarrier.arrive.shared.b64 %rd0, [%r8];\nbar.sync 0;\nand.b32 %r0, %x, 3;\n$ %p0, [@], %r0;\n" BIT(
         "%o2", "%p0") "mov.u32 %o3, %r0;\n"},
    {OP_MBARRIER_TRY, "", "r", 1, 128, 0, MEMORY,
     INIT("128") "mbarrier.arrive.shared.b64 %rd0, [%r8];\nAGAIN:\n$ %p0, [@], %rd0;\n@!%p0 bra AGAIN;\n"
     BIT("%o0", "%p0")},
    {OP_MBARRIER_TRY, "limit", "r", 2, 128, 0, MEMORY,
     INIT("129") "mbarrier.arrive.shared.b64 %rd0, [%r8];\n$ %p0, [@], %rd0, 100;\n" BIT("%o0", "%p0")
     "bar.sync 0;\n@%p5 mbarrier.arrive.shared.b64 _, [%r8];\nAGAIN:\n$ %p0, [@], %rd0, 1000;\n"
     "@!%p0 bra AGAIN;\n" BIT(
         "%o1", "%p0")},
    {OP_MBARRIER_TRY_PARITY, "", "r", 2, 128, 0, MEMORY,
     INIT("128") "$ %p0, [@], 1;\n" BIT("%o0", "%p0") "mbarrier.arrive.shared.b64 %rd0, [%r8];\nAGAIN:\n"
     "$ %p0, [@], 0;\n"
     "@!%p0 bra AGAIN;\n" BIT("%o1", "%p0")},
    {OP_MBARRIER_TRY_PARITY, "limit", "r", 1, 128, 0, MEMORY,
     INIT("128") "mbarrier.arrive.shared.b64 %rd0, [%r8];\nAGAIN:\n$ %p0, [@], 0, 500;\n@!%p0 bra AGAIN;\n" BIT(
         "%o0", "%p0")},
    {OP_MBARRIER_PENDING, "state", "rl", 2, 128, 0, MEMORY,
     INIT("1000") "mov.u64 %rd0, 0;\n@%p5 mbarrier.arrive.shared.b64 %rd0, [%r8], 33;\n"
     "@%p5 mbarrier.arrive.shared.b64 %rd0, "
     "[%r8];\n$ %o0, %rd0;\nadd.u32 %r0, %y, 32;\nmov.u64 %rd1, 1;\nshl.b64 %rd1, %rd1, %r0;\n$ %o1, %rd1;\n"},

    /* Clusters */
    {OP_CLUSTER_ARRIVE, "", "r", 1, 128, SCRIPT_CLUSTER, MEMORY,
     MARK "mov.u32 %r8, bar;\n" OTHER "$;\nbarrier.cluster.wait;\nmad.lo.u32 %r6, %t, 16, %r6;\n"
     "ld.shared::cluster.u32 %o0, [%r6];\n" MEET},
    {OP_CLUSTER_ARRIVE, "alone", "r", 1, 128, 0, MEMORY, MARK "$;\nbarrier.cluster.wait;\n" SHOW},
    {OP_CLUSTER_WAIT, "", "r", 1, 128, SCRIPT_CLUSTER, MEMORY,
     MARK "mov.u32 %r8, bar;\n" OTHER "barrier.cluster.arrive;\n$;\nmad.lo.u32 %r6, %t, 16, %r6;\n"
     "ld.shared::cluster.u32 %o0, [%r6];\n" MEET},
    {OP_MAPA, "narrow", "r", 2, 128, SCRIPT_CLUSTER, MEMORY,
     MARK "mov.u32 %r8, tile;\nmov.u32 %r5, %cluster_ctarank;\nxor.b32 %r4, %r5, 1;\n$ %r7, %r8, %r4;\n" MEET
     "mad.lo.u32 %r6, %t, 16, %r7;\nld.shared::cluster.u32 %o0, [%r6];\nsub.u32 %o1, %r7, %r8;\n" MEET},
    {OP_MAPA, "generic", "r", 2, 128, SCRIPT_CLUSTER, MEMORY,
     MARK "mov.u32 %r8, tile;\ncvt.u64.u32 %rd0, %r8;\ncvta.shared.u64 %rd0, %rd0;\nmov.u32 %r5, %cluster_ctarank;\n"
     "xor.b32 %r4, %r5, 1;\n$ %rd1, %rd0, %r4;\n" MEET "mul.wide.u32 %rd2, %t, 16;\nadd.u64 %rd2, %rd2, %rd1;\n"
     "ld.u32 %o0, [%rd2];\nsub.u64 %rd1, %rd1, %rd0;\ncvt.u32.u64 %o1, %rd1;\n" MEET},
    {OP_CTARANK, "narrow", "r", 1, 128, SCRIPT_CLUSTER, MEMORY,
     "mov.u32 %r8, tile;\nmov.u32 %r5, %cluster_ctarank;\nxor.b32 %r4, %r5, 1;\n"
     "mapa.shared::cluster.u32 %r7, %r8, %r4;\n$ %o0, %r7;\n" MEET},
    {OP_CTARANK, "generic", "r", 1, 128, SCRIPT_CLUSTER, MEMORY,
     "mov.u32 %r8, tile;\ncvt.u64.u32 %rd0, %r8;\ncvta.shared.u64 %rd0, %rd0;\n$ %o0, %rd0;\n" MEET},
    {OP_ELECT, "all", "r", 2, 128, 0, "", "$ %o0|%p0, 0xffffffff;\n" BIT("%o1", "%p0")},
    {OP_ELECT, "some", "r", 2, 128, SCRIPT_DIVERGENT, "",
     "and.b32 %r0, %t, 20;\nsetp.ne.u32 %p1, %r0, 20;\n@%p1 bra OUT;\n$ %o0|%p0, 0xf0f00000;\n"
     BIT("%o1", "%p0") "OUT:\n"},
    {OP_ELECT, "sink", "r", 1, 128, 0, "", "$ _|%p0, 0xffffffff;\n" BIT("%o0", "%p0")},
};

/* clang-format on */

const int script_count_async = (int)(sizeof script_table_async / sizeof *script_table_async);
