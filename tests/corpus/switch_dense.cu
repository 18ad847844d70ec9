// A dense switch in a loop: an interpreter of a small byte code, a different program in every thread.
// By default nvcc 13 compares its way even through a dense switch; the flag gives it a jump table (brx.idx).
// flags: -Xcicc -jump-table-density=1
#include "corpus.h"

extern "C" __global__ void switch_dense(const u8 *programs, u32 *out, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const u8 *code = programs + i * length;
    u32 a = (u32)i, b = 1, steps = 0;
    for (int pc = 0; pc < length && steps < 200; pc++, steps++) {
        u32 argument = code[pc] >> 4;
        switch (code[pc] & 15) {
        case 0:
            a += argument;
            break;
        case 1:
            a -= b;
            break;
        case 2:
            a *= 2 * argument + 1;
            break;
        case 3:
            b ^= a;
            break;
        case 4:
            a = a >> 3 | a << 29;
            break;
        case 5: {
            u32 t = a;
            a = b;
            b = t;
            break;
        }
        case 6:
            if (a & 1)
                pc += (int)(argument & 3);
            break;
        case 7:
            b = b * 5 + argument;
            break;
        case 8:
            a = ~a;
            break;
        case 9:
            a |= b; /* fall through */
        case 10:
            b += 3;
            break;
        case 11:
            if (b % 7 == argument)
                return;
            break;
        case 12:
            a = a / (argument + 1);
            break;
        case 13:
            if (steps < 60)
                pc = (int)argument;
            break;
        case 14:
            b = min(a, b);
            break;
        default:
            a ^= argument << 8;
            break;
        }
    }
    out[2 * i] = a;
    out[2 * i + 1] = b ^ steps << 24;
}
