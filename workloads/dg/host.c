/* Waves in a box with conducting walls; verified against the same method in double precision, and against the waves
 * that such a box has. */
#include "work.h"

#include <math.h>
#include <string.h>

enum { ORDER = 6, NODES = 84, FACE_NODES = 28, FACES = 4, FIELDS = 6, STRIDE = 96, SURFACE_NODES = FACES * FACE_NODES };
enum { STAGES = 5, RUNGE_KUTTA_THREADS = 256 };

struct problem {
    int side;   /* of the box, in cubes, each of which is cut into six tetrahedra */
    int stages; /* in all; five make a step */
    double most_error;
};

/* The error is that of the polynomials in the fields' change, which is 8 at most. */
static const struct problem problem_of[] = {
    [WORK_TEST] = {.side = 1, .stages = 2, .most_error = 0.3},
    [WORK_SMALL] = {.side = 4, .stages = 1, .most_error = 1e-3},
    [WORK_PAPER] = {.side = 3, .stages = 10, .most_error = 3e-3},
};

static const double pi = 3.141592653589793, start = 0.1;

/* Carpenter and Kennedy's scheme of fourth order. */
static const double stage_a[STAGES] = {0, -567301805773.0 / 1357537059087.0, -2404267990393.0 / 2016746695238.0,
                                       -3550918686646.0 / 2091501179385.0, -1275806237668.0 / 842570457699.0};
static const double stage_b[STAGES] = {1432997174477.0 / 9575080441755.0, 5161836677717.0 / 13612068292357.0,
                                       1720146321549.0 / 2090206949498.0, 3134564353537.0 / 4481467310338.0,
                                       2277821191437.0 / 14882151754819.0};

/* The reference tetrahedron has its corners at 0 and at 1 on each axis. Faces lie at t = 0, s = 0, r + s + t = 1 and
 * r = 0. */
struct reference {
    double node[NODES][3];
    int on_face[FACES][FACE_NODES];
    double derivative[3][NODES][NODES]; /* along r, s, t: at a node, from the values at all */
    double lift[NODES][SURFACE_NODES];  /* what a node gets from what flows in at a node of a face */
};

struct face {
    double normal[3], scale; /* scale: half of the gradient of the face's coordinate */
    bool is_wall;
};

struct element {
    double corner[4][3], node[NODES][3], factor[3][3]; /* factor[i][j]: derivative of coordinate i along axis j */
    struct face face[FACES];
    int outside_element[FACES], outside_node[FACES][FACE_NODES];
};

typedef double state[FIELDS][NODES]; /* H, then E, of one element */

struct mesh {
    struct reference *reference;
    int count;
    struct element *elements;
    double seconds; /* of a step */
};

/* ---- the reference tetrahedron ---- */

/* Solves A X = B, both of `n` rows, B of `columns`; X replaces B. In long double: the matrices of monomials are bad. */
static void solve(int n, long double *a, int columns, long double *b)
{
    for (int i = 0; i < n; i++) {
        int pivot = i;
        for (int k = i + 1; k < n; k++)
            if (fabsl(a[k * n + i]) > fabsl(a[pivot * n + i]))
                pivot = k;
        for (int j = 0; j < n; j++) {
            long double swap = a[i * n + j];
            a[i * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        for (int j = 0; j < columns; j++) {
            long double swap = b[i * columns + j];
            b[i * columns + j] = b[pivot * columns + j];
            b[pivot * columns + j] = swap;
        }
        for (int k = 0; k < n; k++) {
            long double factor = a[k * n + i] / a[i * n + i];
            if (k == i || factor == 0)
                continue;
            for (int j = i; j < n; j++)
                a[k * n + j] -= factor * a[i * n + j];
            for (int j = 0; j < columns; j++)
                b[k * columns + j] -= factor * b[i * columns + j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++)
            b[i * columns + j] /= a[i * n + i];
}

/* The exponents of all monomials up to ORDER in three variables, or in the first two; returns how many they are. They
 * are the nodes' coordinates, too, in sixths. */
static int list_exponents(int variables, int (*exponent)[3])
{
    int count = 0;
    for (int k = 0; k <= (variables == 3 ? ORDER : 0); k++)
        for (int j = 0; j + k <= ORDER; j++)
            for (int i = 0; i + j + k <= ORDER; i++, count++) {
                exponent[count][0] = i;
                exponent[count][1] = j;
                exponent[count][2] = k;
            }
    return count;
}

/* A monomial at a point, or its derivative along an axis (0 to 2; -1: itself). */
static long double monomial(const int *exponent, const double *at, int axis)
{
    long double value = 1;
    for (int i = 0; i < 3; i++) {
        int power = exponent[i] - (i == axis);
        if (i == axis)
            value *= exponent[i];
        for (; power > 0; power--)
            value *= (long double)at[i];
    }
    return value;
}

/* The integral of the product of two monomials over the triangle or tetrahedron. */
static long double integrate(int variables, const int *a, const int *b)
{
    long double value = 1;
    int sum = variables;
    for (int i = 0; i < variables; i++) {
        value *= tgammal(a[i] + b[i] + 1);
        sum += a[i] + b[i];
    }
    return value / tgammal(sum + 1);
}

static void find_derivatives(struct work *w, struct reference *r, int (*exponent)[3])
{
    for (int axis = 0; axis < 3; axis++) {
        long double *v = work_buffer(w, NODES * NODES, sizeof *v), *d = work_buffer(w, NODES * NODES, sizeof *d);
        for (int i = 0; i < NODES; i++)
            for (int n = 0; n < NODES; n++) {
                v[i * NODES + n] = monomial(exponent[i], r->node[n], -1);
                d[i * NODES + n] = monomial(exponent[i], r->node[n], axis);
            }
        solve(NODES, v, NODES, d);
        for (int n = 0; n < NODES; n++)
            for (int m = 0; m < NODES; m++)
                r->derivative[axis][n][m] = (double)d[m * NODES + n];
    }
}

/* The mass matrix of a face's nodes, whose coordinates in the face are two of the three. */
static void find_face_mass(struct work *w, const struct reference *r, int face, long double *mass)
{
    static const int coordinates[FACES][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 2}};
    int exponent[FACE_NODES][3];
    list_exponents(2, exponent);
    long double *v = work_buffer(w, FACE_NODES * FACE_NODES, sizeof *v),
                *again = work_buffer(w, FACE_NODES * FACE_NODES, sizeof *v),
                *half = work_buffer(w, FACE_NODES * FACE_NODES, sizeof *v);
    for (int i = 0; i < FACE_NODES; i++)
        for (int m = 0; m < FACE_NODES; m++) {
            const double *node = r->node[r->on_face[face][m]];
            double at[3] = {node[coordinates[face][0]], node[coordinates[face][1]], 0};
            v[i * FACE_NODES + m] = again[i * FACE_NODES + m] = monomial(exponent[i], at, -1);
            half[i * FACE_NODES + m] = integrate(2, exponent[i], exponent[m]);
        }
    solve(FACE_NODES, v, FACE_NODES, half);
    for (int i = 0; i < FACE_NODES; i++)
        for (int m = 0; m < FACE_NODES; m++)
            mass[i * FACE_NODES + m] = half[m * FACE_NODES + i];
    solve(FACE_NODES, again, FACE_NODES, mass);
}

/* The inverse of the tetrahedron's mass matrix, times the faces'. */
static void find_lift(struct work *w, struct reference *r, int (*exponent)[3])
{
    long double *gram = work_buffer(w, NODES * NODES, sizeof *gram),
                *inverse = work_buffer(w, NODES * NODES, sizeof *gram), *v = work_buffer(w, NODES * NODES, sizeof *v),
                *mass = work_buffer(w, FACE_NODES * FACE_NODES, sizeof *mass);
    for (int i = 0; i < NODES; i++)
        for (int n = 0; n < NODES; n++) {
            gram[i * NODES + n] = integrate(3, exponent[i], exponent[n]);
            v[i * NODES + n] = inverse[i * NODES + n] = monomial(exponent[i], r->node[n], -1);
        }
    solve(NODES, gram, NODES, inverse);
    for (int n = 0; n < NODES; n++)
        for (int k = 0; k < NODES; k++) {
            long double sum = 0;
            for (int i = 0; i < NODES; i++)
                sum += v[i * NODES + n] * inverse[i * NODES + k];
            gram[n * NODES + k] = sum;
        }
    for (int f = 0; f < FACES; f++) {
        find_face_mass(w, r, f, mass);
        for (int n = 0; n < NODES; n++)
            for (int m = 0; m < FACE_NODES; m++) {
                long double sum = 0;
                for (int k = 0; k < FACE_NODES; k++)
                    sum += gram[n * NODES + r->on_face[f][k]] * mass[k * FACE_NODES + m];
                r->lift[n][f * FACE_NODES + m] = (double)sum;
            }
    }
}

static struct reference *make_reference(struct work *w)
{
    struct reference *r = work_buffer(w, 1, sizeof *r);
    int exponent[NODES][3], filled[FACES] = {0};
    list_exponents(3, exponent);
    for (int n = 0; n < NODES; n++) {
        const int *e = exponent[n];
        const bool is_on[FACES] = {e[2] == 0, e[1] == 0, e[0] + e[1] + e[2] == ORDER, e[0] == 0};
        for (int i = 0; i < 3; i++)
            r->node[n][i] = (double)e[i] / ORDER;
        for (int f = 0; f < FACES; f++)
            if (is_on[f])
                r->on_face[f][filled[f]++] = n;
    }
    find_derivatives(w, r, exponent);
    find_lift(w, r, exponent);
    return r;
}

/* ---- the mesh ---- */

static void cross(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Nodes, the derivatives of the coordinates, and the faces, from the corners. Returns the height of the lowest corner
 * above the face that it is not on. */
static double shape_element(const struct reference *r, struct element *e)
{
    double edge[3][3], lowest = INFINITY;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            edge[i][j] = e->corner[i + 1][j] - e->corner[0][j];
    for (int n = 0; n < NODES; n++)
        for (int j = 0; j < 3; j++)
            e->node[n][j] =
                e->corner[0][j] + r->node[n][0] * edge[0][j] + r->node[n][1] * edge[1][j] + r->node[n][2] * edge[2][j];
    double normal[3];
    cross(edge[0], edge[1], normal);
    double volume = dot(normal, edge[2]);
    for (int i = 0; i < 3; i++) {
        cross(edge[(i + 1) % 3], edge[(i + 2) % 3], e->factor[i]);
        for (int j = 0; j < 3; j++)
            e->factor[i][j] /= volume;
    }
    for (int f = 0; f < FACES; f++) {
        double gradient[3];
        for (int j = 0; j < 3; j++)
            gradient[j] = f == 0   ? -e->factor[2][j]
                          : f == 1 ? -e->factor[1][j]
                          : f == 3 ? -e->factor[0][j]
                                   : e->factor[0][j] + e->factor[1][j] + e->factor[2][j];
        double length = sqrt(dot(gradient, gradient));
        e->face[f].scale = length / 2;
        for (int j = 0; j < 3; j++)
            e->face[f].normal[j] = gradient[j] / length;
        lowest = fmin(lowest, 1 / length);
    }
    return lowest;
}

static bool is_same(const double *a, const double *b)
{
    return fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]) < 1e-9;
}

/* Finds the face of another element that lies on this one: their centres are the same, and then nodes are paired. */
static void connect(struct mesh *mesh, int k, int f)
{
    const struct reference *r = mesh->reference;
    struct element *e = &mesh->elements[k];
    e->outside_element[f] = k;
    e->face[f].is_wall = true;
    memcpy(e->outside_node[f], r->on_face[f], sizeof e->outside_node[f]);
    for (int other = 0; other < mesh->count; other++) {
        const struct element *o = &mesh->elements[other];
        int pairs = 0, pair[FACE_NODES];
        for (int m = 0; m < FACE_NODES && other != k && pairs == m; m++)
            for (int n = 0; n < NODES; n++)
                if (is_same(e->node[r->on_face[f][m]], o->node[n]))
                    pair[pairs++] = n;
        if (pairs == FACE_NODES) {
            e->outside_element[f] = other;
            e->face[f].is_wall = false;
            memcpy(e->outside_node[f], pair, sizeof pair);
            return;
        }
    }
}

/* The unit cube in side^3 cubes. A cube's six tetrahedra are the six ways from one corner to the opposite one along its
 * edges. */
static struct mesh make_mesh(struct work *w, int side)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    struct mesh mesh = {.reference = make_reference(w), .count = 6 * side * side * side};
    mesh.elements = work_buffer(w, (size_t)mesh.count, sizeof *mesh.elements);
    double lowest = INFINITY;
    for (int k = 0; k < mesh.count; k++) {
        struct element *e = &mesh.elements[k];
        const int at[3] = {k / 6 % side, k / 6 / side % side, k / 6 / side / side};
        const int *axes = order[k % 6];
        int corner[4][3];
        for (int i = 0; i < 4; i++) {
            memcpy(corner[i], i ? corner[i - 1] : at, sizeof corner[i]);
            if (i)
                corner[i][axes[i - 1]]++;
        }
        for (int i = 0; i < 4; i++) {
            int from = k % 6 < 3 || i == 0 || i == 3 ? i : 3 - i; /* the odd ways are left-handed */
            for (int j = 0; j < 3; j++)
                e->corner[i][j] = (double)corner[from][j] / side;
        }
        lowest = fmin(lowest, shape_element(mesh.reference, e));
    }
    for (int k = 0; k < mesh.count; k++)
        for (int f = 0; f < FACES; f++)
            connect(&mesh, k, f);
    mesh.seconds = lowest / ((ORDER + 1) * (ORDER + 1));
    return mesh;
}

/* ---- the waves ---- */

/* A standing wave along each of the three axes, and its change in time: fields that a box with conducting walls has. */
static void find_wave(const double *at, double time, double *field, double *change)
{
    double omega = pi * sqrt(2);
    for (int i = 0; i < FIELDS; i++)
        field[i] = change[i] = 0;
    for (int z = 0; z < 3; z++) {
        int x = (z + 1) % 3, y = (z + 2) % 3;
        double e = sin(pi * at[x]) * sin(pi * at[y]), h_x = -pi / omega * sin(pi * at[x]) * cos(pi * at[y]),
               h_y = pi / omega * cos(pi * at[x]) * sin(pi * at[y]);
        field[3 + z] += e * cos(omega * time);
        field[x] += h_x * sin(omega * time);
        field[y] += h_y * sin(omega * time);
        change[3 + z] -= e * omega * sin(omega * time);
        change[x] += h_x * omega * cos(omega * time);
        change[y] += h_y * omega * cos(omega * time);
    }
}

/* The change within an element: H by minus the curl of E, E by the curl of H. */
static void differentiate(const struct reference *r, const struct element *e, state q, state change)
{
    for (int n = 0; n < NODES; n++) {
        double gradient[FIELDS][3] = {{0}};
        for (int i = 0; i < FIELDS; i++)
            for (int c = 0; c < 3; c++) {
                double slope = 0;
                for (int m = NODES - 1; m >= 0; m--)
                    slope += r->derivative[c][n][m] * q[i][m];
                for (int j = 0; j < 3; j++)
                    gradient[i][j] += e->factor[c][j] * slope;
            }
        for (int i = 0; i < 3; i++) {
            int a = (i + 1) % 3, b = (i + 2) % 3;
            change[i][n] = gradient[3 + a][b] - gradient[3 + b][a];
            change[3 + i][n] = gradient[b][a] - gradient[a][b];
        }
    }
}

/* What flows in through a face: the jumps of E and H turned by the normal, and the jumps' parts along the face. */
static void flow_in(const struct mesh *mesh, state *all, int k, int f, state change)
{
    const struct reference *r = mesh->reference;
    const struct element *e = &mesh->elements[k];
    const struct face *face = &e->face[f];
    for (int m = 0; m < FACE_NODES; m++) {
        double jump[FIELDS], turned_h[3], turned_e[3];
        for (int i = 0; i < FIELDS; i++) {
            double outside = all[e->outside_element[f]][i][e->outside_node[f][m]];
            jump[i] = (i >= 3 && face->is_wall ? -outside : outside) - all[k][i][r->on_face[f][m]];
        }
        cross(face->normal, jump + 3, turned_e);
        cross(face->normal, jump, turned_h);
        for (int j = 0; j < 3; j++) {
            double h = jump[j] - dot(face->normal, jump) * face->normal[j] - turned_e[j];
            double e_flux = jump[3 + j] - dot(face->normal, jump + 3) * face->normal[j] + turned_h[j];
            for (int n = 0; n < NODES; n++) {
                change[j][n] += r->lift[n][f * FACE_NODES + m] * face->scale * h;
                change[3 + j][n] += r->lift[n][f * FACE_NODES + m] * face->scale * e_flux;
            }
        }
    }
}

static void do_stage(const struct mesh *mesh, int stage, state *q, state *residual, state *change)
{
    for (int k = 0; k < mesh->count; k++) {
        differentiate(mesh->reference, &mesh->elements[k], q[k], change[k]);
        for (int f = 0; f < FACES; f++)
            flow_in(mesh, q, k, f, change[k]);
    }
    for (int k = 0; k < mesh->count; k++)
        for (int i = 0; i < FIELDS; i++)
            for (int n = 0; n < NODES; n++) {
                residual[k][i][n] = stage_a[stage] * residual[k][i][n] + mesh->seconds * change[k][i][n];
                q[k][i][n] += stage_b[stage] * residual[k][i][n];
            }
}

/* ---- the device ---- */

struct device {
    CUdeviceptr fields, residual, change;
    CUtexObject field_texture, matrices, geometry, faces, lift;
    int total;
};

static CUtexObject upload_texture(struct work *w, const float *data, size_t count, unsigned channels)
{
    return work_texture(w, work_upload(w, data, count * sizeof *data), count * sizeof *data, CU_AD_FORMAT_FLOAT,
                        channels);
}

static void upload_reference(struct work *w, const struct reference *r, struct device *d)
{
    float *matrices = work_buffer(w, (size_t)NODES * STRIDE * 4, sizeof *matrices),
          *lift = work_buffer(w, (size_t)NODES * SURFACE_NODES, sizeof *lift);
    for (int n = 0; n < NODES; n++) {
        for (int m = 0; m < NODES; m++)
            for (int c = 0; c < 3; c++)
                matrices[4 * (n + m * STRIDE) + c] = (float)r->derivative[c][n][m];
        for (int m = 0; m < SURFACE_NODES; m++)
            lift[4 * (m / 4 * NODES + n) + m % 4] = (float)r->lift[n][m];
    }
    d->matrices = upload_texture(w, matrices, (size_t)NODES * STRIDE * 4, 4);
    d->lift = upload_texture(w, lift, (size_t)NODES * SURFACE_NODES, 4);
}

static struct device upload_mesh(struct work *w, const struct mesh *mesh, state *q)
{
    struct device d = {.total = mesh->count * FIELDS * STRIDE};
    size_t count = (size_t)mesh->count, total = (size_t)d.total;
    float *geometry = work_buffer(w, count * 12, sizeof *geometry),
          *faces = work_buffer(w, count * 7 * SURFACE_NODES, sizeof *faces),
          *fields = work_buffer(w, total, sizeof *fields);
    for (int k = 0; k < mesh->count; k++) {
        const struct element *e = &mesh->elements[k];
        for (int i = 0; i < 12; i++)
            geometry[12 * k + i] = i % 4 < 3 ? (float)e->factor[i / 4][i % 4] : 0;
        for (int i = 0; i < FIELDS * NODES; i++)
            fields[(k * FIELDS + i / NODES) * STRIDE + i % NODES] = (float)q[k][i / NODES][i % NODES];
        for (int m = 0; m < SURFACE_NODES; m++) {
            int f = m / FACE_NODES, i = m % FACE_NODES;
            const struct face *face = &e->face[f];
            const double column[7] = {k * FIELDS * STRIDE + mesh->reference->on_face[f][i],
                                      e->outside_element[f] * FIELDS * STRIDE + e->outside_node[f][i],
                                      face->scale,
                                      face->is_wall ? -1 : 1,
                                      face->normal[0],
                                      face->normal[1],
                                      face->normal[2]};
            for (int c = 0; c < 7; c++)
                faces[(7 * k + c) * SURFACE_NODES + m] = (float)column[c];
        }
    }
    upload_reference(w, mesh->reference, &d);
    d.geometry = upload_texture(w, geometry, count * 12, 1);
    d.faces = upload_texture(w, faces, count * 7 * SURFACE_NODES, 1);
    d.fields = work_upload(w, fields, total * sizeof *fields);
    d.field_texture = work_texture(w, d.fields, total * sizeof *fields, CU_AD_FORMAT_FLOAT, 1);
    d.residual = work_alloc(w, total * sizeof *fields);
    d.change = work_alloc(w, total * sizeof *fields);
    return d;
}

static void launch_stage(struct work *w, const struct mesh *mesh, struct device *d, int stage)
{
    struct work_shape elements = {.x = (unsigned)mesh->count};
    float a = (float)stage_a[stage], b = (float)stage_b[stage], seconds = (float)mesh->seconds;
    work_launch(w, "volume", elements, (struct work_shape){.x = NODES}, 0,
                (void *[]){&d->change, &d->field_texture, &d->matrices, &d->geometry});
    work_launch(w, "surface", elements, (struct work_shape){.x = SURFACE_NODES}, 0,
                (void *[]){&d->change, &d->field_texture, &d->faces, &d->lift});
    work_launch(w, "runge_kutta",
                (struct work_shape){.x = (unsigned)((d->total + RUNGE_KUTTA_THREADS - 1) / RUNGE_KUTTA_THREADS)},
                (struct work_shape){.x = RUNGE_KUTTA_THREADS}, 0,
                (void *[]){&d->total, &d->residual, &d->change, &d->fields, &a, &b, &seconds});
}

/* Between the nodes of two fields the device keeps room, which stays 0. */
static void compare(struct work *w, const struct mesh *mesh, const char *what, CUdeviceptr device, state *want,
                    float tolerance)
{
    size_t total = (size_t)mesh->count * FIELDS * STRIDE;
    float *got = work_buffer(w, total, sizeof *got), *all = work_buffer(w, total, sizeof *all);
    work_read(w, got, device, total * sizeof *got);
    for (size_t i = 0; i < total; i++)
        if (i % STRIDE < NODES)
            all[i] = (float)want[i / STRIDE / FIELDS][i / STRIDE % FIELDS][i % STRIDE];
    work_compare_f32(w, what, got, all, total, 0, tolerance);
}

static void fill_with_wave(const struct mesh *mesh, state *q)
{
    for (int k = 0; k < mesh->count; k++)
        for (int n = 0; n < NODES; n++) {
            double field[FIELDS], change[FIELDS];
            find_wave(mesh->elements[k].node[n], start, field, change);
            for (int i = 0; i < FIELDS; i++)
                q[k][i][n] = field[i];
        }
}

/* Whether the method on the CPU is right: how far the change of the fields is from that of the wave. */
static void check_method(struct work *w, const struct mesh *mesh, double most_error)
{
    size_t count = (size_t)mesh->count;
    state *q = work_buffer(w, count, sizeof *q), *residual = work_buffer(w, count, sizeof *q),
          *change = work_buffer(w, count, sizeof *q);
    double error = 0;
    fill_with_wave(mesh, q);
    do_stage(mesh, 0, q, residual, change);
    for (int k = 0; k < mesh->count; k++)
        for (int n = 0; n < NODES; n++) {
            double field[FIELDS], true_change[FIELDS];
            find_wave(mesh->elements[k].node[n], start, field, true_change);
            for (int i = 0; i < FIELDS; i++)
                error = fmax(error, fabs(change[k][i][n] - true_change[i]));
        }
    work_check(w, error < most_error, "the wave changes by %g more or less than it should", error);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct mesh mesh = make_mesh(w, p->side);
    size_t count = (size_t)mesh.count;
    state *q = work_buffer(w, count, sizeof *q), *residual = work_buffer(w, count, sizeof *q),
          *change = work_buffer(w, count, sizeof *q);
    check_method(w, &mesh, p->most_error);
    /* The wave has no jumps between elements, and nothing would flow across faces: with noise on it, there are. */
    fill_with_wave(&mesh, q);
    for (size_t i = 0; i < count * FIELDS * NODES; i++)
        q[i / FIELDS / NODES][i / NODES % FIELDS][i % NODES] += (work_random_unit(w) - 0.5) / 4;
    struct device d = upload_mesh(w, &mesh, q);
    for (int i = 0; i < p->stages; i++) {
        launch_stage(w, &mesh, &d, i % STAGES);
        do_stage(&mesh, i % STAGES, q, residual, change);
    }
    /* The absolute weights that make a change of the fields add up to some hundreds, so a change is off by some hundred
     * times 2^-24, with up to two roundings for each of 84 nodes. A stage adds a hundredth of a change to the
     * fields. */
    compare(w, &mesh, "changes", d.change, change, 0x1p-11f);
    compare(w, &mesh, "fields", d.fields, q, 0x1p-18f);
    work_say(w, "%d tetrahedra of order %d, %d stages", mesh.count, ORDER, p->stages);
}

const struct workload workload = {.name = "dg", .run = run};
