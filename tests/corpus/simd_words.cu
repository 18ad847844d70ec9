// The SIMD intrinsics on bytes and halves of a word: some are video instructions, some are several others.
// compilers: nvcc
#include "corpus.h"

extern "C" __global__ void simd_words(const unsigned *in, unsigned *out, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned x = in[i], y = in[(i + 1) % count], z = in[(i + 2) % count];
    out += 48 * i;
    out[0] = __vadd4(x, y), out[1] = __vaddss4(x, y), out[2] = __vaddus4(x, y);
    out[3] = __vadd2(x, y), out[4] = __vaddss2(x, y), out[5] = __vaddus2(x, y);
    out[6] = __vsub4(x, y), out[7] = __vsubss4(x, y), out[8] = __vsubus4(x, y);
    out[9] = __vsub2(x, y), out[10] = __vsubss2(x, y), out[11] = __vsubus2(x, y);
    out[12] = __vabsdiffs4(x, y), out[13] = __vabsdiffu4(x, y), out[14] = __vabsdiffs2(x, y), out[15] = __vabsdiffu2(x, y);
    out[16] = __vsads4(x, y), out[17] = __vsadu4(x, y), out[18] = __vsads2(x, y), out[19] = __vsadu2(x, y);
    out[20] = __vavgs4(x, y), out[21] = __vavgu4(x, y), out[22] = __vavgs2(x, y), out[23] = __vavgu2(x, y);
    out[24] = __vhaddu4(x, y), out[25] = __vhaddu2(x, y), out[26] = __vneg4(x), out[27] = __vnegss2(x);
    out[28] = __vmaxs4(x, y), out[29] = __vmaxu4(x, y), out[30] = __vmins4(x, y), out[31] = __vminu4(x, y);
    out[32] = __vmaxs2(x, y), out[33] = __vmaxu2(x, y), out[34] = __vmins2(x, y), out[35] = __vminu2(x, y);
    out[36] = __vcmpeq4(x, y), out[37] = __vcmpges4(x, y), out[38] = __vcmpgeu2(x, y), out[39] = __vseteq4(x, y);
    out[40] = __vsetlts2(x, y), out[41] = __vsetleu4(x, y), out[42] = __vabs4(x), out[43] = __vabsss2(x);
    out[44] = __vimax_s16x2_relu(x, y), out[45] = __vimin_s16x2_relu(x, y);
    out[46] = __viaddmax_s16x2(x, y, z), out[47] = __vimin3_u16x2(x, y, z);
}
