/* Global alignment of two sequences by tiles; verified against the recurrence column by column. */
#include "work.h"

enum { TILE = 16, LETTERS = 10, PENALTY = 10 };

/* What the amino acids R N D C Q E G H I L are worth against each other, as in the table BLOSUM62. */
static const signed char similarity_of[LETTERS][LETTERS] = {
    {5, 0, -2, -3, 1, 0, -2, 0, -3, -2},    {0, 6, 1, -3, 0, 0, 0, 1, -3, -3},
    {-2, 1, 6, -3, 0, 2, -1, -1, -3, -4},   {-3, -3, -3, 9, -3, -4, -3, -3, -1, -1},
    {1, 0, 0, -3, 5, 2, -2, 0, -3, -2},     {0, 0, 2, -4, 2, 5, -2, 0, -3, -3},
    {-2, 0, -1, -3, -2, -2, 6, -2, -4, -4}, {0, 1, -1, -3, 0, 0, -2, 8, -3, -3},
    {-3, -3, -3, -1, -3, -3, -4, -3, 4, 2}, {-2, -3, -4, -1, -2, -3, -4, -3, 2, 4},
};

static const int letters_of[] = {[WORK_TEST] = 64, [WORK_SMALL] = 1024, [WORK_PAPER] = 2800};

/* Two random sequences of `letters` letters: the similarity of each letter of one with each of the other. The first row
 * and the first column stand for no letter. */
static void make_similarities(struct work *w, int32_t *similarities, int letters)
{
    int columns = letters + 1;
    uint32_t *across = work_buffer(w, (size_t)columns, sizeof *across);
    for (int x = 1; x < columns; x++)
        across[x] = work_random_below(w, LETTERS);
    for (int y = 1; y < columns; y++) {
        uint32_t down = work_random_below(w, LETTERS);
        for (int x = 1; x < columns; x++)
            similarities[y * columns + x] = similarity_of[down][across[x]];
    }
}

/* The scores of an alignment with nothing: gaps alone. */
static void fill_edges(int32_t *scores, int letters)
{
    for (int i = 0; i <= letters; i++)
        scores[i] = scores[i * (letters + 1)] = -PENALTY * i;
}

static void align_by_columns(struct work *w, const int32_t *similarities, int32_t *scores, int letters)
{
    int columns = letters + 1;
    int32_t *last = work_buffer(w, (size_t)columns, sizeof *last);
    fill_edges(scores, letters);
    for (int y = 0; y < columns; y++)
        last[y] = scores[y * columns];
    for (int x = 1; x < columns; x++) {
        int32_t above_left = last[0], above = scores[x];
        last[0] = above;
        for (int y = 1; y < columns; y++) {
            int32_t best = above_left + similarities[y * columns + x];
            int32_t with_gap = (last[y] > above ? last[y] : above) - PENALTY;
            above = best > with_gap ? best : with_gap;
            above_left = last[y];
            last[y] = scores[y * columns + x] = above;
        }
    }
}

static void align_by_tiles(struct work *w, const int32_t *similarities, int32_t *scores, int letters)
{
    int columns = letters + 1, penalty = PENALTY, width = letters / TILE;
    size_t bytes = (size_t)columns * (size_t)columns * sizeof *scores;
    fill_edges(scores, letters);
    CUdeviceptr similarity = work_upload(w, similarities, bytes), score = work_upload(w, scores, bytes);
    struct work_shape block = {.x = TILE};
    for (int tiles = 1; tiles <= width; tiles++)
        work_launch(w, "upper_left", (struct work_shape){.x = (unsigned)tiles}, block, 0,
                    (void *[]){&similarity, &score, &columns, &penalty, &tiles});
    for (int tiles = width - 1; tiles >= 1; tiles--)
        work_launch(w, "lower_right", (struct work_shape){.x = (unsigned)tiles}, block, 0,
                    (void *[]){&similarity, &score, &columns, &penalty, &tiles, &width});
    work_read(w, scores, score, bytes);
}

static void run(struct work *w, enum work_size size)
{
    int letters = letters_of[size];
    size_t cells = (size_t)(letters + 1) * (size_t)(letters + 1);
    int32_t *similarities = work_buffer(w, cells, sizeof *similarities), *got = work_buffer(w, cells, sizeof *got),
            *want = work_buffer(w, cells, sizeof *want);
    make_similarities(w, similarities, letters);
    align_by_tiles(w, similarities, got, letters);
    align_by_columns(w, similarities, want, letters);
    work_compare_u32(w, "scores", (const uint32_t *)got, (const uint32_t *)want, cells);
    work_say(w, "two sequences of %d letters, best score %d", letters, got[cells - 1]);
}

const struct workload workload = {.name = "nw", .run = run};
