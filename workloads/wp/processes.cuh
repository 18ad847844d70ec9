// Water changes its kind: what happens within one level in one time step. Included by kernels.cu.

// One level, in registers.
struct level {
    float t, vapour, cloud, ice, rain, snow;
    float density, pressure, heat, latent, saturated1, saturated2;
};

// Per second: from what to what.
struct rates {
    float cloud_to_rain, rain_takes_cloud, rain_vapour;                                                     // warm
    float ice_to_snow, snow_takes_ice, snow_takes_cloud, new_ice, ice_vapour, snow_vapour, wet_snow_vapour; // cold
};

// Melting of ice and freezing of cloud water and rain, which take no time.
DEVICE_FUNCTION void melt_and_freeze(level &l, float slope, float cold, float seconds)
{
    float fused = sublimation - l.latent;
    if (cold < 0)
        fused = fusion;
    if (cold < 0 && l.ice > 0) {
        l.cloud += l.ice;
        l.t -= fused / l.heat * l.ice;
        l.ice = 0;
    }
    if (cold > 40 && l.cloud > 0) {
        l.ice += l.cloud;
        l.t += fused / l.heat * l.cloud;
        l.cloud = 0;
    }
    if (cold > 0 && l.cloud > 0) {
        float frozen = fminf(freeze_factor * (expf(freeze_exponent * cold) - 1) * l.density / density_of_water /
                                 droplets * l.cloud * l.cloud * seconds,
                             l.cloud);
        l.ice += frozen;
        l.t += fused / l.heat * frozen;
        l.cloud -= frozen;
    }
    if (cold > 0 && l.rain > 0) {
        float slope7 = slope * slope * slope * slope * slope * slope * slope;
        float frozen = fminf(20 * (pi * pi) * freeze_factor * rain_intercept * density_of_water / l.density *
                                 (expf(freeze_exponent * cold) - 1) * slope7 * seconds,
                             l.rain);
        l.snow += frozen;
        l.t += fused / l.heat * frozen;
        l.rain -= frozen;
    }
}

DEVICE_FUNCTION void rain_forms(const level &l, const state *c, int k, rates &r, float divisor1, float ventilation,
                                float seconds)
{
    float per_second = (fmaxf(l.vapour, least) - l.saturated1) / seconds;
    if (l.cloud > s.autoconversion_from) {
        r.cloud_to_rain = s.autoconversion * power(l.cloud, 7.0f / 3.0f);
        r.cloud_to_rain = fminf(r.cloud_to_rain, l.cloud / seconds);
    }
    if (l.rain > least_fallen && l.cloud > least)
        r.rain_takes_cloud =
            fminf(s.rain_accretion * c[k].rain_slope3 * c[k].rain_slope_b * l.cloud * c[k].thin_air, l.cloud / seconds);
    if (l.rain > 0) {
        float surface = c[k].rain_slope2 * sqrtf(c[k].rain_slope * c[k].rain_slope_b);
        r.rain_vapour =
            (c[k].humid1 - 1) * (s.rain_vapour1 * c[k].rain_slope2 + s.rain_vapour2 * ventilation * surface) / divisor1;
        if (r.rain_vapour < 0) {
            r.rain_vapour = fmaxf(r.rain_vapour, -l.rain / seconds);
            r.rain_vapour = fmaxf(r.rain_vapour, per_second / 2);
        } else {
            r.rain_vapour = fminf(r.rain_vapour, per_second / 2);
        }
    }
}

// Below freezing. Once all supersaturation is used up, nothing more comes from vapour.
DEVICE_FUNCTION void snow_forms(const level &l, const state *c, int k, rates &r, float divisor2, float ventilation,
                                float cold, float crystals, float seconds)
{
    float surplus = fmaxf(l.vapour, least) - l.saturated2, per_second = surplus / seconds, per = 1 / seconds;
    bool is_used_up = false;
    if (l.snow > least_fallen && l.ice > least) {
        float diameter = fminf(crystal_size * sqrtf(l.density * l.ice / crystals), most_crystal);
        float ice_speed = 1.49e4f * power(diameter, 1.31f);
        float snow_speed = s.snow_fall * c[k].snow_slope_b * c[k].thin_air;
        float area = 2 * c[k].snow_slope3 + 2 * diameter * c[k].snow_slope2 + diameter * diameter * c[k].snow_slope;
        r.snow_takes_ice = pi * l.ice * expf(-0.07f * cold) * snow_intercept * c[k].snow_more *
                           fabsf(snow_speed - ice_speed) * area * 0.25f;
    }
    if (l.ice > 0 && !is_used_up) {
        float diameter = crystal_size * sqrtf(l.density * l.ice / crystals);
        r.ice_vapour = 4 * diameter * crystals * (c[k].humid2 - 1) / divisor2;
        float left = per_second - r.rain_vapour;
        if (r.ice_vapour < 0) {
            r.ice_vapour = fmaxf(fmaxf(r.ice_vapour, per_second * 0.5f), left);
            r.ice_vapour = fmaxf(r.ice_vapour, -l.ice * per);
        } else {
            r.ice_vapour = fminf(fminf(r.ice_vapour, per_second * 0.5f), left);
        }
        if (fabsf(r.rain_vapour + r.ice_vapour) >= fabsf(per_second))
            is_used_up = true;
    }
    if (l.snow > 0 && !is_used_up) {
        float surface = c[k].snow_slope2 * sqrtf(c[k].snow_slope * c[k].snow_slope_b);
        r.snow_vapour = (c[k].humid2 - 1) * c[k].snow_more *
                        (s.snow_vapour1 * c[k].snow_slope2 + s.snow_vapour2 * ventilation * surface) / divisor2;
        float left = per_second - r.rain_vapour - r.ice_vapour;
        if (r.snow_vapour < 0) {
            r.snow_vapour = fmaxf(r.snow_vapour, -l.snow * per);
            r.snow_vapour = fmaxf(fmaxf(r.snow_vapour, per_second * 0.5f), left);
        } else {
            r.snow_vapour = fminf(fminf(r.snow_vapour, per_second * 0.5f), left);
        }
        if (fabsf(r.rain_vapour + r.ice_vapour + r.snow_vapour) >= fabsf(per_second))
            is_used_up = true;
    }
    if (surplus > 0 && !is_used_up) {
        float left = per_second - r.rain_vapour - r.ice_vapour - r.snow_vapour;
        float nuclei = 4.92e-11f * power(1e3f * expf(0.1f * cold), 1.33f);
        r.new_ice = fmaxf(0.0f, (nuclei / l.density - fmaxf(l.ice, 0.0f)) * per);
        r.new_ice = fminf(fminf(r.new_ice, per_second), left);
    }
    if (l.ice > 0)
        r.ice_to_snow = fmaxf(0.0f, (l.ice - s.most_ice / l.density) * per);
}

// No kind of water may lose more than there is: its losses shrink alike.
DEVICE_FUNCTION float share_of(float there_is, float lost)
{
    return there_is / lost;
}

DEVICE_FUNCTION void change_in_cold(level &l, rates &r, float seconds)
{
    float there_is = fmaxf(least, l.cloud);
    float lost = (r.cloud_to_rain + r.rain_takes_cloud + r.snow_takes_cloud) * seconds;
    if (lost > there_is) {
        float share = share_of(there_is, lost);
        r.cloud_to_rain *= share;
        r.rain_takes_cloud *= share;
        r.snow_takes_cloud *= share;
    }
    there_is = fmaxf(least, l.ice);
    lost = (r.ice_to_snow + r.snow_takes_ice - r.new_ice - r.ice_vapour) * seconds;
    if (lost > there_is) {
        float share = share_of(there_is, lost);
        r.ice_to_snow *= share;
        r.snow_takes_ice *= share;
        r.new_ice *= share;
        r.ice_vapour *= share;
    }
    there_is = fmaxf(least, l.rain);
    lost = (-r.cloud_to_rain - r.rain_takes_cloud - r.rain_vapour) * seconds;
    if (lost > there_is) {
        float share = share_of(there_is, lost);
        r.cloud_to_rain *= share;
        r.rain_takes_cloud *= share;
        r.rain_vapour *= share;
    }
    there_is = fmaxf(least, l.snow);
    lost = (-r.snow_vapour - r.ice_to_snow - r.snow_takes_ice - r.snow_takes_cloud) * seconds;
    if (lost > there_is) {
        float share = share_of(there_is, lost);
        r.snow_vapour *= share;
        r.ice_to_snow *= share;
        r.snow_takes_ice *= share;
        r.snow_takes_cloud *= share;
    }
    l.vapour -= (r.rain_vapour + r.snow_vapour + r.new_ice + r.ice_vapour) * seconds;
    l.cloud = fmaxf(l.cloud - (r.cloud_to_rain + r.rain_takes_cloud + r.snow_takes_cloud) * seconds, 0.0f);
    l.rain = fmaxf(l.rain + (r.cloud_to_rain + r.rain_takes_cloud + r.rain_vapour) * seconds, 0.0f);
    l.ice = fmaxf(l.ice - (r.ice_to_snow + r.snow_takes_ice - r.new_ice - r.ice_vapour) * seconds, 0.0f);
    l.snow = fmaxf(l.snow + (r.snow_vapour + r.ice_to_snow + r.snow_takes_ice + r.snow_takes_cloud) * seconds, 0.0f);
    float warmth = sublimation * (r.snow_vapour + r.ice_vapour + r.new_ice) + l.latent * r.rain_vapour +
                   (sublimation - l.latent) * r.snow_takes_cloud;
    l.t += warmth / l.heat * seconds;
}

DEVICE_FUNCTION void change_in_warmth(level &l, rates &r, float seconds)
{
    float there_is = fmaxf(least, l.cloud);
    float lost = (r.cloud_to_rain + r.rain_takes_cloud + r.snow_takes_cloud) * seconds;
    if (lost > there_is) {
        float share = share_of(there_is, lost);
        r.cloud_to_rain *= share;
        r.rain_takes_cloud *= share;
        r.snow_takes_cloud *= share;
    }
    there_is = fmaxf(least, l.rain);
    lost = (-r.cloud_to_rain - r.rain_takes_cloud - r.rain_vapour - r.snow_takes_cloud) * seconds;
    if (lost > there_is) {
        float share = share_of(there_is, lost);
        r.cloud_to_rain *= share;
        r.rain_takes_cloud *= share;
        r.rain_vapour *= share;
        r.snow_takes_cloud *= share;
    }
    there_is = fmaxf(least_fallen, l.snow);
    lost = -r.wet_snow_vapour * seconds;
    if (lost > there_is)
        r.wet_snow_vapour *= share_of(there_is, lost);
    l.vapour -= (r.rain_vapour + r.wet_snow_vapour) * seconds;
    l.cloud = fmaxf(l.cloud - (r.cloud_to_rain + r.rain_takes_cloud + r.snow_takes_cloud) * seconds, 0.0f);
    l.rain =
        fmaxf(l.rain + (r.cloud_to_rain + r.rain_takes_cloud + r.rain_vapour + r.snow_takes_cloud) * seconds, 0.0f);
    l.snow = fmaxf(l.snow + r.wet_snow_vapour * seconds, 0.0f);
    l.t += l.latent * (r.rain_vapour + r.wet_snow_vapour) / l.heat * seconds;
}

// Cloud water comes from vapour beyond saturation, or evaporates up to it.
DEVICE_FUNCTION void condense(level &l, float seconds)
{
    l.saturated1 = saturated_at(pressure_over_water(l.t), l.pressure);
    float surplus = (fmaxf(l.vapour, least) - l.saturated1) /
                    (1 + l.latent * l.latent / (gas_of_vapour * l.heat) * l.saturated1 / (l.t * l.t));
    float condensed = fminf(fmaxf(surplus / seconds, 0.0f), fmaxf(l.vapour, 0.0f) / seconds);
    if (l.cloud > 0 && surplus < 0)
        condensed = fmaxf(surplus, -l.cloud) / seconds;
    l.vapour -= condensed * seconds;
    l.cloud = fmaxf(l.cloud + condensed * seconds, 0.0f);
    l.t += condensed * l.latent / l.heat * seconds;
    if (l.cloud <= least)
        l.cloud = 0;
    if (l.ice <= least)
        l.ice = 0;
}

DEVICE_FUNCTION void change_phases(const fields &f, state *c, int k, int at, float seconds)
{
    level l = {c[k].t,        f.vapour[at],   f.cloud[at], f.ice[at],   f.rain[at],      f.snow[at],
               f.density[at], f.pressure[at], c[k].heat,   c[k].latent, c[k].saturated1, c[k].saturated2};
    rates r = {};
    float cold = freezing - l.t;
    melt_and_freeze(l, c[k].rain_slope, cold, seconds);
    set_slopes(c, k, l.density, l.rain, l.snow);
    float divisor1 = growth_divisor(l.latent, l.pressure, l.t, l.density, l.saturated1);
    float divisor2 = growth_divisor(sublimation, l.pressure, l.t, l.density, l.saturated2);
    float ventilation = ventilation_of(l.pressure, l.t, l.density);
    rain_forms(l, c, k, r, divisor1, ventilation, seconds);
    c[k].crystals = crystals_of(l.density, l.ice);
    if (l.snow > least_fallen && l.cloud > least)
        r.snow_takes_cloud =
            fminf(s.snow_accretion * c[k].snow_more * c[k].snow_slope3 * c[k].snow_slope_b * l.cloud * c[k].thin_air,
                  l.cloud / seconds);
    if (cold > 0)
        snow_forms(l, c, k, r, divisor2, ventilation, cold, c[k].crystals, seconds);
    if (cold < 0) {
        if (l.snow > 0 && c[k].humid1 < 1)
            r.wet_snow_vapour = r.snow_vapour * divisor2 / divisor1;
        r.wet_snow_vapour = fminf(fmaxf(r.wet_snow_vapour, -l.snow / seconds), 0.0f);
    }
    if (l.t <= freezing)
        change_in_cold(l, r, seconds);
    else
        change_in_warmth(l, r, seconds);
    condense(l, seconds);
    f.vapour[at] = l.vapour;
    c[k].t = l.t;
    f.rain[at] = l.rain;
    f.cloud[at] = l.cloud;
    f.snow[at] = l.snow;
    f.ice[at] = l.ice;
    c[k].saturated1 = l.saturated1;
}
