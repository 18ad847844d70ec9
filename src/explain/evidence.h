/*
 * Evidence: what the launches of a kernel counted, and the shape of its branches, from which heddle explain judges.
 *
 * The process that runs a launch knows its program, and heddle explain sums up launches of several processes. So
 * evidence travels as a file with one line of JSON per launch (--evidence FILE). Counters of launches with one program
 * are added. A launch on a machine has cycles and issues alone; branches come from launches without a machine.
 */
#ifndef HEDDLE_EXPLAIN_EVIDENCE_H
#define HEDDLE_EXPLAIN_EVIDENCE_H

#include "base/vec.h"
#include "explain/shape.h"

struct launch;
struct site;
struct sources;
struct waste;

/* What recon's detection (recon/detect.h) says of a branch, with the counts of the launch as its profile. */
struct evidence_estimate {
    char *pattern; /* "loop merge", ...; NULL: the branch is no candidate. Owned */
    double gain;
    char *refusal; /* NULL: the candidate pays. Owned */
};

struct evidence_branch {
    int32_t pc;
    int copies;                  /* branches at this place of the source that the row stands for */
    char *block;                 /* name of the basic block that the branch ends. Owned, as all texts */
    char *where;                 /* "kernel.cu:12" or "PTX line 40" */
    char *text;                  /* the line of the source, or the instruction; NULL: not known */
    int column;                  /* in the source; 0: there is no line table */
    uint64_t executed, diverged; /* warp instructions */
    uint64_t threads, taken;     /* thread instructions */
    uint64_t lost;               /* lanes that were empty because threads parted here */
    struct shape shape;          /* without targets */
    struct evidence_estimate estimate;
};

/* An instruction that accesses global memory. */
struct evidence_access {
    int32_t pc;
    char *where, *text;
    bool is_load; /* otherwise a store or an atomic */
    uint64_t issues, threads, sectors, bytes;
};

/* All launches of one kernel. */
struct evidence_kernel {
    char *name, *program; /* program: its hash; a rewritten kernel has another */
    int launches;
    uint32_t grid[3], block[3];      /* of the launch with most threads */
    uint64_t warps;                  /* that all launches had */
    uint64_t issues, threads, lanes; /* warp instructions, thread instructions, lanes of all issues */
    uint64_t longest;                /* issues of the longest warp, added up over launches */
    uint64_t cycles;                 /* on a machine; 0: none */
    uint64_t sectors, bytes;         /* of global memory: touched, and asked for */
    uint64_t distinct, words;        /* sectors and words that a launch touched at all; sums over launches */
    struct vec_of(struct evidence_branch) branches; /* those that diverged; most lanes lost first, once joined */
    struct vec_of(struct evidence_access) accesses;
};

struct evidence {
    struct vec_of(struct evidence_kernel) kernels; /* in the order of their first launches */
};

/* What a launch that has ended counted. */
struct evidence_launch {
    const struct launch *launch;
    const struct program *program;
    uint64_t issues, threads, lanes, cycles;
    const struct site *sites;  /* [PC]; NULL: the launch ran on a machine */
    const struct waste *waste; /* NULL: likewise */
    struct sources *sources;   /* texts of source lines */
};

/* Appends the line of a launch. */
void evidence_print(const struct evidence_launch *launch, struct text *out);

/* Adds all launches of a file. False and an error text (freed by the caller). */
bool evidence_read(struct evidence *e, const char *path, char **error);
void evidence_free(struct evidence *e);
/* Makes one row of the copies of a branch that stand at one place of the source, and sorts branches by lanes lost. */
void evidence_join(struct evidence *e);
/* The kernel of this name; NULL: there was no launch of it. */
const struct evidence_kernel *evidence_find(const struct evidence *e, const char *name);

#endif
