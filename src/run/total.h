/*
 * Totals: one short record per launch, from which heddle exec sums a program up.
 *
 * The records stand in a file that the environment variable HEDDLE_TOTALS names, in the order of the launches' ends.
 * Each record is appended by one write as soon as its launch has ended. So the sum is right when a program ends by
 * _exit() or a signal, and when several processes launch kernels at once. Opening the file takes longer than writing a
 * record, so it stays open. A program may close descriptors that it did not open and get their numbers for files of its
 * own, so each record is written only after a look at whether the descriptor is still that of this file.
 */
#ifndef HEDDLE_RUN_TOTAL_H
#define HEDDLE_RUN_TOTAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

extern const char total_variable[]; /* "HEDDLE_TOTALS" */

struct note;

/* One launch. The file holds this structure as it is in memory, then the kernel's name and the two places of the note
 * (run/notes.h), all without a zero byte. */
struct total_record {
    uint32_t bytes;                                       /* of the whole record, with its texts */
    uint32_t name_bytes, tolerated_bytes, conflict_bytes; /* lengths of the texts */
    uint32_t process;                                     /* process id */
    uint64_t launch;                                      /* number of the launch in its process, from 1 on */
    uint32_t grid[3];                                     /* blocks, by dimension */
    uint32_t block[3];                                    /* threads of a block, by dimension */
    uint64_t cycles;                                      /* 0: not on a machine */
    uint64_t picoseconds;                                 /* simulated time of these cycles */
    uint64_t warp_instructions, thread_instructions;
    uint64_t lanes; /* that all issues together had; thread_instructions of them were filled */
    uint64_t branches, divergent_branches;
    uint64_t tolerated_reads, block_conflicts;
    double host_seconds;
    /* Under --sample: how the launch changed the estimates for all launches of the process, and of the kernel */
    double program_cycles, program_half_cycles, kernel_cycles, kernel_half_cycles;
    uint64_t timed_instructions; /* thread instructions that were timed */
    uint32_t fault;              /* enum fault_kind */
    uint32_t is_timed;           /* the launch ran on a machine */
    uint32_t is_chosen;          /* by --kernel and --launch */
    uint32_t is_sampled;         /* cycles are an estimate */
};

/* The file as a process has it. */
struct total_file {
    char *path;     /* NULL: nobody sums up; owned */
    int descriptor; /* -1: the file is not open */
    dev_t device;   /* these two name the file, whatever the descriptor has become */
    ino_t inode;
};

void total_open(struct total_file *file, const char *path); /* `path` may be NULL; the file is opened when needed */
void total_close(struct total_file *file);

/* Appends a launch of the kernel. False, having said why on stderr, if the record could not be written. A file that is
 * gone is no error: whoever wanted the sum has ended. The lengths, the process and what the note says are filled in
 * here. */
bool total_append(struct total_file *file, const struct total_record *record, const char *kernel,
                  const struct note *note);

typedef void total_visitor(void *context, const struct total_record *record, const char *kernel,
                           const struct note *note);
/* Visits all records of a file. False and an error text (freed by the caller) if the file cannot be read, or if it
 * holds something that is no record; records before that were visited. */
bool total_visit(const char *path, total_visitor *visit, void *context, char **error);

#endif
