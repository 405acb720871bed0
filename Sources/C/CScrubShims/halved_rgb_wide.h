#ifndef SCRUB_HALVED_RGB_WIDE_H
#define SCRUB_HALVED_RGB_WIDE_H

#include "CScrubShims.h"

#include <stdbool.h>

// halved_rgb.c with vectors of 64 bytes, for processors that have them.

/// Whether this processor supports it and the picture's weights are whole numbers that fit.
bool scrub_can_be_wide(const scrub_halved_picture *picture);

/// The number of scratch bytes that scrub_rgb_wide needs, aligned for two-byte numbers.
size_t scrub_wide_scratch_byte_count(const scrub_halved_picture *picture);

/// Like scrub_rgb_halved.
///
/// Precondition: scrub_can_be_wide.
void scrub_rgb_wide(const scrub_halved_picture *picture, const scrub_rgb_matrix *matrix, void *scratch, uint8_t *out);

#endif
