/*
 * heddle as a library: what the CUDA driver API (cuda.h) has no call for.
 *
 * A program that links libheddle uses cuda.h for everything that a GPU does, and the three functions below beside it.
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

#ifdef __cplusplus
}
#endif

#endif
