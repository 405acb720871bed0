#include "CScrubShims.h"

#include <string.h>

#include "wide_vectors.h"

// Multiplications and additions are not fused, because that rounds differently. Results are the same on every machine.
#pragma STDC FP_CONTRACT OFF

// The number of pixels processed at a time, so that all their numbers stay in the first-level cache.
enum { BLOCK = 256 };

FOR_WIDE_VECTORS
void scrub_widen_row(const uint8_t *restrict samples, size_t count, float *restrict out) {
    for (size_t i = 0; i < count; i++) out[i] = (float)samples[i];
}

FOR_WIDE_VECTORS
void scrub_blend_rows(const float *restrict a, const float *restrict b, const float *restrict c,
                      const float *restrict d, const float weights[4], size_t count, float *restrict out) {
    const float w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    for (size_t i = 0; i < count; i++) out[i] = w0 * a[i] + w1 * b[i] + w2 * c[i] + w3 * d[i];
}

FOR_WIDE_VECTORS
void scrub_blend_samples(const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c,
                         const uint8_t *restrict d, const float weights[4], size_t count, float *restrict out) {
    const float w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    for (size_t i = 0; i < count; i++)
        out[i] = w0 * (float)a[i] + w1 * (float)b[i] + w2 * (float)c[i] + w3 * (float)d[i];
}

FOR_WIDE_VECTORS
void scrub_double_row(const float *restrict row, size_t even_start, const float even[4], size_t odd_start,
                      const float odd[4], size_t pairs, float *restrict out) {
    const float *a = row + even_start, *b = row + odd_start;
    const float e0 = even[0], e1 = even[1], e2 = even[2], e3 = even[3];
    const float o0 = odd[0], o1 = odd[1], o2 = odd[2], o3 = odd[3];
    if (e0 == 0 && e1 == 1 && e2 == 0 && e3 == 0) {
        for (size_t k = 0; k < pairs; k++) {
            out[2 * k] = a[k + 1];
            out[2 * k + 1] = o0 * b[k] + o1 * b[k + 1] + o2 * b[k + 2] + o3 * b[k + 3];
        }
    } else {
        for (size_t k = 0; k < pairs; k++) {
            out[2 * k] = e0 * a[k] + e1 * a[k + 1] + e2 * a[k + 2] + e3 * a[k + 3];
            out[2 * k + 1] = o0 * b[k] + o1 * b[k + 1] + o2 * b[k + 2] + o3 * b[k + 3];
        }
    }
}

// The nearest code. Adding 2^23 to a number below it leaves the nearest whole number in the low bits of the mantissa.
INLINE uint8_t code(float value) {
    const float low = value > 0 ? value : 0;
    const float sum = (low < 255 ? low : 255) + 8388608;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (uint8_t)bits;
}

// `is_plain`: red does not depend on Cb, nor blue on Cr, as in all matrices but YCgCo.
INLINE void rgb_block(const uint8_t *restrict luma, const float *restrict cb, const float *restrict cr,
                      const scrub_rgb_matrix m, bool is_plain, size_t count, uint8_t *restrict out) {
    uint8_t red[BLOCK], green[BLOCK], blue[BLOCK];
    for (size_t i = 0; i < count; i++) {
        const float x = (float)luma[i], y = cb[i], z = cr[i];
        red[i] = code(is_plain ? m.red[0] * x + m.red[2] * z + m.red[3]
                               : m.red[0] * x + m.red[1] * y + m.red[2] * z + m.red[3]);
        green[i] = code(m.green[0] * x + m.green[1] * y + m.green[2] * z + m.green[3]);
        blue[i] = code(is_plain ? m.blue[0] * x + m.blue[1] * y + m.blue[3]
                                : m.blue[0] * x + m.blue[1] * y + m.blue[2] * z + m.blue[3]);
    }
    for (size_t i = 0; i < count; i++) {
        out[3 * i] = red[i];
        out[3 * i + 1] = green[i];
        out[3 * i + 2] = blue[i];
    }
}

INLINE void rgb_row(const uint8_t *luma, const float *cb, const float *cr, const scrub_rgb_matrix m, bool is_plain,
                    size_t count, uint8_t *out) {
    size_t at = 0;
    for (; at + BLOCK <= count; at += BLOCK) rgb_block(luma + at, cb + at, cr + at, m, is_plain, BLOCK, out + 3 * at);
    if (at < count) rgb_block(luma + at, cb + at, cr + at, m, is_plain, count - at, out + 3 * at);
}

FOR_WIDE_VECTORS
void scrub_rgb_row(const uint8_t *luma, const float *cb, const float *cr, const scrub_rgb_matrix *matrix, size_t count,
                   uint8_t *out) {
    const scrub_rgb_matrix m = *matrix;
    if (m.red[1] == 0 && m.blue[2] == 0) {
        rgb_row(luma, cb, cr, m, true, count, out);
    } else {
        rgb_row(luma, cb, cr, m, false, count, out);
    }
}
