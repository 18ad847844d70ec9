// A switch of eight cases, as in an interpreter: in every round each thread takes a case of its own.
extern "C" __global__ void cases(unsigned *out, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = i, b = ~i, x = i * 747796405u + 2891336453u;
    for (unsigned r = 0; r < rounds; r++) {
        x = x * 1664525u + 1013904223u;
        switch (x >> 29) {
        case 0: a += b * 3; b ^= a >> 7; break;
        case 1: a = a * b + r; break;
        case 2: b = (b << 5 | b >> 27) + a; a ^= b; break;
        case 3: a ^= x; b += x >> 11; break;
        case 4: a = __popc(b) + a * 5; b = a - x; break;
        case 5: b = min(a, b) + 77; a = a / (r + 3); break;
        case 6: a -= b; b = b * b + a; a ^= b << 3; break;
        case 7: b = a | x; a = a + (b >> 2); break;
        }
    }
    out[i] = a ^ b;
}
