/* Frames by the thousand out of scrub.h:
 *
 *     frames dump FILM LAYOUT      every frame: a line, and its bytes (library.py compares them)
 *     frames loop FILM COUNT       reads so many frames, opens and closes now and then: for leaks and growth
 */
#include "common.h"

/* Every frame: `frame pts status verdict planes bytes`, and the planes' bytes. */
static int dump(const char *film, uint32_t layout) {
    scrub_options options = SCRUB_OPTIONS_INIT;
    options.flags = SCRUB_NO_CACHE;
    scrub_video *video = NULL;
    if (scrub_open(film, &options, &video, &error) != SCRUB_OK) {
        fprintf(stderr, "%s\n", error.message);
        return error.status;
    }
    int64_t count = frame_count(video);
    scrub_picture picture = wanted(layout);
    for (int64_t frame = 0; frame < count; frame++) {
        memset(picture.stride, 0, sizeof picture.stride);
        int status = scrub_read(video, frame, &picture, &error);
        if (picture.planes > 0) {
            make_room(&picture);
            memset(picture.stride, 0, sizeof picture.stride);
            status = scrub_read(video, frame, &picture, &error);
        }
        size_t bytes = 0;
        if (status == SCRUB_OK)
            for (int plane = 0; plane < picture.planes; plane++) bytes += picture.needed[plane];
        printf("%lld %lld %d %d %zu\n", (long long)frame, (long long)picture.pts, status, (int)picture.verdict, bytes);
        for (int plane = 0; bytes > 0 && plane < picture.planes; plane++) fwrite(picture.data[plane], 1, picture.needed[plane], stdout);
    }
    empty(&picture);
    scrub_close(video);
    return 0;
}

static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int loop(const char *film, long count) {
    scrub_video *video = opened(film);
    int64_t frames = frame_count(video);
    scrub_picture picture = wanted(SCRUB_RGB8);
    long early = 0;
    for (long i = 0; i < count; i++) {
        if (i % 5000 == 4999) {
            scrub_close(video);
            video = opened(film);
        }
        CHECK(scrub_read(video, i % frames, &picture, &error) == SCRUB_OK);
        make_room(&picture);
        if (i == count / 5) early = resident();
    }
    printf("%ld frames; resident %ld KiB after a fifth, %ld KiB at the end\n", count, early, resident());
    empty(&picture);
    scrub_close(video);
    quiet();
    return 0;
}

int main(int count, char **words) {
    if (count == 4 && strcmp(words[1], "dump") == 0) return dump(words[2], (uint32_t)atoi(words[3]));
    if (count == 4 && strcmp(words[1], "loop") == 0) return loop(words[2], atol(words[3]));
    return SCRUB_USAGE;
}
