#ifndef SCRUB_PNG_CODES_H
#define SCRUB_PNG_CODES_H

#include "png_pixels.h"

// Compresses the bytes of one group. Free the result with free().
typedef struct png_codes png_codes;

// Runs of one byte become matches, or every byte becomes a code. Returns NULL if out of memory.
png_codes *scrub_png_codes_begin(bool has_runs);
// Appends the compressed bytes, ending like zlib with the same `flush`: Z_NO_FLUSH, Z_SYNC_FLUSH or Z_FINISH. Returns
// false if out of memory.
bool scrub_png_codes_add(png_codes *codes, const uint8_t *bytes, size_t count, int flush, png_group *group);

#endif
