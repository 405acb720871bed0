#ifndef SCRUB_PNG_CODES_H
#define SCRUB_PNG_CODES_H

#include "png_pixels.h"

// Compresses the bytes of one group. To be freed by free().
typedef struct png_codes png_codes;

// Runs of one byte become matches, or every byte a code. Returns NULL without memory.
png_codes *scrub_png_codes_begin(bool has_runs);
// Appends what bytes are compressed to, and ends as zlib does with the same `flush`: Z_NO_FLUSH, Z_SYNC_FLUSH or
// Z_FINISH. Returns false without memory.
bool scrub_png_codes_add(png_codes *codes, const uint8_t *bytes, size_t count, int flush, png_group *group);

#endif
