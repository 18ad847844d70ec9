// kind: condition in a loop
// line: 34
// gain: yes
// why: at each step of the grid walk about a fifth of the lanes stands in an occupied voxel and tests its spheres while the others wait; stepping on to the next occupied voxel first would gather them
// Rays walk through a periodic voxel grid (3D DDA) for a fixed number of steps; occupied voxels hold six spheres each.
#include "../program.h"

constexpr int G = 32, SPHERES = 6;
struct Ray { float ox, oy, oz, dx, dy, dz; };

// thickness of a voxel's spheres along the ray
__host__ __device__ inline float chord(int x, int y, int z, const Ray &r) {
    float cover = 0.0f;
    uint32_t h = uint32_t(x * 73 + y * 179 + z * 283) * 2654435761u;
    for (int s = 0; s < SPHERES; ++s) {
        h = h * 1664525u + 1013904223u;
        float px = x + (h >> 24) * (1.0f / 256.0f) - r.ox, py = y + (h >> 16 & 255u) * (1.0f / 256.0f) - r.oy, pz = z + (h >> 8 & 255u) * (1.0f / 256.0f) - r.oz;
        float along = px * r.dx + py * r.dy + pz * r.dz;
        float miss = px * px + py * py + pz * pz - along * along;
        float in = 0.09f - miss;
        cover += sqrtf(fmaxf(in, 0.0f));
    }
    return cover;
}

__host__ __device__ inline float walk(const unsigned char *grid, const Ray &r, int steps) {
    int x = int(r.ox), y = int(r.oy), z = int(r.oz);
    const int sx = r.dx > 0 ? 1 : -1, sy = r.dy > 0 ? 1 : -1, sz = r.dz > 0 ? 1 : -1;
    const float ax = 1.0f / fabsf(r.dx), ay = 1.0f / fabsf(r.dy), az = 1.0f / fabsf(r.dz);
    float tx = (sx > 0 ? x + 1 - r.ox : r.ox - x) * ax, ty = (sy > 0 ? y + 1 - r.oy : r.oy - y) * ay, tz = (sz > 0 ? z + 1 - r.oz : r.oz - z) * az;
    float depth = 0.0f;
    for (int i = 0; i < steps; ++i) {
        int cell = ((z & (G - 1)) * G + (y & (G - 1))) * G + (x & (G - 1));
        if (grid[cell])
            depth += chord(x, y, z, r);
        bool in_x = tx < ty && tx < tz, in_y = !in_x && ty < tz;
        x += in_x ? sx : 0;
        y += in_y ? sy : 0;
        z += in_x || in_y ? 0 : sz;
        tx += in_x ? ax : 0.0f;
        ty += in_y ? ay : 0.0f;
        tz += in_x || in_y ? 0.0f : az;
    }
    return depth;
}

__global__ void cast(const unsigned char *__restrict__ grid, const Ray *__restrict__ rays, int n, int steps, float *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Ray r = rays[i];
    out[i] = walk(grid, r, steps);
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 512);
    Lcg g(13);
    const int n = 8192 * opt.scale, steps = 64;
    std::vector<unsigned char> grid(G * G * G);
    for (auto &v : grid) v = g.below(100) < 18;
    std::vector<Ray> rays(n);
    for (auto &r : rays) {
        float x = g.uni() - 0.5f, y = g.uni() - 0.5f, z = g.uni() - 0.5f, l = 1 / std::sqrt(x * x + y * y + z * z + 1e-6f);
        auto safe = [](float v) { return std::fabs(v) < 1e-3f ? 1e-3f : v; };
        r = {g.uni() * G, g.uni() * G, g.uni() * G, safe(x * l), safe(y * l), safe(z * l)};
    }
    Dev<unsigned char> dg(grid);
    Dev<Ray> dr(rays);
    Dev<float> out(n);
    opt.bench([&] { cast<<<(n + 127) / 128, 128>>>(dg.p, dr.p, n, steps, out.p); });
    std::vector<float> want;
    if (!opt.big) for (auto &r : rays) want.push_back(walk(grid.data(), r, steps));
    return report(out.host(), want, 2e-2, 0.01);
}
