// Classes with virtual functions, made and destroyed on the device; pure virtual bases, diamonds, virtual destructors.
#include "common.cuh"

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};
__device__ int destroyed;

struct rectangle : shape {
    int w, h;
    __device__ rectangle(int w_, int h_) : w(w_), h(h_) {}
    __device__ int area() const override { return w * h; }
    __device__ ~rectangle() override { atomicAdd(&destroyed, 1); }
};
struct square : rectangle {
    __device__ explicit square(int side) : rectangle(side, side) {}
    __device__ int area() const override { return rectangle::area() + 1000; }
};
struct triangle : shape {
    int base, height;
    __device__ triangle(int b, int h) : base(b), height(h) {}
    __device__ int area() const override { return base * height / 2; }
    __device__ ~triangle() override { atomicAdd(&destroyed, 100); }
};

struct named {
    int name;
    __device__ virtual int tell() const { return name; }
};
struct left : virtual named {
    __device__ int tell() const override { return name * 2; }
};
struct right : virtual named {
    int more = 5;
};
struct both : left, right {
    __device__ int tell() const override { return left::tell() + more; }
};

__global__ void make(shape **shapes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    switch (i % 3) {
    case 0:
        shapes[i] = new rectangle(i, 2);
        break;
    case 1:
        shapes[i] = new square(i);
        break;
    default:
        shapes[i] = new triangle(i, 4);
    }
}

__global__ void measure(shape **shapes, int *areas, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        areas[i] = shapes[n - 1 - i]->area();
}

__global__ void destroy(shape **shapes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        delete shapes[i];
}

__global__ void diamond(int *out)
{
    both object;
    object.name = threadIdx.x;
    const named *base = &object;
    const right *side = &object;
    out[threadIdx.x] = base->tell() * 1000 + side->tell();
}

int main()
{
    const int n = 100;
    shape **shapes;
    int *areas, host[n], count = 0;
    CHECK(cudaMalloc(&shapes, n * sizeof *shapes));
    CHECK(cudaMalloc(&areas, sizeof host));
    make<<<4, 32>>>(shapes, n);
    measure<<<4, 32>>>(shapes, areas, n);
    destroy<<<4, 32>>>(shapes, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, areas, sizeof host, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int area : host)
        sum += area;
    printf("areas %d %d %d sum %lld\n", host[99], host[98], host[97], sum);
    CHECK(cudaMemcpyFromSymbol(&count, destroyed, sizeof count));
    printf("destroyed %d\n", count);
    diamond<<<1, 4>>>(areas);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, areas, 4 * sizeof(int), cudaMemcpyDeviceToHost));
    printf("diamond %d %d %d %d\n", host[0], host[1], host[2], host[3]);
    return 0;
}
