/* heddle sweep as a worker: see sweep_farm.h. */
#define _GNU_SOURCE
#include "cli/sweep_farm.h"

#include "base/child.h"
#include "base/text.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "farm/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *sweep_farm_absolute(const char *path)
{
    struct text absolute = {0};
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    text_printf(&absolute, "%s%s%s", here ? here : "", here ? "/" : "", path);
    free(here);
    return text_take(&absolute);
}

static int work_alone(const char *folder, const volatile sig_atomic_t *stop)
{
    char *error = NULL, *path = sweep_farm_absolute(folder);
    int done = 0, status = STATUS_OK;
    bool ok = folder_work(path, stop, &done, &error);
    if (!ok)
        status = cli_fail("%s", error);
    printf("worker: %d runs done%s\n", done, ok && !*stop ? ", the sweep is over" : "");
    if (ok && *stop)
        status = STATUS_SIGNAL + *stop;
    free(error);
    free(path);
    return status;
}

/* One process per run at a time, each a worker of its own. */
static int work_together(const char *folder, int jobs, const volatile sig_atomic_t *stop)
{
    struct vec_of(struct child) children = {0};
    char *words[] = {"heddle", "sweep", "--worker", "--folder", (char *)folder, "--jobs", "1", NULL};
    int status = STATUS_OK;
    for (int i = 0; !status && i < jobs; i++) {
        struct child c = {0};
        if (child_start(&c, &(struct child_program){.path = child_self, .words = words, .output = -1}))
            vec_push(&children, c);
        else
            status = cli_fail("cannot start a worker: %s", strerror(errno));
    }
    for (int i = 0; i < children.count; i++) {
        int own = child_wait(&children.data[i], stop);
        status = own > status ? own : status;
    }
    vec_free(&children);
    return status;
}

int sweep_farm_work(const char *folder, int jobs)
{
    const volatile sig_atomic_t *stop = interrupt_catch();
    return jobs > 1 ? work_together(folder, jobs, stop) : work_alone(folder, stop);
}
