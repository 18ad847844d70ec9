/* The plug-in for MPI: see transport.h. */
#include "farm/transport.h"

#include "base/diag.h"
#include "study/installed.h"

#include <dlfcn.h>
#include <stdlib.h>

int transport_expected(void)
{
    /* Open MPI's mpirun, MPICH's mpiexec, and Slurm's srun. SLURM_NTASKS is no sign: a batch script has it, too. */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    int expected = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        int number = value ? atoi(value) : 1;
        expected = number > expected ? number : expected;
    }
    return expected;
}

const struct transport *transport_open(char **error)
{
    char *path = installed_path("libcuda", "farm-mpi.so");
    void *plug = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!path)
        diag_fail(error, "this heddle was built without MPI: build it where mpicc is found, or use --folder");
    else if (!plug)
        diag_fail(error, "cannot load %s: %s", path, dlerror());
    free(path);
    if (!plug)
        return NULL;
    transport_begin_function begin = (transport_begin_function)dlsym(plug, TRANSPORT_BEGIN);
    const struct transport *t = begin ? begin() : NULL;
    if (!t) {
        diag_fail(error, "MPI cannot be used by this process");
    } else if (t->size < 2) {
        diag_fail(error, "%d processes were started, and MPI sees one of them; with srun, --mpi=pmix may help",
                  transport_expected());
        t = NULL;
    }
    return t;
}
