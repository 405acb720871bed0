#include "png_pixels.h"

#include <stdlib.h>

#include "png_codes.h"
#include "png_filters.h"

// A picture's pixels become one zlib stream in two passes over its rows, in each of which threads share the work:
//
// - Stripes (png_choice.c): a filter is chosen for every row, and a compression method for every stripe.
// - Groups of stripes (png_deflate.c): filtered again, which costs less than keeping the filtered data, and compressed.
//   Each group except the last ends on a whole byte, so that the next one can follow.
//
// The division into stripes and groups, and their compression, depend only on the pixels.

scrub_png *scrub_png_begin(const scrub_png_info *info, const uint8_t *pixels, size_t stride) {
    scrub_png *png = calloc(1, sizeof *png);
    if (!png) return NULL;
    png->info = *info;
    png->pixels = pixels;
    png->stride = stride;
    // At most 2^31 pixels of 8 bytes.
    png->pixel_bytes = (size_t)(info->channels * info->bit_depth / 8);
    png->row_bytes = info->width * png->pixel_bytes;
    const size_t most_rows = png->row_bytes < PNG_STRIPE_BYTES ? PNG_STRIPE_BYTES / png->row_bytes : 1;
    // All stripes have nearly the same height, because a few rows alone say little about which method is best.
    png->stripe_rows = (info->height - 1) / ((info->height - 1) / most_rows + 1) + 1;
    png->stripe_count = (info->height - 1) / png->stripe_rows + 1;
    png->filters = malloc(info->height);
    png->zeros = calloc(png->row_bytes, 1);
    png->stripes = calloc(png->stripe_count, sizeof *png->stripes);
    png->groups = calloc(png->stripe_count, sizeof *png->groups);
    if (png->filters && png->zeros && png->stripes && png->groups) return png;
    scrub_png_end(png);
    return NULL;
}

size_t scrub_png_stripes(const scrub_png *png) { return png->stripe_count; }

void scrub_png_end(scrub_png *png) {
    if (!png) return;
    for (size_t i = 0; i < png->group_count; i++) free(png->groups[i].bytes);
    free(png->groups);
    free(png->stripes);
    free(png->zeros);
    free(png->filters);
    free(png);
}

uint32_t scrub_png_first_row(const scrub_png *png, size_t stripe) {
    return stripe < png->stripe_count ? (uint32_t)(stripe * png->stripe_rows) : png->info.height;
}

bool scrub_png_start_rows(png_rows *rows, const scrub_png *png) {
    *rows = (png_rows){.png = png, .next = UINT64_MAX};
    if (png->info.bit_depth == 8) return true;
    rows->swapped = malloc(2 * png->row_bytes);
    return rows->swapped != NULL;
}

static const uint8_t *stored_row(png_rows *rows, uint32_t y) {
    const uint8_t *row = rows->png->pixels + y * rows->png->stride;
    if (!rows->swapped) return row;
    const size_t count = rows->png->row_bytes;
    uint8_t *out = rows->swapped + (y & 1) * count;
    for (size_t i = 0; i < count; i += 2) {
        out[i] = row[i + 1];
        out[i + 1] = row[i];
    }
    return out;
}

void scrub_png_read_row(png_rows *rows, uint32_t y) {
    if (y == 0) {
        rows->above = rows->png->zeros;
    } else {
        rows->above = rows->next == y ? rows->row : stored_row(rows, y - 1);
    }
    rows->row = stored_row(rows, y);
    rows->next = (uint64_t)y + 1;
}

size_t scrub_png_filter_rows(png_rows *rows, uint32_t from, uint32_t to, bool is_filtered, uint8_t *out) {
    const scrub_png *png = rows->png;
    uint8_t *at = out;
    for (uint32_t y = from; y < to; y++) {
        const uint8_t filter = is_filtered ? png->filters[y] : PNG_NONE;
        scrub_png_read_row(rows, y);
        *at = filter;
        scrub_png_filter(filter, rows->row, rows->above, png->row_bytes, png->pixel_bytes, at + 1);
        at += png->row_bytes + 1;
    }
    return (size_t)(at - out);
}

bool scrub_png_is_small(const scrub_png *png) {
    return png->stripe_count == 1 && png->stripe_rows * png->row_bytes <= PNG_SMALL_BYTES;
}

int scrub_png_level(const scrub_png *png, png_way way) {
    if (way == PNG_BY_CODES || way == PNG_BY_RUNS) return Z_BEST_SPEED;
    return scrub_png_is_small(png) ? 8 : png->stripe_count <= 4 ? 7 : 6;
}

bool scrub_png_start(png_compressor *compressor, const scrub_png *png, png_way way, int level) {
    static const int strategies[PNG_WAYS] = {Z_HUFFMAN_ONLY, Z_RLE, Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY};
    *compressor = (png_compressor){0};
    if ((way == PNG_BY_CODES || way == PNG_BY_RUNS) && !scrub_png_is_small(png)) {
        compressor->codes = scrub_png_codes_begin(way == PNG_BY_RUNS);
        return compressor->codes != NULL;
    }
    // Without zlib's head and checksum, which belong to the whole picture; blocks as long as zlib can make them.
    return deflateInit2(&compressor->stream, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, strategies[way]) == Z_OK;
}

void scrub_png_stop(png_compressor *compressor) {
    if (!compressor->codes) deflateEnd(&compressor->stream);
    free(compressor->codes);
}

bool scrub_png_reserve(png_group *group, size_t count) {
    if (group->capacity - group->count >= count) return true;
    if (group->capacity > SIZE_MAX / 4 || count > SIZE_MAX / 4) return false;
    const size_t twice = group->capacity > 0 ? 2 * group->capacity : PNG_STRIPE_BYTES / 4;
    const size_t capacity = twice - group->count >= count ? twice : group->count + count;
    uint8_t *grown = realloc(group->bytes, capacity);
    if (!grown) return false;
    group->bytes = grown;
    group->capacity = capacity;
    return true;
}

bool scrub_png_compress(png_compressor *compressor, const uint8_t *bytes, size_t count, int flush, png_group *group) {
    if (compressor->codes) return scrub_png_codes_add(compressor->codes, bytes, count, flush, group);
    z_stream *stream = &compressor->stream;
    // zlib uses 32-bit counts.
    const size_t most = 1 << 30;
    stream->next_in = (z_const Bytef *)bytes;
    do {
        const size_t part = count < most ? count : most;
        count -= part;
        stream->avail_in = (uInt)part;
        do {
            if (!scrub_png_reserve(group, 64)) return false;
            const size_t left = group->capacity - group->count, room = left < most ? left : most;
            stream->next_out = group->bytes + group->count;
            stream->avail_out = (uInt)room;
            if (deflate(stream, count > 0 ? Z_NO_FLUSH : flush) == Z_STREAM_ERROR) return false;
            group->count += room - stream->avail_out;
        } while (stream->avail_out == 0);
    } while (count > 0);
    return true;
}
