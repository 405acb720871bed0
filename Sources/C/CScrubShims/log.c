#include "log_callback.h"

#include <libavcodec/avcodec.h>
#include <libavutil/log.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Decoders report damage by writing to av_log and going on, so the messages are data here: a picture whose decoding
// made one cannot be called exact. Each decoder has a record of its own, so nobody's messages push another's out.

enum { TEXT = 192, PARENTS = 8 };

struct scrub_log_record {
    // Of the decoder's AVCodecContext and of its workers' copies; NULL for what is no decoder.
    const void *opaque;
    bool has_workers;
    atomic_uint count;
    char first[TEXT];
    char expected[TEXT];
    struct scrub_log_record *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// All records that there are. The lock is also that of their texts.
static struct scrub_log_record *records;
// Whose work this thread does: set around each call, and for good in a decoder's worker, which lives no longer than
// its decoder and so than the record.
static _Thread_local struct scrub_log_record *current;
// A host's callback that hands messages back to ours would never end.
static _Thread_local bool is_forwarding;

scrub_log_record *scrub_log_record_create(const void *opaque, bool has_workers) {
    struct scrub_log_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    record->opaque = opaque;
    record->has_workers = has_workers;
    pthread_mutex_lock(&lock);
    record->next = records;
    records = record;
    pthread_mutex_unlock(&lock);
    return record;
}

void scrub_log_record_free(scrub_log_record *record) {
    if (!record)
        return;
    pthread_mutex_lock(&lock);
    struct scrub_log_record **link = &records;
    while (*link && *link != record)
        link = &(*link)->next;
    if (*link)
        *link = record->next;
    pthread_mutex_unlock(&lock);
    free(record);
}

scrub_log_record *scrub_log_enter(scrub_log_record *record) {
    struct scrub_log_record *before = current;
    current = record;
    scrub_log_check();
    return before;
}

void scrub_log_leave(scrub_log_record *before) { current = before; }

void scrub_log_adopt_thread(scrub_log_record *record) {
    if (!current)
        current = record;
}

void scrub_log_expect(scrub_log_record *record, const char *beginning) {
    pthread_mutex_lock(&lock);
    snprintf(record->expected, sizeof record->expected, "%s", beginning ? beginning : "");
    pthread_mutex_unlock(&lock);
}

unsigned scrub_log_take(scrub_log_record *record, char *text, size_t capacity) {
    scrub_log_check();
    if (atomic_load_explicit(&record->count, memory_order_acquire) == 0)
        return 0;
    pthread_mutex_lock(&lock);
    unsigned count = atomic_exchange(&record->count, 0);
    if (capacity > 0)
        snprintf(text, capacity, "%s", record->first);
    pthread_mutex_unlock(&lock);
    return count;
}

// Counts a message; under the lock.
static void note(struct scrub_log_record *record, const char *text) {
    size_t expected = strlen(record->expected);
    if (expected > 0 && strncmp(text, record->expected, expected) == 0)
        return;
    unsigned count = atomic_load(&record->count);
    if (count == 0)
        snprintf(record->first, sizeof record->first, "%s", text);
    if (count < INT_MAX)
        atomic_store(&record->count, count + 1);
}

void scrub_log_note_all(const char *text) {
    pthread_mutex_lock(&lock);
    for (struct scrub_log_record *record = records; record; record = record->next)
        if (record->opaque)
            note(record, text);
    pthread_mutex_unlock(&lock);
}

static struct scrub_log_record *with_opaque(const void *opaque) {
    if (!opaque)
        return NULL;
    pthread_mutex_lock(&lock);
    struct scrub_log_record *record = records;
    while (record && record->opaque != opaque)
        record = record->next;
    pthread_mutex_unlock(&lock);
    return record;
}

// Whose message this is. A decoder's workers write under contexts of their own, all of which carry the owner's
// `opaque`; parts of a decoder write under theirs, some of which know their parent, or under none at all.
//
// `*is_foreign`: whether the writer is known to be nobody's here.
static struct scrub_log_record *owner(void *context, bool *is_foreign) {
    *is_foreign = false;
    void *writer = context;
    for (int depth = 0; writer && depth < PARENTS; depth++) {
        const AVClass *class = *(const AVClass **)writer;
        if (!class)
            break;
        if (class == avcodec_get_class()) {
            struct scrub_log_record *record = with_opaque(((AVCodecContext *)writer)->opaque);
            if (record)
                return record;
            *is_foreign = true;
            break;
        }
        AVClassCategory category = class->get_category ? class->get_category(writer) : class->category;
        if (category != AV_CLASS_CATEGORY_NA && category != AV_CLASS_CATEGORY_DECODER
            && category != AV_CLASS_CATEGORY_BITSTREAM_FILTER)
            *is_foreign = true;
        writer = class->parent_log_context_offset
                     ? *(void **)((uint8_t *)writer + class->parent_log_context_offset)
                     : NULL;
    }
    return current;
}

static bool is_trouble(int level, const char *format) {
    // Error concealment is announced as information, and for some damage it is the only sign there is. A block of
    // MPEG-1 or 2 whose vector leads out of the picture keeps what its memory held before; no sound stream has one
    // (ISO/IEC 13818-2 7.6.3.8). Rows of an APNG frame that its data does not reach are blended with what the memory
    // held before, and nothing else is said of it.
    return level <= AV_LOG_ERROR || (level == AV_LOG_INFO && strncmp(format, "concealing ", 11) == 0)
        || (level == AV_LOG_WARNING && strncmp(format, "Frame did not contain a complete image", 38) == 0)
        || (level == AV_LOG_DEBUG && strncmp(format, "MPEG motion vector out of boundary", 34) == 0);
}

void scrub_log_keep(void *context, int level, const char *format, va_list arguments) {
    if (scrub_log_hears_probe(context) || is_forwarding)
        return;
    // The bits above are a colour.
    int plain = level >= 0 ? level & 0xff : level;
    scrub_log_callback *next = scrub_log_next();
    // What a default callback would print of others' messages, and everything that a host's own wants to know.
    bool may_forward = next && (!scrub_log_is_default(next) || plain <= av_log_get_level());
    if (!is_trouble(plain, format) && !may_forward)
        return;
    bool is_foreign;
    struct scrub_log_record *record = owner(context, &is_foreign);
    if (is_trouble(plain, format)) {
        char text[TEXT];
        va_list copy;
        va_copy(copy, arguments);
        vsnprintf(text, sizeof text, format, copy);
        va_end(copy);
        size_t length = strlen(text);
        while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
            text[--length] = 0;
        if (length > 0) {
            pthread_mutex_lock(&lock);
            if (record)
                note(record, text);
            else if (!is_foreign)
                // Nobody knows whose it is. The thread is no decoder's caller, so it is a worker's, if it is ours.
                for (struct scrub_log_record *other = records; other; other = other->next)
                    if (other->has_workers)
                        note(other, text);
            pthread_mutex_unlock(&lock);
        }
    }
    if (may_forward && !(record && scrub_log_is_default(next))) {
        is_forwarding = true;
        next(context, level, format, arguments);
        is_forwarding = false;
    }
}
