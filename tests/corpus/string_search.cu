// String search: naive comparison at every place, first and number of matches; letters counted by case.
#include "corpus.h"

extern "C" __global__ void string_search(const u8 *text, int length, const u8 *word, int word_length,
                                         u32 *count, int *first, u8 *hit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    int k = 0;
    while (k < word_length && i + k < length && text[i + k] == word[k])
        k++;
    bool found = k == word_length;
    hit[i] = found ? 'X' : (u8)('0' + k);
    if (found) {
        atomicAdd(count, 1u);
        atomicMin(first, i);
    }
}
