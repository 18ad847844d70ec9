// Temperatures of a chip: an explicit scheme over a grid of cells, several time steps a launch. A block of 16x16
// threads has a tile of 16x16 cells in shared memory. Each step makes the outermost ring of what was right before
// stale, so after `steps` of them the middle is right, and only it is written: tiles overlap by 2 * steps cells.

#include "device.h"

enum { TILE = 16 };

struct chip {
    float capacitance, resistance_x, resistance_y, resistance_z, seconds; // of a cell; of a step
};

extern "C" __global__ void heat(const float *power, const float *before, float *after, int columns, int rows,
                                int steps, chip c)
{
    __shared__ float now[TILE][TILE], watts[TILE][TILE], next[TILE][TILE];
    const float ambient = 80;
    float per_capacitance = c.seconds / c.capacitance;
    float conductance_x = 1 / c.resistance_x, conductance_y = 1 / c.resistance_y, conductance_z = 1 / c.resistance_z;

    int x = threadIdx.x, y = threadIdx.y, inner = TILE - 2 * steps;
    int left = inner * blockIdx.x - steps, top = inner * blockIdx.y - steps;
    int column = left + x, row = top + y, cell = row * columns + column;
    bool is_on_chip = column >= 0 && column < columns && row >= 0 && row < rows;
    if (is_on_chip) {
        now[y][x] = before[cell];
        watts[y][x] = power[cell];
    }
    __syncthreads();

    // What of the tile is on the chip. A cell at the chip's edge is its own neighbour out there: no heat flows.
    int first_x = max(0, -left), last_x = min(TILE - 1, columns - 1 - left);
    int first_y = max(0, -top), last_y = min(TILE - 1, rows - 1 - top);
    int north = max(y - 1, first_y), south = min(y + 1, last_y), west = max(x - 1, first_x), east = min(x + 1, last_x);

    bool is_right = false;
    for (int step = 1; step <= steps; step++) {
        is_right = false;
        if (x >= step && x < TILE - step && y >= step && y < TILE - step && x >= first_x && x <= last_x &&
            y >= first_y && y <= last_y) {
            is_right = true;
            float t = now[y][x];
            next[y][x] = t + per_capacitance * (watts[y][x] + (now[south][x] + now[north][x] - 2 * t) * conductance_y +
                                                (now[y][east] + now[y][west] - 2 * t) * conductance_x +
                                                (ambient - t) * conductance_z);
        }
        __syncthreads();
        if (step == steps)
            break;
        if (is_right)
            now[y][x] = next[y][x];
        __syncthreads();
    }
    if (is_right)
        after[cell] = next[y][x];
}
