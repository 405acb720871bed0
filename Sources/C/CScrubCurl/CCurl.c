#define _GNU_SOURCE
#include "CScrubCurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// The structures of libcurl's interface that are read here.
typedef struct {
    int message;
    ccurl_easy *easy;
    union {
        void *pointer;
        int code;
    } data;
} message_of_multi;

typedef struct {
    int family;
    int type;
    int protocol;
    unsigned int length;
    struct sockaddr address; // and as much behind it as `length` says
} address_to_open;

typedef struct {
    const char *name;
    int number;
} option_facts;

typedef struct {
    int age;
    const char *version;
    unsigned int number;
} version_facts;

static struct {
    int (*global_init)(long flags);
    version_facts *(*version_info)(int age);
    ccurl_easy *(*easy_init)(void);
    void (*easy_cleanup)(ccurl_easy *);
    int (*easy_setopt)(ccurl_easy *, int, ...);
    int (*easy_getinfo)(ccurl_easy *, int, ...);
    int (*easy_perform)(ccurl_easy *);
    void (*easy_reset)(ccurl_easy *);
    const char *(*easy_strerror)(int);
    const option_facts *(*easy_option_by_name)(const char *);
    ccurl_list *(*slist_append)(ccurl_list *, const char *);
    void (*slist_free_all)(ccurl_list *);
    ccurl_multi *(*multi_init)(void);
    int (*multi_cleanup)(ccurl_multi *);
    int (*multi_setopt)(ccurl_multi *, int, ...);
    int (*multi_add_handle)(ccurl_multi *, ccurl_easy *);
    int (*multi_remove_handle)(ccurl_multi *, ccurl_easy *);
    int (*multi_perform)(ccurl_multi *, int *);
    int (*multi_poll)(ccurl_multi *, void *, unsigned int, int, int *);
    int (*multi_wakeup)(ccurl_multi *);
    message_of_multi *(*multi_info_read)(ccurl_multi *, int *);
} curl;

static const struct {
    const char *name;
    void *place;
} symbols[] = {
    {"curl_global_init", &curl.global_init},
    {"curl_version_info", &curl.version_info},
    {"curl_easy_init", &curl.easy_init},
    {"curl_easy_cleanup", &curl.easy_cleanup},
    {"curl_easy_setopt", &curl.easy_setopt},
    {"curl_easy_getinfo", &curl.easy_getinfo},
    {"curl_easy_perform", &curl.easy_perform},
    {"curl_easy_reset", &curl.easy_reset},
    {"curl_easy_strerror", &curl.easy_strerror},
    {"curl_easy_option_by_name", &curl.easy_option_by_name},
    {"curl_slist_append", &curl.slist_append},
    {"curl_slist_free_all", &curl.slist_free_all},
    {"curl_multi_init", &curl.multi_init},
    {"curl_multi_cleanup", &curl.multi_cleanup},
    {"curl_multi_setopt", &curl.multi_setopt},
    {"curl_multi_add_handle", &curl.multi_add_handle},
    {"curl_multi_remove_handle", &curl.multi_remove_handle},
    {"curl_multi_perform", &curl.multi_perform},
    {"curl_multi_poll", &curl.multi_poll},
    {"curl_multi_wakeup", &curl.multi_wakeup},
    {"curl_multi_info_read", &curl.multi_info_read},
};

enum { oldest_version = 0x074A00 };

static const char is_missing[] = "libcurl.so.4 is not there";
static const char is_older[] = "libcurl is older than 7.74";

// ISO C has no conversion from an object's address to a function's; POSIX guarantees that they have the same size.
static int take(void *library, const char *name, void *place) {
    void *symbol = dlsym(library, name);
    if (place)
        memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static const char *judge_library(void *library) {
    version_facts *(*version_info)(int);
    // The first version of this structure has everything that is read here.
    if (!take(library, "curl_version_info", &version_info) || version_info(0)->number < oldest_version)
        return is_older;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!take(library, symbols[i].name, NULL))
            return is_older;
    return NULL;
}

const char *ccurl_check(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return is_missing;
    const char *wrong = judge_library(library);
    dlclose(library);
    return wrong;
}

// When the process exits, TLS libraries free their tables while the client's thread may be using them. Therefore, that
// thread works under a lock, which the exit handler takes permanently.
static pthread_rwlock_t end_lock = PTHREAD_RWLOCK_INITIALIZER;

static void stop_at_end(void) {
    // Bounded, in case the process exits from the client's own thread.
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    pthread_rwlock_timedwrlock(&end_lock, &limit);
}

static const char *wrong;
static unsigned int version;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    wrong = library ? judge_library(library) : is_missing;
    if (wrong)
        return;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        take(library, symbols[i].name, symbols[i].place);
    const long everything = 3; // CURL_GLOBAL_ALL
    if (curl.global_init(everything) != 0) {
        wrong = "libcurl cannot be started";
        return;
    }
    version = curl.version_info(0)->number;
    // Registered after TLS has registered its own handler, so this one runs first.
    atexit(stop_at_end);
}

const char *ccurl_load(void) {
    pthread_once(&once, load);
    return wrong;
}

unsigned int ccurl_version(void) { return version; }

int ccurl_option_number(const char *name) {
    const option_facts *facts = curl.easy_option_by_name(name);
    return facts ? facts->number : -1;
}

ccurl_easy *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(ccurl_easy *easy) { curl.easy_cleanup(easy); }

int ccurl_set_long(ccurl_easy *easy, int option, long value) { return curl.easy_setopt(easy, option, value); }
int ccurl_set_offset(ccurl_easy *easy, int option, int64_t value) { return curl.easy_setopt(easy, option, value); }
int ccurl_easy_perform(ccurl_easy *easy) { return curl.easy_perform(easy); }
void ccurl_easy_reset(ccurl_easy *easy) { curl.easy_reset(easy); }
int ccurl_set_text(ccurl_easy *easy, int option, const char *text) { return curl.easy_setopt(easy, option, text); }
int ccurl_set_pointer(ccurl_easy *easy, int option, void *pointer) {
    return curl.easy_setopt(easy, option, pointer);
}
int ccurl_set_list(ccurl_easy *easy, int option, ccurl_list *list) { return curl.easy_setopt(easy, option, list); }
int ccurl_set_data_function(ccurl_easy *easy, int option, ccurl_data_function function) {
    return curl.easy_setopt(easy, option, function);
}

static int open_socket(void *context, int purpose, address_to_open *address) {
    const ccurl_judge *judge = context;
    const uint8_t *bytes = NULL;
    size_t count = 0;
    (void)purpose;
    if (address->family == AF_INET && address->length >= sizeof(struct sockaddr_in)) {
        bytes = (const uint8_t *)&((const struct sockaddr_in *)(const void *)&address->address)->sin_addr;
        count = 4;
    } else if (address->family == AF_INET6 && address->length >= sizeof(struct sockaddr_in6)) {
        bytes = (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)&address->address)->sin6_addr;
        count = 16;
    }
    if (!judge->function(judge->context, bytes, count))
        return -1; // CURL_SOCKET_BAD
    return socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
}

int ccurl_set_judge(ccurl_easy *easy, ccurl_judge *judge) {
    int code = curl.easy_setopt(easy, CCURL_OPENSOCKETFUNCTION, open_socket);
    return code ? code : curl.easy_setopt(easy, CCURL_OPENSOCKETDATA, judge);
}

int64_t ccurl_info(ccurl_easy *easy, int info) {
    if (info < 0x600000) {
        long value = -1;
        return curl.easy_getinfo(easy, info, &value) ? -1 : value;
    }
    int64_t value = -1; // curl_off_t
    return curl.easy_getinfo(easy, info, &value) ? -1 : value;
}

const char *ccurl_code_text(int code) { return curl.easy_strerror(code); }

ccurl_list *ccurl_list_append(ccurl_list *list, const char *text) { return curl.slist_append(list, text); }
void ccurl_list_free(ccurl_list *list) { curl.slist_free_all(list); }

ccurl_multi *ccurl_multi_init(void) { return curl.multi_init(); }
int ccurl_multi_cleanup(ccurl_multi *multi) { return curl.multi_cleanup(multi); }
int ccurl_multi_set_kept_connections(ccurl_multi *multi, long count) {
    const int maxconnects = 6; // CURLMOPT_MAXCONNECTS
    return curl.multi_setopt(multi, maxconnects, count);
}
int ccurl_multi_add(ccurl_multi *multi, ccurl_easy *easy) { return curl.multi_add_handle(multi, easy); }
int ccurl_multi_remove(ccurl_multi *multi, ccurl_easy *easy) {
    pthread_rwlock_rdlock(&end_lock);
    int code = curl.multi_remove_handle(multi, easy);
    pthread_rwlock_unlock(&end_lock);
    return code;
}

int ccurl_multi_perform(ccurl_multi *multi) {
    int running;
    pthread_rwlock_rdlock(&end_lock);
    int code = curl.multi_perform(multi, &running);
    pthread_rwlock_unlock(&end_lock);
    return code;
}

int ccurl_multi_poll(ccurl_multi *multi, int milliseconds) {
    return curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}
int ccurl_multi_wakeup(ccurl_multi *multi) { return curl.multi_wakeup(multi); }

ccurl_easy *ccurl_multi_next_done(ccurl_multi *multi, int *code) {
    int left;
    for (;;) {
        message_of_multi *message = curl.multi_info_read(multi, &left);
        if (!message)
            return NULL;
        if (message->message == 1) { // CURLMSG_DONE
            *code = message->data.code;
            return message->easy;
        }
    }
}

void ccurl_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}
