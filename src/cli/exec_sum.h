/*
 * The sum of a program that heddle exec ran: what its launches did, by kernel and together.
 */
#ifndef HEDDLE_CLI_EXEC_SUM_H
#define HEDDLE_CLI_EXEC_SUM_H

#include "base/text.h"
#include "run/notes.h"
#include "run/total.h"

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

/* Figures of several launches together. */
struct exec_figures {
    uint64_t launches;
    uint64_t chosen; /* launches that --kernel and --launch chose */
    uint64_t timed;  /* launches that ran on a machine; cycles and time are theirs */
    uint64_t cycles, picoseconds;
    uint64_t warp_instructions, thread_instructions, lanes;
    uint64_t branches, divergent_branches;
    uint64_t sampled; /* launches under --sample; the two below are their estimate and half its interval */
    double sampled_cycles, half_cycles;
    uint64_t timed_instructions; /* thread instructions that were timed, of those of sampled launches */
    uint64_t faults;
    double host_seconds;
};

struct exec_kernel {
    char *name;  /* as the module has it: mangled, for C++; owned */
    char *shown; /* for people: with template arguments, without parameters; owned */
    struct exec_figures figures;
    UT_hash_handle hh;
};

struct exec_sum {
    struct exec_kernel *kernels; /* by name, in the order of their first launches */
    struct exec_figures total;
    struct notes *notes;  /* what the program may not notice itself; NULL: nothing */
    struct text launches; /* one line per launch, if they are listed */
    /* Set by the caller before the sum is read: */
    bool lists_launches;            /* every launch gets a line */
    bool has_machine;               /* the options ask for a machine: tables have columns for cycles and time */
    struct exec_process *processes; /* by process id */
};

/* Reads the records of all launches. False and an error text if some are missing; the others are summed up. */
bool exec_sum_read(struct exec_sum *sum, const char *path, char **error);
void exec_sum_free(struct exec_sum *sum);

/* The table, one row per kernel and a last row for all; before it the launches, if they are listed. */
void exec_sum_print(const struct exec_sum *sum, const char *program, int exit_status, struct text *out);
/* One line: {"total":...}. */
void exec_sum_json(const struct exec_sum *sum, const char *program, int exit_status, struct text *out);

#endif
