/* How calls tell how far they are, how they are ended, and how addresses are asked: progress FILM FOLDER. It ends with 0, or stops at the
 * first line that is wrong. */
#include "common.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static scrub_video *video;

struct watch {
    pthread_t thread;
    int calls, wrong, ends_at;
    int64_t done, total;
    int *flag;
    /* What the function does itself. */
    int (*act)(void);
    int acted;
};

static int told(void *context, int64_t done, int64_t total) {
    struct watch *watch = context;
    watch->calls += 1;
    watch->wrong += !pthread_equal(watch->thread, pthread_self()) || done < watch->done || done < 0 || (total > 0 && done > total);
    watch->done = done;
    watch->total = total;
    if (watch->act) watch->acted = watch->act();
    return (watch->flag && __atomic_load_n(watch->flag, __ATOMIC_RELAXED)) || (watch->ends_at && watch->calls >= watch->ends_at);
}

static struct watch watching(void) {
    struct watch watch = { pthread_self(), 0, 0, 0, 0, 0, NULL, NULL, 0 };
    return watch;
}

static char path[4096];
static const char *folder;

static int one(void) {
    scrub_picture picture = wanted(SCRUB_RGB8);
    int status = scrub_read(video, 40, &picture, &error);
    CHECK(status == SCRUB_OK || picture.status == status);
    return status;
}

static int several(void) {
    int64_t numbers[60];
    scrub_picture pictures[60];
    for (int i = 0; i < 60; i++) {
        numbers[i] = (i * 37) % 60;
        pictures[i] = wanted(SCRUB_NATIVE);
    }
    return scrub_read_many(video, numbers, 60, pictures, &error);
}

/* A call makes bytes exactly if it ends well. */
static int made(int status, void *bytes) {
    CHECK((bytes != NULL) == (status == SCRUB_OK));
    scrub_free(bytes);
    return status;
}

static int encode(void) {
    void *bytes = NULL;
    size_t count = 0;
    int status = scrub_encode(video, 55, NULL, &bytes, &count, NULL, &error);
    return made(status, bytes);
}

static int save(void) {
    struct stat facts;
    snprintf(path, sizeof path, "%s/told.webp", folder);
    unlink(path);
    int status = scrub_save(video, 33, path, NULL, NULL, &error);
    CHECK((stat(path, &facts) == 0) == (status == SCRUB_OK));
    return status;
}

static int strip(void) {
    scrub_thumbnails strip = SCRUB_THUMBNAILS_INIT;
    void *json = NULL;
    size_t count = 0;
    struct stat facts;
    strip.count = 30;
    strip.width = 32;
    snprintf(path, sizeof path, "%s/told/thumbnails.vtt", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/told", folder);
    int status = scrub_write_strip(video, path, &strip, &json, &count, &error);
    made(status, json);
    snprintf(path, sizeof path, "%s/told/thumbnails.vtt", folder);
    CHECK((stat(path, &facts) == 0) == (status == SCRUB_OK));
    return status;
}

static int posters(void) {
    scrub_poster found[2];
    scrub_poster_options options = SCRUB_POSTER_OPTIONS_INIT;
    size_t count = 0;
    options.candidates = 12;
    int status = scrub_find_posters(video, &options, found, 2, &count, &error);
    CHECK((count > 0) == (status == SCRUB_OK));
    return status;
}

static int sheet(void) {
    scrub_thumbnails wanted = SCRUB_THUMBNAILS_INIT;
    void *bytes = NULL;
    size_t count = 0;
    wanted.count = 12;
    wanted.format = SCRUB_SVG;
    int status = scrub_encode_sheet(video, &wanted, &bytes, &count, &error);
    return made(status, bytes);
}

static int sets(void) {
    scrub_thumbnails wanted = SCRUB_THUMBNAILS_INIT;
    wanted.interval_num = wanted.interval_den = 1;
    snprintf(path, sizeof path, "%s/sets", folder);
    return scrub_write_sets(video, path, "web", &wanted, NULL, NULL, &error);
}

static int scenes(void) {
    scrub_scene *found = NULL;
    size_t count = 0;
    int status = scrub_find_scenes(video, NULL, &found, &count, &error);
    return made(status, found);
}

static int verify(void) {
    void *json = NULL;
    size_t count = 0;
    int status = scrub_verify(video, "backward", 8, &json, &count, &error);
    return made(status, json);
}

static int facts_of(void) {
    scrub_facts facts = SCRUB_FACTS_INIT;
    return scrub_get_facts(video, &facts, &error);
}

static int describe(void) {
    void *json = NULL;
    size_t count = 0;
    int status = scrub_describe(video, &json, &count, &error);
    return made(status, json);
}

/* In its own function a call would wait for itself. Another video may be used, and any may be cancelled. */
static int act_wrong(void) {
    scrub_error own = SCRUB_ERROR_INIT;
    scrub_facts facts = SCRUB_FACTS_INIT;
    return scrub_get_facts(video, &facts, &own);
}

static int act_cancel(void) {
    scrub_cancel(video);
    return 0;
}

static void every_call(const char *film) {
    /* total: of its progress; 0: none; -1: any. */
    static const struct {
        int (*call)(void);
        int total, always_ends;
    } calls[] = {
        { one, 1, 1 }, { several, 60, 1 }, { encode, 1, 1 }, { save, 1, 1 }, { strip, 30, 1 }, { sheet, 12, 1 }, { sets, -1, 1 },
        { posters, -1, 1 }, { scenes, -1, 1 }, { verify, -1, 1 }, { facts_of, 0, 0 }, { describe, 0, 0 },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int (*const call)(void) = calls[i].call;
        /* Of a new video each: nothing is kept from before. */
        video = opened(film);
        struct watch watch = watching();
        CHECK(scrub_set_progress(video, told, &watch, &error) == SCRUB_OK);
        watch.ends_at = 1;
        int status = call();
        /* What is done at once may be done before it is ended. */
        CHECK(status == SCRUB_CANCELLED || status == SCRUB_OK);
        CHECK(watch.calls >= 1 && watch.wrong == 0);
        if (calls[i].always_ends) CHECK(status == SCRUB_CANCELLED);
        watch = watching();
        CHECK(call() == SCRUB_OK && watch.calls >= 1 && watch.wrong == 0);
        if (calls[i].total) CHECK(watch.total >= 1 && watch.done == watch.total);
        if (calls[i].total > 1) CHECK(watch.total == calls[i].total);
        watch = watching();
        watch.act = act_wrong;
        CHECK(call() == SCRUB_OK && watch.acted == SCRUB_USAGE);
        watch = watching();
        watch.act = act_cancel;
        status = call();
        CHECK(status == SCRUB_CANCELLED || status == SCRUB_OK);
        CHECK(scrub_set_progress(video, NULL, NULL, &error) == SCRUB_OK);
        int before = watch.calls;
        CHECK(call() == SCRUB_OK && watch.calls == before);
        scrub_close(video);
    }
    CHECK(scrub_set_progress(video, told, NULL, &error) == SCRUB_USAGE);
}

/* A film that is read slowly, so that opening it takes a while. */
struct slow {
    FILE *file;
    int *reads;
    int closed;
};

static int64_t read_slowly(void *context, int64_t offset, void *buffer, size_t count) {
    struct slow *slow = context;
    __atomic_fetch_add(slow->reads, 1, __ATOMIC_RELAXED);
    usleep(500);
    size_t part = count < 256 ? count : 256;
    ssize_t got = pread(fileno(slow->file), buffer, part, (off_t)offset);
    return got < 0 ? -errno : got;
}

static void close_slowly(void *context) { ((struct slow *)context)->closed += 1; }

static void *raise_flag(void *context) {
    struct { int *reads, *flag; } *both = context;
    while (__atomic_load_n(both->reads, __ATOMIC_RELAXED) < 3) usleep(1000);
    __atomic_store_n(both->flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void opening(const char *film) {
    struct watch watch = watching();
    scrub_options options = SCRUB_OPTIONS_INIT;
    scrub_video *other = NULL;
    options.flags = SCRUB_NO_CACHE;
    options.progress = told;
    options.context = &watch;
    CHECK(scrub_open(film, &options, &other, &error) == SCRUB_OK && watch.calls >= 1 && watch.wrong == 0);
    CHECK(watch.done == 1000 && watch.total == 1000);
    scrub_picture picture = wanted(SCRUB_RGB8);
    watch = watching();
    CHECK(scrub_read(other, 0, &picture, &error) == SCRUB_OK && watch.calls >= 1);
    scrub_close(other);
    watch = watching();
    watch.ends_at = 1;
    CHECK(scrub_open(film, &options, &other, &error) == SCRUB_CANCELLED && other == NULL && error.status == SCRUB_CANCELLED);
    /* Another thread ends it. */
    int reads = 0, flag = 0;
    struct slow slow = { fopen(film, "rb"), &reads, 0 };
    struct { int *reads, *flag; } both = { &reads, &flag };
    struct stat facts;
    CHECK(slow.file && fstat(fileno(slow.file), &facts) == 0);
    scrub_reader reader = SCRUB_READER_INIT;
    reader.byte_count = facts.st_size;
    reader.context = &slow;
    reader.read = read_slowly;
    reader.close = close_slowly;
    watch = watching();
    watch.flag = &flag;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, raise_flag, &both) == 0);
    CHECK(scrub_open_reader(&reader, "slow film", &options, &other, &error) == SCRUB_CANCELLED && other == NULL);
    CHECK(pthread_join(thread, NULL) == 0 && watch.wrong == 0);
    for (int i = 0; i < 500 && slow.closed == 0; i++) usleep(10000);
    CHECK(slow.closed == 1);
    fclose(slow.file);
}

struct long_call {
    scrub_video *video;
    int begun, status;
};

static int note_begin(void *context, int64_t done, int64_t total) {
    (void)total;
    if (done > 0) __atomic_store_n((int *)context, 1, __ATOMIC_RELAXED);
    return 0;
}

static void *read_long(void *context) {
    struct long_call *call = context;
    scrub_error own = SCRUB_ERROR_INIT;
    int64_t numbers[200];
    scrub_picture *pictures = calloc(200, sizeof *pictures);
    for (int i = 0; i < 200; i++) {
        numbers[i] = i;
        pictures[i] = wanted(SCRUB_RGB8);
    }
    call->status = scrub_read_many(call->video, numbers, 200, pictures, &own);
    free(pictures);
    return NULL;
}

/* A function ends its own call alone, also one that waits for its turn. */
static void two_calls(const char *film) {
    video = opened(film);
    struct long_call call = { video, 0, -1 };
    CHECK(scrub_set_progress(video, note_begin, &call.begun, &error) == SCRUB_OK);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, read_long, &call) == 0);
    while (!__atomic_load_n(&call.begun, __ATOMIC_RELAXED)) usleep(100);
    struct watch watch = watching();
    watch.ends_at = 1;
    CHECK(scrub_set_progress(video, told, &watch, &error) == SCRUB_OK);
    CHECK(one() == SCRUB_CANCELLED && watch.calls == 1);
    CHECK(pthread_join(thread, NULL) == 0 && call.status == SCRUB_OK);
    scrub_close(video);
}

/* A server that takes one connection, keeps what it is asked, and says nothing. */
struct server {
    int socket;
    char asked[4096];
};

static void *serve(void *context) {
    struct server *server = context;
    int peer = accept(server->socket, NULL, NULL);
    if (peer < 0) return NULL;
    ssize_t got = read(peer, server->asked, sizeof server->asked - 1);
    server->asked[got > 0 ? got : 0] = 0;
    while (read(peer, path, sizeof path) > 0) {}
    close(peer);
    return NULL;
}

static int open_address(const char *address, const scrub_network *network) {
    scrub_options options = SCRUB_OPTIONS_INIT;
    scrub_video *other = NULL;
    options.network = network;
    options.flags = SCRUB_NO_CACHE;
    int status = scrub_open(address, &options, &other, &error);
    CHECK(other == NULL);
    return status;
}

static void network(void) {
    struct server server = { socket(AF_INET, SOCK_STREAM, 0), { 0 } };
    struct sockaddr_in place = { 0 };
    socklen_t size = sizeof place;
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(bind(server.socket, (struct sockaddr *)&place, size) == 0 && listen(server.socket, 4) == 0);
    CHECK(getsockname(server.socket, (struct sockaddr *)&place, &size) == 0);
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/film.mp4", ntohs(place.sin_port));

    scrub_network network = SCRUB_NETWORK_INIT;
    const char *local[] = { "127.0.0.0/8", NULL }, *elsewhere[] = { "video.example", NULL };
    network.deny = local;
    CHECK(open_address(address, &network) == SCRUB_UNAVAILABLE);
    network.deny = NULL;
    network.allow = elsewhere;
    CHECK(open_address(address, &network) == SCRUB_UNAVAILABLE);
    network.allow = NULL;
    network.flags = SCRUB_PUBLIC_ONLY;
    CHECK(open_address(address, &network) == SCRUB_UNAVAILABLE);
    network.flags = SCRUB_CLAMP;
    CHECK(open_address(address, &network) == SCRUB_USAGE);
    network.flags = 0;
    const char *nameless[] = { "no colon, and a secret", NULL };
    network.headers = nameless;
    CHECK(open_address(address, &network) == SCRUB_USAGE && !strstr(error.message, "secret"));

    const char *headers[] = { "X-Ticket: 7", "X-Other:8", NULL };
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, serve, &server) == 0);
    network.headers = headers;
    network.user_agent = "a test";
    network.proxy = "";
    network.answer_time = 200;
    network.read_time = 300;
    CHECK(open_address(address, &network) == SCRUB_IO && error.system_error == ETIMEDOUT);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(strstr(server.asked, "X-Ticket: 7\r\n") && strstr(server.asked, "X-Other: 8\r\n") && strstr(server.asked, "User-Agent: a test\r\n"));
    close(server.socket);
    CHECK(open_address(address, &network) == SCRUB_NO_INPUT && error.system_error == ECONNREFUSED);
}

static void statuses(const char *film) {
    static const int known[] = { SCRUB_OK, SCRUB_CANCELLED, SCRUB_USAGE, SCRUB_BAD_DATA, SCRUB_NO_INPUT, SCRUB_UNAVAILABLE, SCRUB_FORKED, SCRUB_IO };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK(scrub_status_text(known[i]) && strlen(scrub_status_text(known[i])) > 3);
        CHECK(strcmp(scrub_status_text(known[i]), "unknown") != 0);
        for (size_t k = 0; k < i; k++) CHECK(strcmp(scrub_status_text(known[i]), scrub_status_text(known[k])) != 0);
    }
    CHECK(strcmp(scrub_status_text(-1), "unknown") == 0 && strcmp(scrub_status_text(INT32_MAX), "unknown") == 0);
    scrub_video *other = NULL;
    CHECK(scrub_open("/nonexistent/film.mp4", NULL, &other, &error) == SCRUB_NO_INPUT && error.system_error == ENOENT);
    CHECK(scrub_open(folder, NULL, &other, &error) == SCRUB_NO_INPUT && error.system_error == EISDIR);
    CHECK(scrub_open(film, NULL, &other, &error) == SCRUB_OK && error.system_error == 0 && error.status == SCRUB_OK);
    scrub_close(other);
}

int main(int count, char **words) {
    if (count != 3) return SCRUB_USAGE;
    folder = words[2];
    statuses(words[1]);
    every_call(words[1]);
    opening(words[1]);
    two_calls(words[1]);
    quiet();
    /* What asks servers stays for the next address. */
    network();
    return 0;
}
