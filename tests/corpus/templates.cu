// C++ as device code: templates, lambdas, operators, constructors, references and a small fixed matrix.
#include "corpus.h"

template <typename T> struct complex_number {
    T re, im;
    __device__ complex_number(T r = 0, T i = 0) : re(r), im(i) {}
    __device__ complex_number operator*(const complex_number &o) const
    {
        return complex_number(re * o.re - im * o.im, re * o.im + im * o.re);
    }
    __device__ complex_number &operator+=(const complex_number &o)
    {
        re += o.re;
        im += o.im;
        return *this;
    }
    __device__ T norm() const { return re * re + im * im; }
};

template <typename T, int N> struct matrix {
    T cell[N][N];
    __device__ T &operator()(int r, int c) { return cell[r][c]; }
    __device__ T operator()(int r, int c) const { return cell[r][c]; }
};

template <typename T, int N> static __device__ T determinant(matrix<T, N> m)
{
    // Fraction-free elimination stays in integers.
    T sign = 1, previous = 1;
    for (int k = 0; k < N - 1; k++) {
        int pivot = k;
        while (pivot < N && m(pivot, k) == 0)
            pivot++;
        if (pivot == N)
            return 0;
        if (pivot != k) {
            for (int c = 0; c < N; c++) {
                T t = m(k, c);
                m(k, c) = m(pivot, c);
                m(pivot, c) = t;
            }
            sign = -sign;
        }
        for (int r = k + 1; r < N; r++)
            for (int c = k + 1; c < N; c++)
                m(r, c) = (m(r, c) * m(k, k) - m(r, k) * m(k, c)) / previous;
        previous = m(k, k);
    }
    return sign * m(N - 1, N - 1);
}

template <typename F> static __device__ void each(int n, F f)
{
    for (int k = 0; k < n; k++)
        f(k);
}

extern "C" __global__ void template_complex(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    complex_number<float> z(in[2 * i], in[2 * i + 1]), sum, power(1);
    each(4, [&](int k) {
        power = power * z;
        sum += complex_number<float>((float)(k + 1)) * power;
    });
    out[i] = sum.norm();
}

extern "C" __global__ void template_determinant(const s8 *in, s64 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    matrix<s64, 4> m;
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        m(k / 4, k % 4) = in[16 * i + k] % 5;
    out[i] = determinant(m);
}
