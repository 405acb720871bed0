/* Decoding in processes that can open nothing: sandbox FILM PROGRAM. It ends with 0, or stops at the first line that is wrong. */
#include "common.h"

/* Processes of this one's that run the program and are locked in (seccomp). */
static int locked_children(const char *program) {
    int count = 0;
    char wanted[4096];
    CHECK(realpath(program, wanted) != NULL);
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        char path[300], line[256], target[4096];
        int parent = 0, mode = 0;
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%s/status", entry->d_name);
        FILE *status = fopen(path, "r");
        if (!status) continue;
        while (fgets(line, sizeof line, status)) {
            if (strncmp(line, "PPid:", 5) == 0) parent = atoi(line + 5);
            if (strncmp(line, "Seccomp:", 8) == 0) mode = atoi(line + 8);
        }
        fclose(status);
        snprintf(path, sizeof path, "/proc/%s/exe", entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0) continue;
        target[length] = 0;
        count += parent == getpid() && mode == 2 && strcmp(target, wanted) == 0;
    }
    if (processes) closedir(processes);
    return count;
}

static scrub_picture frame_of(scrub_video *video, int64_t frame) {
    scrub_picture picture = wanted(SCRUB_RGB8);
    CHECK(scrub_read(video, frame, &picture, &error) == SCRUB_OK);
    make_room(&picture);
    CHECK(scrub_read(video, frame, &picture, &error) == SCRUB_OK && picture.verdict == SCRUB_EXACT);
    return picture;
}

static int same(const scrub_picture *one, const scrub_picture *other) {
    return one->needed[0] == other->needed[0] && memcmp(one->data[0], other->data[0], one->needed[0]) == 0;
}

int main(int count, char **words) {
    if (count != 3) return SCRUB_USAGE;
    scrub_options fresh = SCRUB_OPTIONS_INIT;
    fresh.flags = SCRUB_NO_CACHE;
    scrub_video *free_one = NULL, *locked = NULL;
    CHECK(scrub_open(words[1], &fresh, &free_one, &error) == SCRUB_OK);
    int64_t last = frame_count(free_one) - 1;
    scrub_picture before = frame_of(free_one, last);
    CHECK(locked_children(words[2]) == 0);

    /* A program that is missing, and one that is not a worker, are refused. */
    CHECK(scrub_begin_sandbox("/nonexistent/scrub-video", &error) == SCRUB_UNAVAILABLE && error.message[0]);
    CHECK(scrub_begin_sandbox("/bin/true", &error) == SCRUB_UNAVAILABLE && error.message[0]);
    CHECK(setenv("PATH", "/nonexistent", 1) == 0);
    if (access("/usr/bin/scrub-video", X_OK) != 0)
        CHECK(scrub_begin_sandbox(NULL, &error) == SCRUB_UNAVAILABLE && strstr(error.message, "scrub-video"));

    CHECK(scrub_begin_sandbox(words[2], &error) == SCRUB_OK);
    CHECK(scrub_open(words[1], &fresh, &locked, &error) == SCRUB_OK);
    scrub_picture inside = frame_of(locked, last), middle = frame_of(locked, last / 2);
    CHECK(same(&before, &inside) && locked_children(words[2]) > 0);

    /* What was open before stays where it is. */
    scrub_picture outside = frame_of(free_one, last / 2);
    CHECK(same(&middle, &outside));

    /* Several at once, too. */
    int64_t numbers[2] = { last, last / 2 };
    scrub_picture several[2] = { wanted(SCRUB_RGB8), wanted(SCRUB_RGB8) };
    for (int i = 0; i < 2; i++) {
        several[i].capacity[0] = before.needed[0];
        several[i].data[0] = calloc(1, before.needed[0]);
    }
    CHECK(scrub_read_many(locked, numbers, 2, several, &error) == SCRUB_OK);
    CHECK(same(&several[0], &before) && same(&several[1], &middle));

    /* Data that is not a film stays in the sandbox as an error. */
    scrub_video *none = NULL;
    CHECK(scrub_open_bytes("no film at all", 14, "text", &fresh, &none, &error) == SCRUB_BAD_DATA && none == NULL);

    for (int i = 0; i < 2; i++) empty(&several[i]);
    empty(&before);
    empty(&inside);
    empty(&middle);
    empty(&outside);
    scrub_close(locked);
    scrub_close(free_one);
    printf("the sandbox gives the same pictures\n");
    return 0;
}
