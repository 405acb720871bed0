#include "halved_rgb_wide.h"

// The pictures of halved_rgb.c with vectors of 64 bytes. Chroma is blended down first, at its own width, then across,
// both as integers: weights are whole 128ths, so each blend is exact, and so is its value as binary32. The matrix is
// applied with the roundings of rgb_rows.c. The bytes are the same.
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define WIDE __attribute__((target("arch=x86-64-v4")))

// The size in bytes from which a picture is written past the caches. It would not stay in the second-level cache, and
// reading its memory before writing costs more than the arithmetic.
enum { LARGE = 2 << 20 };

// The number of pixels computed at a time, and the room before and after a row of blended chroma.
enum { PIXELS = 64, BEFORE = 32, BEHIND = 64 };

// Four weights in 128ths as two pairs: pairs of bytes for _mm512_maddubs_epi16, pairs of halfwords for
// _mm512_madd_epi16.
struct pairs {
    __m512i first, last;
};

// The values that a picture's rows share.
struct constants {
    struct pairs even, odd;
    // Whether an even position coincides with a sample, whose own value is then used.
    bool takes_samples;
    int even_start, odd_start;
    // Whether whole lines of 64 bytes are written past the caches.
    bool passes_caches;
    // Scaled down by fourteen bits for chroma, because its blends are whole numbers.
    __m512 luma, red_cr, red_sum, green_cb, green_cr, green_sum, blue_cb, blue_sum;
};

static bool is_whole(const float weights[4]) {
    for (int i = 0; i < 4; i++)
        if (rintf(weights[i] * 128) != weights[i] * 128 || fabsf(weights[i]) > 1) return false;
    return true;
}

static bool is_one_sample(const float weights[4]) {
    return weights[0] == 0 && weights[1] == 1 && weights[2] == 0 && weights[3] == 0;
}

// Whether every sum of bytes in the vertical blend fits in 16 bits.
static bool fits_down(const float weights[4]) {
    float above = 0, below = 0;
    for (int i = 0; i < 4; i++) *(weights[i] > 0 ? &above : &below) += weights[i];
    return is_one_sample(weights) || (is_whole(weights) && above <= 1.25f && below >= -0.25f && weights[1] < 1 &&
                                      weights[2] < 1 && weights[0] <= 0 && weights[3] <= 0);
}

bool scrub_can_be_wide(const scrub_halved_picture *picture) {
    return __builtin_cpu_supports("x86-64-v4") && is_whole(picture->across[0]) && is_whole(picture->across[1]) &&
           fits_down(picture->down[0]) && (!picture->has_half_rows || fits_down(picture->down[1]));
}

static size_t room(const scrub_halved_picture *picture) {
    return BEFORE + (picture->columns + PIXELS - 1) / PIXELS * PIXELS + BEHIND;
}

size_t scrub_wide_scratch_byte_count(const scrub_halved_picture *picture) {
    return 2 * room(picture) * sizeof(int16_t);
}

WIDE
static struct pairs halfwords(const float weights[4]) {
    int words[4];
    for (int i = 0; i < 4; i++) words[i] = (int)(weights[i] * 128);
    return (struct pairs){_mm512_set1_epi32((int)((uint32_t)words[1] << 16 | (words[0] & 0xffff))),
                          _mm512_set1_epi32((int)((uint32_t)words[3] << 16 | (words[2] & 0xffff)))};
}

WIDE
static struct pairs bytes(const int weights[4]) {
    return (struct pairs){_mm512_set1_epi16((short)((weights[1] & 0xff) << 8 | (weights[0] & 0xff))),
                          _mm512_set1_epi16((short)((weights[3] & 0xff) << 8 | (weights[2] & 0xff)))};
}

WIDE
static struct constants constants_of(const scrub_halved_picture *picture, const scrub_rgb_matrix *m) {
    const float part = 1.0f / (1 << 14);
    return (struct constants){
        .even = halfwords(picture->across[0]),
        .odd = halfwords(picture->across[1]),
        .takes_samples = is_one_sample(picture->across[0]) && picture->across_first[0] == -1,
        .even_start = picture->across_first[0],
        .odd_start = picture->across_first[1],
        .passes_caches = 3 * picture->width * picture->height >= LARGE,
        .luma = _mm512_set1_ps(m->red[0]),
        .red_cr = _mm512_set1_ps(m->red[2] * part),
        .red_sum = _mm512_set1_ps(m->red[3]),
        .green_cb = _mm512_set1_ps(m->green[1] * part),
        .green_cr = _mm512_set1_ps(m->green[2] * part),
        .green_sum = _mm512_set1_ps(m->green[3]),
        .blue_cb = _mm512_set1_ps(m->blue[1] * part),
        .blue_sum = _mm512_set1_ps(m->blue[3]),
    };
}

// Blends four rows of samples: the result in 128ths, minus 128 x 128 so that it fits in 16 bits. `out` gets two
// repeated values at each end.
WIDE
static void blend_down(const uint8_t *const rows[4], const float weights[4], size_t columns, int16_t *out) {
    // 128 does not fit in a signed byte, so a single row with full weight counts as two halves.
    const bool isOne = is_one_sample(weights);
    const int halves[4] = {64, 64, 0, 0}, shares[4] = {(int)(weights[0] * 128), (int)(weights[1] * 128),
                                                      (int)(weights[2] * 128), (int)(weights[3] * 128)};
    const uint8_t *a = rows[isOne ? 1 : 0], *b = rows[1], *c = rows[2], *d = rows[3];
    const struct pairs w = bytes(isOne ? halves : shares);
    const __m512i middle = _mm512_set1_epi16(128 * 128);
    // Unpacked data is in 16-byte parts: the first eight samples of each part, then the last eight.
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (size_t i = 0; i < columns; i += 64) {
        const __mmask64 inside = columns - i >= 64 ? ~0ull : ~0ull >> (64 - (columns - i));
        const __m512i p = _mm512_maskz_loadu_epi8(inside, a + i), q = _mm512_maskz_loadu_epi8(inside, b + i);
        const __m512i r = _mm512_maskz_loadu_epi8(inside, c + i), s = _mm512_maskz_loadu_epi8(inside, d + i);
        const __m512i low =
            _mm512_sub_epi16(_mm512_add_epi16(_mm512_maddubs_epi16(_mm512_unpacklo_epi8(p, q), w.first),
                                              _mm512_maddubs_epi16(_mm512_unpacklo_epi8(r, s), w.last)),
                             middle);
        const __m512i high =
            _mm512_sub_epi16(_mm512_add_epi16(_mm512_maddubs_epi16(_mm512_unpackhi_epi8(p, q), w.first),
                                              _mm512_maddubs_epi16(_mm512_unpackhi_epi8(r, s), w.last)),
                             middle);
        _mm512_storeu_si512(out + i, _mm512_permutex2var_epi64(low, first, high));
        _mm512_storeu_si512(out + i + 32, _mm512_permutex2var_epi64(low, last, high));
    }
    out[-1] = out[-2] = out[0];
    out[columns] = out[columns + 1] = out[columns - 1];
}

// Every second horizontal blend, in units of 2^-14, starting from the samples at `at` and from every second one after
// it.
#define ACROSS(at, w) \
    _mm512_cvtepi32_ps(_mm512_add_epi32( \
        _mm512_add_epi32(_mm512_madd_epi16(_mm512_loadu_si512(at), (w).first), \
                         _mm512_madd_epi16(_mm512_loadu_si512((at) + 2), (w).last)), \
        back))

struct across {
    __m512 at[4];
};

// The chroma of 64 pixels: every fourth pixel starting from the first, second, third and fourth.
WIDE static inline __attribute__((always_inline)) struct across blend_across(const int16_t *row,
                                                                             const struct constants *c) {
    const __m512i back = _mm512_set1_epi32(128 << 14);
    struct across blended;
    blended.at[1] = ACROSS(row + c->odd_start, c->odd);
    blended.at[3] = ACROSS(row + 1 + c->odd_start, c->odd);
    if (c->takes_samples) {
        const __m512i samples = _mm512_loadu_si512(row);
        const __m512i low = _mm512_madd_epi16(samples, _mm512_set1_epi32(128));
        const __m512i high = _mm512_madd_epi16(samples, _mm512_set1_epi32(128 << 16));
        blended.at[0] = _mm512_cvtepi32_ps(_mm512_add_epi32(low, back));
        blended.at[2] = _mm512_cvtepi32_ps(_mm512_add_epi32(high, back));
    } else {
        blended.at[0] = ACROSS(row + c->even_start, c->even);
        blended.at[2] = ACROSS(row + 1 + c->even_start, c->even);
    }
    return blended;
}

// The numbers of four bytes side by side: each vector's lowest byte of a number, then the next one's.
#define WORDS(a, b, c, d) \
    _mm512_shuffle_epi8(_mm512_packus_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d)), order)

WIDE
static void rgb(const uint8_t *luma, const int16_t *cb, const int16_t *cr, const struct constants *c, size_t width,
                uint8_t *out) {
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    // Three vectors of words to words that follow each other: 0 to 15 of the first one, from 16 on of the second one.
    const __m512i begin = _mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    const __m512i middle = _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    const __m512i end = _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    const __m512i third = _mm512_setr_epi32(0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0);
    const __m512i third_middle = _mm512_setr_epi32(0, 5, 0, 0, 6, 0, 0, 7, 0, 0, 8, 0, 0, 9, 0, 0);
    const __m512i third_end = _mm512_setr_epi32(10, 0, 0, 11, 0, 0, 12, 0, 0, 13, 0, 0, 14, 0, 0, 15);
    const bool passes_caches = c->passes_caches && (uintptr_t)out % 64 == 0;
    for (size_t i = 0; i < width; i += PIXELS) {
        const size_t left = width - i;
        const __mmask64 inside = left >= PIXELS ? ~0ull : ~0ull >> (PIXELS - left);
        const __m512i samples = _mm512_maskz_loadu_epi8(inside, luma + i);
        const struct across y = blend_across(cb + i / 2, c), z = blend_across(cr + i / 2, c);
        __m512i red[4], green[4], blue[4];
#pragma clang loop unroll(full)
        for (int k = 0; k < 4; k++) {
            const __m512i sample = _mm512_and_si512(_mm512_srli_epi32(samples, 8 * (unsigned)k), _mm512_set1_epi32(255));
            const __m512 x = _mm512_cvtepi32_ps(sample) * c->luma;
            red[k] = _mm512_cvtps_epi32(x + z.at[k] * c->red_cr + c->red_sum);
            green[k] = _mm512_cvtps_epi32(x + y.at[k] * c->green_cb + z.at[k] * c->green_cr + c->green_sum);
            blue[k] = _mm512_cvtps_epi32(x + y.at[k] * c->blue_cb + c->blue_sum);
        }
        const __m512i p = WORDS(red[0], green[0], blue[0], red[1]);
        const __m512i q = WORDS(green[1], blue[1], red[2], green[2]);
        const __m512i r = WORDS(blue[2], red[3], green[3], blue[3]);
        const __m512i words[3] = {
            _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(p, begin, q), 0x4924, third, r),
            _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(p, middle, q), 0x2492, third_middle, r),
            _mm512_mask_permutexvar_epi32(_mm512_permutex2var_epi32(p, end, q), 0x9249, third_end, r)};
        uint8_t *to = out + 3 * i;
        if (left >= PIXELS && passes_caches) {
            for (int k = 0; k < 3; k++) _mm512_stream_si512((void *)(to + 64 * k), words[k]);
        } else if (left >= PIXELS) {
            for (int k = 0; k < 3; k++) _mm512_storeu_si512(to + 64 * k, words[k]);
        } else {
            uint8_t last[3 * PIXELS];
            memcpy(last, words, sizeof last);
            memcpy(to, last, 3 * left);
        }
    }
}

void scrub_rgb_wide(const scrub_halved_picture *picture, const scrub_rgb_matrix *matrix, void *scratch, uint8_t *out) {
    const struct constants constants = constants_of(picture, matrix);
    const size_t shift = picture->has_half_rows ? 1 : 0;
    int16_t *cb = (int16_t *)scratch + BEFORE, *cr = cb + room(picture);
    memset(scratch, 0, scrub_wide_scratch_byte_count(picture));
    const ptrdiff_t last = (ptrdiff_t)picture->rows - 1;
    for (size_t y = 0; y < picture->height; y++) {
        const uint8_t *b[4], *r[4];
        for (int i = 0; i < 4; i++) {
            const ptrdiff_t wanted = (ptrdiff_t)(y >> shift) + picture->down_first[y & shift] + i;
            const size_t row = (size_t)(wanted < 0 ? 0 : wanted < last ? wanted : last);
            (b[i] = picture->cb + row * picture->cb_stride, r[i] = picture->cr + row * picture->cr_stride);
        }
        blend_down(b, picture->down[y & shift], picture->columns, cb);
        blend_down(r, picture->down[y & shift], picture->columns, cr);
        rgb(picture->luma + y * picture->luma_stride, cb, cr, &constants, picture->width, out + y * 3 * picture->width);
    }
    // Required before another thread is notified that the picture is ready.
    _mm_sfence();
}

#else

bool scrub_can_be_wide(const scrub_halved_picture *picture) { return ((void)picture, false); }
size_t scrub_wide_scratch_byte_count(const scrub_halved_picture *picture) { return ((void)picture, 0); }
void scrub_rgb_wide(const scrub_halved_picture *picture, const scrub_rgb_matrix *matrix, void *scratch, uint8_t *out) {
    ((void)picture, (void)matrix, (void)scratch, (void)out);
}

#endif
