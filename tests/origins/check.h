/*
 * Runs launches on the functional engine and checks what flow/origins.h and device/apart.h say of them: every access of
 * global memory lies in an allocation of one of its origins, and a launch that is apart reads nothing that it writes.
 *
 * The engine tells of accesses through the race check: programs are linked with --wrap=race_access, so that the check
 * here gets them instead. Texture fetches, surfaces and asynchronous copies do not come through there.
 */
#ifndef HEDDLE_TESTS_ORIGINS_CHECK_H
#define HEDDLE_TESTS_ORIGINS_CHECK_H

#include "base/text.h"
#include "device/apart.h"
#include "exec/code.h"

struct check {
    enum apart apart;      /* what launch_find_apart() says */
    struct text wrong;     /* the first accesses that contradict, in words */
    int wrong_count;       /* all of them */
    uint64_t known, total; /* accesses of threads to global memory: whose origins are known, and all */
};

/* Where functional_launch() itself is wrapped, this is what it was. */
typedef void check_executor(const struct launch *launch, const struct code *code, struct launch_result *result);

void check_launch(const struct launch *launch, const struct code *code, check_executor *execute,
                  struct launch_result *result, struct check *check);
void check_free(struct check *check);

#endif
