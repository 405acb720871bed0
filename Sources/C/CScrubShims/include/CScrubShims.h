#ifndef SCRUB_SHIMS_H
#define SCRUB_SHIMS_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Everything here is C because Swift cannot express it. That is a variadic callback (av_log), and a callback that
// libavformat keeps (AVIO). It is setjmp/longjmp, which must never cross a Swift frame (libpng), and code for a
// processor's wider vectors beside the common ones.

// ---- libav's log -------------------------------------------------------------------------------------------

/// The messages about trouble from one decoder, or another part of libav: those of level AV_LOG_ERROR or worse, and
/// about concealment. Safe from any thread.
typedef struct scrub_log_record scrub_log_record;

/// Makes this library's callback the process's (av_log_set_callback), where it is not: messages then go to the records.
///
/// Those that no record is for go on to av_log_default_callback, which prints to standard error, or all to the hook.
/// A callback that was set before gets nothing more. Decoders that are open then say so as a message.
void scrub_log_install(void);

/// Takes a message: its level, whether its source has a record, the source's name or null, and the words. The words are
/// there for the call only.
typedef void (*scrub_log_hook)(int level, bool has_record, const char *component, const char *text);

/// Hands messages of at most this level to a hook from now on, on any thread; null for none. Nothing is printed then.
void scrub_log_set_hook(scrub_log_hook hook, int level);

/// A record for the AVCodecContext that carries `opaque`, or, when null, for something other than a decoder.
///
/// `has_workers`: whether it may write from threads of its own. A message without a known owner counts against all of
/// these. Null without memory.
scrub_log_record *scrub_log_record_create(const void *opaque, bool has_workers);

/// Ends a record, after the decoder and its threads.
void scrub_log_record_free(scrub_log_record *record);

/// Assigns this thread's messages to the record from now on, and returns the record before it for scrub_log_leave.
scrub_log_record *scrub_log_enter(scrub_log_record *record);
void scrub_log_leave(scrub_log_record *before);

/// Says that this thread is a worker of the record's decoder, unless it is known as another's.
void scrub_log_adopt_thread(scrub_log_record *record);

/// Discards what libraries print to `stderr`, for the rest of the process: libjxl prints its own source lines there,
/// past libav's log. Writes to the descriptor 2 itself, as by this program and by Swift's runtime, come as ever. For
/// programs, before threads are started; a library leaves its host's stream alone.
void scrub_silence_stderr(void);

/// Messages that begin so don't count from now on; null for none.
void scrub_log_expect(scrub_log_record *record, const char *beginning);

/// The number of messages since the last call; the first one's words are copied into `text`.
///
/// While another callback is the process's, a decoder has one message more that says so, because its own are not known.
unsigned scrub_log_take(scrub_log_record *record, char *text, size_t capacity);

// ---- bytes of the caller's for libavformat -------------------------------------------------------------------

/// Reads and seeks as avio_alloc_context asks; `opaque` must live as long as the input.
typedef struct {
    void *opaque;
    int (*read)(void *opaque, uint8_t *out, int wanted);
    int64_t (*seek)(void *opaque, int64_t offset, int whence);
    /// AVIOInterruptCB: whether demuxers that loop without reading should give up.
    int (*is_interrupted)(void *opaque);
    /// The bytes that are asked for at once; 0 for as many as libavformat reads of files.
    int block;
} scrub_source;

/// The error of scrub_input_open for a file that lists others, which are never opened: FFERRTAG('L', 'I', 'S', 'T').
enum { SCRUB_ERROR_NAMES_OTHER_FILES = -0x5453494C };

/// Opens an input over a source. `name` is "file:" and a name whose suffix helps to recognize the format, or null.
/// `format` names the demuxer, or is null for the one that recognizes the bytes. `max_streams` limits the streams that
/// it makes.
int scrub_input_open(scrub_source source, const char *name, const char *format, int max_streams, AVFormatContext **out);

/// Closes an input of scrub_input_open; the source is the caller's.
void scrub_input_close(AVFormatContext **input);

// ---- sizes of pictures ---------------------------------------------------------------------------------------

/// The error of scrub_check_picture_size for a picture beyond the limit: FFERRTAG('S', 'I', 'Z', 'E').
enum { SCRUB_ERROR_PICTURE_TOO_LARGE = -0x455A4953 };

/// Whether the buffers of a picture that is about to be decoded stay within limits; says so as an error of the
/// decoder's when not. Returns 0 or an AVERROR.
int scrub_check_picture_size(AVCodecContext *context, const AVFrame *frame, int64_t byte_limit, int64_t pixel_limit);

/// avformat_find_stream_info, whose decoders refuse pictures of more pixels. It looks at the first 32 streams of
/// pictures, the first 32 of sound and the wanted one (-1: none). The others keep the container's description.
int scrub_find_stream_info(AVFormatContext *input, int64_t pixel_limit, int wanted);

// ---- a sandbox's workers ------------------------------------------------------------------------------------

/// The failures of a decoder in a process of its own: FFERRTAG('W', 'K', ...).
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

/// A PNG that is being made. Threads share the work on it: first the stripes, then the groups.
typedef struct scrub_png scrub_png;

/// Begins a PNG of `height` rows of `stride` bytes. The pixels and the info's texts must stay until scrub_png_end. Both
/// sides are 1 to 2^31 - 1. Returns NULL without memory.
scrub_png *scrub_png_begin(const scrub_png_info *info, const uint8_t *pixels, size_t stride);

/// Returns the number of stripes.
size_t scrub_png_stripes(const scrub_png *png);

/// Chooses how a stripe is compressed. Once for each, in any order, on any thread.
void scrub_png_choose(scrub_png *png, size_t stripe);

/// Joins stripes to groups when all have chosen. Returns the number of groups.
size_t scrub_png_join(scrub_png *png);

/// Compresses a group. Once for each, in any order, on any thread.
void scrub_png_deflate(scrub_png *png, size_t group);

/// Makes the file when all groups are compressed: a buffer for scrub_png_free. Once.
/// Returns 0, or -1 with a sentence in `error`, also when memory was missing before.
int scrub_png_write(scrub_png *png, uint8_t **out, size_t *out_count, char *error, size_t error_capacity);

/// Ends a PNG, written or not.
void scrub_png_end(scrub_png *png);

/// Frees a buffer of scrub_png_write.
void scrub_png_free(uint8_t *bytes);

/// libpng's version: that of the loaded library, and that of the headers.
const char *scrub_png_running_version(void);
const char *scrub_png_built_version(void);

// ---- rows of 8-bit RGB --------------------------------------------------------------------------------------

/// Four weights for each channel: of luma, Cb and Cr in codes, and the summand.
typedef struct {
    float red[4], green[4], blue[4];
} scrub_rgb_matrix;

/// A row of samples as numbers.
void scrub_widen_row(const uint8_t *samples, size_t count, float *out);

/// The weighted sum of four rows.
void scrub_blend_rows(const float *a, const float *b, const float *c, const float *d, const float weights[4],
                      size_t count, float *out);

/// The same of rows of samples, which need not be widened and kept then.
void scrub_blend_samples(const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d, const float weights[4],
                         size_t count, float *out);

/// A row at twice its width: pair k is weighted sums of the four numbers from `even_start + k` and from `odd_start + k`
/// on.
void scrub_double_row(const float *row, size_t even_start, const float even[4], size_t odd_start, const float odd[4],
                      size_t pairs, float *out);

/// A row of packed RGB, each channel rounded to the nearest code and clipped.
void scrub_rgb_row(const uint8_t *luma, const float *cb, const float *cr, const scrub_rgb_matrix *matrix, size_t count,
                   uint8_t *out);

// ---- pictures of 8-bit YCbCr with half the columns of chroma -------------------------------------------------

/// Three planes of bytes. Chroma has `columns` and `rows`, half of luma's columns (rounded up) and half or all of its
/// rows.
///
/// Neighbors and weights of the two phases of a position: position 2k + p lies between the samples from k + first[p]
/// on. Beyond an edge, the edge's sample counts.
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

/// The widest vectors that may be used, among those that the processor has: tests run all of them.
typedef enum { SCRUB_VECTORS_COMMON, SCRUB_VECTORS_V3, SCRUB_VECTORS_V4 } scrub_vectors;

/// The count of numbers that scrub_rgb_halved needs for itself.
size_t scrub_halved_scratch_count(const scrub_halved_picture *picture);

/// Rows of packed RGB without padding: the bytes of scrub_blend_samples, scrub_double_row and scrub_rgb_row.
///
/// The matrix has one weight of luma for all channels, and red has nothing of Cb and blue nothing of Cr.
void scrub_rgb_halved(const scrub_halved_picture *picture, const scrub_rgb_matrix *matrix, scrub_vectors most,
                      float *scratch, uint8_t *out);

#endif
