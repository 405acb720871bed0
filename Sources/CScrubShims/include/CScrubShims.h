#ifndef SCRUB_SHIMS_H
#define SCRUB_SHIMS_H

#include <libavformat/avformat.h>
#include <stddef.h>
#include <stdint.h>

// Everything here is C because Swift cannot express it: a variadic callback (av_log), a callback that libavformat
// keeps (AVIO), and setjmp/longjmp, which must never cross a Swift frame (libpng).

// ---- libav's log -------------------------------------------------------------------------------------------

/// Sends libav's messages to a ring in memory instead of standard error. May be called more than once.
void scrub_log_install(void);

/// The number of messages of level AV_LOG_ERROR or worse, or about concealment, so far.
uint64_t scrub_log_position(void);

/// Copies the first error after `since` that `context` wrote (any context when null) into `text`. A codec context is
/// known by its `opaque` when it has one. Messages that begin with `expected` (null for none) don't count.
/// Returns how many such errors the ring still holds.
int scrub_log_errors_since(uint64_t since, const void *context, const char *expected, char *text, size_t capacity);

// ---- a file in memory for libavformat ------------------------------------------------------------------------

/// Opens an input over a copy of `bytes`. `format` names the demuxer or is null. On success `*out` owns all.
int scrub_input_open_memory(const uint8_t *bytes, size_t count, const char *format, AVFormatContext **out);

/// Closes what avformat_open_input or scrub_input_open_memory opened.
void scrub_input_close(AVFormatContext **input);

// ---- PNG -----------------------------------------------------------------------------------------------------

/// What a PNG says about its pixels.
typedef struct {
    uint32_t width;
    uint32_t height;
    int bit_depth;  // 8, or 16 with the low byte of each sample first in memory
    int channels;   // 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA
    int compression;  // zlib level 0...9
    int has_cicp;  // whether the four code points below are written as a cICP chunk (PNG third edition, 11.3.2.6)
    uint8_t color_primaries;
    uint8_t transfer;
    const char *texts;  // `text_count` times a keyword and a text in Latin-1, each with a zero behind it
    int text_count;
} scrub_png_info;

/// Encodes `height` rows of `stride` bytes into a buffer for scrub_png_free.
/// Returns 0, or -1 with a sentence in `error`.
int scrub_png_encode(const scrub_png_info *info, const uint8_t *pixels, size_t stride, uint8_t **out,
                     size_t *out_count, char *error, size_t error_capacity);

/// Frees what scrub_png_encode made.
void scrub_png_free(uint8_t *bytes);

#endif
