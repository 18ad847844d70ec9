// Objects in a picture by a forest of decision trees: one thread per window of the picture walks all trees, and each
// leaf that it comes to votes for the classes. A node compares the sums of two rectangles of the window, which are read
// from the picture's table of sums.

#include "device.h"

enum { CLASSES = 5 };

struct node {
    uchar4 corners; // of the two rectangles, in the window: x, y, x, y
    uchar4 size;    // of both: width, height
    int threshold;  // the difference of the sums above which the second child is next
    int first;      // of its two children; in a leaf ~ the number of its votes
};

struct forest {
    const node *nodes;
    const int *roots;
    const unsigned char *votes; // of each leaf, one per class
    int trees;
};

struct picture {
    const unsigned *sums; // of all pixels above and left of each corner of pixels
    int pitch;            // of a row of sums
    int scale;            // by which windows are larger than those the forest was made for
    int stride;           // from window to window
    int columns, rows;    // of windows
};

__device__ __forceinline__ int sum_of(const picture &p, int x, int y, int width, int height)
{
    const unsigned *top = p.sums + y * p.pitch + x, *bottom = top + height * p.pitch;
    return (int)(bottom[width] - bottom[0] - top[width] + top[0]);
}

// Blocks of 16x8. The result of a window: the class with most votes, its votes, the number of nodes that were visited,
// and the votes for background.
extern "C" __global__ void objclassifier(forest f, picture p, int4 *results)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= p.columns || row >= p.rows)
        return;
    int x = column * p.stride, y = row * p.stride, votes[CLASSES], visited = 0;
    for (int c = 0; c < CLASSES; c++)
        votes[c] = 0;
#pragma unroll 1
    for (int tree = 0; tree < f.trees; tree++) {
        node n = f.nodes[f.roots[tree]];
#pragma unroll 1
        while (n.first >= 0) {
            int width = p.scale * n.size.x, height = p.scale * n.size.y;
            int difference = sum_of(p, x + p.scale * n.corners.x, y + p.scale * n.corners.y, width, height) -
                             sum_of(p, x + p.scale * n.corners.z, y + p.scale * n.corners.w, width, height);
            int next = n.first;
            if (difference > n.threshold * p.scale * p.scale)
                next++;
            n = f.nodes[next];
            visited++;
        }
        const unsigned char *leaf = f.votes + CLASSES * ~n.first;
        for (int c = 0; c < CLASSES; c++)
            votes[c] += leaf[c];
    }
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (votes[c] > votes[best])
            best = c;
    results[row * p.columns + column] = make_int4(best, votes[best], visited, votes[0]);
}
