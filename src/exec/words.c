/* Rows of words: see words.h. */
#include "exec/words.h"

#if defined(__x86_64__)

#include "base/bits.h"
#include "lanes/mask.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

enum { GROUP = 8, WIDE_GROUP = 4 }; /* lanes of a vector: of words, and of registers of 64 bits */

static inline bool host_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

/* What the places of a row have in common. */
struct places {
    uint64_t any;    /* bits that are set in one of them: no place is larger */
    bool is_grouped; /* lanes of a group are side by side, or all at one place, as the first two lanes are */
};

static inline bool are_within(uint64_t any, uint64_t bytes)
{
    return !(any & 3) && bytes >= 4 && any <= bytes - 4;
}

AVX2 static inline __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

AVX2 static inline uint64_t bits_of_any(__m256i wide)
{
    const __m128i two = _mm_or_si128(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
    return (uint64_t)_mm_extract_epi64(two, 0) | (uint64_t)_mm_extract_epi64(two, 1);
}

AVX2 static inline struct places find_narrow(const uint32_t *registers, uint32_t add, bool is_run)
{
    const __m256i run = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28), more = _mm256_set1_epi32((int)add);
    const __m256i steps = is_run ? run : _mm256_setzero_si256();
    __m256i any = _mm256_setzero_si256(), apart = any;
    for (int i = 0; i < ROW_LANES; i += GROUP) {
        const __m256i values = load(registers + i), first = _mm256_set1_epi32((int)registers[i]);
        any = _mm256_or_si256(any, _mm256_add_epi32(values, more));
        apart = _mm256_or_si256(apart, _mm256_xor_si256(_mm256_sub_epi32(values, first), steps));
    }
    const uint64_t pairs = bits_of_any(any);
    return (struct places){(uint32_t)pairs | pairs >> 32, _mm256_testz_si256(apart, apart)};
}

AVX2 static inline struct places find_wide(const uint64_t *registers, uint64_t add, bool is_run)
{
    const __m256i zero = _mm256_setzero_si256(), more = _mm256_set1_epi64x((int64_t)add);
    const __m256i low = is_run ? _mm256_setr_epi64x(0, 4, 8, 12) : zero;
    const __m256i high = is_run ? _mm256_setr_epi64x(16, 20, 24, 28) : zero;
    __m256i any = zero, apart = zero;
    for (int i = 0; i < ROW_LANES; i += GROUP) {
        const __m256i a = load(registers + i), b = load(registers + i + WIDE_GROUP);
        const __m256i first = _mm256_set1_epi64x((int64_t)registers[i]);
        any = _mm256_or_si256(any, _mm256_or_si256(_mm256_add_epi64(a, more), _mm256_add_epi64(b, more)));
        apart = _mm256_or_si256(apart, _mm256_xor_si256(_mm256_sub_epi64(a, first), low));
        apart = _mm256_or_si256(apart, _mm256_xor_si256(_mm256_sub_epi64(b, first), high));
    }
    return (struct places){bits_of_any(any), _mm256_testz_si256(apart, apart)};
}

/* ---- some lanes of a row ---- */

/* Which lanes are meant, as lanes of a vector. */
struct chosen {
    _Alignas(32) uint32_t lane[ROW_LANES];
};

AVX2 static inline __m256i chosen_words(const struct chosen *c, int i)
{
    return load(c->lane + i);
}

AVX2 static inline __m256i chosen_wide(const struct chosen *c, int i)
{
    return _mm256_cvtepi32_epi64(_mm_load_si128((const void *)(c->lane + i)));
}

/* find_narrow() of a run, for some lanes; the places of the others mean nothing. */
AVX2 static inline struct places find_some_narrow(const uint32_t *registers, uint32_t add, const struct chosen *c)
{
    const __m256i run = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28), more = _mm256_set1_epi32((int)add);
    __m256i any = _mm256_setzero_si256(), apart = any;
    for (int i = 0; i < ROW_LANES; i += GROUP) {
        const __m256i values = load(registers + i), first = _mm256_set1_epi32((int)registers[i]);
        const __m256i differs = _mm256_xor_si256(_mm256_sub_epi32(values, first), run);
        any = _mm256_or_si256(any, _mm256_and_si256(_mm256_add_epi32(values, more), chosen_words(c, i)));
        apart = _mm256_or_si256(apart, _mm256_and_si256(differs, chosen_words(c, i)));
    }
    const uint64_t pairs = bits_of_any(any);
    return (struct places){(uint32_t)pairs | pairs >> 32, _mm256_testz_si256(apart, apart)};
}

/* find_wide() of a run, for some lanes. */
AVX2 static inline struct places find_some_wide(const uint64_t *registers, uint64_t add, const struct chosen *c)
{
    const __m256i low = _mm256_setr_epi64x(0, 4, 8, 12), high = _mm256_setr_epi64x(16, 20, 24, 28);
    const __m256i more = _mm256_set1_epi64x((int64_t)add);
    __m256i any = _mm256_setzero_si256(), apart = any;
    for (int i = 0; i < ROW_LANES; i += WIDE_GROUP) {
        const __m256i first = _mm256_set1_epi64x((int64_t)registers[i & -GROUP]), values = load(registers + i);
        const __m256i differs = _mm256_xor_si256(_mm256_sub_epi64(values, first), i & WIDE_GROUP ? high : low);
        any = _mm256_or_si256(any, _mm256_and_si256(_mm256_add_epi64(values, more), chosen_wide(c, i)));
        apart = _mm256_or_si256(apart, _mm256_and_si256(differs, chosen_wide(c, i)));
    }
    return (struct places){bits_of_any(any), _mm256_testz_si256(apart, apart)};
}

/* ---- loads ---- */

AVX2 static inline __m256 one_word(const uint8_t *at)
{
    return _mm256_broadcast_ss((const float *)(const void *)at);
}

AVX2 static inline __m256 words(const void *at)
{
    return _mm256_loadu_ps(at);
}

/* Eight words at any places: each is loaded into all lanes of a vector, which takes nothing but a load, and the vectors
 * are blended. */
#define TWO_WORDS(at, k, second) _mm256_blend_ps(one_word(at(k)), one_word(at((k) + 1)), second)
#define EIGHT_WORDS(at)                                                                    \
    _mm256_blend_ps(_mm256_blend_ps(TWO_WORDS(at, 0, 0x02), TWO_WORDS(at, 2, 0x08), 0x0c), \
                    _mm256_blend_ps(TWO_WORDS(at, 4, 0x20), TWO_WORDS(at, 6, 0x80), 0xc0), 0xf0)

/* Loads a row whose places were found; AT(k) is that of lane i + k. */
#define LOAD_ROW(to, is_grouped, is_run, at)                                                              \
    for (int i = 0; i < ROW_LANES; i += GROUP) {                                                          \
        const __m256 group = !(is_grouped) ? EIGHT_WORDS(at) : (is_run) ? words(at(0)) : one_word(at(0)); \
        _mm256_storeu_ps((float *)(void *)((to) + i), group);                                             \
    }

#define AT_NARROW(k) (memory + (uint32_t)(registers[i + (k)] + add))
#define AT_WIDE(k)   (memory + (registers[i + (k)] + add))

AVX2 static bool load_narrow(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint32_t *registers,
                             uint32_t add)
{
    const bool is_run = registers[1] != registers[0];
    const struct places p = find_narrow(registers, add, is_run);
    if (!are_within(p.any, bytes))
        return false;
    LOAD_ROW(to, p.is_grouped, is_run, AT_NARROW)
    return true;
}

AVX2 static bool load_wide(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint64_t *registers, uint64_t add)
{
    const bool is_run = registers[1] != registers[0];
    const struct places p = find_wide(registers, add, is_run);
    if (!are_within(p.any, bytes))
        return false;
    LOAD_ROW(to, p.is_grouped, is_run, AT_WIDE)
    return true;
}

/* Lanes that do not load stand at the place of one that does. */
AVX2 static bool load_some(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint64_t *registers, uint64_t add,
                           uint32_t mask)
{
    _Alignas(32) uint64_t at[ROW_LANES];
    struct chosen c;
    const __m256i first = _mm256_set1_epi64x((int64_t)(registers[bits_lowest(mask)] + add));
    const __m256i more = _mm256_set1_epi64x((int64_t)add);
    __m256i any = _mm256_setzero_si256();
    mask_to_lanes(mask, c.lane);
    for (int i = 0; i < ROW_LANES; i += WIDE_GROUP) {
        const __m256i own = _mm256_add_epi64(load(registers + i), more);
        const __m256i place = _mm256_blendv_epi8(first, own, chosen_wide(&c, i));
        any = _mm256_or_si256(any, place);
        _mm256_store_si256((void *)(at + i), place);
    }
    if (!are_within(bits_of_any(any), bytes))
        return false;
#define AT_LISTED(k) (memory + at[i + (k)])
    for (int i = 0; i < ROW_LANES; i += GROUP)
        _mm256_storeu_ps((float *)(void *)(to + i),
                         _mm256_blendv_ps(words(to + i), EIGHT_WORDS(AT_LISTED), words(c.lane + i)));
    return true;
}

/* ---- stores ---- */

#define STORE_ROW(from, is_grouped, at)                                  \
    for (int i = 0; i < ROW_LANES; i += GROUP) {                         \
        if (is_grouped)                                                  \
            _mm256_storeu_ps((float *)(void *)at(0), words((from) + i)); \
        for (int k = 0; k < GROUP && !(is_grouped); k++)                 \
            *(uint32_t *)(void *)at(k) = (from)[i + k];                  \
    }

AVX2 static bool store_narrow(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint32_t *registers,
                              uint32_t add)
{
    const struct places p = find_narrow(registers, add, true);
    if (!are_within(p.any, bytes))
        return false;
    STORE_ROW(from, p.is_grouped, AT_NARROW)
    return true;
}

AVX2 static bool store_wide(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint64_t *registers,
                            uint64_t add)
{
    const struct places p = find_wide(registers, add, true);
    if (!are_within(p.any, bytes))
        return false;
    STORE_ROW(from, p.is_grouped, AT_WIDE)
    return true;
}

/* A store of a vector leaves out lanes that are not chosen. Groups without any are passed over, since their places may
 * be anywhere. */
#define STORE_SOME(from, is_grouped, mask, c, at)                                               \
    for (int i = 0; i < ROW_LANES; i += GROUP)                                                  \
        if ((is_grouped) && (mask) >> i & 0xff)                                                 \
            _mm256_maskstore_epi32((int *)(void *)at(0), chosen_words(c, i), load((from) + i)); \
    for (uint32_t left = (is_grouped) ? 0 : (mask); left; left &= left - 1) {                   \
        const int i = bits_lowest(left);                                                        \
        *(uint32_t *)(void *)at(0) = (from)[i];                                                 \
    }

AVX2 static bool store_some_narrow(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint32_t *registers,
                                   uint32_t add, uint32_t mask)
{
    struct chosen c;
    mask_to_lanes(mask, c.lane);
    const struct places p = find_some_narrow(registers, add, &c);
    if (!are_within(p.any, bytes))
        return false;
    STORE_SOME(from, p.is_grouped, mask, &c, AT_NARROW)
    return true;
}

AVX2 static bool store_some_wide(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint64_t *registers,
                                 uint64_t add, uint32_t mask)
{
    struct chosen c;
    mask_to_lanes(mask, c.lane);
    const struct places p = find_some_wide(registers, add, &c);
    if (!are_within(p.any, bytes))
        return false;
    STORE_SOME(from, p.is_grouped, mask, &c, AT_WIDE)
    return true;
}

#define IF_HOST_CAN(call) return host_has_avx2() && (call)

#else

#pragma GCC diagnostic ignored "-Wunused-parameter" /* the functions do nothing on other hosts */
#define IF_HOST_CAN(call) return false

#endif

bool words_load_narrow(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint32_t *registers, uint32_t add)
{
    IF_HOST_CAN(load_narrow(to, memory, bytes, registers, add));
}

bool words_load_wide(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint64_t *registers, uint64_t add)
{
    IF_HOST_CAN(load_wide(to, memory, bytes, registers, add));
}

bool words_load_some(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint64_t *registers, uint64_t add,
                     uint32_t mask)
{
    IF_HOST_CAN(load_some(to, memory, bytes, registers, add, mask));
}

bool words_store_narrow(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint32_t *registers, uint32_t add)
{
    IF_HOST_CAN(store_narrow(from, memory, bytes, registers, add));
}

bool words_store_wide(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint64_t *registers, uint64_t add)
{
    IF_HOST_CAN(store_wide(from, memory, bytes, registers, add));
}

bool words_store_some_narrow(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint32_t *registers,
                             uint32_t add, uint32_t mask)
{
    IF_HOST_CAN(store_some_narrow(from, memory, bytes, registers, add, mask));
}

bool words_store_some_wide(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint64_t *registers,
                           uint64_t add, uint32_t mask)
{
    IF_HOST_CAN(store_some_wide(from, memory, bytes, registers, add, mask));
}
