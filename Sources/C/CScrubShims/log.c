#include "CScrubShims.h"
#include "cineform.h"

#include <libavcodec/avcodec.h>
#include <libavutil/log.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Decoders report damage by writing to av_log and continuing. Messages are therefore data here: a picture whose
// decoding caused one cannot be called exact. Each decoder has a separate record, so one decoder's messages never
// displace another's.
//
// libavutil has one callback for the process and does not report which one it is. This library's callback is set once.
// A host that wants messages sets a hook here. If it sets its own callback instead, it gets all messages and this
// library gets none. The library detects this by a test message that does not arrive.

enum { TEXT = 192, LINE = 1024, PARENTS = 8 };

static const char lost[] = "the program's own av_log callback takes its messages, so damage would go unseen "
                           "(LibAVLog.setHandler hears them instead)";

struct scrub_log_record {
    // The `opaque` of the decoder's AVCodecContext and of its workers' copies; NULL for anything other than a decoder.
    const void *opaque;
    bool has_workers;
    atomic_uint count;
    char first[TEXT];
    char expected[TEXT];
    struct scrub_log_record *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// All existing records. The lock also protects their texts.
static struct scrub_log_record *records;
// The record for which this thread works: set around each call, and permanently in a decoder's worker, which does not
// outlive its decoder or, therefore, the record.
static _Thread_local struct scrub_log_record *current;

static _Atomic(scrub_log_hook) host_hook;
static atomic_int host_level;
// Messages written by a hook's own calls do not go to any hook.
static _Thread_local bool is_in_hook;

static const AVClass probe_class = {
    .class_name = "Scrub", .item_name = av_default_item_name, .version = LIBAVUTIL_VERSION_INT};
static const struct {
    const AVClass *class;
} probe = {&probe_class};
static _Thread_local bool probe_was_heard;

// Whether messages reach this library's callback.
static bool is_heard(void) {
    probe_was_heard = false;
    // A level at which no callback prints anything.
    av_log((void *)&probe, AV_LOG_TRACE, "%s", "");
    return probe_was_heard;
}

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

unsigned scrub_log_take(scrub_log_record *record, char *text, size_t capacity) {
    bool is_lost = record->opaque && !is_heard();
    if (!is_lost && atomic_load_explicit(&record->count, memory_order_acquire) == 0)
        return 0;
    pthread_mutex_lock(&lock);
    if (is_lost)
        note(record, lost);
    unsigned count = atomic_exchange(&record->count, 0);
    if (capacity > 0)
        snprintf(text, capacity, "%s", record->first);
    pthread_mutex_unlock(&lock);
    return count;
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

// Finds a message's owner. A decoder's workers write with separate contexts, all of which have the owner's `opaque`.
// Parts of a decoder write with their own contexts: some know their parent, and some have no context at all.
//
// `*is_foreign`: whether the writer is known not to belong to this library.
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
    // Error concealment is reported at the info level, and for some damage it is the only sign. An MPEG-1 or MPEG-2
    // block whose vector points outside the picture keeps its memory's previous contents. Valid streams never have one
    // (ISO/IEC 13818-2 7.6.3.8). Rows of an APNG frame that its data does not reach are blended with the memory's
    // previous contents, without any other message.
    return level <= AV_LOG_ERROR || (level == AV_LOG_INFO && strncmp(format, "concealing ", 11) == 0)
        || (level == AV_LOG_WARNING && strncmp(format, "Frame did not contain a complete image", 38) == 0)
        || (level == AV_LOG_DEBUG && strncmp(format, "MPEG motion vector out of boundary", 34) == 0);
}

static const char *component(void *context) {
    const AVClass *class = context ? *(const AVClass **)context : NULL;
    if (!class)
        return NULL;
    return class->item_name ? class->item_name(context) : class->class_name;
}

static void keep(void *context, int level, const char *format, va_list arguments) {
    if (context == &probe) {
        probe_was_heard = true;
        return;
    }
    // The bits above are a colour.
    int plain = level >= 0 ? level & 0xff : level;
    bool is_counted = is_trouble(plain, format);
    // This library's own text.
    const char *complaint = NULL;
    if (plain == AV_LOG_DEBUG) {
        va_list copy;
        va_copy(copy, arguments);
        complaint = scrub_cineform_complaint(format, copy);
        va_end(copy);
        is_counted = is_counted || complaint;
    }
    scrub_log_hook hook = atomic_load_explicit(&host_hook, memory_order_acquire);
    int wanted = hook ? atomic_load_explicit(&host_level, memory_order_relaxed) : av_log_get_level();
    bool is_told = !is_in_hook && plain <= wanted;
    if (!is_counted && !is_told)
        return;
    bool is_foreign;
    struct scrub_log_record *record = owner(context, &is_foreign);
    char text[LINE];
    size_t length = 0;
    if (is_counted || hook) {
        va_list copy;
        va_copy(copy, arguments);
        vsnprintf(text, sizeof text, format, copy);
        va_end(copy);
        length = strlen(text);
        while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
            text[--length] = 0;
    }
    if (is_counted && length > 0) {
        const char *words = complaint ? complaint : text;
        pthread_mutex_lock(&lock);
        if (record)
            note(record, words);
        else if (!is_foreign)
            // The owner is unknown. The thread does not call a decoder, so if it belongs to this library, it is a
            // worker.
            for (struct scrub_log_record *other = records; other; other = other->next)
                if (other->has_workers)
                    note(other, words);
        pthread_mutex_unlock(&lock);
    }
    if (!is_told)
        return;
    if (!hook) {
        // As if this library had not set a callback: messages that are not its own are printed.
        if (!record)
            av_log_default_callback(context, level, format, arguments);
    } else if (length > 0) {
        is_in_hook = true;
        hook(plain, record != NULL, component(context), text);
        is_in_hook = false;
    }
}

void scrub_log_install(void) {
    static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&installing);
    if (!is_heard()) {
        av_log_set_callback(keep);
        // Messages written earlier are unknown.
        pthread_mutex_lock(&lock);
        for (struct scrub_log_record *record = records; record; record = record->next)
            if (record->opaque)
                note(record, lost);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&installing);
}

void scrub_log_set_hook(scrub_log_hook hook, int level) {
    atomic_store_explicit(&host_level, level, memory_order_relaxed);
    atomic_store_explicit(&host_hook, hook, memory_order_release);
}
