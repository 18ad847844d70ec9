/*
 * launch: runs one PTX variant of every corpus case through the CUDA driver API, each once, in order.
 *
 * The same program runs on a GPU under its profiler and on heddle's libcuda.so.1, so that both count the same
 * launches of the same text with the same inputs. What a kernel computes is not looked at: replay does that.
 */
#include "../silicon/corpus_case.h"
#include "../silicon/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: launch list FOLDER VARIANT          one line a launch: case,kernel,grid,block\n"
    "       launch run FOLDER VARIANT [LEVEL]   LEVEL, 0 to 4, is how much the driver's compiler optimises\n";

static void list_case(const struct test_case *c)
{
    printf("%s,%s,%ux%ux%u,%ux%ux%u\n", corpus_case_of(c)->base, c->kernel, c->grid[0], c->grid[1], c->grid[2],
           c->block[0], c->block[1], c->block[2]);
}

static bool run_case(const struct test_case *c, int optimisation)
{
    void *outputs[CASE_MAX_ARGS];
    char message[DEVICE_MESSAGE_BYTES];
    if (device_run(c, optimisation, outputs, message) != DEVICE_DONE) {
        fprintf(stderr, "%s: %s\n", c->name, message);
        return false;
    }
    for (int i = 0; i < CASE_MAX_ARGS; i++)
        free(outputs[i]);
    return true;
}

int main(int argc, char **argv)
{
    const bool lists = argc == 4 && !strcmp(argv[1], "list");
    const bool runs = (argc == 4 || argc == 5) && !strcmp(argv[1], "run");
    if (!lists && !runs) {
        fputs(usage, stderr);
        return 2;
    }
    char error[DEVICE_MESSAGE_BYTES];
    int count;
    struct test_case **cases = corpus_load(argv[2], &count, error, sizeof error);
    if (!cases || (runs && !device_open(error))) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        /* After a fault the context may be lost. */
        if (good && !strcmp(corpus_case_of(cases[i])->variant, argv[3])) {
            if (lists)
                list_case(cases[i]);
            else
                good = run_case(cases[i], argc == 5 ? atoi(argv[4]) : -1);
        }
        case_destroy(cases[i]);
    }
    free(cases);
    return good ? 0 : 1;
}
