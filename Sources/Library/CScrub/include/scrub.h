/* scrub.h: exact frames of video files, from C. MIT licence.
 * Length: programs include a single header.
 *
 *     scrub_video *video;
 *     scrub_error error = SCRUB_ERROR_INIT;
 *     if (scrub_open("film.mp4", NULL, &video, &error) != SCRUB_OK) { puts(error.message); return 1; }
 *     int64_t frame;
 *     scrub_find(video, "0.42", 0, &frame, &error);
 *     scrub_picture picture = SCRUB_PICTURE_INIT;
 *     picture.layout = SCRUB_RGB8;
 *     scrub_read(video, frame, &picture, &error);              // no memory yet: reports how much is needed
 *     picture.data[0] = malloc(picture.needed[0]);
 *     picture.capacity[0] = picture.needed[0];
 *     scrub_read(video, frame, &picture, &error);              // now from the cache
 *     scrub_close(video);
 *
 * Results. Every function that can fail returns a scrub_status: SCRUB_OK (0), SCRUB_CANCELLED, SCRUB_FORKED, or the
 * exit code that the scrub program returns for the same failure. If the caller passes a scrub_error, it receives a
 * message with the file, the place, the cause and what to do.
 *
 * Threads. Any function may be called from any thread. Calls that read or decode the same video wait for each other;
 * scrub_cancel never waits. Calls with different videos run in parallel. Loading the library does not set up or
 * register anything. The library starts its threads when the first video is opened. These threads block every signal
 * except SIGPROF and signals that a thread causes itself, such as SIGSEGV and SIGPIPE, so the program's handlers for
 * all other signals run only on its own threads. The same signals are blocked in functions of a scrub_reader that run
 * on the library's threads.
 *
 * Processes. A child that is forked after a video was opened has none of these threads. In this child, every function
 * that can fail returns SCRUB_FORKED. A program that forks must open its videos in the child and must not open any in
 * the parent before the fork. Starting another program with fork and exec is always possible.
 *
 * Memory. Pixels are written to memory that the caller owns. Memory that a function allocates for the caller must be
 * released with scrub_free. Strings are null-terminated UTF-8. Paths are null-terminated, but need not be UTF-8.
 *
 * Structures. Structures that may grow in later versions begin with their size. SCRUB_..._INIT sets the size, and sets
 * every other field to its default. A library accepts structures from earlier headers, and never writes beyond their
 * size. It accepts structures from later headers if all fields that are unknown to it are 0. If such a field is not 0,
 * or if no header has a structure of this size, the call returns SCRUB_USAGE and does nothing. All structures in an
 * array have the same size, which is also the stride of the array.
 *
 * Flags. No two flags use the same bit. A function rejects flags that do not apply to it.
 *
 * The library cannot be unloaded: after dlclose, it stays in memory.
 */
#ifndef SCRUB_H
#define SCRUB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __clang__
#define SCRUB_NULLABLE _Nullable
#else
#define SCRUB_NULLABLE
#endif

/* The version of this header. */
#define SCRUB_VERSION_MAJOR 1
#define SCRUB_VERSION_MINOR 0
#define SCRUB_VERSION_PATCH 0
#define SCRUB_VERSION (SCRUB_VERSION_MAJOR << 16 | SCRUB_VERSION_MINOR << 8 | SCRUB_VERSION_PATCH)

/* The version of the loaded library, encoded like SCRUB_VERSION. A program works with every library that has the same
 * major version as the program's header and is not older than the header. */
uint32_t scrub_version(void);

/* The same version as text, such as "1.0.0". The string stays valid as long as the process runs. */
const char *SCRUB_NULLABLE scrub_version_text(void);

/* The names by which messages refer to options. */
enum {
    SCRUB_C_WORDS = 0,     /* names from this header: pixel_limit */
    SCRUB_PYTHON_WORDS = 1 /* names from the Python package: limits={"pixels": ...} */
};

/* Chooses these names for the whole process. SCRUB_C_WORDS is the default, and is also used for unknown numbers. Call
 * this function before any other. */
void scrub_set_words(int32_t words);

/* Results. */
typedef int scrub_status;
enum {
    SCRUB_OK = 0,
    SCRUB_CANCELLED = 1,    /* scrub_cancel, scrub_close or a scrub_progress function ended the call */
    SCRUB_USAGE = 64,       /* the request is invalid: a frame that does not exist, a closed video */
    SCRUB_BAD_DATA = 65,    /* the file's data cannot be decoded as requested, or exceeds a limit */
    SCRUB_NO_INPUT = 66,    /* the file does not exist or cannot be read */
    SCRUB_UNAVAILABLE = 69, /* a required component or resource is not available, or a rule forbids the request */
    SCRUB_FORKED = 70,      /* the process was forked after a video had been opened */
    SCRUB_IO = 74           /* a read or write failed */
};

/* Returns a short description of a result, such as "a read or write failed". The string stays valid as long as the
 * process runs. For a number that is not a result, the description is "unknown". The message about a particular failure
 * is in scrub_error. */
const char *SCRUB_NULLABLE scrub_status_text(scrub_status status);

/* The details of a failure. Every function that takes a scrub_error also accepts NULL. */
typedef struct scrub_error {
    uint32_t size;        /* sizeof(scrub_error) */
    int32_t status;       /* the status that the function returned */
    int32_t system_error; /* errno if the system or a connection reported one, such as ENOENT, EACCES, EISDIR, ENOSPC or
                           * ETIMEDOUT; otherwise 0 */
    char message[1012];   /* a human-readable sentence; text that is too long is cut between characters and ends with an
                           * ellipsis */
} scrub_error;
#define SCRUB_ERROR_INIT { (uint32_t)sizeof(scrub_error), 0, 0, { 0 } }

/* An open video. */
typedef struct scrub_video scrub_video;

/* Receives the progress of a call and decides whether the call continues. If it returns 0, the call continues; any
 * other value ends the call with SCRUB_CANCELLED. While a video is being opened, done and total are thousandths. In
 * other calls they count pictures, frames, thumbnails or sets. total is 0 while it is unknown.
 *
 * The function runs on the calling thread after each step, and at least forty times a second while the call waits, so
 * it can check a flag that another thread sets. It may call scrub_cancel and scrub_close. Other calls that read or
 * decode the same video return SCRUB_USAGE. The context must stay valid until the video is closed and all its calls
 * have returned. */
typedef int (*scrub_progress)(void *SCRUB_NULLABLE context, int64_t done, int64_t total);

/* How http and https addresses are fetched. In every field, 0 means the default. */
typedef struct scrub_network {
    uint32_t size;  /* sizeof(scrub_network) */
    uint32_t flags; /* SCRUB_PUBLIC_ONLY, SCRUB_NO_MEDIA_CACHE */
    /* Lists of strings end with NULL. A list that is NULL counts as empty. All strings are copied. */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE headers; /* "Name: value", sent only to the host of the address */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE allow;   /* if not empty, the only hosts that may be contacted:
                                                               * "a.example", "*.example", "192.0.2.0/24" */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE deny;    /* hosts that are never contacted, in the same notation */
    const char *SCRUB_NULLABLE user_agent;   /* NULL: "scrub" */
    const char *SCRUB_NULLABLE proxy;        /* the proxy's address; "" for no proxy; NULL for the proxy in $https_proxy
                                              * and similar variables */
    const char *SCRUB_NULLABLE certificates; /* a PEM file of certificates to trust instead of the system's */
    const char *SCRUB_NULLABLE cache_name;   /* a name that separates this caller's cached bytes from those of other
                                              * callers */
    uint64_t memory;       /* the maximum number of bytes of one video to keep in memory; 0: 64 MiB */
    uint32_t connect_time; /* milliseconds allowed for connecting; 0: 5,000 */
    uint32_t answer_time;  /* milliseconds allowed until a response's headers arrive; 0: 10,000 */
    uint32_t stall_time;   /* milliseconds for which a body may arrive at less than 1 KiB per second; 0: 10,000 */
    uint32_t read_time;    /* milliseconds allowed for one read, including retries; 0: 30,000 */
    uint32_t connections;  /* the maximum number of connections to one host, up to 6; 0: 4 */
    uint32_t reserved;     /* 0 */
} scrub_network;
#define SCRUB_NETWORK_INIT { (uint32_t)sizeof(scrub_network), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_PUBLIC_ONLY = 0x100,   /* deny addresses in private and local networks, except those in `allow` */
    SCRUB_NO_MEDIA_CACHE = 0x200 /* neither store fetched bytes on disk nor read them from there */
};

/* How a video is opened. In every field except `stream`, 0 means the default. */
typedef struct scrub_options {
    uint32_t size;    /* sizeof(scrub_options) */
    uint32_t flags;   /* SCRUB_NO_CACHE, SCRUB_KEEP_PREVIEWS */
    int32_t stream;   /* the stream's index in the file, as in ffmpeg's -map 0:N; -1: the main video stream */
    int32_t threads;  /* the number of decoding threads; 0: one per processor */
    uint64_t memory;  /* bytes of decoded pictures to keep for later calls; 0: 256 MiB. Decoders need additional
                       * memory */
    const char *SCRUB_NULLABLE cache; /* the folder for saved indexes; NULL: $SCRUB_CACHE_DIR, or else
                                       * $XDG_CACHE_HOME/scrub, or else ~/.cache/scrub */
    /* Limits for each file. 0 means the default of `scrub --limit`. A file that exceeds a limit is rejected. */
    uint64_t pixel_limit;         /* pixels in a picture */
    uint64_t picture_limit;       /* coded pictures in the stream */
    uint64_t picture_byte_limit;  /* bytes of one decoded picture */
    uint64_t decoder_byte_limit;  /* bytes of all pictures that a decoder holds */
    uint64_t picture_time_limit;  /* milliseconds for reading or decoding one coded picture */
    const scrub_network *SCRUB_NULLABLE network; /* NULL: the defaults */
    scrub_progress SCRUB_NULLABLE progress;      /* called during opening and during later calls with the video; NULL
                                                  * for none */
    void *SCRUB_NULLABLE context;                /* passed to `progress` */
} scrub_options;
#define SCRUB_OPTIONS_INIT { (uint32_t)sizeof(scrub_options), 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

enum {
    SCRUB_NO_CACHE = 0x1,       /* neither read nor save indexes */
    SCRUB_KEEP_PREVIEWS = 0x400 /* sessions save their previews in the cache and reuse them later */
};

/* Opens a file, or an http or https address. Reads the container's tables without decoding anything. For an address,
 * only the required bytes are fetched. They are kept in the cache folder.
 *
 * options: the defaults if NULL. video: receives the handle, or NULL if opening fails. */
scrub_status scrub_open(const char *SCRUB_NULLABLE path, const scrub_options *SCRUB_NULLABLE options,
                        scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video, scrub_error *SCRUB_NULLABLE error);

/* Opens a video file that is in memory. The bytes are copied. name: the name used in messages; "video in memory" if
 * NULL. */
scrub_status scrub_open_bytes(const void *SCRUB_NULLABLE bytes, size_t count, const char *SCRUB_NULLABLE name,
                              const scrub_options *SCRUB_NULLABLE options, scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video,
                              scrub_error *SCRUB_NULLABLE error);

/* A source whose bytes the program supplies. */
typedef struct scrub_reader {
    uint32_t size;          /* sizeof(scrub_reader) */
    uint32_t reserved;      /* 0 */
    int64_t byte_count;     /* the number of bytes. The bytes must not change while the video is open */
    void *SCRUB_NULLABLE context; /* passed to `read` and `close` */
    /* Reads at most `count` bytes at `offset` and returns the number of bytes that were read, at least 1. Returns 0 at
     * the end of the bytes, and -errno if the read fails. Several threads may call this function at the same time. It
     * must not call functions of this library with the same video. */
    int64_t (*SCRUB_NULLABLE read)(void *SCRUB_NULLABLE context, int64_t offset, void *SCRUB_NULLABLE buffer, size_t count);
    /* Called once, after the last read, even if opening fails. May be NULL. Not called if the call fails before it
     * accepts the reader: in a forked child (SCRUB_FORKED), or if `video`, `options` or the size of this structure is
     * invalid (SCRUB_USAGE). */
    void (*SCRUB_NULLABLE close)(void *SCRUB_NULLABLE context);
    /* A string that identifies the content, such as a checksum. If it is not NULL, the index is saved. The string is
     * copied. */
    const char *SCRUB_NULLABLE identity;
} scrub_reader;
#define SCRUB_READER_INIT { (uint32_t)sizeof(scrub_reader), 0, 0, 0, 0, 0, 0 }

/* Opens a video whose bytes the program supplies. The structure is copied. */
scrub_status scrub_open_reader(const scrub_reader *SCRUB_NULLABLE reader, const char *SCRUB_NULLABLE name,
                               const scrub_options *SCRUB_NULLABLE options, scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video,
                               scrub_error *SCRUB_NULLABLE error);

/* Closes a video. Calls in progress on other threads end with SCRUB_CANCELLED. NULL and closed videos are allowed. */
void scrub_close(scrub_video *SCRUB_NULLABLE video);

/* Cancels the calls in progress with the video. May be called from any thread. The cancelled calls return
 * SCRUB_CANCELLED after the current packet. Later calls are not affected. */
void scrub_cancel(scrub_video *SCRUB_NULLABLE video);

/* Sets the function that receives the progress of calls with the video, starting with the next call. It may be NULL. */
scrub_status scrub_set_progress(scrub_video *SCRUB_NULLABLE video, scrub_progress SCRUB_NULLABLE progress,
                                void *SCRUB_NULLABLE context, scrub_error *SCRUB_NULLABLE error);

/* Returns the number of frames, and the time base as a fraction of a second. Frames are numbered from 0 in display
 * order. Both values are available as soon as the video is open. For other facts, call scrub_get_facts, which may have
 * to read and decode. */
scrub_status scrub_get_length(scrub_video *SCRUB_NULLABLE video, int64_t *SCRUB_NULLABLE frame_count,
                              int64_t *SCRUB_NULLABLE time_base_num, int64_t *SCRUB_NULLABLE time_base_den,
                              scrub_error *SCRUB_NULLABLE error);

/* Facts about a video. */
typedef struct scrub_facts {
    uint32_t size;              /* sizeof(scrub_facts) */
    int32_t stream;             /* the stream's index in the file */
    int64_t frame_count;        /* the number of presented frames, which are numbered from 0 in display order */
    int64_t time_base_num;      /* the time base: seconds per unit, as a fraction */
    int64_t time_base_den;
    int64_t start_pts;          /* the presentation time of the first frame, in units of the time base */
    int64_t duration;           /* the time from start_pts to the end of the last frame, in the same units */
    int64_t frame_rate_num;     /* frames per second; the average if the rate is not constant; 0/1 if unknown */
    int64_t frame_rate_den;
    int64_t aspect_num;         /* a pixel's width divided by its height; 0/1 if unknown, in which case pixels are shown
                                 * as square */
    int64_t aspect_den;
    int64_t keyframe_count;     /* frames that the container marks as keyframes */
    int32_t width;              /* the width of native pictures in pixels */
    int32_t height;
    int32_t rotation;           /* the clockwise rotation in degrees that makes pictures upright: 0, 90, 180 or 270.
                                 * Native pictures are not rotated */
    int32_t has_alpha;          /* 1 or 0 */
    char codec[32];             /* libav's names */
    char pixel_format[32];
    char container[32];
} scrub_facts;
#define SCRUB_FACTS_INIT { (uint32_t)sizeof(scrub_facts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 } }

/* Fills in the facts about a video. The first call may read the headers of all pictures of a short video, and decode a
 * frame if the container does not specify the pixel format. */
scrub_status scrub_get_facts(scrub_video *SCRUB_NULLABLE video, scrub_facts *SCRUB_NULLABLE facts,
                             scrub_error *SCRUB_NULLABLE error);

/* Describes a video as one line of JSON, like `scrub info --json`. The line contains all known facts, including
 * streams, colors, chapters and tags. The call may read the headers of all pictures of a short video, and decode a
 * frame.
 *
 * json: receives null-terminated UTF-8, to be released with scrub_free. count: receives the number of bytes without the
 * final 0. */
scrub_status scrub_describe(scrub_video *SCRUB_NULLABLE video, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                            size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Finds the frame at a position, written as on the command line: a fraction ("0.42", "42%"), a time after the first
 * frame ("12.5s", "1:02.5", "90ms"), a timecode, a frame number ("f1234", or "f-1" from the end), "first" or "last".
 * Does not decode anything.
 *
 * A time counts as having at least three decimals, and represents all times that print as this text: "2.933s" finds the
 * frame at 44/15 s.
 *
 * flags: 0 or SCRUB_CLAMP. With SCRUB_CLAMP, a fraction, a time or a timecode outside the video means the nearest end.
 * Without it, the result is SCRUB_USAGE. */
scrub_status scrub_find(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE position, uint32_t flags,
                        int64_t *SCRUB_NULLABLE frame, scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_CLAMP = 0x2,
    SCRUB_CONTAINER_TIME = 0x40 /* for scrub_find_seconds: the seconds are container time, like pts, and not relative to
                                 * the first frame */
};

/* Finds the frame at a time that a program computed, in seconds after the first frame: i / 30.0, a sum, pts * num /
 * den, a float. The time is rounded to the nearest unit of the time base. A number with few digits, such as 2.933, also
 * represents all times that print as this number, to the millisecond or finer. A float also represents all times that
 * round to it. Therefore, a frame's own time always finds that frame. Does not decode anything.
 *
 * flags: any of SCRUB_CLAMP and SCRUB_CONTAINER_TIME. With SCRUB_CLAMP, a time outside the video means the nearest end.
 * Without it, the result is SCRUB_USAGE. */
scrub_status scrub_find_seconds(scrub_video *SCRUB_NULLABLE video, double seconds, uint32_t flags,
                                int64_t *SCRUB_NULLABLE frame, scrub_error *SCRUB_NULLABLE error);

/* Finds the frame on screen at a time in units of the time base, like pts: the last frame whose time is not later. If
 * the time is before the first frame, the result is the first frame. */
scrub_status scrub_find_pts(scrub_video *SCRUB_NULLABLE video, int64_t pts, int64_t *SCRUB_NULLABLE frame,
                            scrub_error *SCRUB_NULLABLE error);

/* When a frame is shown. */
typedef struct scrub_time {
    int64_t pts;         /* when it is first shown, in units of the time base */
    int64_t duration;    /* how long it is shown, in the same units */
    int32_t is_keyframe; /* 1 if the container marks it as a keyframe */
    int32_t reserved;    /* 0 */
} scrub_time;

/* Fills in the times of `count` frames, starting with frame `first`. Does not decode anything. */
scrub_status scrub_get_times(scrub_video *SCRUB_NULLABLE video, int64_t first, size_t count, scrub_time *SCRUB_NULLABLE times,
                             scrub_error *SCRUB_NULLABLE error);

/* Fills in the times at which `count` frames appear on screen, starting with frame `first`. The times are in units of
 * the time base and count from the first frame of the video, like the times that scrub_find takes. They never decrease,
 * whatever the frames' pts. Does not decode anything. */
scrub_status scrub_get_offsets(scrub_video *SCRUB_NULLABLE video, int64_t first, size_t count, int64_t *SCRUB_NULLABLE offsets,
                               scrub_error *SCRUB_NULLABLE error);

/* Layouts of pixels and planes. All layouts except SCRUB_NATIVE have one plane. */
enum {
    SCRUB_NATIVE = 0,  /* the decoder's planes in libav's pixel format: not converted, cropped or rotated */
    SCRUB_RGB8 = 1,    /* red, green, blue: 3 bytes */
    SCRUB_RGBA8 = 2,   /* red, green, blue, straight alpha: 4 bytes */
    SCRUB_BGRA8 = 3,   /* blue, green, red, straight alpha */
    SCRUB_GRAY8 = 4,   /* luma: 1 byte */
    SCRUB_RGB16 = 5,   /* red, green, blue with 16 bits each in the machine's byte order: 6 bytes; 65535 is white */
    SCRUB_RGBA16 = 6   /* the same with straight alpha: 8 bytes */
};

/* How reliable a picture is. */
enum {
    SCRUB_EXACT = 0,       /* the same picture that ffmpeg produces when it decodes the whole file */
    SCRUB_DAMAGED = 1,     /* the file is damaged at this frame */
    SCRUB_APPROXIMATE = 2, /* a nearby frame, or a picture that is not proven to be exact */
    SCRUB_UNDECODABLE = 3  /* the frame cannot be decoded, so there is no picture */
};

/* A picture: the request, the memory for the pixels, and the result. */
typedef struct scrub_picture {
    uint32_t size;       /* sizeof(scrub_picture) */
    /* The request. */
    uint32_t layout;     /* SCRUB_NATIVE, SCRUB_RGB8, ... */
    uint32_t flags;      /* SCRUB_RAW_GEOMETRY, SCRUB_TONE_MAP, SCRUB_ALIGNED_ROWS */
    int32_t want_width;  /* the width in pixels; 0: the picture's width. Must be 0 for SCRUB_NATIVE. If only one of
                          * width and height is 0, it is computed from the other */
    int32_t want_height; /* the height in pixels; 0: the picture's height */
    int32_t reserved;    /* 0 */
    /* The caller's memory for each plane. If data[0] is NULL or the memory is too small, no pixels are written, and
     * `needed` receives the number of bytes that are required with `stride`. */
    void *SCRUB_NULLABLE data[4];
    size_t capacity[4];  /* the number of bytes at data */
    size_t stride[4];    /* bytes from one row to the next. If it is 0, the function sets it: without padding, or as
                          * SCRUB_ALIGNED_ROWS requires */
    /* The result. */
    size_t needed[4];    /* bytes required for a plane with this stride; the last row has no padding */
    int32_t row_bytes[4]; /* bytes of a row's pixels */
    int32_t rows[4];
    int32_t planes;      /* the number of planes, 1 to 4 */
    int32_t width;       /* in pixels */
    int32_t height;
    int32_t status;      /* the status of this picture, for scrub_read_many */
    int32_t verdict;     /* SCRUB_EXACT, ... */
    int32_t decoded;     /* the number of pictures decoded for it; 0 if it was in memory */
    int64_t frame;       /* its number */
    int64_t pts;         /* its time, in units of the time base */
    char pixel_format[32]; /* for SCRUB_NATIVE, libav's name, such as "yuv420p10le"; otherwise "rgb24", "rgba", "bgra",
                            * "gray", "rgb48" or "rgba64" */
    char reason[240];    /* why the picture is not exact, or why there is no picture; empty if it is exact. Long text is
                          * cut like scrub_error.message. For a frame that failed, scrub_read returns a longer
                          * message */
} scrub_picture;
#define SCRUB_PICTURE_INIT { (uint32_t)sizeof(scrub_picture), 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, \
    0, 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 } }

/* Pictures in all layouts except SCRUB_NATIVE are ready for display: converted with the right color matrix and range,
 * upright, cropped to the clean aperture, and with square pixels. `scrub seek --keep-hdr -o x.png` writes the same
 * pixels. */
enum {
    SCRUB_RAW_GEOMETRY = 0x4, /* the pixels as stored: not cropped, rotated or scaled to square pixels */
    SCRUB_TONE_MAP = 0x8,     /* convert PQ and HLG to standard dynamic range; without this flag, they keep their sample
                               * values */
    SCRUB_ALIGNED_ROWS = 0x10000 /* if `stride` is 0, rows begin at multiples of 256 bytes, as GPUs require */
};

/* Decodes a frame and writes its picture to the caller's memory. If successive calls move forward or backward, nearby
 * frames are decoded in advance.
 *
 * Returns SCRUB_OK even for a damaged picture; see `verdict`. Returns SCRUB_BAD_DATA if the frame cannot be decoded,
 * and SCRUB_USAGE if the frame does not exist or the memory is too small. */
scrub_status scrub_read(scrub_video *SCRUB_NULLABLE video, int64_t frame, scrub_picture *SCRUB_NULLABLE picture,
                        scrub_error *SCRUB_NULLABLE error);

/* Decodes several frames in any order. Each group of pictures is decoded only once, and frames may be repeated.
 * pictures[i] receives frames[i]. All pictures must have the same `size`.
 *
 * Each picture has a separate status. The call returns SCRUB_OK if all pictures have this status, and otherwise the
 * first status that is not SCRUB_OK. If a frame fails, the remaining pictures are still written. */
scrub_status scrub_read_many(scrub_video *SCRUB_NULLABLE video, const int64_t *SCRUB_NULLABLE frames, size_t count,
                             scrub_picture *SCRUB_NULLABLE pictures, scrub_error *SCRUB_NULLABLE error);

/* Formats of image files. 0 means the default: PNG for a picture, JPEG for a strip. */
enum {
    SCRUB_PNG = 1,
    SCRUB_JPEG = 2,
    SCRUB_WEBP = 3,
    SCRUB_AVIF = 4,
    SCRUB_SVG = 5 /* only for contact sheets */
};

/* How a picture is encoded as an image file. In every field, 0 means the default. */
typedef struct scrub_image {
    uint32_t size;       /* sizeof(scrub_image) */
    uint32_t format;     /* SCRUB_PNG, ...; 0: PNG. For scrub_save, 0 means the format of the path's suffix, and any
                          * other format returns SCRUB_USAGE */
    uint32_t flags;      /* SCRUB_RAW_GEOMETRY, SCRUB_KEEP_HDR, SCRUB_REPLACE. Without SCRUB_KEEP_HDR, PQ and HLG are
                          * tone-mapped */
    int32_t quality;     /* 1 to 100; 0: 90. Not used for PNG */
    int32_t want_width;  /* the maximum width in pixels, with the picture's aspect ratio; 0: no limit */
    int32_t want_height; /* the maximum height in pixels; 0: no limit */
} scrub_image;
#define SCRUB_IMAGE_INIT { (uint32_t)sizeof(scrub_image), 0, 0, 0, 0, 0 }
enum {
    SCRUB_KEEP_HDR = 0x10, /* PQ and HLG keep their sample values */
    SCRUB_REPLACE = 0x80   /* replace files that Scrub did not write; without this flag, the result is SCRUB_USAGE. A
                            * file that is being read is never replaced */
};

/* Decodes a frame and encodes it as an image file in memory. bytes: receives memory to be released with scrub_free.
 * image: a PNG at full size if NULL. picture: receives the frame's number, time and verdict, and the size of the image;
 * may be NULL. */
scrub_status scrub_encode(scrub_video *SCRUB_NULLABLE video, int64_t frame, const scrub_image *SCRUB_NULLABLE image,
                          void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                          scrub_picture *SCRUB_NULLABLE picture, scrub_error *SCRUB_NULLABLE error);

/* Decodes a frame and writes it to a file atomically. Returns SCRUB_USAGE if the format contradicts the path's suffix
 * or the file is being read. Without SCRUB_REPLACE, also returns SCRUB_USAGE if the file exists and was not written by
 * Scrub. */
scrub_status scrub_save(scrub_video *SCRUB_NULLABLE video, int64_t frame, const char *SCRUB_NULLABLE path,
                        const scrub_image *SCRUB_NULLABLE image, scrub_picture *SCRUB_NULLABLE picture,
                        scrub_error *SCRUB_NULLABLE error);

/* Releases memory that a function allocated for the caller. NULL is allowed. */
void scrub_free(void *SCRUB_NULLABLE bytes);

/* Thumbnails, posters, scenes, frame maps and proofs. These functions do for one film what the program's commands do,
 * with the same files and the same JSON.
 *
 * Results. Functions that write files return JSON that describes these files: the objects that the program's command
 * prints with --json, one per line. `json` receives null-terminated UTF-8, to be released with scrub_free, and `count`
 * receives the number of bytes without the final 0. Both may be NULL. All files in a folder get their final names
 * together, when all of them are complete. Several posters that are written as separate files get their names one by
 * one. A call that would replace a file that is being read returns SCRUB_USAGE. Without SCRUB_REPLACE, so does a call
 * that would replace a file that is not an earlier output of the same kind.
 *
 * Progress. The progress counts pictures, and scrub_progress can end the call. With SCRUB_SCENES, the pictures examined
 * in the search for scenes are counted first. Frame maps, covers and plans are quick and report no steps. */

/* Which thumbnails are made, and how. In every field, 0 means the default. If a field that a function does not use is
 * not 0, the call returns SCRUB_USAGE. */
typedef struct scrub_thumbnails {
    uint32_t size;         /* sizeof(scrub_thumbnails) */
    uint32_t flags;        /* SCRUB_REPLACE, SCRUB_WAIT, SCRUB_SCENES, SCRUB_CLAMP, SCRUB_DEINTERLACE, ... */
    /* Which: at most one of count, interval, positions and SCRUB_SCENES. Only count and SCRUB_SCENES may be combined.
     * If none of them is set, the function's default applies. */
    uint32_t count;        /* the number of evenly spaced thumbnails; with SCRUB_SCENES, the maximum number of
                            * thumbnails */
    uint32_t tolerance;    /* SCRUB_TOLERANCE_...: how far a picture may be from the requested time */
    int64_t interval_num;  /* seconds between thumbnails, as a fraction */
    int64_t interval_den;
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE positions; /* the positions of the thumbnails, in the notation of
                                                                 * scrub_find; the list ends with NULL */
    int64_t tolerance_num; /* for SCRUB_TOLERANCE_SECONDS: seconds, as a fraction */
    int64_t tolerance_den;
    int64_t scene_num;     /* for SCRUB_SCENES: the minimum duration of a scene in seconds, as a fraction; 0/0: 1
                            * second */
    int64_t scene_den;
    /* How. */
    const int32_t *SCRUB_NULLABLE widths; /* for a strip: a list of widths that ends with 0. Each width gets a folder */
    int32_t width;         /* a thumbnail's width in pixels. If height is also set, width and height are a box that the
                            * thumbnail fits into. For a contact sheet, the width of the sheet */
    int32_t height;        /* a thumbnail's height in pixels */
    int32_t columns;       /* the number of thumbnails in a row of a sheet */
    int32_t rows;          /* the number of rows in a sheet */
    uint32_t format;       /* SCRUB_JPEG, ...; 0: JPEG, or for scrub_write_sheet the format of the path's suffix */
    int32_t quality;       /* 1 to 100; 0: 80, or 90 for a contact sheet */
    uint32_t background;   /* the color behind transparent pixels, 0xRRGGBB; 0 is black */
    int32_t threads;       /* the number of decoding threads; 0: one per processor */
    const char *SCRUB_NULLABLE base_url; /* a prefix for the sheets' names in WebVTT and JSON; NULL: relative names */
    const char *SCRUB_NULLABLE sizes; /* for a strip: several widths or boxes, "160,320" or "160x90,320x180", as for `scrub strip
                                       * --width`; each gets a folder. NULL: the size is that of widths, or of width and height. If
                                       * sizes is set, they must be 0 */
} scrub_thumbnails;
#define SCRUB_THUMBNAILS_INIT { (uint32_t)sizeof(scrub_thumbnails), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_WAIT = 0x20000,         /* wait for another run that is writing to the same folder; without this flag, the
                                   * result is SCRUB_UNAVAILABLE */
    SCRUB_SCENES = 0x40000,       /* one thumbnail for each scene */
    SCRUB_DEINTERLACE = 0x80000,  /* interpolate the missing rows of interlaced pictures */
    SCRUB_FROM_PREVIEWS = 0x100000, /* for strips and sets: use kept previews where available */
    SCRUB_BLUR_HASHES = 0x200000, /* for strips: add a BlurHash and a ThumbHash of each thumbnail to the manifest */
    SCRUB_NO_TIMES = 0x400000,    /* for contact sheets: do not show times on the pictures */
    SCRUB_SKIP_CURRENT = 0x800000, /* for sets: leave sets unchanged that were made from the same file with the same
                                    * options */
    SCRUB_BESIDE = 0x1000000,     /* for sets: write Jellyfin's folder next to the film; only for the profile jellyfin,
                                   * with `folder` NULL */
    SCRUB_EXPLAIN = 0x2000000,    /* for a folder of posters: also write the scores of all candidates */
    SCRUB_BLANK_SCENES = 0x4000000, /* for scrub_find_scenes: a cut to black, white, a single color or noise begins a
                                    * scene */
    SCRUB_PLAN_ONLY = 0x8000000,  /* for strips and sets: write nothing. The JSON says what would be decoded, as with --plan.
                                    * The folder may be NULL */
    SCRUB_COPY_ONLY = 0x10000000  /* for scrub_convert_set: refuse conversions in which pictures would have to be re-encoded */
};
enum {
    SCRUB_TOLERANCE_DEFAULT = 0,  /* exact for a strip; automatic for a contact sheet and sets */
    SCRUB_TOLERANCE_EXACT = 1,    /* the frame on screen at the requested time */
    SCRUB_TOLERANCE_KEYFRAME = 2, /* the nearest keyframe: fast, but not exact */
    SCRUB_TOLERANCE_AUTOMATIC = 3, /* the picture in the thumbnail's time span that requires the least decoding; exact
                                    * for scenes and positions */
    SCRUB_TOLERANCE_SECONDS = 4   /* the picture that requires the least decoding, in the thumbnail's time span and at
                                   * most tolerance_num / tolerance_den seconds from the requested time */
};

/* Writes a strip to a folder, like `scrub strip`: sheets, thumbnails.vtt and manifest.json. thumbnails: if NULL, the
 * strip has 100 thumbnails, 160 pixels wide, on sheets of 10 x 10. json: receives the manifest of each width. */
scrub_status scrub_write_strip(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder,
                               const scrub_thumbnails *SCRUB_NULLABLE thumbnails, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Writes a contact sheet, like `scrub sheet`. The path must end with .jpg, .png, .webp, .avif or .svg. thumbnails: if
 * NULL, the sheet has 4 x 5 pictures and is 1,600 pixels wide. If none of count, interval, positions and SCRUB_SCENES
 * is set, the sheet has `columns` times `rows` pictures. Otherwise `rows` must be 0. */
scrub_status scrub_write_sheet(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path,
                               const scrub_thumbnails *SCRUB_NULLABLE thumbnails, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Makes a contact sheet in memory. bytes: receives memory to be released with scrub_free. */
scrub_status scrub_encode_sheet(scrub_video *SCRUB_NULLABLE video, const scrub_thumbnails *SCRUB_NULLABLE thumbnails,
                                void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                                scrub_error *SCRUB_NULLABLE error);

/* Writes sets for players and servers, like `scrub thumbs`, in a single decoding pass where possible.
 *
 * profiles: one or more of "web", "jellyfin", "plex", "roku", "hls", "dash", "contact" and "freedesktop", separated by
 * commas, or "all" for all profiles that can represent the requested thumbnails. folder: receives a folder for each
 * profile. Must be NULL with SCRUB_BESIDE. May be NULL if "freedesktop" is the only profile; its pictures are then
 * written where file managers look for them. thumbnails: if NULL, there is one thumbnail every 10 seconds. */
scrub_status scrub_write_sets(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder,
                              const char *SCRUB_NULLABLE profiles, const scrub_thumbnails *SCRUB_NULLABLE thumbnails,
                              void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count,
                              scrub_error *SCRUB_NULLABLE error);

/* A frame that represents the film, with scores from 0 to 1. */
typedef struct scrub_poster {
    int64_t frame;
    double score;        /* the overall score */
    double sharpness;    /* criteria that raise the score */
    double exposure;
    double contrast;
    double colorfulness;
    double entropy;
    double subject;
    double skin;
    double fade;         /* criteria that lower the score */
    double letterbox;
    double text;
    int32_t is_blank;    /* 1 if the picture is black, white, a single color or noise */
    int32_t is_damaged;  /* 1 if the file is damaged at this frame */
    char blur_hash[64];  /* placeholders to show while the picture loads */
    char thumb_hash[64]; /* base64 */
} scrub_poster;

/* How posters are found and written. In every field, 0 means the default. */
typedef struct scrub_poster_options {
    uint32_t size;       /* sizeof(scrub_poster_options) */
    uint32_t flags;      /* for scrub_write_posters: SCRUB_REPLACE, SCRUB_WAIT, SCRUB_DEINTERLACE, SCRUB_EXPLAIN; for
                          * scrub_write_cover: SCRUB_REPLACE */
    uint32_t count;      /* the number of posters; 0: 1, or for scrub_find_posters `capacity` */
    uint32_t candidates; /* the number of frames to score; 0: 60 */
    int32_t threads;     /* the number of decoding threads; 0: one per processor */
    int32_t width;       /* for files: the width in pixels; 0: the video's width */
    int32_t longest_side; /* for files: the maximum length of the longer side in pixels; 0: no limit. Must be 0 if width
                           * is set */
    uint32_t format;     /* for files: SCRUB_JPEG, ...; 0: the format of the path's suffix, or JPEG in a folder */
    int32_t quality;     /* for files: 1 to 100; 0: 90 */
    uint32_t background; /* for files: the color behind transparent pixels, 0xRRGGBB */
} scrub_poster_options;
#define SCRUB_POSTER_OPTIONS_INIT { (uint32_t)sizeof(scrub_poster_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Finds frames that represent the film, best first: sharp, well exposed, different from each other, and neither blank
 * nor part of a fade.
 *
 * posters: receives at most `capacity` posters. count: receives the number of posters. Use scrub_read or scrub_encode
 * to get their pictures. */
scrub_status scrub_find_posters(scrub_video *SCRUB_NULLABLE video, const scrub_poster_options *SCRUB_NULLABLE options,
                                scrub_poster *SCRUB_NULLABLE posters, size_t capacity, size_t *SCRUB_NULLABLE count,
                                scrub_error *SCRUB_NULLABLE error);

/* Finds posters and writes them, like `scrub poster`. path: a file such as "p.jpg", or a folder such as "posters/",
 * which also receives a posters.json. If path is a file, several posters are written to "p-1.jpg", "p-2.jpg" and so
 * on. */
scrub_status scrub_write_posters(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path,
                                 const scrub_poster_options *SCRUB_NULLABLE options, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                                 size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Writes the file's cover art, like `scrub poster --cover`. stream: the index of its stream; -1: the first cover. Only
 * flags, width, longest_side, format and quality of `options` are used. If no size is set and the format matches the
 * cover's, the cover's bytes are written unchanged. */
scrub_status scrub_write_cover(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path, int32_t stream,
                               const scrub_poster_options *SCRUB_NULLABLE options, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Writes the cover art of a file or an address that need not contain a video, such as a song. options: NULL for the defaults; only
 * `cache`, SCRUB_NO_CACHE and `network` are used. stream: the cover's stream; -1: the first cover. Reports no progress, and cannot be
 * cancelled. */
scrub_status scrub_write_cover_of(const char *SCRUB_NULLABLE file, const scrub_options *SCRUB_NULLABLE options,
                                  const char *SCRUB_NULLABLE path, int32_t stream,
                                  const scrub_poster_options *SCRUB_NULLABLE poster, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                                  size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Converts a thumbnail set to another format, like `scrub convert`. Pictures are copied if the other format can use them unchanged.
 *
 * set: a folder with a manifest.json, or a BIF file from any program. format: "vtt", "json", "hls", "dash", "jellyfin" or "bif". flags:
 * SCRUB_REPLACE, SCRUB_WAIT, SCRUB_COPY_ONLY. quality: the quality of re-encoded pictures, 1 to 100; 0: 90. base_url: a prefix for the
 * sheets' names in WebVTT and JSON; NULL: relative names. Reports no progress, and cannot be cancelled. */
scrub_status scrub_convert_set(const char *SCRUB_NULLABLE set, const char *SCRUB_NULLABLE format, const char *SCRUB_NULLABLE folder,
                               uint32_t flags, int32_t quality, const char *SCRUB_NULLABLE base_url,
                               void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count,
                               scrub_error *SCRUB_NULLABLE error);

/* A scene. Times are in seconds after the first frame, as fractions. */
typedef struct scrub_scene {
    int64_t start_num;
    int64_t start_den;
    int64_t end_num;
    int64_t end_den;
    int64_t first_frame;
    int64_t last_frame;
    int64_t frame;      /* the frame that represents the scene */
    double strength;    /* the difference from the preceding pictures, 0 to 1 */
} scrub_scene;

/* How scenes are found. In every field, 0 means the default. */
typedef struct scrub_scene_options {
    uint32_t size;       /* sizeof(scrub_scene_options) */
    uint32_t flags;      /* SCRUB_KEYFRAMES, SCRUB_BLANK_SCENES */
    uint32_t count;      /* the maximum number of scenes: the shortest are merged with their neighbors; 0: no limit */
    int32_t threads;     /* the number of decoding threads; 0: one per processor */
    double threshold;    /* how large a change between two frames counts as a cut, 0.01 to 1; 0: 0.06 */
    int64_t shortest_num; /* the minimum duration of a scene in seconds, as a fraction; 0/0: 1 second */
    int64_t shortest_den;
} scrub_scene_options;
#define SCRUB_SCENE_OPTIONS_INIT { (uint32_t)sizeof(scrub_scene_options), 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_KEYFRAMES = 0x20 /* scenes begin at keyframes, and only keyframes are decoded */
};

/* Finds where scenes begin and end. The command `scrub scenes` sets SCRUB_BLANK_SCENES.
 *
 * scenes: receives an array, ordered by time, to be released with scrub_free. Together, the scenes cover the whole
 * film. count: receives the number of scenes. */
scrub_status scrub_find_scenes(scrub_video *SCRUB_NULLABLE video, const scrub_scene_options *SCRUB_NULLABLE options,
                               scrub_scene *SCRUB_NULLABLE *SCRUB_NULLABLE scenes, size_t *SCRUB_NULLABLE count,
                               scrub_error *SCRUB_NULLABLE error);

/* Lists the frames for another program, like `scrub frames --as`. Returns SCRUB_BAD_DATA for a film that the other
 * program would misread regardless of the list.
 *
 * format: "torchcodec", "cvat", "csv", "json" or "timecodes". path: the file to write. If it is NULL, `bytes` receives
 * the text, null-terminated and to be released with scrub_free. flags: 0 or SCRUB_REPLACE. */
scrub_status scrub_write_frame_map(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE format,
                                   const char *SCRUB_NULLABLE path, uint32_t flags, void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes,
                                   size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Makes previews of all frames and keeps them in the cache, like `scrub previews`. Sessions find them there. If a run
 * was interrupted, the next run resumes it.
 *
 * side: the longer side in pixels; 0: 640, the size that sessions look for. threads: the number of decoding threads; 0:
 * one per processor. Progress counts frames. */
scrub_status scrub_make_previews(scrub_video *SCRUB_NULLABLE video, int32_t side, int32_t threads,
                                 void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count,
                                 scrub_error *SCRUB_NULLABLE error);

/* Describes what must be decoded to show a frame exactly, like `scrub plan`. Does not decode anything. */
scrub_status scrub_plan(scrub_video *SCRUB_NULLABLE video, int64_t frame, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                        size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Proves that frames are correct, like `scrub verify`: decodes the film once from start to end, and compares the result
 * with frames that are decoded in other orders.
 *
 * orders: one or more of "forward", "backward", "random", "alone" and "batch", separated by commas; NULL: all. sample:
 * the number of frames in each order; 0: all; -1: 200, or fewer if 200 would take too long. Returns SCRUB_BAD_DATA if
 * any picture is wrong; the JSON lists the wrong pictures. Progress counts frames. */
scrub_status scrub_verify(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE orders, int64_t sample,
                          void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Proves that pictures do not depend on how they are decoded, like `scrub verify --determinism`: decodes frames with 1, 2 and 8 threads
 * and with other processor instructions. The JSON is the value of `determinism` in the program's JSON.
 *
 * sample: the number of frames; 0: all; -1: 200. Returns SCRUB_BAD_DATA if an answer changed. The call changes the instructions that
 * FFmpeg uses in the whole process, and finally allows all that the processor has. Do not decode anything else in the meantime.
 * SCRUB_USAGE after scrub_begin_sandbox. The JSON is also returned with SCRUB_BAD_DATA. Progress counts runs. */
scrub_status scrub_check_determinism(scrub_video *SCRUB_NULLABLE video, int64_t sample, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                                     size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Proves that the thumbnail sets in a folder are well formed and show the video, like `scrub verify-set`.
 *
 * sample: the number of thumbnails to compare in each set; 0: 24. interval: the seconds between thumbnails, as a
 * fraction, for Jellyfin folders without a manifest; 0/0: deduced from the number of pictures. Returns SCRUB_BAD_DATA
 * if a set is wrong, and SCRUB_NO_INPUT if there is no set. The JSON is returned even then. Progress counts sets. */
scrub_status scrub_verify_sets(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder, uint32_t sample,
                               int64_t interval_num, int64_t interval_den, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Scrubbing. A session handles a drag: it accepts requests at any rate, decodes for the newest one, and delivers
 * pictures in stages.
 *
 *     scrub_session *session;
 *     scrub_session_open(video, NULL, &session, &error);
 *     scrub_session_request_fraction(session, 0.42, 0, NULL, NULL, &error);       // returns immediately
 *     scrub_update update = SCRUB_UPDATE_INIT;
 *     while (!update.is_final && scrub_session_take(session, -1, &update, &error) == SCRUB_OK) {
 *         if (update.picture) show(update.picture);                               // scrub_pixel_buffer_copy
 *         scrub_pixel_buffer_release(update.picture);
 *     }
 *     scrub_session_close(session);
 *
 * A request is answered immediately with the nearest available picture, which is marked as such. A preview or the exact
 * picture follows when it is ready, unless a newer request has arrived. While the finger moves, pictures keep arriving.
 * When it rests, the exact picture always follows. While no request is waiting, the session makes previews and decodes
 * the frames that the movement will probably need next.
 *
 * There are three ways for a program to learn of a new picture: scrub_session_take waits for it,
 * scrub_session_get_descriptor returns a file descriptor for poll(), and scrub_session_set_callback sets a function
 * that the session calls. The program always gets the newest picture; `skipped` counts the updates that it did not take
 * in time.
 *
 * Threads. All session functions may be called from any thread. They never wait for calls with the video, and requests
 * do not wait for the decoder. A session retains its video, so the session continues to work after scrub_close. A
 * scrub_reader is closed only after its sessions are closed and all their pictures are released. */

/* Memory and decoders that several sessions share. */
typedef struct scrub_resources scrub_resources;

/* Creates shared resources. memory: the maximum number of bytes of all pictures of all sessions, including those in
 * decoders; 0: 256 MiB. decoders: the maximum number of open decoders; 0: 4. */
scrub_status scrub_resources_open(uint64_t memory, int32_t decoders, scrub_resources *SCRUB_NULLABLE *SCRUB_NULLABLE resources,
                                  scrub_error *SCRUB_NULLABLE error);

/* Closes the handle. Sessions that share the resources retain them. NULL and closed handles are allowed. */
void scrub_resources_close(scrub_resources *SCRUB_NULLABLE resources);

/* How a session works. In every field, 0 means the default. */
typedef struct scrub_session_options {
    uint32_t size;        /* sizeof(scrub_session_options) */
    uint32_t flags;       /* SCRUB_NO_PREVIEWS, SCRUB_REDUCED_ALONE, SCRUB_FINE_SPEEDS */
    scrub_resources *SCRUB_NULLABLE resources; /* resources shared with other sessions; NULL: the session's own
                                                * resources */
    uint64_t memory;      /* the maximum number of bytes of all the session's pictures, including those in decoders and
                           * those that the program holds; 0: 256 MiB. The memory that dav1d allocates itself, at most
                           * ten pictures for each decoder, does not count. If the limit is too low for decoding,
                           * opening the session returns SCRUB_UNAVAILABLE. Must be 0 if `resources` is set, because
                           * resources have their own limit */
    int32_t decoders;     /* the maximum number of open decoders; 0: 2 */
    int32_t threads;      /* the number of decoding threads; 0: one per processor */
    int32_t preview_side; /* the longer side of previews, in samples; 0: 640, or 480 for a long film */
    int32_t key_pictures; /* the number of key pictures, spread over the film, to decode in advance for jumps; 0: 48;
                           * -1: none */
    int32_t patience;     /* milliseconds without a new picture, while the finger moves, after which the session
                           * finishes decoding the current picture; 0: 30 */
    int32_t reserved;     /* 0 */
} scrub_session_options;
#define SCRUB_SESSION_OPTIONS_INIT { (uint32_t)sizeof(scrub_session_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_NO_PREVIEWS = 0x1000,   /* do not make previews of the frames around the playhead */
    SCRUB_REDUCED_ALONE = 0x2000, /* show only reduced pictures, none of which is exact: for films whose pictures do not
                                   * fit into the memory */
    SCRUB_FINE_SPEEDS = 0x4000    /* the playhead moves at half speed while the finger is at least 50 units above or
                                   * below its starting point, at a quarter of the speed from 100 units, and at a tenth
                                   * from 150 units */
};

/* A session. */
typedef struct scrub_session scrub_session;

/* Opens a session for a video. Does not decode anything yet. options: the defaults if NULL. */
scrub_status scrub_session_open(scrub_video *SCRUB_NULLABLE video, const scrub_session_options *SCRUB_NULLABLE options,
                                scrub_session *SCRUB_NULLABLE *SCRUB_NULLABLE session, scrub_error *SCRUB_NULLABLE error);

/* Closes a session. May be called from any thread. A scrub_session_take call that is waiting returns SCRUB_CANCELLED.
 * The descriptor is closed: remove it from poll loops first. A duplicate (dup) of the descriptor becomes readable. When
 * this function returns, the callback is not running and will not run again, unless the callback itself called this
 * function. Pictures that the program holds stay valid. This function waits for the packet that is being decoded, and
 * therefore also for a scrub_reader function that is running. NULL and closed handles are allowed. */
void scrub_session_close(scrub_session *SCRUB_NULLABLE session);

/* Requests a frame. The request replaces the previous one. Returns immediately.
 *
 * flags: 0 or SCRUB_RESTING. request: receives the number of the request, counted from 1; may be NULL. Updates for the
 * request contain this number. */
scrub_status scrub_session_request(scrub_session *SCRUB_NULLABLE session, int64_t frame, uint32_t flags,
                                   uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* Like scrub_session_request, but for a position in the notation of scrub_find: "0.42", "12.5s", "f1234". A position
 * outside the video means the nearest end. frame: receives the number of the frame; may be NULL. */
scrub_status scrub_session_request_at(scrub_session *SCRUB_NULLABLE session, const char *SCRUB_NULLABLE position, uint32_t flags,
                                      int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* Like scrub_session_request, but for a fraction of the film, as sliders provide it: 0 is the first frame and 1 the
 * last. A value outside this range means the nearest end. */
scrub_status scrub_session_request_fraction(scrub_session *SCRUB_NULLABLE session, double fraction, uint32_t flags,
                                            int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request,
                                            scrub_error *SCRUB_NULLABLE error);

/* Like scrub_session_request, but for seconds after the first frame, as scrub_find_seconds takes them with
 * SCRUB_CLAMP. */
scrub_status scrub_session_request_seconds(scrub_session *SCRUB_NULLABLE session, double seconds, uint32_t flags,
                                           int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request,
                                           scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_RESTING = 0x800 /* the finger does not move: the exact picture follows even if there is a preview */
};

/* Tells the session that the finger rests on the last requested frame. The exact picture of this frame follows. */
scrub_status scrub_session_rest(scrub_session *SCRUB_NULLABLE session, scrub_error *SCRUB_NULLABLE error);

/* Cancels a request. Its decoding ends after the current packet, and nothing is decoded in advance until the next
 * request. Does nothing if there is a newer request. request: the number of the request; 0: the newest. */
scrub_status scrub_session_cancel(scrub_session *SCRUB_NULLABLE session, uint64_t request, scrub_error *SCRUB_NULLABLE error);

/* Begins a gesture, a pan over the video, and requests the frame under the playhead. A previous gesture that has not
 * ended is ended first. position: in the notation of scrub_find; NULL: the last requested frame, or the first frame if
 * there was no request. request: receives the number of the request; may be NULL. */
scrub_status scrub_session_began(scrub_session *SCRUB_NULLABLE session, const char *SCRUB_NULLABLE position,
                                 uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* Moves the finger. Requests the frame at the fraction begin + x / width of the film, where begin is the fraction at
 * which the gesture began. A fraction outside the film means the nearest end.
 *
 * x, y: the distance to the right and downward from the point where the gesture began, in units of the program's view.
 * y has an effect only with SCRUB_FINE_SPEEDS. width: the number of units that represent the whole film, above 0.
 * frame: receives the number of the frame; -1 if no gesture has begun; may be NULL. request: receives the number of the
 * request; may be NULL. */
scrub_status scrub_session_moved(scrub_session *SCRUB_NULLABLE session, double x, double y, double width,
                                 int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* Ends the gesture. The exact picture follows. flags: 0 or SCRUB_RETURN. request: receives the number of the request
 * for that picture; 0 if there was no request; may be NULL. */
scrub_status scrub_session_ended(scrub_session *SCRUB_NULLABLE session, uint32_t flags, uint64_t *SCRUB_NULLABLE request,
                                 scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_RETURN = 0x8000 /* the system cancelled the gesture: the playhead returns to where the gesture began */
};

/* Makes the previews around a frame, as if the playhead were there, and waits until all that fit are ready.
 *
 * milliseconds: the maximum wait; below 0: no limit. done: receives 1 if all previews are ready, and 0 if the time ran
 * out, a request was cancelled, or another thread called this function for a different frame; may be NULL. Returns
 * SCRUB_CANCELLED if the session is closed in the meantime. */
scrub_status scrub_session_prepare_previews(scrub_session *SCRUB_NULLABLE session, int64_t frame, int32_t milliseconds,
                                            int32_t *SCRUB_NULLABLE done, scrub_error *SCRUB_NULLABLE error);

/* A picture of a session: a reference that the program must release. Until then, the picture counts against the
 * session's memory. If the program holds too many pictures, the session reports SCRUB_STAGE_AWAITING_MEMORY. The pixels
 * never change, and any number of threads may read them. If a film's transparency is in a separate stream, that stream
 * is decoded when the picture is copied. */
typedef struct scrub_pixel_buffer scrub_pixel_buffer;

/* What an update contains. */
enum {
    SCRUB_STAGE_NONE = 0,            /* there is no update to take */
    SCRUB_STAGE_NEAREST = 1,         /* the nearest available picture, which shows another frame: see `frame` */
    SCRUB_STAGE_PREVIEW = 2,         /* a reduced picture of the requested frame */
    SCRUB_STAGE_EXACT = 3,           /* the requested frame; see `verdict` for whether it is damaged or cannot be
                                      * decoded */
    SCRUB_STAGE_AWAITING_MEMORY = 4, /* no picture, because the program holds too many; it follows when some of them are
                                      * released */
    SCRUB_STAGE_FAILED = 5           /* the request failed: see `status` and `reason` */
};

/* What a session reports. */
typedef struct scrub_update {
    uint32_t size;           /* sizeof(scrub_update) */
    int32_t stage;           /* SCRUB_STAGE_... */
    int32_t status;          /* for SCRUB_STAGE_FAILED: SCRUB_IO, ... */
    int32_t verdict;         /* the picture's verdict: SCRUB_EXACT, ... It is SCRUB_EXACT only at the exact stage.
                              * SCRUB_UNDECODABLE means that there is no picture */
    uint64_t request;        /* the number of the request that this update answers */
    int64_t requested_frame; /* the frame that was requested */
    int64_t frame;           /* the frame that the picture shows; -1 if the request failed */
    int64_t pts;             /* the time of this frame, in units of the time base */
    int64_t duration;        /* how long the frame is shown, in the same units */
    int64_t offset;          /* when the frame appears on screen, counted from the first frame, in the same units */
    int64_t latency_ns;      /* nanoseconds from the request to this picture */
    scrub_pixel_buffer *SCRUB_NULLABLE picture; /* must be released; NULL if there is no picture */
    int32_t width;           /* the stored picture's width in pixels */
    int32_t height;
    int32_t decoded;         /* the number of pictures decoded for it */
    int32_t skipped;         /* the number of updates that this one replaced since the program last took an update */
    int32_t is_cached;       /* 1 if the picture was available without decoding */
    int32_t is_reduced;      /* 1 if the picture is smaller than the video's pictures */
    int32_t is_final;        /* 1 if no better picture follows for the request: the picture is exact, the request
                              * failed, or this is the preview of a session with SCRUB_REDUCED_ALONE */
    int32_t system_error;    /* for SCRUB_STAGE_FAILED: errno if there is one; otherwise 0 */
    char reason[240];        /* why the picture is not exact, or why the request failed; empty if the picture is exact.
                              * Cut like scrub_picture.reason */
} scrub_update;
#define SCRUB_UPDATE_INIT { (uint32_t)sizeof(scrub_update), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 } }

/* Takes the newest update. No other call gets the same update.
 *
 * milliseconds: how long to wait for an update; 0: do not wait; below 0: no limit. If no update arrives, or
 * scrub_session_wake ends the wait, the stage is SCRUB_STAGE_NONE and the result is SCRUB_OK. If the update reports a
 * failed request, the result of this call is still SCRUB_OK. */
scrub_status scrub_session_take(scrub_session *SCRUB_NULLABLE session, int32_t milliseconds, scrub_update *SCRUB_NULLABLE update,
                                scrub_error *SCRUB_NULLABLE error);

/* Ends the wait of every scrub_session_take call that is waiting. If none is waiting, the next call that would wait
 * returns immediately. */
void scrub_session_wake(scrub_session *SCRUB_NULLABLE session);

/* Returns a file descriptor that is readable exactly while scrub_session_take would return an update. Use it with
 * poll(), epoll, or the event loops of Qt, GLib and others. Do not read from or close the descriptor. It stops being
 * readable when the update is taken, and is closed with the session. */
scrub_status scrub_session_get_descriptor(scrub_session *SCRUB_NULLABLE session, int32_t *SCRUB_NULLABLE descriptor,
                                          scrub_error *SCRUB_NULLABLE error);

/* Called when there is an update to take. Another call may have taken the update in the meantime, so call
 * scrub_session_take without waiting. The callback runs on one of the session's threads and may call every function. It
 * must not close another session or set that session's callback if that session's callback may wait for this one,
 * because each would wait for the other. */
typedef void (*scrub_session_callback)(void *SCRUB_NULLABLE context);

/* Sets the function that is called when there is an update to take. It may be NULL. The function is called once for an
 * update, and again only after that update was taken. If there already is an update, the function is called
 * immediately. Callbacks are for programs whose event loop does not use descriptors. When this call returns, the
 * previous function is not running and will not run again, unless it made this call itself. */
scrub_status scrub_session_set_callback(scrub_session *SCRUB_NULLABLE session, scrub_session_callback SCRUB_NULLABLE callback,
                                        void *SCRUB_NULLABLE context, scrub_error *SCRUB_NULLABLE error);

/* Writes a picture into the caller's memory, as scrub_read does. The layout, size and strides are those of
 * `picture`. */
scrub_status scrub_pixel_buffer_copy(scrub_pixel_buffer *SCRUB_NULLABLE buffer, scrub_picture *SCRUB_NULLABLE picture,
                                     scrub_error *SCRUB_NULLABLE error);

/* Where the planes of a picture are in memory. */
typedef struct scrub_planes {
    uint32_t size;         /* sizeof(scrub_planes) */
    int32_t planes;        /* the number of planes, 1 to 4 */
    int32_t width;         /* the stored picture's width in pixels */
    int32_t height;
    const void *SCRUB_NULLABLE data[4]; /* the first row of each plane */
    size_t stride[4];      /* bytes from one row to the next */
    int32_t row_bytes[4];  /* bytes of a row's pixels */
    int32_t rows[4];
    char pixel_format[32]; /* libav's name, such as "yuv420p10le" */
} scrub_planes;
#define SCRUB_PLANES_INIT { (uint32_t)sizeof(scrub_planes), 0, 0, 0, { 0 }, { 0 }, { 0 }, { 0 }, { 0 } }

/* Lends the decoder's planes without copying, converting or rotating them. They are valid until the last reference to
 * the picture is released, and must not be modified. Returns SCRUB_UNAVAILABLE if the rows are stored from the bottom
 * up. */
scrub_status scrub_pixel_buffer_get_planes(scrub_pixel_buffer *SCRUB_NULLABLE buffer, scrub_planes *SCRUB_NULLABLE planes,
                                           scrub_error *SCRUB_NULLABLE error);

/* Encodes a picture as an image file in memory. bytes: receives memory to be released with scrub_free. image: a PNG at
 * full size if NULL. */
scrub_status scrub_pixel_buffer_encode(scrub_pixel_buffer *SCRUB_NULLABLE buffer, const scrub_image *SCRUB_NULLABLE image,
                                       void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                                       scrub_error *SCRUB_NULLABLE error);

/* Add and release a reference. Releasing the last reference frees the picture, even if its session and its video are
 * already closed. Handles of freed pictures are never reused: releasing such a handle again does nothing, and other
 * calls with it return SCRUB_USAGE. */
void scrub_pixel_buffer_retain(scrub_pixel_buffer *SCRUB_NULLABLE buffer);
void scrub_pixel_buffer_release(scrub_pixel_buffer *SCRUB_NULLABLE buffer);

/* Memory use of pictures. */
typedef struct scrub_memory {
    uint32_t size;          /* sizeof(scrub_memory) */
    int32_t preview_side;   /* the longer side of the session's previews, in samples; 0 if it makes no previews */
    uint64_t limit;         /* the limit for all pictures of the session or the resources, in bytes */
    uint64_t used;          /* bytes in use now */
    uint64_t peak;          /* the maximum of `used` so far */
    uint64_t held;          /* bytes of the pictures that the program holds, from this session or from all sessions that
                             * share the resources */
    int64_t previews;       /* the number of the session's previews, in memory and on disk */
    uint64_t preview_bytes; /* bytes of the previews that are in memory */
    uint64_t reserved;      /* 0 */
} scrub_memory;
#define SCRUB_MEMORY_INIT { (uint32_t)sizeof(scrub_memory), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Reports the memory use of a session or of shared resources. */
scrub_status scrub_session_get_memory(scrub_session *SCRUB_NULLABLE session, scrub_memory *SCRUB_NULLABLE memory,
                                      scrub_error *SCRUB_NULLABLE error);
scrub_status scrub_resources_get_memory(scrub_resources *SCRUB_NULLABLE resources, scrub_memory *SCRUB_NULLABLE memory,
                                        scrub_error *SCRUB_NULLABLE error);

/* From now on, decodes videos in separate processes that cannot open or write files, connect to anything, or start
 * programs. Use this for files from untrusted sources. Videos that are already open are not affected. Available on
 * Linux on x86-64 and arm64.
 *
 * program: the path of the program scrub-video, which those processes run; NULL: /usr/bin/scrub-video, or else the one
 * in PATH. */
scrub_status scrub_begin_sandbox(const char *SCRUB_NULLABLE program, scrub_error *SCRUB_NULLABLE error);

#ifdef __cplusplus
}
#endif

#endif
