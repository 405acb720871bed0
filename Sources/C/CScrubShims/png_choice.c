#include <stdlib.h>
#include <string.h>

#include "png_filters.h"
#include "png_pixels.h"

// The first pass over a picture's rows.

enum {
    // The number of row bytes to compress both ways if matches may be better: this many per picture, but at least one
    // and a half windows per stripe.
    TRIAL_BYTES = 1 << 20,
    LEAST_TRIAL_BYTES = 3 << 14,
    // More entries than a window has pixels of three bytes.
    SIGHTING_BITS = 14
};

// The last position of eight bytes, keyed by a part of their hash.
typedef struct {
    uint32_t hash, place;
} sighting;

// Rows of a stripe.
typedef struct {
    uint32_t from, to;
} row_range;

static uint64_t load8(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

// Whether, of the positions that repeat neither the pixel to the left nor the row above, three in ten repeat something
// else that is close enough for a match. In films, the ratio is one in fifty to three in ten.
static bool may_match(png_rows *rows, row_range range, sighting *sightings) {
    const size_t pixel = rows->png->pixel_bytes, count = rows->png->row_bytes;
    memset(sightings, 0, sizeof *sightings << SIGHTING_BITS);
    // Empty entries are out of reach.
    uint32_t start = PNG_WINDOW;
    size_t changed = 0, found = 0;
    for (uint32_t y = range.from; y < range.to; y++) {
        scrub_png_read_row(rows, y);
        for (size_t x = pixel; x + 8 <= count; x += pixel) {
            const uint64_t value = load8(rows->row + x), hash = value * 0x9E3779B97F4A7C15;
            sighting *last = &sightings[hash >> (64 - SIGHTING_BITS)];
            const sighting now = {(uint32_t)(hash >> (32 - SIGHTING_BITS)), start + (uint32_t)x};
            const bool is_near = last->hash == now.hash && now.place - last->place < PNG_WINDOW;
            *last = now;
            if (value == load8(rows->row + x - pixel) || value == load8(rows->above + x)) continue;
            changed++;
            found += is_near;
        }
        start += (uint32_t)count;
    }
    return 10 * found > 3 * changed;
}

// Examines half of the rows: the starts of both halves of a stripe, which may differ in kind.
static bool may_match_somewhere(png_rows *rows, row_range range, sighting *sightings) {
    const uint32_t middle = range.from + (range.to - range.from) / 2;
    const row_range first = {range.from, range.from + (middle - range.from + 1) / 2};
    const row_range second = {middle, middle + (range.to - middle + 1) / 2};
    return may_match(rows, first, sightings) || may_match(rows, second, sightings);
}

// The information about a stripe after its filters are chosen.
typedef struct {
    // The part of each half that changes most; empty if nothing changes.
    row_range busiest[2];
    // Whether half of the filtered bytes are in runs.
    bool is_flat;
} stripe_facts;

// Returns the compressed size of a stripe's busiest parts in bytes, or SIZE_MAX if out of memory.
static size_t compressed_count(png_rows *rows, const stripe_facts *facts, png_way way, int level, uint8_t *lines) {
    png_compressor compressor;
    if (!scrub_png_start(&compressor, rows->png, way, level)) return SIZE_MAX;
    png_group group = {0};
    size_t count = 0;
    for (int half = 0; half < 2; half++) {
        const row_range part = facts->busiest[half];
        count += scrub_png_filter_rows(rows, part.from, part.to, way != PNG_BY_MATCHES, lines + count);
    }
    const bool is_done = scrub_png_compress(&compressor, lines, count, Z_FINISH, &group);
    scrub_png_stop(&compressor);
    free(group.bytes);
    return is_done ? group.count : SIZE_MAX;
}

// Chooses the filters of a stripe's rows, and between codes and runs.
static stripe_facts choose_filters(scrub_png *png, png_rows *rows, row_range range, png_stripe *stripe, uint8_t *line) {
    const size_t count = png->row_bytes;
    const size_t even = TRIAL_BYTES / png->stripe_count;
    const uint64_t part_rows = (even > LEAST_TRIAL_BYTES ? even : LEAST_TRIAL_BYTES) / 2 / count + 1;
    const uint32_t middle = range.from + (range.to - range.from) / 2;
    uint64_t runs = 0, part_changes = 0, most_changes = 0;
    row_range part = {range.from, range.from};
    stripe_facts facts = {.busiest = {part, part}};
    for (uint32_t y = range.from; y < range.to; y++) {
        scrub_png_read_row(rows, y);
        const int filter = scrub_png_best_filter(rows->row, rows->above, count, png->pixel_bytes);
        png->filters[y] = (uint8_t)filter;
        scrub_png_filter(filter, rows->row, rows->above, count, png->pixel_bytes, line);
        uint64_t changes = 0;
        scrub_png_count(line, count, &changes, &runs);
        stripe->changes += changes;
        part_changes += changes;
        part.to = y + 1;
        if (part.to - part.from < part_rows && part.to != middle && part.to < range.to) continue;
        if (part_changes > most_changes) {
            most_changes = part_changes;
            facts.busiest[part.to > middle] = part;
        }
        part_changes = 0;
        part.from = part.to;
        if (part.to == middle) most_changes = 0;
    }
    const uint64_t all = (uint64_t)count * (range.to - range.from);
    // If fewer than an eighth of the bytes are in runs, using them saves less than three percent and takes half as long
    // again.
    stripe->way = runs < all / 8 ? PNG_BY_CODES : PNG_BY_RUNS;
    facts.is_flat = runs >= all / 2;
    return facts;
}

// Tries several methods on a part of a stripe and chooses the one with the smallest result. Returns false if out of
// memory.
static bool try_ways(png_rows *rows, const stripe_facts *facts, png_stripe *stripe, uint8_t *lines) {
    static const png_way all[PNG_WAYS] = {PNG_BY_CODES, PNG_BY_RUNS, PNG_BY_MATCHES, PNG_BY_FILTERED_MATCHES};
    const png_way likely[] = {stripe->way, PNG_BY_MATCHES};
    const bool is_small = scrub_png_is_small(rows->png);
    const png_way *ways = is_small ? all : likely;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < (is_small ? PNG_WAYS : 2); i++) {
        // Good matches are found quickly in mostly flat pictures; the fastest level would miss most of them.
        const int level = is_small || facts->is_flat ? scrub_png_level(rows->png, ways[i]) : Z_BEST_SPEED;
        const size_t count = compressed_count(rows, facts, ways[i], level, lines);
        if (count == SIZE_MAX) return false;
        if (count >= least) continue;
        least = count;
        stripe->way = ways[i];
    }
    return true;
}

void scrub_png_choose(scrub_png *png, size_t number) {
    png_stripe *stripe = &png->stripes[number];
    const row_range range = {scrub_png_first_row(png, number), scrub_png_first_row(png, number + 1)};
    png_rows rows;
    uint8_t *lines = malloc((png->row_bytes + 1) * (range.to - range.from));
    sighting *sightings = malloc(sizeof *sightings << SIGHTING_BITS);
    stripe->has_failed = !scrub_png_start_rows(&rows, png) || !lines || !sightings;
    if (!stripe->has_failed) {
        const stripe_facts facts = choose_filters(png, &rows, range, stripe, lines);
        const bool changes = stripe->changes > 0;
        if (changes && (scrub_png_is_small(png) || facts.is_flat || may_match_somewhere(&rows, range, sightings)))
            stripe->has_failed = !try_ways(&rows, &facts, stripe, lines);
        if (stripe->way == PNG_BY_MATCHES) memset(png->filters + range.from, PNG_NONE, range.to - range.from);
    }
    free(rows.swapped);
    free(lines);
    free(sightings);
}
