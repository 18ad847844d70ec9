/*
 * Scenes of triangles for the programs that trace rays: their shapes, the tree of boxes that the kernels walk, and a
 * reference that knows no tree.
 *
 * The reference intersects a ray with every triangle in double precision. Kernels compute in single precision, so
 * rounding may decide a ray that passes an edge very closely, or two surfaces at nearly the same distance. The
 * reference says of each of its answers whether it is sure: whether the answer stays the same however rounding has
 * moved the ray. How far that may be is part of the ray.
 */
#ifndef HEDDLE_WORKLOADS_MESH_H
#define HEDDLE_WORKLOADS_MESH_H

#include "work.h"

enum { MESH_LEAF = 4 }; /* triangles of a leaf at most */

struct mesh_vec {
    float x, y, z;
};

struct mesh_triangle {
    struct mesh_vec corner[3];
    uint32_t material;
};

struct mesh {
    struct mesh_triangle *triangle;
    uint32_t count, capacity;
};

struct mesh_vec mesh_vec(float x, float y, float z);
struct mesh_vec mesh_add(struct mesh_vec a, struct mesh_vec b);
struct mesh_vec mesh_scale(struct mesh_vec a, float s);
struct mesh_vec mesh_unit(struct mesh_vec a);

/* ---- shapes; a mesh that is full makes the run wrong ---- */

struct mesh mesh_make(struct work *w, uint32_t capacity);
/* The parallelogram at `corner` with sides u and v, in n x n pieces of two triangles each. */
void mesh_sheet(struct work *w, struct mesh *m, struct mesh_vec corner, struct mesh_vec u, struct mesh_vec v, int n,
                uint32_t material);
/* A box that stands upright on `corner`; its sides in x and z are `along` and the vector across it, of equal length. */
void mesh_box(struct work *w, struct mesh *m, struct mesh_vec corner, struct mesh_vec along, float height,
              uint32_t material);
/* A ball of flat facets: an octahedron, each of its faces in n x n triangles whose corners are moved to the sphere. */
void mesh_ball(struct work *w, struct mesh *m, struct mesh_vec centre, float radius, int n, uint32_t material);

/* ---- the tree ---- */

/* As the kernels have it. `count` is 0 in an inner node, whose children are nodes `first` and `first` + 1; a leaf has
 * the `count` triangles from `first` on. Node 0 is the root. */
struct mesh_node {
    struct mesh_vec low;
    uint32_t first;
    struct mesh_vec high;
    uint32_t count;
};

/* Three rows of four numbers, as the kernels have them: a corner, and the sides from it to the two others; in the last
 * place of the first row the bits of the material's number. */
struct mesh_rows {
    struct mesh_vec corner;
    uint32_t material;
    struct mesh_vec side1;
    float unused1;
    struct mesh_vec side2;
    float unused2;
};

struct mesh_tree {
    struct mesh_node *node;
    struct mesh_rows *rows; /* of the triangles, in the order of the leaves */
    uint32_t nodes, depth;  /* depth: of the deepest leaf, the root's being 0 */
};

/* By the surface area heuristic over all places of a split. The mesh's triangles are put in the order of the leaves, so
 * that triangles have the same numbers for the kernel and for the reference. */
struct mesh_tree mesh_build(struct work *w, struct mesh *m);

/* ---- the reference ---- */

struct mesh_point {
    double x, y, z;
};

struct mesh_point mesh_point(struct mesh_vec a);
struct mesh_point mesh_go(struct mesh_point from, double s, struct mesh_point way);
double mesh_dot(struct mesh_point a, struct mesh_point b);
struct mesh_point mesh_unit_point(struct mesh_point a);

struct mesh_ray {
    struct mesh_point from, way; /* way: of length 1 */
    double most;                 /* distance: what is behind does not count */
    /* By rounding, at most: how far `from` is moved along the surface that it is on, whose normal is `flat`; how far it
     * is moved from that surface; the angle by which `way` is turned. */
    double moved, lifted, turned;
    struct mesh_point flat; /* zero: `moved` is in any direction */
    double aimed;           /* 0, or the distance of a point that the ray is aimed at, however its beginning is moved */
};

struct mesh_hit {
    double distance;
    struct mesh_point normal; /* of length 1, on the side from which the ray comes */
    int32_t triangle;         /* -1: none */
    bool is_sure;
    double moved; /* by rounding, at most: the point that is hit, along its triangle */
};

struct mesh_reference; /* what of each triangle is computed once */

struct mesh_reference *mesh_prepare(struct work *w, const struct mesh *m);
/* The closest triangle. */
struct mesh_hit mesh_closest(const struct mesh_reference *r, const struct mesh_ray *ray);
/* Whether any triangle is in the ray's way; *is_sure becomes false if rounding may decide that. */
bool mesh_is_hidden(const struct mesh_reference *r, const struct mesh_ray *ray, bool *is_sure);

#endif
