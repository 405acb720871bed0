/* What the programs that try scrub.h share. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <scrub.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not so: %s; error: %s\n", __FILE__, __LINE__, #condition, error.message); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

static scrub_error error = SCRUB_ERROR_INIT;

static inline scrub_picture wanted(uint32_t layout) {
    scrub_picture picture = SCRUB_PICTURE_INIT;
    picture.layout = layout;
    return picture;
}

/* Memory for what scrub_read said that it needs. */
static inline void make_room(scrub_picture *picture) {
    for (int plane = 0; plane < picture->planes; plane++) {
        if (picture->capacity[plane] >= picture->needed[plane]) continue;
        free(picture->data[plane]);
        picture->data[plane] = calloc(1, picture->needed[plane]);
        picture->capacity[plane] = picture->needed[plane];
    }
}

static inline void empty(scrub_picture *picture) {
    for (int plane = 0; plane < 4; plane++) free(picture->data[plane]);
    memset(picture->data, 0, sizeof picture->data);
    memset(picture->capacity, 0, sizeof picture->capacity);
}

static inline scrub_video *opened(const char *path) {
    scrub_video *video = NULL;
    CHECK(scrub_open(path, NULL, &video, &error) == SCRUB_OK);
    CHECK(video != NULL);
    return video;
}

static inline int64_t frame_count(scrub_video *video) {
    scrub_facts facts = SCRUB_FACTS_INIT;
    CHECK(scrub_get_facts(video, &facts, &error) == SCRUB_OK);
    return facts.frame_count;
}

/* Threads of this process. */
static inline int thread_count(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) count += task->d_name[0] != '.';
    if (tasks) closedir(tasks);
    return count;
}

/* A closed video leaves no thread behind: they end on their own, soon. The thread sanitizer has one of its own. */
#ifndef SANITIZER_THREADS
#define SANITIZER_THREADS 0
#endif
static inline void quiet(void) {
    const int own = 1 + SANITIZER_THREADS;
    for (int i = 0; i < 1000 && thread_count() > own; i++) usleep(10000);
    CHECK(thread_count() == own);
}
