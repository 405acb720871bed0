#include "png_filters.h"

#include "wide_vectors.h"

// The number of bytes processed at a time: a sum of this many magnitudes fits in 16 bits.
enum { BLOCK = 256 };

// Returns the value that a filter subtracts, computed from the bytes to the left, above, and above left.
INLINE uint8_t prediction(int filter, uint8_t left, uint8_t up, uint8_t corner) {
    switch (filter) {
    case PNG_SUB: return left;
    case PNG_UP: return up;
    // Half of the sum, rounded down, without a ninth bit.
    case PNG_AVERAGE: return (uint8_t)((left & up) + ((left ^ up) >> 1));
    case PNG_PAETH: {
        const int16_t to_left = (int16_t)(up - corner), to_up = (int16_t)(left - corner);
        const int16_t to_corner = (int16_t)(to_left + to_up);
        const int16_t a = to_left < 0 ? -to_left : to_left, b = to_up < 0 ? -to_up : to_up;
        const int16_t c = to_corner < 0 ? -to_corner : to_corner;
        const uint8_t other = b <= c ? up : corner;
        return a <= b && a <= c ? left : other;
    }
    default: return 0;
    }
}

INLINE void filter_block(int filter, const uint8_t *restrict row, const uint8_t *restrict left,
                         const uint8_t *restrict above, const uint8_t *restrict corner, size_t count,
                         uint8_t *restrict out) {
    for (size_t i = 0; i < count; i++) out[i] = (uint8_t)(row[i] - prediction(filter, left[i], above[i], corner[i]));
}

INLINE uint16_t magnitudes(const uint8_t *bytes, size_t count) {
    uint16_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = bytes[i], negated = (uint8_t)-byte;
        sum = (uint16_t)(sum + (byte < negated ? byte : negated));
    }
    return sum;
}

// The first pixel has no left neighbor.
INLINE void filter_start(int filter, const uint8_t *row, const uint8_t *above, size_t pixel, uint8_t *out) {
    for (size_t i = 0; i < pixel; i++) out[i] = (uint8_t)(row[i] - prediction(filter, 0, above[i], 0));
}

FOR_WIDE_VECTORS
void scrub_png_filter(int filter, const uint8_t *restrict row, const uint8_t *restrict above, size_t count,
                      size_t pixel, uint8_t *restrict out) {
    // A separate loop for each filter, without a branch inside.
#define CASE(number) \
    case number: \
        filter_start(number, row, above, pixel, out); \
        for (size_t i = pixel; i < count; i++) \
            out[i] = (uint8_t)(row[i] - prediction(number, row[i - pixel], above[i], above[i - pixel])); \
        break;
    switch (filter) {
        CASE(PNG_NONE)
        CASE(PNG_SUB)
        CASE(PNG_UP)
        CASE(PNG_AVERAGE)
        CASE(PNG_PAETH)
    default: break;
    }
#undef CASE
}

INLINE void add_costs(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                      uint64_t costs[PNG_FILTERS]) {
    uint8_t bytes[BLOCK];
#define ADD(number) \
    filter_block(number, row, row - pixel, above, above - pixel, count, bytes); \
    costs[number] += magnitudes(bytes, count);
    ADD(PNG_NONE)
    ADD(PNG_SUB)
    ADD(PNG_UP)
    ADD(PNG_AVERAGE)
    ADD(PNG_PAETH)
#undef ADD
}

FOR_WIDE_VECTORS
int scrub_png_best_filter(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel) {
    uint64_t costs[PNG_FILTERS];
    uint8_t start[8];
    for (int filter = 0; filter < PNG_FILTERS; filter++) {
        filter_start(filter, row, above, pixel, start);
        costs[filter] = magnitudes(start, pixel);
    }
    size_t at = pixel;
    for (; at + BLOCK <= count; at += BLOCK) add_costs(row + at, above + at, BLOCK, pixel, costs);
    if (at < count) add_costs(row + at, above + at, count - at, pixel, costs);
    int best = 0;
    for (int filter = 1; filter < PNG_FILTERS; filter++)
        if (costs[filter] < costs[best]) best = filter;
    return best;
}

INLINE void count_block(const uint8_t *bytes, size_t count, uint64_t *changes, uint64_t *runs) {
    const uint8_t *first = bytes - 1, *second = bytes - 2, *third = bytes - 3;
    uint16_t changed = 0, run = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = bytes[i];
        changed = (uint16_t)(changed + (byte != 0));
        run = (uint16_t)(run + ((byte == first[i]) & (byte == second[i]) & (byte == third[i])));
    }
    *changes += changed;
    *runs += run;
}

FOR_WIDE_VECTORS
void scrub_png_count(const uint8_t *bytes, size_t count, uint64_t *changes, uint64_t *runs) {
    size_t at = 0;
    for (; at < count && at < 3; at++) *changes += bytes[at] != 0;
    for (; at + BLOCK <= count; at += BLOCK) count_block(bytes + at, BLOCK, changes, runs);
    if (at < count) count_block(bytes + at, count - at, changes, runs);
}
