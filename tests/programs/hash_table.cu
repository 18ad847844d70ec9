// A hash table with open addresses: threads insert by compare-and-swap on 64 bits, look up, and remove.
#include "common.cuh"
#include <map>
#include <vector>

typedef unsigned long long slot;
const unsigned CAPACITY = 4096;
const slot EMPTY = ~0ull;

__device__ unsigned hash_of(unsigned key)
{
    key ^= key >> 16;
    key *= 0x85ebca6b;
    key ^= key >> 13;
    return key & (CAPACITY - 1);
}

__global__ void insert(slot *table, const unsigned *keys, const unsigned *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    slot entry = (slot)keys[i] << 32 | values[i];
    for (unsigned at = hash_of(keys[i]);; at = (at + 1) & (CAPACITY - 1)) {
        slot old = atomicCAS(&table[at], EMPTY, entry);
        if (old == EMPTY)
            return;
        if (old >> 32 == keys[i]) {
            atomicMin(&table[at], entry);
            return;
        }
    }
}

__global__ void find(const slot *table, const unsigned *keys, unsigned *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    values[i] = 0xffffffff;
    for (unsigned at = hash_of(keys[i]); table[at] != EMPTY; at = (at + 1) & (CAPACITY - 1))
        if (table[at] >> 32 == keys[i]) {
            values[i] = (unsigned)table[at];
            return;
        }
}

int main()
{
    const int n = 3000;
    std::vector<unsigned> keys(n), values(n), got(n);
    std::map<unsigned, unsigned> expected;
    numbers random(21);
    for (int i = 0; i < n; i++) {
        keys[i] = random.below(5000);
        values[i] = random.below(1 << 20);
        auto found = expected.find(keys[i]);
        if (found == expected.end() || values[i] < found->second)
            expected[keys[i]] = values[i];
    }
    slot *table;
    unsigned *d_keys, *d_values;
    CHECK(cudaMalloc(&table, CAPACITY * sizeof *table));
    CHECK(cudaMalloc(&d_keys, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_values, n * sizeof(unsigned)));
    CHECK(cudaMemset(table, 0xff, CAPACITY * sizeof *table));
    CHECK(cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_values, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    insert<<<(n + 127) / 128, 128>>>(table, d_keys, d_values, n);
    for (int i = 0; i < n; i++)
        keys[i] = i * 2;
    CHECK(cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    find<<<(n + 127) / 128, 128>>>(table, d_keys, d_values, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(got.data(), d_values, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    int found = 0, right = 0;
    for (int i = 0; i < n; i++) {
        auto e = expected.find(keys[i]);
        right += got[i] == (e == expected.end() ? 0xffffffff : e->second);
        found += got[i] != 0xffffffff;
    }
    printf("distinct %zu found %d right %d of %d\n", expected.size(), found, right, n);
    return 0;
}
