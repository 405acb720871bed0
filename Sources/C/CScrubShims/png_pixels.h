#ifndef SCRUB_PNG_PIXELS_H
#define SCRUB_PNG_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "CScrubShims.h"

// How a stripe of rows is compressed. The choice depends only on the pixels, so a picture has the same bytes with any
// number of threads.
typedef enum {
    // Codes of single bytes: the differences in a picture with grain.
    PNG_BY_CODES,
    // Codes, and runs of one byte: differences with unchanged areas.
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

// Adjacent stripes that are compressed as one, and the compressed bytes.
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
    // The filter of each row; 0 in stripes that are compressed with matches.
    uint8_t *filters;
    // The row above the first.
    uint8_t *zeros;
    png_stripe *stripes;
    png_group *groups;
};

enum {
    // The size of a stripe in bytes, or of a row if that is larger.
    PNG_STRIPE_BYTES = 1 << 18,
    // The maximum size in bytes of a picture for which everything is tried, such as a thumbnail.
    PNG_SMALL_BYTES = 1 << 16,
    // The maximum distance of a match.
    PNG_WINDOW = 1 << 15
};

// Reads rows, together with the rows above them, which filters need.
typedef struct {
    const scrub_png *png;
    // Two rows of 16-bit samples with the high byte first, as stored in PNG (7.1); NULL for 8 bits.
    uint8_t *swapped;
    uint64_t next;
    const uint8_t *row, *above;
} png_rows;

// Returns false if out of memory. `swapped` must be freed in any case.
bool scrub_png_start_rows(png_rows *rows, const scrub_png *png);
void scrub_png_read_row(png_rows *rows, uint32_t y);
// Writes consecutive filtered rows, each after its filter's number, and returns the number of bytes.
size_t scrub_png_filter_rows(png_rows *rows, uint32_t from, uint32_t to, bool is_filtered, uint8_t *out);
// The first row of a stripe; after the last stripe, the height.
uint32_t scrub_png_first_row(const scrub_png *png, size_t stripe);

// zlib's level for a method: the fastest or, for matches, the one that libavcodec uses, or a higher one if that is
// cheap.
int scrub_png_level(const scrub_png *png, png_way way);
bool scrub_png_is_small(const scrub_png *png);

// Makes room for this many more bytes in a group. Returns false if out of memory.
bool scrub_png_reserve(png_group *group, size_t count);

// Compresses the bytes of one group: with png_codes for codes and runs, or else with zlib, which finds matches. Small
// pictures always use zlib, which has blocks with smaller headers.
typedef struct {
    struct png_codes *codes;
    z_stream stream;
} png_compressor;

// Returns false if out of memory; in that case, it must not be ended.
bool scrub_png_start(png_compressor *compressor, const scrub_png *png, png_way way, int level);
// Appends the compressed bytes. `flush` is the same as in zlib. Returns false if out of memory.
bool scrub_png_compress(png_compressor *compressor, const uint8_t *bytes, size_t count, int flush, png_group *group);
void scrub_png_stop(png_compressor *compressor);

#endif
