/*
 * heddle_hints.h: tells heddle where threads of a warp should meet, in CUDA sources.
 *
 *   HEDDLE_PREDICT(name);            threads that come here are expected at the label of that name
 *   HEDDLE_LABEL(name);              where they wait for each other
 *   HEDDLE_SOFT_LABEL(name, count);  the same, but `count` of them do not wait for more
 *   HEDDLE_ADAPTIVE_LABEL(name);     the same; how many, is learned while the kernel runs
 *
 * The name of a function in place of a label's means its entry: HEDDLE_PREDICT(foo) and nothing in foo. It is the name in the
 * PTX: declare foo as extern "C" __device__ __noinline__.
 *
 *   HEDDLE_PREDICT(merge);
 *   for (int task = 0; task < tasks; task++) {
 *       for (int step = 0; step < steps_of(task); step++) {
 *           HEDDLE_LABEL(merge);
 *           expensive(step);
 *       }
 *   }
 *
 * They become pragmas in the PTX (heddle recon explains what heddle makes of them; heddle run --mech volta honours them). Other
 * tools ignore pragmas that they do not know, perhaps with a warning, and other compilers for the host see nothing. No
 * instruction is added, but compilers keep accesses to memory on their side of a hint, so that it stays where it is.
 */
#ifndef HEDDLE_HINTS_H
#define HEDDLE_HINTS_H

#if defined(__CUDA_ARCH__) || defined(__NVPTX__)
#define HEDDLE_PRAGMA(text) asm volatile(".pragma \"heddle." text "\";" ::: "memory")
#else
#define HEDDLE_PRAGMA(text) ((void)0)
#endif

#define HEDDLE_PREDICT(name)           HEDDLE_PRAGMA("predict " #name)
#define HEDDLE_LABEL(name)             HEDDLE_PRAGMA("label " #name)
#define HEDDLE_SOFT_LABEL(name, count) HEDDLE_PRAGMA("label " #name " threshold=" #count)
#define HEDDLE_ADAPTIVE_LABEL(name)    HEDDLE_PRAGMA("label " #name " threshold=adaptive")

#endif
