/*
 * A way for texts between the processes of one sweep, which mpirun or srun started. The way is a plug-in file, so that
 * heddle itself does not need MPI: farm/plug/mpi.c is compiled where MPI is found.
 */
#ifndef HEDDLE_FARM_TRANSPORT_H
#define HEDDLE_FARM_TRANSPORT_H

#include <stdbool.h>

struct transport {
    int rank, size; /* of this process, and how many there are */
    void (*send)(int to, const char *text);
    /* Takes a text that has come, which the caller frees, and its sender. NULL: none has come. Never waits. */
    char *(*receive)(int *sender);
    void (*finish)(void);        /* waits for the other processes to finish */
    void (*abandon)(int status); /* ends this process and the others without waiting, with an exit status */
};

#define TRANSPORT_BEGIN "transport_begin" /* the plug-in's function; NULL: MPI cannot be used */
typedef const struct transport *(*transport_begin_function)(void);

/* How many processes the environment says were started together by mpirun or srun; 1: just this one. */
int transport_expected(void);
/* Loads the plug-in and joins the other processes. NULL and an error text. */
const struct transport *transport_open(char **error);

#endif
