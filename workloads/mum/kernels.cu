// Exact matches of short reads in a reference, by a suffix tree with suffix links (MUMmerGPU: Schatz, Trapnell,
// Delcher, Varshney, 2007). One thread has one read and finds the longest match from each of its bases on.

#include "device.h"

// A node of the tree. Its path is the text on the way from the root; the edge to it has the end of that, from `above`
// on. The root is node 0; as a child, 0 says that there is none.
struct node {
    unsigned place; // where the path stands in the reference
    unsigned depth; // how many bases it has
    unsigned above; // how many its parent's has: for the host
    unsigned link;  // the node whose path is this one's without its first base
};

static __device__ unsigned child_by_base(uint4 children, char base)
{
    switch (base) {
    case 'A': return children.x;
    case 'C': return children.y;
    case 'G': return children.z;
    case 'T': return children.w;
    default: return 0; // the end of the read
    }
}

// The reference ends in '$', and so does the path of every leaf; reads end in 0. The two differ, so no comparison goes
// past an end, and no walk past a leaf. offset[i] is where read i stands, and its matches: of each base the node on
// whose edge the longest match ends, and the match's length, if that is at least `minimum`.
extern "C" __global__ void match(const char *reference, const node *nodes, const uint4 *children, const char *reads,
                                 const unsigned *offset, unsigned count, unsigned minimum, uint2 *matches)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned end = offset[i + 1];
    // `node`'s path, of `depth` bases, matches; `length` bases are known to match, which are at least as many.
    unsigned node = 0, depth = 0, length = 0;
    for (unsigned start = offset[i]; start + minimum < end; start++) {
        unsigned reached = node;
        while (unsigned child = child_by_base(children[node], reads[start + depth])) {
            reached = child;
            unsigned place = nodes[child].place, child_depth = nodes[child].depth;
            // An edge's first base matches since it chose the child. Bases known to match are not compared.
            length = max(length, depth + 1);
            while (length < child_depth && reference[place + length] == reads[start + length])
                length++;
            if (length < child_depth)
                break;
            node = child;
            depth = child_depth;
        }
        if (length >= minimum)
            matches[start] = make_uint2(reached, length);
        // The next match has all but the first base of this one, and its walk begins at the node's link.
        length = length ? length - 1 : 0;
        if (depth) {
            depth--;
            node = nodes[node].link;
        }
    }
}
