/* A gesture through a session in C: faces FILM BEGIN WIDTH < EVENTS. An event is a line: milliseconds, and x, or "end". A line of JSON for each
 * update, with the members that `scrub gesture --events --json` has for one. faces.py plays the same in Swift and in Python. */
#include <pthread.h>
#include <scrub.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const verdicts[] = { "exact", "damaged", "approximate", "undecodable" };
static scrub_session *session;
static struct timespec start;
static uint64_t last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)(time.tv_sec - start.tv_sec) * 1e3 + (double)(time.tv_nsec - start.tv_nsec) / 1e6;
}

/* Prints updates until the last request has its final one, which it may have before the gesture ends. */
static void *take(void *context) {
    (void)context;
    uint64_t done = 0;
    for (;;) {
        scrub_update update = SCRUB_UPDATE_INIT;
        if (scrub_session_take(session, 50, &update, NULL) != SCRUB_OK) return NULL;
        if (update.is_final) done = update.request;
        if (update.stage != SCRUB_STAGE_NONE) printf("{\"ms\":%.6f,\"frame\":%lld,\"verdict\":\"%s\",\"requested\":%lld,\"latencyMs\":%.6f}\n", now(), (long long)update.frame,
               verdicts[update.verdict & 3], (long long)update.requested_frame, (double)update.latency_ns / 1e6);
        scrub_pixel_buffer_release(update.picture);
        pthread_mutex_lock(&lock);
        int is_over = last != 0 && done >= last;
        pthread_mutex_unlock(&lock);
        if (is_over) return NULL;
    }
}

int main(int count, char **words) {
    scrub_error error = SCRUB_ERROR_INIT;
    scrub_options options = SCRUB_OPTIONS_INIT;
    scrub_video *video = NULL;
    options.flags = SCRUB_NO_CACHE;
    if (count != 4 || scrub_open(words[1], &options, &video, &error) != SCRUB_OK ||
        scrub_session_open(video, NULL, &session, &error) != SCRUB_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    clock_gettime(CLOCK_MONOTONIC, &start);
    scrub_session_began(session, words[2], NULL, NULL);
    pthread_t taker;
    pthread_create(&taker, NULL, take, NULL);
    char line[256], what[64];
    double ms;
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%lf %63s", &ms, what) == 2) {
        double rest = ms - now();
        struct timespec pause = { (time_t)(rest / 1e3), (long)((rest - 1e3 * (double)(time_t)(rest / 1e3)) * 1e6) };
        if (rest > 0) nanosleep(&pause, NULL);
        if (strcmp(what, "end") != 0) {
            scrub_session_moved(session, atof(what), 0, atof(words[3]), NULL, NULL, NULL);
            continue;
        }
        uint64_t request = 0;
        pthread_mutex_lock(&lock);
        scrub_session_ended(session, 0, &request, NULL);
        last = request;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(taker, NULL);
    scrub_memory memory = SCRUB_MEMORY_INIT;
    scrub_session_get_memory(session, &memory, NULL);
    printf("{\"peakBytes\":%llu,\"budgetBytes\":%llu}\n", (unsigned long long)memory.peak, (unsigned long long)memory.limit);
    scrub_session_close(session);
    scrub_close(video);
    return 0;
}
