#ifndef SCRUB_PNG_FILTERS_H
#define SCRUB_PNG_FILTERS_H

#include <stddef.h>
#include <stdint.h>

// The row filters of PNG (third edition, 9.2), by their numbers.
enum { PNG_NONE, PNG_SUB, PNG_UP, PNG_AVERAGE, PNG_PAETH, PNG_FILTERS };

// Writes the filtered bytes of a row. `above` is the row above it, or zeros; `pixel` is the number of bytes of a pixel,
// at most 8 and at most `count`.
void scrub_png_filter(int filter, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel, uint8_t *out);

// Returns the filter whose bytes, taken as signed, have the smallest sum of magnitudes (12.7); the first one if several
// are equal.
int scrub_png_best_filter(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel);

// Adds the number of nonzero bytes, and the number of bytes that equal the three before them.
void scrub_png_count(const uint8_t *bytes, size_t count, uint64_t *changes, uint64_t *runs);

#endif
