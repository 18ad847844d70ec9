// AES-128: four threads encrypt a block of 16 bytes, one column (a word, its first byte lowest) each. A round of a
// column is four look-ups in tables that hold SubBytes and MixColumns together, and the round key; the tables are in
// shared memory, as are the columns, since a thread needs a byte of each of the four.

#include "device.h"

enum { THREADS = 256, ROUNDS = 10 };

// What a byte in row r of a state adds to its column after SubBytes and MixColumns: tables[r][byte].
__constant__ unsigned tables[4][THREADS];

extern "C" __global__ void encrypt(const unsigned *__restrict__ round_key, const unsigned *plain, unsigned *cipher)
{
    __shared__ unsigned table[4][THREADS], state[2][THREADS];
    unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t, column = t & 3, block = t & ~3u;
    for (int r = 0; r < 4; r++)
        table[r][t] = tables[r][t];
    state[0][t] = plain[i] ^ round_key[column];
    __syncthreads();

    // ShiftRows: row r of this column comes from r columns to the right.
    unsigned from1 = block + ((column + 1) & 3), from2 = block + ((column + 2) & 3), from3 = block + ((column + 3) & 3);
#pragma unroll // the original writes each round out
    for (int round = 1; round < ROUNDS; round++) {
        const unsigned *now = state[~round & 1];
        state[round & 1][t] = table[0][now[t] & 255] ^ table[1][now[from1] >> 8 & 255] ^
                              table[2][now[from2] >> 16 & 255] ^ table[3][now[from3] >> 24] ^
                              round_key[4 * round + column];
        __syncthreads();
    }

    // The last round mixes no columns. Row 2's table has the bare S-box in its byte 0, row 3's in 1, row 0's in 2 and
    // row 1's in 3: there MixColumns multiplies by one.
    const unsigned *now = state[~ROUNDS & 1];
    cipher[i] = (table[2][now[t] & 255] & 0xff) ^ (table[3][now[from1] >> 8 & 255] & 0xff00) ^
                (table[0][now[from2] >> 16 & 255] & 0xff0000) ^ (table[1][now[from3] >> 24] & 0xff000000) ^
                round_key[4 * ROUNDS + column];
}
