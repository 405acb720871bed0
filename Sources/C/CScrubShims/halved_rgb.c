#include "halved_rgb_wide.h"

#include <string.h>

// Converts pictures whose chroma has half as many columns as luma, as in nearly all videos, in one pass. The result is
// the same bytes that rgb_rows.c produces row by row. halved_rgb_wide.c does this for the widest vectors. The results
// are equal for two reasons:
//
// - Weights are whole 128ths (Catmull-Rom at quarters). A sum of four samples, and of four such sums, therefore has at
//   most 9 bits before and 14 after the binary point. binary32 represents all of them exactly, in whatever order they
//   are added. Chroma is widened first here, once for each of its rows, and blended from row to row as it is used.
// - The matrix is applied in the same order with the same roundings. Conversion to integers rounds to nearest, as
//   adding 2^23 does, and narrowing with saturation clips.
#pragma STDC FP_CONTRACT OFF

// A row of pixels between four rows of chroma.
struct rgb_work {
    const uint8_t *luma;
    const float *weights;
    uint8_t *out;
    const scrub_rgb_matrix *matrix;
};

typedef void rgb_function(const struct rgb_work *, const float *const cb[4], const float *const cr[4], size_t);
typedef void double_function(const scrub_halved_picture *, const uint8_t *, float *restrict, float *restrict);

// The maximum number of values in a vector, and therefore the room after a row's end.
enum { MOST_LANES = 8 };

typedef float floats4 __attribute__((vector_size(16)));
typedef int32_t ints4 __attribute__((vector_size(16)));
typedef uint8_t bytes4 __attribute__((vector_size(4)));

#define NAMED(x) x##_common
#define TARGET
#define LANES 4
#define FLOATS floats4
#define INTS ints4
#define BYTES bytes4
#define NEAREST(v) \
    ({ \
        const floats4 low_ = __builtin_elementwise_max((v), (floats4){0, 0, 0, 0}); \
        const floats4 sum_ = __builtin_elementwise_min(low_, (floats4){255, 255, 255, 255}) + 8388608.0f; \
        ints4 bits_; \
        memcpy(&bits_, &sum_, sizeof bits_); \
        bits_; \
    })
#define PACK(r, g, b, out) \
    do { \
        const ints4 pixels_ = (NEAREST(r) & 255) | (NEAREST(g) & 255) << 8 | (NEAREST(b) & 255) << 16; \
        uint32_t p_[4]; \
        memcpy(p_, &pixels_, sizeof p_); \
        const uint32_t words_[3] = {p_[0] | p_[1] << 24, p_[1] >> 8 | p_[2] << 16, p_[2] >> 16 | p_[3] << 8}; \
        uint8_t *to_ = (out); \
        for (int k = 0; k < 3; k++) { \
            to_[4 * k] = (uint8_t)words_[k]; \
            to_[4 * k + 1] = (uint8_t)(words_[k] >> 8); \
            to_[4 * k + 2] = (uint8_t)(words_[k] >> 16); \
            to_[4 * k + 3] = (uint8_t)(words_[k] >> 24); \
        } \
    } while (0)
#include "halved_rgb_kernel.h"
#undef NAMED
#undef TARGET
#undef LANES
#undef FLOATS
#undef INTS
#undef BYTES
#undef PACK

#if defined(__x86_64__)
#include <immintrin.h>

typedef float floats8 __attribute__((vector_size(32)));
typedef int32_t ints8 __attribute__((vector_size(32)));
typedef uint8_t bytes8 __attribute__((vector_size(8)));

// Red, green and blue of four pixels are packed next to each other in each 16-byte part, reordered there, and combined.
#define ORDER _mm_setr_epi8(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, -1, -1, -1, -1)

#define NAMED(x) x##_v3
#define TARGET __attribute__((target("arch=x86-64-v3")))
#define LANES 8
#define FLOATS floats8
#define INTS ints8
#define BYTES bytes8
#define PACK(r, g, b, out) \
    do { \
        const __m256i blue_ = _mm256_cvtps_epi32(b); \
        const __m256i two_ = _mm256_packs_epi32(_mm256_cvtps_epi32(r), _mm256_cvtps_epi32(g)); \
        const __m256i all_ = _mm256_packus_epi16(two_, _mm256_packs_epi32(blue_, blue_)); \
        const __m256i parts_ = _mm256_shuffle_epi8(all_, _mm256_broadcastsi128_si256(ORDER)); \
        const __m256i rgb_ = _mm256_permutevar8x32_epi32(parts_, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 0, 0)); \
        memcpy((out), &rgb_, 24); \
    } while (0)
#include "halved_rgb_kernel.h"
#endif

struct kind {
    rgb_function *rgb;
    double_function *widen;
};

static struct kind kind_of(scrub_vectors most) {
#if defined(__x86_64__)
    if (most >= SCRUB_VECTORS_V3 && __builtin_cpu_supports("x86-64-v3")) return (struct kind){rgb_v3, double_v3};
#endif
    return (struct kind){rgb_common, double_common};
}

static ptrdiff_t first_row(const scrub_halved_picture *picture, size_t y) {
    const size_t shift = picture->has_half_rows ? 1 : 0;
    return (ptrdiff_t)(y >> shift) + picture->down_first[y & shift];
}

static size_t padded(const scrub_halved_picture *picture) {
    return (2 * picture->columns + MOST_LANES - 1) / MOST_LANES * MOST_LANES;
}

size_t scrub_halved_scratch_count(const scrub_halved_picture *picture) {
    const size_t wide = scrub_wide_scratch_byte_count(picture) / sizeof(float) + 1;
    const size_t count = 8 * padded(picture) + picture->columns + 4;
    return count > wide ? count : wide;
}

void scrub_rgb_halved(const scrub_halved_picture *picture, const scrub_rgb_matrix *matrix, scrub_vectors most,
                      float *scratch, uint8_t *out) {
    if (most >= SCRUB_VECTORS_V4 && scrub_can_be_wide(picture)) {
        scrub_rgb_wide(picture, matrix, scratch, out);
        return;
    }
    const struct kind kind = kind_of(most);
    const size_t room = padded(picture), shift = picture->has_half_rows ? 1 : 0;
    const size_t bytes = 3 * picture->width;
    float *row = scratch + 8 * room;
    memset(scratch, 0, 8 * room * sizeof *scratch);
    // Four rows of either component at full width, row r in slot r mod 4, and which rows they are.
    ptrdiff_t kept[4] = {-1, -1, -1, -1};
    for (size_t y = 0; y < picture->height; y++) {
        const ptrdiff_t first = first_row(picture, y);
        const float *cb[4], *cr[4];
        for (int i = 0; i < 4; i++) {
            const ptrdiff_t last = (ptrdiff_t)picture->rows - 1, wanted = first + i;
            const ptrdiff_t source = wanted < 0 ? 0 : wanted < last ? wanted : last;
            const size_t slot = (size_t)source & 3;
            float *b = scratch + slot * room, *r = b + 4 * room;
            if (kept[slot] != source) {
                kept[slot] = source;
                kind.widen(picture, picture->cb + (size_t)source * picture->cb_stride, row, b);
                kind.widen(picture, picture->cr + (size_t)source * picture->cr_stride, row, r);
            }
            (cb[i] = b, cr[i] = r);
        }
        const struct rgb_work work = {.luma = picture->luma + y * picture->luma_stride,
                                      .weights = picture->down[y & shift],
                                      .out = out + y * bytes,
                                      .matrix = matrix};
        kind.rgb(&work, cb, cr, picture->width);
    }
}
