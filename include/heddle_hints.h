/*
 * heddle_hints.h: tells heddle, in CUDA sources, where threads of a warp should reconverge.
 *
 *   HEDDLE_PREDICT(name);            threads that run this are expected to reach the label called `name`
 *   HEDDLE_LABEL(name);              the label: threads of a warp that were predicted to come here wait for each other
 *   HEDDLE_SOFT_LABEL(name, count);  such a label at which threads stop waiting once `count` of them have arrived
 *   HEDDLE_ADAPTIVE_LABEL(name);     such a label whose count heddle learns while the kernel runs
 *
 * HEDDLE_PREDICT also takes the name of a function instead of a label: it predicts the entry of the function, which
 * needs no label. The name is the one in the PTX, so declare the function as extern "C" __device__ __noinline__.
 *
 *   HEDDLE_PREDICT(merge);
 *   for (int task = 0; task < tasks; task++) {
 *       for (int step = 0; step < steps_of(task); step++) {
 *           HEDDLE_LABEL(merge);
 *           expensive(step);
 *       }
 *   }
 *
 * Hints become pragmas in the PTX. `heddle recon` explains what heddle makes of hints; `heddle run --mech volta`
 * obeys them. Other tools ignore pragmas that they do not know, perhaps with a warning. Compilers for the host see
 * no hint at all. A hint adds no instruction, but compilers move no access to memory across it, so that the hint
 * stays where it was written.
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
