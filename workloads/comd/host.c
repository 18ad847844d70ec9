/* A step of molecular dynamics of copper with link cells; each part of the step is verified by itself, the forces
 * against all pairs of atoms in double precision. */
#include "work.h"

#include <math.h>
#include <string.h>

enum { THREADS = 128, CELL_ATOMS = 64, NEIGHBOURS = 27, ATOMS_OF_UNIT = 4 };

struct vectors {
    CUdeviceptr x, y, z; /* as in kernels.cu, up to struct potential */
};

struct list {
    int32_t atoms;
    CUdeviceptr place, cell;
};

struct potential {
    float sigma, epsilon, cutoff;
};

static const int units_of[] = {[WORK_TEST] = 4, [WORK_SMALL] = 18, [WORK_PAPER] = 20}; /* unit cells per direction */

/* CoMD's copper: angstroms, electronvolts, femtoseconds. At 600 K an atom is about 0.1 from its place in the lattice,
 * and a component of its velocity is about 0.0028. */
static const struct potential copper = {.sigma = 2.315f, .epsilon = 0.167f, .cutoff = 2.315f * 2.5f};
static const double lattice = 3.615, mass = 63.55 * 103.6427, time_step = 1, displacement = 0.2, speed = 0.005;

struct crystal {
    int units, atoms, across, cells, all_cells; /* cells per direction; local cells; these and halo cells */
    double box, cell_side;
    float (*positions)[3], (*velocities)[3], (*forces)[3], *energies; /* by atom */
    int *cell_of, *place_of;                                          /* of each atom */
    int *atoms_of, *neighbours;                                       /* of each cell */
    float *by_place; /* one value per place of every cell, to send and fetch */
};

struct device {
    struct vectors positions, velocities, forces;
    CUdeviceptr energies, atoms_of, neighbours;
    struct list list;
};

/* ---- the crystal and its cells ---- */

static struct crystal grow(struct work *w, int units)
{
    static const double corners[ATOMS_OF_UNIT][3] = {
        {0.25, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.75}, {0.75, 0.75, 0.25}};
    struct crystal c = {.units = units, .atoms = ATOMS_OF_UNIT * units * units * units, .box = units * lattice};
    c.across = (int)(c.box / copper.cutoff);
    c.cell_side = c.box / c.across;
    c.cells = c.across * c.across * c.across;
    c.all_cells = (c.across + 2) * (c.across + 2) * (c.across + 2);
    size_t atoms = (size_t)c.atoms, all_cells = (size_t)c.all_cells;
    c.positions = work_buffer(w, atoms, sizeof *c.positions);
    c.velocities = work_buffer(w, atoms, sizeof *c.velocities);
    c.forces = work_buffer(w, atoms, sizeof *c.forces);
    c.energies = work_buffer(w, atoms, sizeof *c.energies);
    c.cell_of = work_buffer(w, atoms, sizeof *c.cell_of);
    c.place_of = work_buffer(w, atoms, sizeof *c.place_of);
    c.atoms_of = work_buffer(w, all_cells, sizeof *c.atoms_of);
    c.neighbours = work_buffer(w, (size_t)c.cells * NEIGHBOURS, sizeof *c.neighbours);
    c.by_place = work_buffer(w, all_cells * CELL_ATOMS, sizeof *c.by_place);
    for (int i = 0; i < c.atoms; i++) {
        int unit = i / ATOMS_OF_UNIT, at[3] = {unit % units, unit / units % units, unit / units / units};
        for (int d = 0; d < 3; d++) {
            double off = displacement * (2 * work_random_unit(w) - 1);
            c.positions[i][d] = (float)((at[d] + corners[i % ATOMS_OF_UNIT][d]) * lattice + off);
            c.velocities[i][d] = (float)(speed * (2 * work_random_unit(w) - 1));
        }
    }
    return c;
}

/* The number of the cell at a place whose coordinates go from -1 to `across`, the two ends being halo cells. Local
 * cells are numbered first. */
static int *number_cells(struct work *w, const struct crystal *c)
{
    int side = c->across + 2, local = 0, halo = c->cells;
    int *number = work_buffer(w, (size_t)c->all_cells, sizeof *number);
    for (int i = 0; i < c->all_cells; i++) {
        int x = i % side, y = i / side % side, z = i / side / side;
        bool is_local = x > 0 && x <= c->across && y > 0 && y <= c->across && z > 0 && z <= c->across;
        number[i] = is_local ? local++ : halo++;
    }
    return number;
}

/* The cell itself comes first. */
static void find_neighbours(struct crystal *c, const int *number)
{
    int side = c->across + 2;
    for (int i = 0; i < c->all_cells; i++) {
        if (number[i] >= c->cells)
            continue;
        int *to = c->neighbours + number[i] * NEIGHBOURS;
        *to++ = number[i];
        for (int n = 0; n < NEIGHBOURS; n++)
            if (n != NEIGHBOURS / 2)
                *to++ = number[i + (n / 9 - 1) * side * side + (n / 3 % 3 - 1) * side + n % 3 - 1];
    }
}

/* Puts every atom into its cell, after it has come back into the box if it had left. */
static void fill_cells(struct work *w, struct crystal *c, const int *number)
{
    int side = c->across + 2;
    memset(c->atoms_of, 0, (size_t)c->all_cells * sizeof *c->atoms_of);
    for (int i = 0; i < c->atoms; i++) {
        int at[3];
        for (int d = 0; d < 3; d++) {
            float *x = &c->positions[i][d], box = (float)c->box;
            *x += *x < 0 ? box : *x >= box ? -box : 0;
            at[d] = (int)(*x / c->cell_side);
            at[d] = at[d] < 0 ? 0 : at[d] >= c->across ? c->across - 1 : at[d];
        }
        c->cell_of[i] = number[((at[2] + 1) * side + at[1] + 1) * side + at[0] + 1];
        c->place_of[i] = c->atoms_of[c->cell_of[i]]++;
        work_check(w, c->place_of[i] < CELL_ATOMS, "a cell has more than %d atoms", CELL_ATOMS);
    }
}

/* Copies the counts of local cells to their images; `d` < 3: also one coordinate of the atoms, shifted by the box. */
static void fill_halo(struct crystal *c, const int *number, int d)
{
    int side = c->across + 2;
    for (int i = 0; i < c->all_cells; i++) {
        int at[3] = {i % side - 1, i / side % side - 1, i / side / side - 1}, from[3];
        float shift[3];
        for (int k = 0; k < 3; k++) {
            from[k] = (at[k] + c->across) % c->across;
            shift[k] = (float)((at[k] - from[k]) / c->across * c->box);
        }
        int cell = number[((from[2] + 1) * side + from[1] + 1) * side + from[0] + 1];
        c->atoms_of[number[i]] = c->atoms_of[cell];
        if (cell != number[i] && d < 3)
            for (int k = 0; k < c->atoms_of[cell]; k++)
                c->by_place[number[i] * CELL_ATOMS + k] = c->by_place[cell * CELL_ATOMS + k] + shift[d];
    }
}

/* ---- between atoms and places ---- */

static size_t place_bytes(const struct crystal *c)
{
    return (size_t)c->all_cells * CELL_ATOMS * sizeof *c->by_place;
}

/* Halo cells get shifted copies if `number` is not NULL. */
static void send(struct work *w, struct crystal *c, const struct vectors *to, float (*from)[3], const int *number)
{
    const CUdeviceptr at[] = {to->x, to->y, to->z};
    for (int d = 0; d < 3; d++) {
        memset(c->by_place, 0, place_bytes(c));
        for (int i = 0; i < c->atoms; i++)
            c->by_place[c->cell_of[i] * CELL_ATOMS + c->place_of[i]] = from[i][d];
        if (number)
            fill_halo(c, number, d);
        work_write(w, at[d], c->by_place, place_bytes(c));
    }
}

static void fetch_one(struct work *w, struct crystal *c, CUdeviceptr from, float *to, size_t stride)
{
    work_read(w, c->by_place, from, place_bytes(c));
    for (int i = 0; i < c->atoms; i++)
        to[(size_t)i * stride] = c->by_place[c->cell_of[i] * CELL_ATOMS + c->place_of[i]];
}

static void fetch(struct work *w, struct crystal *c, const struct vectors *from, float (*to)[3])
{
    fetch_one(w, c, from->x, &to[0][0], 3);
    fetch_one(w, c, from->y, &to[0][1], 3);
    fetch_one(w, c, from->z, &to[0][2], 3);
}

static struct vectors vectors_of(struct work *w, const struct crystal *c)
{
    size_t bytes = place_bytes(c);
    return (struct vectors){work_alloc(w, bytes), work_alloc(w, bytes), work_alloc(w, bytes)};
}

static struct device prepare(struct work *w, const struct crystal *c)
{
    size_t atoms = (size_t)c->atoms;
    return (struct device){
        .positions = vectors_of(w, c),
        .velocities = vectors_of(w, c),
        .forces = vectors_of(w, c),
        .energies = work_alloc(w, place_bytes(c)),
        .atoms_of = work_alloc(w, (size_t)c->all_cells * sizeof *c->atoms_of),
        .neighbours = work_upload(w, c->neighbours, (size_t)c->cells * NEIGHBOURS * sizeof *c->neighbours),
        .list = {c->atoms, work_alloc(w, atoms * sizeof *c->place_of), work_alloc(w, atoms * sizeof *c->cell_of)}};
}

/* Atoms are listed cell by cell, as the cells hold them. */
static void send_cells(struct work *w, const struct crystal *c, const struct device *d)
{
    size_t bytes = (size_t)c->atoms * sizeof(int);
    int *place = work_buffer(w, (size_t)c->atoms, sizeof *place),
        *cell = work_buffer(w, (size_t)c->atoms, sizeof *cell);
    for (int i = 0, k = 0; i < c->cells; i++)
        for (int j = 0; j < c->atoms_of[i]; j++, k++) {
            place[k] = j;
            cell[k] = i;
        }
    work_write(w, d->list.place, place, bytes);
    work_write(w, d->list.cell, cell, bytes);
    work_write(w, d->atoms_of, c->atoms_of, (size_t)c->all_cells * sizeof *c->atoms_of);
}

/* ---- on the CPU ---- */

struct reference {
    double (*forces)[3], *energies;
    double *forces_without_signs, *doubt; /* doubt: what pairs so near the cutoff that rounding decides add */
};

/* Where the atoms of a row of unit cells are, which follow each other: in each direction within `half` of `middle`. */
struct row {
    double middle[3], half[3];
};

static struct row *find_rows(struct work *w, const struct crystal *c, int of_row)
{
    struct row *row = work_buffer(w, (size_t)(c->atoms / of_row), sizeof *row);
    for (int i = 0; i < c->atoms; i += of_row)
        for (int k = 0; k < 3; k++) {
            double low = c->positions[i][k], high = low;
            for (int j = i; j < i + of_row; j++) {
                low = c->positions[j][k] < low ? c->positions[j][k] : low;
                high = c->positions[j][k] > high ? c->positions[j][k] : high;
            }
            row[i / of_row].middle[k] = (low + high) / 2;
            row[i / of_row].half[k] = (high - low) / 2;
        }
    return row;
}

/* Whether the square of the distance of `at` to the nearest image of every atom of the row is above `square`. */
static bool is_row_beyond(const struct crystal *c, const struct row *row, const float at[3], double square)
{
    double s = 0;
    for (int k = 0; k < 3; k++) {
        double d = fabs(at[k] - row->middle[k]);
        d = (d < c->box - d ? d : c->box - d) - row->half[k];
        s += d > 0 ? d * d : 0;
    }
    return s > square;
}

struct lennard_jones {
    double cutoff2, sigma2, shift, farthest; /* farthest: beyond the cutoff by more than rounding */
};

/* A pair counts for both atoms. */
static inline void add_pair(const struct crystal *c, const struct lennard_jones *l, struct reference *r, int i, int j)
{
    double d[3] = {0}, s = 0;
    for (int k = 0; k < 3 && s <= l->farthest; k++) { /* mostly the first component is too long already */
        d[k] = (double)c->positions[i][k] - c->positions[j][k];
        d[k] += d[k] > c->box / 2 ? -c->box : d[k] < -c->box / 2 ? c->box : 0;
        s += d[k] * d[k];
    }
    if (s > l->farthest)
        return;
    double sixth = pow(l->sigma2 / s, 3), energy = 2 * copper.epsilon * (sixth * (sixth - 1) - l->shift);
    double factor = 24 * copper.epsilon * sixth * (2 * sixth - 1) / s, size = fabs(factor) * sqrt(s);
    if (s > l->cutoff2 * (1 - 1e-5)) {
        r->doubt[i] += size;
        r->doubt[j] += size;
    }
    if (s > l->cutoff2)
        return;
    for (int k = 0; k < 3; k++) {
        r->forces[i][k] += factor * d[k];
        r->forces[j][k] -= factor * d[k];
    }
    r->energies[i] += energy;
    r->energies[j] += energy;
    r->forces_without_signs[i] += size;
    r->forces_without_signs[j] += size;
}

/* All pairs, each once and at its nearest image. A row that is beyond the cutoff is left out as a whole; the 1e-9 is for
 * the rounding of that. */
static struct reference force_on_cpu(struct work *w, const struct crystal *c)
{
    size_t atoms = (size_t)c->atoms;
    struct reference r = {work_buffer(w, atoms, sizeof *r.forces), work_buffer(w, atoms, sizeof *r.energies),
                          work_buffer(w, atoms, sizeof(double)), work_buffer(w, atoms, sizeof(double))};
    struct lennard_jones l = {.cutoff2 = (double)copper.cutoff * copper.cutoff,
                              .sigma2 = (double)copper.sigma * copper.sigma};
    double end = pow(l.sigma2 / l.cutoff2, 3);
    l.shift = end * (end - 1);
    l.farthest = l.cutoff2 * (1 + 1e-5);
    int of_row = ATOMS_OF_UNIT * c->units;
    const struct row *row = find_rows(w, c, of_row);
    for (int i = 0; i < c->atoms; i++)
        for (int first = i / of_row * of_row; first < c->atoms; first += of_row)
            if (!is_row_beyond(c, &row[first / of_row], c->positions[i], l.farthest * (1 + 1e-9)))
                for (int j = first > i ? first : i + 1; j < first + of_row; j++)
                    add_pair(c, &l, &r, i, j);
    return r;
}

/* Distances come from positions of up to 72 angstroms with 24 bits, so they are off by 8e-6, of the nearest partner's
 * 2.3 by 4e-6; the force falls with the 13th power: 5e-5. Energies, which are off by
 * the forces times 8e-6, stay within the same number. */
static void compare_forces(struct work *w, const struct crystal *c, const struct reference *r)
{
    for (int i = 0; i < c->atoms; i++) {
        double most = 5e-5 * r->forces_without_signs[i] + r->doubt[i];
        bool is_right = fabs(c->energies[i] - r->energies[i]) <= most; /* a NaN is not */
        for (int d = 0; d < 3; d++)
            is_right = is_right && fabs(c->forces[i][d] - r->forces[i][d]) <= most;
        if (is_right)
            continue;
        work_check(w, false, "force on atom %d: (%g, %g, %g), energy %g, instead of (%g, %g, %g), %g", i,
                   (double)c->forces[i][0], (double)c->forces[i][1], (double)c->forces[i][2], (double)c->energies[i],
                   r->forces[i][0], r->forces[i][1], r->forces[i][2], r->energies[i]);
        return;
    }
}

/* after = before + time * rate, of every component; the sum's one rounding and the product's are far below 1e-6. */
static void compare_advance(struct work *w, const struct crystal *c, const char *what, float (*before)[3],
                            float (*rate)[3], double time, float (*after)[3])
{
    size_t count = (size_t)c->atoms * 3;
    float *want = work_buffer(w, count, sizeof *want);
    for (size_t i = 0; i < count; i++)
        want[i] = (float)((double)before[i / 3][i % 3] + time * (double)rate[i / 3][i % 3]);
    work_compare_f32(w, what, &after[0][0], want, count, 1e-6f, 1e-9f);
}

/* ---- a step ---- */

static void launch(struct work *w, const char *kernel, int atoms, void **arguments)
{
    work_launch(w, kernel, (struct work_shape){.x = (unsigned)(atoms + THREADS - 1) / THREADS},
                (struct work_shape){.x = THREADS}, 0, arguments);
}

static void advance_velocity(struct work *w, struct crystal *c, struct device *d)
{
    float time_per_mass = (float)(time_step / 2 / mass);
    float(*before)[3] = work_buffer(w, (size_t)c->atoms, sizeof *before);
    memcpy(before, c->velocities, (size_t)c->atoms * sizeof *before);
    launch(w, "advance_velocity", c->atoms, (void *[]){&d->list, &d->velocities, &d->forces, &time_per_mass});
    fetch(w, c, &d->velocities, c->velocities);
    compare_advance(w, c, "velocities", before, c->forces, (double)time_per_mass, c->velocities);
}

static void advance_position(struct work *w, struct crystal *c, struct device *d)
{
    float time = (float)time_step;
    float(*before)[3] = work_buffer(w, (size_t)c->atoms, sizeof *before);
    memcpy(before, c->positions, (size_t)c->atoms * sizeof *before);
    launch(w, "advance_position", c->atoms, (void *[]){&d->list, &d->positions, &d->velocities, &time});
    fetch(w, c, &d->positions, c->positions);
    compare_advance(w, c, "positions", before, c->velocities, time_step, c->positions);
}

/* Half a step for the velocities, a step for the positions, atoms go to their new cells, forces, the other half. */
static void run(struct work *w, enum work_size size)
{
    struct crystal c = grow(w, units_of[size]);
    int *number = number_cells(w, &c);
    find_neighbours(&c, number);
    fill_cells(w, &c, number);
    struct reference before = force_on_cpu(w, &c);
    for (int i = 0; i < 3 * c.atoms; i++)
        c.forces[i / 3][i % 3] = (float)before.forces[i / 3][i % 3];
    struct device d = prepare(w, &c);
    send_cells(w, &c, &d);
    send(w, &c, &d.positions, c.positions, NULL);
    send(w, &c, &d.velocities, c.velocities, NULL);
    send(w, &c, &d.forces, c.forces, NULL);
    advance_velocity(w, &c, &d);
    advance_position(w, &c, &d);

    fill_cells(w, &c, number);
    fill_halo(&c, number, 3);
    send_cells(w, &c, &d);
    send(w, &c, &d.positions, c.positions, number);
    send(w, &c, &d.velocities, c.velocities, NULL);
    struct potential p = copper;
    launch(w, "force", c.atoms,
           (void *[]){&d.list, &d.positions, &d.forces, &d.energies, &d.atoms_of, &d.neighbours, &p});
    fetch(w, &c, &d.forces, c.forces);
    fetch_one(w, &c, d.energies, c.energies, 1);
    struct reference after = force_on_cpu(w, &c);
    compare_forces(w, &c, &after);
    advance_velocity(w, &c, &d);
    work_say(w, "%d atoms in %dx%dx%d cells", c.atoms, c.across, c.across, c.across);
}

const struct workload workload = {.name = "comd", .run = run};
