// Sums of all before, by the sweep up and down a tree.
// run: --grid 1 --block 32 --arg buf:u32[64]=iota
// expect: 0: 0 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120 136 153 171 ... 1891 1953
__kernel void scan(__global uint *data)
{
    __local uint tree[64];
    uint t = get_local_id(0), n = 64, distance = 1;
    tree[2 * t] = data[2 * t];
    tree[2 * t + 1] = data[2 * t + 1];
    for (uint d = n / 2; d; d /= 2, distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d)
            tree[distance * (2 * t + 2) - 1] += tree[distance * (2 * t + 1) - 1];
    }
    if (t == 0)
        tree[n - 1] = 0;
    for (uint d = 1; d < n; d *= 2) {
        distance /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) {
            uint left = distance * (2 * t + 1) - 1, right = distance * (2 * t + 2) - 1, kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[2 * t] = tree[2 * t];
    data[2 * t + 1] = tree[2 * t + 1];
}
