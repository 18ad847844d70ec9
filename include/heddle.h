/*
 * heddle as a library: what the CUDA driver API (cuda.h) has no call for.
 *
 * A program that links libheddle uses cuda.h for everything that a GPU does, and the functions below beside it.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif

/* The version of the library, as "0.1.0". */
HEDDLE_API const char *heddle_version(void);

/*
 * Sets the options of all launches, in the words of `heddle run` ("--executor oracle --json out.json"). An option that
 * is given here overrides the environment variable HEDDLE_OPTS. To be called before cuInit. Returns 0 if the options
 * are set. Returns -1 if an option is wrong, having said why on stderr, or if cuInit was called before.
 */
HEDDLE_API int heddle_set_options(const char *words);

/*
 * The full report of the last kernel that faulted: what happened, the source line, the thread, the address and what
 * lives near the address. "" if no kernel has faulted. The text is valid until the next kernel faults.
 */
HEDDLE_API const char *heddle_last_report(void);

struct CUfunc_st;
struct CUlaunchConfig_st;

/*
 * Launches a kernel as cuLaunchKernelEx does, and keeps the threads of this launch in their static warps, for kernels
 * that rely on them: the thread compactor of tbc, tbc-lcp and tbc-dpe, and the compaction of lwm, capri, tstbc and
 * tstbc-auto, are off for the launch, as `heddle run --no-compaction` has them (Fung and Aamodt, HPCA 2011, section
 * 3.2). Where the mechanism compacts nothing, the launch is an ordinary one. Returns a CUresult:
 * CUDA_ERROR_NOT_SUPPORTED, having said why on stderr, under dwf and dwf-wb, which always form new warps; otherwise
 * what cuLaunchKernelEx returns. A launch that a stream captures keeps the switch in its graph.
 */
HEDDLE_API int heddle_launch_without_compaction(const struct CUlaunchConfig_st *config, struct CUfunc_st *function,
                                                void **parameters, void **extra);

#ifdef __cplusplus
}
#endif

#endif
