/*
 * Tasks: what one run is, before it runs. A task says which program runs on what, and by which key its result is
 * known. As a text, a task can be handed to a process of another machine that has the same build of heddle.
 *
 * The key is a hash of everything that the result depends on: the build of heddle, the program, its input, and the
 * configuration with all defaults filled in. Two runs with the same key have the same result.
 */
#ifndef HEDDLE_STORE_TASK_H
#define HEDDLE_STORE_TASK_H

#include "store/field.h"

struct task {
    char *key;
    char *build;         /* hash of heddle's executable and libraries */
    char *version;       /* of heddle */
    char *name;          /* of the program: a workload, the path of a file, or of an executable with its arguments */
    char *gpu;           /* the machine's name; NULL: the run is functional */
    char *mechanism;     /* perhaps with passes that rewrite kernels, "pdom+merge-loops"; NULL: the run is functional */
    char *size, *ptx;    /* of a workload; NULL: the program is none */
    int hints;           /* 1: kernels with hints where threads should reconverge */
    char *settings;      /* knobs that the user set, "sm.scheduler=gto mem.l2_bytes=1M"; "": none */
    char *program_hash;  /* of the bytes of the file or executable */
    char *input_hash;    /* of arguments, and of the files that these name */
    char *configuration; /* JSON object: options, machine and mechanism with all their knobs */
    char *words;         /* JSON array: the words behind `heddle` */
    int verifies_itself; /* 1: the program verifies its own result (struct trial) */
    double time_limit;   /* seconds that the run may take; 0: no limit */
    double memory_limit; /* bytes that the processes of the run may have in memory together; 0: no limit */
};

enum { TASK_FIELDS = 17 };
extern const struct field task_fields[TASK_FIELDS];

/* Appends the task as one line of JSON. */
void task_print(const struct task *t, struct text *out);
/* Reads what task_print() wrote into a task that is zero. False and an error text, and the task is zero. */
bool task_read(struct task *t, const char *text, char **error);
void task_free(struct task *t);

#endif
