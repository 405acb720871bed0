// The loops of halved_rgb.c for one kind of vectors. The including file defines LANES, the number of values in a
// vector; FLOATS, INTS and BYTES, the vector types; and NAMED(x), which makes a unique name. It also defines TARGET,
// the required processor features, and PACK(r, g, b, out), which writes LANES pixels.

#define LOADED(T, p) ({ T loaded_; memcpy(&loaded_, (p), sizeof loaded_); loaded_; })

// All sums of weights and samples are exact in binary32 (halved_rgb.c), so a fused multiplication gives the same
// result. In the matrix, it would round differently.
#define BLEND(a, b, c, d, w) \
    ({ \
        _Pragma("clang fp contract(fast)") FLOATS sum_ = (a) * (w)[0] + (b) * (w)[1] + (c) * (w)[2] + (d) * (w)[3]; \
        sum_; \
    })

#define RGB(luma, y, z, out) \
    do { \
        const FLOATS x_ = __builtin_convertvector(__builtin_convertvector(LOADED(BYTES, luma), INTS), FLOATS) * m.red[0]; \
        PACK(x_ + (z) * m.red[2] + m.red[3], x_ + (y) * m.green[1] + (z) * m.green[2] + m.green[3], \
             x_ + (y) * m.blue[1] + m.blue[3], out); \
    } while (0)

#define ROWS(i) \
    const FLOATS b0 = LOADED(FLOATS, cb[0] + (i)), b1 = LOADED(FLOATS, cb[1] + (i)), b2 = LOADED(FLOATS, cb[2] + (i)), \
                 b3 = LOADED(FLOATS, cb[3] + (i)); \
    const FLOATS r0 = LOADED(FLOATS, cr[0] + (i)), r1 = LOADED(FLOATS, cr[1] + (i)), r2 = LOADED(FLOATS, cr[2] + (i)), \
                 r3 = LOADED(FLOATS, cr[3] + (i))

#define PIXELS(luma, w, out) \
    RGB(luma, BLEND(b0, b1, b2, b3, w), BLEND(r0, r1, r2, r3, w), out)

TARGET
static void NAMED(rgb)(const struct rgb_work *work, const float *const cb[4], const float *const cr[4], size_t count) {
    const scrub_rgb_matrix m = *work->matrix;
    const float *w = work->weights;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        ROWS(i);
        PIXELS(work->luma + i, w, work->out + 3 * i);
    }
    if (i == count) return;
    // The last values of a row, with room after them, which the chroma rows have.
    uint8_t luma[LANES] = {0}, pixels[3 * LANES];
    memcpy(luma, work->luma + i, count - i);
    ROWS(i);
    PIXELS(luma, w, pixels);
    memcpy(work->out + 3 * i, pixels, 3 * (count - i));
}

// Doubles the width of a row of samples, as numbers. `row` has two repeated samples at each end.
TARGET
static void NAMED(double)(const scrub_halved_picture *picture, const uint8_t *samples, float *restrict row,
                          float *restrict out) {
    const size_t columns = picture->columns;
    for (size_t i = 0; i < columns; i++) row[i + 2] = (float)samples[i];
    row[0] = row[1] = row[2];
    row[columns + 2] = row[columns + 3] = row[columns + 1];
    const float *a = row + 2 + picture->across_first[0], *b = row + 2 + picture->across_first[1];
    const float e0 = picture->across[0][0], e1 = picture->across[0][1], e2 = picture->across[0][2];
    const float e3 = picture->across[0][3];
    const float o0 = picture->across[1][0], o1 = picture->across[1][1], o2 = picture->across[1][2];
    const float o3 = picture->across[1][3];
    if (e0 == 0 && e1 == 1 && e2 == 0 && e3 == 0) {
        for (size_t k = 0; k < columns; k++) {
#pragma clang fp contract(fast)
            out[2 * k] = a[k + 1];
            out[2 * k + 1] = o0 * b[k] + o1 * b[k + 1] + o2 * b[k + 2] + o3 * b[k + 3];
        }
    } else {
        for (size_t k = 0; k < columns; k++) {
#pragma clang fp contract(fast)
            out[2 * k] = e0 * a[k] + e1 * a[k + 1] + e2 * a[k + 2] + e3 * a[k + 3];
            out[2 * k + 1] = o0 * b[k] + o1 * b[k + 1] + o2 * b[k + 2] + o3 * b[k + 3];
        }
    }
}

#undef LOADED
#undef BLEND
#undef RGB
#undef ROWS
#undef PIXELS
