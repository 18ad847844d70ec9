// Exact matches of short reads in a reference, by a suffix tree with suffix links (MUMmerGPU: Schatz, Trapnell,
// Delcher, Varshney, 2007). One thread has one read and finds the longest match from each of its bases on. The tree and
// the reference are read through textures.

#include "device.h"

enum { NONE, ROOT }; // numbers of nodes

// A texel of `nodes`: the text on the edge to the node is reference[begin .. end).
struct node {
    unsigned begin, end;
    unsigned link;  // the node whose path from the root is this one's without its first base; NONE for the root
    unsigned above; // how many bases the path to its parent has: for the host
};

static __device__ __forceinline__ node fetch_node(cudaTextureObject_t nodes, unsigned i)
{
    uint4 t = tex1Dfetch<uint4>(nodes, (int)i);
    return {t.x, t.y, t.z, t.w};
}

// A texel of `children` has four nodes, by base. The reference ends in '$', which no read has, so no walk goes past a
// leaf; reads end in 0. offset[i] is where read i stands, and its matches: of each base the node on whose edge the
// longest match ends, and how many bases of that edge match (0: the match ends at the node), if the match has at least
// `minimum` bases.
extern "C" __global__ void match(cudaTextureObject_t nodes, cudaTextureObject_t children, cudaTextureObject_t reference,
                                 const char *reads, const unsigned *offset, unsigned count, int minimum,
                                 uint2 *matches)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const char *read = reads + offset[i];
    int last = (int)(offset[i + 1] - offset[i]) - 1 - minimum;
    uint2 *result = matches + offset[i];
    // `matched` bases match, those of the path to `node`; `known` more are known to match below it.
    unsigned node = NONE, above = ROOT, begin = 0, at = 0;
    int matched = 0, known = 0;
    HEDDLE_PREDICT(edge);
    for (int start = 0; start <= last; start++, result++) {
        if (node == NONE || matched < 0) {
            node = ROOT;
            matched = 0;
            known = 0;
        }
        char base = read[start + matched];
        while (base != 0) {
            HEDDLE_LABEL(edge);
            uint4 child = tex1Dfetch<uint4>(children, (int)node);
            above = node;
            switch (base) {
            case 'A': node = child.x; break;
            case 'C': node = child.y; break;
            case 'G': node = child.z; break;
            case 'T': node = child.w; break;
            default: node = NONE;
            }
            if (node == NONE) {
                if (matched >= minimum)
                    *result = make_uint2(above, 0);
                matched--;
                known = 0;
                goto follow_link;
            }
            struct node n = fetch_node(nodes, node);
            begin = n.begin;
            if (known) { // they match without being compared
                int edge = (int)(n.end - begin);
                at = begin + min(edge, known);
                matched += min(edge, known);
                known = max(known - edge, 0);
            } else { // an edge's first base matches since it chose the child
                matched++;
                at = begin + 1;
            }
            base = read[start + matched];
            while (at < n.end && base != 0) {
                if (tex1Dfetch<char>(reference, (int)at) != base)
                    goto record;
                matched++;
                at++;
                base = read[start + matched];
            }
        }
    record:
        if (matched >= minimum)
            *result = make_uint2(node, at - begin);
        known = (int)(at - begin);
        matched -= known + 1;
    follow_link: // the next match has all bases of this one but the first
        node = fetch_node(nodes, above).link;
    }
}
