/* Sessions of several threads, of several sessions, and in a forked child: session_threads FILM. It ends with 0, or stops at the first line
 * that is wrong. */
#include "sessions.h"
#include <stdatomic.h>

static scrub_session *shared;
static atomic_int calls, ends;

static void calling(void *context) {
    scrub_update update = SCRUB_UPDATE_INIT;
    scrub_error own = SCRUB_ERROR_INIT;
    atomic_fetch_add(&calls, 1);
    CHECK(context == &calls);
    if (scrub_session_take(shared, 0, &update, &own) != SCRUB_OK) return;
    scrub_pixel_buffer_release(update.picture);
    /* It may ask for the next one, and close the session. */
    if (update.stage != SCRUB_STAGE_EXACT) return;
    if (update.frame < 60) {
        scrub_session_request(shared, update.frame + 20, SCRUB_RESTING, NULL, &own);
    } else {
        scrub_session_set_callback(shared, NULL, NULL, &own);
        scrub_session_close(shared);
        atomic_store(&ends, 1);
    }
}

static void callbacks(scrub_video *video) {
    shared = begun(video, NULL);
    CHECK(scrub_session_set_callback(shared, calling, &calls, &error) == SCRUB_OK);
    CHECK(scrub_session_request(shared, 0, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
    while (!atomic_load(&ends)) usleep(1000);
    CHECK(atomic_load(&calls) >= 4);
    CHECK(scrub_session_rest(shared, &error) == SCRUB_USAGE);
    /* Set where something is there, it is called at once; a function that was taken away is not called. */
    shared = begun(video, NULL);
    atomic_store(&calls, 0);
    CHECK(scrub_session_request(shared, 10, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
    while (!is_readable(shared)) usleep(1000);
    CHECK(scrub_session_set_callback(shared, calling, &calls, &error) == SCRUB_OK);
    while (atomic_load(&calls) == 0) usleep(1000);
    CHECK(scrub_session_set_callback(shared, NULL, NULL, &error) == SCRUB_OK);
    int before = atomic_load(&calls);
    CHECK(scrub_session_request(shared, 0, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
    scrub_update update = until(shared, SCRUB_STAGE_EXACT);
    scrub_pixel_buffer_release(update.picture);
    CHECK(atomic_load(&calls) == before);
    scrub_session_close(shared);
}

static void *taking(void *session) {
    scrub_update update = SCRUB_UPDATE_INIT;
    scrub_error own = SCRUB_ERROR_INIT;
    for (;;) {
        scrub_status status = scrub_session_take(session, -1, &update, &own);
        if (status == SCRUB_OK && update.stage != SCRUB_STAGE_NONE) { scrub_pixel_buffer_release(update.picture); continue; }
        /* Woken, closed while it waited, or closed before. */
        return (void *)(intptr_t)status;
    }
}

static void ends_of_waits(scrub_video *video) {
    pthread_t thread;
    void *status;
    scrub_session *session = begun(video, NULL);
    CHECK(pthread_create(&thread, NULL, taking, session) == 0);
    scrub_session_wake(session);
    CHECK(pthread_join(thread, &status) == 0 && (intptr_t)status == SCRUB_OK);
    /* Woken before it waits, it does not wait; only once. */
    scrub_update update = SCRUB_UPDATE_INIT;
    scrub_session_wake(session);
    CHECK(scrub_session_take(session, -1, &update, &error) == SCRUB_OK && update.stage == SCRUB_STAGE_NONE);
    CHECK(update.verdict == SCRUB_UNDECODABLE && !update.is_final);
    /* A copy of its descriptor says that it was closed. */
    struct pollfd copy = { .events = POLLIN };
    CHECK(scrub_session_get_descriptor(session, &copy.fd, &error) == SCRUB_OK);
    copy.fd = dup(copy.fd);
    CHECK(poll(&copy, 1, 0) == 0);
    scrub_session_close(session);
    CHECK(poll(&copy, 1, 0) == 1);
    close(copy.fd);
    /* Closed at every moment, by one thread while two others ask and take. */
    for (int i = 0; i < 60; i++) {
        session = begun(video, NULL);
        CHECK(pthread_create(&thread, NULL, taking, session) == 0);
        for (int k = 0; k < i % 7; k++) scrub_session_request(session, (k * 67 + i) % 210, k % 2 ? SCRUB_RESTING : 0, NULL, &error);
        usleep((useconds_t)(i * i * 4));
        scrub_session_close(session);
        CHECK(pthread_join(thread, &status) == 0);
        CHECK((intptr_t)status == SCRUB_CANCELLED || (intptr_t)status == SCRUB_USAGE);
    }
}

static void *preparing(void *session) {
    int32_t done = -1;
    scrub_error own = SCRUB_ERROR_INIT;
    scrub_status status = scrub_session_prepare_previews(session, 100, -1, &done, &own);
    return (void *)(intptr_t)(status * 2 + done);
}

/* Who waits for previews is not told that they are there when a request was given up, or the session closed. */
static void ends_of_previews(scrub_video *video) {
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *status;
        scrub_session *session = begun(video, NULL);
        CHECK(pthread_create(&thread, NULL, preparing, session) == 0);
        usleep((useconds_t)(i * 300));
        if (i % 2) scrub_session_cancel(session, 0, &error);
        else scrub_session_close(session);
        CHECK(pthread_join(thread, &status) == 0);
        /* 1: all were there before. A request that is given up before the call waits does not end it. */
        CHECK((intptr_t)status == 1 || (intptr_t)status == (i % 2 ? 0 : SCRUB_CANCELLED * 2) || (intptr_t)status == SCRUB_USAGE * 2);
        scrub_session_close(session);
    }
}

/* Several sessions on one number of bytes, and on fewer decoders than there are sessions. */
static void sharing(scrub_video *video) {
    enum { COUNT = 4 };
    scrub_resources *resources = NULL;
    scrub_memory memory = SCRUB_MEMORY_INIT;
    scrub_session *sessions[COUNT];
    CHECK(scrub_resources_open(64 << 20, 2, &resources, &error) == SCRUB_OK);
    scrub_session_options options = SCRUB_SESSION_OPTIONS_INIT;
    options.resources = resources;
    options.memory = 5;
    CHECK(scrub_session_open(video, &options, &sessions[0], &error) == SCRUB_USAGE);
    options.memory = 0;
    for (int i = 0; i < COUNT; i++) sessions[i] = begun(video, &options);
    CHECK(scrub_resources_get_memory(resources, &memory, &error) == SCRUB_OK && memory.limit == 64 << 20);
    scrub_resources_close(resources);
    scrub_resources_close(resources);
    CHECK(scrub_session_open(video, &options, &shared, &error) == SCRUB_USAGE);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < COUNT; i++) CHECK(scrub_session_request(sessions[i], (round * 71 + i * 50) % 210, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
        for (int i = 0; i < COUNT; i++) {
            scrub_update update;
            do {
                update = until(sessions[i], SCRUB_STAGE_EXACT);
                scrub_pixel_buffer_release(update.picture);
            } while (update.request != (uint64_t)round + 1);
            CHECK(update.frame == (round * 71 + i * 50) % 210 && update.verdict == SCRUB_EXACT);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK(scrub_session_get_memory(sessions[i], &memory, &error) == SCRUB_OK && memory.peak <= memory.limit && memory.limit == 64 << 20);
        scrub_session_close(sessions[i]);
    }
    CHECK(scrub_resources_open(0, 1025, &resources, &error) == SCRUB_USAGE && resources == NULL);
    CHECK(scrub_resources_open(UINT64_MAX, 1, &resources, &error) == SCRUB_USAGE);
}

/* A child of a process with a session gets the one answer, and takes nothing of it. */
static void forked(scrub_video *video) {
    scrub_session *session = begun(video, NULL);
    CHECK(scrub_session_request(session, 20, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
    scrub_update update = until(session, SCRUB_STAGE_EXACT);
    pid_t child = fork();
    if (child == 0) {
        scrub_update other = SCRUB_UPDATE_INIT;
        scrub_planes lent = SCRUB_PLANES_INIT;
        int is_right = scrub_session_request(session, 1, 0, NULL, NULL) == SCRUB_FORKED;
        is_right &= scrub_session_take(session, -1, &other, NULL) == SCRUB_FORKED;
        is_right &= scrub_pixel_buffer_get_planes(update.picture, &lent, NULL) == SCRUB_FORKED;
        scrub_pixel_buffer_release(update.picture);
        scrub_session_wake(session);
        scrub_session_close(session);
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    scrub_pixel_buffer_release(update.picture);
    CHECK(scrub_session_request(session, 30, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
    update = until(session, SCRUB_STAGE_EXACT);
    scrub_pixel_buffer_release(update.picture);
    scrub_session_close(session);
}

int main(int count, char **words) {
    if (count != 2) return SCRUB_USAGE;
    scrub_video *video = opened(words[1]);
    CHECK(frame_count(video) == 210);
    callbacks(video);
    ends_of_waits(video);
    ends_of_previews(video);
    sharing(video);
    forked(video);
    scrub_close(video);
    quiet();
    return 0;
}
