// Training of a neural network with one hidden layer of 16 units: the sums over the input units, forwards, and the new
// weights of the input layer, backwards. A block of 16x16 threads has 16 input units (y) and all hidden units (x). Unit
// 0 of each layer is the bias, which threads skip: weights have 17 columns, and one row more than there are inputs.

#include "device.h"

enum { WIDTH = 16, HEIGHT = 16 };

// Each block multiplies inputs with weights and adds the products in pairs, pairs of pairs and so on; `partial` gets
// one sum per hidden unit and block. The products and the sums on the way are left in `weights`.
extern "C" __global__ void forward(const float *input, float *weights, float *partial, int hidden)
{
    __shared__ float node[HEIGHT];
    __shared__ float product[HEIGHT][WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    int unit = HEIGHT * blockIdx.y + y + 1, weight = unit * (hidden + 1) + x + 1;

    if (x == 0)
        node[y] = input[unit];
    __syncthreads();
    product[y][x] = weights[weight];
    __syncthreads();
    product[y][x] = product[y][x] * node[y];
    __syncthreads();
    for (int i = 1; i <= __log2f(HEIGHT); i++) {
        int span = __powf(2, i);
        if (y % span == 0)
            product[y][x] = product[y][x] + product[y + span / 2][x];
        __syncthreads();
    }
    weights[weight] = product[y][x];
    __syncthreads();
    if (x == 0)
        partial[blockIdx.y * hidden + y] = product[x][y];
}

extern "C" __global__ void adjust(const float *delta, int hidden, const float *input, float *weights, float *changes)
{
    const float rate = 0.3f, momentum = 0.3f;
    int x = threadIdx.x, y = threadIdx.y;
    int unit = HEIGHT * blockIdx.y + y + 1, hidden_unit = x + 1, weight = unit * (hidden + 1) + hidden_unit;

    weights[weight] += rate * delta[hidden_unit] * input[unit] + momentum * changes[weight];
    changes[weight] = rate * delta[hidden_unit] * input[unit] + momentum * changes[weight];
    __syncthreads();
    if (y == 0 && blockIdx.y == 0) {
        weights[hidden_unit] += rate * delta[hidden_unit] + momentum * changes[hidden_unit];
        changes[hidden_unit] = rate * delta[hidden_unit] + momentum * changes[hidden_unit];
    }
}
