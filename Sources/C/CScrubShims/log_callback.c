#define _GNU_SOURCE
#include "log_callback.h"

#include <dlfcn.h>
#include <libavutil/log.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// libavutil has one callback for the process and tells nobody which. A host's must go on being called, so the place
// where libavutil keeps it is looked for: in the initialized data of the object that has av_log_set_callback, the
// one word that becomes what was set. What stood there before is the host's callback, and one look at the word says
// whether somebody has set another since.

enum { REGIONS = 4 };

typedef struct {
    uintptr_t inside;
    bool is_found;
    int count;
    struct {
        uintptr_t *words;
        size_t count;
        uintptr_t *before;
    } region[REGIONS];
} data_segments;

static _Atomic(uintptr_t) *slot;
static _Atomic(scrub_log_callback *) next_callback;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static int find_segments(struct dl_phdr_info *object, size_t size, void *result) {
    (void)size;
    data_segments *found = result;
    bool is_inside = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && found->inside >= start && found->inside - start < part->p_memsz)
            is_inside = true;
    }
    if (!is_inside)
        return 0;
    found->is_found = true;
    for (int i = 0; i < object->dlpi_phnum && found->count < REGIONS; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W))
            continue;
        uintptr_t start = object->dlpi_addr + part->p_vaddr, end = start + part->p_filesz;
        start = (start + sizeof start - 1) / sizeof start * sizeof start;
        if (end < start + sizeof start)
            continue;
        found->region[found->count].words = (uintptr_t *)start;
        found->region[found->count].count = (end - start) / sizeof start;
        found->count++;
    }
    return 1;
}

static void pass_on(void *context, int level, const char *format, va_list arguments) {
    scrub_log_keep(context, level, format, arguments);
}

// Looks at memory that others write; nothing is made of a word before it is known to be the one.
__attribute__((no_sanitize("thread", "address"))) static uintptr_t peek(const uintptr_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void install(void) {
    data_segments data = {.inside = (uintptr_t)av_log_set_callback};
    dl_iterate_phdr(find_segments, &data);
    for (int i = 0; i < data.count; i++) {
        data.region[i].before = malloc(data.region[i].count * sizeof(uintptr_t));
        for (size_t k = 0; data.region[i].before && k < data.region[i].count; k++)
            data.region[i].before[k] = peek(&data.region[i].words[k]);
    }
    // Twice, so that no other word that changes at this moment is taken for it.
    uintptr_t *place = NULL, before = 0;
    int places = 0;
    av_log_set_callback(pass_on);
    for (int i = 0; i < data.count; i++)
        for (size_t k = 0; data.region[i].before && k < data.region[i].count; k++)
            if (peek(&data.region[i].words[k]) == (uintptr_t)pass_on && data.region[i].before[k] != (uintptr_t)pass_on) {
                place = &data.region[i].words[k];
                before = data.region[i].before[k];
                places++;
            }
    av_log_set_callback(scrub_log_keep);
    bool is_certain = places == 1 && peek(place) == (uintptr_t)scrub_log_keep;
    for (int i = 0; i < data.count; i++)
        free(data.region[i].before);
    // Where it cannot be found, libavutil's own is taken to be the one that was set.
    atomic_store(&next_callback, is_certain ? (scrub_log_callback *)before : av_log_default_callback);
    if (is_certain)
        slot = (_Atomic(uintptr_t) *)place;
}

void scrub_log_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

scrub_log_callback *scrub_log_next(void) {
    return atomic_load_explicit(&next_callback, memory_order_relaxed);
}

bool scrub_log_is_default(scrub_log_callback *callback) {
    if (callback == av_log_default_callback)
        return true;
    // A program that is not position independent may have another address for the same function.
    static _Atomic(scrub_log_callback *) known_default, known_other;
    if (callback == atomic_load_explicit(&known_other, memory_order_relaxed))
        return false;
    if (callback == atomic_load_explicit(&known_default, memory_order_relaxed))
        return true;
    Dl_info symbol;
    bool is_default = dladdr((void *)(uintptr_t)callback, &symbol) && symbol.dli_sname
                      && strcmp(symbol.dli_sname, "av_log_default_callback") == 0;
    atomic_store(is_default ? &known_default : &known_other, callback);
    return is_default;
}

// ---- A host that sets a callback of its own later ------------------------------------------------------------

static const AVClass probe_class = {.class_name = "Scrub", .item_name = av_default_item_name, .version = LIBAVUTIL_VERSION_INT};
static const struct {
    const AVClass *class;
} probe = {&probe_class};
static _Thread_local bool probe_was_heard;

bool scrub_log_hears_probe(const void *context) {
    if (context != &probe)
        return false;
    probe_was_heard = true;
    return true;
}

// Whether what is written comes to our callback, perhaps through another's.
static bool is_heard(void) {
    probe_was_heard = false;
    // A level at which no callback prints anything.
    av_log((void *)&probe, AV_LOG_TRACE, "%s", "");
    return probe_was_heard;
}

void scrub_log_check(void) {
    if (slot && atomic_load_explicit(slot, memory_order_relaxed) == (uintptr_t)scrub_log_keep)
        return;
    if (is_heard())
        return;
    pthread_mutex_lock(&changing);
    uintptr_t now = slot ? atomic_load(slot) : 0;
    if (slot && now != (uintptr_t)scrub_log_keep) {
        // The other one is served too from now on.
        atomic_store(&next_callback, (scrub_log_callback *)now);
        av_log_set_callback(scrub_log_keep);
    }
    pthread_mutex_unlock(&changing);
    // Without the place nothing can be handed on, so nothing is taken away: no verdict is good then.
    scrub_log_note_all("libav's messages went to another callback meanwhile");
}
