#ifndef SCRUB_SHIMS_H
#define SCRUB_SHIMS_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Everything here is in C because Swift cannot express it: a variadic callback (av_log), a callback that libavformat
// keeps (AVIO), setjmp/longjmp, which must never cross a Swift frame (libpng), and code for a processor's wider vectors
// in addition to the common ones.

// ---- libav's log -------------------------------------------------------------------------------------------

/// The problem messages from one decoder or another part of libav: those of level AV_LOG_ERROR or worse, and those
/// about concealment. Safe from any thread.
typedef struct scrub_log_record scrub_log_record;

/// Installs this library's callback for the process (av_log_set_callback), unless it is already installed. Messages
/// then go to the records.
///
/// Messages without a record go to av_log_default_callback, which prints to standard error; if there is a hook, all of
/// them go to the hook. A callback that was set earlier receives no further messages. Decoders that are open at that
/// time report this as a message.
void scrub_log_install(void);

/// Receives a message: its level, whether its source has a record, the source's name or null, and the text. The text is
/// valid only during the call.
typedef void (*scrub_log_hook)(int level, bool has_record, const char *component, const char *text);

/// Passes messages up to this level to a hook from now on, on any thread; null for no hook. With a hook, nothing is
/// printed.
void scrub_log_set_hook(scrub_log_hook hook, int level);

/// Creates a record for the AVCodecContext that has `opaque` or, if it is null, for something other than a decoder.
///
/// `has_workers`: whether it may write from its own threads. A message without a known owner counts against all of
/// these. Returns null if out of memory.
scrub_log_record *scrub_log_record_create(const void *opaque, bool has_workers);

/// Frees a record, after the decoder and its threads have ended.
void scrub_log_record_free(scrub_log_record *record);

/// Assigns this thread's messages to the record from now on, and returns the previous record, for scrub_log_leave.
scrub_log_record *scrub_log_enter(scrub_log_record *record);
void scrub_log_leave(scrub_log_record *before);

/// Declares that this thread is a worker of the record's decoder, unless it is known as another decoder's.
void scrub_log_adopt_thread(scrub_log_record *record);

/// Discards what libraries print to `stderr`, for the rest of the process: libjxl prints its own source lines there,
/// bypassing libav's log. Direct writes to descriptor 2, such as those by this program and by Swift's runtime, are not
/// affected. For programs, before threads are started; a library must not change its host's stream.
void scrub_silence_stderr(void);

/// Ignores messages that begin with this text from now on; null for none.
void scrub_log_expect(scrub_log_record *record, const char *beginning);

/// The number of messages since the last call; the text of the first one is copied into `text`.
///
/// While the process has another callback, a decoder has one additional message that says so, because its own messages
/// are unknown.
unsigned scrub_log_take(scrub_log_record *record, char *text, size_t capacity);

// ---- the caller's bytes for libavformat -------------------------------------------------------------------

/// Reads and seeks as required by avio_alloc_context; `opaque` must live as long as the input.
typedef struct {
    void *opaque;
    int (*read)(void *opaque, uint8_t *out, int wanted);
    int64_t (*seek)(void *opaque, int64_t offset, int whence);
    /// AVIOInterruptCB: whether demuxers that loop without reading should give up.
    int (*is_interrupted)(void *opaque);
    /// The number of bytes to request at once; 0 for as many as libavformat reads from files.
    int block;
} scrub_source;

/// The error of scrub_input_open for a file that lists other files, which are never opened: FFERRTAG('L', 'I', 'S',
/// 'T').
enum { SCRUB_ERROR_NAMES_OTHER_FILES = -0x5453494C };

/// Opens an input over a source. `name` is "file:" and a name whose suffix helps to recognize the format, or null.
/// `format` names the demuxer, or is null to use the one that recognizes the bytes. `max_streams` limits the number of
/// streams that it creates.
int scrub_input_open(scrub_source source, const char *name, const char *format, int max_streams, AVFormatContext **out);

/// Closes an input from scrub_input_open; the caller still owns the source.
void scrub_input_close(AVFormatContext **input);

// ---- picture sizes ---------------------------------------------------------------------------------------

/// The error of scrub_check_picture_size for a picture beyond the limit: FFERRTAG('S', 'I', 'Z', 'E').
enum { SCRUB_ERROR_PICTURE_TOO_LARGE = -0x455A4953 };

/// Checks whether the buffers of a picture that is about to be decoded stay within limits; if not, reports a decoder
/// error. Returns 0 or an AVERROR.
int scrub_check_picture_size(AVCodecContext *context, const AVFrame *frame, int64_t byte_limit, int64_t pixel_limit);

/// avformat_find_stream_info, whose decoders reject pictures with more pixels. It examines the first 32 video streams,
/// the first 32 audio streams and the requested one (-1 for none). The others keep the container's description.
int scrub_find_stream_info(AVFormatContext *input, int64_t pixel_limit, int wanted);

// ---- a sandbox's workers ------------------------------------------------------------------------------------

/// The failures of a decoder in a separate process: FFERRTAG('W', 'K', ...).
enum {
    SCRUB_ERROR_WORKER_ENDED = -0x454E4457,
    SCRUB_ERROR_WORKER_FORBIDDEN = -0x464E4457,
    SCRUB_ERROR_WORKER_LATE = -0x4C4E4457,
    SCRUB_ERROR_WORKER_MALFORMED = -0x4D4E4457,
    SCRUB_ERROR_WORKER_UNAVAILABLE = -0x554E4457
};

// ---- PNG -----------------------------------------------------------------------------------------------------

/// The description of a PNG's pixels.
typedef struct {
    uint32_t width;
    uint32_t height;
    int bit_depth;  // 8, or 16 with the low byte of each sample first in memory
    int channels;   // 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA
    int has_cicp;  // whether the four code points below are written as a cICP chunk (PNG third edition, 11.3.2.6)
    uint8_t color_primaries;
    uint8_t transfer;
    const char *texts;  // `text_count` times a keyword and a text in Latin-1, each with a zero behind it
    int text_count;
} scrub_png_info;

/// A PNG that is being created. Threads share the work on it: first the stripes, then the groups.
typedef struct scrub_png scrub_png;

/// Begins a PNG of `height` rows of `stride` bytes. The pixels and the info's texts must stay valid until
/// scrub_png_end. Both sides are 1 to 2^31 - 1. Returns NULL if out of memory.
scrub_png *scrub_png_begin(const scrub_png_info *info, const uint8_t *pixels, size_t stride);

/// Returns the number of stripes.
size_t scrub_png_stripes(const scrub_png *png);

/// Chooses how to compress a stripe. Call it once for each, in any order, on any thread.
void scrub_png_choose(scrub_png *png, size_t stripe);

/// Joins stripes into groups after all have been chosen. Returns the number of groups.
size_t scrub_png_join(scrub_png *png);

/// Compresses a group. Call it once for each, in any order, on any thread.
void scrub_png_deflate(scrub_png *png, size_t group);

/// Creates the file after all groups are compressed, in a buffer for scrub_png_free. Call it once. Returns 0, or -1
/// with a sentence in `error`, also if an earlier step ran out of memory.
int scrub_png_write(scrub_png *png, uint8_t **out, size_t *out_count, char *error, size_t error_capacity);

/// Ends a PNG, written or not.
void scrub_png_end(scrub_png *png);

/// Frees a buffer from scrub_png_write.
void scrub_png_free(uint8_t *bytes);

/// The versions of the loaded libpng and of its headers.
const char *scrub_png_running_version(void);
const char *scrub_png_built_version(void);

// ---- rows of 8-bit RGB --------------------------------------------------------------------------------------

/// Four weights for each channel: for luma, Cb and Cr in codes, and an offset.
typedef struct {
    float red[4], green[4], blue[4];
} scrub_rgb_matrix;

/// Converts a row of samples to numbers.
void scrub_widen_row(const uint8_t *samples, size_t count, float *out);

/// Computes the weighted sum of four rows.
void scrub_blend_rows(const float *a, const float *b, const float *c, const float *d, const float weights[4],
                      size_t count, float *out);

/// Does the same for rows of samples, which then do not have to be widened and kept.
void scrub_blend_samples(const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d, const float weights[4],
                         size_t count, float *out);

/// Doubles a row's width: pair k consists of weighted sums of the four numbers starting at `even_start + k` and at
/// `odd_start + k`.
void scrub_double_row(const float *row, size_t even_start, const float even[4], size_t odd_start, const float odd[4],
                      size_t pairs, float *out);

/// Computes a row of packed RGB, each channel rounded to the nearest code and clipped.
void scrub_rgb_row(const uint8_t *luma, const float *cb, const float *cr, const scrub_rgb_matrix *matrix, size_t count,
                   uint8_t *out);

// ---- 8-bit YCbCr pictures with half as many chroma columns -------------------------------------------------

/// Three planes of bytes. Chroma has `columns` and `rows`, half of luma's columns (rounded up) and half or all of its
/// rows.
///
/// The neighbors and weights of the two phases of a position: position 2k + p is between the samples starting at k +
/// first[p]. Beyond an edge, the edge's sample is used.
typedef struct {
    const uint8_t *luma, *cb, *cr;
    size_t luma_stride, cb_stride, cr_stride;
    size_t width, height, columns, rows;
    int across_first[2];  // -2 or -1
    float across[2][4];   // whole 128ths
    bool has_half_rows;   // else only the first phase counts, at k
    int down_first[2];
    float down[2][4];
} scrub_halved_picture;

/// The widest vectors that may be used, among those that the processor supports; tests run all of them.
typedef enum { SCRUB_VECTORS_COMMON, SCRUB_VECTORS_V3, SCRUB_VECTORS_V4 } scrub_vectors;

/// The number of scratch values that scrub_rgb_halved needs.
size_t scrub_halved_scratch_count(const scrub_halved_picture *picture);

/// Computes rows of packed RGB without padding, with the same bytes as scrub_blend_samples, scrub_double_row and
/// scrub_rgb_row.
///
/// The matrix must have the same luma weight for all channels, no Cb in red, and no Cr in blue.
void scrub_rgb_halved(const scrub_halved_picture *picture, const scrub_rgb_matrix *matrix, scrub_vectors most,
                      float *scratch, uint8_t *out);

#endif
