/* scrub.h: exact frames of video files, from C. MIT licence.
 * Length: programs include one file.
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
 *     scrub_read(video, frame, &picture, &error);              // from the cache now
 *     scrub_close(video);
 *
 * Results. Every function that can fail returns a scrub_status. 0 is success; other values are the exit codes of the program. If a
 * scrub_error is passed, it receives the message: file, place, cause and what to do.
 *
 * Threads. Every function may be called from any thread. Calls with the same video wait for each other, except for scrub_cancel; different
 * videos work in parallel. Loading the library does not set up or register anything. The first opened video starts threads. None of the
 * program's signal handlers run on these threads. They block every signal except SIGPROF and those that a thread itself causes (SIGSEGV,
 * SIGPIPE and the like). Functions of a scrub_reader run with the same signals blocked.
 *
 * Processes. After fork() the child has none of these threads, and every call in it returns SCRUB_FORKED. A program that forks must open
 * its videos in the child and must not open any in the parent before the fork. Starting another program is always possible.
 *
 * Memory. Pixels are written to memory that the caller owns. Memory that a function allocates for the caller is released with scrub_free.
 * Strings are UTF-8 and end with 0; paths are bytes.
 *
 * Structures. Structures that may grow begin with their size, which SCRUB_..._INIT sets; every other field of an _INIT has its default. A
 * library accepts the structures of earlier headers, and never writes beyond their size. It accepts those of later headers if all unknown
 * fields are 0. Otherwise the call returns SCRUB_USAGE and does nothing. The same applies to a size that no header has. All structures in
 * an array have the same size, which is also the stride.
 *
 * Flags. Every flag has its own bit; a function rejects flags that do not apply to it.
 *
 * The library cannot be unloaded: dlclose keeps it.
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

/* The version of the library that is loaded, in the form of SCRUB_VERSION. A program works with a library that has its header's major
 * number and whose other numbers are not lower. */
uint32_t scrub_version(void);

/* The same as text, "1.0.0". It stays valid as long as the process runs. */
const char *SCRUB_NULLABLE scrub_version_text(void);

/* The names that messages use for options. */
enum {
    SCRUB_C_WORDS = 0,     /* this header's: pixel_limit */
    SCRUB_PYTHON_WORDS = 1 /* the Python package's: limits={"pixels": ...} */
};

/* Chooses these names for the whole process. SCRUB_C_WORDS is the default; unknown numbers mean the same. Call it before other
 * functions. */
void scrub_set_words(int32_t words);

/* Results. */
typedef int scrub_status;
enum {
    SCRUB_OK = 0,
    SCRUB_CANCELLED = 1,    /* scrub_cancel, scrub_close or a scrub_progress ended the call */
    SCRUB_USAGE = 64,       /* the caller asked for something impossible: a frame that does not exist, a closed video */
    SCRUB_BAD_DATA = 65,    /* the file's data cannot be decoded as asked */
    SCRUB_NO_INPUT = 66,    /* no such file, or it cannot be read */
    SCRUB_UNAVAILABLE = 69, /* a needed part is missing, memory or the disk is full, or a limit forbids it */
    SCRUB_FORKED = 70,      /* the process was forked after it had opened a video */
    SCRUB_IO = 74           /* a read or write failed */
};

/* A short description of a result: "no such file, or it cannot be read". It is valid as long as the process runs. A number that is not a
 * result is "unknown". The message about a failure is in scrub_error. */
const char *SCRUB_NULLABLE scrub_status_text(scrub_status status);

/* What went wrong. Every function accepts NULL for it. */
typedef struct scrub_error {
    uint32_t size;        /* sizeof(scrub_error) */
    int32_t status;       /* what the function returned */
    int32_t system_error; /* errno, where the system or a connection gave a reason: ENOENT, EACCES, EISDIR, ENOSPC, ETIMEDOUT...; else 0 */
    char message[1012];   /* one sentence for people; a longer sentence is cut between characters and ends with an ellipsis */
} scrub_error;
#define SCRUB_ERROR_INIT { (uint32_t)sizeof(scrub_error), 0, 0, { 0 } }

/* An open video. */
typedef struct scrub_video scrub_video;

/* Receives the progress of a call and decides whether it continues: 0 continues, and any other value ends the call with SCRUB_CANCELLED.
 * done and total count thousandths for opening; and pictures, frames, thumbnails or sets for other calls. total is 0 while it is unknown.
 *
 * It runs on the call's thread after each step, and at least forty times a second while the call waits, so that it can check a flag that
 * another thread sets. It may call scrub_cancel and scrub_close; other calls with the same video return SCRUB_USAGE. The context must stay
 * valid until the video is closed and all its calls have returned. */
typedef int (*scrub_progress)(void *SCRUB_NULLABLE context, int64_t done, int64_t total);

/* How addresses are fetched. Zeros are the defaults. */
typedef struct scrub_network {
    uint32_t size;  /* sizeof(scrub_network) */
    uint32_t flags; /* SCRUB_PUBLIC_ONLY, SCRUB_NO_MEDIA_CACHE */
    /* Lists of strings end with NULL; NULL is an empty list. All strings are copied. */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE headers; /* "Name: value", only for the host of the address */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE allow;   /* the only hosts: "a.example", "*.example", "192.0.2.0/24" */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE deny;    /* hosts that are never contacted, in the same form */
    const char *SCRUB_NULLABLE user_agent;   /* NULL: "scrub" */
    const char *SCRUB_NULLABLE proxy;        /* the proxy's address; "" for none; NULL: $https_proxy and so on */
    const char *SCRUB_NULLABLE certificates; /* a file (PEM) of certificates to trust instead of the system's */
    const char *SCRUB_NULLABLE cache_name;   /* keeps fetched bytes apart from those of callers with another name */
    uint64_t memory;       /* bytes of one video to keep in memory; 0: 64 MiB */
    uint32_t connect_time; /* milliseconds that a connection may take; 0: 5,000 */
    uint32_t answer_time;  /* that the head of a response may take; 0: 10,000 */
    uint32_t stall_time;   /* that a body may stay below 1 KiB per second; 0: 10,000 */
    uint32_t read_time;    /* that one read may take, repeated requests included; 0: 30,000 */
    uint32_t connections;  /* to one host, at most 6; 0: 4 */
    uint32_t reserved;     /* 0 */
} scrub_network;
#define SCRUB_NETWORK_INIT { (uint32_t)sizeof(scrub_network), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_PUBLIC_ONLY = 0x100,   /* no addresses of private and local networks, except those in `allow` */
    SCRUB_NO_MEDIA_CACHE = 0x200 /* fetched bytes are neither stored on the disk nor read from it */
};

/* How a video is opened. Zeros are the defaults, except for `stream`. */
typedef struct scrub_options {
    uint32_t size;    /* sizeof(scrub_options) */
    uint32_t flags;   /* SCRUB_NO_CACHE, SCRUB_KEEP_PREVIEWS */
    int32_t stream;   /* the stream's index in the file, as in ffmpeg's -map 0:N; -1: the main video stream */
    int32_t threads;  /* how many threads decode; 0: one per processor */
    uint64_t memory;  /* bytes of decoded pictures to keep for later calls; 0: 256 MiB. Decoders need more memory on top of this */
    const char *SCRUB_NULLABLE cache; /* the folder of saved indexes; NULL: $SCRUB_CACHE_DIR, $XDG_CACHE_HOME/scrub, ~/.cache/scrub */
    /* Limits for any file; 0: the limits of `scrub --limit`. A file that exceeds a limit is rejected. */
    uint64_t pixel_limit;         /* pixels of a picture */
    uint64_t picture_limit;       /* coded pictures of the stream */
    uint64_t picture_byte_limit;  /* bytes of a decoded picture */
    uint64_t decoder_byte_limit;  /* bytes of a sandboxed process */
    uint64_t picture_time_limit;  /* milliseconds that a sandboxed process may take for one picture */
    const scrub_network *SCRUB_NULLABLE network; /* NULL: the defaults */
    scrub_progress SCRUB_NULLABLE progress;      /* of opening, and of later calls with the video; NULL for none */
    void *SCRUB_NULLABLE context;                /* passed to `progress` */
} scrub_options;
#define SCRUB_OPTIONS_INIT { (uint32_t)sizeof(scrub_options), 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

enum {
    SCRUB_NO_CACHE = 0x1,       /* neither read nor write saved indexes */
    SCRUB_KEEP_PREVIEWS = 0x400 /* sessions keep their previews in the cache and find them there next time */
};

/* Opens a file, or an http or https address. Reads the container's tables and does not decode anything. For an address, only the bytes that
 * frames need are fetched; they are kept in the cache folder.
 *
 * options: NULL for the defaults. video: receives the handle, or NULL. */
scrub_status scrub_open(const char *SCRUB_NULLABLE path, const scrub_options *SCRUB_NULLABLE options,
                        scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video, scrub_error *SCRUB_NULLABLE error);

/* Opens a file's bytes; they are copied. name: the name in messages; NULL for "video in memory". */
scrub_status scrub_open_bytes(const void *SCRUB_NULLABLE bytes, size_t count, const char *SCRUB_NULLABLE name,
                              const scrub_options *SCRUB_NULLABLE options, scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video,
                              scrub_error *SCRUB_NULLABLE error);

/* A source whose bytes the program itself reads. */
typedef struct scrub_reader {
    uint32_t size;          /* sizeof(scrub_reader) */
    uint32_t reserved;      /* 0 */
    int64_t byte_count;     /* how many bytes there are. They must not change while the video is open */
    void *SCRUB_NULLABLE context; /* passed to the functions */
    /* Reads at most `count` bytes at `offset` and returns how many it read, at least 1. 0: the bytes end here. Below 0: the read failed
     * with -errno. It is called from several threads at once, and must not call functions of this library with the same video. */
    int64_t (*SCRUB_NULLABLE read)(void *SCRUB_NULLABLE context, int64_t offset, void *SCRUB_NULLABLE buffer, size_t count);
    /* Called once, after the last read, even if opening fails. Not called if the call is rejected before anything is read: because of its
     * arguments (SCRUB_USAGE) or in a forked child (SCRUB_FORKED). May be NULL. */
    void (*SCRUB_NULLABLE close)(void *SCRUB_NULLABLE context);
    /* Identifies the content, such as a checksum; with it, the index is saved. NULL for none. Copied. */
    const char *SCRUB_NULLABLE identity;
} scrub_reader;
#define SCRUB_READER_INIT { (uint32_t)sizeof(scrub_reader), 0, 0, 0, 0, 0, 0 }

/* Opens bytes that the program reads. The structure is copied. */
scrub_status scrub_open_reader(const scrub_reader *SCRUB_NULLABLE reader, const char *SCRUB_NULLABLE name,
                               const scrub_options *SCRUB_NULLABLE options, scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video,
                               scrub_error *SCRUB_NULLABLE error);

/* Closes a video. A call in progress on another thread ends with SCRUB_CANCELLED. NULL and a closed video are allowed. */
void scrub_close(scrub_video *SCRUB_NULLABLE video);

/* Cancels, from another thread, the calls in progress with the video: they return SCRUB_CANCELLED after the current packet. Later
 * calls are not affected. */
void scrub_cancel(scrub_video *SCRUB_NULLABLE video);

/* Sets the function that receives the progress of calls with the video, from the next call on; NULL for none. */
scrub_status scrub_set_progress(scrub_video *SCRUB_NULLABLE video, scrub_progress SCRUB_NULLABLE progress,
                                void *SCRUB_NULLABLE context, scrub_error *SCRUB_NULLABLE error);

/* Returns the number of frames, which are numbered from 0 in display order, and the time base, in seconds as a fraction. Both are known
 * after scrub_open; for the other facts, scrub_get_facts may have to read and decode. */
scrub_status scrub_get_length(scrub_video *SCRUB_NULLABLE video, int64_t *SCRUB_NULLABLE frame_count,
                              int64_t *SCRUB_NULLABLE time_base_num, int64_t *SCRUB_NULLABLE time_base_den,
                              scrub_error *SCRUB_NULLABLE error);

/* Facts of a video. */
typedef struct scrub_facts {
    uint32_t size;              /* sizeof(scrub_facts) */
    int32_t stream;             /* the stream's index in the file */
    int64_t frame_count;        /* presented frames; they are numbered from 0 in display order */
    int64_t time_base_num;      /* the time base: seconds per unit, a fraction */
    int64_t time_base_den;
    int64_t start_pts;          /* presentation time of the first frame */
    int64_t duration;           /* from there to the end of the last frame, in units of the time base */
    int64_t frame_rate_num;     /* frames per second; the average if the rate is not constant; 0/1 if unknown */
    int64_t frame_rate_den;
    int64_t aspect_num;         /* a pixel's width divided by its height; 0/1 if unknown, which is shown as 1/1 */
    int64_t aspect_den;
    int64_t keyframe_count;     /* frames that the container calls keyframes */
    int32_t width;              /* of native pictures, in pixels */
    int32_t height;
    int32_t rotation;           /* clockwise degrees that make it upright: 0, 90, 180, 270. Native pictures are not rotated */
    int32_t has_alpha;          /* 1 or 0 */
    char codec[32];             /* libav's names */
    char pixel_format[32];
    char container[32];
} scrub_facts;
#define SCRUB_FACTS_INIT { (uint32_t)sizeof(scrub_facts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 } }

/* Fills facts. The first call may read the headers of all pictures of a short video, and decode a frame if the container does not specify
 * the pixel format. */
scrub_status scrub_get_facts(scrub_video *SCRUB_NULLABLE video, scrub_facts *SCRUB_NULLABLE facts,
                             scrub_error *SCRUB_NULLABLE error);

/* Describes a video as one line of JSON, the object of `scrub info --json`, with everything that is known: streams, colours, chapters,
 * tags.
 *
 * json: receives UTF-8 with a final 0, to be released with scrub_free. count: receives its number of bytes without the 0. The call may read
 * the headers of all pictures of a short video, and decode a frame. */
scrub_status scrub_describe(scrub_video *SCRUB_NULLABLE video, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                            size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Finds the frame at a position: a fraction ("0.42", "42%"), a time after the first frame ("12.5s", "1:02.5", "90ms"), a timecode, a
 * number ("f1234", "f-1" from the end), "first" or "last", as on the command line. Does not decode anything.
 *
 * A time has at least three decimals and stands for all times that are written this way: "2.933s" is the frame at 44/15 s.
 *
 * flags: with SCRUB_CLAMP, a fraction, a time or a timecode outside the video means the nearest end. Otherwise the result is
 * SCRUB_USAGE. */
scrub_status scrub_find(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE position, uint32_t flags,
                        int64_t *SCRUB_NULLABLE frame, scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_CLAMP = 0x2,
    SCRUB_CONTAINER_TIME = 0x40 /* for scrub_find_seconds: seconds are the container's, like pts, not counted from the first frame */
};

/* Finds the frame at a time in seconds after the first frame, as programs compute it: i / 30.0, a sum, pts * num / den, a float. The time
 * is rounded to the nearest unit of the time base. A number with three decimals or fewer also stands for its millisecond, and a float for
 * all times that round to it. A frame's own time therefore finds that frame. Does not decode anything.
 *
 * flags: with SCRUB_CLAMP, a time outside the video means the nearest end, and otherwise the result is SCRUB_USAGE;
 * SCRUB_CONTAINER_TIME. */
scrub_status scrub_find_seconds(scrub_video *SCRUB_NULLABLE video, double seconds, uint32_t flags,
                                int64_t *SCRUB_NULLABLE frame, scrub_error *SCRUB_NULLABLE error);

/* Finds the frame on screen at a time, in units of the time base, like pts: the last frame whose time is not later. Before the first frame,
 * the result is the first frame, and after the last frame, the last. */
scrub_status scrub_find_pts(scrub_video *SCRUB_NULLABLE video, int64_t pts, int64_t *SCRUB_NULLABLE frame,
                            scrub_error *SCRUB_NULLABLE error);

/* When a frame is shown. */
typedef struct scrub_time {
    int64_t pts;         /* when it is first shown, in units of the time base */
    int64_t duration;    /* how long it is shown, in the same units */
    int32_t is_keyframe; /* 1 if the container says so */
    int32_t reserved;    /* 0 */
} scrub_time;

/* Fills in the times of `count` frames, beginning with number `first`. Does not decode anything. */
scrub_status scrub_get_times(scrub_video *SCRUB_NULLABLE video, int64_t first, size_t count, scrub_time *SCRUB_NULLABLE times,
                             scrub_error *SCRUB_NULLABLE error);

/* Fills in when `count` frames, beginning with number `first`, appear on screen, counted from the first frame in units of the time base:
 * the time that scrub_find takes. A frame never comes before its predecessor, whatever its pts. Does not decode anything. */
scrub_status scrub_get_offsets(scrub_video *SCRUB_NULLABLE video, int64_t first, size_t count, int64_t *SCRUB_NULLABLE offsets,
                               scrub_error *SCRUB_NULLABLE error);

/* Layouts of pixels and planes. All except SCRUB_NATIVE have one plane. */
enum {
    SCRUB_NATIVE = 0,  /* the decoder's own planes in libav's pixel format: not converted, cropped or rotated */
    SCRUB_RGB8 = 1,    /* red, green, blue: 3 bytes */
    SCRUB_RGBA8 = 2,   /* red, green, blue, straight alpha: 4 bytes */
    SCRUB_BGRA8 = 3,   /* blue, green, red, straight alpha */
    SCRUB_GRAY8 = 4,   /* luma: 1 byte */
    SCRUB_RGB16 = 5,   /* red, green, blue of 16 bits in the machine's byte order: 6 bytes; 65535 is white */
    SCRUB_RGBA16 = 6   /* with straight alpha: 8 bytes */
};

/* How reliable an answer is. */
enum {
    SCRUB_EXACT = 0,       /* the same picture that ffmpeg produces when it decodes the whole file */
    SCRUB_DAMAGED = 1,     /* the file is damaged there */
    SCRUB_APPROXIMATE = 2, /* a nearby frame, or a picture that is not proven */
    SCRUB_UNDECODABLE = 3  /* no decoder can decode it; there is no picture */
};

/* A picture: the request, the memory for it, and the result. */
typedef struct scrub_picture {
    uint32_t size;       /* sizeof(scrub_picture) */
    /* The request. */
    uint32_t layout;     /* SCRUB_NATIVE, SCRUB_RGB8, ... */
    uint32_t flags;      /* SCRUB_RAW_GEOMETRY, SCRUB_TONE_MAP, SCRUB_ALIGNED_ROWS */
    int32_t want_width;  /* columns, or 0 for the picture's own. Not for SCRUB_NATIVE. If only one side is 0, it follows the other */
    int32_t want_height; /* rows */
    int32_t reserved;    /* 0 */
    /* The caller's memory for each plane. If data[0] is NULL or the memory is too small, nothing is written, and `needed` says how many
     * bytes are needed with `stride`. */
    void *SCRUB_NULLABLE data[4];
    size_t capacity[4];  /* bytes at data */
    size_t stride[4];    /* from one row to the next; 0: rows without padding; the function sets the field */
    /* The result. */
    size_t needed[4];    /* bytes of a plane with this stride; the last row has no padding */
    int32_t row_bytes[4]; /* bytes of a row's pixels */
    int32_t rows[4];
    int32_t planes;      /* how many there are, 1 to 4 */
    int32_t width;       /* in pixels */
    int32_t height;
    int32_t status;      /* of this picture, for scrub_read_many */
    int32_t verdict;     /* SCRUB_EXACT, ... */
    int32_t decoded;     /* pictures decoded for it; 0: it was in memory */
    int64_t frame;       /* its number */
    int64_t pts;         /* its time, in units of the time base */
    char pixel_format[32]; /* for SCRUB_NATIVE libav's name: "yuv420p10le"; otherwise "rgb24", "rgba", "bgra", "gray", "rgb48", "rgba64" */
    char reason[240];    /* why it is not exact, or its error; empty if it is exact. Long text is cut like `message`: the error of
                          * scrub_read for this frame alone has more */
} scrub_picture;
#define SCRUB_PICTURE_INIT { (uint32_t)sizeof(scrub_picture), 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, \
    0, 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 } }

/* Pictures that are not native are ready for display: with the right color matrix and range, upright, cropped to the clean aperture,
 * with square pixels. Their pixels are those of `scrub seek --keep-hdr -o x.png`. */
enum {
    SCRUB_RAW_GEOMETRY = 0x4, /* the stored grid: not cropped, rotated or scaled to square pixels */
    SCRUB_TONE_MAP = 0x8,     /* converts PQ and HLG to the range of an ordinary screen; without this flag, they keep their values */
    SCRUB_ALIGNED_ROWS = 0x10000 /* if `stride` is 0, rows begin at multiples of 256 bytes, as GPUs read them */
};

/* Decodes a frame and writes its picture. When calls move forward or backward, nearby frames are decoded ahead.
 *
 * Also returns SCRUB_OK for a damaged picture: see `verdict`. SCRUB_BAD_DATA if no decoder can decode it, SCRUB_USAGE if there is no such
 * frame or the given memory is too small. */
scrub_status scrub_read(scrub_video *SCRUB_NULLABLE video, int64_t frame, scrub_picture *SCRUB_NULLABLE picture,
                        scrub_error *SCRUB_NULLABLE error);

/* Decodes several frames in any order, and each group of pictures only once; frames may be repeated. pictures[i] receives frames[i]; all
 * pictures have the same `size`.
 *
 * Every picture has its own status. Returns SCRUB_OK if all pictures have that status, and otherwise the first different status. The
 * remaining pictures are still written. */
scrub_status scrub_read_many(scrub_video *SCRUB_NULLABLE video, const int64_t *SCRUB_NULLABLE frames, size_t count,
                             scrub_picture *SCRUB_NULLABLE pictures, scrub_error *SCRUB_NULLABLE error);

/* Formats of image files. 0 is the default: PNG for a picture, JPEG for a strip. */
enum {
    SCRUB_PNG = 1,
    SCRUB_JPEG = 2,
    SCRUB_WEBP = 3,
    SCRUB_AVIF = 4,
    SCRUB_SVG = 5 /* only for contact sheets */
};

/* How a picture becomes an image file. Zeros are the defaults. */
typedef struct scrub_image {
    uint32_t size;       /* sizeof(scrub_image) */
    uint32_t format;     /* SCRUB_PNG, ...; 0: PNG, or for scrub_save the format of the path's suffix. A different format is SCRUB_USAGE */
    uint32_t flags;      /* SCRUB_RAW_GEOMETRY, SCRUB_REPLACE; PQ and HLG are tone-mapped unless SCRUB_KEEP_HDR is set */
    int32_t quality;     /* 1 to 100; 0: 90. Not for PNG */
    int32_t want_width;  /* at most this many columns, with the picture's aspect; 0: no limit */
    int32_t want_height; /* at most this many rows */
} scrub_image;
#define SCRUB_IMAGE_INIT { (uint32_t)sizeof(scrub_image), 0, 0, 0, 0, 0 }
enum {
    SCRUB_KEEP_HDR = 0x10, /* PQ and HLG keep their values */
    SCRUB_REPLACE = 0x80   /* replace files that Scrub did not write; else that is SCRUB_USAGE. A file being read is never replaced */
};

/* Decodes a frame and encodes it. bytes: receives memory that scrub_free releases. image: NULL for a PNG at the picture's own size.
 * picture: NULL, or receives number, time, verdict and the image's size. */
scrub_status scrub_encode(scrub_video *SCRUB_NULLABLE video, int64_t frame, const scrub_image *SCRUB_NULLABLE image,
                          void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                          scrub_picture *SCRUB_NULLABLE picture, scrub_error *SCRUB_NULLABLE error);

/* Decodes a frame and writes it to a file atomically. A format that contradicts the path's suffix is SCRUB_USAGE. So is the path of a file
 * that is being read, or, without SCRUB_REPLACE, of a file that Scrub did not write. */
scrub_status scrub_save(scrub_video *SCRUB_NULLABLE video, int64_t frame, const char *SCRUB_NULLABLE path,
                        const scrub_image *SCRUB_NULLABLE image, scrub_picture *SCRUB_NULLABLE picture,
                        scrub_error *SCRUB_NULLABLE error);

/* Releases memory that a function allocated for the caller. NULL is allowed. */
void scrub_free(void *SCRUB_NULLABLE bytes);

/* Thumbnails, posters, scenes, maps and proofs: what the program's verbs do with one film, with the same files and the same JSON.
 *
 * Results. Functions that write files describe them as JSON: the objects that the program's verb prints with --json, one per line. `json`
 * receives UTF-8 for scrub_free, with a final 0, and `count` its bytes without the 0; both may be NULL. All files of a folder get their
 * names together once all are complete; files of several posters get theirs one by one. Replacing a file that is being read is SCRUB_USAGE;
 * so is, without SCRUB_REPLACE, replacing a file that is not an earlier output of the same kind.
 *
 * Progress. The video's scrub_progress counts pictures and can end the call; with SCRUB_SCENES, first the pictures of the search. Frame
 * maps, covers and plans are quick, and have no steps. */

/* Which thumbnails are made, and how. Zeros are the defaults. A field that a function does not use must be 0, or the call returns
 * SCRUB_USAGE. */
typedef struct scrub_thumbnails {
    uint32_t size;         /* sizeof(scrub_thumbnails) */
    uint32_t flags;        /* SCRUB_REPLACE, SCRUB_WAIT, SCRUB_SCENES, SCRUB_CLAMP, SCRUB_DEINTERLACE, ... */
    /* Which: one of count, interval, positions and SCRUB_SCENES, which may have a count. If none is set, each function's default. */
    uint32_t count;        /* this many, evenly spaced; with SCRUB_SCENES, at most this many */
    uint32_t tolerance;    /* SCRUB_TOLERANCE_...: how far a picture may be from its time */
    int64_t interval_num;  /* seconds between thumbnails, as a fraction */
    int64_t interval_den;
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE positions; /* exactly these, as scrub_find takes them; ends with NULL */
    int64_t tolerance_num; /* for SCRUB_TOLERANCE_SECONDS, as a fraction */
    int64_t tolerance_den;
    int64_t scene_num;     /* for SCRUB_SCENES: seconds of the shortest scene; 0/0: 1 second */
    int64_t scene_den;
    /* How. */
    const int32_t *SCRUB_NULLABLE widths; /* for a strip: several widths, ending with 0. Each gets a folder */
    int32_t width;         /* columns of a thumbnail, or with a height, of a box that it fits into; for a contact sheet, its width */
    int32_t height;        /* rows of a thumbnail */
    int32_t columns;       /* thumbnails in a row of a sheet */
    int32_t rows;          /* rows of a sheet */
    uint32_t format;       /* SCRUB_JPEG, ...; 0: JPEG, or for scrub_write_sheet the format of the path's suffix */
    int32_t quality;       /* 1 to 100; 0: 80, or 90 for a contact sheet */
    uint32_t background;   /* the color under transparent pixels, 0xRRGGBB; 0 is black */
    int32_t threads;       /* how many threads decode; 0: one per processor */
    const char *SCRUB_NULLABLE base_url; /* text before the sheets' names in WebVTT and JSON; NULL: relative names */
    const char *SCRUB_NULLABLE sizes; /* for a strip: several widths or boxes, "160,320" or "160x90,320x180", as for `scrub strip --width`. Each
                                       * gets a folder. NULL: use widths, or width and height, which must be 0 otherwise */
} scrub_thumbnails;
#define SCRUB_THUMBNAILS_INIT { (uint32_t)sizeof(scrub_thumbnails), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_WAIT = 0x20000,         /* wait while another run is writing to the same folder; without it, that is SCRUB_UNAVAILABLE */
    SCRUB_SCENES = 0x40000,       /* one thumbnail for each scene */
    SCRUB_DEINTERLACE = 0x80000,  /* interpolate the missing rows of interlaced pictures */
    SCRUB_FROM_PREVIEWS = 0x100000, /* use kept previews where available: strips and sets */
    SCRUB_BLUR_HASHES = 0x200000, /* add a BlurHash and a ThumbHash of each thumbnail to the manifest: strips */
    SCRUB_NO_TIMES = 0x400000,    /* no times on the pictures: contact sheets */
    SCRUB_SKIP_CURRENT = 0x800000, /* leave sets unchanged that were made from the same file with the same options: sets */
    SCRUB_BESIDE = 0x1000000,     /* Jellyfin's folder beside the film: sets, with the profile jellyfin and without a folder */
    SCRUB_EXPLAIN = 0x2000000,    /* a folder of posters also gets the scores of all candidates */
    SCRUB_BLANK_SCENES = 0x4000000, /* black, white, a single color and noise begin scenes: scrub_find_scenes */
    SCRUB_PLAN_ONLY = 0x8000000, /* write nothing: the JSON says what would be decoded, as with --plan. Strips and sets; the folder may be NULL */
    SCRUB_COPY_ONLY = 0x10000000 /* refuse a conversion in which pictures would have to be encoded again: scrub_convert_set */
};
enum {
    SCRUB_TOLERANCE_DEFAULT = 0,  /* exact for a strip, and automatic for a contact sheet and sets */
    SCRUB_TOLERANCE_EXACT = 1,    /* the frame on screen at the time */
    SCRUB_TOLERANCE_KEYFRAME = 2, /* the nearest keyframe: fast, and not exact */
    SCRUB_TOLERANCE_AUTOMATIC = 3, /* the cheapest picture of the thumbnail's own interval; exact for scenes and positions */
    SCRUB_TOLERANCE_SECONDS = 4   /* the cheapest picture at most tolerance_num / tolerance_den seconds away */
};

/* Writes a strip to a folder, like `scrub strip`: sheets, thumbnails.vtt and manifest.json. thumbnails: NULL for 100, 160 pixels wide, on
 * sheets of 10 x 10. JSON: the manifest of each width. */
scrub_status scrub_write_strip(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder,
                               const scrub_thumbnails *SCRUB_NULLABLE thumbnails, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Writes a contact sheet, like `scrub sheet`: the path ends with .jpg, .png, .webp, .avif or .svg. thumbnails: NULL for 4 x 5 pictures on a
 * sheet 1600 pixels wide. Without `count`, there are columns times rows pictures; with one of the other choices, `rows` must be 0. */
scrub_status scrub_write_sheet(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path,
                               const scrub_thumbnails *SCRUB_NULLABLE thumbnails, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Makes a contact sheet in memory. bytes: receives memory for scrub_free. */
scrub_status scrub_encode_sheet(scrub_video *SCRUB_NULLABLE video, const scrub_thumbnails *SCRUB_NULLABLE thumbnails,
                                void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                                scrub_error *SCRUB_NULLABLE error);

/* Writes sets for players and servers, like `scrub thumbs`, all in one decoding pass. profiles: "web", "jellyfin", "plex", "roku", "hls",
 * "dash", "contact", "freedesktop", several of them separated by commas, or "all" for those that are possible. folder: gets a folder for
 * each; NULL for "freedesktop" alone, which is written where file managers look, and with SCRUB_BESIDE. thumbnails: NULL for one every 10
 * seconds. */
scrub_status scrub_write_sets(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder,
                              const char *SCRUB_NULLABLE profiles, const scrub_thumbnails *SCRUB_NULLABLE thumbnails,
                              void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count,
                              scrub_error *SCRUB_NULLABLE error);

/* A frame that represents the film, with its scores from 0 to 1. */
typedef struct scrub_poster {
    int64_t frame;
    double score;        /* of all criteria together */
    double sharpness;    /* criteria in its favor */
    double exposure;
    double contrast;
    double colorfulness;
    double entropy;
    double subject;
    double skin;
    double fade;         /* criteria against it */
    double letterbox;
    double text;
    int32_t is_blank;    /* 1 if it is black, white, of a single color or noise */
    int32_t is_damaged;  /* 1 if the file is damaged there */
    char blur_hash[64];  /* placeholders while the picture loads */
    char thumb_hash[64]; /* base64 */
} scrub_poster;

/* How posters are found and written. Zeros are the defaults. */
typedef struct scrub_poster_options {
    uint32_t size;       /* sizeof(scrub_poster_options) */
    uint32_t flags;      /* SCRUB_REPLACE, SCRUB_WAIT, SCRUB_DEINTERLACE, SCRUB_EXPLAIN: for scrub_write_posters */
    uint32_t count;      /* how many; 0: 1, or for scrub_find_posters its capacity */
    uint32_t candidates; /* how many frames are scored; 0: 60 */
    int32_t threads;     /* how many threads decode; 0: one per processor */
    int32_t width;       /* of files: columns; 0: the video's own */
    int32_t longest_side; /* of files: the maximum pixels of the longer side; 0: no limit. Not with a width */
    uint32_t format;     /* of files: SCRUB_JPEG, ...; 0: the format of the path's suffix, or JPEG in a folder */
    int32_t quality;     /* of files: 1 to 100; 0: 90 */
    uint32_t background; /* of files: the color under transparent pixels, 0xRRGGBB */
} scrub_poster_options;
#define SCRUB_POSTER_OPTIONS_INIT { (uint32_t)sizeof(scrub_poster_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Finds frames that represent the film, the best one first: sharp, well exposed, unlike each other, neither black nor faded.
 *
 * posters: receives at most `capacity` posters. count: receives how many. scrub_read and scrub_encode make the pictures. */
scrub_status scrub_find_posters(scrub_video *SCRUB_NULLABLE video, const scrub_poster_options *SCRUB_NULLABLE options,
                                scrub_poster *SCRUB_NULLABLE posters, size_t capacity, size_t *SCRUB_NULLABLE count,
                                scrub_error *SCRUB_NULLABLE error);

/* Finds posters and writes them, like `scrub poster`. path: a file, "p.jpg", or for several "p-1.jpg" and so on; or a folder, "posters/",
 * which also gets a posters.json. */
scrub_status scrub_write_posters(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path,
                                 const scrub_poster_options *SCRUB_NULLABLE options, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                                 size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Writes the file's cover art, like `scrub poster --cover`. stream: its stream; -1: the first one. Only flags, width, longest_side, format
 * and quality of `options` count; without them and with the right suffix, the cover's own bytes are written. */
scrub_status scrub_write_cover(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path, int32_t stream,
                               const scrub_poster_options *SCRUB_NULLABLE options, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* The same for a file or address that need not contain a video, such as a song. options: NULL for the defaults; only its stream, cache,
 * network and limits count, and `stream` is used if it is not -1. Has no progress. */
scrub_status scrub_write_cover_of(const char *SCRUB_NULLABLE file, const scrub_options *SCRUB_NULLABLE options,
                                  const char *SCRUB_NULLABLE path, int32_t stream,
                                  const scrub_poster_options *SCRUB_NULLABLE poster, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                                  size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Converts a thumbnail set to another format, like `scrub convert`. Pictures are copied if the other format can use them as they are.
 *
 * set: a folder with a manifest.json, or a BIF file of any program. format: "vtt", "json", "hls", "dash", "jellyfin" or "bif". flags:
 * SCRUB_REPLACE, SCRUB_WAIT, SCRUB_COPY_ONLY. quality: of pictures that have to be encoded again, 1 to 100; 0: 90. base_url: text before
 * the sheets' names in WebVTT and JSON; NULL: relative names. Has no progress. */
scrub_status scrub_convert_set(const char *SCRUB_NULLABLE set, const char *SCRUB_NULLABLE format, const char *SCRUB_NULLABLE folder,
                               uint32_t flags, int32_t quality, const char *SCRUB_NULLABLE base_url,
                               void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count,
                               scrub_error *SCRUB_NULLABLE error);

/* A scene. Times are fractions of a second after the first frame. */
typedef struct scrub_scene {
    int64_t start_num;
    int64_t start_den;
    int64_t end_num;
    int64_t end_den;
    int64_t first_frame;
    int64_t last_frame;
    int64_t frame;      /* the frame to show for it */
    double strength;    /* the difference from the preceding pictures, 0 to 1 */
} scrub_scene;

/* How scenes are found. Zeros are the defaults. */
typedef struct scrub_scene_options {
    uint32_t size;       /* sizeof(scrub_scene_options) */
    uint32_t flags;      /* SCRUB_KEYFRAMES, SCRUB_BLANK_SCENES */
    uint32_t count;      /* at most this many: the shortest are joined to their neighbors; 0: no limit */
    int32_t threads;     /* how many threads decode; 0: one per processor */
    double threshold;    /* how much of the picture changes at a cut, 0.01 to 1; 0: 0.06 */
    int64_t shortest_num; /* seconds of the shortest scene; 0/0: 1 second */
    int64_t shortest_den;
} scrub_scene_options;
#define SCRUB_SCENE_OPTIONS_INIT { (uint32_t)sizeof(scrub_scene_options), 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_KEYFRAMES = 0x20 /* scenes begin at keyframes, and only those are decoded */
};

/* Finds where scenes begin and end. `scrub scenes` sets SCRUB_BLANK_SCENES.
 *
 * scenes: receives an array for scrub_free, in order of time; together the scenes cover the whole film. count: receives how many. */
scrub_status scrub_find_scenes(scrub_video *SCRUB_NULLABLE video, const scrub_scene_options *SCRUB_NULLABLE options,
                               scrub_scene *SCRUB_NULLABLE *SCRUB_NULLABLE scenes, size_t *SCRUB_NULLABLE count,
                               scrub_error *SCRUB_NULLABLE error);

/* Lists the frames for another program, like `scrub frames --as`. format: "torchcodec", "cvat", "csv", "json" or "timecodes".
 *
 * path: the file to write. NULL: bytes receives the text for scrub_free, with a final 0. flags: SCRUB_REPLACE. SCRUB_BAD_DATA for a film
 * that the other program would misread with any list. */
scrub_status scrub_write_frame_map(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE format,
                                   const char *SCRUB_NULLABLE path, uint32_t flags, void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes,
                                   size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Makes previews of all frames and keeps them in the cache, like `scrub previews`: sessions find them there. An interrupted run is resumed.
 *
 * side: the longer side in pixels; 0: 640, which sessions look for. threads: 0 for one per processor. Progress counts frames. */
scrub_status scrub_make_previews(scrub_video *SCRUB_NULLABLE video, int32_t side, int32_t threads,
                                 void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count,
                                 scrub_error *SCRUB_NULLABLE error);

/* Describes what an exact frame would need, like `scrub plan`, without decoding it. */
scrub_status scrub_plan(scrub_video *SCRUB_NULLABLE video, int64_t frame, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                        size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Proves that frames are correct, like `scrub verify`: decodes the film once from start to end, and compares that with frames decoded in
 * other orders.
 *
 * orders: "forward", "backward", "random", "alone", "batch", separated by commas; NULL: all. sample: how many frames of each order; 0: all;
 * -1: 200, or fewer in a film where that takes long. SCRUB_BAD_DATA if a picture was wrong; the JSON names it. Progress counts
 * frames. */
scrub_status scrub_verify(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE orders, int64_t sample,
                          void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Proves that frames do not depend on how they are decoded, like `scrub verify --determinism`: requests them with 1, 2 and 8 threads and
 * with other processor instructions. The JSON is the value of `determinism` in the program's.
 *
 * sample: how many frames; 0: all; -1: 200. SCRUB_BAD_DATA if an answer changed. The call changes the instructions that FFmpeg uses in the
 * whole process, and finally restores them: do not decode anything else in the meantime. Progress counts runs. */
scrub_status scrub_check_determinism(scrub_video *SCRUB_NULLABLE video, int64_t sample, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                                     size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Proves that thumbnail sets in a folder are well formed and show the video, like `scrub verify-set`.
 *
 * sample: how many thumbnails of each set are compared; 0: 24. interval: seconds between thumbnails in Jellyfin's folders without a
 * manifest; 0/0: guessed. SCRUB_BAD_DATA if a set is wrong, SCRUB_NO_INPUT if there is no set; the JSON is returned in any case. Progress
 * counts sets. */
scrub_status scrub_verify_sets(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder, uint32_t sample,
                               int64_t interval_num, int64_t interval_den, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Scrubbing. A session follows a finger: it accepts requests at any rate, decodes for the newest one, and delivers pictures in stages.
 *
 *     scrub_session *session;
 *     scrub_session_open(video, NULL, &session, &error);
 *     scrub_session_request_fraction(session, 0.42, 0, NULL, NULL, &error);       // returns at once
 *     scrub_update update = SCRUB_UPDATE_INIT;
 *     while (!update.is_final && scrub_session_take(session, -1, &update, &error) == SCRUB_OK) {
 *         if (update.picture) show(update.picture);                               // scrub_pixel_buffer_copy
 *         scrub_pixel_buffer_release(update.picture);
 *     }
 *     scrub_session_close(session);
 *
 * A request is answered at once with the nearest available picture, marked as such. A preview or the exact picture follows when it is
 * ready, unless a newer request has arrived. While the finger moves, pictures keep coming; when it rests, the exact picture always follows.
 * While no request is waiting, the session makes previews and decodes the frames that the movement will probably need next.
 *
 * A program learns of a new picture in one of three ways: scrub_session_take waits for it, scrub_session_get_descriptor returns a file
 * descriptor for poll(), and scrub_session_set_callback calls a function. The program always gets the newest picture; `skipped` counts the
 * updates that it did not take in time.
 *
 * Threads. All functions of sessions may be called from any thread. They never wait for calls with the video, and requests do not wait for
 * the decoder. A session retains its video: scrub_close does not end it. A scrub_reader is closed only when its sessions are also closed
 * and all their pictures released. */

/* Memory and decoders that several sessions share. */
typedef struct scrub_resources scrub_resources;

/* Creates resources. memory: bytes of all pictures of all sessions, including those in decoders; 0: 256 MiB. decoders: how many may be open
 * at any one time; 0: 4. */
scrub_status scrub_resources_open(uint64_t memory, int32_t decoders, scrub_resources *SCRUB_NULLABLE *SCRUB_NULLABLE resources,
                                  scrub_error *SCRUB_NULLABLE error);

/* Closes the handle. Sessions that share the resources retain them. NULL and a closed handle are allowed. */
void scrub_resources_close(scrub_resources *SCRUB_NULLABLE resources);

/* How a session works. Zeros are the defaults. */
typedef struct scrub_session_options {
    uint32_t size;        /* sizeof(scrub_session_options) */
    uint32_t flags;       /* SCRUB_NO_PREVIEWS, SCRUB_REDUCED_ALONE, SCRUB_FINE_SPEEDS */
    scrub_resources *SCRUB_NULLABLE resources; /* shared with other sessions; NULL: its own */
    uint64_t memory;      /* bytes of all its pictures, including the decoder's and those that the program holds (except at most ten
                           * pictures of dav1d); 0: 256 MiB. If a session could not decode within them, opening it returns
                           * SCRUB_UNAVAILABLE. Must be 0 with `resources`, which have their own limit */
    int32_t decoders;     /* how many may be open at any one time; 0: 2 */
    int32_t threads;      /* how many threads decode; 0: one per processor */
    int32_t preview_side; /* the longer side of previews, in samples; 0: 640, or 480 for a long film */
    int32_t key_pictures; /* small pictures all over the film, for jumps; 0: 48; -1: none */
    int32_t patience;     /* milliseconds without a new picture after which the current one is finished; 0: 30 */
    int32_t reserved;     /* 0 */
} scrub_session_options;
#define SCRUB_SESSION_OPTIONS_INIT { (uint32_t)sizeof(scrub_session_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_NO_PREVIEWS = 0x1000,   /* do not make small pictures of the frames around the playhead */
    SCRUB_REDUCED_ALONE = 0x2000, /* all pictures are small, and none is exact: for films whose pictures do not fit in the memory */
    SCRUB_FINE_SPEEDS = 0x4000    /* the finger moves the playhead at half speed 50 units above or below its start, at a quarter at 100, and
                                   * at a tenth at 150 */
};

/* A session. */
typedef struct scrub_session scrub_session;

/* Opens a session for a video. Does not decode anything yet. options: NULL for the defaults. */
scrub_status scrub_session_open(scrub_video *SCRUB_NULLABLE video, const scrub_session_options *SCRUB_NULLABLE options,
                                scrub_session *SCRUB_NULLABLE *SCRUB_NULLABLE session, scrub_error *SCRUB_NULLABLE error);

/* Closes a session, from any thread. A waiting scrub_session_take returns SCRUB_CANCELLED. The descriptor is closed: remove it from poll
 * loops first; a copy of it (dup) becomes readable. The callback does not run after this returns, unless it is the caller. Pictures
 * that the program holds stay valid. This function waits for the packet that is being decoded, and therefore for a running function of a
 * scrub_reader. NULL and a closed handle are allowed. */
void scrub_session_close(scrub_session *SCRUB_NULLABLE session);

/* Requests a frame, which replaces the previous request. Returns at once.
 *
 * flags: SCRUB_RESTING. request: NULL, or receives the request's number, counted from 1, which its updates contain. */
scrub_status scrub_session_request(scrub_session *SCRUB_NULLABLE session, int64_t frame, uint32_t flags,
                                   uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* The same for a position as scrub_find takes it: "0.42", "12.5s", "f1234". Outside the video it means the nearest end. frame: NULL, or
 * receives the frame's number. */
scrub_status scrub_session_request_at(scrub_session *SCRUB_NULLABLE session, const char *SCRUB_NULLABLE position, uint32_t flags,
                                      int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* The same for a fraction of the film, as sliders provide it: 0 is the first frame and 1 the last; a value outside this range means the
 * nearer end. */
scrub_status scrub_session_request_fraction(scrub_session *SCRUB_NULLABLE session, double fraction, uint32_t flags,
                                            int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request,
                                            scrub_error *SCRUB_NULLABLE error);

/* The same for seconds after the first frame, as scrub_find_seconds takes them with SCRUB_CLAMP. */
scrub_status scrub_session_request_seconds(scrub_session *SCRUB_NULLABLE session, double seconds, uint32_t flags,
                                           int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request,
                                           scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_RESTING = 0x800 /* the finger does not move: the exact picture follows even if there is a preview */
};

/* Tells the session that the finger rests on the last requested frame, whose exact picture then follows. */
scrub_status scrub_session_rest(scrub_session *SCRUB_NULLABLE session, scrub_error *SCRUB_NULLABLE error);

/* Cancels a request: its decoding ends after the current packet, and nothing is prepared until the next request. Does nothing if there is a
 * newer one. request: its number; 0: the newest. */
scrub_status scrub_session_cancel(scrub_session *SCRUB_NULLABLE session, uint64_t request, scrub_error *SCRUB_NULLABLE error);

/* Begins a gesture, a pan over the video: requests the frame under the playhead. A previous gesture that has not ended is ended first.
 * position: as scrub_find takes it; NULL: the last requested frame, or else the first. request: NULL, or receives the request's number. */
scrub_status scrub_session_began(scrub_session *SCRUB_NULLABLE session, const char *SCRUB_NULLABLE position,
                                 uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* Moves the finger: requests the frame at begin + x / width of the film, within its ends.
 *
 * x, y: the distance from where the gesture began, to the right and downward, in units of the program's view. width: how many units stand
 * for the whole film, above 0. y counts only with SCRUB_FINE_SPEEDS. frame: NULL, or receives the frame's number; -1 before a gesture has
 * begun. request: NULL, or receives the request's number. */
scrub_status scrub_session_moved(scrub_session *SCRUB_NULLABLE session, double x, double y, double width,
                                 int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* Ends the gesture: the exact picture follows. flags: SCRUB_RETURN. request: NULL, or receives the number of the request for that picture;
 * 0 if there was none. */
scrub_status scrub_session_ended(scrub_session *SCRUB_NULLABLE session, uint32_t flags, uint64_t *SCRUB_NULLABLE request,
                                 scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_RETURN = 0x8000 /* the system cancelled the gesture: the playhead goes back to where it began */
};

/* Makes the previews around a frame, as if it were on screen, and waits until all that fit are ready.
 *
 * milliseconds: how long at most; below 0: without a limit. done: NULL, or receives 1 if all are ready, 0 if the time ran out or a request
 * was cancelled. SCRUB_CANCELLED if the session is closed in the meantime. */
scrub_status scrub_session_prepare_previews(scrub_session *SCRUB_NULLABLE session, int64_t frame, int32_t milliseconds,
                                            int32_t *SCRUB_NULLABLE done, scrub_error *SCRUB_NULLABLE error);

/* A picture of a session: a reference that the program releases. Until then, the picture counts against the session's memory. A program
 * that holds many pictures gets SCRUB_STAGE_AWAITING_MEMORY. Its pixels never change, and any number of threads may read them. If a film's
 * transparency is in a separate stream, that stream is decoded when the picture is copied. */
typedef struct scrub_pixel_buffer scrub_pixel_buffer;

/* What a picture is. */
enum {
    SCRUB_STAGE_NONE = 0,            /* there is no update to take */
    SCRUB_STAGE_NEAREST = 1,         /* another frame's picture, the nearest available; `frame` says which one */
    SCRUB_STAGE_PREVIEW = 2,         /* the requested frame, smaller than the video's pictures */
    SCRUB_STAGE_EXACT = 3,           /* the requested frame; `verdict` says whether it is damaged or cannot be decoded */
    SCRUB_STAGE_AWAITING_MEMORY = 4, /* no picture, because the program holds too many. It follows when some are released */
    SCRUB_STAGE_FAILED = 5           /* the request cannot be answered: `status` and `reason` say why */
};

/* What a session reports. */
typedef struct scrub_update {
    uint32_t size;           /* sizeof(scrub_update) */
    int32_t stage;           /* SCRUB_STAGE_... */
    int32_t status;          /* of SCRUB_STAGE_FAILED: SCRUB_IO, ... */
    int32_t verdict;         /* SCRUB_EXACT, ...: of the picture. SCRUB_EXACT only at the exact stage; SCRUB_UNDECODABLE: no picture */
    uint64_t request;        /* the number of the request that it answers */
    int64_t requested_frame; /* the frame that was requested */
    int64_t frame;           /* the frame that the picture shows; -1 if the request failed */
    int64_t pts;             /* its time, in units of the time base */
    int64_t duration;        /* how long it is shown, in the same units */
    int64_t offset;          /* when it appears on screen, counted from the first frame, in the same units */
    int64_t latency_ns;      /* from the request to this picture, in nanoseconds */
    scrub_pixel_buffer *SCRUB_NULLABLE picture; /* to be released; NULL if there is none */
    int32_t width;           /* of the picture as it is stored, in pixels */
    int32_t height;
    int32_t decoded;         /* pictures decoded for it */
    int32_t skipped;         /* updates that this one replaced since the last taken update */
    int32_t is_cached;       /* 1 if the picture was available without decoding */
    int32_t is_reduced;      /* 1 if the picture is smaller than the video's pictures */
    int32_t is_final;        /* 1 if nothing better follows for the request: the exact picture, or its failure */
    int32_t system_error;    /* of SCRUB_STAGE_FAILED: errno, if there is one */
    char reason[240];        /* why it is not exact, or its error; empty if it is exact. Cut like scrub_picture.reason */
} scrub_update;
#define SCRUB_UPDATE_INIT { (uint32_t)sizeof(scrub_update), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 } }

/* Takes the newest update, which no other call then gets.
 *
 * milliseconds: how long to wait for an update; 0: not at all; below 0: without a limit. If none arrives, or scrub_session_wake ends the
 * wait, the stage is SCRUB_STAGE_NONE and the result SCRUB_OK. A failed request is also an update: the result is only about this call. */
scrub_status scrub_session_take(scrub_session *SCRUB_NULLABLE session, int32_t milliseconds, scrub_update *SCRUB_NULLABLE update,
                                scrub_error *SCRUB_NULLABLE error);

/* Ends the waits of all running calls of scrub_session_take. If none is waiting, the next one returns without waiting. */
void scrub_session_wake(scrub_session *SCRUB_NULLABLE session);

/* Returns the file descriptor that is readable exactly while scrub_session_take would return an update: for poll(), epoll, and the event
 * loops of Qt, GLib and others. Never read from it and never close it: taking the update makes it unreadable, and closing the session
 * closes it. */
scrub_status scrub_session_get_descriptor(scrub_session *SCRUB_NULLABLE session, int32_t *SCRUB_NULLABLE descriptor,
                                          scrub_error *SCRUB_NULLABLE error);

/* Called when there is an update to take. Another call may have taken it in the meantime, so take it without waiting. The callback runs on
 * one of the session's threads and may call every function. It must not close another session, or set that session's callback, if that
 * callback may wait for this one: each would wait for the other. */
typedef void (*scrub_session_callback)(void *SCRUB_NULLABLE context);

/* Sets the function that is called when there is an update to take, once until it is taken, and at once if there already is one. For
 * programs whose event loop does not use descriptors. NULL: none. The previous function does not run after this returns, unless it is the
 * caller. */
scrub_status scrub_session_set_callback(scrub_session *SCRUB_NULLABLE session, scrub_session_callback SCRUB_NULLABLE callback,
                                        void *SCRUB_NULLABLE context, scrub_error *SCRUB_NULLABLE error);

/* Writes a picture into the caller's memory, as scrub_read does: layout, size and strides are those of `picture`. */
scrub_status scrub_pixel_buffer_copy(scrub_pixel_buffer *SCRUB_NULLABLE buffer, scrub_picture *SCRUB_NULLABLE picture,
                                     scrub_error *SCRUB_NULLABLE error);

/* Where a picture's own planes are. */
typedef struct scrub_planes {
    uint32_t size;         /* sizeof(scrub_planes) */
    int32_t planes;        /* how many there are, 1 to 4 */
    int32_t width;         /* of the picture as it is stored, in pixels */
    int32_t height;
    const void *SCRUB_NULLABLE data[4]; /* the first row of each plane */
    size_t stride[4];      /* from one row to the next */
    int32_t row_bytes[4];  /* bytes of a row's pixels */
    int32_t rows[4];
    char pixel_format[32]; /* libav's name: "yuv420p10le" */
} scrub_planes;
#define SCRUB_PLANES_INIT { (uint32_t)sizeof(scrub_planes), 0, 0, 0, { 0 }, { 0 }, { 0 }, { 0 }, { 0 } }

/* Lends the decoder's own planes without a copy: not converted or rotated. They are valid until the last reference is released, and must
 * not be modified. SCRUB_UNAVAILABLE for rows that are stored from the bottom up. */
scrub_status scrub_pixel_buffer_get_planes(scrub_pixel_buffer *SCRUB_NULLABLE buffer, scrub_planes *SCRUB_NULLABLE planes,
                                           scrub_error *SCRUB_NULLABLE error);

/* Encodes a picture. bytes: receives memory that scrub_free releases. image: NULL for a PNG at the picture's own size. */
scrub_status scrub_pixel_buffer_encode(scrub_pixel_buffer *SCRUB_NULLABLE buffer, const scrub_image *SCRUB_NULLABLE image,
                                       void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                                       scrub_error *SCRUB_NULLABLE error);

/* Add and release a reference. Releasing the last one frees the picture, even after its session and its video are closed. Handles of freed
 * pictures are never reused: releasing one again does nothing, and other calls return SCRUB_USAGE. */
void scrub_pixel_buffer_retain(scrub_pixel_buffer *SCRUB_NULLABLE buffer);
void scrub_pixel_buffer_release(scrub_pixel_buffer *SCRUB_NULLABLE buffer);

/* Memory for pictures. */
typedef struct scrub_memory {
    uint32_t size;          /* sizeof(scrub_memory) */
    int32_t preview_side;   /* the longer side of the session's previews, in samples; 0 if it makes none */
    uint64_t limit;         /* the limit for all pictures that share it, in bytes */
    uint64_t used;          /* in use now */
    uint64_t peak;          /* the most ever in use */
    uint64_t held;          /* of the pictures that the program holds: the session's, or all of the resources' */
    int64_t previews;       /* how many previews the session has, in memory and on the disk */
    uint64_t preview_bytes; /* of those in memory */
    uint64_t reserved;      /* 0 */
} scrub_memory;
#define SCRUB_MEMORY_INIT { (uint32_t)sizeof(scrub_memory), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Reports the memory use of a session, or of shared resources. */
scrub_status scrub_session_get_memory(scrub_session *SCRUB_NULLABLE session, scrub_memory *SCRUB_NULLABLE memory,
                                      scrub_error *SCRUB_NULLABLE error);
scrub_status scrub_resources_get_memory(scrub_resources *SCRUB_NULLABLE resources, scrub_memory *SCRUB_NULLABLE memory,
                                        scrub_error *SCRUB_NULLABLE error);

/* From now on, decodes in separate processes that cannot open or write files, connect to anything, or start programs: for files from
 * strangers. Videos that are already open stay where they are. Linux on x86-64 and arm64.
 *
 * program: the path of the program scrub-video, which those processes run; NULL: /usr/bin/scrub-video, or else the one in PATH. */
scrub_status scrub_begin_sandbox(const char *SCRUB_NULLABLE program, scrub_error *SCRUB_NULLABLE error);

#ifdef __cplusplus
}
#endif

#endif
