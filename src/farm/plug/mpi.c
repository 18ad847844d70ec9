/* Texts between processes over MPI: see farm/transport.h. */
#include "farm/transport.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void send_text(int to, const char *text)
{
    MPI_Send(text, (int)strlen(text), MPI_CHAR, to, 0, MPI_COMM_WORLD);
}

static char *receive_text(int *sender)
{
    MPI_Status status;
    int has_come = 0, length = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &has_come, &status);
    if (!has_come)
        return NULL;
    MPI_Get_count(&status, MPI_CHAR, &length);
    char *text = malloc((size_t)length + 1);
    if (!text)
        abort();
    *sender = status.MPI_SOURCE;
    MPI_Recv(text, length, MPI_CHAR, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    text[length] = 0;
    return text;
}

static void finish(void)
{
    MPI_Finalize();
}

static void abandon(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

__attribute__((visibility("default"))) const struct transport *transport_begin(void);
const struct transport *transport_begin(void)
{
    static struct transport t = {.send = send_text, .receive = receive_text, .finish = finish, .abandon = abandon};
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.size);
    return &t;
}
