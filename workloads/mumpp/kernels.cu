// Exact matches of short reads in a reference, by a suffix array (MUMmerGPU++: Gharaibeh, Ripeanu, 2010). One thread
// has one read and finds the longest match from each of its bases on.

#include "device.h"

// `suffixes` are the places of the reference, of which there is at least one, sorted by the text that stands there.
// The reference ends in '$', less than any base; reads end in 0. The two differ, so no comparison goes past an end.
// offset[i] is where read i stands, and its matches: of each base the place of a longest match, and its length, if that
// is at least `minimum`.
extern "C" __global__ void match(cudaTextureObject_t reference, const unsigned *suffixes, unsigned bases,
                                 const char *reads, const unsigned *offset, unsigned count, unsigned minimum,
                                 uint2 *matches)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned end = offset[i + 1];
    for (unsigned start = offset[i]; start + minimum < end; start++) {
        // Suffixes before `low` are less than the rest of the read, those from `high` on are not; the nearest have
        // `low_same` and `high_same` bases in common with it, so all between have at least the lesser of both.
        unsigned low = 0, high = bases, low_same = 0, high_same = 0;
        do {
            unsigned middle = (low + high) / 2, suffix = suffixes[middle], same = min(low_same, high_same);
            while (tex1Dfetch<char>(reference, suffix + same) == reads[start + same])
                same++;
            if (tex1Dfetch<char>(reference, suffix + same) < reads[start + same]) {
                low = middle + 1;
                low_same = same;
            } else {
                high = middle;
                high_same = same;
            }
        } while (low < high);
        unsigned length = max(low_same, high_same);
        if (length >= minimum)
            matches[start] = make_uint2(suffixes[high_same == length ? high : low - 1], length);
    }
}
