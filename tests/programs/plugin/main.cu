// A program that loads a shared library with kernels of its own while it runs, uses it, unloads it, and loads it again.
#include "../common.cuh"
#include <dlfcn.h>
#include <string>
#include <unistd.h>

__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

int main()
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    std::string path(self, length > 0 ? length : 0);
    path += ".so";
    int *data, host[32];
    CHECK(cudaMalloc(&data, sizeof host));
    for (int round = 0; round < 2; round++) {
        fill<<<1, 32>>>(data);
        CHECK_KERNEL();
        void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            printf("no plugin: %s\n", dlerror());
            return 1;
        }
        int (*transform)(int *, int) = (int (*)(int *, int))dlsym(library, "plugin_transform");
        int calls = 0;
        for (int i = 0; i < 3; i++)
            calls = transform(data, 32);
        CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
        printf("round %d: calls %d last %d\n", round, calls, host[31]);
        dlclose(library);
        fill<<<1, 32>>>(data);
        CHECK_KERNEL();
    }
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("own kernel %d\n", host[31]);
    return 0;
}
