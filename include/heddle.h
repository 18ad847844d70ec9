/*
 * heddle as a library: what the CUDA driver API (cuda.h) has no call for.
 *
 * A program that links libheddle uses cuda.h for everything that a GPU does, and these three beside it.
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
 * Sets the options of a run, in the words of `heddle run` ("--executor oracle --json out.json"); they stand
 * above those of the environment variable HEDDLE_OPTS. To be called before cuInit. Returns 0, or -1 and a
 * message on stderr if an option is wrong, or silently if cuInit was called before.
 */
HEDDLE_API int heddle_set_options(const char *words);

/*
 * The full report of the last kernel that did something wrong: what, where, which thread, which address and
 * what lives near it. "" if none did. Valid until the next one.
 */
HEDDLE_API const char *heddle_last_report(void);

#ifdef __cplusplus
}
#endif

#endif
