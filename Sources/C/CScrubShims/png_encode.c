#include "CScrubShims.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "png_pixels.h"

// libpng exits a failing call with longjmp. The whole file is written in one C function, which returns a status and a
// sentence, so that no Swift frame is ever skipped.

typedef struct {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} buffer;

typedef struct {
    char *text;
    size_t capacity;
} message;

static void append(png_structp png, png_bytep data, size_t count) {
    buffer *b = png_get_io_ptr(png);
    if (count > b->capacity - b->count) {
        size_t wanted = b->capacity ? b->capacity : 65536;
        while (wanted - b->count < count) {
            if (wanted > SIZE_MAX / 2)
                png_error(png, "the picture is too large");
            wanted *= 2;
        }
        uint8_t *grown = realloc(b->bytes, wanted);
        if (!grown)
            png_error(png, "out of memory");
        b->bytes = grown;
        b->capacity = wanted;
    }
    memcpy(b->bytes + b->count, data, count);
    b->count += count;
}

static void nothing_to_flush(png_structp png) { (void)png; }

static void fail(png_structp png, png_const_charp text) {
    message *m = png_get_error_ptr(png);
    if (m->capacity > 0) {
        strncpy(m->text, text, m->capacity - 1);
        m->text[m->capacity - 1] = 0;
    }
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp text) { (void)png, (void)text; }

// tEXt chunks before the pixels (11.3.3.3); libpng keeps copies.
static void set_texts(png_structp png, png_infop facts, const scrub_png_info *info) {
    const char *at = info->texts;
    for (int i = 0; i < info->text_count; i++) {
        png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE};
        text.key = (png_charp)at;
        at += strlen(at) + 1;
        text.text = (png_charp)at;
        text.text_length = strlen(at);
        at += text.text_length + 1;
        png_set_text(png, facts, &text, 1);
    }
}

// Room for the whole file, so that it does not grow in steps; everything except the pixels takes only a few bytes.
static void reserve(png_structp png, buffer *b, const scrub_png *pixels) {
    size_t count = 65536;
    for (size_t i = 0; i < pixels->group_count; i++) {
        const size_t more = pixels->groups[i].count;
        if (more > SIZE_MAX - count) png_error(png, "the picture is too large");
        count += more;
    }
    b->bytes = malloc(count);
    if (!b->bytes) png_error(png, "out of memory");
    b->capacity = count;
}

// The pixels as one zlib stream (10.1). A chunk has at most 2^31 - 1 bytes (5.3), so there is a single IDAT in all but
// huge pictures.
static void write_pixels(png_structp png, scrub_png *pixels) {
    const png_byte head[2] = {0x78, 0x01};
    const size_t most = 0x7fffff00, count = pixels->group_count;
    uLong checksum = 1;
    for (size_t first = 0, end = 0; first < count; first = end) {
        size_t length = first == 0 ? sizeof head : 0;
        while (end < count && pixels->groups[end].count <= most - length) length += pixels->groups[end++].count;
        if (end == first) png_error(png, "the picture is too large");
        png_byte tail[4];
        if (end == count) length += sizeof tail;
        png_write_chunk_start(png, (png_const_bytep) "IDAT", (png_uint_32)length);
        if (first == 0) png_write_chunk_data(png, head, sizeof head);
        for (size_t i = first; i < end; i++) {
            png_group *group = &pixels->groups[i];
            png_write_chunk_data(png, group->bytes, group->count);
            free(group->bytes);
            group->bytes = NULL;
            checksum = adler32_combine(checksum, group->checksum, (z_off_t)group->filtered_count);
        }
        if (end == count) {
            png_save_uint_32(tail, (png_uint_32)checksum);
            png_write_chunk_data(png, tail, sizeof tail);
        }
        png_write_chunk_end(png);
    }
}

static bool has_failed(const scrub_png *pixels) {
    for (size_t i = 0; i < pixels->stripe_count; i++)
        if (pixels->stripes[i].has_failed) return true;
    for (size_t i = 0; i < pixels->group_count; i++)
        if (pixels->groups[i].has_failed) return true;
    return false;
}

int scrub_png_write(scrub_png *pixels, uint8_t **out, size_t *out_count, char *error, size_t error_capacity) {
    static const int kinds[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    const scrub_png_info *info = &pixels->info;
    message m = {error, error_capacity};
    // Written after setjmp and read after longjmp: without `volatile`, its value would be indeterminate.
    buffer *volatile b = has_failed(pixels) ? NULL : calloc(1, sizeof *b);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &m, fail, ignore);
    png_infop facts = png ? png_create_info_struct(png) : NULL;
    if (!b || !facts) {
        free(b);
        png_destroy_write_struct(&png, &facts);
        strncpy(error, "out of memory", error_capacity);
        return -1;
    }
    if (setjmp(png_jmpbuf(png))) {
        free(b->bytes);
        free(b);
        png_destroy_write_struct(&png, &facts);
        return -1;
    }
    png_set_write_fn(png, b, append, nothing_to_flush);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    reserve(png, b, pixels);
    png_set_IHDR(png, facts, info->width, info->height, info->bit_depth, kinds[info->channels - 1],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_texts(png, facts, info);
    png_write_info_before_PLTE(png, facts);
    if (info->has_cicp) {
        // RGB samples: matrix 0, full range 1. libpng 1.6.39 has no call for this chunk.
        const png_byte body[4] = {info->color_primaries, info->transfer, 0, 1};
        png_write_chunk(png, (png_const_bytep) "cICP", body, sizeof body);
    }
    png_write_info(png, facts);
    write_pixels(png, pixels);
    // png_write_end is not used, because it expects rows that libpng compressed itself.
    png_write_chunk(png, (png_const_bytep) "IEND", NULL, 0);
    png_destroy_write_struct(&png, &facts);
    *out = b->bytes;
    *out_count = b->count;
    free(b);
    return 0;
}

void scrub_png_free(uint8_t *bytes) { free(bytes); }

const char *scrub_png_running_version(void) { return png_get_libpng_ver(NULL); }
const char *scrub_png_built_version(void) { return PNG_LIBPNG_VER_STRING; }
