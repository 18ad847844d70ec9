// X rays through a body of voxels. A thread follows one X ray after the other: it is born at a point source, flies by
// Woodcock's method (steps as if all were the densest matter, and most events then turn out to be none), scatters by
// Compton or Rayleigh, and is absorbed or leaves the body, perhaps towards the detector.

#include "device.h"

enum { MATERIALS = 3, MOST_SHELLS = 30, RAYLEIGH_POINTS = 128, MOST_LINES = 64 };
enum { UNSCATTERED, COMPTON, RAYLEIGH, MULTIPLE };

struct vec {
    float x, y, z;
};

struct section { // per density, 1/cm / (g/cm3)
    float total, compton, rayleigh;
};

struct voxel {
    int material;
    float density; // g/cm3
};

struct shells { // of electrons, for Compton scattering
    int count[MATERIALS];
    float electrons[MOST_SHELLS * MATERIALS]; // [shell][material]
    float ionisation[MOST_SHELLS * MATERIALS]; // eV
    float profile[MOST_SHELLS * MATERIALS];
};

struct form_factors { // for Rayleigh scattering: a rational inverse of the cumulative distribution of x^2
    float square[MATERIALS * RAYLEIGH_POINTS], sum[MATERIALS * RAYLEIGH_POINTS];
    float a[MATERIALS * RAYLEIGH_POINTS], b[MATERIALS * RAYLEIGH_POINTS];
    unsigned char low[MATERIALS * RAYLEIGH_POINTS], high[MATERIALS * RAYLEIGH_POINTS]; // where to search
};

struct source {
    vec at;
    float lowest_cosine, cosine_range, lowest_angle, angle_range, most_slope;
};

struct detector {
    float distance, corner_x, corner_z, pixels_per_cm; // the plane y = distance
    int columns, rows;
};

struct body {
    int nx, ny, nz;
    vec size;          // cm
    float voxels_per_cm;
    float first_energy, bins_per_ev;
};

struct spectrum { // by Walker's aliases
    int lines;
    float energy[MOST_LINES + 1], cutoff[MOST_LINES];
    int alias[MOST_LINES];
};

struct tables {
    const voxel *voxels;
    const float2 *woodcock;     // [bin]: the mean free path in the densest matter is x + y * energy
    const section *base, *slope; // [bin][material]
    const float *most_sum;      // [bin][material]: of a form factor's distribution
    const form_factors *factors;
    const shells *compton;
    const source *from;
    const detector *to;
};

struct tallies {
    unsigned long long *image; // [scattering][row][column]; energies in units of 1 / ENERGY_SCALE eV
    unsigned long long *dose;  // [voxel]
    int2 *last_random;         // of each thread
    int2 *ends;                // X rays of each thread that were absorbed; that left the body
};

__constant__ body phantom;
__constant__ spectrum rays;

#define ENERGY_SCALE 100.0f
#define REST_ENERGY  510998.918f // of an electron, eV
#define PER_REST     (1.0f / 510998.918f)
#define HALF_ROOT    0.70710678f
#define ROOT         1.41421356f
#define EDGE         0.000015f // cm: nothing happens nearer to the body's surface than this

// L'Ecuyer's combination of two generators, in (0, 1].
static __device__ __forceinline__ int random_word(int2 &seed)
{
    int i1 = seed.x / 53668, i2 = seed.y / 52774;
    seed.x = 40014 * (seed.x - i1 * 53668) - i1 * 12211;
    seed.y = 40692 * (seed.y - i2 * 52774) - i2 * 3791;
    if (seed.x < 0)
        seed.x += 2147483563;
    if (seed.y < 0)
        seed.y += 2147483399;
    int word = seed.x - seed.y;
    if (word < 1)
        word += 2147483562;
    return word;
}

static __device__ __forceinline__ float random_unit(int2 &seed)
{
    return (float)random_word(seed) * 4.65661305739e-10f;
}

static __device__ __forceinline__ double random_double(int2 &seed)
{
    return (double)random_word(seed) * 4.6566130573917692e-10;
}

static __device__ __forceinline__ int energy_bin(float energy)
{
    return (int)floorf((energy - phantom.first_energy) * phantom.bins_per_ev);
}

// How far a ray from outside flies to the body's face in one dimension; 0 if it does not come nearer.
static __device__ __forceinline__ float to_face(float at, float direction, float size)
{
    if (direction > EDGE)
        return at > 0 ? 0 : EDGE - at / direction;
    if (direction < -EDGE)
        return at < size ? 0 : EDGE + (size - at) / direction;
    return -1e30f;
}

// Draws an X ray and moves it to the body's surface. Returns whether it meets the body.
static __device__ __forceinline__ bool bear(const source &s, vec &at, vec &u, float &energy, int2 &seed)
{
    float place = random_unit(seed) * rays.lines;
    int line = min((int)place, rays.lines - 1);
    if (place - line >= rays.cutoff[line])
        line = rays.alias[line];
    energy = rays.energy[line] + random_unit(seed) * (rays.energy[line + 1] - rays.energy[line]);
    do {
        u.z = s.lowest_cosine + random_unit(seed) * s.cosine_range;
        float angle = s.lowest_angle + random_unit(seed) * s.angle_range, flat = sqrtf(1 - u.z * u.z);
        u.x = flat * cosf(angle);
        u.y = flat * sinf(angle);
    } while (fabsf(u.z / (u.y + 1e-7f)) > s.most_slope);
    at = s.at;
    float far_y = to_face(at.y, u.y, phantom.size.y), far_x = to_face(at.x, u.x, phantom.size.x),
          far = to_face(at.z, u.z, phantom.size.z);
    if (far_y > far_x && far_y > far)
        far = far_y;
    else if (far_x > far)
        far = far_x;
    vec there = {at.x + far * u.x, at.y + far * u.y, at.z + far * u.z};
    if (there.x < 0 || there.x > phantom.size.x || there.y < 0 || there.y > phantom.size.y || there.z < 0 ||
        there.z > phantom.size.z)
        return false;
    at = there;
    return true;
}

// The voxel at a place, or -1 outside of the body.
static __device__ __forceinline__ int locate(vec at)
{
    if (at.y < EDGE || at.y > phantom.size.y - EDGE || at.x < EDGE || at.x > phantom.size.x - EDGE || at.z < EDGE ||
        at.z > phantom.size.z - EDGE)
        return -1;
    int x = (int)(at.x * phantom.voxels_per_cm), y = (int)(at.y * phantom.voxels_per_cm),
        z = (int)(at.z * phantom.voxels_per_cm);
    return x + (y + z * phantom.ny) * phantom.nx;
}

// Turns a direction by an angle, given its cosine, and then around by another.
static __device__ __forceinline__ void turn(vec &u, double cosine, double angle)
{
    double around_x = cos(angle), around_y = sin(angle);
    double flat = (double)u.x * u.x + (double)u.y * u.y, square = flat + (double)u.z * u.z;
    if (fabs(square - 1) > 1e-14) {
        double length = 1 / sqrt(square);
        u.x = length * u.x;
        u.y = length * u.y;
        u.z = length * u.z;
        flat = (double)u.x * u.x + (double)u.y * u.y;
    }
    if (flat > 1e-28) {
        double sine = sqrt((1 - cosine * cosine) / flat);
        float x = u.x;
        u.x = u.x * cosine + sine * (x * u.z * around_x - u.y * around_y);
        u.y = u.y * cosine + sine * (u.y * u.z * around_x + x * around_y);
        u.z = u.z * cosine - flat * sine * around_x;
    } else {
        double sine = sqrt(1 - cosine * cosine);
        u.y = sine * around_y;
        if (u.z > 0) {
            u.x = sine * around_x;
            u.z = cosine;
        } else {
            u.x = -sine * around_x;
            u.z = -cosine;
        }
    }
}

// The cosine of the angle of a Rayleigh event.
static __device__ __forceinline__ double scatter_rayleigh(float energy, int material, float most_sum,
                                                          const form_factors *f, int2 &seed)
{
    double most = energy * 8.065535669099010e-5, cosine;
    double most_square = fmin(most * most, (double)f->square[(material + 1) * RAYLEIGH_POINTS - 1]);
    if (most < 0.01) {
        do
            cosine = 1 - 2 * random_double(seed);
        while (random_double(seed) > (cosine * cosine + 1) / 2);
        return cosine;
    }
    int first = material * RAYLEIGH_POINTS;
    for (;;) {
        double sum = random_double(seed) * most_sum;
        int slot = (int)(sum * (RAYLEIGH_POINTS - 1)), low = f->low[first + slot], high = f->high[first + slot];
        while (high - low > 1) {
            int middle = (low + high) >> 1;
            if (sum > f->sum[first + middle])
                low = middle;
            else
                high = middle;
        }
        double above = sum - f->sum[first + low], square = f->square[first + low];
        if (above > 1e-16) {
            double d = f->sum[first + low + 1] - f->sum[first + low];
            float a = f->a[first + low], b = f->b[first + low];
            square += (a + 1.0f + b) * d * above / (d * d + (a * d + b * above) * above) *
                      (f->square[first + low + 1] - f->square[first + low]);
        }
        if (square < most_square) {
            cosine = 1 - 2 * square / most_square;
            if (random_double(seed) < (cosine * cosine + 1) / 2)
                break;
        }
    }
    return cosine;
}

// The share of a shell's electrons that are fast enough, by their momentum along the change of direction.
static __device__ __forceinline__ float share_of_shell(float momentum)
{
    float half = momentum > 0 ? HALF_ROOT + momentum * ROOT : HALF_ROOT - momentum * ROOT;
    float share = 0.5f * expf(0.5f - half * half);
    if (momentum > 0)
        share = 1 - share;
    return share;
}

// The momentum along the change of direction of the electron that a Compton event hits.
static __device__ __forceinline__ float choose_momentum(const shells &s, int material, float all, const float *share,
                                                        float ratio, float cosine, int2 &seed)
{
    int count = s.count[material];
    for (;;) {
        float part = all * random_unit(seed), sum = 0;
        int shell = count - 1;
        for (int i = 0; i < count - 1; i++) {
            sum += s.electrons[material + i * MATERIALS] * share[i];
            if (sum > part) {
                shell = i;
                break;
            }
        }
        float chance = random_unit(seed) * share[shell], profile = s.profile[material + shell * MATERIALS] * ROOT;
        float momentum;
        if (chance < 0.5f)
            momentum = (HALF_ROOT - sqrtf(0.5f - logf(chance + chance))) / profile;
        else
            momentum = (sqrtf(0.5f - logf(2 - 2 * chance)) - HALF_ROOT) / profile;
        if (momentum < -1)
            continue;
        float square = ratio * (ratio - cosine * 2) + 1, change = 0.002f;
        if (square > 1e-20f)
            change = sqrtf(square) * (ratio * (ratio - cosine) / square + 1);
        float most = change > 0 ? change * 0.2f + 1 : 1 - change * 0.2f;
        if (random_unit(seed) * most < change * fmaxf(fminf(momentum, 0.2f), -0.2f) + 1)
            return momentum;
    }
}

// A Compton event: changes the energy and returns the cosine of the angle.
static __device__ __forceinline__ double scatter_compton(float &energy, int material, const shells &s, int2 &seed)
{
    float share[MOST_SHELLS];
    int count = s.count[material];
    float k = energy * PER_REST, k2 = 2 * k + 1, k3 = k * k, least = 1 / k2, log_k2 = logf(k2);
    float all_back = 0; // of the electrons, if the X ray is thrown back
    for (int i = 0; i < count; i++) {
        float ionisation = s.ionisation[material + i * MATERIALS];
        if (ionisation < energy) {
            float aux = energy * (energy - ionisation) * 2;
            float momentum = s.profile[material + i * MATERIALS] * (aux - ionisation * REST_ENERGY) *
                             rsqrtf(aux + aux + ionisation * ionisation) * PER_REST;
            all_back += s.electrons[material + i * MATERIALS] * share_of_shell(momentum);
        }
    }
    float ratio, all; // of the energies after and before; the electrons that are fast enough
    double down;      // 1 less the cosine
    do {
        if (random_unit(seed) * (log_k2 + 2 * k * (k + 1) * least * least) < log_k2)
            ratio = powf(least, random_unit(seed));
        else
            ratio = sqrtf(1 + random_unit(seed) * (least * least - 1));
        down = (double)(1 - ratio) / ((double)ratio * energy * (1 / 510998.918));
        if (down > 2)
            down = 1.99999999;
        all = 0;
        for (int i = 0; i < count; i++) {
            float ionisation = s.ionisation[material + i * MATERIALS];
            if (ionisation < energy) {
                float aux = energy * (energy - ionisation) * (float)down, momentum = 0.002f;
                if (aux > 1e-12f || ionisation > 1e-12f)
                    momentum = s.profile[material + i * MATERIALS] * (aux - ionisation * REST_ENERGY) *
                               rsqrtf(aux + aux + ionisation * ionisation) * PER_REST;
                share[i] = share_of_shell(momentum);
                all += s.electrons[material + i * MATERIALS] * share[i];
            }
        }
    } while (random_unit(seed) * all_back >
             all * (1 + ratio * ((k3 - k2 - 1) + ratio * (k2 + ratio * k3))) / (k3 * ratio * (ratio * ratio + 1)));
    float cosine = (float)(1 - down);
    float momentum = choose_momentum(s, material, all, share, ratio, cosine, seed);
    float square = momentum * momentum, b1 = 1 - square * ratio * ratio, b2 = 1 - square * ratio * cosine;
    float root = sqrtf(fabsf(b2 * b2 - b1 * (1 - square)));
    if (momentum < 0)
        root = -root;
    float left = ratio / b1 * (b2 + root);
    if (left > 1)
        left = 1;
    energy *= left;
    return 1 - down;
}

struct xray {
    vec at, u;
    float energy; // eV
    int bin;      // of the energy; negative if the X ray is absorbed
    int scattering, last_material;
    float free_path; // in the densest matter, cm
    section base, slope; // of the last material
};

static __device__ __forceinline__ void look_up_free_path(xray &x, const float2 *woodcock)
{
    float2 line = woodcock[x.bin];
    x.free_path = line.x + x.energy * line.y;
}

// Flies up to an event that is none of Woodcock's. Returns the voxel, or -1 outside of the body; and the event's random
// number and what of it stands for no event.
static __device__ __forceinline__ int fly(xray &x, const tables &t, float &per_density, float &chance, float &none,
                                          int2 &seed)
{
    int where;
#pragma unroll 1
    do {
        float step = -x.free_path * logf(random_unit(seed));
        x.at = {x.at.x + step * x.u.x, x.at.y + step * x.u.y, x.at.z + step * x.u.z};
        where = locate(x.at);
        if (where < 0)
            break;
        voxel v = t.voxels[where];
        if (v.material != x.last_material) {
            x.base = t.base[x.bin * MATERIALS + v.material];
            x.slope = t.slope[x.bin * MATERIALS + v.material];
            x.last_material = v.material;
        }
        per_density = x.free_path * v.density;
        none = 1 - per_density * (x.base.total + x.energy * x.slope.total);
        chance = random_unit(seed);
    } while (chance < none);
    return where;
}

// Compton scattering, Rayleigh scattering or absorption. Returns the energy that stays in the voxel.
static __device__ __forceinline__ float interact(xray &x, const tables &t, const shells &compton, float per_density,
                                                 float chance, float none, int2 &seed)
{
    int material = x.last_material;
    none += per_density * (x.base.compton + x.energy * x.slope.compton);
    if (chance < none) {
        float before = x.energy;
        HEDDLE_LABEL(compton_event);
        double cosine = scatter_compton(x.energy, material, compton, seed);
        turn(x.u, cosine, 6.28318530717958647693 * random_double(seed));
        x.bin = energy_bin(x.energy);
        if (x.bin > -1) {
            look_up_free_path(x, t.woodcock);
            x.last_material = -2;
            x.scattering = x.scattering == UNSCATTERED ? COMPTON : MULTIPLE;
        }
        return before - x.energy;
    }
    none += per_density * (x.base.rayleigh + x.energy * x.slope.rayleigh);
    if (chance < none) {
        double cosine = scatter_rayleigh(x.energy, material, t.most_sum[x.bin * MATERIALS + material], t.factors, seed);
        turn(x.u, cosine, 6.28318530717958647693 * random_double(seed));
        x.scattering = x.scattering == UNSCATTERED ? RAYLEIGH : MULTIPLE;
        return 0;
    }
    x.bin = -11;
    return x.energy;
}

// An X ray that left the body counts in the pixel that it flies to.
static __device__ __forceinline__ void detect(const detector &d, vec at, vec u, float energy, int scattering,
                                              unsigned long long *image)
{
    if (u.y < 0.0175f) // flies along the detector or back
        return;
    float distance = (d.distance - at.y) / u.y;
    int column = (int)floorf((at.x + distance * u.x - d.corner_x) * d.pixels_per_cm);
    if (column > -1 && column < d.columns) {
        int row = (int)floorf((at.z + distance * u.z - d.corner_z) * d.pixels_per_cm);
        if (row > -1 && row < d.rows)
            atomicAdd(&image[(scattering * d.rows + row) * d.columns + column],
                      (unsigned long long)(energy * ENERGY_SCALE));
    }
}

// Blocks of 128.
extern "C" __global__ void track(tables t, int histories, const int2 *seeds, tallies out)
{
    __shared__ shells compton;
    __shared__ source from;
    __shared__ detector to;
    if (threadIdx.x == 0) {
        from = *t.from;
        to = *t.to;
        compton = *t.compton;
    }
    __syncthreads();
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    int2 seed = seeds[me];
    int2 ends = make_int2(0, 0);
    HEDDLE_PREDICT(compton_event);
#pragma unroll 1
    for (; histories > 0; histories--) {
        xray x;
        bool is_inside = bear(from, x.at, x.u, x.energy, seed);
        x.bin = energy_bin(x.energy);
        x.scattering = UNSCATTERED;
        x.last_material = -1;
        look_up_free_path(x, t.woodcock);
#pragma unroll 1
        while (is_inside) {
            float per_density, chance, none;
            int where = fly(x, t, per_density, chance, none, seed);
            if (where < 0)
                break;
            float deposited = interact(x, t, compton, per_density, chance, none, seed);
            if (deposited > 0.001f)
                atomicAdd(&out.dose[where], (unsigned long long)(deposited * ENERGY_SCALE));
            if (x.bin < 0)
                break;
        }
        if (x.bin > -1) {
            ends.y++;
            detect(to, x.at, x.u, x.energy, x.scattering, out.image);
        } else {
            ends.x++;
        }
    }
    out.last_random[me] = seed;
    out.ends[me] = ends;
}
