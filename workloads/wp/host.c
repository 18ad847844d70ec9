/* Cloud physics of columns of air; verified against the same scheme in double precision, one process after the other
 * for whole columns. */
#include "work.h"

#include <math.h>
#include <string.h>

enum { SIDE = 8, MOST_LEVELS = 28, FIELDS = 6, GROUND = 5 };

struct problem {
    int width, depth, levels;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 20, .depth = 12, .levels = 8},
    [WORK_SMALL] = {.width = 120, .depth = 96, .levels = 8},
    [WORK_PAPER] = {.width = 13 * SIDE, .depth = 8 * SIDE, .levels = MOST_LEVELS},
};

static const double step_seconds = 72, gravity = 9.81;

/* As in kernels.cu, SI units; what is derived from them is computed with functions that kernels lack. */
static const double gas_of_air = 287, gas_of_vapour = 461.6, heat_of_air = 1004.5, heat_of_vapour = 1846.4,
                    heat_of_water = 4190, heat_of_ice = 2106, freezing = 273.15, triple = 273.16,
                    pressure_at_triple = 610.78, sublimation = 2.85e6, evaporation = 2.5e6, fusion = 3.5e5,
                    density_at_sea = 1.28, density_of_water = 1000, density_of_snow = 100;
static const double least = 1e-15, least_fallen = 1e-9, rain_intercept = 8e6, snow_intercept = 2e6, rain_speed = 841.9,
                    rain_exponent = 0.8, snow_speed = 11.72, snow_exponent = 0.41, most_crystal = 500e-6,
                    crystal_size = 11.9, droplets = 3e8, droplet_radius = 8e-6, collection = 0.55,
                    air_viscosity = 1.718e-5, thinnest_rain = 8e4, thinnest_snow = 1e5;

struct scheme {
    float latent_slope; /* as in kernels.cu */
    float autoconversion_from, autoconversion;
    float rain_fall, rain_accretion, rain_vapour1, rain_vapour2, rain_slope_factor;
    float snow_fall, snow_accretion, snow_vapour1, snow_vapour2, snow_slope_factor;
    float most_ice;
    float thin_rain[4], thin_snow[4];
};

static struct scheme derive_scheme(void)
{
    struct scheme s = {
        .latent_slope = (float)(heat_of_water - heat_of_vapour),
        .autoconversion_from =
            (float)(4.0 / 3 * M_PI * density_of_water * pow(droplet_radius, 3) * droplets / density_at_sea),
        .autoconversion = (float)(0.104 * 9.8 * collection / cbrt(droplets * density_of_water) / air_viscosity *
                                  pow(density_at_sea, 4.0 / 3)),
        .rain_fall = (float)(rain_speed * tgamma(4 + rain_exponent) / 6),
        .rain_accretion = (float)(M_PI * rain_intercept * rain_speed * tgamma(3 + rain_exponent) / 4),
        .rain_vapour1 = (float)(2 * M_PI * rain_intercept * 0.78),
        .rain_vapour2 = (float)(2 * M_PI * rain_intercept * 0.31 * sqrt(rain_speed) * tgamma(2.5 + rain_exponent / 2)),
        .rain_slope_factor = (float)(M_PI * density_of_water * rain_intercept),
        .snow_fall = (float)(snow_speed * tgamma(4 + snow_exponent) / 6),
        .snow_accretion = (float)(M_PI * snow_intercept * snow_speed * tgamma(3 + snow_exponent) / 4),
        .snow_vapour1 = (float)(4 * snow_intercept * 0.65),
        .snow_vapour2 = (float)(4 * snow_intercept * 0.44 * sqrt(snow_speed) * tgamma(2.5 + snow_exponent / 2)),
        .snow_slope_factor = (float)(M_PI * density_of_snow * snow_intercept),
        .most_ice = (float)(2.08e22 * pow(most_crystal, 8)),
    };
    double slopes[2] = {1 / thinnest_rain, 1 / thinnest_snow}, exponents[2] = {rain_exponent, snow_exponent};
    for (int i = 0; i < 2; i++) {
        float *thin = i ? s.thin_snow : s.thin_rain;
        thin[0] = (float)slopes[i];
        thin[1] = (float)pow(slopes[i], exponents[i]);
        thin[2] = (float)pow(slopes[i], 2);
        thin[3] = (float)pow(slopes[i], 3);
    }
    return s;
}

/* ---- the reference: one column in double precision ---- */

struct cell {
    double t, vapour, cloud, ice, rain, snow, density, pressure, thickness;
    double heat, latent, saturated1, saturated2, humid1, humid2;
    double rain_slope, snow_slope, snow_more, crystals;
};

static double saturated(double t, double pressure, bool is_over_ice)
{
    double latent = is_over_ice ? sublimation : evaporation;
    double a = ((is_over_ice ? heat_of_ice : heat_of_water) - heat_of_vapour) / gas_of_vapour;
    double vapour =
        pressure_at_triple * pow(triple / t, a) * exp((a + latent / (gas_of_vapour * triple)) * (1 - triple / t));
    return fmax(gas_of_air / gas_of_vapour * vapour / (pressure - vapour), least);
}

static double viscosity(const struct cell *c)
{
    return 1.496e-6 * pow(c->t, 1.5) / (c->t + 120) / c->density;
}

static double diffusion(const struct cell *c)
{
    return 8.794e-5 * pow(c->t, 1.81) / c->pressure;
}

static double ventilation(const struct cell *c)
{
    return pow(viscosity(c) / diffusion(c), 0.3333333) / sqrt(viscosity(c)) * pow(density_at_sea / c->density, 0.25);
}

static double divisor(const struct cell *c, double latent, double saturation)
{
    double conduction = 1.414e3 * viscosity(c) * c->density;
    return c->density * latent * latent / (conduction * gas_of_vapour * c->t * c->t) + 1 / (saturation * diffusion(c));
}

static void set_sizes(struct cell *c, double cold)
{
    c->snow_more = fmax(fmin(exp(0.12 * cold), 1e11 / snow_intercept), 1);
    c->rain_slope = c->rain <= least_fallen
                        ? 1 / thinnest_rain
                        : pow(c->rain * c->density / (M_PI * density_of_water * rain_intercept), 0.25);
    c->snow_slope = c->snow <= least_fallen
                        ? 1 / thinnest_snow
                        : pow(c->snow * c->density / (M_PI * density_of_snow * snow_intercept * c->snow_more), 0.25);
}

static double crystals_of(const struct cell *c)
{
    return fmin(fmax(5.38e7 * pow(c->density * fmax(c->ice, least), 0.75), 1e3), 1e6);
}

/* Snow's growth on vapour, or its melting, for one unit of what drives it. */
static double snow_exchange(const struct cell *c)
{
    return c->snow_more * 4 * snow_intercept *
           (0.65 * pow(c->snow_slope, 2) + 0.44 * sqrt(snow_speed) * tgamma(2.5 + snow_exponent / 2) * ventilation(c) *
                                               pow(c->snow_slope, 2.5 + snow_exponent / 2));
}

static int steps_for(double levels_per_second, double nudge)
{
    int steps = (int)(levels_per_second * step_seconds * nudge + 1);
    return steps < 1 ? 1 : steps;
}

/* Moves one kind of water down by one step: all flows first, then all cells. Returns what reaches the ground. */
static double fall_one_step(struct cell *c, int levels, size_t kind, const double *speed, int steps)
{
    double flow[MOST_LEVELS + 1] = {0};
#define WATER(k) (*(double *)((char *)&c[k] + kind))
    for (int k = 0; k < levels; k++)
        flow[k] = c[k].density * WATER(k) * speed[k] / steps;
    for (int k = 0; k < levels; k++) {
        double from_above = k + 1 < levels ? flow[k + 1] * c[k + 1].thickness / c[k].thickness : 0;
        WATER(k) = fmax(WATER(k) - (flow[k] - from_above) * step_seconds / c[k].density, 0);
    }
#undef WATER
    return flow[0];
}

/* `fallen`: rain and snow, ice. */
static void fall(struct cell *c, int levels, double nudge, double fallen[3])
{
    double rain_levels[MOST_LEVELS], snow_levels[MOST_LEVELS], ice_levels[MOST_LEVELS];
    int steps = 1, ice_steps = 1;
    for (int k = 0; k < levels; k++) {
        double thin_air = sqrt(density_at_sea / c[k].density) / c[k].thickness;
        set_sizes(&c[k], freezing - c[k].t);
        c[k].crystals = crystals_of(&c[k]);
        rain_levels[k] = rain_speed * tgamma(4 + rain_exponent) / 6 * pow(c[k].rain_slope, rain_exponent) * thin_air;
        snow_levels[k] = snow_speed * tgamma(4 + snow_exponent) / 6 * pow(c[k].snow_slope, snow_exponent) * thin_air;
        double diameter = fmin(crystal_size * sqrt(c[k].density * c[k].ice / c[k].crystals), most_crystal);
        ice_levels[k] = c[k].ice > 0 ? 1.49e4 * pow(diameter, 1.31) / c[k].thickness : 0;
        int needed = steps_for(fmax(rain_levels[k], snow_levels[k]), nudge);
        int ice_needed = steps_for(ice_levels[k], nudge);
        steps = needed > steps ? needed : steps;
        ice_steps = ice_needed > ice_steps ? ice_needed : ice_steps;
    }
    for (int step = 0; step < steps; step++) {
        fallen[0] += fall_one_step(c, levels, offsetof(struct cell, rain), rain_levels, steps);
        fallen[1] += fall_one_step(c, levels, offsetof(struct cell, snow), snow_levels, steps);
        for (int k = 0; k < levels; k++)
            if (c[k].t > freezing && c[k].snow > 0) {
                double melted = 1.414e3 * viscosity(&c[k]) * c[k].density / fusion * (freezing - c[k].t) * M_PI / 2 *
                                snow_exchange(&c[k]) * step_seconds / steps;
                melted = fmin(fmax(melted, -c[k].snow / steps), 0);
                c[k].snow += melted;
                c[k].rain -= melted;
                c[k].t += fusion / c[k].heat * melted;
            }
    }
    for (int step = 0; step < ice_steps; step++)
        fallen[2] += fall_one_step(c, levels, offsetof(struct cell, ice), ice_levels, ice_steps);
}

/* Moves `amount` from one kind of water to another and the heat of it to the air. */
static void freeze(struct cell *c, double *from, double *to, double amount, double latent)
{
    *from -= amount;
    *to += amount;
    c->t += latent / c->heat * amount;
}

static void melt_and_freeze(struct cell *c)
{
    double cold = freezing - c->t, latent = cold < 0 ? fusion : sublimation - c->latent;
    if (cold < 0)
        freeze(c, &c->ice, &c->cloud, c->ice, -latent);
    if (cold > 40)
        freeze(c, &c->cloud, &c->ice, c->cloud, latent);
    if (cold > 0) {
        double rate = 100 * (exp(0.66 * cold) - 1) * step_seconds;
        freeze(c, &c->cloud, &c->ice,
               fmin(rate * c->density / density_of_water / droplets * c->cloud * c->cloud, c->cloud), latent);
        freeze(c, &c->rain, &c->snow,
               fmin(20 * M_PI * M_PI * rate * rain_intercept * density_of_water / c->density * pow(c->rain_slope, 7),
                    c->rain),
               latent);
    }
}

enum rate { AUTO, RAIN_CLOUD, RAIN_VAPOUR, ICE_SNOW, SNOW_ICE, SNOW_CLOUD, NEW_ICE, ICE_VAPOUR, SNOW_VAPOUR, RATES };

/* A rate of exchange with vapour: half of the surplus at most, and no more than others have left of it. */
static double limit(double rate, double surplus, double left, double there_is)
{
    if (rate >= 0)
        return fmin(fmin(rate, surplus / 2), left);
    return fmax(fmax(fmax(rate, surplus / 2), left), -there_is / step_seconds);
}

static void set_warm_rates(const struct cell *c, double *r)
{
    double surplus = (fmax(c->vapour, least) - c->saturated1) / step_seconds, per_second = c->cloud / step_seconds;
    double qc0 = 4.0 / 3 * M_PI * density_of_water * pow(droplet_radius, 3) * droplets / density_at_sea;
    double qck1 =
        0.104 * 9.8 * collection / cbrt(droplets * density_of_water) / air_viscosity * pow(density_at_sea, 4.0 / 3);
    if (c->cloud > qc0)
        r[AUTO] = fmin(qck1 * pow(c->cloud, 7.0 / 3), per_second);
    if (c->rain > least_fallen && c->cloud > least)
        r[RAIN_CLOUD] = fmin(M_PI * rain_intercept * rain_speed * tgamma(3 + rain_exponent) / 4 *
                                 pow(c->rain_slope, 3 + rain_exponent) * c->cloud * sqrt(density_at_sea / c->density),
                             per_second);
    if (c->snow > least_fallen && c->cloud > least)
        r[SNOW_CLOUD] = fmin(M_PI * snow_intercept * snow_speed * tgamma(3 + snow_exponent) / 4 * c->snow_more *
                                 pow(c->snow_slope, 3 + snow_exponent) * c->cloud * sqrt(density_at_sea / c->density),
                             per_second);
    if (c->rain > 0) {
        double exchange =
            2 * M_PI * rain_intercept *
            (0.78 * pow(c->rain_slope, 2) + 0.31 * sqrt(rain_speed) * tgamma(2.5 + rain_exponent / 2) * ventilation(c) *
                                                pow(c->rain_slope, 2.5 + rain_exponent / 2));
        double rate = (c->humid1 - 1) * exchange / divisor(c, c->latent, c->saturated1);
        r[RAIN_VAPOUR] = rate < 0 ? fmax(fmax(rate, -c->rain / step_seconds), surplus / 2) : fmin(rate, surplus / 2);
    }
}

static void set_cold_rates(const struct cell *c, double cold, double *r)
{
    double surplus = (fmax(c->vapour, least) - c->saturated2) / step_seconds,
           d = divisor(c, sublimation, c->saturated2);
    double diameter = crystal_size * sqrt(c->density * c->ice / c->crystals), used = 0;
    if (c->snow > least_fallen && c->ice > least) {
        double size = fmin(diameter, most_crystal), slope = c->snow_slope;
        double speed =
            snow_speed * tgamma(4 + snow_exponent) / 6 * pow(slope, snow_exponent) * sqrt(density_at_sea / c->density);
        r[SNOW_ICE] = M_PI / 4 * c->ice * exp(-0.07 * cold) * snow_intercept * c->snow_more *
                      fabs(speed - 1.49e4 * pow(size, 1.31)) * slope *
                      (2 * slope * slope + 2 * size * slope + size * size);
    }
    if (c->ice > 0) {
        r[ICE_VAPOUR] =
            limit(4 * diameter * c->crystals * (c->humid2 - 1) / d, surplus, surplus - r[RAIN_VAPOUR], c->ice);
        used = fabs(r[RAIN_VAPOUR] + r[ICE_VAPOUR]);
    }
    if (c->snow > 0 && used < fabs(surplus)) {
        r[SNOW_VAPOUR] =
            limit((c->humid2 - 1) * snow_exchange(c) / d, surplus, surplus - r[RAIN_VAPOUR] - r[ICE_VAPOUR], c->snow);
        used = fabs(r[RAIN_VAPOUR] + r[ICE_VAPOUR] + r[SNOW_VAPOUR]);
    }
    if (surplus > 0 && used < surplus) {
        double nuclei = 4.92e-11 * pow(1e3 * exp(0.1 * cold), 1.33) / c->density;
        r[NEW_ICE] = fmin(fmin(fmax(nuclei - c->ice, 0) / step_seconds, surplus),
                          surplus - r[RAIN_VAPOUR] - r[ICE_VAPOUR] - r[SNOW_VAPOUR]);
    }
    if (c->ice > 0)
        r[ICE_SNOW] = fmax(0, c->ice - 2.08e22 * pow(most_crystal, 8) / c->density) / step_seconds;
}

/* If the sum of these rates, by their signs, takes more than there is, all of them shrink. */
static void shrink(double *r, double there_is, const int signs[RATES])
{
    double lost = 0;
    for (int i = 0; i < RATES; i++)
        lost += signs[i] * r[i] * step_seconds;
    for (int i = 0; i < RATES; i++)
        if (lost > there_is && signs[i])
            r[i] *= there_is / lost;
}

static void apply_rates(struct cell *c, double *r)
{
    bool is_cold = c->t <= freezing;
    shrink(r, fmax(least, c->cloud), (int[RATES]){[AUTO] = 1, [RAIN_CLOUD] = 1, [SNOW_CLOUD] = 1});
    if (is_cold)
        shrink(r, fmax(least, c->ice), (int[RATES]){[ICE_SNOW] = 1, [SNOW_ICE] = 1, [NEW_ICE] = -1, [ICE_VAPOUR] = -1});
    shrink(r, fmax(least, c->rain),
           (int[RATES]){[AUTO] = -1, [RAIN_CLOUD] = -1, [RAIN_VAPOUR] = -1, [SNOW_CLOUD] = is_cold ? 0 : -1});
    if (is_cold)
        shrink(r, fmax(least, c->snow),
               (int[RATES]){[SNOW_VAPOUR] = -1, [ICE_SNOW] = -1, [SNOW_ICE] = -1, [SNOW_CLOUD] = -1});
    double frozen_vapour = is_cold ? r[SNOW_VAPOUR] + r[ICE_VAPOUR] + r[NEW_ICE] : 0;
    double to_rain = r[AUTO] + r[RAIN_CLOUD] + r[RAIN_VAPOUR] + (is_cold ? 0 : r[SNOW_CLOUD]);
    c->vapour -= (r[RAIN_VAPOUR] + frozen_vapour) * step_seconds;
    c->cloud = fmax(c->cloud - (r[AUTO] + r[RAIN_CLOUD] + r[SNOW_CLOUD]) * step_seconds, 0);
    c->rain = fmax(c->rain + to_rain * step_seconds, 0);
    if (is_cold) {
        c->ice = fmax(c->ice - (r[ICE_SNOW] + r[SNOW_ICE] - r[NEW_ICE] - r[ICE_VAPOUR]) * step_seconds, 0);
        c->snow = fmax(c->snow + (r[SNOW_VAPOUR] + r[ICE_SNOW] + r[SNOW_ICE] + r[SNOW_CLOUD]) * step_seconds, 0);
    }
    c->t += (sublimation * frozen_vapour + c->latent * r[RAIN_VAPOUR] +
             (is_cold ? (sublimation - c->latent) * r[SNOW_CLOUD] : 0)) /
            c->heat * step_seconds;
}

static void condense(struct cell *c)
{
    double at_end = saturated(c->t, c->pressure, false);
    double surplus = (fmax(c->vapour, least) - at_end) /
                     (1 + c->latent * c->latent * at_end / (gas_of_vapour * c->heat * c->t * c->t));
    double condensed = surplus > 0 ? fmin(surplus, fmax(c->vapour, 0)) : fmax(surplus, -c->cloud);
    c->vapour -= condensed;
    c->cloud = fmax(c->cloud + condensed, 0);
    c->t += condensed * c->latent / c->heat;
    c->cloud = c->cloud <= least ? 0 : c->cloud;
    c->ice = c->ice <= least ? 0 : c->ice;
}

static void compute_column(struct cell *c, int levels, double nudge, double fallen[3])
{
    for (int k = 0; k < levels; k++) {
        double vapour = fmax(c[k].vapour, least);
        c[k].heat = heat_of_air * (1 - vapour) + vapour * heat_of_vapour;
        c[k].latent = evaporation - (heat_of_water - heat_of_vapour) * (c[k].t - freezing);
        c[k].saturated1 = saturated(c[k].t, c[k].pressure, false);
        c[k].saturated2 = saturated(c[k].t, c[k].pressure, c[k].t < triple);
        c[k].humid1 = fmax(c[k].vapour / c[k].saturated1, least);
        c[k].humid2 = fmax(c[k].vapour / c[k].saturated2, least);
    }
    fall(c, levels, nudge, fallen);
    double rates[MOST_LEVELS][RATES] = {{0}}, cold[MOST_LEVELS];
    for (int k = 0; k < levels; k++) {
        cold[k] = freezing - c[k].t;
        melt_and_freeze(&c[k]);
    }
    for (int k = 0; k < levels; k++) {
        set_sizes(&c[k], cold[k]);
        c[k].crystals = crystals_of(&c[k]);
        set_warm_rates(&c[k], rates[k]);
    }
    for (int k = 0; k < levels; k++)
        if (cold[k] > 0)
            set_cold_rates(&c[k], cold[k], rates[k]);
    for (int k = 0; k < levels; k++)
        apply_rates(&c[k], rates[k]);
    for (int k = 0; k < levels; k++)
        condense(&c[k]);
}

/* ---- the air ---- */

/* Arrays of cells in the order of struct fields of kernels.cu, and of columns. */
enum { THETA, VAPOUR, CLOUD, ICE, RAIN, SNOW, EXNER, DENSITY, PRESSURE, THICKNESS, CELL_ARRAYS };
enum { RAIN_SUM, RAIN_NOW, SNOW_SUM, SNOW_NOW, SNOW_SHARE, COLUMN_ARRAYS };

struct air {
    const struct problem *p;
    size_t cells, columns;
    float *cell[CELL_ARRAYS], *column[COLUMN_ARRAYS];
};

struct storm {
    double x, y, radius;
};

static size_t cell_at(const struct problem *p, int x, int y, int k)
{
    return ((size_t)y * (size_t)p->levels + (size_t)k) * (size_t)p->width + (size_t)x;
}

/* Water in one cell: clouds, rain and snow are where a storm is, and at heights and temperatures where they belong. */
static void fill_cell(struct work *w, struct air *a, size_t at, double t, double pressure, double height, double storm)
{
    double some = 0.8 + 0.4 * (double)work_random_unit(w), humidity = fmin(0.5 + 0.1 * some + 0.45 * storm, 1.05);
    /* Cloud water does not last below -40 degrees (233 K), where the scheme freezes it: a little of it is there. */
    double amount[] = {[CLOUD] = t > 228 && height > 800 && height < 9500 ? 1e-3 * (storm - 0.3) : 0,
                       [ICE] = t < 263 ? 3e-4 * (storm - 0.2) : 0,
                       [RAIN] = t > 263 && height < 6000 ? 2e-3 * (storm - 0.4) : 0,
                       [SNOW] = t < 276 && height < 12000 ? 1e-3 * (storm - 0.3) : 0};
    a->cell[VAPOUR][at] = (float)(humidity * saturated(t, pressure, false));
    for (int kind = CLOUD; kind <= SNOW; kind++)
        a->cell[kind][at] = (float)(some * fmax(amount[kind], 0));
    /* Transport by wind leaves small negative amounts, which the scheme must drop. */
    if (work_random_below(w, 64) == 0)
        a->cell[CLOUD + (int)work_random_below(w, 4)][at] = -1e-8f;
}

static void fill_column(struct work *w, struct air *a, int x, int y, double storm)
{
    const struct problem *p = a->p;
    double ground = 284 + 8 * cos(2 * M_PI * y / p->depth) + work_random_unit(w), bottom = 1e5, height = 0;
    for (int k = 0; k < p->levels; k++) {
        size_t at = cell_at(p, x, y, k);
        double thickness = (200 + 35.0 * k * MOST_LEVELS / p->levels) * MOST_LEVELS / p->levels;
        double t = ground - 0.0065 * fmin(height + thickness / 2, 11000);
        double pressure = bottom * exp(-gravity * thickness / 2 / (gas_of_air * t));
        bottom *= exp(-gravity * thickness / (gas_of_air * t));
        height += thickness;
        a->cell[EXNER][at] = (float)pow(pressure / 1e5, gas_of_air / heat_of_air);
        a->cell[THETA][at] = (float)t / a->cell[EXNER][at];
        a->cell[PRESSURE][at] = (float)pressure;
        a->cell[DENSITY][at] = (float)(pressure / (gas_of_air * t));
        a->cell[THICKNESS][at] = (float)thickness;
        fill_cell(w, a, at, t, pressure, height - thickness / 2, storm);
    }
}

/* Storms are some columns wide, so that neighbouring columns have much the same weather. */
static struct air make_air(struct work *w, const struct problem *p)
{
    struct air a = {.p = p, .columns = (size_t)p->width * (size_t)p->depth};
    a.cells = a.columns * (size_t)p->levels;
    for (int i = 0; i < CELL_ARRAYS; i++)
        a.cell[i] = work_buffer(w, a.cells, sizeof *a.cell[i]);
    for (int i = 0; i < COLUMN_ARRAYS; i++)
        a.column[i] = work_buffer(w, a.columns, sizeof *a.column[i]);
    size_t storms = a.columns / 256 + 1;
    struct storm *storm = work_buffer(w, storms, sizeof *storm);
    for (size_t i = 0; i < storms; i++)
        storm[i] = (struct storm){work_random_unit(w) * (float)p->width, work_random_unit(w) * (float)p->depth,
                                  4 + 6 * work_random_unit(w)};
    for (int y = 0; y < p->depth; y++)
        for (int x = 0; x < p->width; x++) {
            double most = 0;
            for (size_t i = 0; i < storms; i++)
                most = fmax(most, exp(-(pow(x - storm[i].x, 2) + pow(y - storm[i].y, 2)) / pow(storm[i].radius, 2)));
            fill_column(w, &a, x, y, most);
        }
    return a;
}

/* ---- the comparison ---- */

static double distance(const struct problem *p, const struct cell *c, float *const *got, int x, int y)
{
    double sum = 0;
    for (int k = 0; k < p->levels; k++)
        sum += fabs(got[RAIN][cell_at(p, x, y, k)] - c[k].rain) + fabs(got[SNOW][cell_at(p, x, y, k)] - c[k].snow) +
               fabs(got[ICE][cell_at(p, x, y, k)] - c[k].ice);
    return sum;
}

/* Rounding may decide in how many steps things fall through a column, if the number of levels that they fall is next to
 * a whole number. Both numbers of steps are right, so the reference takes the one that the kernel took. */
static void want_column(const struct air *before, float *const *got, struct air *want, int x, int y)
{
    const struct problem *p = before->p;
    struct cell column[2][MOST_LEVELS] = {{{0}}};
    double fallen[2][3] = {{0}};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < p->levels; k++) {
            size_t at = cell_at(p, x, y, k);
            float *const *f = before->cell;
            column[i][k] = (struct cell){.t = (double)f[THETA][at] * f[EXNER][at],
                                         .vapour = f[VAPOUR][at],
                                         .cloud = fmax(f[CLOUD][at], 0),
                                         .ice = fmax(f[ICE][at], 0),
                                         .rain = fmax(f[RAIN][at], 0),
                                         .snow = fmax(f[SNOW][at], 0),
                                         .density = f[DENSITY][at],
                                         .pressure = f[PRESSURE][at],
                                         .thickness = f[THICKNESS][at]};
        }
        compute_column(column[i], p->levels, i ? 1 + 1e-5 : 1 - 1e-5, fallen[i]);
    }
    int i = distance(p, column[1], got, x, y) < distance(p, column[0], got, x, y);
    for (int k = 0; k < p->levels; k++) {
        size_t at = cell_at(p, x, y, k);
        const struct cell *c = &column[i][k];
        double values[] = {c->t / before->cell[EXNER][at], c->vapour, c->cloud, c->ice, c->rain, c->snow};
        for (int field = 0; field < FIELDS; field++)
            want->cell[field][at] = (float)values[field];
    }
    double to_mm = column[i][0].thickness / density_of_water * step_seconds * 1000;
    double all = (fallen[i][0] + fallen[i][1] + fallen[i][2]) * to_mm, frozen = (fallen[i][1] + fallen[i][2]) * to_mm;
    double values[] = {all, all, frozen, frozen, all > 0 ? frozen / (all + 1e-12) : 0};
    for (int field = 0; field < GROUND; field++)
        want->column[field][(size_t)y * (size_t)p->width + (size_t)x] = (float)values[field];
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct scheme s = derive_scheme();
    work_write(w, work_symbol(w, "s", sizeof s), &s, sizeof s);
    struct air before = make_air(w, p), got = before, want = before;
    CUdeviceptr fields[CELL_ARRAYS + COLUMN_ARRAYS];
    for (int i = 0; i < CELL_ARRAYS; i++) {
        fields[i] = work_upload(w, before.cell[i], before.cells * sizeof(float));
        got.cell[i] = work_buffer(w, before.cells, sizeof(float));
        want.cell[i] = work_buffer(w, before.cells, sizeof(float));
    }
    for (int i = 0; i < COLUMN_ARRAYS; i++) {
        fields[CELL_ARRAYS + i] = work_alloc(w, before.columns * sizeof(float));
        got.column[i] = work_buffer(w, before.columns, sizeof(float));
        want.column[i] = work_buffer(w, before.columns, sizeof(float));
    }
    float seconds = (float)step_seconds;
    int width = p->width, depth = p->depth, levels = p->levels;
    work_launch(w, "microphysics",
                (struct work_shape){.x = (unsigned)(width + SIDE - 1) / SIDE, .y = (unsigned)(depth + SIDE - 1) / SIDE},
                (struct work_shape){.x = SIDE, .y = SIDE}, 0, (void *[]){fields, &seconds, &width, &depth, &levels});
    for (int i = 0; i < FIELDS; i++)
        work_read(w, got.cell[i], fields[i], before.cells * sizeof(float));
    for (int i = 0; i < GROUND; i++)
        work_read(w, got.column[i], fields[CELL_ARRAYS + i], before.columns * sizeof(float));
    for (int y = 0; y < depth; y++)
        for (int x = 0; x < width; x++)
            want_column(&before, got.cell, &want, x, y);

    static const char *const cell_names[] = {"temperatures", "vapour", "cloud water", "cloud ice", "rain", "snow"};
    static const char *const column_names[] = {"sums of rain", "rain", "sums of snow", "snow", "shares of snow"};
    /* Arguments of exponential functions get to 10, so the mixing ratio of saturated air, 0.02 at most, is off by some
     * 2^-20 of itself; what condenses is the difference of vapour and saturation. Other rates come from powers with a
     * relative error of 2^-18, and change what is there by less than all of it. */
    work_compare_f32(w, cell_names[THETA], got.cell[THETA], want.cell[THETA], before.cells, 0x1p-20f, 0);
    for (int i = VAPOUR; i < FIELDS; i++)
        work_compare_f32(w, cell_names[i], got.cell[i], want.cell[i], before.cells, 1e-5f, 2e-8f);
    for (int i = 0; i < GROUND; i++)
        work_compare_f32(w, column_names[i], got.column[i], want.column[i], before.columns, 1e-5f, 1e-9f);
    work_say(w, "%dx%d columns, %d levels", width, depth, levels);
}

const struct workload workload = {.name = "wp", .run = run};
