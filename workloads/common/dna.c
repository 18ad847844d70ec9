/* DNA for the programs that match reads against a reference: see dna.h. */
#include "dna.h"

static const char base_letter[4] = {'A', 'C', 'G', 'T'};

static char random_base(struct work *w)
{
    return base_letter[work_random(w) >> 30];
}

/* ---- what is matched ---- */

/* Appends a stretch that is new, or a copy of an earlier one in which one base of 16 is drawn again. */
static uint32_t append_stretch(struct work *w, char *text, uint32_t have, uint32_t want)
{
    uint32_t bases = 20 + work_random_below(w, 300);
    bool is_copy = have > bases && work_random_below(w, 3) == 0;
    uint32_t from = is_copy ? work_random_below(w, have - bases) : 0;
    for (uint32_t k = 0; k < bases && have < want; k++, have++)
        text[have] = is_copy && work_random_below(w, 16) ? text[from + k] : random_base(w);
    return have;
}

struct dna dna_make(struct work *w, uint32_t bases)
{
    struct dna d = {work_buffer(w, (size_t)bases + 2, 1), bases};
    for (uint32_t have = 0; have < bases;)
        have = append_stretch(w, d.text, have, bases);
    d.text[bases] = '$';
    return d;
}

struct dna_reads dna_make_reads(struct work *w, const struct dna *reference, uint32_t count, uint32_t bases,
                                struct dna_mix mix)
{
    struct dna_reads r = {work_buffer(w, count, bases + 1), work_buffer(w, (size_t)count + 1, sizeof(uint32_t)), count};
    for (uint32_t i = 0; i < count; i++) {
        char *read = r.text + (size_t)i * (bases + 1);
        bool is_random = work_random_below(w, mix.one_in) > 0;
        uint32_t from = work_random_below(w, reference->bases - bases + 1);
        for (uint32_t k = 0; k < bases; k++) {
            bool is_changed = mix.changed_one_in && work_random_below(w, mix.changed_one_in) == 0;
            read[k] = is_random || is_changed ? random_base(w) : reference->text[from + k];
        }
        r.offset[i + 1] = (i + 1) * (bases + 1);
    }
    return r;
}

/* ---- the longest match ---- */

/* Where in the reference each seed is. */
struct seed_index {
    const struct dna *reference;
    uint32_t *first; /* by seed: the last place that begins with it, plus one; 0: none */
    uint32_t *next;  /* by place: the one before it with the same seed, plus one */
};

static uint32_t base_number(char base)
{
    return (uint32_t)(base == 'C' ? 1 : base == 'G' ? 2 : base == 'T' ? 3 : 0);
}

/* The first DNA_SEED bases as a number. */
static uint32_t seed_of(const char *text)
{
    uint32_t seed = 0;
    for (int k = 0; k < DNA_SEED; k++)
        seed = seed << 2 | base_number(text[k]);
    return seed;
}

static struct seed_index make_index(struct work *w, const struct dna *reference)
{
    struct seed_index x = {.reference = reference};
    x.first = work_buffer(w, (size_t)1 << 2 * DNA_SEED, sizeof *x.first);
    x.next = work_buffer(w, reference->bases, sizeof *x.next);
    for (uint32_t place = 0; place + DNA_SEED <= reference->bases; place++) {
        uint32_t seed = seed_of(reference->text + place);
        x.next[place] = x.first[seed];
        x.first[seed] = place + 1;
    }
    return x;
}

uint32_t dna_common(const char *a, const char *b)
{
    uint32_t k = 0;
    while (a[k] && a[k] == b[k])
        k++;
    return k;
}

static uint32_t longest_match(const struct seed_index *x, const char *read)
{
    uint32_t longest = 0;
    for (uint32_t at = x->first[seed_of(read)]; at; at = x->next[at - 1]) {
        uint32_t common = dna_common(x->reference->text + at - 1, read);
        longest = common > longest ? common : longest;
    }
    return longest;
}

uint32_t *dna_match_lengths(struct work *w, const struct dna *reference, const struct dna_reads *reads,
                            uint32_t minimum)
{
    struct seed_index x = make_index(w, reference);
    uint32_t *length = work_buffer(w, reads->offset[reads->count], sizeof *length);
    for (uint32_t i = 0; i < reads->count; i++)
        for (uint32_t at = reads->offset[i]; at + minimum < reads->offset[i + 1]; at++) {
            uint32_t longest = longest_match(&x, reads->text + at);
            length[at] = longest < minimum ? 0 : longest;
        }
    return length;
}
