/*
 * Memory-pipe stalls: the cycles in which an access kept a pipe of the memory stage from its next access, by pipe and
 * by cause (Fung and Aamodt, Thread Block Compaction, HPCA 2011, Figures 2(b), 13(b) and 14(b)).
 *
 * A multiprocessor has four pipes: the data cache (global and local memory), the banks of shared memory, the constant
 * cache and the texture cache. An access that is done in its first cycle stalls nothing. Every further cycle until its
 * last lookup or pass is a stall cycle of the pipe, with one cause, so that causes and pipes add up. The paper's text
 * does not name the categories of its figures; these are those of GPGPU-Sim, whose statistics the paper reports. There
 * one instruction at a time is in the memory stage; here pipes work side by side, unless sm.memory_stage is inline, and
 * the cycles of each of them count.
 *
 * Instruction fetch is not a pipe of the memory stage.
 */
#ifndef HEDDLE_REPORT_STALLS_H
#define HEDDLE_REPORT_STALLS_H

#include "stat/stat.h"

enum stall_pipe { STALL_DATA, STALL_SHARED, STALL_CONSTANT, STALL_TEXTURE, STALL_PIPES };

/* Why the access was not done. */
enum stall_cause {
    STALL_BANK,     /* a further line, or word of shared memory, of the same bank was served */
    STALL_SEND,     /* a further line was looked up that could not leave the cache in the cycle of an earlier one */
    STALL_REGISTER, /* no miss register was free */
    STALL_TARGET,   /* the line's miss register could hold no more targets */
    STALL_READS,    /* the queue of reads to the crossbar was full */
    STALL_WRITES,   /* the queue of writes and atomics to the crossbar was full */
    STALL_CAUSES
};

extern const char *const stall_pipe_names[STALL_PIPES];
/* Headings of columns, of at most ten characters. */
extern const char *const stall_cause_names[STALL_CAUSES];

/* Stall cycles of the pipe by the cause; NAN if the pipe does not know the cause, or the run did not count it. */
double stalls_of(const struct stat_result *r, enum stall_pipe pipe, enum stall_cause cause);
/* Stall cycles of the pipe by all causes. */
double stalls_of_pipe(const struct stat_result *r, enum stall_pipe pipe);

#endif
