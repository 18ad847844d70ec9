/*
 * MUMmerGPU: exact matches of reads in a reference, by its suffix tree. See README.md.
 *
 * The tree is built one suffix after the other, each from the root: as many steps as suffixes have bases in common,
 * which are few in DNA. Then it is laid out for the kernel, by levels.
 */
#include "dna.h"

enum { BLOCK = 256, MINIMUM = 20 };

static const struct {
    uint32_t bases, reads, read_bases;
    struct dna_mix mix;
} sizes[] = {
    [WORK_TEST] = {500, 300, 22, {.one_in = 2, .changed_one_in = 32}},
    [WORK_SMALL] = {20000, 30720, 25, {.one_in = 261}},
    [WORK_PAPER] = {20000, 50000, 25, {.one_in = 261}},
};

/* ---- the tree ---- */

struct node {
    uint32_t place;    /* the path from the root to here stands there in the reference */
    uint32_t depth;    /* bases on that path; the edge to here has those that its parent's path lacks */
    uint32_t parent;   /* the root's is the root */
    uint32_t link;     /* the node whose path is this one's without its first base; 0 for leaves */
    uint32_t child[4]; /* by base; 0: none */
};

struct tree {
    const struct dna *reference;
    struct node *node; /* 0 is the root */
    uint32_t count;
};

static int base_number(char base)
{
    switch (base) {
    case 'A':
        return 0;
    case 'C':
        return 1;
    case 'G':
        return 2;
    case 'T':
        return 3;
    default:
        return -1; /* the '$' after the reference */
    }
}

static uint32_t *child_at(struct tree *t, uint32_t parent, char base)
{
    return &t->node[parent].child[base_number(base)];
}

static uint32_t add_node(struct tree *t, uint32_t parent, uint32_t place, uint32_t depth)
{
    t->node[t->count] = (struct node){.place = place, .depth = depth, .parent = parent};
    *child_at(t, parent, t->reference->text[place + t->node[parent].depth]) = t->count;
    return t->count++;
}

/* Puts a node on the edge to `below`. */
static uint32_t split_edge(struct tree *t, uint32_t below, uint32_t depth)
{
    struct node *b = &t->node[below];
    uint32_t middle = add_node(t, b->parent, b->place, depth);
    *child_at(t, middle, t->reference->text[b->place + depth]) = below;
    b->parent = middle;
    return middle;
}

/* Returns the node where the suffix ends: its leaf, or if all its bases stand elsewhere too, the node after the last.
 * Longer suffixes are in the tree already and no shorter ones, so that this one reaches its '$' first. */
static uint32_t add_suffix(struct tree *t, uint32_t place)
{
    const char *text = t->reference->text, *suffix = text + place;
    uint32_t at = 0, matched = 0;
    while (suffix[matched] != '$') {
        uint32_t below = *child_at(t, at, suffix[matched]);
        if (!below)
            return add_node(t, at, place, t->reference->bases + 1 - place);
        const char *other = text + t->node[below].place;
        while (matched < t->node[below].depth && suffix[matched] == other[matched])
            matched++;
        at = matched < t->node[below].depth ? split_edge(t, below, matched) : below;
    }
    return at;
}

/* A node's link is on the way to the end of the next suffix. */
static void link_nodes(struct tree *t, const uint32_t *end_of_suffix)
{
    for (uint32_t i = 1; i < t->count; i++) {
        struct node *n = &t->node[i];
        if (n->place + n->depth > t->reference->bases)
            continue; /* a leaf */
        n->link = n->place + 1 < t->reference->bases ? end_of_suffix[n->place + 1] : 0;
        while (t->node[n->link].depth > n->depth - 1)
            n->link = t->node[n->link].parent;
    }
}

static struct tree make_tree(struct work *w, const struct dna *reference)
{
    struct tree t = {.reference = reference, .count = 1};
    t.node = work_buffer(w, 2 * (size_t)reference->bases, sizeof *t.node);
    uint32_t *end_of_suffix = work_buffer(w, reference->bases, sizeof *end_of_suffix);
    for (uint32_t place = 0; place < reference->bases; place++)
        end_of_suffix[place] = add_suffix(&t, place);
    link_nodes(&t, end_of_suffix);
    return t;
}

/* ---- the kernel's tree ---- */

/* A texel of `nodes` in kernels.cu. */
struct kernel_node {
    uint32_t begin, end, link, above;
};

/* A texel of `children`. */
struct children {
    uint32_t by_base[4];
};

enum { NO_NODE, ROOT }; /* numbers in the kernel's tree */

struct layout {
    struct kernel_node *nodes;
    struct children *children;
    uint32_t count;
};

/* By levels from number ROOT on, so that the nodes near the root, which every read passes, are near each other. */
static struct layout lay_out(struct work *w, const struct tree *t)
{
    uint32_t count = t->count + ROOT;
    struct layout l = {work_buffer(w, count, sizeof *l.nodes), work_buffer(w, count, sizeof *l.children), count};
    uint32_t *old_number = work_buffer(w, count, sizeof *old_number);
    uint32_t *new_number = work_buffer(w, t->count, sizeof *new_number);
    new_number[0] = ROOT;
    for (uint32_t i = ROOT, seen = ROOT + 1; i < seen; i++)
        for (int base = 0; base < 4; base++) {
            uint32_t child = t->node[old_number[i]].child[base];
            if (!child)
                continue;
            l.children[i].by_base[base] = seen;
            new_number[child] = seen;
            old_number[seen++] = child;
        }
    for (uint32_t i = ROOT; i < count; i++) {
        const struct node *n = &t->node[old_number[i]];
        uint32_t above = t->node[n->parent].depth;
        l.nodes[i] = (struct kernel_node){n->place + above, n->place + n->depth, new_number[n->link], above};
    }
    l.nodes[ROOT].link = NO_NODE;
    return l;
}

/* ---- the run ---- */

struct match {
    uint32_t node, on_edge; /* bases that match on the edge to the node; 0: all */
};

static struct match *run_kernel(struct work *w, const struct dna *reference, const struct dna_reads *reads,
                                const struct layout *tree)
{
    uint32_t text_bytes = reads->offset[reads->count], count = reads->count;
    int32_t minimum = MINIMUM;
    size_t match_bytes = text_bytes * sizeof(struct match), node_bytes = tree->count * sizeof *tree->nodes,
           children_bytes = tree->count * sizeof *tree->children;
    CUtexObject nodes = work_texture(w, work_upload(w, tree->nodes, node_bytes), node_bytes,
                                     CU_AD_FORMAT_UNSIGNED_INT32, 4),
                children = work_texture(w, work_upload(w, tree->children, children_bytes), children_bytes,
                                        CU_AD_FORMAT_UNSIGNED_INT32, 4),
                bases = work_texture(w, work_upload(w, reference->text, reference->bases + 1), reference->bases + 1,
                                     CU_AD_FORMAT_SIGNED_INT8, 1);
    CUdeviceptr d_reads = work_upload(w, reads->text, text_bytes);
    CUdeviceptr d_offset = work_upload(w, reads->offset, ((size_t)count + 1) * sizeof *reads->offset);
    CUdeviceptr d_matches = work_alloc(w, match_bytes);
    void *arguments[] = {&nodes, &children, &bases, &d_reads, &d_offset, &count, &minimum, &d_matches};
    work_launch(w, "match", (struct work_shape){.x = (count + BLOCK - 1) / BLOCK}, (struct work_shape){.x = BLOCK}, 0,
                arguments);
    struct match *matches = work_buffer(w, text_bytes, sizeof *matches);
    work_read(w, matches, d_matches, match_bytes);
    return matches;
}

static uint32_t length_of(const struct match *m, const struct layout *tree)
{
    const struct kernel_node *n = &tree->nodes[m->node < tree->count ? m->node : NO_NODE];
    return n->above + (m->on_edge ? m->on_edge : n->end - n->begin);
}

/* The match must end on the edge to its node, and stand where the node's path does. */
static bool is_at_node(const struct match *m, const struct layout *tree, const struct dna *reference, const char *read)
{
    if (m->node >= tree->count)
        return false;
    const struct kernel_node *n = &tree->nodes[m->node];
    return m->on_edge <= n->end - n->begin &&
           dna_common(reference->text + n->begin - n->above, read) >= length_of(m, tree);
}

static void run(struct work *w, enum work_size size)
{
    struct dna reference = dna_make(w, sizes[size].bases);
    struct dna_reads reads = dna_make_reads(w, &reference, sizes[size].reads, sizes[size].read_bases, sizes[size].mix);
    struct tree tree = make_tree(w, &reference);
    struct layout layout = lay_out(w, &tree);
    struct match *matches = run_kernel(w, &reference, &reads, &layout);

    uint32_t places = reads.offset[reads.count], found = 0, misplaced = 0;
    uint32_t *lengths = work_buffer(w, places, sizeof *lengths);
    for (uint32_t i = 0; i < places; i++) {
        if (matches[i].node == NO_NODE)
            continue;
        lengths[i] = length_of(&matches[i], &layout);
        found++;
        misplaced += !is_at_node(&matches[i], &layout, &reference, reads.text + i);
    }
    work_check(w, !misplaced, "%u of %u matches are not at the node they name", misplaced, found);
    work_compare_u32(w, "lengths of matches", lengths, dna_match_lengths(w, &reference, &reads, MINIMUM), places);
    work_say(w, "%u reads of %u bases, %u matches in %u bases, a tree of %u nodes", reads.count, sizes[size].read_bases,
             found, reference.bases, tree.count);
}

const struct workload workload = {.name = "mum", .run = run};
