// Cloud physics of a weather model: the single-moment scheme with five kinds of water besides air (vapour, cloud water,
// cloud ice, rain, snow) of Hong, Dudhia and Chen (2004). One thread per column of air; levels are numbered from the
// ground up. What a thread computes for each level is in an array of its own.

#include "device.h"

enum { MOST_LEVELS = 28 };

// Nature (SI units), as weather models take it.
const float gas_of_vapour = 461.6f, heat_of_air = 1004.5f, heat_of_vapour = 1846.4f, heat_of_water = 4190.0f,
            heat_of_ice = 2106.0f, freezing = 273.15f, triple = 273.16f, pressure_at_triple = 610.78f,
            vapour_to_air = 287.0f / 461.6f, sublimation = 2.85e6f, evaporation = 2.5e6f, fusion = 3.5e5f,
            density_at_sea = 1.28f, density_of_water = 1000.0f, pi = 3.14159265f;
// The scheme's own.
const float least = 1e-15f, least_fallen = 1e-9f, rain_intercept = 8e6f, snow_intercept = 2e6f,
            most_snow_intercept = 1e11f, rain_exponent = 0.8f, snow_exponent = 0.41f, snow_cold = 0.12f,
            most_crystal = 500e-6f, crystal_size = 11.9f, freeze_factor = 100.0f, freeze_exponent = 0.66f,
            droplets = 3e8f, longest_step = 120.0f;

// What the host derives from these with functions that kernels lack.
struct scheme {
    float latent_slope; // by which evaporation takes less heat for each degree
    float autoconversion_from, autoconversion;
    float rain_fall, rain_accretion, rain_vapour1, rain_vapour2, rain_slope_factor;
    float snow_fall, snow_accretion, snow_vapour1, snow_vapour2, snow_slope_factor;
    float most_ice;
    float thin_rain[4], thin_snow[4]; // slope, its power, square and cube where there is hardly any
};

__constant__ scheme s;

struct fields {
    float *theta, *vapour, *cloud, *ice, *rain, *snow;             // of cells
    const float *exner, *density, *pressure, *thickness;           // of cells
    float *rain_sum, *rain_now, *snow_sum, *snow_now, *snow_share; // of columns
};

// What a thread keeps for each level.
struct state {
    float t, heat, latent;
    float saturated1, saturated2, humid1, humid2; // over water, over ice
    float rain_slope, rain_slope_b, rain_slope2, rain_slope3;
    float snow_slope, snow_slope_b, snow_slope2, snow_slope3;
    float thin_air, snow_more, crystals;
    float fall1, fall2, ventilation;
};

#define DEVICE_FUNCTION static __device__ __forceinline__

DEVICE_FUNCTION float power(float x, float exponent)
{
    return expf(logf(x) * exponent);
}

DEVICE_FUNCTION float heat_capacity(float vapour)
{
    return heat_of_air * (1 - fmaxf(vapour, least)) + fmaxf(vapour, least) * heat_of_vapour;
}

DEVICE_FUNCTION float viscosity(float t, float density)
{
    return 1.496e-6f * (t * sqrtf(t)) / (t + 120) / density;
}

DEVICE_FUNCTION float diffusion(float t, float pressure)
{
    return 8.794e-5f * power(t, 1.81f) / pressure;
}

DEVICE_FUNCTION float conduction(float t, float density)
{
    return 1.414e3f * viscosity(t, density) * density;
}

// What heat conduction and diffusion of vapour leave of a particle's growth.
DEVICE_FUNCTION float growth_divisor(float latent, float pressure, float t, float density, float saturated)
{
    return density * latent * latent / (conduction(t, density) * gas_of_vapour * t * t) +
           1 / (saturated * diffusion(t, pressure));
}

DEVICE_FUNCTION float ventilation_of(float pressure, float t, float density)
{
    return power(viscosity(t, density) / diffusion(t, pressure), 0.3333333f) * rsqrtf(viscosity(t, density)) *
           sqrtf(sqrtf(density_at_sea / density));
}

DEVICE_FUNCTION float crystals_of(float density, float ice)
{
    float mass = density * fmaxf(ice, least);
    return fminf(fmaxf(5.38e7f * sqrtf(sqrtf(mass * mass * mass)), 1e3f), 1e6f);
}

// The mixing ratio of saturated air, from the pressure of saturated vapour.
DEVICE_FUNCTION float saturated_at(float vapour_pressure, float pressure)
{
    return fmaxf(vapour_to_air * vapour_pressure / (pressure - vapour_pressure), least);
}

DEVICE_FUNCTION float pressure_over_water(float t)
{
    const float a = -(heat_of_vapour - heat_of_water) / gas_of_vapour, b = a + evaporation / (gas_of_vapour * triple);
    return pressure_at_triple * expf(logf(triple / t) * a + b * (1 - triple / t));
}

DEVICE_FUNCTION float pressure_over_ice(float t)
{
    const float a = -(heat_of_vapour - heat_of_ice) / gas_of_vapour, b = a + sublimation / (gas_of_vapour * triple);
    return pressure_at_triple * expf(logf(triple / t) * a + b * (1 - triple / t));
}

// Slopes of the distributions of sizes of rain drops and snow flakes.
DEVICE_FUNCTION void set_slopes(state *c, int k, float density, float rain, float snow)
{
    c[k].snow_more = fmaxf(fminf(expf(snow_cold * (freezing - c[k].t)), most_snow_intercept / snow_intercept), 1.0f);
    if (rain <= least_fallen) {
        c[k].rain_slope = s.thin_rain[0];
        c[k].rain_slope_b = s.thin_rain[1];
        c[k].rain_slope2 = s.thin_rain[2];
        c[k].rain_slope3 = s.thin_rain[3];
    } else {
        c[k].rain_slope = 1 / sqrtf(sqrtf(s.rain_slope_factor / (rain * density)));
        c[k].rain_slope_b = power(c[k].rain_slope, rain_exponent);
        c[k].rain_slope2 = c[k].rain_slope * c[k].rain_slope;
        c[k].rain_slope3 = c[k].rain_slope2 * c[k].rain_slope;
    }
    if (snow <= least_fallen) {
        c[k].snow_slope = s.thin_snow[0];
        c[k].snow_slope_b = s.thin_snow[1];
        c[k].snow_slope2 = s.thin_snow[2];
        c[k].snow_slope3 = s.thin_snow[3];
    } else {
        c[k].snow_slope = 1 / sqrtf(sqrtf(s.snow_slope_factor * c[k].snow_more / (snow * density)));
        c[k].snow_slope_b = power(c[k].snow_slope, snow_exponent);
        c[k].snow_slope2 = c[k].snow_slope * c[k].snow_slope;
        c[k].snow_slope3 = c[k].snow_slope2 * c[k].snow_slope;
    }
}

// ---- rain, snow and ice fall ----

// In so many steps nothing falls through more than one level at a time.
DEVICE_FUNCTION int steps_for(float levels_per_second, float seconds)
{
    return max((int)truncf(levels_per_second * seconds + 1), 1);
}

DEVICE_FUNCTION void melt_snow(const fields &f, state *c, int k, int at, float seconds, float per_step)
{
    if (c[k].t > freezing && f.snow[at] > 0) {
        c[k].ventilation = ventilation_of(f.pressure[at], c[k].t, f.density[at]);
        float surface = c[k].snow_slope2 * sqrtf(c[k].snow_slope * c[k].snow_slope_b);
        float melted = conduction(c[k].t, f.density[at]) / fusion * (freezing - c[k].t) * pi / 2 * c[k].snow_more *
                       (s.snow_vapour1 * c[k].snow_slope2 + s.snow_vapour2 * c[k].ventilation * surface);
        melted = fminf(fmaxf(melted * seconds * per_step, -f.snow[at] * per_step), 0.0f);
        f.snow[at] += melted;
        f.rain[at] -= melted;
        c[k].t += fusion / heat_capacity(f.vapour[at]) * melted;
    }
}

// Adds what reaches the ground to the two sums.
DEVICE_FUNCTION void fall_rain_and_snow(const fields &f, state *c, int first, int stride, int levels, float seconds,
                                        float &rain_fallen, float &snow_fallen)
{
    int steps = 1;
#pragma unroll 1
    for (int k = 0, at = first; k < levels; k++, at += stride) {
        set_slopes(c, k, f.density[at], f.rain[at], f.snow[at]);
        c[k].thin_air = sqrtf(density_at_sea / f.density[at]);
        c[k].fall1 = s.rain_fall * c[k].rain_slope_b * c[k].thin_air / f.thickness[at];
        c[k].fall2 = s.snow_fall * c[k].snow_slope_b * c[k].thin_air / f.thickness[at];
        int needed = steps_for(fmaxf(c[k].fall1, c[k].fall2), seconds);
        if (needed >= steps)
            steps = needed;
        c[k].crystals = crystals_of(f.density[at], f.ice[at]);
    }
    float per_step = 1.0f / (float)steps;
#pragma unroll 1
    for (int step = 1; step <= steps; step++) {
        int k = levels - 1, at = first + k * stride;
        float rain = f.density[at] * f.rain[at] * c[k].fall1 * per_step;
        float snow = f.density[at] * f.snow[at] * c[k].fall2 * per_step;
        f.rain[at] = fmaxf(f.rain[at] - rain * (seconds / f.density[at]), 0.0f);
        f.snow[at] = fmaxf(f.snow[at] - snow * (seconds / f.density[at]), 0.0f);
        float thickness_above = f.thickness[at];
#pragma unroll 1
        for (k--, at -= stride; k >= 0; k--, at -= stride) {
            float density = f.density[at], thickness = f.thickness[at], per_density = seconds / density;
            float rain_above = rain, snow_above = snow, ratio = thickness_above * (1 / thickness);
            rain = density * f.rain[at] * c[k].fall1 * per_step;
            snow = density * f.snow[at] * c[k].fall2 * per_step;
            f.rain[at] = fmaxf(f.rain[at] - (rain - rain_above * ratio) * per_density, 0.0f);
            f.snow[at] = fmaxf(f.snow[at] - (snow - snow_above * ratio) * per_density, 0.0f);
            thickness_above = thickness;
        }
        rain_fallen += rain;
        snow_fallen += snow;
#pragma unroll 1
        for (k = levels - 1, at = first + k * stride; k >= 0; k--, at -= stride)
            melt_snow(f, c, k, at, seconds, per_step);
    }
}

DEVICE_FUNCTION void fall_ice(const fields &f, state *c, int first, int stride, int levels, float seconds,
                              float &ice_fallen)
{
    int steps = 1;
#pragma unroll 1
    for (int k = levels - 1, at = first + k * stride; k >= 0; k--, at -= stride) {
        if (f.ice[at] <= 0) {
            c[k].fall2 = 0;
        } else {
            float mass = f.density[at] * f.ice[at] / c[k].crystals;
            float diameter = fmaxf(fminf(crystal_size * sqrtf(mass), most_crystal), 1e-25f);
            c[k].fall1 = 1.49e4f * power(diameter, 1.31f);
            c[k].fall2 = c[k].fall1 / f.thickness[at];
        }
        int needed = steps_for(c[k].fall2, seconds);
        if (needed > steps)
            steps = needed;
    }
    float per_step = 1.0f / (float)steps;
#pragma unroll 1
    for (int step = 1; step <= steps; step++) {
        int k = levels - 1, at = first + k * stride;
        float ice = f.density[at] * f.ice[at] * c[k].fall2 * per_step;
        f.ice[at] = fmaxf(f.ice[at] - ice * seconds / f.density[at], 0.0f);
        float thickness_above = f.thickness[at];
#pragma unroll 1
        for (k--, at -= stride; k >= 0; k--, at -= stride) {
            float density = f.density[at], thickness = f.thickness[at], ice_above = ice;
            ice = density * f.ice[at] * c[k].fall2 * per_step;
            f.ice[at] = fmaxf(f.ice[at] - (ice - ice_above * thickness_above / thickness) * seconds / density, 0.0f);
            thickness_above = thickness;
        }
        ice_fallen += ice;
    }
}

DEVICE_FUNCTION void reach_ground(const fields &f, int me, float thickness, float seconds, float all, float frozen)
{
    f.rain_now[me] = 0;
    if (all > 0) {
        f.rain_now[me] = all * thickness / density_of_water * seconds * 1000;
        f.rain_sum[me] += all * thickness / density_of_water * seconds * 1000;
    }
    f.snow_now[me] = 0;
    if (frozen > 0) {
        f.snow_now[me] = frozen * thickness / density_of_water * seconds * 1000;
        f.snow_sum[me] += frozen * thickness / density_of_water * seconds * 1000;
    }
    f.snow_share[me] = 0;
    if (all > 0)
        f.snow_share[me] = frozen * thickness / density_of_water * seconds * 1000 / (f.rain_now[me] + 1e-12f);
}

#include "processes.cuh"

// ---- the whole column ----

DEVICE_FUNCTION void set_humidity(const fields &f, state *c, int k, int at)
{
    float t = c[k].t, pressure = f.pressure[at];
    c[k].saturated1 = saturated_at(pressure_over_water(t), pressure);
    c[k].humid1 = fmaxf(f.vapour[at] / c[k].saturated1, least);
    float over_ice;
    if (t < triple)
        over_ice = pressure_over_ice(t);
    else
        over_ice = pressure_over_water(t);
    c[k].saturated2 = saturated_at(over_ice, pressure);
    c[k].humid2 = fmaxf(f.vapour[at] / c[k].saturated2, least);
}

DEVICE_FUNCTION void drop_negative(float *water, int at)
{
    if (water[at] < 0)
        water[at] = 0;
}

// Blocks of 8x8.
extern "C" __global__ void microphysics(fields f, float seconds, int width, int depth, int levels)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < depth) {
        state c[MOST_LEVELS];
        int stride = width, first = y * levels * stride + x, me = y * width + x;
#pragma unroll 1
        for (int k = 0, at = first; k < levels; k++, at += stride)
            c[k].t = f.theta[at] * f.exner[at];
#pragma unroll 1
        for (int k = 0, at = first; k < levels; k++, at += stride) {
            drop_negative(f.cloud, at);
            drop_negative(f.ice, at);
            drop_negative(f.rain, at);
            drop_negative(f.snow, at);
        }
#pragma unroll 1
        for (int k = 0, at = first; k < levels; k++, at += stride) {
            c[k].heat = heat_capacity(f.vapour[at]);
            c[k].latent = evaporation - s.latent_slope * (c[k].t - freezing);
        }

        int steps = max((int)(seconds / longest_step + 0.5f), 1);
        float step_seconds = seconds / (float)steps;
#pragma unroll 1
        for (int step = 1; step <= steps; step++) {
#pragma unroll 1
            for (int k = 0, at = first; k < levels; k++, at += stride)
                set_humidity(f, c, k, at);
            float rain_fallen = 0, snow_fallen = 0, ice_fallen = 0;
            fall_rain_and_snow(f, c, first, stride, levels, step_seconds, rain_fallen, snow_fallen);
            fall_ice(f, c, first, stride, levels, step_seconds, ice_fallen);
            reach_ground(f, me, f.thickness[first], step_seconds, rain_fallen + snow_fallen + ice_fallen,
                         snow_fallen + ice_fallen);
#pragma unroll 1
            for (int k = 0, at = first; k < levels; k++, at += stride)
                change_phases(f, c, k, at, step_seconds);
        }
#pragma unroll 1
        for (int k = 0, at = first; k < levels; k++, at += stride)
            f.theta[at] = c[k].t / f.exner[at];
    }
}
