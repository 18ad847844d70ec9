/* References: warp-level operations, barriers, reductions and scans. */
#include "reference_kernels.h"

enum shuffle { IDX, UP, DOWN, XOR };

/* The lane a shuffle reads from, as PTX defines it. */
static int source_lane(enum shuffle mode, int lane, int by, int width)
{
    int segment = 32 - width, clamp = mode == UP ? 0 : 31;
    int limit = (lane & segment) | (clamp & ~segment & 31);
    by &= 31;
    int from = mode == UP     ? lane - by
               : mode == DOWN ? lane + by
               : mode == XOR  ? lane ^ by
                              : (lane & segment) | (by & ~segment & 31);
    bool inside = mode == UP ? from >= limit : from <= limit;
    return inside ? from : lane;
}

static void shuffle(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < grid_threads(c); i++) {
        int lane = i % 32; /* the block is whole warps */
        const int32_t *in = (int32_t *)buffer[0] + i - lane;
        const double *wide = (double *)buffer[1] + i - lane;
        int32_t *o = (int32_t *)buffer[2] + 10 * i;
        o[0] = in[source_lane(IDX, lane, lane * 7 + 3, 32)];
        o[1] = in[source_lane(IDX, lane, 5, 8)];
        o[2] = in[source_lane(IDX, lane, lane + 1, 16)];
        o[3] = in[source_lane(UP, lane, 3, 32)];
        o[4] = in[source_lane(UP, lane, 1, 4)];
        o[5] = in[source_lane(DOWN, lane, 9, 32)];
        o[6] = in[source_lane(DOWN, lane, 2, 8)];
        o[7] = in[source_lane(XOR, lane, 21, 32)];
        o[8] = in[source_lane(XOR, lane, 9, 8)];
        o[9] = in[lane ^ 1] / 2;
        int other = source_lane(DOWN, lane, 1, 2);
        double mine = wide[lane] + wide[lane ^ 16], its = wide[other] + wide[other ^ 16];
        ((double *)buffer[3])[i] = mine - its;
    }
}

static void shuffle_half_warp(const struct test_case *c, void *const *buffer)
{
    const int32_t *in = buffer[0];
    for (int t = 0; t < block_threads(c); t++) {
        int lane = t % 32, first = t - lane;
        int32_t x = 0;
        if (lane < 16) {
            for (int k = 0; k < 16; k++)
                x += in[first + k];
        } else {
            int at = lane % 16, other = at < 4 ? at : at - 4;
            x = in[first + 31 - at] * 3 + in[first + 31 - other];
        }
        ((int32_t *)buffer[1])[t] = x;
    }
}

static void vote(const struct test_case *c, void *const *buffer)
{
    for (int first = 0; first < grid_threads(c); first += 32) {
        int32_t x[32];
        uint32_t positive = 0, twos = 0, fours = 0, fives = 0, large = 0, small = 0, seven = 0, below = 0;
        for (int k = 0; k < 32; k++) {
            uint32_t bit = 1u << k;
            x[k] = first + k < arg_s32(c, 2) ? ((int32_t *)buffer[0])[first + k] : 0;
            positive |= x[k] > 0 ? bit : 0;
            large |= x[k] > 95 ? bit : 0;
            small |= x[k] > -99 ? 0 : bit;
            twos |= k % 2 && x[k] & 2 ? bit : 0;
            fours |= k % 2 == 0 && x[k] & 4 ? bit : 0;
            fives |= x[k] % 5 == 0 ? bit : 0;
            seven |= k % 2 && x[k] == 7 ? bit : 0;
            below |= k % 2 && x[k] >= 100 ? bit : 0;
        }
        uint32_t leader = 0xffffffff;
        for (uint32_t k = 32; k-- > 0;)
            leader = fives >> k & 1 ? k : leader;
        for (uint32_t k = 0; k < 32; k++) {
            uint32_t *o = (uint32_t *)buffer[1] + 6 * ((uint32_t)first + k);
            o[0] = positive;
            o[1] = large != 0;
            o[2] = small == 0;
            o[3] = k % 2 ? twos : fours;
            o[4] = k % 2 ? (seven != 0) + 2u * (below == 0) : k;
            o[5] = leader == k ? 1000 + (uint32_t)x[k] : leader;
        }
    }
}

static void vote_shrinking(const struct test_case *c, void *const *buffer)
{
    const int32_t *in = buffer[0];
    for (int t = 0; t < block_threads(c); t++) {
        uint32_t seen = 0;
        for (int turn = 0; turn <= (in[t] & 15); turn++) {
            uint32_t going = 0;
            for (int k = t / 32 * 32; k < t / 32 * 32 + 32; k++)
                going += (in[k] & 15) > turn;
            seen = seen * 3 + going;
        }
        ((uint32_t *)buffer[1])[t] = seen;
    }
}

static void match(const struct test_case *c, void *const *buffer)
{
    const uint32_t *in = buffer[0];
    for (int i = 0; i < grid_threads(c); i++) {
        uint32_t peers = 0, *o = (uint32_t *)buffer[1] + 4 * i;
        for (int k = 0; k < 32; k++)
            peers |= (uint32_t)(in[i / 32 * 32 + k] % 8 == in[i] % 8) << k;
        o[0] = o[1] = peers;
        o[2] = 0; /* all zeros are equal: the whole mask and one more */
        o[3] = peers == 0xffffffff ? peers + 2 : 0;
        ((uint32_t *)buffer[2])[in[i] % 8]++;
    }
}

static void redux(const struct test_case *c, void *const *buffer)
{
    for (int first = 0; first < block_threads(c); first += 32) {
        const int32_t *in = (int32_t *)buffer[0] + first;
        uint32_t r[10] = {0, 0, (uint32_t)in[0], (uint32_t)in[0], (uint32_t)in[0], 0, 0xffffffff, 0, 0, 0};
        for (int k = 0; k < 32; k++) {
            uint32_t u = (uint32_t)in[k];
            r[0] = r[1] += u;
            r[2] = in[k] < (int32_t)r[2] ? u : r[2];
            r[3] = in[k] > (int32_t)r[3] ? u : r[3];
            r[4] = u < r[4] ? u : r[4];
            r[5] = u > r[5] ? u : r[5];
            r[6] &= u | 0x00ff0000;
            r[7] |= u & 0x1111;
            r[8] ^= u;
            r[9] += k < 10 ? u : 0;
        }
        for (int k = 0; k < 32; k++)
            memcpy((uint32_t *)buffer[1] + 10 * (first + k), r, k < 10 ? sizeof r : 9 * sizeof *r);
    }
}

static void barrier_votes(const struct test_case *c, void *const *buffer)
{
    int size = block_threads(c);
    for (int block = 0; block < grid_blocks(c); block++) {
        int count = 0, all = 1, any = 0;
        for (int i = block * size; i < (block + 1) * size; i++) {
            int x = i < arg_s32(c, 2) ? ((int32_t *)buffer[0])[i] : -1;
            count += x > 20;
            all &= x > -50;
            any |= x == 33;
        }
        for (int i = block * size; i < (block + 1) * size; i++) {
            int32_t *o = (int32_t *)buffer[1] + 3 * i;
            o[0] = count;
            o[1] = all;
            o[2] = any;
        }
    }
}

static void barrier_after_exit(const struct test_case *c, void *const *buffer)
{
    int n = arg_s32(c, 2);
    for (int t = 0; t < n; t++)
        ((int32_t *)buffer[1])[t] = ((int32_t *)buffer[0])[127 - (t + 1) % n] * 2;
}

static void named_barriers(const struct test_case *c, void *const *buffer)
{
    (void)c;
    uint32_t slot[128], next[64];
    memcpy(slot, buffer[0], sizeof slot);
    for (int half = 0; half < 2; half++) {
        uint32_t *mine = slot + 64 * half;
        for (int turn = 0; turn < (half ? 7 : 3); turn++) {
            for (int k = 0; k < 64; k++)
                next[k] = mine[k] * 3 + mine[(k + turn + 1) % 64];
            memcpy(mine, next, sizeof next);
        }
    }
    memcpy(buffer[1], slot + 64, sizeof next);
    memcpy((uint32_t *)buffer[1] + 64, slot, sizeof next);
}

static void producer_consumer(const struct test_case *c, void *const *buffer)
{
    for (int lane = 0; lane < 32; lane++) {
        uint32_t sum = 0;
        for (int k = 0; k < arg_s32(c, 2); k++)
            sum = sum * 5 + ((uint32_t *)buffer[0])[k * 32 + 31 - lane] * 2 + (uint32_t)k;
        ((uint32_t *)buffer[1])[lane] = sum;
    }
}

static void coop_groups(const struct test_case *c, void *const *buffer)
{
    const int32_t *in = buffer[0];
    for (int block = 0; block < grid_blocks(c); block++) {
        int x[128];
        for (int t = 0; t < 128; t++)
            x[t] = in[128 * block + t] + in[128 * block + 127 - t];
        for (int t = 0; t < 128; t++) {
            int32_t *o = (int32_t *)buffer[1] + 6 * (128 * block + t);
            int ballot = 0, sum = 0, largest = x[t], before = 0, any = 0, all = 1;
            for (int k = 0; k < 8; k++) {
                int other = x[t / 8 * 8 + k];
                ballot |= (other > 0) << k;
                sum += other;
                before += k < t % 8 ? other & 15 : 0;
                any |= other > 1900;
            }
            for (int k = 0; k < 32; k++) {
                int other = x[t / 32 * 32 + k];
                largest = other > largest ? other : largest;
                all &= other > -1990;
            }
            o[0] = x[t ^ 3];
            o[1] = ballot + t % 8 * 1000;
            o[2] = sum;
            o[3] = largest;
            o[4] = before;
            o[5] = any + 2 * all + 4 * (t / 8 % 4);
        }
    }
}

static void reduce_tree(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++)
        ((int32_t *)buffer[1])[i / 256] += ((int32_t *)buffer[0])[i];
}

static void reduce_largest_int(const struct test_case *c, void *const *buffer)
{
    int32_t *in = buffer[0], *best = buffer[1];
    *best = INT32_MIN;
    for (int i = 0; i < arg_s32(c, 2); i++)
        *best = in[i] > *best ? in[i] : *best;
}

static void reduce_largest_wide(const struct test_case *c, void *const *buffer)
{
    int64_t *in = buffer[0], *best = buffer[1];
    *best = INT64_MIN;
    for (int i = 0; i < arg_s32(c, 2); i++)
        *best = in[i] > *best ? in[i] : *best;
}

static void reduce_shuffle(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++)
        ((uint64_t *)buffer[1])[i % grid_threads(c) / block_threads(c)] += ((uint64_t *)buffer[0])[i];
}

static void scan_inclusive(const struct test_case *c, void *const *buffer)
{
    int sum = 0;
    for (int i = 0; i < arg_s32(c, 2); i++)
        ((int32_t *)buffer[1])[i] = sum += ((int32_t *)buffer[0])[i];
}

static void scan_exclusive(const struct test_case *c, void *const *buffer)
{
    for (int block = 0; block < grid_blocks(c); block++) {
        uint32_t sum = 0;
        for (int i = 256 * block; i < 256 * (block + 1); i++) {
            ((uint32_t *)buffer[1])[i] = sum;
            sum += ((uint32_t *)buffer[0])[i];
        }
        ((uint32_t *)buffer[2])[block] = sum;
    }
}

static void scan_warp(const struct test_case *c, void *const *buffer)
{
    int sum = 0;
    for (int i = 0; i < grid_threads(c); i++)
        ((int32_t *)buffer[1])[i] = sum = (i % 32 ? sum : 0) + ((int32_t *)buffer[0])[i];
}

static void compact(const struct test_case *c, void *const *buffer)
{
    int kept = 0;
    for (int i = 0; i < arg_s32(c, 3); i++) {
        int x = ((int32_t *)buffer[0])[i];
        if (x % 3)
            ((int32_t *)buffer[1])[kept++] = x;
    }
    *(int32_t *)buffer[2] = kept;
}

static void last_block(const struct test_case *c, void *const *buffer)
{
    uint64_t *partial = buffer[1], *out = buffer[3];
    for (int i = 0; i < arg_s32(c, 4); i++) {
        uint32_t x = ((uint32_t *)buffer[0])[i];
        partial[i % grid_threads(c) / block_threads(c)] += x;
        *out += x;
    }
}

const struct reference reference_warp[] = {
    {"shuffle", shuffle},
    {"shuffle_half_warp", shuffle_half_warp},
    {"vote", vote},
    {"vote_shrinking", vote_shrinking},
    {"match", match},
    {"redux", redux},
    {"barrier_votes", barrier_votes},
    {"barrier_after_exit", barrier_after_exit},
    {"named_barriers", named_barriers},
    {"producer_consumer", producer_consumer},
    {"coop_groups", coop_groups},
    {"reduce_tree", reduce_tree},
    {"reduce_largest_int", reduce_largest_int},
    {"reduce_largest_wide", reduce_largest_wide},
    {"reduce_shuffle", reduce_shuffle},
    {"scan_inclusive", scan_inclusive},
    {"scan_exclusive", scan_exclusive},
    {"scan_warp", scan_warp},
    {"compact", compact},
    {"last_block", last_block},
    {NULL, NULL},
};
