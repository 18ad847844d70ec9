// Terrain in two passes, one thread per pixel. The first blends four layers of ground by a map of weights, bends the
// terrain's normal by the layers' normal maps, and writes four render targets. The second lights each pixel from these
// targets. Textures are arrays of 8-bit colours that repeat; a pixel is one texel.

#include "device.h"

enum { LAYERS = 4, TEXTURE_SIDE = 256, LIGHTS = 4 };

// A light shines from one direction on everything.
struct light {
    float x, y, z;                // towards the light; length 1
    float red, green, blue;       // its colour
    float half_x, half_y, half_z; // halfway between the light and the eye, which is straight above; length 1
};

__constant__ light lights[LIGHTS];
__constant__ int2 origins[LAYERS]; // where the textures of a layer start on the map

struct view {
    int width, height;      // of the frame
    int map_side;           // of the maps of heights, weights and baked light: a power of two
    int scroll_x, scroll_y; // where the frame is on the maps
    float steepness;        // height of one unit of the height map, in texels
};

static __device__ __forceinline__ unsigned char round_to_byte(float value)
{
    return (unsigned char)(int)(fminf(fmaxf(value, 0), 255) + 0.5f);
}

// The targets. albedo: colour, and roughness in w. normal: coded as in normal maps, and the weight of the first layer
// in w. baked: colour times baked light. height: of the terrain.
extern "C" __global__ void lay_terrain(const float *heights, const uchar4 *weights, const uchar4 *baked_light,
                                       const uchar4 *colours, const uchar4 *normal_maps, uchar4 *albedo, uchar4 *normal,
                                       uchar4 *baked, float *height, view v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= v.width || y >= v.height)
        return;
    int mask = v.map_side - 1, map_x = (x + v.scroll_x) & mask, map_y = (y + v.scroll_y) & mask;
    int here = map_y * v.map_side + map_x, row = map_y * v.map_side;
    uchar4 share = weights[here];
    float weight[LAYERS] = {share.x * (1.0f / 255), share.y * (1.0f / 255), share.z * (1.0f / 255),
                            share.w * (1.0f / 255)};
    float red = 0, green = 0, blue = 0, rough = 0, bend_x = 0, bend_y = 0;
#pragma unroll
    for (int i = 0; i < LAYERS; i++) {
        int at_x = (map_x + origins[i].x) & (TEXTURE_SIDE - 1), at_y = (map_y + origins[i].y) & (TEXTURE_SIDE - 1);
        int at = (i * TEXTURE_SIDE + at_y) * TEXTURE_SIDE + at_x;
        uchar4 c = colours[at], n = normal_maps[at];
        red += weight[i] * c.x;
        green += weight[i] * c.y;
        blue += weight[i] * c.z;
        rough += weight[i] * c.w;
        bend_x += weight[i] * (n.x * (1.0f / 127.5f) - 1);
        bend_y += weight[i] * (n.y * (1.0f / 127.5f) - 1);
    }
    float east = heights[row + ((map_x + 1) & mask)], west = heights[row + ((map_x - 1) & mask)];
    float south = heights[((map_y + 1) & mask) * v.map_side + map_x],
          north = heights[((map_y - 1) & mask) * v.map_side + map_x];
    float n_x = bend_x - 0.5f * v.steepness * (east - west), n_y = bend_y - 0.5f * v.steepness * (south - north);
    float inverse = rsqrtf(n_x * n_x + n_y * n_y + 1);

    int pixel = y * v.width + x;
    uchar4 light_here = baked_light[here];
    albedo[pixel] = make_uchar4(round_to_byte(red), round_to_byte(green), round_to_byte(blue), round_to_byte(rough));
    normal[pixel] =
        make_uchar4(round_to_byte(127.5f + 127.5f * n_x * inverse), round_to_byte(127.5f + 127.5f * n_y * inverse),
                    round_to_byte(127.5f + 127.5f * inverse), share.x);
    baked[pixel] = make_uchar4(round_to_byte(red * light_here.x * (1.0f / 255)),
                               round_to_byte(green * light_here.y * (1.0f / 255)),
                               round_to_byte(blue * light_here.z * (1.0f / 255)), light_here.w);
    height[pixel] = heights[here];
}

extern "C" __global__ void light_terrain(const uchar4 *albedo, const uchar4 *normal, const uchar4 *baked,
                                         const float *height, uchar4 *frame, view v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= v.width || y >= v.height)
        return;
    int pixel = y * v.width + x;
    uchar4 a = albedo[pixel], n = normal[pixel], b = baked[pixel];
    float n_x = n.x * (1.0f / 127.5f) - 1, n_y = n.y * (1.0f / 127.5f) - 1, n_z = n.z * (1.0f / 127.5f) - 1;
    float gloss = 1 - a.w * (1.0f / 255), red = b.x, green = b.y, blue = b.z;
    for (int i = 0; i < LIGHTS; i++) {
        const light &l = lights[i];
        float diffuse = fmaxf(n_x * l.x + n_y * l.y + n_z * l.z, 0);
        float shine = fmaxf(n_x * l.half_x + n_y * l.half_y + n_z * l.half_z, 0);
        shine *= shine;
        shine *= shine;
        shine *= shine; // to the eighth
        float bright = 255 * gloss * shine;
        red += l.red * (diffuse * a.x + bright);
        green += l.green * (diffuse * a.y + bright);
        blue += l.blue * (diffuse * a.z + bright);
    }
    float fog = fminf(fmaxf(1 - height[pixel], 0), 1) * 0.25f; // valleys are misty
    frame[pixel] = make_uchar4(round_to_byte(red + (200 - red) * fog), round_to_byte(green + (210 - green) * fog),
                               round_to_byte(blue + (230 - blue) * fog), 255);
}
