/*
 * MUMmerGPU++: exact matches of reads in a reference, by its suffix array. See README.md.
 */
#include "dna.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 192, MINIMUM = 20 };

static const struct {
    uint32_t bases, reads, read_bases;
    struct dna_mix mix;
} sizes[] = {
    [WORK_TEST] = {500, 300, 22, {.one_in = 2, .changed_one_in = 32}},
    [WORK_SMALL] = {20000, 40320, 21, {.one_in = 261}},
    [WORK_PAPER] = {20000, 32000, 25, {.one_in = 261}},
};

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The places of the reference, sorted by the text from there on. */
static uint32_t *make_suffixes(struct work *w, const struct dna *reference)
{
    const char **text = work_buffer(w, reference->bases, sizeof *text);
    uint32_t *place = work_buffer(w, reference->bases, sizeof *place);
    for (uint32_t i = 0; i < reference->bases; i++)
        text[i] = reference->text + i;
    qsort(text, reference->bases, sizeof *text, compare_texts);
    for (uint32_t i = 0; i < reference->bases; i++)
        place[i] = (uint32_t)(text[i] - reference->text);
    return place;
}

struct match {
    uint32_t place, length;
};

static struct match *run_kernel(struct work *w, const struct dna *reference, const struct dna_reads *reads,
                                const uint32_t *suffixes)
{
    uint32_t text_bytes = reads->offset[reads->count], minimum = MINIMUM, count = reads->count;
    uint32_t bases = reference->bases;
    size_t match_bytes = text_bytes * sizeof(struct match);
    CUtexObject t_reference =
        work_texture(w, work_upload(w, reference->text, bases + 1), bases + 1, CU_AD_FORMAT_SIGNED_INT8, 1);
    CUdeviceptr d_suffixes = work_upload(w, suffixes, bases * sizeof *suffixes);
    CUdeviceptr d_reads = work_upload(w, reads->text, text_bytes);
    CUdeviceptr d_offset = work_upload(w, reads->offset, ((size_t)count + 1) * sizeof *reads->offset);
    CUdeviceptr d_matches = work_alloc(w, match_bytes);
    void *arguments[] = {&t_reference, &d_suffixes, &bases, &d_reads, &d_offset, &count, &minimum, &d_matches};
    work_launch(w, "match", (struct work_shape){.x = (count + BLOCK - 1) / BLOCK}, (struct work_shape){.x = BLOCK}, 0,
                arguments);
    struct match *matches = work_buffer(w, text_bytes, sizeof *matches);
    work_read(w, matches, d_matches, match_bytes);
    return matches;
}

static bool is_at_place(const struct match *m, const struct dna *reference, const char *read)
{
    return m->place < reference->bases && dna_common(reference->text + m->place, read) == m->length;
}

static void run(struct work *w, enum work_size size)
{
    struct dna reference = dna_make(w, sizes[size].bases);
    struct dna_reads reads = dna_make_reads(w, &reference, sizes[size].reads, sizes[size].read_bases, sizes[size].mix);
    struct match *matches = run_kernel(w, &reference, &reads, make_suffixes(w, &reference));

    uint32_t places = reads.offset[reads.count], found = 0, misplaced = 0;
    uint32_t *lengths = work_buffer(w, places, sizeof *lengths);
    for (uint32_t i = 0; i < places; i++) {
        lengths[i] = matches[i].length;
        found += lengths[i] > 0;
        misplaced += lengths[i] && !is_at_place(&matches[i], &reference, reads.text + i);
    }
    work_check(w, !misplaced, "%u of %u matches are not at the place they name", misplaced, found);
    work_compare_u32(w, "lengths of matches", lengths, dna_match_lengths(w, &reference, &reads, MINIMUM), places);
    work_say(w, "%u reads of %u bases, %u matches in %u bases", reads.count, sizes[size].read_bases, found,
             reference.bases);
}

const struct workload workload = {.name = "mumpp", .run = run};
