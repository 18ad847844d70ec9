// Bodies that attract each other, tile by tile; positions after some steps, rounded.
#include "common.cuh"
#include <cmath>
#include <vector>

const int TILE = 64;

__global__ void step(const float4 *from, float4 *to, float3 *velocity, int n, float dt)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = from[i];
    float3 pull = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += TILE) {
        tile[threadIdx.x] = from[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float x = tile[j].x - me.x, y = tile[j].y - me.y, z = tile[j].z - me.z;
            float square = x * x + y * y + z * z + 0.01f;
            float inverse = rsqrtf(square);
            float force = tile[j].w * inverse * inverse * inverse;
            pull.x += x * force;
            pull.y += y * force;
            pull.z += z * force;
        }
        __syncthreads();
    }
    float3 v = velocity[i];
    v.x += pull.x * dt;
    v.y += pull.y * dt;
    v.z += pull.z * dt;
    velocity[i] = v;
    to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

int main()
{
    const int n = 256;
    std::vector<float4> bodies(n);
    numbers random(42);
    for (float4 &b : bodies)
        b = make_float4(random.below(1000) / 500.0f - 1, random.below(1000) / 500.0f - 1,
                        random.below(1000) / 500.0f - 1, 0.001f * (1 + random.below(10)));
    std::vector<float4> start = bodies;
    float4 *a, *b;
    float3 *velocity;
    CHECK(cudaMalloc(&a, n * sizeof(float4)));
    CHECK(cudaMalloc(&b, n * sizeof(float4)));
    CHECK(cudaMalloc(&velocity, n * sizeof(float3)));
    CHECK(cudaMemset(velocity, 0, n * sizeof(float3)));
    CHECK(cudaMemcpy(a, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    for (int s = 0; s < 10; s++) {
        step<<<n / TILE, TILE>>>(a, b, velocity, n, 0.01f);
        std::swap(a, b);
    }
    CHECK_KERNEL();
    CHECK(cudaMemcpy(bodies.data(), a, n * sizeof(float4), cudaMemcpyDeviceToHost));
    double centre[3] = {}, before[3] = {}, moved = 0;
    for (int i = 0; i < n; i++) {
        centre[0] += bodies[i].x * bodies[i].w;
        centre[1] += bodies[i].y * bodies[i].w;
        centre[2] += bodies[i].z * bodies[i].w;
        before[0] += start[i].x * start[i].w;
        before[1] += start[i].y * start[i].w;
        before[2] += start[i].z * start[i].w;
        moved += std::fabs(bodies[i].x - start[i].x);
    }
    double drift =
        std::fabs(centre[0] - before[0]) + std::fabs(centre[1] - before[1]) + std::fabs(centre[2] - before[2]);
    fact("the centre of mass stays", drift < 1e-4);
    fact("bodies move", moved > 0.1);
    for (int i = 0; i < n; i += 100)
        printf("body %d %.2f %.2f %.2f\n", i, bodies[i].x + 10, bodies[i].y + 10, bodies[i].z + 10);
    return 0;
}
