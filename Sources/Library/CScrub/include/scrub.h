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
 *     scrub_read(video, frame, &picture, &error);              // no memory yet: says how much it takes
 *     picture.data[0] = malloc(picture.needed[0]);
 *     picture.capacity[0] = picture.needed[0];
 *     scrub_read(video, frame, &picture, &error);              // out of the cache now
 *     scrub_close(video);
 *
 * Results. Every function that can fail returns a scrub_status. 0 is success; other values are the exit codes of the program. If a
 * scrub_error is passed, it receives the message: file, place, cause and what to do.
 *
 * Threads. Every function may be called from any thread. Calls with the same video wait for each other, except scrub_cancel; different
 * videos work in parallel. Loading the library does not set up or register anything. The first opened video starts threads. No signal
 * handler of the program runs on them. They block every signal except SIGPROF and those that a thread causes itself (SIGSEGV, SIGPIPE and
 * the like). Functions of a scrub_reader run with the same signals blocked.
 *
 * Processes. After fork() the child has none of these threads, and every call in it returns SCRUB_FORKED. A program that forks must open
 * its videos in the child, and none before in the parent. Starting another program is always possible.
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

/* The version of the library that is loaded, in the form of SCRUB_VERSION. A program works with a library whose major number is its
 * header's and whose other numbers are not lower. */
uint32_t scrub_version(void);

/* The same as text, "1.0.0". It lives as long as the process. */
const char *SCRUB_NULLABLE scrub_version_text(void);

/* Whose names for options are in messages. */
enum {
    SCRUB_C_WORDS = 0,     /* this header's: pixel_limit */
    SCRUB_PYTHON_WORDS = 1 /* the Python package's: limits={"pixels": ...} */
};

/* Chooses them for the whole process; SCRUB_C_WORDS is the default, and what another number means. Call it before others. */
void scrub_set_words(int32_t words);

/* Results. */
typedef int scrub_status;
enum {
    SCRUB_OK = 0,
    SCRUB_CANCELLED = 1,    /* scrub_cancel, scrub_close or a scrub_progress ended the call */
    SCRUB_USAGE = 64,       /* the caller asked for something that cannot be: a frame that does not exist, a closed video */
    SCRUB_BAD_DATA = 65,    /* the file's data cannot be decoded as asked */
    SCRUB_NO_INPUT = 66,    /* no such file, or it cannot be read */
    SCRUB_UNAVAILABLE = 69, /* a needed part is missing, memory or the disk is full, or a limit forbids it */
    SCRUB_FORKED = 70,      /* the process was forked after it had opened a video */
    SCRUB_IO = 74           /* a read or write failed */
};

/* A short description of a result: "no such file, or it cannot be read". It is valid as long as the process runs. A number that is not a
 * result is "unknown". The message about a failure is in scrub_error. */
const char *SCRUB_NULLABLE scrub_status_text(scrub_status status);

/* What went wrong. Every function takes NULL for it. */
typedef struct scrub_error {
    uint32_t size;        /* sizeof(scrub_error) */
    int32_t status;       /* what the function returned */
    int32_t system_error; /* errno, where the system or a connection gave a reason: ENOENT, EACCES, EISDIR, ENOSPC, ETIMEDOUT...; else 0 */
    char message[1012];   /* one sentence for people; a longer one is cut between characters, and ends with an ellipsis */
} scrub_error;
#define SCRUB_ERROR_INIT { (uint32_t)sizeof(scrub_error), 0, 0, { 0 } }

/* An open video. */
typedef struct scrub_video scrub_video;

/* Receives the progress of a call and decides whether it continues: 0 continues, and any other value ends the call with SCRUB_CANCELLED.
 * done and total count thousandths for opening and pictures for other calls; total is 0 while it is unknown.
 *
 * It runs on the thread of the call after each step, and at least forty times a second while the call waits, so that it can check a flag
 * that another thread sets. It may call scrub_cancel and scrub_close; other calls with the same video return SCRUB_USAGE. */
typedef int (*scrub_progress)(void *SCRUB_NULLABLE context, int64_t done, int64_t total);

/* How addresses are fetched. Zeros are the defaults. */
typedef struct scrub_network {
    uint32_t size;  /* sizeof(scrub_network) */
    uint32_t flags; /* SCRUB_PUBLIC_ONLY, SCRUB_NO_MEDIA_CACHE */
    /* Lists of strings end with NULL, and NULL is an empty one. All strings are copied. */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE headers; /* "Name: value", for the host of the address alone */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE allow;   /* the only hosts: "a.example", "*.example", "192.0.2.0/24" */
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE deny;    /* hosts that are never asked, written alike */
    const char *SCRUB_NULLABLE user_agent;   /* NULL: "scrub" */
    const char *SCRUB_NULLABLE proxy;        /* its address; "" for none; NULL: $https_proxy and so on */
    const char *SCRUB_NULLABLE certificates; /* a file (PEM) of certificates to trust instead of the system's */
    const char *SCRUB_NULLABLE cache_name;   /* keeps fetched bytes apart from those of callers with another name */
    uint64_t memory;       /* bytes of one video that are kept in memory; 0: 64 MiB */
    uint32_t connect_time; /* milliseconds that a connection may take; 0: 5,000 */
    uint32_t answer_time;  /* that the head of an answer may take; 0: 10,000 */
    uint32_t stall_time;   /* that a body may bring less than 1 KiB a second; 0: 10,000 */
    uint32_t read_time;    /* that one read may take, repeated requests included; 0: 30,000 */
    uint32_t connections;  /* to one host, at most 6; 0: 4 */
    uint32_t reserved;     /* 0 */
} scrub_network;
#define SCRUB_NETWORK_INIT { (uint32_t)sizeof(scrub_network), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_PUBLIC_ONLY = 0x100,   /* no addresses of private and local networks, but for those that `allow` has */
    SCRUB_NO_MEDIA_CACHE = 0x200 /* fetched bytes are neither kept on the disk nor taken from there */
};

/* How a video is opened. Zeros are the defaults, but for `stream`. */
typedef struct scrub_options {
    uint32_t size;    /* sizeof(scrub_options) */
    uint32_t flags;   /* SCRUB_NO_CACHE, SCRUB_KEEP_PREVIEWS */
    int32_t stream;   /* the stream's place in the file, as ffmpeg's -map 0:N counts; -1: the main video stream */
    int32_t threads;  /* how many threads decode; 0: one for each processor */
    uint64_t memory;  /* bytes of decoded pictures that are kept for later calls; 0: 256 MiB. Decoders need more beside it */
    const char *SCRUB_NULLABLE cache; /* the folder of saved indexes; NULL: $SCRUB_CACHE_DIR, $XDG_CACHE_HOME/scrub, ~/.cache/scrub */
    /* What a file may claim, whatever it is; 0: the limits of `scrub --limit`. A file beyond one is refused. */
    uint64_t pixel_limit;         /* pixels of a picture */
    uint64_t picture_limit;       /* coded pictures of the stream */
    uint64_t picture_byte_limit;  /* bytes of a decoded picture */
    uint64_t decoder_byte_limit;  /* bytes of a sandbox's process */
    uint64_t picture_time_limit;  /* milliseconds of a sandbox's process for one picture */
    const scrub_network *SCRUB_NULLABLE network; /* NULL: the defaults */
    scrub_progress SCRUB_NULLABLE progress;      /* of opening, and of the calls with the video afterwards; NULL for none */
    void *SCRUB_NULLABLE context;                /* handed to it */
} scrub_options;
#define SCRUB_OPTIONS_INIT { (uint32_t)sizeof(scrub_options), 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

enum {
    SCRUB_NO_CACHE = 0x1,       /* neither read nor write a saved index */
    SCRUB_KEEP_PREVIEWS = 0x400 /* sessions keep the previews that they make in the cache, and find them there the next time */
};

/* Opens a file, or an http or https address. Reads the container's tables, and decodes nothing. Of an address only the bytes that
 * frames need are fetched; they are kept in the cache's folder.
 *
 * options: NULL for the defaults. video: receives the handle, or NULL. */
scrub_status scrub_open(const char *SCRUB_NULLABLE path, const scrub_options *SCRUB_NULLABLE options,
                        scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video, scrub_error *SCRUB_NULLABLE error);

/* Opens a file's bytes; they are copied. name: what messages call it; NULL for "video in memory". */
scrub_status scrub_open_bytes(const void *SCRUB_NULLABLE bytes, size_t count, const char *SCRUB_NULLABLE name,
                              const scrub_options *SCRUB_NULLABLE options, scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video,
                              scrub_error *SCRUB_NULLABLE error);

/* Bytes that the program reads itself. */
typedef struct scrub_reader {
    uint32_t size;          /* sizeof(scrub_reader) */
    uint32_t reserved;      /* 0 */
    int64_t byte_count;     /* how many bytes there are. They must not change while the video is open */
    void *SCRUB_NULLABLE context; /* handed to the functions */
    /* Reads at most `count` bytes from `offset` on, and returns how many, at least 1. 0: the bytes end here. Below 0: it failed, with
     * -errno. Called from several threads at once. It must not call functions of this library with the same video. */
    int64_t (*SCRUB_NULLABLE read)(void *SCRUB_NULLABLE context, int64_t offset, void *SCRUB_NULLABLE buffer, size_t count);
    /* Called once, when no more reads happen; also when opening fails. Not called when the call is refused before anything
     * is read: for its own arguments (SCRUB_USAGE), and in a forked child (SCRUB_FORKED). May be NULL. */
    void (*SCRUB_NULLABLE close)(void *SCRUB_NULLABLE context);
    /* A name of the content, such as a checksum: with it the index is saved. NULL for none. Copied. */
    const char *SCRUB_NULLABLE identity;
} scrub_reader;
#define SCRUB_READER_INIT { (uint32_t)sizeof(scrub_reader), 0, 0, 0, 0, 0, 0 }

/* Opens bytes that the program reads. The structure is copied. */
scrub_status scrub_open_reader(const scrub_reader *SCRUB_NULLABLE reader, const char *SCRUB_NULLABLE name,
                               const scrub_options *SCRUB_NULLABLE options, scrub_video *SCRUB_NULLABLE *SCRUB_NULLABLE video,
                               scrub_error *SCRUB_NULLABLE error);

/* Ends it. A call that another thread has under way ends with SCRUB_CANCELLED. NULL, and a video that is closed, are allowed. */
void scrub_close(scrub_video *SCRUB_NULLABLE video);

/* Ends the calls with the video that are under way, from another thread: they return SCRUB_CANCELLED, between two packets. Later
 * calls are not touched. */
void scrub_cancel(scrub_video *SCRUB_NULLABLE video);

/* Sets the function that receives the progress of calls with the video, from the next call on; NULL for none. */
scrub_status scrub_set_progress(scrub_video *SCRUB_NULLABLE video, scrub_progress SCRUB_NULLABLE progress,
                                void *SCRUB_NULLABLE context, scrub_error *SCRUB_NULLABLE error);

/* Says how many frames there are, numbered from 0 in display order, and how many seconds a unit of time is: a fraction. Known since
 * scrub_open; scrub_get_facts may read and decode for the rest. */
scrub_status scrub_get_length(scrub_video *SCRUB_NULLABLE video, int64_t *SCRUB_NULLABLE frame_count,
                              int64_t *SCRUB_NULLABLE time_base_num, int64_t *SCRUB_NULLABLE time_base_den,
                              scrub_error *SCRUB_NULLABLE error);

/* Facts of a video. */
typedef struct scrub_facts {
    uint32_t size;              /* sizeof(scrub_facts) */
    int32_t stream;             /* the stream's place in the file */
    int64_t frame_count;        /* presented frames; they are numbered from 0 in display order */
    int64_t time_base_num;      /* seconds of a unit of time: a fraction */
    int64_t time_base_den;
    int64_t start_pts;          /* presentation time of the first frame */
    int64_t duration;           /* from there to the last frame's end, in units of the time base */
    int64_t frame_rate_num;     /* frames a second; the average where they have no constant rate; 0/1 if unknown */
    int64_t frame_rate_den;
    int64_t aspect_num;         /* width of a pixel over its height; 0/1 if unknown, which is shown as 1/1 */
    int64_t aspect_den;
    int64_t keyframe_count;     /* frames that the container calls keyframes */
    int32_t width;              /* of native pictures, in pixels */
    int32_t height;
    int32_t rotation;           /* degrees clockwise that show it upright: 0, 90, 180, 270. Native pictures are not turned */
    int32_t has_alpha;          /* 1 or 0 */
    char codec[32];             /* libav's names */
    char pixel_format[32];
    char container[32];
} scrub_facts;
#define SCRUB_FACTS_INIT { (uint32_t)sizeof(scrub_facts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 } }

/* Fills facts. The first call may read all pictures' headers of a short video, and decode a frame where the container does not name the
 * pixel format. */
scrub_status scrub_get_facts(scrub_video *SCRUB_NULLABLE video, scrub_facts *SCRUB_NULLABLE facts,
                             scrub_error *SCRUB_NULLABLE error);

/* Describes a video as one line of JSON, the object of `scrub info --json` with all that is known: streams, colours, chapters, tags.
 *
 * json: receives UTF-8 for scrub_free, with a 0 behind it. count: receives its bytes without the 0. May read all pictures' headers of a
 * short video, and decode a frame. */
scrub_status scrub_describe(scrub_video *SCRUB_NULLABLE video, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                            size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Finds the frame at a position: a fraction ("0.42", "42%"), a time after the first frame ("12.5s", "1:02.5", "90ms"), a timecode, a
 * number ("f1234", "f-1" from the end), "first" or "last", as on the command line. Decodes nothing.
 *
 * A time has at least three decimals, and stands for all times that are written this way: "2.933s" is the frame of 44/15 s.
 * flags: with SCRUB_CLAMP, a fraction, a time or a timecode outside the video is the nearest end. Otherwise it is SCRUB_USAGE. */
scrub_status scrub_find(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE position, uint32_t flags,
                        int64_t *SCRUB_NULLABLE frame, scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_CLAMP = 0x2,
    SCRUB_CONTAINER_TIME = 0x40 /* of scrub_find_seconds: seconds are the container's, as pts are, not counted from the first frame */
};

/* Finds the frame at a time in seconds after the first frame, as programs compute it: i / 30.0, a sum, pts * num / den, a float. The time
 * is rounded to the nearest unit of the time base. A number with three decimals or fewer also stands for its millisecond, and a float for
 * all times that round to it. So a frame's own time finds that frame. Decodes nothing.
 *
 * flags: with SCRUB_CLAMP, a time outside the video is the nearest end, and otherwise SCRUB_USAGE; SCRUB_CONTAINER_TIME. */
scrub_status scrub_find_seconds(scrub_video *SCRUB_NULLABLE video, double seconds, uint32_t flags,
                                int64_t *SCRUB_NULLABLE frame, scrub_error *SCRUB_NULLABLE error);

/* Finds the frame on screen at a time, in units of the time base, as pts are: the one with the greatest time that is not later, of
 * several the last. Before the first and after the last frame it is that one. */
scrub_status scrub_find_pts(scrub_video *SCRUB_NULLABLE video, int64_t pts, int64_t *SCRUB_NULLABLE frame,
                            scrub_error *SCRUB_NULLABLE error);

/* A frame's place in time. */
typedef struct scrub_time {
    int64_t pts;         /* when it is shown first, in units of the time base */
    int64_t duration;    /* how long, in the same units */
    int32_t is_keyframe; /* 1 if the container says so */
    int32_t reserved;    /* 0 */
} scrub_time;

/* Fills the times of `count` frames from number `first` on. Decodes nothing. */
scrub_status scrub_get_times(scrub_video *SCRUB_NULLABLE video, int64_t first, size_t count, scrub_time *SCRUB_NULLABLE times,
                             scrub_error *SCRUB_NULLABLE error);

/* Fills when `count` frames from number `first` on come on screen, counted from the first frame, in units of the time base: what
 * scrub_find takes for a time. A frame is never before its predecessor, whatever its pts say. Decodes nothing. */
scrub_status scrub_get_offsets(scrub_video *SCRUB_NULLABLE video, int64_t first, size_t count, int64_t *SCRUB_NULLABLE offsets,
                               scrub_error *SCRUB_NULLABLE error);

/* Layouts of pixels, and of planes. All but SCRUB_NATIVE have one plane. */
enum {
    SCRUB_NATIVE = 0,  /* the decoder's own planes, as libav's pixel format has them: neither converted nor cropped nor turned */
    SCRUB_RGB8 = 1,    /* red, green, blue: 3 bytes */
    SCRUB_RGBA8 = 2,   /* red, green, blue, straight alpha: 4 bytes */
    SCRUB_BGRA8 = 3,   /* blue, green, red, straight alpha */
    SCRUB_GRAY8 = 4,   /* luma: 1 byte */
    SCRUB_RGB16 = 5,   /* red, green, blue of 16 bits in the machine's byte order: 6 bytes; 65535 is white */
    SCRUB_RGBA16 = 6   /* with straight alpha: 8 bytes */
};

/* How much an answer is worth. */
enum {
    SCRUB_EXACT = 0,       /* the very picture that ffmpeg's decoding of the whole file makes */
    SCRUB_DAMAGED = 1,     /* the file is damaged there */
    SCRUB_APPROXIMATE = 2, /* another frame near it, or one that is not proven */
    SCRUB_UNDECODABLE = 3  /* no decoder can make it; there is no picture */
};

/* A picture: what is wanted, the memory for it, and what came. */
typedef struct scrub_picture {
    uint32_t size;       /* sizeof(scrub_picture) */
    /* What is wanted. */
    uint32_t layout;     /* SCRUB_NATIVE, SCRUB_RGB8, ... */
    uint32_t flags;      /* SCRUB_RAW_GEOMETRY, SCRUB_TONE_MAP, SCRUB_ALIGNED_ROWS */
    int32_t want_width;  /* columns, or 0 for the picture's own. Not for SCRUB_NATIVE. With one side 0 the other follows */
    int32_t want_height; /* rows */
    int32_t reserved;    /* 0 */
    /* Memory of the caller's, for each plane. With data[0] NULL, or too little of it, nothing is written, and `needed` says how many
     * bytes there must be for `stride`. */
    void *SCRUB_NULLABLE data[4];
    size_t capacity[4];  /* bytes at data */
    size_t stride[4];    /* from one row to the next; 0: rows without padding, and the field is set */
    /* What came. */
    size_t needed[4];    /* bytes of a plane with this stride; the last row is without padding */
    int32_t row_bytes[4]; /* bytes of a row's pixels */
    int32_t rows[4];
    int32_t planes;      /* how many there are, 1 to 4 */
    int32_t width;       /* in pixels */
    int32_t height;
    int32_t status;      /* of this picture: scrub_read_many */
    int32_t verdict;     /* SCRUB_EXACT, ... */
    int32_t decoded;     /* pictures that went through a decoder for it; 0: it was kept from before */
    int64_t frame;       /* its number */
    int64_t pts;         /* its time, in units of the time base */
    char pixel_format[32]; /* of SCRUB_NATIVE, libav's name: "yuv420p10le"; else "rgb24", "rgba", "bgra", "gray", "rgb48", "rgba64" */
    char reason[240];    /* why it is not exact, or its error; empty for an exact one. A longer one is cut as `message` is: the error of
                          * scrub_read for this frame alone has more of it */
} scrub_picture;
#define SCRUB_PICTURE_INIT { (uint32_t)sizeof(scrub_picture), 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, \
    0, 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 } }

/* Pictures that are not native are shown right: matrix and range of their colours, upright, cut to the clean aperture, with square
 * pixels. They have the bytes of `scrub seek --keep-hdr -o x.png`. */
enum {
    SCRUB_RAW_GEOMETRY = 0x4, /* the stored grid: not cropped, turned or squared */
    SCRUB_TONE_MAP = 0x8,     /* PQ and HLG in the range of an ordinary screen; without it their numbers stay */
    SCRUB_ALIGNED_ROWS = 0x10000 /* where `stride` is 0, rows begin at multiples of 256 bytes, as graphics processors read them */
};

/* Decodes a frame, and writes its picture. Frames near it are decoded ahead when the calls go forward or back.
 *
 * Returns SCRUB_OK also for a damaged picture: look at `verdict`. SCRUB_BAD_DATA if no decoder can make it, SCRUB_USAGE if there is no
 * such frame or memory is given and is too small. */
scrub_status scrub_read(scrub_video *SCRUB_NULLABLE video, int64_t frame, scrub_picture *SCRUB_NULLABLE picture,
                        scrub_error *SCRUB_NULLABLE error);

/* Decodes several frames in any order, and each group of pictures once; frames may occur twice. pictures[i] receives frames[i]; all have
 * the same `size`.
 *
 * Every picture has its own status. Returns SCRUB_OK if all pictures are, and otherwise the first other status. The other pictures are
 * still written. */
scrub_status scrub_read_many(scrub_video *SCRUB_NULLABLE video, const int64_t *SCRUB_NULLABLE frames, size_t count,
                             scrub_picture *SCRUB_NULLABLE pictures, scrub_error *SCRUB_NULLABLE error);

/* Formats of image files. 0 is the default: PNG for a picture, JPEG for a strip. */
enum {
    SCRUB_PNG = 1,
    SCRUB_JPEG = 2,
    SCRUB_WEBP = 3,
    SCRUB_AVIF = 4,
    SCRUB_SVG = 5 /* of contact sheets alone */
};

/* How a picture becomes an image file. Zeros are the defaults. */
typedef struct scrub_image {
    uint32_t size;       /* sizeof(scrub_image) */
    uint32_t format;     /* SCRUB_PNG, ...; 0: PNG, and for scrub_save what the path's suffix names. Another one than that is SCRUB_USAGE */
    uint32_t flags;      /* SCRUB_RAW_GEOMETRY, SCRUB_REPLACE; PQ and HLG are tone-mapped, but for SCRUB_KEEP_HDR */
    int32_t quality;     /* 1 to 100; 0: 90. Not for PNG */
    int32_t want_width;  /* at most so many columns, with the picture's aspect; 0: no limit */
    int32_t want_height; /* at most so many rows */
} scrub_image;
#define SCRUB_IMAGE_INIT { (uint32_t)sizeof(scrub_image), 0, 0, 0, 0, 0 }
enum {
    SCRUB_KEEP_HDR = 0x10, /* PQ and HLG keep their numbers */
    SCRUB_REPLACE = 0x80   /* replace files that Scrub has not written; else they are SCRUB_USAGE. A file that is read never is replaced */
};

/* Decodes a frame and encodes it. bytes: receives memory for scrub_free. image: NULL for a PNG of its own size. picture: NULL, or
 * receives number, time, verdict and the image's size. */
scrub_status scrub_encode(scrub_video *SCRUB_NULLABLE video, int64_t frame, const scrub_image *SCRUB_NULLABLE image,
                          void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                          scrub_picture *SCRUB_NULLABLE picture, scrub_error *SCRUB_NULLABLE error);

/* Decodes a frame and writes it to a file atomically. A format that contradicts the path's suffix is SCRUB_USAGE. So is the path of a file
 * that is being read, or, without SCRUB_REPLACE, of a file that Scrub did not write. */
scrub_status scrub_save(scrub_video *SCRUB_NULLABLE video, int64_t frame, const char *SCRUB_NULLABLE path,
                        const scrub_image *SCRUB_NULLABLE image, scrub_picture *SCRUB_NULLABLE picture,
                        scrub_error *SCRUB_NULLABLE error);

/* Gives back what a function made for it. NULL is allowed. */
void scrub_free(void *SCRUB_NULLABLE bytes);

/* Thumbnails, posters, scenes, maps and proofs: what the program does with one film, with the same files and the same JSON.
 *
 * Results. Functions that write files describe them as JSON, the objects that the program's verb prints with --json, each on a line. `json`
 * receives UTF-8 for scrub_free, with a 0 behind it, and `count` its bytes without the 0; both may be NULL. Files get their names when all
 * are complete. Replacing a file that is being read is SCRUB_USAGE; so is, without SCRUB_REPLACE, replacing a file that is not an earlier
 * output of the same kind.
 *
 * Progress. The video's scrub_progress counts pictures and can end the call; with SCRUB_SCENES first those of the search. */

/* Which thumbnails are made, and how. Zeros are the defaults. A field that a function does not name is 0, else the call is SCRUB_USAGE. */
typedef struct scrub_thumbnails {
    uint32_t size;         /* sizeof(scrub_thumbnails) */
    uint32_t flags;        /* SCRUB_REPLACE, SCRUB_WAIT, SCRUB_SCENES, SCRUB_CLAMP, SCRUB_DEINTERLACE, ... */
    /* Which: one of count, interval, positions and SCRUB_SCENES, which may have a count. None: each function's default. */
    uint32_t count;        /* this many, evenly spaced; with SCRUB_SCENES at most this many */
    uint32_t tolerance;    /* SCRUB_TOLERANCE_...: how far a picture may be from its time */
    int64_t interval_num;  /* seconds between two thumbnails: a fraction */
    int64_t interval_den;
    const char *SCRUB_NULLABLE const *SCRUB_NULLABLE positions; /* exactly these, as scrub_find takes them; ends with NULL */
    int64_t tolerance_num; /* of SCRUB_TOLERANCE_SECONDS: a fraction */
    int64_t tolerance_den;
    int64_t scene_num;     /* of SCRUB_SCENES: seconds of the shortest scene; 0/0: 1 second */
    int64_t scene_den;
    /* How. */
    const int32_t *SCRUB_NULLABLE widths; /* of a strip: several widths, which end with 0. Each gets a folder */
    int32_t width;         /* columns of a thumbnail, or, with a height, of a box that it fits into; of a contact sheet: its own width */
    int32_t height;        /* rows of a thumbnail */
    int32_t columns;       /* thumbnails in a row of a sheet */
    int32_t rows;          /* rows of a sheet */
    uint32_t format;       /* SCRUB_JPEG, ...; 0: JPEG, and of scrub_write_sheet what the path's suffix names */
    int32_t quality;       /* 1 to 100; 0: 80, of a contact sheet 90 */
    uint32_t background;   /* the color under transparent pixels, 0xRRGGBB; 0 is black */
    int32_t threads;       /* how many threads decode; 0: one for each processor */
    const char *SCRUB_NULLABLE base_url; /* text before the sheets' names in WebVTT and JSON; NULL: relative names */
} scrub_thumbnails;
#define SCRUB_THUMBNAILS_INIT { (uint32_t)sizeof(scrub_thumbnails), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_WAIT = 0x20000,         /* wait while another run writes into the same folder; else that is SCRUB_UNAVAILABLE */
    SCRUB_SCENES = 0x40000,       /* one thumbnail for each scene */
    SCRUB_DEINTERLACE = 0x80000,  /* interpolate the missing rows of interlaced pictures */
    SCRUB_FROM_PREVIEWS = 0x100000, /* use kept previews where there are some: strips and sets */
    SCRUB_BLUR_HASHES = 0x200000, /* add a BlurHash and a ThumbHash of each thumbnail to the manifest: strips */
    SCRUB_NO_TIMES = 0x400000,    /* no times on the pictures: contact sheets */
    SCRUB_SKIP_CURRENT = 0x800000, /* leave sets as they are that were made of the same file with the same options: sets */
    SCRUB_BESIDE = 0x1000000,     /* Jellyfin's folder beside the film: sets, with the profile jellyfin and without a folder */
    SCRUB_EXPLAIN = 0x2000000,    /* a folder of posters also gets the scores of all candidates */
    SCRUB_BLANK_SCENES = 0x4000000 /* black, white, a single color and noise begin scenes: scrub_find_scenes */
};
enum {
    SCRUB_TOLERANCE_DEFAULT = 0,  /* exact for a strip, and automatic for a contact sheet and sets */
    SCRUB_TOLERANCE_EXACT = 1,    /* the frame on screen at the time */
    SCRUB_TOLERANCE_KEYFRAME = 2, /* the nearest keyframe: fast, and not exact */
    SCRUB_TOLERANCE_AUTOMATIC = 3, /* the cheapest picture of the thumbnail's own interval; exact for scenes and positions */
    SCRUB_TOLERANCE_SECONDS = 4   /* the cheapest picture at most tolerance_num / tolerance_den seconds away */
};

/* Writes a strip into a folder, as `scrub strip`: sheets, thumbnails.vtt and manifest.json. thumbnails: NULL for 100, 160 pixels wide, on
 * sheets of 10 x 10. JSON: the manifest of each width. */
scrub_status scrub_write_strip(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder,
                               const scrub_thumbnails *SCRUB_NULLABLE thumbnails, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Writes a contact sheet, as `scrub sheet`: the path ends with .jpg, .png, .webp, .avif or .svg. thumbnails: NULL for 4 x 5 pictures on a sheet
 * of 1600 pixels. Without `count`, there are columns times rows pictures; with one of the other choices, `rows` is 0. */
scrub_status scrub_write_sheet(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path,
                               const scrub_thumbnails *SCRUB_NULLABLE thumbnails, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Makes a contact sheet in memory. bytes: receives memory for scrub_free. */
scrub_status scrub_encode_sheet(scrub_video *SCRUB_NULLABLE video, const scrub_thumbnails *SCRUB_NULLABLE thumbnails,
                                void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                                scrub_error *SCRUB_NULLABLE error);

/* Writes sets for players and servers, as `scrub thumbs`, all from one decoding. profiles: "web", "jellyfin", "plex", "roku", "hls", "dash",
 * "contact", "freedesktop", several of them separated by commas, or "all" for those that are possible. folder: gets a folder for each; NULL
 * for "freedesktop" alone, which goes where file managers look, and with SCRUB_BESIDE. thumbnails: NULL for one every 10 seconds. */
scrub_status scrub_write_sets(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder,
                              const char *SCRUB_NULLABLE profiles, const scrub_thumbnails *SCRUB_NULLABLE thumbnails,
                              void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count,
                              scrub_error *SCRUB_NULLABLE error);

/* A frame that represents the film, with its scores from 0 to 1. */
typedef struct scrub_poster {
    int64_t frame;
    double score;        /* of all criteria together */
    double sharpness;    /* what speaks for it */
    double exposure;
    double contrast;
    double colorfulness;
    double entropy;
    double subject;
    double skin;
    double fade;         /* what speaks against it */
    double letterbox;
    double text;
    int32_t is_blank;    /* 1 if it is black, white, of a single color or noise */
    int32_t reserved;    /* 0 */
    char blur_hash[64];  /* placeholders while the picture loads */
    char thumb_hash[64]; /* base64 */
} scrub_poster;

/* How posters are found and written. Zeros are the defaults. */
typedef struct scrub_poster_options {
    uint32_t size;       /* sizeof(scrub_poster_options) */
    uint32_t flags;      /* SCRUB_REPLACE, SCRUB_WAIT, SCRUB_DEINTERLACE, SCRUB_EXPLAIN: of scrub_write_posters */
    uint32_t count;      /* how many; 0: 1, and of scrub_find_posters its capacity */
    uint32_t candidates; /* how many frames are scored; 0: 60 */
    int32_t threads;     /* how many threads decode; 0: one for each processor */
    int32_t width;       /* of files: columns; 0: the video's own */
    int32_t longest_side; /* of files: the most pixels of the longer side; 0: no limit. Not with a width */
    uint32_t format;     /* of files: SCRUB_JPEG, ...; 0: what the path's suffix names, in a folder JPEG */
    int32_t quality;     /* of files: 1 to 100; 0: 90 */
    uint32_t background; /* of files: the color under transparent pixels, 0xRRGGBB */
} scrub_poster_options;
#define SCRUB_POSTER_OPTIONS_INIT { (uint32_t)sizeof(scrub_poster_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Finds frames that represent the film, the best one first: sharp, well exposed, unlike each other, neither black nor faded.
 *
 * posters: receives at most `capacity` of them. count: receives how many. scrub_read and scrub_encode make the pictures. */
scrub_status scrub_find_posters(scrub_video *SCRUB_NULLABLE video, const scrub_poster_options *SCRUB_NULLABLE options,
                                scrub_poster *SCRUB_NULLABLE posters, size_t capacity, size_t *SCRUB_NULLABLE count,
                                scrub_error *SCRUB_NULLABLE error);

/* Finds them and writes them, as `scrub poster`. path: a file, "p.jpg", of several "p-1.jpg" and so on; or a folder, "posters/", which gets a
 * posters.json too. */
scrub_status scrub_write_posters(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path,
                                 const scrub_poster_options *SCRUB_NULLABLE options, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                                 size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Writes the cover art that the file carries, as `scrub poster --cover`. stream: its stream; -1: the first one. Of `options`, only flags, width,
 * longest_side, format and quality count; without them and with the right suffix the cover's own bytes are written. */
scrub_status scrub_write_cover(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE path, int32_t stream,
                               const scrub_poster_options *SCRUB_NULLABLE options, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* A scene. Times are fractions of a second after the first frame. */
typedef struct scrub_scene {
    int64_t start_num;
    int64_t start_den;
    int64_t end_num;
    int64_t end_den;
    int64_t first_frame;
    int64_t last_frame;
    int64_t frame;      /* the frame to show for it */
    double strength;    /* the difference from the pictures before, 0 to 1 */
} scrub_scene;

/* How scenes are found. Zeros are the defaults. */
typedef struct scrub_scene_options {
    uint32_t size;       /* sizeof(scrub_scene_options) */
    uint32_t flags;      /* SCRUB_KEYFRAMES, SCRUB_BLANK_SCENES */
    uint32_t count;      /* at most so many: the shortest are joined to their neighbors; 0: no limit */
    int32_t threads;     /* how many threads decode; 0: one for each processor */
    double threshold;    /* how much of the picture changes at a cut, 0.01 to 1; 0: 0.06 */
    int64_t shortest_num; /* seconds of the shortest scene; 0/0: 1 second */
    int64_t shortest_den;
} scrub_scene_options;
#define SCRUB_SCENE_OPTIONS_INIT { (uint32_t)sizeof(scrub_scene_options), 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_KEYFRAMES = 0x20 /* scenes begin at keyframes, and nothing else is decoded */
};

/* Finds where scenes begin and end. `scrub scenes` sets SCRUB_BLANK_SCENES.
 *
 * scenes: receives an array for scrub_free, in the order of time; together they are the whole film. count: receives how many. */
scrub_status scrub_find_scenes(scrub_video *SCRUB_NULLABLE video, const scrub_scene_options *SCRUB_NULLABLE options,
                               scrub_scene *SCRUB_NULLABLE *SCRUB_NULLABLE scenes, size_t *SCRUB_NULLABLE count,
                               scrub_error *SCRUB_NULLABLE error);

/* Lists the frames for another program, as `scrub frames --as`. format: "torchcodec", "cvat", "csv", "json" or "timecodes".
 *
 * path: the file to write. NULL: bytes receives the text for scrub_free, with a 0 behind it. flags: SCRUB_REPLACE. SCRUB_BAD_DATA for a film
 * that the other program would get wrong whatever the list says. */
scrub_status scrub_write_frame_map(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE format,
                                   const char *SCRUB_NULLABLE path, uint32_t flags, void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes,
                                   size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Makes previews of all frames and keeps them in the cache, as `scrub previews`: sessions find them there. A run that was ended goes on.
 *
 * side: the longer side in pixels; 0: 640, which sessions look for. threads: 0 for one for each processor. Progress counts thousandths. */
scrub_status scrub_make_previews(scrub_video *SCRUB_NULLABLE video, int32_t side, int32_t threads,
                                 void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count,
                                 scrub_error *SCRUB_NULLABLE error);

/* Describes what an exact frame would need, as `scrub plan`, without decoding it. */
scrub_status scrub_plan(scrub_video *SCRUB_NULLABLE video, int64_t frame, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                        size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Proves that frames are right, as `scrub verify`: decodes the film once from start to end, and compares frames in other orders with it.
 *
 * orders: "forward", "backward", "random", "alone", "batch", separated by commas; NULL: all. sample: how many frames of each order; 0: all;
 * -1: 200, or fewer in a film where that takes long. SCRUB_BAD_DATA if a picture was wrong; the JSON names it. Progress counts thousandths. */
scrub_status scrub_verify(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE orders, int64_t sample,
                          void *SCRUB_NULLABLE *SCRUB_NULLABLE json, size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Proves that thumbnail sets in a folder are well formed and show the video, as `scrub verify-set`.
 *
 * sample: how many thumbnails of each set are compared; 0: 24. interval: seconds between thumbnails in Jellyfin's folders without a manifest;
 * 0/0: guessed. SCRUB_BAD_DATA if one is wrong, SCRUB_NO_INPUT if there is no set; the JSON is there in any case. */
scrub_status scrub_verify_sets(scrub_video *SCRUB_NULLABLE video, const char *SCRUB_NULLABLE folder, uint32_t sample,
                               int64_t interval_num, int64_t interval_den, void *SCRUB_NULLABLE *SCRUB_NULLABLE json,
                               size_t *SCRUB_NULLABLE count, scrub_error *SCRUB_NULLABLE error);

/* Scrubbing. A session answers a finger: it takes requests at any rate, decodes for the newest one, and hands out pictures in stages.
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
 * A request is answered at once with the nearest picture that is there, marked as such. A preview or the exact picture follows when it is
 * made, unless a newer request came. While the finger moves, pictures keep coming; when it rests, the exact one always comes. While no
 * request waits, the session makes previews and decodes what the movement will ask for next.
 *
 * A program learns of a new picture in one of three ways: scrub_session_take waits for it, scrub_session_get_descriptor has a file
 * descriptor for poll(), and scrub_session_set_callback calls a function. The program always gets the newest picture; those that it did not
 * take in time are counted in `skipped`.
 *
 * Threads. All functions of sessions may be called from any thread. They never wait for calls with the video, and requests do not wait for
 * the decoder. A session keeps its video: scrub_close does not end it. A scrub_reader is closed when its sessions are closed too and all
 * their pictures released. */

/* Memory and decoders that several sessions share. */
typedef struct scrub_resources scrub_resources;

/* Makes them. memory: bytes of all pictures of all sessions, decoders' own among them; 0: 256 MiB. decoders: how many may be open at a
 * time; 0: 4. */
scrub_status scrub_resources_open(uint64_t memory, int32_t decoders, scrub_resources *SCRUB_NULLABLE *SCRUB_NULLABLE resources,
                                  scrub_error *SCRUB_NULLABLE error);

/* Gives the handle back. Sessions that share them keep them. NULL, and a closed handle, are allowed. */
void scrub_resources_close(scrub_resources *SCRUB_NULLABLE resources);

/* How a session works. Zeros are the defaults. */
typedef struct scrub_session_options {
    uint32_t size;        /* sizeof(scrub_session_options) */
    uint32_t flags;       /* SCRUB_NO_PREVIEWS, SCRUB_REDUCED_ALONE, SCRUB_FINE_SPEEDS */
    scrub_resources *SCRUB_NULLABLE resources; /* shared with other sessions; NULL: its own */
    uint64_t memory;      /* bytes of all its pictures, the decoder's own and those that the program holds among them (but for pictures
                           * of dav1d's, at most ten); 0: 256 MiB. A session that could not decode within them is SCRUB_UNAVAILABLE. 0 with
                           * `resources`, which have their own */
    int32_t decoders;     /* how many it has open at a time; 0: 2 */
    int32_t threads;      /* how many threads decode; 0: one for each processor */
    int32_t preview_side; /* the longer side of previews, in samples; 0: 640, or 480 for a long film */
    int32_t key_pictures; /* small pictures over the whole film that a jump finds; 0: 48; -1: none */
    int32_t patience;     /* milliseconds without a new picture after which the one under way is finished; 0: 30 */
    int32_t reserved;     /* 0 */
} scrub_session_options;
#define SCRUB_SESSION_OPTIONS_INIT { (uint32_t)sizeof(scrub_session_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }
enum {
    SCRUB_NO_PREVIEWS = 0x1000,   /* no small pictures of the frames around the playhead are made */
    SCRUB_REDUCED_ALONE = 0x2000, /* all pictures are small, and none is exact: for films whose pictures are too large for the memory */
    SCRUB_FINE_SPEEDS = 0x4000    /* a finger 50 units above or below its beginning moves the playhead at half the speed, 100: a quarter,
                                   * 150: a tenth */
};

/* A session. */
typedef struct scrub_session scrub_session;

/* Opens a session for a video; nothing is decoded yet. options: NULL for the defaults. */
scrub_status scrub_session_open(scrub_video *SCRUB_NULLABLE video, const scrub_session_options *SCRUB_NULLABLE options,
                                scrub_session *SCRUB_NULLABLE *SCRUB_NULLABLE session, scrub_error *SCRUB_NULLABLE error);

/* Ends it, from any thread. A scrub_session_take that waits returns SCRUB_CANCELLED. The descriptor is closed: take it out of poll loops
 * before; a copy of it (dup) becomes readable. The callback does not run after this has returned, unless this is called in it. Pictures that
 * the program holds stay. It waits for the packet that is being decoded, and so for a scrub_reader's function that is under way. NULL, and a
 * closed handle, are allowed. */
void scrub_session_close(scrub_session *SCRUB_NULLABLE session);

/* Requests a frame, in place of the request before. Returns at once.
 *
 * flags: SCRUB_RESTING. request: NULL, or receives its number, from 1, which its updates have. */
scrub_status scrub_session_request(scrub_session *SCRUB_NULLABLE session, int64_t frame, uint32_t flags,
                                   uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* The same for a position as scrub_find takes it: "0.42", "12.5s", "f1234". Outside of the video it is the nearest end. frame: NULL, or
 * receives the frame's number. */
scrub_status scrub_session_request_at(scrub_session *SCRUB_NULLABLE session, const char *SCRUB_NULLABLE position, uint32_t flags,
                                      int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* The same for a fraction of the film, as sliders have it: 0 is the first frame and 1 the last; beyond them it is the nearest one. */
scrub_status scrub_session_request_fraction(scrub_session *SCRUB_NULLABLE session, double fraction, uint32_t flags,
                                            int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request,
                                            scrub_error *SCRUB_NULLABLE error);

/* The same for seconds after the first frame, as scrub_find_seconds takes them with SCRUB_CLAMP. */
scrub_status scrub_session_request_seconds(scrub_session *SCRUB_NULLABLE session, double seconds, uint32_t flags,
                                           int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request,
                                           scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_RESTING = 0x800 /* the finger does not move: the exact picture comes also where there is a preview */
};

/* Says that the finger rests on the frame that was requested last: its exact picture comes. */
scrub_status scrub_session_rest(scrub_session *SCRUB_NULLABLE session, scrub_error *SCRUB_NULLABLE error);

/* Gives up a request: its decoding ends between two packets, and nothing is prepared until the next one. Does nothing when there is a newer
 * one. request: its number; 0: the newest. */
scrub_status scrub_session_cancel(scrub_session *SCRUB_NULLABLE session, uint64_t request, scrub_error *SCRUB_NULLABLE error);

/* Begins a gesture, a pan over the video: requests the frame under the playhead. A gesture without an end ends before. position: as
 * scrub_find takes it; NULL: the frame that was requested last, else the first. request: NULL, or receives the request's number. */
scrub_status scrub_session_began(scrub_session *SCRUB_NULLABLE session, const char *SCRUB_NULLABLE position,
                                 uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* Moves the finger: requests the frame at begin + x / width of the film, within its ends.
 *
 * x, y: the distance from the place where the gesture began, to the right and downward, in the units of the program's view. width: how many of
 * them stand for the whole film, above 0. y counts with SCRUB_FINE_SPEEDS alone. frame: NULL, or receives the frame's number; -1 before a gesture
 * began. request: NULL, or receives the request's number. */
scrub_status scrub_session_moved(scrub_session *SCRUB_NULLABLE session, double x, double y, double width,
                                 int64_t *SCRUB_NULLABLE frame, uint64_t *SCRUB_NULLABLE request, scrub_error *SCRUB_NULLABLE error);

/* Ends the gesture: the exact picture comes. flags: SCRUB_RETURN. request: NULL, or receives the number of the request whose exact picture
 * that is; 0 if there was none. */
scrub_status scrub_session_ended(scrub_session *SCRUB_NULLABLE session, uint32_t flags, uint64_t *SCRUB_NULLABLE request,
                                 scrub_error *SCRUB_NULLABLE error);
enum {
    SCRUB_RETURN = 0x8000 /* the system took the gesture away: the playhead goes back to where it began */
};

/* Makes the previews around a frame, as if it were looked at, and waits until all are there that have room.
 *
 * milliseconds: how long at most; below 0 without a limit. done: NULL, or receives 1 if all are there, 0 if the time was over or a request
 * was cancelled. SCRUB_CANCELLED if the session is closed meanwhile. */
scrub_status scrub_session_prepare_previews(scrub_session *SCRUB_NULLABLE session, int64_t frame, int32_t milliseconds,
                                            int32_t *SCRUB_NULLABLE done, scrub_error *SCRUB_NULLABLE error);

/* A picture of a session: a reference that the program releases. It counts against the session's memory until then. A program that holds
 * many gets SCRUB_STAGE_AWAITING_MEMORY. Its pixels never change, and any number of threads may read them. The transparency of a film that
 * has it in a stream of its own is decoded when the picture is copied. */
typedef struct scrub_pixel_buffer scrub_pixel_buffer;

/* What a picture is. */
enum {
    SCRUB_STAGE_NONE = 0,            /* nothing is there to be taken */
    SCRUB_STAGE_NEAREST = 1,         /* another frame's picture, the nearest that was there; `frame` says which one */
    SCRUB_STAGE_PREVIEW = 2,         /* the frame requested, smaller than the video's pictures */
    SCRUB_STAGE_EXACT = 3,           /* the frame requested; `verdict` says whether it is damaged, or cannot be decoded */
    SCRUB_STAGE_AWAITING_MEMORY = 4, /* no picture: the program holds too many. It follows when some are released */
    SCRUB_STAGE_FAILED = 5           /* the request cannot be answered: `status` and `reason` say why */
};

/* What a session has to say. */
typedef struct scrub_update {
    uint32_t size;           /* sizeof(scrub_update) */
    int32_t stage;           /* SCRUB_STAGE_... */
    int32_t status;          /* of SCRUB_STAGE_FAILED: SCRUB_IO, ... */
    int32_t verdict;         /* SCRUB_EXACT, ...: of the picture. SCRUB_EXACT only at the exact stage; SCRUB_UNDECODABLE if there is none */
    uint64_t request;        /* the number of the request that it answers */
    int64_t requested_frame; /* the frame that was requested */
    int64_t frame;           /* the frame that the picture shows; -1 if the request failed */
    int64_t pts;             /* its time, in units of the time base */
    int64_t duration;        /* how long it is shown, in the same units */
    int64_t offset;          /* when it comes on screen, counted from the first frame, in the same units */
    int64_t latency_ns;      /* from the request to this picture, in nanoseconds */
    scrub_pixel_buffer *SCRUB_NULLABLE picture; /* to be released; NULL if there is none */
    int32_t width;           /* of the picture as it is stored, in pixels */
    int32_t height;
    int32_t decoded;         /* pictures that went through a decoder for it */
    int32_t skipped;         /* updates since the last one that was taken, which this one replaced */
    int32_t is_cached;       /* 1 if the picture was there without decoding */
    int32_t is_reduced;      /* 1 if the picture is smaller than the video's pictures are */
    int32_t is_final;        /* 1 if nothing better comes for the request: the exact picture, or its failure */
    int32_t system_error;    /* of SCRUB_STAGE_FAILED: errno, if there is one */
    char reason[240];        /* why it is not exact, or its error; empty for an exact one. Cut as scrub_picture.reason is */
} scrub_update;
#define SCRUB_UPDATE_INIT { (uint32_t)sizeof(scrub_update), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 } }

/* Takes the newest update, which no other call gets then.
 *
 * milliseconds: how long it waits for one; 0: not at all; below 0: without a limit. If none came, or scrub_session_wake ended the wait, the
 * stage is SCRUB_STAGE_NONE and the result SCRUB_OK. A request that failed is an update too: the result is about the call alone. */
scrub_status scrub_session_take(scrub_session *SCRUB_NULLABLE session, int32_t milliseconds, scrub_update *SCRUB_NULLABLE update,
                                scrub_error *SCRUB_NULLABLE error);

/* Ends the waits of all scrub_session_take under way. If none waits, the next one returns without waiting. */
void scrub_session_wake(scrub_session *SCRUB_NULLABLE session);

/* Says which file descriptor is readable exactly while scrub_session_take would give something: for poll(), epoll, and the loops of Qt, GLib
 * and others. Never read from it and never close it: taking makes it silent, and closing the session closes it. */
scrub_status scrub_session_get_descriptor(scrub_session *SCRUB_NULLABLE session, int32_t *SCRUB_NULLABLE descriptor,
                                          scrub_error *SCRUB_NULLABLE error);

/* Is called when there is something to take; it may have been taken meanwhile, so it takes without waiting. It runs on a thread of the
 * session's and may call every function. Of another session whose callback may wait for this one, it must neither close it nor set its
 * callback: each would wait for the other. */
typedef void (*scrub_session_callback)(void *SCRUB_NULLABLE context);

/* Sets the function that is called when something came to be taken, once until it is taken; also at once if something is there. For programs
 * whose loop has no descriptors. NULL: none. The function before does not run after this has returned, unless this is called in it. */
scrub_status scrub_session_set_callback(scrub_session *SCRUB_NULLABLE session, scrub_session_callback SCRUB_NULLABLE callback,
                                        void *SCRUB_NULLABLE context, scrub_error *SCRUB_NULLABLE error);

/* Writes a picture into memory of the caller's, as scrub_read does: layout, size and strides are those of `picture`. */
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

/* Lends the decoder's own planes without a copy: neither converted nor turned. They are valid until the last reference is released, and must
 * not be written. SCRUB_UNAVAILABLE for rows that are stored from the bottom up. */
scrub_status scrub_pixel_buffer_get_planes(scrub_pixel_buffer *SCRUB_NULLABLE buffer, scrub_planes *SCRUB_NULLABLE planes,
                                           scrub_error *SCRUB_NULLABLE error);

/* Encodes a picture. bytes: receives memory for scrub_free. image: NULL for a PNG of its own size. */
scrub_status scrub_pixel_buffer_encode(scrub_pixel_buffer *SCRUB_NULLABLE buffer, const scrub_image *SCRUB_NULLABLE image,
                                       void *SCRUB_NULLABLE *SCRUB_NULLABLE bytes, size_t *SCRUB_NULLABLE count,
                                       scrub_error *SCRUB_NULLABLE error);

/* Adds a reference, and gives one back. The last one ends the picture, also after its session and its video are closed. A picture that has
 * ended is never another one: releasing it again does nothing, and other calls return SCRUB_USAGE. */
void scrub_pixel_buffer_retain(scrub_pixel_buffer *SCRUB_NULLABLE buffer);
void scrub_pixel_buffer_release(scrub_pixel_buffer *SCRUB_NULLABLE buffer);

/* Bytes of pictures. */
typedef struct scrub_memory {
    uint32_t size;          /* sizeof(scrub_memory) */
    int32_t preview_side;   /* the longer side of the session's previews, in samples; 0 if it makes none */
    uint64_t limit;         /* the most bytes of all pictures that share it */
    uint64_t used;          /* in use now */
    uint64_t peak;          /* the most that ever were in use */
    uint64_t held;          /* of the pictures that the program holds: the session's, or all of the resources' */
    int64_t previews;       /* how many previews the session has, in memory and on the disk */
    uint64_t preview_bytes; /* of those in memory */
    uint64_t reserved;      /* 0 */
} scrub_memory;
#define SCRUB_MEMORY_INIT { (uint32_t)sizeof(scrub_memory), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Says what is in use of a session's memory, or of shared one. */
scrub_status scrub_session_get_memory(scrub_session *SCRUB_NULLABLE session, scrub_memory *SCRUB_NULLABLE memory,
                                      scrub_error *SCRUB_NULLABLE error);
scrub_status scrub_resources_get_memory(scrub_resources *SCRUB_NULLABLE resources, scrub_memory *SCRUB_NULLABLE memory,
                                        scrub_error *SCRUB_NULLABLE error);

/* Decodes in processes of their own from now on, which can open, write, connect and start nothing: for files from strangers. Videos that
 * are open stay where they are. Linux on x86-64 and arm64.
 *
 * program: the path of the program scrub-video, which those processes are; NULL: /usr/bin/scrub-video, else that of PATH. */
scrub_status scrub_begin_sandbox(const char *SCRUB_NULLABLE program, scrub_error *SCRUB_NULLABLE error);

#ifdef __cplusplus
}
#endif

#endif
