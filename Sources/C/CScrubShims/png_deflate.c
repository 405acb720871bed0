#include <stdlib.h>

#include "png_pixels.h"

// The second pass over a picture's rows.

enum {
    // A group is full when its stripes' weights reach this value. The weights approximate the compression time, which
    // for codes and runs is mostly spent on bytes that change.
    FULL = 1 << 17,
    // Each group costs some twenty bytes. A black 1080p picture takes 6,000 bytes, so it should be one group.
    STILL_BYTES = 64,
    MATCHED_BYTES = 5
};

static uint64_t weight(const scrub_png *png, size_t number) {
    const png_stripe *stripe = &png->stripes[number];
    const uint64_t rows = scrub_png_first_row(png, number + 1) - scrub_png_first_row(png, number);
    const uint64_t count = png->row_bytes * rows;
    return stripe->way == PNG_BY_MATCHES ? count / MATCHED_BYTES : stripe->changes + count / STILL_BYTES;
}

size_t scrub_png_join(scrub_png *png) {
    uint64_t sum = 0;
    for (size_t i = 0; i < png->stripe_count; i++) {
        if (i == 0 || sum >= FULL || png->stripes[i].way != png->stripes[i - 1].way) {
            png->groups[png->group_count++] = (png_group){.first_stripe = i};
            sum = 0;
        }
        png->groups[png->group_count - 1].end_stripe = i + 1;
        sum += weight(png, i);
    }
    return png->group_count;
}

// Gives a stream the data before its first row, for matches that reach back to it.
static bool set_window(z_stream *stream, png_rows *rows, uint32_t first) {
    const size_t line = rows->png->row_bytes + 1;
    const uint32_t count = PNG_WINDOW / line < first ? (uint32_t)(PNG_WINDOW / line) + 1 : first;
    uint8_t *lines = malloc(line * count);
    if (!lines) return false;
    const size_t end = scrub_png_filter_rows(rows, first - count, first, true, lines);
    const size_t used = end < PNG_WINDOW ? end : PNG_WINDOW;
    const bool is_set = deflateSetDictionary(stream, lines + end - used, (uInt)used) == Z_OK;
    free(lines);
    return is_set;
}

static bool compress_group(
    const scrub_png *png, png_group *group, png_rows *rows, png_compressor *compressor, uint8_t *lines) {
    const size_t first = group->first_stripe, end = group->end_stripe;
    // Filtered bytes before it would not help.
    if (png->stripes[first].way == PNG_BY_MATCHES && first > 0 && png->stripes[first - 1].way == PNG_BY_MATCHES &&
        !set_window(&compressor->stream, rows, scrub_png_first_row(png, first)))
        return false;
    for (size_t i = first; i < end; i++) {
        const uint32_t from = scrub_png_first_row(png, i), to = scrub_png_first_row(png, i + 1);
        const size_t count = scrub_png_filter_rows(rows, from, to, true, lines);
        group->checksum = (uint32_t)adler32_z(group->checksum, lines, count);
        group->filtered_count += count;
        const int flush = i + 1 < end ? Z_NO_FLUSH : end < png->stripe_count ? Z_SYNC_FLUSH : Z_FINISH;
        if (!scrub_png_compress(compressor, lines, count, flush, group)) return false;
    }
    return true;
}

void scrub_png_deflate(scrub_png *png, size_t number) {
    png_group *group = &png->groups[number];
    const png_way way = png->stripes[group->first_stripe].way;
    group->checksum = 1;
    group->has_failed = true;
    png_rows rows;
    png_compressor compressor;
    uint8_t *lines = malloc((png->row_bytes + 1) * png->stripe_rows);
    if (scrub_png_start_rows(&rows, png) && lines &&
        scrub_png_start(&compressor, png, way, scrub_png_level(png, way))) {
        group->has_failed = !compress_group(png, group, &rows, &compressor, lines);
        scrub_png_stop(&compressor);
        // This is kept until the file is written.
        uint8_t *fitting = realloc(group->bytes, group->count > 0 ? group->count : 1);
        if (fitting) {
            group->bytes = fitting;
            group->capacity = group->count;
        }
    }
    free(rows.swapped);
    free(lines);
}
