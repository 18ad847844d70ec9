/* Which names a runtime library must export, by the major version of CUDA. */
#ifndef HEDDLE_TESTS_RUNTIME_NAMES_H
#define HEDDLE_TESTS_RUNTIME_NAMES_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * Fails unless the library of CUDA `major` that the test is linked with exports its `count` names of names.def, each with
 * the symbol version `version`: a program names this version beside every symbol that it takes from the library.
 */
static inline void names_check(int major, const char *version, int count)
{
    static const struct {
        int first, last;
        const char *symbol;
    } names[] = {
#define NAME(first, last, symbol) {first, last, #symbol},
#include "tests/runtime/names.def"
#undef NAME
    };
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (major < names[i].first || major > names[i].last)
            continue;
        if (!dlvsym(RTLD_DEFAULT, names[i].symbol, version))
            fail_msg("%s is not exported with version %s", names[i].symbol, version);
        found++;
    }
    assert_int_equal(found, count);
}

#endif
