/* Runs a function on a stack that is large enough: see ample_stack.h. */
#include "cli/ample_stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

enum { LEAST_BYTES = 1 << 20, AMPLE_BYTES = 8 << 20 };

struct stack_call {
    int (*function)(int argc, char **argv);
    int argc;
    char **argv;
    int result;
};

static void *do_call(void *context)
{
    struct stack_call *c = context;
    c->result = c->function(c->argc, c->argv);
    return NULL;
}

static bool is_ample(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= LEAST_BYTES;
}

int ample_stack_run(int (*function)(int argc, char **argv), int argc, char **argv)
{
    struct stack_call call = {function, argc, argv, 0};
    pthread_attr_t attributes;
    pthread_t thread;
    if (is_ample() || pthread_attr_init(&attributes))
        return function(argc, argv);
    bool is_made =
        !pthread_attr_setstacksize(&attributes, AMPLE_BYTES) && !pthread_create(&thread, &attributes, do_call, &call);
    pthread_attr_destroy(&attributes);
    if (!is_made)
        return function(argc, argv);
    pthread_join(thread, NULL);
    return call.result;
}
