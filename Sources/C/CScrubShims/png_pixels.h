#ifndef SCRUB_PNG_PIXELS_H
#define SCRUB_PNG_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "CScrubShims.h"

// How a stripe of rows is compressed. The choice looks at the pixels only, so a picture has the same bytes with any
// number of threads.
typedef enum {
    // Codes of bytes alone: the differences of a picture with grain.
    PNG_BY_CODES,
    // Codes, and runs of one byte: differences with areas that do not change.
    PNG_BY_RUNS,
    // Matches of earlier pixels, without filters: letters, icons, few colors, dithering.
    PNG_BY_MATCHES,
    // Matches of earlier differences. Only tried in small pictures.
    PNG_BY_FILTERED_MATCHES,
    PNG_WAYS
} png_way;

typedef struct {
    png_way way;
    // Filtered bytes that are not zero.
    uint64_t changes;
    bool has_failed;
} png_stripe;

// Neighbouring stripes that are compressed as one, and what they were compressed to.
typedef struct {
    size_t first_stripe, end_stripe;
    uint8_t *bytes;
    size_t count, capacity;
    // The number of filtered bytes, and their Adler-32.
    uint64_t filtered_count;
    uint32_t checksum;
    bool has_failed;
} png_group;

struct scrub_png {
    scrub_png_info info;
    const uint8_t *pixels;
    size_t stride, row_bytes, pixel_bytes, stripe_rows, stripe_count, group_count;
    // The filter of each row. Those of a stripe by matches are 0.
    uint8_t *filters;
    // The row above the first.
    uint8_t *zeros;
    png_stripe *stripes;
    png_group *groups;
};

enum {
    // Bytes of a stripe, or a row where that is longer.
    PNG_STRIPE_BYTES = 1 << 18,
    // Bytes of a picture for which everything is tried: thumbnails.
    PNG_SMALL_BYTES = 1 << 16,
    // How far back a match can be.
    PNG_WINDOW = 1 << 15
};

// Reads rows, and the ones above them that filters look at.
typedef struct {
    const scrub_png *png;
    // Two rows whose samples of 16 bits have the high byte first, as PNG stores them (7.1); NULL with 8 bits.
    uint8_t *swapped;
    uint64_t next;
    const uint8_t *row, *above;
} png_rows;

// Returns false without memory. `swapped` is to be freed in any case.
bool scrub_png_start_rows(png_rows *rows, const scrub_png *png);
void scrub_png_read_row(png_rows *rows, uint32_t y);
// Writes filtered rows one behind the other, each behind its filter's number, and returns how many bytes that are.
size_t scrub_png_filter_rows(png_rows *rows, uint32_t from, uint32_t to, bool is_filtered, uint8_t *out);
// The first row of a stripe; behind the last stripe the height.
uint32_t scrub_png_first_row(const scrub_png *png, size_t stripe);

// zlib's level for a way: the fastest, or for matches the one that libavcodec takes and where it is cheap a higher one.
int scrub_png_level(const scrub_png *png, png_way way);
bool scrub_png_is_small(const scrub_png *png);

// Makes room for so many bytes more than a group has. Returns false without memory.
bool scrub_png_reserve(png_group *group, size_t count);

// Compresses the bytes of one group: by codes and runs with png_codes, else with zlib, which finds matches. Small
// pictures are zlib's alone: it has blocks with less of a head.
typedef struct {
    struct png_codes *codes;
    z_stream stream;
} png_compressor;

// Returns false without memory; then it is not to be ended.
bool scrub_png_start(png_compressor *compressor, const scrub_png *png, png_way way, int level);
// Appends what bytes are compressed to. `flush` is zlib's. Returns false without memory.
bool scrub_png_compress(png_compressor *compressor, const uint8_t *bytes, size_t count, int flush, png_group *group);
void scrub_png_stop(png_compressor *compressor);

#endif
