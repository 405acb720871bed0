#define _GNU_SOURCE
#include "CScrubLibAVLoader.h"

#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

#ifdef SCRUB_LIBAV_LINKED

// In programs that contain libav (packaging/static-libav.sh), the functions exist under their own names.
void scrub_libav_load(void) {}
void scrub_libav_load_ahead(void) {}
const char *scrub_libav_failure(void) { return NULL; }
unsigned scrub_libav_version(scrub_libav library) {
    return library == SCRUB_LIBAV_CODEC ? avcodec_version() : avformat_version();
}

#else

// Uses the headers' version number, because structures differ in other versions.
static const char *const files[] = {
    [SCRUB_LIBAV_CODEC] = "libavcodec.so." TEXT(LIBAVCODEC_VERSION_MAJOR),
    [SCRUB_LIBAV_FORMAT] = "libavformat.so." TEXT(LIBAVFORMAT_VERSION_MAJOR),
};
static void *handles[2];
static char reason[256];
static int has_failed;

// Written under the lock. After LOADED, the handles no longer change.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum { NOT_ASKED, BEGUN, LOADED } state = NOT_ASKED;
static pthread_t ahead;

static void load(void) {
    for (int i = 0; i < 2; i++) {
        // Functions that are not reached by any decode do not have to be looked up.
        handles[i] = dlopen(files[i], RTLD_LAZY | RTLD_LOCAL);
        if (!handles[i]) {
            const char *why = dlerror();
            snprintf(reason, sizeof reason, "%s", why ? why : files[i]);
            __atomic_store_n(&has_failed, 1, __ATOMIC_RELEASE);
            return;
        }
    }
}

static void *load_ahead(void *nothing) { return (load(), nothing); }

void scrub_libav_load(void) {
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == LOADED) return;
    pthread_mutex_lock(&lock);
    if (state == BEGUN) pthread_join(ahead, NULL);
    if (state == NOT_ASKED) load();
    __atomic_store_n(&state, LOADED, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

void scrub_libav_load_ahead(void) {
    pthread_mutex_lock(&lock);
    if (state == NOT_ASKED) {
        // Signals are delivered to the program's own threads.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        if (pthread_create(&ahead, NULL, load_ahead, NULL) == 0) __atomic_store_n(&state, BEGUN, __ATOMIC_RELEASE);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_mutex_unlock(&lock);
}

const char *scrub_libav_failure(void) { return __atomic_load_n(&has_failed, __ATOMIC_ACQUIRE) ? reason : NULL; }

static void *find(scrub_libav library, const char *name) {
    scrub_libav_load();
    return handles[library] ? dlsym(handles[library], name) : NULL;
}

// libavutil is linked, and is in the same place as the others. FFmpeg's file names end in the full version; the short
// name is a link.
static unsigned version_by_name(scrub_libav library) {
    Dl_info place;
    if (!dladdr((const void *)(uintptr_t)avutil_version, &place) || !place.dli_fname) return 0;
    const char *end = strrchr(place.dli_fname, '/');
    char path[PATH_MAX], whole[PATH_MAX];
    if (!end || snprintf(path, sizeof path, "%.*s/%s", (int)(end - place.dli_fname), place.dli_fname, files[library]) >=
                    (int)sizeof path)
        return 0;
    if (!realpath(path, whole)) return 0;
    const char *file = strrchr(whole, '/') + 1;
    const size_t known = strrchr(files[library], '.') + 1 - files[library];
    unsigned major, minor, micro;
    int length = 0;
    if (strncmp(file, files[library], known) != 0 ||
        sscanf(file + known, "%3u.%3u.%3u%n", &major, &minor, &micro, &length) != 3 || file[known + (size_t)length])
        return 0;
    return AV_VERSION_INT(major, minor, micro);
}

unsigned scrub_libav_version(scrub_libav library) {
    static unsigned known[2];
    unsigned version = __atomic_load_n(&known[library], __ATOMIC_RELAXED);
    if (version) return version;
    version = version_by_name(library);
    if (!version) version = library == SCRUB_LIBAV_CODEC ? avcodec_version() : avformat_version();
    __atomic_store_n(&known[library], version, __ATOMIC_RELAXED);
    return version;
}

// The functions, under their own names; the headers' declarations provide the types. They are hidden, because
// libavformat calls libavcodec's own functions.
#define FOUND(library, name, otherwise) \
    static typeof(name) *known; \
    typeof(name) *function = __atomic_load_n(&known, __ATOMIC_ACQUIRE); \
    if (!function) { \
        /* ISO C has no conversion from an object's address to a function's; POSIX says that they have one size. */ \
        void *symbol = find(library, #name); \
        if (!symbol) otherwise; \
        memcpy(&function, &symbol, sizeof function); \
        __atomic_store_n(&known, function, __ATOMIC_RELEASE); \
    }
#define VALUE(library, type, name, failure, parameters, arguments) \
    __attribute__((visibility("hidden"))) type name parameters { \
        FOUND(library, name, return failure) \
        return function arguments; \
    }
#define ACTION(library, name, parameters, arguments) \
    __attribute__((visibility("hidden"))) void name parameters { \
        FOUND(library, name, return) \
        function arguments; \
    }
#define CODEC(type, name, failure, parameters, arguments) \
    VALUE(SCRUB_LIBAV_CODEC, type, name, failure, parameters, arguments)
#define FORMAT(type, name, failure, parameters, arguments) \
    VALUE(SCRUB_LIBAV_FORMAT, type, name, failure, parameters, arguments)

enum { NO_MEMORY = AVERROR(ENOMEM) };

CODEC(unsigned, avcodec_version, 0, (void), ())
CODEC(const AVClass *, avcodec_get_class, NULL, (void), ())
CODEC(const AVCodec *, avcodec_find_decoder, NULL, (enum AVCodecID codec), (codec))
CODEC(const AVCodecDescriptor *, avcodec_descriptor_get, NULL, (enum AVCodecID codec), (codec))
CODEC(const AVCodecDescriptor *, avcodec_descriptor_get_by_name, NULL, (const char *name), (name))
CODEC(const char *, avcodec_get_name, "unknown", (enum AVCodecID codec), (codec))
CODEC(const char *, avcodec_profile_name, NULL, (enum AVCodecID codec, int profile), (codec, profile))
CODEC(AVCodecContext *, avcodec_alloc_context3, NULL, (const AVCodec *codec), (codec))
ACTION(SCRUB_LIBAV_CODEC, avcodec_free_context, (AVCodecContext **context), (context))
CODEC(int, avcodec_open2, NO_MEMORY, (AVCodecContext *context, const AVCodec *codec, AVDictionary **options),
      (context, codec, options))
CODEC(int, avcodec_send_packet, NO_MEMORY, (AVCodecContext *context, const AVPacket *packet), (context, packet))
CODEC(int, avcodec_receive_frame, NO_MEMORY, (AVCodecContext *context, AVFrame *frame), (context, frame))
ACTION(SCRUB_LIBAV_CODEC, avcodec_flush_buffers, (AVCodecContext *context), (context))
CODEC(int, avcodec_default_get_buffer2, NO_MEMORY, (AVCodecContext *context, AVFrame *frame, int flags),
      (context, frame, flags))
ACTION(SCRUB_LIBAV_CODEC, avcodec_align_dimensions2,
       (AVCodecContext *context, int *width, int *height, int strides[AV_NUM_DATA_POINTERS]),
       (context, width, height, strides))
CODEC(AVCodecParameters *, avcodec_parameters_alloc, NULL, (void), ())
ACTION(SCRUB_LIBAV_CODEC, avcodec_parameters_free, (AVCodecParameters **parameters), (parameters))
CODEC(int, avcodec_parameters_to_context, NO_MEMORY, (AVCodecContext *context, const AVCodecParameters *parameters),
      (context, parameters))
CODEC(AVPacket *, av_packet_alloc, NULL, (void), ())
ACTION(SCRUB_LIBAV_CODEC, av_packet_free, (AVPacket **packet), (packet))
ACTION(SCRUB_LIBAV_CODEC, av_packet_unref, (AVPacket *packet), (packet))
CODEC(int, av_new_packet, NO_MEMORY, (AVPacket *packet, int size), (packet, size))
ACTION(SCRUB_LIBAV_CODEC, av_shrink_packet, (AVPacket *packet, int size), (packet, size))
CODEC(int, av_packet_make_writable, NO_MEMORY, (AVPacket *packet), (packet))
CODEC(uint8_t *, av_packet_new_side_data, NULL, (AVPacket *packet, enum AVPacketSideDataType type, size_t size),
      (packet, type, size))

FORMAT(unsigned, avformat_version, 0, (void), ())
FORMAT(AVFormatContext *, avformat_alloc_context, NULL, (void), ())
ACTION(SCRUB_LIBAV_FORMAT, avformat_free_context, (AVFormatContext *input), (input))
FORMAT(int, avformat_open_input, NO_MEMORY,
       (AVFormatContext **input, const char *url, const AVInputFormat *format, AVDictionary **options),
       (input, url, format, options))
ACTION(SCRUB_LIBAV_FORMAT, avformat_close_input, (AVFormatContext **input), (input))
FORMAT(int, avformat_find_stream_info, NO_MEMORY, (AVFormatContext *input, AVDictionary **options), (input, options))
FORMAT(int, av_read_frame, NO_MEMORY, (AVFormatContext *input, AVPacket *packet), (input, packet))
FORMAT(int, av_seek_frame, NO_MEMORY, (AVFormatContext *input, int stream, int64_t time, int flags),
       (input, stream, time, flags))
FORMAT(const AVInputFormat *, av_find_input_format, NULL, (const char *name), (name))
FORMAT(const AVInputFormat *, av_probe_input_format3, NULL, (const AVProbeData *data, int is_opened, int *score),
       (data, is_opened, score))
FORMAT(int, av_probe_input_buffer2, NO_MEMORY,
       (AVIOContext *io, const AVInputFormat **format, const char *url, void *log, unsigned offset, unsigned most),
       (io, format, url, log, offset, most))
#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t *written;
#else
typedef uint8_t *written;
#endif
FORMAT(AVIOContext *, avio_alloc_context, NULL,
       (unsigned char *buffer, int size, int is_written, void *opaque, int (*read)(void *, uint8_t *, int),
        int (*write)(void *, written, int), int64_t (*seek)(void *, int64_t, int)),
       (buffer, size, is_written, opaque, read, write, seek))
ACTION(SCRUB_LIBAV_FORMAT, avio_context_free, (AVIOContext **io), (io))

#endif
