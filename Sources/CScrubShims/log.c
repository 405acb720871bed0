#include "CScrubShims.h"

#include <libavcodec/avcodec.h>
#include <libavutil/log.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Decoders report damage by writing to av_log and going on, so the messages are data here: a picture whose decoding
// made one cannot be called exact. They are kept per writing context, because several decoders run at once.

enum { RING = 128, TEXT = 192 };

static struct {
    const void *context;
    uint64_t number;
    char text[TEXT];
} ring[RING];
static uint64_t written;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// With frame threads a decoder's workers write under contexts of their own; all of them carry the owner's `opaque`.
static const void *owner(void *context) {
    if (context && *(const AVClass **)context == avcodec_get_class() && ((AVCodecContext *)context)->opaque)
        return ((AVCodecContext *)context)->opaque;
    return context;
}

static void keep(void *context, int level, const char *format, va_list arguments) {
    // Error concealment is announced as information, and for some damage it is the only sign there is.
    if (level > AV_LOG_ERROR && !(level == AV_LOG_INFO && strncmp(format, "concealing ", 11) == 0))
        return;
    char text[TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        text[--length] = 0;
    if (length == 0)
        return;
    pthread_mutex_lock(&lock);
    size_t slot = written % RING;
    ring[slot].context = owner(context);
    ring[slot].number = ++written;
    memcpy(ring[slot].text, text, length + 1);
    pthread_mutex_unlock(&lock);
}

void scrub_log_install(void) { av_log_set_callback(keep); }

uint64_t scrub_log_position(void) {
    pthread_mutex_lock(&lock);
    uint64_t position = written;
    pthread_mutex_unlock(&lock);
    return position;
}

int scrub_log_errors_since(uint64_t since, const void *context, const char *expected, char *text,
                           size_t capacity) {
    int found = 0;
    size_t length = expected ? strlen(expected) : 0;
    pthread_mutex_lock(&lock);
    uint64_t first = written > RING ? written - RING : 0;
    for (uint64_t n = first > since ? first : since; n < written; n++) {
        size_t slot = n % RING;
        if (context && ring[slot].context != context)
            continue;
        if (expected && strncmp(ring[slot].text, expected, length) == 0)
            continue;
        if (found == 0 && capacity > 0)
            snprintf(text, capacity, "%s", ring[slot].text);
        found++;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
