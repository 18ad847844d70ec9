// kind: loop trips
// line: 15
// gain: yes
// why: the number of nodes that a query visits varies from a handful to hundreds with the size of its random window, so the traversal loop is left at very different times
// Counts boxes that overlap random windows by a stackless traversal (skip links) of a tree in depth-first order.
#include "../program.h"

struct Node { float x0, y0, x1, y1; int skip; int leaf; };
struct Window { float x0, y0, x1, y1; };

__host__ __device__ inline bool overlap(const Node &n, const Window &w) { return n.x0 <= w.x1 && n.x1 >= w.x0 && n.y0 <= w.y1 && n.y1 >= w.y0; }

__host__ __device__ inline int query(const Node *tree, int nodes, const Window &w) {
    int at = 0, found = 0;
    while (at < nodes) {
        const Node n = tree[at];
        const bool hit = overlap(n, w);
        found += hit && n.leaf;
        at = hit ? at + 1 : n.skip;
    }
    return found;
}

__global__ void count_overlaps(const Node *__restrict__ tree, int nodes, const Window *__restrict__ windows, int n, int *__restrict__ count) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    Window w = windows[i];
    int c = query(tree, nodes, w);
    count[i] = c;
}

static void build(std::vector<Node> &tree, std::vector<Window> &box, int lo, int hi, bool by_x) {
    size_t me = tree.size();
    Node n{1e9f, 1e9f, -1e9f, -1e9f, 0, hi - lo == 1};
    for (int i = lo; i < hi; ++i) { n.x0 = std::min(n.x0, box[i].x0); n.y0 = std::min(n.y0, box[i].y0); n.x1 = std::max(n.x1, box[i].x1); n.y1 = std::max(n.y1, box[i].y1); }
    tree.push_back(n);
    if (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        std::nth_element(box.begin() + lo, box.begin() + mid, box.begin() + hi, [=](const Window &a, const Window &b) { return by_x ? a.x0 < b.x0 : a.y0 < b.y0; });
        build(tree, box, lo, mid, !by_x);
        build(tree, box, mid, hi, !by_x);
    }
    tree[me].skip = int(tree.size());
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 1024);
    Lcg g(3);
    const int n = 8192 * opt.scale, boxes = 2048;
    std::vector<Window> box(boxes), win(n);
    for (auto &b : box) { float x = g.uni() * 100, y = g.uni() * 100; b = {x, y, x + 0.2f + 2 * g.uni(), y + 0.2f + 2 * g.uni()}; }
    for (auto &w : win) { float x = g.uni() * 100, y = g.uni() * 100, s = g.uni(); s = 0.2f + 24 * s * s * s; w = {x, y, x + s, y + s * (0.3f + g.uni())}; }
    std::vector<Node> tree;
    build(tree, box, 0, boxes, true);
    Dev<Node> dt(tree);
    Dev<Window> dw(win);
    Dev<int> out(n);
    opt.bench([&] { count_overlaps<<<(n + 127) / 128, 128>>>(dt.p, int(tree.size()), dw.p, n, out.p); });
    std::vector<int> want;
    if (!opt.big)
        for (auto &w : win) { int c = 0; for (auto &b : box) c += b.x0 <= w.x1 && b.x1 >= w.x0 && b.y0 <= w.y1 && b.y1 >= w.y0; want.push_back(c); }
    return report(out.host(), want);
}
