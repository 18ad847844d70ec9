/*
 * How many processes a test program splits its cases among: one per core, or as many as the environment variable
 * HEDDLE_TEST_JOBS says, for those who run several test programs at a time.
 */
#ifndef HEDDLE_TESTS_JOBS_H
#define HEDDLE_TESTS_JOBS_H

#include <stdlib.h>
#include <unistd.h>

static inline int test_jobs(void)
{
    const char *said = getenv("HEDDLE_TEST_JOBS");
    int jobs = said ? atoi(said) : 0;
    return jobs > 0 ? jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

#endif
