// Macroscopic cross sections by the multipole method: for a random energy and material, the sum over the nuclides of
// the material of cross sections that are computed from the poles near that energy, broadened by temperature.

#include "../xsbench/neutron.cuh"

enum { CHANNELS = 4, MOMENTA = 4, SERIES = 10 };

struct complex {
    double real, imaginary;
};

struct pole {
    complex energy, total, absorption, fission; // the pole, and its residues
    int momentum;
};

struct window {
    double total, absorption, fission; // what the poles of other windows add
    int first_pole, end_pole;
};

struct reactor {
    const int *nuclides_in;    // of each material
    const int *nuclide;        // [material][most_nuclides]
    const double *density;     // [material][most_nuclides]
    const int *windows_in;     // of each nuclide
    const double *radius;      // [nuclide][MOMENTA]
    const window *windows;     // [nuclide][most_windows]
    const pole *poles;         // [nuclide][most_poles]
    int most_nuclides, most_windows, most_poles;
};

static __device__ __forceinline__ complex operator+(complex a, complex b)
{
    return {a.real + b.real, a.imaginary + b.imaginary};
}

static __device__ __forceinline__ complex operator-(complex a, complex b)
{
    return {a.real - b.real, a.imaginary - b.imaginary};
}

static __device__ __forceinline__ complex operator*(complex a, complex b)
{
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

static __device__ __forceinline__ complex operator*(double a, complex b)
{
    return {a * b.real, a * b.imaginary};
}

static __device__ __forceinline__ complex operator/(complex a, complex b)
{
    double square = b.real * b.real + b.imaginary * b.imaginary;
    return {(a.real * b.real + a.imaginary * b.imaginary) / square,
            (a.imaginary * b.real - a.real * b.imaginary) / square};
}

// e^z with (1 + x / 4096)^4096 for e^x, so that it is the same everywhere.
static __device__ __forceinline__ complex exponential(complex z)
{
    double power = 1 + z.real / 4096;
    for (int i = 0; i < 12; i++)
        power *= power;
    return {power * cos(z.imaginary), power * sin(z.imaginary)};
}

// Faddeeva's function: by a series of Abrarov near 0, else by three terms of an asymptotic expansion.
static __device__ __forceinline__ complex faddeeva(complex z)
{
    const complex i = {0, 1}, one = {1, 0};
    if (sqrt(z.real * z.real + z.imaginary * z.imaginary) < 6) {
        const double factor[SERIES] = {2.758402e-01, 2.245740e-01, 1.594149e-01, 9.866577e-02, 5.324414e-02,
                                       2.505215e-02, 1.027747e-02, 3.676164e-03, 1.146494e-03, 3.117570e-04};
        const double sign[SERIES] = {-1, 1, -1, 1, -1, 1, -1, 1, -1, 1};
        const double square[SERIES] = {9.869604e+00, 3.947842e+01, 8.882644e+01, 1.579137e+02, 2.467401e+02,
                                       3.553058e+02, 4.836106e+02, 6.316547e+02, 7.994380e+02, 9.869604e+02};
        const complex twelve = {0, 12};
        complex w = i * (one - exponential(twelve * z)) / (12 * z), sum = {0, 0};
        for (int n = 0; n < SERIES; n++) {
            complex above = sign[n] * exponential(twelve * z) - one, below = 144 * (z * z);
            below = {square[n] - below.real, -below.imaginary};
            sum = sum + factor[n] * (above / below);
        }
        const complex prefactor = {0, 8.124330e+01};
        return w + prefactor * (z * sum);
    }
    complex squared = z * z;
    const complex a = {0.512424224754768, 0}, b = {0.275255128608411, 0}, c = {0.051765358792988, 0},
                  d = {2.724744871391589, 0};
    return z * i * (a / (squared - b) + c / (squared - d));
}

// Phases of the potential scattering, one for each angular momentum.
static __device__ __forceinline__ void phases(const reactor &r, int nuclide, double energy, complex *factor)
{
#pragma unroll 1
    for (int l = 0; l < MOMENTA; l++) {
        double phi = r.radius[nuclide * MOMENTA + l] * sqrt(energy);
        if (l == 1)
            phi -= -atan(phi);
        else if (l == 2)
            phi -= atan(3 * phi / (3 - phi * phi));
        else if (l == 3)
            phi -= atan(phi * (15 - phi * phi) / (15 - 6 * phi * phi));
        phi *= 2;
        factor[l] = {cos(phi), -sin(phi)};
    }
}

static __device__ __forceinline__ void compute_sections(const reactor &r, int nuclide, double energy, double *section)
{
    double spacing = 1.0 / r.windows_in[nuclide];
    int which = (int)(energy / spacing);
    if (which == r.windows_in[nuclide])
        which--;
    complex factor[MOMENTA];
    phases(r, nuclide, energy, factor);
    const window w = r.windows[nuclide * r.most_windows + which];
    double total = energy * w.total, absorption = energy * w.absorption, fission = energy * w.fission;
#pragma unroll 1
    for (int i = w.first_pole; i < w.end_pole; i++) {
        const pole p = r.poles[nuclide * r.most_poles + i];
        complex e = {energy, 0};
        complex broadened = faddeeva(0.5 * (e - p.energy));
        total += (p.total * (broadened * factor[p.momentum])).real;
        absorption += (p.absorption * broadened).real;
        fission += (p.fission * broadened).real;
    }
    section[0] = total;
    section[1] = absorption;
    section[2] = fission;
    section[3] = total - absorption;
}

// A thread does every so many-th lookup.
extern "C" __global__ void look_up(reactor r, unsigned long long first_seed, unsigned lookups, double *totals,
                                   int *largest)
{
    HEDDLE_PREDICT(next_nuclide);
#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < lookups; i += gridDim.x * blockDim.x) {
        unsigned long long seed = skip(first_seed, 2ull * i);
        double energy = random_unit(seed);
        int material = choose_material(seed);
        double sum[CHANNELS] = {0};
#pragma unroll 1
        for (int j = 0; j < r.nuclides_in[material]; j++) {
            HEDDLE_LABEL(next_nuclide);
            double section[CHANNELS];
            compute_sections(r, r.nuclide[material * r.most_nuclides + j], energy, section);
            for (int c = 0; c < CHANNELS; c++)
                sum[c] += section[c] * r.density[material * r.most_nuclides + j];
        }
        double most = -1e308, total = 0;
        int channel = 0;
        for (int c = 0; c < CHANNELS; c++) {
            total += (c + 1) * sum[c];
            if (sum[c] > most) {
                most = sum[c];
                channel = c;
            }
        }
        totals[i] = total;
        largest[i] = channel;
    }
}
