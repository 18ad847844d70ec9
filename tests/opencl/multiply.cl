// The product of two square matrices of 16 rows: a[i] = i % 7, b[i] = i % 5.
// run: --grid 2,2 --block 8,8 --arg buf:f32[256] --arg 16
// expect: 0: 79 92 85 93 81 79 92 85 93 81 79 92 85 93 81 79 97 84 86 103 ... 100 97
__kernel void multiply(__global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum = mad((float)((y * n + k) % 7), (float)((k * n + x) % 5), sum);
    c[y * n + x] = sum;
}
