// Vectors added, with a guard for the last block.
// run: --grid 3 --block 32 --arg buf:f32[80]=iota --arg buf:f32[80]=iota --arg buf:f32[81] --arg 80
// expect: 2: 0 2 4 6 8 10 12 14 ... 158 0
__kernel void add(__global const float *a, __global const float *b, __global float *c, int n)
{
    size_t i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
