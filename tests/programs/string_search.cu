// Several words sought in a long text: words in constant memory, hits in a list that an atomic counter grows.
#include "common.cuh"
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

const int WORDS = 4, LONGEST = 16;
__constant__ char words[WORDS][LONGEST];

__global__ void search(const char *text, int length, int2 *hits, int *count, int room)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    for (int w = 0; w < WORDS; w++) {
        int k = 0;
        while (words[w][k] && i + k < length && text[i + k] == words[w][k])
            k++;
        if (words[w][k] == 0) {
            int at = atomicAdd(count, 1);
            if (at < room)
                hits[at] = make_int2(i, w);
        }
    }
}

int main()
{
    const char *sought[WORDS] = {"warp", "thread block", "war", "divergence"};
    char table[WORDS][LONGEST] = {};
    for (int w = 0; w < WORDS; w++)
        strcpy(table[w], sought[w]);
    CHECK(cudaMemcpyToSymbol(words, table, sizeof table));
    std::string text;
    const char *pieces[] = {"the warp waits ", "a thread block of a warp ", "divergence costs ", "warm wares ",
                            "no word "};
    numbers random(9);
    while (text.size() < 20000)
        text += pieces[random.below(5)];
    char *device;
    int2 *hits;
    int *count, found = 0;
    const int room = 8192;
    CHECK(cudaMalloc(&device, text.size()));
    CHECK(cudaMalloc(&hits, room * sizeof *hits));
    CHECK(cudaMalloc(&count, sizeof *count));
    CHECK(cudaMemset(count, 0, sizeof *count));
    CHECK(cudaMemcpy(device, text.data(), text.size(), cudaMemcpyHostToDevice));
    search<<<(text.size() + 255) / 256, 256>>>(device, text.size(), hits, count, room);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost));
    std::vector<int2> list(found);
    CHECK(cudaMemcpy(list.data(), hits, found * sizeof(int2), cudaMemcpyDeviceToHost));
    std::sort(list.begin(), list.end(), [](int2 a, int2 b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    int counts[WORDS] = {};
    bool right = true;
    for (int2 hit : list) {
        counts[hit.y]++;
        right = right && text.compare(hit.x, strlen(sought[hit.y]), sought[hit.y]) == 0;
    }
    for (int w = 0; w < WORDS; w++)
        printf("%s %d\n", sought[w], counts[w]);
    printf("right %d fingerprint %08x\n", right, fingerprint(list.data(), found * sizeof(int2)));
    return 0;
}
