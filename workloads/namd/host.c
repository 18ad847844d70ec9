/* Nonbonded forces in a box of water, patch by patch; verified against all pairs of atoms in double precision. */
#include "work.h"

#include <math.h>

enum { THREADS = 64, ENTRIES = 4096, EXCLUSION_WORDS = 4, ATOMS_OF_WATER = 3 };

struct atom {
    float x, y, z, charge; /* as in kernels.cu, up to struct patch */
};

struct kind {
    float root_epsilon, half_sigma;
    int32_t index;
    uint16_t exclusions, farthest_excl;
};

struct patch_pair {
    float shift[3];
    int32_t first, atoms, forces, others_first, others;
};

struct patch {
    int32_t first, atoms, first_list, lists;
};

struct vector {
    float x, y, z;
};

struct problem {
    int patches[3];     /* a direction with three or more is periodic, one with fewer is open */
    float side, cutoff; /* of a patch; in angstroms */
    int steps;          /* the first with electrostatics of long range */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.patches = {2, 1, 1}, .side = 9, .cutoff = 6.75f, .steps = 2},
    [WORK_SMALL] = {.patches = {3, 3, 3}, .side = 9, .cutoff = 6.75f, .steps = 1},
    [WORK_PAPER] = {.patches = {3, 3, 3}, .side = 16, .cutoff = 12, .steps = 1},
};

/* Water: the TIP3P model as in the CHARMM force field; kcal/mol, angstroms, elementary charges. */
static const double spacing = 3.1, jitter = 0.2, bond = 0.9572, angle = 1.82422;
static const double coulomb = 332.0636;
static const float charge_of[] = {-0.834f, 0.417f, 0.417f}, epsilon_of[] = {0.1521f, 0.046f, 0.046f},
                   sigma_of[] = {3.15066f, 0.40001f, 0.40001f};

struct water {
    const struct problem *problem;
    int atom_count, patch_count, pair_count, force_count;
    struct atom *atoms;
    struct kind *kinds;
    struct patch *patches;
    struct patch_pair *pairs;
};

struct force {
    double x, y, z, w, all; /* w: the sum of force times distance; all: the sum of the pairs' forces without signs */
};

/* ---- the box ---- */

static void set_unit(struct work *w, double v[3])
{
    double height = 2 * work_random_unit(w) - 1, turn = 6.283185307179586 * work_random_unit(w);
    double radius = sqrt(1 - height * height);
    v[0] = radius * cos(turn);
    v[1] = radius * sin(turn);
    v[2] = height;
}

/* One oxygen and two hydrogens in a random direction, the atoms number 3 * number and the two after it. */
static void place_molecule(struct work *w, struct water *b, const double oxygen[3], int number)
{
    double u[3], v[3], dot;
    set_unit(w, u);
    do {
        set_unit(w, v);
        dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    } while (fabs(dot) > 0.9);
    for (int k = 0; k < ATOMS_OF_WATER; k++, b->atom_count++) {
        double at[3];
        for (int d = 0; d < 3; d++) {
            double across = (v[d] - dot * u[d]) / sqrt(1 - dot * dot);
            at[d] = oxygen[d] + (k == 1 ? bond * u[d] : k == 2 ? bond * (cos(angle) * u[d] + sin(angle) * across) : 0);
        }
        b->atoms[b->atom_count] = (struct atom){(float)at[0], (float)at[1], (float)at[2], charge_of[k]};
        b->kinds[b->atom_count] = (struct kind){.root_epsilon = sqrtf(epsilon_of[k]),
                                                .half_sigma = sigma_of[k] / 2,
                                                .index = ATOMS_OF_WATER * number + k,
                                                .exclusions = (uint16_t)(32 * k + 16),
                                                .farthest_excl = k == 1 ? 1 : 2};
    }
}

/* Oxygens stand near the points of a lattice. A molecule belongs to the patch of its oxygen. */
static void fill_patches(struct work *w, struct water *b)
{
    const struct problem *p = b->problem;
    int points[3], all = 1;
    for (int d = 0; d < 3; d++)
        all *= points[d] = (int)lround(p->patches[d] * p->side / spacing);
    double(*oxygens)[3] = work_buffer(w, (size_t)all, sizeof *oxygens);
    for (int i = 0; i < all; i++) {
        int point[3] = {i % points[0], i / points[0] % points[1], i / points[0] / points[1]};
        for (int d = 0; d < 3; d++)
            oxygens[i][d] =
                (point[d] + 0.5 + 2 * jitter * (work_random_unit(w) - 0.5f)) * (p->patches[d] * p->side / points[d]);
    }
    b->patch_count = p->patches[0] * p->patches[1] * p->patches[2];
    b->atoms = work_buffer(w, (size_t)all * ATOMS_OF_WATER, sizeof *b->atoms);
    b->kinds = work_buffer(w, (size_t)all * ATOMS_OF_WATER, sizeof *b->kinds);
    b->patches = work_buffer(w, (size_t)b->patch_count, sizeof *b->patches);
    for (int n = 0; n < b->patch_count; n++) {
        b->patches[n].first = b->atom_count;
        for (int i = 0; i < all; i++) {
            int at[3];
            for (int d = 0; d < 3; d++)
                at[d] = (int)(oxygens[i][d] / p->side);
            if ((at[2] * p->patches[1] + at[1]) * p->patches[0] + at[0] == n)
                place_molecule(w, b, oxygens[i], i);
        }
        b->patches[n].atoms = b->atom_count - b->patches[n].first;
    }
}

/* The patch at `step` from patch `n`, and by how many boxes patch n must shift to be beside it. False: none. */
static bool find_neighbour(const struct problem *p, int n, const int step[3], int *other, float shift[3])
{
    int at[3] = {n % p->patches[0], n / p->patches[0] % p->patches[1], n / p->patches[0] / p->patches[1]};
    for (int d = 0; d < 3; d++) {
        at[d] += step[d];
        shift[d] = at[d] < 0 ? 1 : at[d] >= p->patches[d] ? -1 : 0;
        if (shift[d] != 0 && p->patches[d] < 3)
            return false;
        at[d] += (int)shift[d] * p->patches[d];
    }
    *other = (at[2] * p->patches[1] + at[1]) * p->patches[0] + at[0];
    return true;
}

static void pair_patches(struct work *w, struct water *b)
{
    b->pairs = work_buffer(w, (size_t)b->patch_count * 27, sizeof *b->pairs);
    for (int n = 0; n < b->patch_count; n++) {
        struct patch *mine = &b->patches[n];
        mine->first_list = b->force_count;
        for (int i = 0; i < 27; i++) {
            int step[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}, other;
            struct patch_pair pair = {.first = mine->first, .atoms = mine->atoms, .forces = b->force_count};
            if (!find_neighbour(b->problem, n, step, &other, pair.shift))
                continue;
            pair.others_first = b->patches[other].first;
            pair.others = b->patches[other].atoms;
            b->pairs[b->pair_count++] = pair;
            b->force_count += mine->atoms;
            mine->lists++;
        }
    }
}

/* ---- the potentials: minus the derivative of each over the distance, divided by the distance ---- */

struct terms {
    double fast, sixth, twelfth, slow;
};

/* Lennard-Jones is switched off smoothly between three quarters of the cutoff and the cutoff. Electrostatics are
 * shifted so that energy and force end at the cutoff; the long-range step adds the rest of what Ewald's method sums
 * over pairs. The slopes are taken by central differences: the derivative of r -> f(r) by r^2 is half of f'(r) / r. */
static double switched(double s, double power, double cutoff)
{
    double c = cutoff * cutoff, begin = c * 0.5625, factor = 1;
    if (s > begin)
        factor = s < c ? (c - s) * (c - s) * (c + 2 * s - 3 * begin) / pow(c - begin, 3) : 0;
    return factor * pow(s, power);
}

static double shifted(double s, double cutoff)
{
    double part = s / (cutoff * cutoff);
    return part < 1 ? (1 - part) * (1 - part) / sqrt(s) : 0;
}

static double ewald(double s, double cutoff)
{
    return erfc(3.12 / cutoff * sqrt(s)) / sqrt(s);
}

static struct terms terms_at(double distance, double cutoff)
{
    double s = distance * distance, h = s * 1e-5, a = s - h, b = s + h;
    struct terms t;
    t.fast = coulomb * (shifted(b, cutoff) - shifted(a, cutoff)) / h;
    t.sixth = -4 * (switched(b, -3, cutoff) - switched(a, -3, cutoff)) / h;
    t.twelfth = 4 * (switched(b, -6, cutoff) - switched(a, -6, cutoff)) / h;
    t.slow = coulomb * (ewald(b, cutoff) - ewald(a, cutoff)) / h - t.fast;
    return t;
}

/* Entry i is for the distance ENTRIES / i. */
static float *make_table(struct work *w, double cutoff)
{
    float *table = work_buffer(w, ENTRIES, 4 * sizeof *table);
    for (int i = 1; i < ENTRIES; i++) {
        struct terms t = terms_at((double)ENTRIES / i, cutoff);
        const double values[] = {t.fast, t.sixth, t.twelfth, t.slow};
        for (int k = 0; k < 4; k++)
            table[4 * i + k] = (float)values[k];
    }
    return table;
}

/* ---- on the CPU: each pair of atoms once, at the nearest image ---- */

static void add_force(struct force *f, const double d[3], double squared, double factor, double sign, double scale)
{
    f->x += sign * d[0] * factor;
    f->y += sign * d[1] * factor;
    f->z += sign * d[2] * factor;
    f->w += squared * factor;
    f->all += scale;
}

static void force_on_cpu(const struct water *b, struct force *fast, struct force *slow)
{
    const struct problem *p = b->problem;
    double farthest = (double)p->cutoff * p->cutoff, nearest = (double)ENTRIES / (ENTRIES - 1);
    for (int i = 0; i < b->atom_count; i++)
        for (int j = i + 1; j < b->atom_count; j++) {
            const struct atom *x = &b->atoms[i], *y = &b->atoms[j];
            double d[3] = {(double)y->x - x->x, (double)y->y - x->y, (double)y->z - x->z};
            for (int k = 0; k < 3; k++)
                if (p->patches[k] >= 3) {
                    double box = (double)p->patches[k] * p->side;
                    d[k] += d[k] > box / 2 ? -box : d[k] < -box / 2 ? box : 0;
                }
            double s = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            const struct kind *u = &b->kinds[i], *v = &b->kinds[j];
            if (s >= farthest || u->index / ATOMS_OF_WATER == v->index / ATOMS_OF_WATER)
                continue;
            struct terms t = terms_at(fmax(sqrt(s), nearest), p->cutoff);
            double sigma = pow((double)u->half_sigma + v->half_sigma, 6), charges = (double)x->charge * y->charge;
            double jones = sigma * (sigma * t.twelfth + t.sixth) * u->root_epsilon * v->root_epsilon;
            double near = jones + charges * t.fast, far = charges * t.slow;
            /* Terms of opposite signs may cancel, but not their errors. */
            double scale =
                sqrt(s) * (sigma * (fabs(sigma * t.twelfth) + fabs(t.sixth)) * u->root_epsilon * v->root_epsilon +
                           fabs(charges * t.fast));
            add_force(&fast[i], d, s, near, 1, scale);
            add_force(&fast[j], d, s, near, -1, scale);
            add_force(&slow[i], d, s, far, 1, sqrt(s) * fabs(far));
            add_force(&slow[j], d, s, far, -1, sqrt(s) * fabs(far));
        }
}

/* Between entries of the table the kernel takes a straight line. Near a cutoff of 12, where 1 / distance is entry 341,
 * the line is off by (8 * 7 / 8) / 341^2 = 6e-5 of the steepest term that counts there; for near pairs, which are most
 * of a sum, by less. Rounding to floats is a hundred times smaller. 1e-4 of the sum of all pairs' forces covers both,
 * and one missing partner among the hundreds of an atom changes the sum by more. */
static void compare(struct work *w, const struct water *b, const char *what, const float *got, const struct force *want)
{
    const double share = 1e-4;
    for (int i = 0; i < b->atom_count; i++) {
        const float *f = got + 4 * i;
        double most = share * want[i].all;
        if (fabs(f[0] - want[i].x) <= most && fabs(f[1] - want[i].y) <= most && fabs(f[2] - want[i].z) <= most &&
            fabs(f[3] - want[i].w) <= most * b->problem->cutoff)
            continue; /* a NaN is not */
        work_check(w, false, "%s on atom %d: (%g, %g, %g), %g instead of (%g, %g, %g), %g", what, i, (double)f[0],
                   (double)f[1], (double)f[2], (double)f[3], want[i].x, want[i].y, want[i].z, want[i].w);
        return;
    }
}

/* ---- on the device ---- */

struct device {
    CUdeviceptr pairs, atoms, kinds, patches, buffer, slow_buffer, sums, slow_sums;
    CUtexObject table;
};

static void step(struct work *w, const struct water *b, struct device *d, bool has_slow)
{
    const struct problem *p = b->problem;
    struct vector lattice[3] = {{.x = (float)p->patches[0] * p->side},
                                {.y = (float)p->patches[1] * p->side},
                                {.z = (float)p->patches[2] * p->side}};
    float cutoff_squared = p->cutoff * p->cutoff;
    CUdeviceptr slow_buffer = has_slow ? d->slow_buffer : 0;
    work_launch(w, "nonbonded", (struct work_shape){.x = (unsigned)b->pair_count}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&d->pairs, &d->atoms, &d->kinds, &d->buffer, &slow_buffer, &lattice[0], &lattice[1],
                           &lattice[2], &cutoff_squared, &d->table});
    work_launch(w, "sum_forces", (struct work_shape){.x = (unsigned)b->patch_count}, (struct work_shape){.x = THREADS},
                0, (void *[]){&d->patches, &d->buffer, &d->sums});
    if (has_slow)
        work_launch(w, "sum_forces", (struct work_shape){.x = (unsigned)b->patch_count},
                    (struct work_shape){.x = THREADS}, 0, (void *[]){&d->patches, &d->slow_buffer, &d->slow_sums});
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct water b = {.problem = p};
    fill_patches(w, &b);
    pair_patches(w, &b);
    /* Bits of the exclusions of oxygen, first and second hydrogen: each molecule's own atoms, the atom itself too. */
    const uint32_t exclusions[EXCLUSION_WORDS] = {7u << 16, 7u << 15, 7u << 14};
    work_write(w, work_symbol(w, "exclusions", sizeof exclusions), exclusions, sizeof exclusions);
    size_t atoms = (size_t)b.atom_count, vectors = atoms * 4 * sizeof(float);
    size_t table_bytes = (size_t)ENTRIES * 4 * sizeof(float), buffer = (size_t)b.force_count * 4 * sizeof(float);
    struct device d = {.pairs = work_upload(w, b.pairs, (size_t)b.pair_count * sizeof *b.pairs),
                       .atoms = work_upload(w, b.atoms, atoms * sizeof *b.atoms),
                       .kinds = work_upload(w, b.kinds, atoms * sizeof *b.kinds),
                       .patches = work_upload(w, b.patches, (size_t)b.patch_count * sizeof *b.patches),
                       .buffer = work_alloc(w, buffer),
                       .slow_buffer = work_alloc(w, buffer),
                       .sums = work_alloc(w, vectors),
                       .slow_sums = work_alloc(w, vectors)};
    d.table =
        work_texture(w, work_upload(w, make_table(w, p->cutoff), table_bytes), table_bytes, CU_AD_FORMAT_FLOAT, 4);
    struct force *fast = work_buffer(w, atoms, sizeof *fast), *slow = work_buffer(w, atoms, sizeof *slow);
    force_on_cpu(&b, fast, slow);
    float *got = work_buffer(w, atoms, 4 * sizeof *got);
    for (int i = 0; i < p->steps; i++) {
        step(w, &b, &d, i == 0);
        work_read(w, got, d.sums, vectors);
        compare(w, &b, "force", got, fast);
        if (i == 0) {
            work_read(w, got, d.slow_sums, vectors);
            compare(w, &b, "long-range force", got, slow);
        }
    }
    work_say(w, "%d atoms, %d patches, %d pairs of patches, %d steps", b.atom_count, b.patch_count, b.pair_count,
             p->steps);
}

const struct workload workload = {.name = "namd", .run = run};
