// Loops of different length in neighbouring threads.
// run: --grid 1 --block 32 --arg buf:u32[32]
// expect: 0: 0 1 7 2 5 8 16 3 19 6 14 9 9 17 17 4 12 20 20 7 ... 106 5
__kernel void collatz(__global uint *steps)
{
    uint i = get_global_id(0) + 1, n = 0;
    for (uint x = i; x != 1; n++)
        x = x & 1 ? 3 * x + 1 : x / 2;
    steps[i - 1] = n;
}
