/*
 * DNA for the programs that match reads against a reference: both as text, and the longest matches.
 *
 * Nothing here knows suffix trees or suffix arrays: the longest match is found by comparing at every place of the
 * reference that begins with the same few bases.
 */
#ifndef HEDDLE_WORKLOADS_DNA_H
#define HEDDLE_WORKLOADS_DNA_H

#include "work.h"

enum { DNA_SEED = 8 }; /* bases by which places in the reference are found */

struct dna {
    char *text;     /* A, C, G, T; then '$', less than any of them, and NUL */
    uint32_t bases; /* without the '$' */
};

struct dna_reads {
    char *text;       /* one after the other, each ended by NUL */
    uint32_t *offset; /* of each in text; one more, of the end */
    uint32_t count;
};

/* Random bases among which earlier stretches come again with some bases changed, as in genomes. */
struct dna dna_make(struct work *w, uint32_t bases);
/* How reads are drawn: one of `one_in` comes from the reference, with one base of `changed_one_in` drawn again (0:
 * none). The others are random bases, and stand for reads of a genome of which the reference is a small part. */
struct dna_mix {
    uint32_t one_in, changed_one_in;
};

struct dna_reads dna_make_reads(struct work *w, const struct dna *reference, uint32_t count, uint32_t bases,
                                struct dna_mix mix);

/* Of each base of the reads, by its place in their text: the length of the longest stretch that begins there and is
 * somewhere in the reference; 0 if it is shorter than `minimum`, which is at least DNA_SEED. */
uint32_t *dna_match_lengths(struct work *w, const struct dna *reference, const struct dna_reads *reads,
                            uint32_t minimum);
/* Bases that a and b have in common from their beginnings. */
uint32_t dna_common(const char *a, const char *b);

#endif
